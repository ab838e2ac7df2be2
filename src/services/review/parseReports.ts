/**
 * Turns each reviewer's report into records: structured records are kept, prose is parsed by an agent.
 *
 * A report that cannot be parsed fails only its own stack, with the reason.
 */
import { Effect, Schema } from "effect"
import { reportedCoverage } from "../../domain/agent/modelCoverage.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import { KnownPaths } from "../../domain/finding/KnownPaths.ts"
import type { StackReport } from "../../domain/finding/StackReport.ts"
import { Agent } from "../agent/Agent.ts"
import { FailPolicy, failsOpen } from "../run/FailPolicy.ts"
import { failuresOf } from "./reviewStacks.ts"

/** A text without a review must not count as a review without findings. */
export class ReviewNotGiven extends Schema.TaggedError<ReviewNotGiven>()("ReviewNotGiven", {
  stack: Schema.String
}) {
  override get message() {
    return `the reviewer of ${this.stack} answered without a review`
  }
}

const parseOne = Effect.fnUntraced(function* (report: StackReport) {
  const agent = yield* Agent
  const { proven, review, stack } = report
  const claim = claimOf(new KnownPaths(stack.files))
  if (report.records !== null) return { stack, records: joined(report.records.map(claim), proven), report }
  const reply = yield* agent.invoke(
    { _tag: "ParseReview", stack, review },
    { phase: "per-stack-parse", fork: `parse-${stack.name}` },
    { issues: [], notAReview: true }
  )
  if (reply.notAReview === true && reply.issues.length === 0) {
    return yield* new ReviewNotGiven({ stack: stack.name })
  }
  return {
    stack,
    records: joined(reply.issues.map(claim), proven),
    report: accounted(report, reply.coverage ?? [])
  }
})

/**
 * Records are in the order of the reports; only those that could be parsed are returned. For a review in prose, only the files that it
 * names count as reviewed.
 */
export const parseReports = Effect.fn("StackParser.parse")(function* (reports: ReadonlyArray<StackReport>) {
  const onFailure = yield* FailPolicy
  const failed = new Map<string, string>()
  const parsed = yield* onFailure.together(reports, (report) =>
    parseOne(report).pipe(
      Effect.tapError((error) => Effect.sync(() => failed.set(report.stack.name, `${error._tag}: ${error.message}`))),
      // The parse failed, but proven records do not need it.
      failsOpen("per-stack-parse", report.proven.length === 0 ? null : ofProven(report))
    )
  )
  const stacks = reports.map(({ stack }) => stack)
  const known = parsed.filter((each) => each !== null)
  return {
    records: known.map(({ records, stack }) => ({ stack, records })),
    reports: known.flatMap(({ report }) => report ?? []),
    failures: failuresOf(stacks, failed)
  }
})

/** A model may name any rule; the claim belongs to a rule only if that rule ran. Its columns are those of its quote. */
const claimOf =
  (paths: KnownPaths) =>
  ({
    column: _,
    endColumn: _end,
    label: _label,
    related: _related,
    rule: _rule,
    ...record
  }: ReviewRecord): ReviewRecord =>
    ReviewRecord.make({ ...record, file: paths.named(record.file) ?? record.file })

/** The claims of a model, then the proven ones, numbered consecutively. */
const joined = (
  claimed: ReadonlyArray<ReviewRecord>,
  proven: ReadonlyArray<ReviewRecord>
): ReadonlyArray<ReviewRecord> => {
  const last = Math.max(0, ...claimed.map(({ id }) => id))
  const known = new Set(proven.map(words))
  // If rules replaced the model, their claims are already included.
  const others = claimed.filter((record) => !known.has(words(record)))
  return [...others, ...proven.map((record, at) => ReviewRecord.make({ ...record, id: last + at + 1 }))]
}

const ofProven = ({ proven, stack }: StackReport) => ({ stack, records: joined([], proven), report: null })

const accounted = (report: StackReport, named: ReadonlyArray<FileCoverage>): StackReport => {
  const inProse = new Set(report.inProse)
  const paths = new KnownPaths(report.inProse)
  const reported = new Map(named.map((entry) => [paths.named(entry.path) ?? entry.path, entry]))
  const coverage = report.coverage.map((each) =>
    each.status === "reviewed" && inProse.has(each.path) ? reportedCoverage(each.path, reported) : each
  )
  return { ...report, coverage }
}

const words = ({ description, file, line }: ReviewRecord): string => JSON.stringify([file, line, description])
