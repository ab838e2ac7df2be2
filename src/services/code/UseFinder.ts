/**
 * Finds the uses in one file that a change breaks elsewhere, with the name resolution of its language.
 *
 * A use counts only if it resolves to the definition. If the name may have another meaning, it is not reported.
 */
import { Context, Effect, Layer } from "effect"
import type { Reader } from "../../domain/code/brokenUses.ts"
import type { BrokenPlace, Scene } from "../../domain/code/ContractScene.ts"
import { familyOf } from "../../languages/languages.ts"
import { withServices } from "../system/withServices.ts"
import { findJavaUses } from "./findJavaUses.ts"
import { findMemberUses } from "./findMemberUses.ts"
import { findModuleUses } from "./findModuleUses.ts"
import { findPackageUses } from "./findPackageUses.ts"
import { findRustUses } from "./findRustUses.ts"

export class UseFinder extends Context.Service<
  UseFinder,
  {
    /** In the order of the changed definitions, not of the lines. */
    readonly brokenIn: (path: string, scene: Scene, reader: Reader) => Effect.Effect<ReadonlyArray<BrokenPlace>>
  }
>()("dd/services/code/UseFinder") {
  static readonly layer = Layer.effect(
    UseFinder,
    Effect.suspend(() => withServices({ brokenIn }))
  )
}

const brokenIn = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
  switch (familyOf(path)) {
    case "python":
    case "script":
      return [...(yield* findModuleUses(path, scene, reader)), ...(yield* findMemberUses(path, scene, reader))]
    case "go":
      return [...(yield* findPackageUses(path, scene, reader)), ...(yield* findMemberUses(path, scene, reader))]
    case "rust":
      return yield* findRustUses(path, scene, reader)
    case "java":
      return yield* findJavaUses(path, scene, reader)
    default:
      return []
  }
})
