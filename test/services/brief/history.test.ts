import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import type { Change } from "../../../src/domain/change/Change.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../src/layers/change/sources/Git.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { companionsOf } from "../../../src/services/brief/companions.ts"
import { historyOf } from "../../../src/services/brief/history.ts"
import { peopleOf } from "../../../src/services/brief/people.ts"
import { BlobFacts } from "../../../src/services/change/BlobFacts.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import type { Sources } from "../../../src/services/change/Sources.ts"
import { changeOf, sourcesOf } from "../../support/change.ts"
import { it } from "../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../support/repository.ts"

/** Of the last commit. */
const asked = <A>(
  repository: TestRepository,
  part: (change: Change) => Effect.Effect<A, never, Sources>,
  facts: Layer.Layer<BlobFacts> = NoFacts.layer
) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    return yield* part(change).pipe(Effect.provide(SourcesGit.layer(opened, change).pipe(Layer.provide(facts))))
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))

const fixed = [
  "def pay(order):",
  "    if order.customer is None:",
  "        raise MissingCustomer(order)",
  "    charge()",
  ""
]
const unguarded = ["def pay(order):", "    charge()", ""]
const old = ["def pay(order):", "    charge_all_customers_now(order.customers)", ""]

const withFix = Effect.gen(function* () {
  const repository = yield* makeRepository
  repository.commit("Add orders", { "old.py": old.join("\n"), CODEOWNERS: "*.py @shop\n" })
  repository.git("mv", "old.py", "order.py")
  repository.commit("Move orders", {})
  repository.commit("Fix crash without a customer (#7)", { "order.py": fixed.join("\n") })
  return repository
})

describe("the history of changed lines", () => {
  it.live("has the fix whose lines are removed, and the one whose deleted lines are back", () =>
    Effect.gen(function* () {
      const repository = yield* withFix
      repository.commit("Simplify", { "order.py": unguarded.join("\n") })
      const removed = yield* asked(repository, historyOf)
      expect(removed.omitted).toEqual([])
      expect(removed.found).toMatchObject([
        { kind: "fix-removed", file: "order.py", line: 2, end: 3, base: true, issue: "#7", lines: 2, of: 3 }
      ])
      repository.git("reset", "--quiet", "--hard", "HEAD~1")
      repository.commit("Charge all", { "order.py": [...fixed.slice(0, 3), ...old.slice(1)].join("\n") })
      expect((yield* asked(repository, historyOf)).found).toMatchObject([
        { kind: "brought-back", file: "order.py", line: 4, end: 4, base: false, issue: "#7", lines: 1, of: 1 }
      ])
    })
  )

  it.live("is the same with what an earlier run stored", () =>
    Effect.gen(function* () {
      const repository = yield* withFix
      repository.commit("Simplify", { "order.py": unguarded.join("\n") })
      const kept = new Map<string, string>()
      const facts = Layer.succeed(BlobFacts, {
        get: (_, keys) => Effect.succeed(keys.map(({ blob }) => JSON.parse(kept.get(blob) ?? "null"))),
        put: (_, { blob }, value) => Effect.sync(() => void kept.set(blob, JSON.stringify(value)))
      })
      const first = yield* asked(repository, historyOf, facts)
      expect([...kept.keys()]).toContain("commits")
      expect(yield* asked(repository, historyOf, facts)).toEqual(first)
      for (const key of kept.keys()) kept.set(key, "[[1]]")
      expect(yield* asked(repository, historyOf, facts)).toEqual(first)
    })
  )

  it.live("has the people of the changed files", () =>
    Effect.gen(function* () {
      const repository = yield* withFix
      repository.commit("Simplify", { "order.py": unguarded.join("\n") })
      const { found } = yield* asked(repository, peopleOf)
      expect(found).toEqual([
        { name: "Ada", commits: 3, latest: "2026-01-02", owner: false },
        { name: "@shop", commits: 0, latest: null, owner: true }
      ])
    })
  )

  it.effect("is empty for a change without a repository", () =>
    Effect.gen(function* () {
      const texts = { "order.py": [fixed.join("\n"), unguarded.join("\n")] as const }
      const nothing = { found: [], omitted: [] }
      const all = Effect.all([historyOf(changeOf(texts)), peopleOf(changeOf(texts)), companionsOf(changeOf(texts))])
      expect(yield* Effect.provide(all, sourcesOf(texts))).toEqual([nothing, nothing, nothing])
    })
  )
})
