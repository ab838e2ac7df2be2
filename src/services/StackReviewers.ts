/**
 * One reviewer a stack, all at once within the backend's fan-out.
 *
 * A stack whose reviewer fails is named with the reason and does not stop the others. Beside a model dd's own rules look
 * too, and what they find stands whatever becomes of the model.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../domain/Change.ts"
import type { FileCoverage } from "../domain/Coverage.ts"
import type { Exploration } from "../domain/Exploration.ts"
import { structureStack } from "../domain/MergedItem.ts"
import type { Stack } from "../domain/Stack.ts"
import type { Alternative, Reply, StackReport } from "../domain/Task.ts"
import { Agent } from "./Agent.ts"
import { FailPolicy } from "./FailPolicy.ts"
import { type StackFacts, StaticReviews } from "./StaticReviews.ts"

export interface StackReviewRequest {
  readonly change: Change
  readonly exploration: Exploration
  readonly intent: string
  readonly alternatives: ReadonlyArray<Alternative>
  readonly stacks: ReadonlyArray<Stack>
}

export interface StackReviews {
  /** In the order of the stacks. */
  readonly reports: ReadonlyArray<StackReport>
  /** Stack name to what went wrong, in the order of the stacks. */
  readonly failures: Readonly<Record<string, string>>
}

export class StackReviewers extends Context.Service<
  StackReviewers,
  {
    readonly review: (request: StackReviewRequest) => Effect.Effect<StackReviews>
  }
>()("dd/services/StackReviewers") {
  static readonly layer = Layer.effect(
    StackReviewers,
    Effect.gen(function* () {
      const agent = yield* Agent
      const onFailure = yield* FailPolicy
      const staticReviews = yield* StaticReviews

      const ask = ({ stacks: _, ...shared }: StackReviewRequest, stack: Stack) =>
        agent.invoke(
          { _tag: "StackReview", ...shared, stack },
          { phase: "per-stack-reviews", fork: `deep-${stack.name}` }
        )

      const reviewOne = Effect.fnUntraced(function* (
        request: StackReviewRequest,
        stack: Stack,
        failed: Map<string, string>
      ) {
        const facts = agent.source === "static" ? null : yield* staticReviews.review(request.change, stack)
        const reply = yield* ask(request, stack).pipe(
          Effect.tapError((error) => Effect.sync(() => failed.set(stack.name, `${error._tag}: ${error.message}`))),
          onFailure.open("per-stack-reviews", null)
        )
        if (reply === null && (facts === null || facts.records.length === 0)) return null
        if (facts !== null) return ofModel(stack, reply, facts)
        return reply === null ? null : ofRules(stack, reply)
      })

      const review = Effect.fn("StackReviewers.review")(function* (request: StackReviewRequest) {
        const failed = new Map<string, string>()
        // What looks at the whole repository waits for git most, and the others work meanwhile.
        const reports = yield* onFailure.together(
          request.stacks,
          (stack) => reviewOne(request, stack, failed),
          ({ name }) => name === structureStack
        )
        return { reports: reports.filter((report) => report !== null), failures: failuresOf(request.stacks, failed) }
      })

      return StackReviewers.of({ review })
    })
  )
}

/** What went wrong by stack name, in the order of the stacks, not in that of the failing. */
export const failuresOf = (
  stacks: ReadonlyArray<Stack>,
  failed: ReadonlyMap<string, string>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stacks.flatMap(({ name }) => {
      const reason = failed.get(name)
      return reason === undefined ? [] : [[name, reason]]
    })
  )

const ofRules = (stack: Stack, reply: Reply<"StackReview">): StackReport => ({
  stack,
  review: reply.review,
  records: reply.issues ?? null,
  proven: [],
  coverage: reply.coverage ?? stack.files.map((path) => ({ path, status: "reviewed", reason: "" })),
  rules: reply.rules ?? [],
  omitted: reply.omitted ?? []
})

/** Where a model did not answer, the files are nobody's: rules alone are not the review that was asked for. */
const ofModel = (stack: Stack, reply: Reply<"StackReview"> | null, facts: StackFacts): StackReport => ({
  stack,
  review: reply?.review ?? "",
  records: reply === null ? [] : (reply.issues ?? null),
  proven: facts.records,
  coverage: reply === null ? [] : coverageOf(stack, reply, facts),
  // Only rules that ran speak as rules, whatever a model says of them.
  rules: facts.rulesApplied,
  omitted: [...facts.omitted, ...(reply?.omitted ?? [])]
})

/**
 * A model that keeps no ledger has read what can be read. One that keeps it has not read what it does not name; what
 * nobody should read is skipped, whatever it says.
 */
const coverageOf = (
  { files }: Stack,
  { coverage }: Reply<"StackReview">,
  facts: StackFacts
): ReadonlyArray<FileCoverage> => {
  if (coverage === undefined) return facts.coverage
  const said = new Set(coverage.map(({ path }) => path))
  const unsaid = files.filter((path) => !said.has(path))
  return [
    ...coverage,
    ...facts.coverage.filter(({ status }) => status === "skipped"),
    ...unsaid.map(
      (path): FileCoverage => ({ path, status: "unread", reason: "its reviewer does not say that it read it" })
    )
  ]
}
