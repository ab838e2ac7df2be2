/**
 * One reviewer for each stack, concurrently within the backend's fan-out.
 *
 * A stack whose reviewer fails is named with the reason and does not stop the others. dd's own rules also run beside a
 * model, and their findings count even if the model fails. What a model has not seen or reports as not reviewed goes to
 * further agents of the same stack; the rest is then `unread` and in `degraded`.
 */
import { Effect } from "effect"
import { type ModelReading, modelCoverage, remainingOf } from "../../domain/agent/modelCoverage.ts"
import { mostFollowUps } from "../../domain/agent/plannedAgents.ts"
import type { Reply, Task } from "../../domain/agent/Task.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { allLines, changedLines, joinedLines } from "../../domain/change/SeenLines.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import type { Stack } from "../../domain/code/Stack.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { KnownPaths } from "../../domain/finding/KnownPaths.ts"
import { structureStack } from "../../domain/finding/MergedItem.ts"
import { renderStackReport } from "../../domain/finding/report.ts"
import { numbered } from "../../domain/finding/ruleRecord.ts"
import type { StackReport } from "../../domain/finding/StackReport.ts"
import { Agent, type ReviewAnswer } from "../agent/Agent.ts"
import { Budget } from "../agent/Budget.ts"
import { type StackFacts, StaticReviews } from "../agent/StaticReviews.ts"
import { FailPolicy, failsOpen } from "../run/FailPolicy.ts"

export interface StackReviewRequest {
  readonly change: Change
  readonly exploration: Exploration
  readonly intent: string
  readonly stacks: ReadonlyArray<Stack>
}

/** The findings of the rules, recorded as a call of an agent. */
const answerByRules = Effect.fnUntraced(function* (request: StackReviewRequest, stack: Stack) {
  const agent = yield* Agent
  const found = (yield* StaticReviews).review(request.change, stack)
  return yield* agent.withoutModel(taskOf(request, stack), scopeOf(stack), found, (facts) => ({
    review: renderStackReport(stack.name, facts.records),
    issues: facts.records,
    coverage: facts.coverage,
    rules: facts.rulesApplied,
    omitted: facts.omitted
  }))
})

/**
 * Runs further agents until nothing remains, one of them sees nothing new, or the budget or their number is used
 * up.
 */
const followUp = Effect.fnUntraced(function* (request: StackReviewRequest, asked: StackReview, first: ModelReport) {
  const agent = yield* Agent
  const onFailure = yield* FailPolicy
  const budget = yield* Budget
  let [report, task] = [first, asked]
  for (let agents = 0; agents < mostFollowUps && report.remaining.length > 0; agents++) {
    if (yield* budget.stopped) break
    const { stack } = report
    task = { ...taskOf(request, stack), remaining: report.remaining, after: task }
    const answer = yield* agent.review(task, scopeOf(stack)).pipe(
      Effect.catchTag("NoModel", () =>
        Effect.map(answerByRules(request, stack), ({ coverage }): ReviewAnswer => {
          const reply = { review: "", issues: [], coverage }
          return { reply, seen: allLines(report.files), by: "static" }
        })
      ),
      failsOpen("per-stack-reviews", null)
    )
    if (answer === null) break
    const next = withAnswer(report, answer)
    const isStuck = changedLines(next.remaining) >= changedLines(report.remaining)
    report = next
    if (isStuck) break
  }
  if (report.remaining.length > 0) {
    const files = `${report.remaining.length} ${report.remaining.length === 1 ? "file" : "files"}`
    const detail = `the model did not see or did not review all of ${files} of the ${report.stack.name} stack`
    yield* onFailure.degrade({ step: "per-stack-reviews", error: "NotAllReviewed", detail })
  }
  return report
})

const reviewOne = Effect.fnUntraced(function* (request: StackReviewRequest, stack: Stack, failed: Failures) {
  const agent = yield* Agent
  const staticReviews = yield* StaticReviews
  if (stack.rulesOnly !== true && !agent.hasModel("per-stack-reviews")) {
    return byRules(stack, yield* answerByRules(request, stack))
  }
  const facts = inShard(stack, yield* staticReviews.review(request.change, stack))
  const proven = ofRules(stack, facts)
  if (stack.rulesOnly === true) return proven
  const task = taskOf(request, stack)
  return yield* agent.review(task, scopeOf(stack)).pipe(
    Effect.flatMap((answer) => {
      const first = ofModel(request.change, stack, facts, answer)
      // The other stacks cover every file; `structure` reviews what spans several.
      return stack.name === structureStack ? Effect.succeed<StackReport>(first) : followUp(request, task, first)
    }),
    Effect.catchTag("NoModel", () => Effect.map(answerByRules(request, stack), (found) => byRules(stack, found))),
    Effect.tapError((error) => noteFailure(failed, stack, error)),
    failsOpen("per-stack-reviews", proven)
  )
})

/** Reports and failures are in the order of the stacks; a failure is the reason by the name of its stack. */
export const reviewStacks = Effect.fn("StackReviewers.review")(function* (request: StackReviewRequest) {
  const onFailure = yield* FailPolicy
  const failed: Failures = new Map()
  // The check of the whole repository waits for git most of the time; the others run meanwhile.
  const reports = yield* onFailure.together(
    request.stacks,
    (stack) =>
      reviewOne(request, stack, failed).pipe(
        Effect.tapError((error) => noteFailure(failed, stack, error)),
        failsOpen("per-stack-reviews", null)
      ),
    ({ name }) => name === structureStack
  )
  return { reports: reports.filter((report) => report !== null), failures: failuresOf(request.stacks, failed) }
})

