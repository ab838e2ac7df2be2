/**
 * Finds the uses in one file that a change breaks elsewhere, with the name resolution of its language.
 *
 * A use counts only if it resolves to the definition. If the name may have another meaning, it is not reported.
 */
import { Context, Effect, Layer } from "effect"
import type { Family } from "../../languages/Language.ts"
import { familyOf } from "../../languages/languages.ts"
import type { FindBrokenUses } from "./FindBrokenUses.ts"
import { findJavaUses } from "./findJavaUses.ts"
import { findMemberUses } from "./findMemberUses.ts"
import { findModuleUses } from "./findModuleUses.ts"
import { findPackageUses } from "./findPackageUses.ts"
import { findRustUses } from "./findRustUses.ts"

export class UseFinder extends Context.Service<UseFinder, { readonly brokenIn: FindBrokenUses }>()(
  "dd/services/code/UseFinder"
) {
  static readonly layer = Layer.effect(
    UseFinder,
    Effect.gen(function* () {
      const members = yield* findMemberUses
      const inModules = [yield* findModuleUses, members]
      const finders: Partial<Record<Family, ReadonlyArray<FindBrokenUses>>> = {
        python: inModules,
        script: inModules,
        go: [yield* findPackageUses, members],
        rust: [yield* findRustUses],
        java: [yield* findJavaUses]
      }

      const brokenIn: FindBrokenUses = (path, scene, reader) => {
        const family = familyOf(path)
        const own = family === null ? [] : (finders[family] ?? [])
        return Effect.map(
          Effect.forEach(own, (find) => find(path, scene, reader)),
          (found) => found.flat()
        )
      }

      return UseFinder.of({ brokenIn })
    })
  )
}
