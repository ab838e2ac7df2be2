/** Releases come from one server. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Layer } from "effect"
import { SelfUpdate } from "../services/update/SelfUpdate.ts"
import * as Http from "./update/releases/Http.ts"

export const selfUpdateFrom = (url: string) => SelfUpdate.layer.pipe(Layer.provide([Http.layer(url), layerDigest]))
