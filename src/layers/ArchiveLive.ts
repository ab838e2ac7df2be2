/** The user's archive, for reading: index, bundles, records, and their dependencies. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Layer } from "effect"
import { layerWebCrypto as layerSecureRandom } from "effect/crypto/SecureRandom"
import { Bundles } from "../services/record/Bundles.ts"
import { Trajectories } from "../services/record/Trajectories.ts"
import * as Sqlite from "./record/archive/Sqlite.ts"
import * as Proc from "./system/process/Proc.ts"

/** `directory`: the archive. */
export const bundles = (directory: string) => Bundles.layer(directory).pipe(Layer.provide(layerSecureRandom))

export const store = (directory: string) =>
  Layer.mergeAll(
    Sqlite.layer(directory).pipe(Layer.provide(layerSecureRandom)),
    bundles(directory),
    Trajectories.layer.pipe(Layer.provide(Proc.layer), Layer.provide(layerSecureRandom))
  )

export const layer = (directory: string) => Layer.merge(store(directory), layerDigest)
