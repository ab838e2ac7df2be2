import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { structureStack } from "../../../src/domain/finding/MergedItem.ts"
import { StaticReviews } from "../../../src/services/agent/StaticReviews.ts"
import { SyntaxTrees, type Unread } from "../../../src/services/code/SyntaxTrees.ts"
import { RepositoryReviewer } from "../../../src/services/finding/RepositoryReviewer.ts"
import { RuleFailed, StaticReviewer } from "../../../src/services/finding/StaticReviewer.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { changeOf } from "../../support/change.ts"
import { it } from "../../support/effect.ts"
import * as MemoryRecorder from "../../support/MemoryRecorder.ts"

const nothing = { review: () => Effect.succeed({ records: [], rulesApplied: [], omitted: [] }) }
const review = { records: [], rulesApplied: [], coverage: [] }

const reviewsWith = (unread: ReadonlyArray<Unread>, problems: ReadonlyArray<RuleFailed> = []) =>
  StaticReviews.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(RepositoryReviewer, nothing),
        Layer.succeed(StaticReviewer, {
          review: () => Effect.succeed({ ...review, problems }),
          reviewChange: () => Effect.succeed({ ...review, problems })
        }),
        Layer.succeed(SyntaxTrees, {
          head: () => Effect.succeed(null),
          base: () => Effect.succeed(null),
          unread: Effect.succeed(unread)
        })
      )
    ),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(MemoryRecorder.layer)
  )

const reviewed = Effect.gen(function* () {
  const { omitted } = yield* (yield* StaticReviews).review(changeOf({}), { name: structureStack, files: [] })
  return { omitted, degraded: yield* (yield* FailPolicy).degraded }
})

describe("what the static checks could not do", () => {
  it.effect("is degraded when the parser fails on a file, and a note when the file is too large", () =>
    Effect.gen(function* () {
      const { omitted, degraded } = yield* reviewed
      expect(omitted).toEqual([
        "files around the change that could not be read: big.py (too large, 3.0 MB, the limit is 2 MB)"
      ])
      expect(degraded).toEqual([
        {
          step: "per-stack-reviews",
          error: "NotParsed",
          detail: "not checked: files that could not be parsed: slow.py (not parsed as python: took too long)",
          unchecked: "files that could not be parsed"
        }
      ])
    }).pipe(
      Effect.provide(
        reviewsWith([
          { path: "big.py", reason: "too large, 3.0 MB, the limit is 2 MB", lack: "limit" },
          { path: "slow.py", reason: "not parsed as python: took too long", lack: "here" }
        ])
      )
    )
  )

  it.effect("is degraded when a rule fails, with the rule's name", () =>
    Effect.gen(function* () {
      const { degraded } = yield* reviewed
      expect(degraded.map(({ unchecked }) => unchecked)).toEqual(["py/some-rule on a.py"])
    }).pipe(
      Effect.provide(reviewsWith([], [new RuleFailed({ rule: "py/some-rule", file: "a.py", cause: new Error("no") })]))
    )
  )
})
