/** `dd review`: plans the run, runs the flow and builds the result. */
import { Clock, DateTime, Effect } from "effect"
import { followUpCount, readers } from "../domain/agent/plannedAgents.ts"
import type { Cost, CostLimit } from "../domain/agent/RunCost.ts"
import { expectedParts } from "../domain/brief/expectedParts.ts"
import { type Change, headCommit, sideText } from "../domain/change/Change.ts"
import { type FileCoverage, isWithoutRules, ledger } from "../domain/change/Coverage.ts"
import type { Degraded } from "../domain/change/Degraded.ts"
import { withoutKnown } from "../domain/change/Degraded.ts"
import type { FixWish } from "../domain/fix/FixReport.ts"
import type { ProofWish } from "../domain/prove/Proof.ts"
import { proofNote } from "../domain/prove/proofWords.ts"
import type { Feedback } from "../domain/review/Feedback.ts"
import { endWords, goesOn, type Loop, passOf } from "../domain/review/Loop.ts"
import { notCheckedStart, type ReviewResult } from "../domain/review/ReviewResult.ts"
import { begin, isFresh, type RunState } from "../domain/review/RunState.ts"
import type { ExtensionStop } from "../domain/run/Extension.ts"
import { changeFacts, type Facts, recordFacts, stackFacts } from "../domain/run/Facts.ts"
import { type Flow, stepNames } from "../domain/run/Flow.ts"
import type { ReviewPlan, StartAt } from "../domain/run/ReviewPlan.ts"
import { RunEvent } from "../domain/run/RunEvent.ts"
import type { Step, Unavailable } from "../domain/run/Step.ts"
import { plural } from "../domain/text/plural.ts"
import { Agent } from "../services/agent/Agent.ts"
import { Backend } from "../services/agent/Backend.ts"
import { Budget } from "../services/agent/Budget.ts"
import { CostEstimate } from "../services/agent/CostEstimate.ts"
import { ResumedRun, resumedNote } from "../services/agent/ResumedRun.ts"
import { Sources } from "../services/change/Sources.ts"
import { RuleSet } from "../services/finding/RuleSet.ts"
import { skippedWithoutModel, skipReason } from "../services/finding/skipReasons.ts"
import { Archive } from "../services/record/Archive.ts"
import { Artifacts } from "../services/review/Artifacts.ts"
import { type Conclusion, conclude } from "../services/review/conclude.ts"
import { FindingsOut } from "../services/review/FindingsOut.ts"
import { planReview } from "../services/review/planReview.ts"
import { ReviewFiles } from "../services/review/ReviewFiles.ts"
import { type ExtensionStepFailed, Extensions, extendAll, type RunView, runnable } from "../services/run/Extensions.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { FlowEngine, unavailable } from "../services/run/FlowEngine.ts"
import { PromptOverrides } from "../services/run/PromptOverrides.ts"
import { Recorder } from "../services/run/Recorder.ts"
import { getFlow, type Registry } from "../services/run/Registry.ts"
import { monotonicMillis } from "../services/system/monotonicMillis.ts"
import { seedRegistry, withProof } from "./flows.ts"
import { failUnparsed, mergeLate, reviewSteps, type StepFailed } from "./steps.ts"

export interface ReviewRequest {
  readonly sessionId: string
  readonly flow: string
  readonly change: Change
  /** Files that the settings exclude, each with its reason. */
  readonly ignored: ReadonlyArray<FileCoverage>
  readonly startAt: StartAt
  readonly findingsOut: string | null
  /** Fingerprints of findings that are not new. */
  readonly known: ReadonlySet<string>
  readonly tinyThreshold: number
  readonly wantsBrief: boolean
  /** What is done with the findings; null: they are only reported. */
  readonly fixing: FixWish | null
  /** What is to be run of the project; null: nothing. */
  readonly proving: ProofWish | null
  /** The pass of `--loop`; null: a single review. */
  readonly loop: Loop | null
  /** The comments to work on; null: a review. */
  readonly feedback: Feedback | null
  /** Sentences about the reviewers, from their names, and whether one of them has answered. */
  readonly reviewedBy: (reviewers: ReadonlyArray<string>, hasAnswered: boolean) => ReadonlyArray<string>
  /** Sentences for the reader that were known before the review began. */
  readonly notes: ReadonlyArray<string>
  /** What was unavailable before the review began. */
  readonly missing: ReadonlyArray<Degraded>
}

