/**
 * The static findings of a change for each stack, from rules on its files and from checks across the repository.
 * Computed once per run for a review without a model, for reviewers beside a model, and for a model's prompt.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { meaningOf } from "../../domain/change/Degraded.ts"
import type { Stack } from "../../domain/code/Stack.ts"
import { structureStack } from "../../domain/finding/MergedItem.ts"
import { numbered } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { SyntaxTrees, type Unread } from "../code/SyntaxTrees.ts"
import { RepositoryReviewer } from "../finding/RepositoryReviewer.ts"
import { type StaticReview, StaticReviewer } from "../finding/StaticReviewer.ts"
import { FailPolicy } from "../run/FailPolicy.ts"

/** What was found, and what was not checked, as sentences for the reader. */
export interface StackFacts extends Omit<StaticReview, "problems"> {
  readonly omitted: ReadonlyArray<string>
}

/** A recorded run does not include the static review of a stack. */
export class StaticReviewMissing extends Schema.TaggedError<StaticReviewMissing>()("StaticReviewMissing", {
  stack: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the static checks of ${this.stack} cannot be repeated: ${this.reason}`
  }
}

export class StaticReviews extends Context.Service<
  StaticReviews,
  {
    /** For the change of one run: each stack is reviewed once. */
    readonly review: (change: Change, stack: Stack) => Effect.Effect<StackFacts, StaticReviewMissing>
  }
>()("dd/services/agent/StaticReviews") {
  static readonly layer = Layer.effect(
    StaticReviews,
    Effect.gen(function* () {
      const reviewer = yield* StaticReviewer
      const repository = yield* RepositoryReviewer
      const trees = yield* SyntaxTrees
      const onFailure = yield* FailPolicy
      const known = new Map<string, { readonly turn: Semaphore.Semaphore; facts: StackFacts | null }>()

      /** The findings of the rules in changed files and of the checks across the repository. */
      const reviewWhole = Effect.fnUntraced(function* (change: Change) {
        const own = yield* reviewer.reviewChange(change)
        const across = yield* repository.review(change)
        const unread = yield* trees.unread
        const changed = new Set(change.diff.files.flatMap(({ newPath, oldPath }) => [newPath, oldPath]))
        const meant = (meaning: ReturnType<typeof meaningOf>) =>
          unread.filter(({ lack, path }) => meaningOf(lack, path, changed.has(path)) === meaning)
        const [missed, around] = [meant("unchecked"), meant("note")]
        if (missed.length > 0) {
          const unchecked = "files that could not be parsed"
          const detail = `not checked: ${unchecked}: ${namesOf(missed)}`
          yield* onFailure.degrade({ step: "per-stack-reviews", error: "NotParsed", detail, unchecked })
        }
        return {
          ...own,
          records: numbered([...own.records, ...across.records]),
          rulesApplied: [...own.rulesApplied, ...across.rulesApplied].sort(compareText),
          omitted: [
            ...across.omitted,
            ...(around.length === 0 ? [] : [`files around the change that could not be read: ${namesOf(around)}`])
          ]
        }
      })

      const look = Effect.fnUntraced(function* (change: Change, stack: Stack) {
        const { problems, ...facts } =
          stack.name === structureStack
            ? yield* reviewWhole(change)
            : { ...(yield* reviewer.review(change, stack.files)), omitted: [] }
        for (const problem of problems) {
          yield* onFailure.degrade({
            step: "per-stack-reviews",
            error: problem._tag,
            detail: problem.message,
            unchecked: problem.unchecked
          })
        }
        return facts
      })

      const review = Effect.fn("StaticReviews.review")(function* (change: Change, stack: Stack) {
        const entry = known.get(stack.name) ?? { turn: Semaphore.makeUnsafe(1), facts: null }
        known.set(stack.name, entry)
        // If a caller is interrupted, the next one does the work.
        return yield* entry.turn.withPermits(1)(
          Effect.suspend(() =>
            entry.facts === null
              ? Effect.tap(look(change, stack), (facts) => Effect.sync(() => (entry.facts = facts)))
              : Effect.succeed(entry.facts)
          )
        )
      })

      return StaticReviews.of({ review })
    })
  )
}

const namesOf = (unread: ReadonlyArray<Unread>): string => {
  const named = unread.slice(0, unreadNamed).map(({ path, reason }) => `${path} (${reason})`)
  const more = unread.length - named.length
  return `${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

const unreadNamed = 3