/** The failure of each stack, in the order of the stacks, not of the failures. */
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

type Failures = Map<string, string>

const noteFailure = (failed: Failures, { name }: Stack, error: { readonly _tag: string; readonly message: string }) =>
  Effect.sync(() => failed.set(name, `${error._tag}: ${error.message}`))

type StackReview = Extract<Task, { readonly _tag: "StackReview" }>

const taskOf = ({ stacks: _, ...shared }: StackReviewRequest, stack: Stack): StackReview => ({
  _tag: "StackReview",
  ...shared,
  stack
})

const scopeOf = ({ name }: Stack) => ({ phase: "per-stack-reviews", fork: `deep-${name}` })

/** The report of a model on a stack, to which further agents add. */
interface ModelReport extends StackReport {
  readonly files: ReadonlyArray<DiffFile>
  readonly facts: StackFacts
  readonly reading: ModelReading
  /** The files for a further agent. */
  readonly remaining: ReadonlyArray<DiffFile>
}

/** The findings on its own hunks: another shard has the rest of a file that is divided. */
const inShard = ({ shard }: Stack, facts: StackFacts): StackFacts => {
  if (shard === undefined) return facts
  const hunks = new Map(shard.parts.map((file) => [file.path, file.hunks]))
  const isInside = ({ file, line }: ReviewRecord) =>
    hunks.get(file)?.some(({ newCount, newStart }) => newStart <= line && line < newStart + Math.max(1, newCount)) ??
    true
  return { ...facts, records: facts.records.filter(isInside) }
}

/** The findings of the rules in a stack that a model also reviews: they alone do not count as its review. */
const ofRules = (stack: Stack, facts: StackFacts): StackReport => ({
  stack,
  by: [],
  review: renderStackReport(stack.name, facts.records),
  records: [],
  proven: facts.records,
  coverage: [],
  inProse: [],
  // A claim counts as a rule's only if the rule ran, whatever the model states.
  rules: facts.rulesApplied,
  omitted: facts.omitted
})

/** The report of a stack that only the rules review, also in a replay of such a run. */
const byRules = (stack: Stack, facts: StackFacts): StackReport => ({
  ...ofRules(stack, facts),
  by: ["static"],
  coverage: facts.coverage
})

const ofModel = ({ diff }: Change, stack: Stack, facts: StackFacts, { by, reply, seen }: ReviewAnswer): ModelReport => {
  const given = new Set(stack.files)
  const reported = new Map(accountOf(reply, stack.files).map((entry) => [entry.path, entry]))
  return covering({
    ...ofRules(stack, facts),
    by: [by],
    inProse: proseOn(reply, stack.files),
    review: reply.review,
    records: reply.issues ?? null,
    omitted: [...facts.omitted, ...(reply.omitted ?? [])],
    files: stack.shard?.parts ?? diff.files.filter(({ path }) => given.has(path)),
    facts,
    reading: { seen, reported }
  })
}

const covering = (report: Omit<ModelReport, "coverage" | "remaining">): ModelReport => {
  const { facts, files, reading } = report
  const coverage = modelCoverage(files, reading, facts.coverage)
  return { ...report, coverage, remaining: remainingOf(files, reading.seen, coverage) }
}

/** Adds the answer of a further agent. Its account of its files replaces the earlier one. */
const withAnswer = (report: ModelReport, { by, reply, seen }: ReviewAnswer): ModelReport => {
  const paths = report.remaining.map(({ path }) => path)
  const reported = new Map(report.reading.reported)
  for (const path of paths) reported.delete(path)
  for (const entry of accountOf(reply, paths)) if (paths.includes(entry.path)) reported.set(entry.path, entry)
  const { name } = report.stack
  // If one of the answers is prose, the records of the other are also rendered as text, for the parse agent.
  const isProse = report.records === null || reply.issues === undefined
  const inWords = (review: string, records: ReadonlyArray<ReviewRecord> | null | undefined) =>
    isProse && records ? `${review}\n\n${renderStackReport(name, records)}` : review
  return covering({
    ...report,
    by: [...new Set([...report.by, by])],
    inProse: [...report.inProse.filter((path) => !paths.includes(path)), ...proseOn(reply, paths)],
    review: `${inWords(report.review, report.records)}\n\n${inWords(reply.review, reply.issues)}`,
    records: isProse ? null : numbered([...(report.records ?? []), ...(reply.issues ?? [])]),
    omitted: [...report.omitted, ...(reply.omitted ?? [])],
    reading: { reported, seen: joinedLines([...report.reading.seen, ...seen]) }
  })
}

/** A reviewer's account of its files; without one, all of them count as reviewed. */
const accountOf = ({ coverage }: Reply<"StackReview">, paths: ReadonlyArray<string>): ReadonlyArray<FileCoverage> => {
  if (coverage === undefined) return paths.map((path) => ({ path, status: "reviewed", reason: "" }))
  const known = new KnownPaths(paths)
  return coverage.map((entry) => ({ ...entry, path: known.named(entry.path) ?? entry.path }))
}

/** All files, if the answer is only prose; otherwise none. */
const proseOn = ({ coverage, issues }: Reply<"StackReview">, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  coverage === undefined && issues === undefined ? paths : []