export interface Reviewed {
  readonly result: ReviewResult
  /** The code of the step that stopped the flow; 0 if it ran to the end. */
  readonly stopCode: number
  /** Does another pass of the loop follow? */
  readonly goesOn: boolean
}

type StepError = StepFailed | ExtensionStepFailed

/** The registry of this run: dd's own steps and flows, with the changes of the user's extensions. */
const prepare = Effect.gen(function* () {
  const extensions = yield* Extensions
  const seeded: Registry<Step<RunState, StepError> | Unavailable> = seedRegistry(yield* reviewSteps)
  return yield* Effect.fromResult(extendAll(seeded, yield* extensions.files, runnable(viewOf)))
})

/** The requested flow; fails if this build has none of its steps. */
const flowOf = Effect.fnUntraced(function* (
  { flow: name, proving }: Pick<ReviewRequest, "flow" | "proving">,
  registry: Registry<Step<RunState, StepError> | Unavailable>
) {
  const known = yield* Effect.fromResult(getFlow(registry, name))
  const flow = proving === null ? known : withProof(known)
  const refused = unavailable(flow, registry.steps)
  return refused === null ? flow : yield* refused
})

const planOf = Effect.fnUntraced(function* (
  request: ReviewRequest,
  registry: Registry<Step<RunState, StepError> | Unavailable>,
  flow: Flow
) {
  const { phases } = yield* Backend
  return yield* planReview(request.change, {
    stackRules: registry.stackRules,
    tinyThreshold: request.tinyThreshold,
    oneReviewer: request.flow === "shallow",
    readsByModel: phases?.has("per-stack-reviews") ?? true,
    steps: stepNames(flow),
    startAt: request.startAt
  })
})

/** The plan of a review: no agent runs and nothing is written. */
export const preview = Effect.fn("preview")(function* (request: ReviewRequest) {
  const registry = yield* prepare
  const plan = yield* planOf(request, registry, yield* flowOf(request, registry))
  const { name, phases } = yield* Backend
  const callsModel = phases?.has("per-stack-reviews") ?? true
  const { rules } = yield* RuleSet
  const unreviewed = request.change.diff.files.flatMap((file): ReadonlyArray<FileCoverage> => {
    const reason = skipReason(file)
    if (reason !== null) return [{ path: file.path, status: "skipped", reason }]
    if (file.unread !== undefined && file.hunks.length === 0) {
      return [{ path: file.path, status: "unread", reason: file.unread }]
    }
    const withoutRules = callsModel ? null : skippedWithoutModel(file.path, rules)
    return withoutRules === null ? [] : [withoutRules]
  })
  const left = new Set(unreviewed.map((file) => file.path))
  const hunks = new Map(request.change.diff.files.map((file) => [file.path, file.hunks.length]))
  const stacks = readers(plan.stacks).map(({ name, files, shard }) => ({
    name,
    files: files.filter((path) => !left.has(path)),
    isShard: shard !== undefined,
    parts: (shard?.parts ?? []).flatMap(({ hunks: own, path }) => {
      const of = hunks.get(path) ?? own.length
      return own.length < of ? [{ path, hunks: own.length, of }] : []
    })
  }))
  return {
    ...plan,
    stacks: stacks.filter((stack) => stack.files.length > 0),
    skipped: [...request.ignored, ...unreviewed],
    backend: name,
    callsModel,
    // The static reviewer reads all of its files at once.
    followUpsAtMost: callsModel ? followUpCount(plan.phases, plan.stacks) : 0,
    agentsForClaims: callsModel ? plan.agentsForClaims : 0,
    cost: yield* (yield* CostEstimate)(request.change, plan),
    /** A model would be asked to fix, which the plan and its cost do not include. */
    leavesOutFixes: request.fixing !== null && (phases?.has("fix") ?? true),
    brief: request.wantsBrief ? expectedParts(request.change) : []
  }
})

