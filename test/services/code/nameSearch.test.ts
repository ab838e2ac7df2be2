import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { qualifiedName } from "../../../src/domain/code/CodeQuery.ts"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { nearDefinitions, notSearched } from "../../../src/services/code/nameSearch.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { it } from "../../support/effect.ts"
import { makeRepository } from "../../support/repository.ts"

const files = {
  "shop/cart.py":
    "class Cart:\n    def total(self):\n        return 1\n\n\ndef totals():\n    return 2\n\n\ndef charge():\n    pass\n",
  "words.py": "tutal = 1\n",
  "vendor/tax/total.go": "package tax\n\nfunc total() {}\n",
  "README.md": "the total\n",
  "notes.txt": "no such word\n"
}

const asked = <A, E, R>(ask: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    repository.commit("one", files)
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    const live = CodeLive.codeQueries.pipe(
      Layer.provide(SymbolIndex.layer),
      Layer.provideMerge(SyntaxTrees.layer),
      Layer.provideMerge(SourcesGit.layer(opened, change)),
      Layer.provide([TreeSitter.layer, NoFacts.layer])
    )
    return yield* Effect.provide(ask, live)
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))

const near = (written: string) =>
  Effect.map(asked(nearDefinitions(written)), (found) => found.map(({ definition }) => qualifiedName(definition)))

describe("definitions near a name", () => {
  it.live("are those of the same name elsewhere", () =>
    Effect.gen(function* () {
      expect(yield* near("Basket.total")).toEqual(["Cart.total"])
    })
  )
  it.live("are else those of similar names; a word that is not defined is none", () =>
    Effect.gen(function* () {
      expect(yield* near("totel")).toEqual(["Cart.total", "totals", "tutal"])
      expect(yield* near("CHARGER")).toEqual(["charge"])
      expect(yield* near("unlike")).toEqual([])
    })
  )
})

describe("what a search for a name leaves out", () => {
  it.live("is vendored code, and files that are not in an indexed language, where they have the name", () =>
    Effect.gen(function* () {
      expect(yield* asked(notSearched("Cart.total"))).toEqual([
        "vendored files that may contain total: vendor/tax/total.go",
        "files that may contain total and are not in an indexed language: README.md"
      ])
      expect(yield* asked(notSearched("charge"))).toEqual([])
    })
  )
})
