/**
 * What dd itself proves about a change, stack by stack: rules on the files, and what the change does to the rest of the
 * repository. Computed once a run, whoever asks: the static backend, reviewers beside a model, a model's briefing.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { Change } from "../domain/Change.ts"
import { compareText, ReviewRecord } from "../domain/Finding.ts"
import { structureStack } from "../domain/MergedItem.ts"
import type { Stack } from "../domain/Stack.ts"
import { CloneReviewer } from "./CloneReviewer.ts"
import { ContractReviewer } from "./ContractReviewer.ts"
import { DriftReviewer } from "./DriftReviewer.ts"
import { FailPolicy } from "./FailPolicy.ts"
import { type StaticReview, StaticReviewer } from "./StaticReviewer.ts"
import { StructureReviewer } from "./StructureReviewer.ts"
import { SyntaxTrees, type Unread } from "./SyntaxTrees.ts"
import { TestGapReviewer } from "./TestGapReviewer.ts"

/** What was found, and what was not looked at, in sentences for the reader. */
export interface StackFacts extends Omit<StaticReview, "problems"> {
  readonly omitted: ReadonlyArray<string>
}

export class StaticReviews extends Context.Service<
  StaticReviews,
  {
    /** Of one run's change: the same stack is looked at once. */
    readonly review: (change: Change, stack: Stack) => Effect.Effect<StackFacts>
  }
>()("dd/services/StaticReviews") {
  static readonly layer = Layer.effect(
    StaticReviews,
    Effect.gen(function* () {
      const reviewer = yield* StaticReviewer
      // Each looks at the whole change in its repository, and answers records, rules applied and gaps.
      const structural = [
        yield* ContractReviewer,
        yield* StructureReviewer,
        yield* CloneReviewer,
        yield* DriftReviewer,
        yield* TestGapReviewer
      ]
      const trees = yield* SyntaxTrees
      const onFailure = yield* FailPolicy
      const known = new Map<string, { readonly turn: Semaphore.Semaphore; facts: StackFacts | null }>()

      /** What the rules see in the change itself, and what it does to the rest of the repository. */
      const reviewWhole = Effect.fnUntraced(function* (change: Change) {
        const own = yield* reviewer.reviewChange(change)
        // While one waits for git, another goes on.
        const parts = yield* Effect.forEach(structural, (part) => part.review(change), {
          concurrency: structural.length
        })
        const unread = yield* trees.unread
        const ownFiles = ownPaths(change)
        // Why there is no text of a changed file is in the coverage ledger; its rules may have needed no tree.
        for (const { path, reason } of unread.filter((each) => each.hasText && ownFiles.has(each.path))) {
          const detail = `${path} was not compared with the rest of the repository: ${reason}`
          yield* onFailure.degrade({ step: "per-stack-reviews", error: "TreeNotRead", detail })
        }
        const records = [...own.records, ...parts.flatMap((part) => part.records)]
        return {
          ...own,
          records: records.map((record, at) => ReviewRecord.make({ ...record, id: at + 1 })),
          rulesApplied: [...own.rulesApplied, ...parts.flatMap((part) => part.rulesApplied)].sort(compareText),
          omitted: [
            ...parts.flatMap((part) => part.omitted),
            ...unreadAround(unread.filter(({ path }) => !ownFiles.has(path)))
          ]
        }
      })

      const look = Effect.fnUntraced(function* (change: Change, stack: Stack) {
        const { problems, ...facts } =
          stack.name === structureStack
            ? yield* reviewWhole(change)
            : { ...(yield* reviewer.review(change, stack.files)), omitted: [] }
        for (const problem of problems) {
          yield* onFailure.degrade({ step: "per-stack-reviews", error: problem._tag, detail: problem.message })
        }
        return facts
      })

      const review = Effect.fn("StaticReviews.review")(function* (change: Change, stack: Stack) {
        const entry = known.get(stack.name) ?? { turn: Semaphore.makeUnsafe(1), facts: null }
        known.set(stack.name, entry)
        // An asker that is interrupted leaves the work to the next one.
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

const ownPaths = ({ diff }: Change): ReadonlySet<string> =>
  new Set(diff.files.flatMap(({ newPath, oldPath }) => [newPath, oldPath]).filter((path) => path !== null))

/** Files that others were compared with and that could not be read. */
const unreadAround = (around: ReadonlyArray<Unread>): ReadonlyArray<string> => {
  if (around.length === 0) return []
  const named = around.slice(0, unreadNamed).map(({ path, reason }) => `${path} (${reason})`)
  const more = around.length - named.length
  const rest = more > 0 ? `, and ${more} more` : ""
  return [`files around the change that could not be read: ${named.join(", ")}${rest}`]
}

const unreadNamed = 3
