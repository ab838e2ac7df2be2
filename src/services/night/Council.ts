/**
 * Asks coding CLIs or models for a second opinion on a night, all at once. They get no tools and see only the report. Each has a
 * limit of time, and all together one of cost. What fails costs only its own opinion.
 */
import { Context, Effect, Option, Result, Schema, Stream } from "effect"
import {
  type ConsensusPolicy,
  type CouncilReport,
  type CouncilSummary,
  councilOf,
  readReport
} from "../../domain/night/report/council.ts"
import { salvage } from "../../domain/text/json/modelJson.ts"
import { councilPrompt } from "../../prompts/councilPrompt.ts"
import { CallAnswer, stopOf } from "../agent/agentReply.ts"
import { fenceNonce } from "../agent/fenceNonce.ts"
import type { Respondent } from "../agent/Respondent.ts"
import { Redactor } from "../secret/Redactor.ts"
import { NightFiles } from "./NightFiles.ts"

/** The runner cannot be asked. */
export class RunnerNotReady extends Schema.TaggedError<RunnerNotReady>()("RunnerNotReady", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

class ReportUnusable extends Schema.TaggedError<ReportUnusable>()("ReportUnusable", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The respondents of the runners that the user named. Without a layer, no runner can be asked. */
export const Runners = Context.Reference<(runner: string) => Effect.Effect<Respondent["Service"], RunnerNotReady>>(
  "dd/services/night/Runners",
  { defaultValue: () => () => Effect.fail(new RunnerNotReady({ reason: "no such runner is set up" })) }
)

export interface Council {
  readonly summary: CouncilSummary
  /** Runners that took too long. */
  readonly timedOut: number
  /** Why runners have no opinion. */
  readonly failures: ReadonlyArray<string>
}

/** Writes `council/packet.json`, the reports, and `council/synthesis.json`. */
export const council = Effect.fn("Council.council")(function* (
  runners: ReadonlyArray<string>,
  packet: unknown,
  policy: ConsensusPolicy,
  seconds: number
) {
  const files = yield* NightFiles
  const document = (name: string, value: unknown) => files.document(`council/${name}.json`, value)
  yield* document("packet", packet)
  const all = yield* opinions(runners, packet, seconds)
  const reports = all.flatMap(({ report }) => (Result.isSuccess(report) ? [report.success] : []))
  for (const report of reports) yield* document(report.runner, report)
  const failed = all.flatMap(({ runner, report }) =>
    Result.isFailure(report) ? [{ runner, reason: report.failure }] : []
  )
  const summary = councilOf({ requested: runners, reports, failed: failed.map(({ runner }) => runner), policy })
  yield* document("synthesis", summary)
  const held: Council = {
    summary,
    timedOut: all.filter(({ timedOut }) => timedOut).length,
    failures: failed.map(({ reason }) => reason)
  }
  return held
})

interface Opinion {
  readonly runner: string
  readonly report: Result.Result<CouncilReport, string>
  readonly timedOut: boolean
}

/** In characters. */
const longestAnswer = 20_000

/** `seconds`: for each runner. */
const opinions = Effect.fn("Council.opinions")(function* (
  runners: ReadonlyArray<string>,
  packet: unknown,
  seconds: number
) {
  const respondentOf = yield* Runners
  const redactor = yield* Redactor
  const nonce = yield* fenceNonce
  const shown = redactor.value(packet)

  const ask = Effect.fnUntraced(function* (runner: string) {
    const respondent = yield* respondentOf(runner)
    const call = new CallAnswer(respondent.name)
    yield* Stream.runForEach(respondent.execute(councilPrompt(runner, shown, nonce)), (event) =>
      Effect.suspend(() => {
        call.take(event)
        return call.text.length > longestAnswer
          ? Effect.fail(new ReportUnusable({ reason: "the answer is too long" }))
          : Effect.void
      })
    )
    if (stopOf(call.stopReason) !== null) return yield* new ReportUnusable({ reason: "the answer is cut off" })
    const found = salvage(call.text)
    if (found._tag !== "Found") return yield* new ReportUnusable({ reason: "the answer has no report" })
    const report = readReport(runner, redactor.value(found.value))
    return yield* Result.isSuccess(report)
      ? Effect.succeed(report.success)
      : Effect.fail(new ReportUnusable({ reason: report.failure }))
  })

  return yield* Effect.forEach(
    runners,
    (runner) =>
      Effect.map(Effect.timeoutOption(Effect.result(ask(runner)), seconds * 1_000), (answered): Opinion => {
        const timedOut = Option.isNone(answered)
        const report = Option.match(answered, {
          onNone: () => Result.fail(`${runner} council timed out after ${seconds}s`),
          onSome: Result.mapError((error) => `${runner} council run failed: ${error.message}`)
        })
        return { runner, report, timedOut }
      }),
    { concurrency: "unbounded" }
  )
})
