/** Packs of a change as agents get them, with real symbols and token counts; sources are left open. */
import { Layer } from "effect"
import { noPolicy, type PackPolicy } from "../../src/domain/pack/PackPolicy.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as PackLive from "../../src/layers/PackLive.ts"
import { ContextPacks } from "../../src/services/pack/ContextPacks.ts"

export const contextPacks = (policy: PackPolicy = noPolicy) =>
  ContextPacks.layer(policy).pipe(Layer.provide(PackLive.layer("o200k_base")), Layer.provide(NoFacts.layer))