export const review = Effect.fn("review")(function* (request: ReviewRequest) {
  const recorder = yield* Recorder
  const engine = yield* FlowEngine
  const backend = yield* Backend
  const agent = yield* Agent
  const findingsOut = yield* FindingsOut
  const { change, flow: flowName } = request

  const startedAt = yield* Clock.currentTimeMillis
  const began = yield* monotonicMillis
  const registry = yield* prepare
  const flow = yield* flowOf(request, registry)
  const plan = yield* planOf(request, registry, flow)
  const commit = headCommit(change)
  const resumed = yield* ResumedRun
  yield* recorder.record(
    RunEvent.make({
      _tag: "RunStarted",
      sessionId: request.sessionId,
      flow: flowName,
      backend: backend.name,
      model: backend.model,
      description: change.description,
      files: change.diff.files.length,
      agentsPlanned: plan.agentsPlanned,
      source: agent.hasModel("per-stack-reviews") ? "model" : "static",
      base: sideText(change.base),
      head: sideText(change.head),
      ...(commit.sha === null ? {} : { headSha: commit.sha }),
      dirty: commit.dirty,
      ...(request.loop === null ? {} : { pass: request.loop.pass }),
      ...(resumed === null ? {} : { resumes: resumed.session })
    })
  )

  // Before anything is written or requested, so that a backend that refuses is reported once, not by every step.
  if (change.diff.files.length > 0 && backend.check !== undefined) yield* backend.check
  const opened = yield* opening(request, plan)
  const state =
    request.proving === null || stepNames(flow).includes("prove")
      ? opened
      : {
          ...opened,
          omitted: [...opened.omitted, `what its tests notice: the flow ${flowName} has no place for --run`]
        }
  const { prompts, stackRules } = registry
  yield* (yield* PromptOverrides).adopt({ prompts, stackRules, facts: viewOf.facts(state, "") })
  // If there is nothing to review, that is the result, and the description has the reason.
  const ran =
    change.diff.files.length === 0
      ? { state, code: 0 }
      : yield* engine
          .run({
            flow,
            steps: registry.steps,
            state,
            pass: request.loop?.pass ?? 1,
            atIteration: (at, iteration) => ({ ...at, iteration })
          })
          .pipe(Effect.raceFirst(agent.refused))
  const { state: complete } = yield* mergeLate(yield* failUnparsed(ran.state))
  const concluded = yield* conclude(complete)
  const onFailure = yield* FailPolicy
  // A resumed review already has those of the review that it continues.
  const unread = withoutKnown(yield* (yield* Sources).failures, yield* onFailure.degraded)
  yield* Effect.forEach(unread, onFailure.degrade, { discard: true })
  // A flow without the step, and an empty change, also write the file.
  if (complete.findingsOut !== null) {
    yield* findingsOut.write(complete.findingsOut, change, { ...concluded, coverage: complete.coverage })
  }
  const alone = yield* resultOf(request, complete, concluded, { startedAt, began })
  const next = request.loop !== null && goesOn(request.loop, ran.code, alone.fix)
  const result = withPasses(alone, request.loop, next)
  yield* (yield* Archive).conclude(result)
  yield* recorder.record(RunEvent.make({ _tag: "RunEnded", status: result.status, findings: result.findings.length }))
  return { result, stopCode: ran.code, goesOn: next } satisfies Reviewed
})

