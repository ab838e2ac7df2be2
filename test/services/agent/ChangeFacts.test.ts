import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { type Exploration, nothingExplored } from "../../../src/domain/code/Exploration.ts"
import type { Definition } from "../../../src/domain/code/Symbol.ts"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { ChangeFacts, FactLimits, touchedDefinitions } from "../../../src/services/agent/ChangeFacts.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf } from "../../support/change.ts"
import { it } from "../../support/effect.ts"
import { makeRepository } from "../../support/repository.ts"

const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))

const before = {
  "cart.py": "def total(items):\n    return sum(items)\n\n\ndef unused():\n    return 1\n",
  "shop.py": "from cart import total\n\nprint(total([1]))\n",
  "test_cart.py": "from cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
}
const after = {
  "cart.py": "def total(items):\n    return sum(items) + 1\n\n\ndef unused():\n    return 2\n"
}

const facts = (exploration: Exploration = nothingExplored) =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    repository.commit("one", before)
    repository.commit("two", after)
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    return yield* ChangeFacts.use((each) => each.around(change, ["cart.py"], exploration)).pipe(
      Effect.provide(
        ChangeFacts.layer.pipe(
          Layer.provide(CodeLive.codeQueries),
          Layer.provide(SymbolIndex.layer),
          Layer.provide(SyntaxTrees.layer),
          Layer.provide([SourcesGit.layer(opened, change), TreeSitter.layer]),
          Layer.provide(NoFacts.layer)
        )
      )
    )
  }).pipe(Effect.provide(live))

describe("ChangeFacts", () => {
  it.live("names the users of what changed, and whether a test is among them", () =>
    Effect.gen(function* () {
      expect(yield* facts()).toEqual([
        "cart.py: function total (lines 1-2): used at shop.py:3, test_cart.py:5; 1 test file among them",
        "cart.py: function unused (lines 5-6): no use of it was found"
      ])
    })
  )

  it.live("reports what it did not look up", () =>
    Effect.gen(function* () {
      expect((yield* facts()).at(-1)).toBe(
        "(1 more changed definition was not looked up; use the symbols tool for more)"
      )
    }).pipe(Effect.provideService(FactLimits, { definitions: 1, perFile: 1, uses: 1, lines: 1 }))
  )

  it.live("passes on what was explored of these files, and of no others", () =>
    Effect.gen(function* () {
      const found = yield* facts({
        ...nothingExplored,
        dependencies: [
          { source: "shop.py", target: "cart.py", relationship: "imports" },
          { source: "a.py", target: "b.py", relationship: "imports" },
          { source: "menu.py", target: "cart.py", relationship: "changes_with" }
        ],
        conventions: [{ name: "line length", description: "at most 100", source: "pyproject.toml" }]
      })
      expect(found.slice(2)).toEqual([
        "shop.py imports cart.py",
        "menu.py usually changes together with cart.py",
        "convention in pyproject.toml: line length: at most 100"
      ])
    })
  )
})

describe("touchedDefinitions", () => {
  const named = (name: string, kind: Definition["kind"], line: number, endLine: number): Definition => ({
    name,
    kind,
    line,
    endLine,
    container: null,
    signature: null,
    shape: name
  })
  const all = [named("Cart", "class", 1, 9), named("add", "method", 2, 4), named("drop", "method", 6, 8)]
  const lines = (mark: string) =>
    `${Array.from({ length: 9 }, (_, at) => (at === 6 ? mark : `line ${at}`)).join("\n")}\n`

  it("takes the innermost around a changed line", () => {
    const [file] = changeOf({ "cart.py": [lines("old"), lines("new")] }).diff.files
    expect(touchedDefinitions(file!, all).map(({ name }) => name)).toEqual(["drop"])
  })

  it("sees what was only deleted", () => {
    const [file] = changeOf({ "cart.py": [lines("old\ngone"), lines("old")] }).diff.files
    expect(touchedDefinitions(file!, all).map(({ name }) => name)).toEqual(["drop"])
  })
})
