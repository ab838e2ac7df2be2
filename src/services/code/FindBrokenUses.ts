/** Finds the uses in one file that a change breaks elsewhere, with the name resolution of the file's language. */
import type { Effect } from "effect"
import type { Reader } from "../../domain/code/brokenUses.ts"
import type { BrokenPlace, Scene } from "../../domain/code/ContractScene.ts"

/** In the order of the changed definitions, not of the lines. */
export type FindBrokenUses = (path: string, scene: Scene, reader: Reader) => Effect.Effect<ReadonlyArray<BrokenPlace>>
