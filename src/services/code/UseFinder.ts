/**
 * Finds the uses in one file that a change breaks elsewhere, the way its language looks names up.
 *
 * A use counts only when it leads to the definition; whatever could make it mean something else silences it.
 */
import { Context, Effect, Layer } from "effect"
import type { Reader } from "../../domain/code/brokenUses.ts"
import type { BrokenPlace, Scene } from "../../domain/code/ContractScene.ts"
import { familyOf } from "../../languages/languages.ts"
import { JavaUses } from "./JavaUses.ts"
import { MemberUses } from "./MemberUses.ts"
import { ModuleUses } from "./ModuleUses.ts"
import { PackageUses } from "./PackageUses.ts"
import { RustUses } from "./RustUses.ts"

export class UseFinder extends Context.Service<
  UseFinder,
  {
    /** In source order of what was changed, not of the lines. */
    readonly brokenIn: (path: string, scene: Scene, reader: Reader) => Effect.Effect<ReadonlyArray<BrokenPlace>>
  }
>()("dd/services/code/UseFinder") {
  static readonly layer = Layer.effect(
    UseFinder,
    Effect.gen(function* () {
      const modules = yield* ModuleUses
      const packages = yield* PackageUses
      const members = yield* MemberUses
      const rust = yield* RustUses
      const java = yield* JavaUses

      const brokenIn = Effect.fn("UseFinder.brokenIn")(function* (path: string, scene: Scene, reader: Reader) {
        switch (familyOf(path)) {
          case "rust":
            return yield* rust.brokenIn(path, scene, reader)
          case "java":
            return yield* java.brokenIn(path, scene, reader)
          case "go":
            return [
              ...(yield* packages.brokenIn(path, scene, reader)),
              ...(yield* members.brokenIn(path, scene, reader))
            ]
          default:
            return [
              ...(yield* modules.brokenIn(path, scene, reader)),
              ...(yield* members.brokenIn(path, scene, reader))
            ]
        }
      })

      return UseFinder.of({ brokenIn })
    })
  )
}
