import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { fixUndoneCheck } from "../../../src/services/finding/fixUndoneCheck.ts"
import { RuleSet } from "../../../src/services/finding/RuleSet.ts"
import { it } from "../../support/effect.ts"
import { makeRepository } from "../../support/repository.ts"
import { shipped } from "../../support/rules.ts"

const guarded = [
  "def pay(order):",
  "    if order.customer is None:",
  "        raise MissingCustomer(order)",
  "    charge()",
  ""
]
const unguarded = ["def pay(order):", "    charge()", ""]

/** The titles for a commit that deletes the check, which a commit of the subject `fix` added. */
const titles = (fix: string, subject: string) =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    repository.commit("Add orders", { "order.py": unguarded.join("\n") })
    repository.commit(fix, { "order.py": guarded.join("\n") })
    repository.commit(subject, { "order.py": unguarded.join("\n") })
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    const sources = SourcesGit.layer(opened, change).pipe(Layer.provide(NoFacts.layer))
    const code = SymbolIndex.layer.pipe(
      Layer.provideMerge(SyntaxTrees.layer),
      Layer.provideMerge(Layer.mergeAll(sources, TreeSitter.layer, NoFacts.layer))
    )
    const { omitted, records } = yield* fixUndoneCheck(change).pipe(
      Effect.provide(Layer.mergeAll(code, RuleSet.layerOf(shipped("history/*"))))
    )
    expect(omitted).toEqual([])
    return records.map(({ line, title }) => `${line}: ${title}`)
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))

describe("a check that a fix added", () => {
  it.live("is reported where it is deleted without a word", () =>
    Effect.gen(function* () {
      expect(yield* titles("Fix crash without a customer (#7)", "Simplify orders")).toEqual([
        "2: `pay` loses a check that a fix added: `if order.customer is None:`"
      ])
    })
  )

  it.live("is not reported where the message says that it goes, or names the fix", () =>
    Effect.gen(function* () {
      expect(yield* titles("Fix crash without a customer (#7)", "Remove the customer check")).toEqual([])
      expect(yield* titles("Fix crash without a customer (#7)", "Undone for now, see #7")).toEqual([])
      expect(yield* titles("Fix crash without a customer (#7)", "Orders have customers in the form")).toEqual([])
    })
  )

  it.live("is not reported if no fix added it", () =>
    Effect.gen(function* () {
      expect(yield* titles("Charge customers only", "Simplify orders")).toEqual([])
    })
  )
})