/** A fresh state, or one with the results of an earlier review of the same change. */
const opening = Effect.fnUntraced(function* (request: ReviewRequest, plan: ReviewPlan) {
  const files = yield* ReviewFiles
  const artifacts = yield* Artifacts
  const onFailure = yield* FailPolicy
  if (artifacts.refused && artifacts.notice !== null) {
    yield* onFailure.degrade({ step: "artifacts", error: "ArtifactsRefused", detail: artifacts.notice })
  }
  if (!artifacts.refused && artifacts.notice !== null) yield* Effect.logWarning(artifacts.notice)
  yield* Effect.forEach(request.missing, onFailure.degrade, { discard: true })
  const fresh = begin({ ...request, plan })
  if (!isFresh(fresh)) return { ...fresh, ...(yield* files.resume(request.change, request.startAt, plan.stacks)) }
  yield* files.begin(request.change)
  return fresh
})

const resultOf = Effect.fnUntraced(function* (
  request: ReviewRequest,
  state: RunState,
  concluded: Conclusion,
  { began, startedAt }: { readonly startedAt: number; readonly began: number }
) {
  const backend = yield* Backend
  const agent = yield* Agent
  const onFailure = yield* FailPolicy
  const recorder = yield* Recorder
  const archive = yield* Archive
  const resumed = yield* ResumedRun
  const { change, plan } = state
  // Comments are read, and no files are reviewed.
  const files = state.feedback === null ? [...change.diff.files, ...request.ignored] : []
  const coverage = ledger(
    files.map((file) => file.path),
    [...state.coverage, ...request.ignored]
  )
  yield* agent.countUnused
  const cost = yield* agent.spent
  const budget = yield* Budget
  const isReached = yield* budget.stopped
  yield* onFailure.warn
  const degraded = [...(yield* onFailure.degraded), ...(yield* recorder.missing), ...(yield* archive.missing)]
  const result: ReviewResult = {
    run: {
      sessionId: request.sessionId,
      flow: request.flow,
      backend: backend.name,
      reviewedBy: state.reviewers,
      base: sideText(change.base),
      head: sideText(change.head),
      startedAt: DateTime.formatIso(DateTime.makeUnsafe(startedAt)),
      durationMs: Math.round((yield* monotonicMillis) - began),
      description: change.description
    },
    // After a stop by the budget or an extension, a missing finding does not mean clean code.
    status:
      state.stopped || (state.endedBy?.code ?? 0) >= 3 || isReached
        ? "inconclusive"
        : statusOf(
            state,
            coverage.files.some((file) => file.status === "unread") ||
              (coverage.filesReviewed === 0 && coverage.files.some(isWithoutRules)) ||
              degraded.some(({ unchecked }) => unchecked !== undefined)
          ),
    findings: concluded.findings,
    fix: state.fix,
    passes: [],
    feedback: state.feedback,
    dropped: [...state.dropped, ...state.refused, ...concluded.contradicted],
    suppressed: concluded.suppressed,
    degraded,
    coverage,
    brief: state.brief,
    stacks: plan.stacks.map((stack) => stack.name),
    agentsPlanned: plan.agentsPlanned,
    cost,
    limit: limitOf(budget.limit, cost, { isReached, hasHurried: yield* budget.hurried }),
    notes: [
      ...request.reviewedBy(state.reviewers, agent.hasModel("per-stack-reviews") && !hasFailed(state)),
      ...(isFresh(state) ? [] : [startNote(state.startAt)]),
      ...(resumed === null ? [] : [resumedNote(resumed, { backend: backend.name, model: backend.model })]),
      ...(state.endedBy === null ? [] : [endNote(state.endedBy)]),
      ...proofNote(state.proof),
      ...request.notes,
      ...costNote(cost),
      ...concluded.notes,
      ...omissions(state.omitted)
    ],
    rulesApplied: state.rules.size
  }
  return result
})

/** The default does not apply to what has no known price. */
const limitOf = (
  limit: CostLimit | null,
  { source, usd }: Cost,
  effects: { readonly isReached: boolean; readonly hasHurried: boolean }
): ReviewResult["limit"] => {
  const isUnused = (source === "none" && !effects.isReached) || (limit?.isDefault === true && usd === null)
  return limit === null || isUnused ? null : { ...limit, ...effects }
}

