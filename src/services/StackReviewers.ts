/**
 * One reviewer a stack, all at once within the backend's fan-out.
 *
 * A stack whose reviewer fails is named with the reason and does not stop the others.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../domain/Change.ts"
import type { FileCoverage } from "../domain/Coverage.ts"
import type { Exploration } from "../domain/Exploration.ts"
import type { Stack } from "../domain/Stack.ts"
import type { Alternative, Reply, StackReport } from "../domain/Task.ts"
import { Agent } from "./Agent.ts"
import { FailPolicy } from "./FailPolicy.ts"

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

      const reviewOne = Effect.fnUntraced(function* ({ stacks: _, ...shared }: StackReviewRequest, stack: Stack) {
        const reply = yield* agent.invoke(
          { _tag: "StackReview", ...shared, stack },
          { phase: "per-stack-reviews", fork: `deep-${stack.name}` }
        )
        return reportOf(stack, reply, agent.source)
      })

      const review = Effect.fn("StackReviewers.review")(function* (request: StackReviewRequest) {
        const failed = new Map<string, string>()
        const reports = yield* onFailure.together(request.stacks, (stack) =>
          reviewOne(request, stack).pipe(
            Effect.tapError((error) => Effect.sync(() => failed.set(stack.name, `${error._tag}: ${error.message}`))),
            onFailure.open("per-stack-reviews", null)
          )
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

/** Only where rules are run is a word on rules taken. */
const reportOf = (stack: Stack, reply: Reply<"StackReview">, source: "static" | "model"): StackReport => ({
  stack,
  review: reply.review,
  records: reply.issues ?? null,
  coverage: coverageOf(stack, reply, source),
  rules: source === "static" ? (reply.rules ?? []) : [],
  omitted: reply.omitted ?? []
})

/**
 * A model that keeps no ledger has read what it was given; one that keeps it has not read what it does not name. The
 * static reviewer says more exactly.
 */
const coverageOf = (
  { files }: Stack,
  { coverage }: Reply<"StackReview">,
  source: "static" | "model"
): ReadonlyArray<FileCoverage> => {
  if (coverage === undefined) return files.map((path) => ({ path, status: "reviewed", reason: "" }))
  if (source === "static") return coverage
  const said = new Set(coverage.map(({ path }) => path))
  const unsaid = files.filter((path) => !said.has(path))
  return [
    ...coverage,
    ...unsaid.map(
      (path): FileCoverage => ({ path, status: "unread", reason: "its reviewer does not say that it read it" })
    )
  ]
}