const withPasses = (result: ReviewResult, loop: Loop | null, next: boolean): ReviewResult => {
  if (loop === null) return result
  const pass = passOf(result)
  const end = next ? "" : endWords(pass, loop)
  return { ...result, passes: [...loop.before, pass], notes: end === "" ? result.notes : [...result.notes, end] }
}

const startNote = (startAt: StartAt): string =>
  `This continues an earlier review at ${startAt}; the steps before come from that review.`

const endNote = ({ code, reason, step }: ExtensionStop): string =>
  `The extension step "${step}" ended the review${code === 0 ? "" : ` with exit code ${code}`}${reason === "" ? "" : `: ${reason}`}.`

/** What the models used; empty if no model was called. */
export const costNote = ({
  cachedTokens,
  completionTokens,
  doubts,
  promptTokens,
  source,
  usd
}: Cost): ReadonlyArray<string> => {
  if (source === "none" || (usd === 0 && (promptTokens ?? 0) + (completionTokens ?? 0) === 0)) return []
  if (promptTokens === null && completionTokens === null && usd === null) return ["The model's token usage is unknown."]
  const count = (tokens: number | null) => tokens?.toLocaleString("en-US") ?? "an unknown number"
  const took = `${count(promptTokens)}${promptTokens === null ? " of" : ""} tokens`
  const cached = (cachedTokens ?? 0) === 0 ? "" : ` (${count(cachedTokens)} of them cached)`
  return [
    `The model read ${took}${cached} and wrote ${count(completionTokens)}, ${priceWords(usd)}.`,
    ...[...doubts].map(
      ([model, why]) => `The price of ${model} may be out of date: ${why}. To change it, edit prices.toml.`
    )
  ]
}

const priceWords = (usd: number | null): string => {
  if (usd === null) return "at an unknown cost"
  if (usd === 0) return "at no cost"
  return usd < 0.01 ? "for less than $0.01" : `for $${usd.toFixed(2)}`
}

/** At most this many omissions are listed. */
const mostOmissions = 5

/** Sentences about what was not checked. */
export const omissions = (omitted: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = [...new Set(omitted)]
  const more = all.length - mostOmissions
  return [
    ...all.slice(0, mostOmissions).map((each) => `${notCheckedStart}${each}`),
    ...(more > 0 ? [`${notCheckedStart}${plural(more, "more part")} of the change or of the code around it`] : [])
  ]
}

/** Inconclusive if every reviewer failed; partial if some failed or something was not checked. */
export const statusOf = (
  state: Pick<RunState, "plan" | "failures" | "startAt">,
  isIncomplete: boolean
): ReviewResult["status"] => {
  if (hasFailed(state)) return "inconclusive"
  return Object.keys(state.failures).length > 0 || isIncomplete ? "partial" : "complete"
}

/** Has every reviewer failed? */
const hasFailed = ({ failures, plan }: Pick<RunState, "failures" | "plan">): boolean => {
  const failed = Object.keys(failures).length
  return failed > 0 && failed >= readers(plan.stacks).length
}

/** The state of this run as an extension's step sees it, and how its claims are added. */
const viewOf: RunView<RunState, StepError> = {
  facts: (state, step): Facts => ({
    flow: state.flow,
    step,
    iteration: state.iteration,
    ...changeFacts(state.change),
    stacks: stackFacts(state.plan.stacks),
    intent: state.intent,
    findings: isMergedInto(state)
      ? state.items.map((item) => ({
          ...recordFacts(item.record, item.stacks.join(", ")),
          id: item.id,
          lens: item.lens
        }))
      : state.records.flatMap(({ stack, records }) => records.map((record) => recordFacts(record, stack.name)))
  }),
  add: (state, records, step) =>
    records.length === 0
      ? state
      : { ...state, records: [...state.records, { stack: { name: `ext-${step}`, files: [] }, records }] },
  stopped: (state, endedBy) => ({ ...state, endedBy }),
  failed: (failure) => failure
}

const isMergedInto = (state: RunState): boolean => state.merged > 0
