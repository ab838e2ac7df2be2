/**
 * The steps of this build, by their names in the flows: each calls a service with the run state, adds what was found and
 * writes the artifacts. Decisions are in the services.
 */

import { Effect } from "effect"
import { hasAlternatives } from "../domain/agent/plannedAgents.ts"
import type { FileCoverage } from "../domain/change/Coverage.ts"
import { dedupCandidates } from "../domain/finding/DedupCandidates.ts"
import type { Dropped } from "../domain/finding/Finding.ts"
import { alone, alternativeRecords, structureStack } from "../domain/finding/MergedItem.ts"
import type { StackRecords } from "../domain/finding/StackReport.ts"
import { withVerdicts } from "../domain/finding/Verdict.ts"
import { coverageOfProof } from "../domain/prove/proofWords.ts"
import { recordOf, unnoticedRule, worthTelling } from "../domain/prove/unnoticed.ts"
import { coverageOf } from "../domain/review/coverageOf.ts"
import { isFresh, type RunState } from "../domain/review/RunState.ts"
import { inOrder, inParts, type PartedBody, proceed, type StepBody, stop } from "../domain/run/Step.ts"
import { plural } from "../domain/text/plural.ts"
import { Agent } from "../services/agent/Agent.ts"
import { Briefs } from "../services/brief/Briefs.ts"
import { RuleSet } from "../services/finding/RuleSet.ts"
import { ClaimVerifier } from "../services/fix/ClaimVerifier.ts"
import { Prover } from "../services/prove/Prover.ts"
import { arbitrate, needSecondOpinion } from "../services/review/arbitrate.ts"
import { checkEvidence } from "../services/review/checkEvidence.ts"
import { conclude } from "../services/review/conclude.ts"
import { explore } from "../services/review/explore.ts"
import { type FindingsNotWritten, FindingsOut } from "../services/review/FindingsOut.ts"
import { putVerdicts } from "../services/review/fixFiles.ts"
import { mergeClaims } from "../services/review/mergeClaims.ts"
import { parseReports } from "../services/review/parseReports.ts"
import { ReviewFiles } from "../services/review/ReviewFiles.ts"
import { readIntent } from "../services/review/readIntent.ts"
import { reviewStacks } from "../services/review/reviewStacks.ts"
import { suggestAlternatives } from "../services/review/suggestAlternatives.ts"
import type { IgnoreFileInvalid } from "../services/review/suppress.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { sideBySide } from "../services/run/sideBySide.ts"
import { withServices } from "../services/system/withServices.ts"
import { type FeedbackFailed, feedbackSteps } from "./feedbackSteps.ts"
import { fixSteps } from "./fixSteps.ts"
import type { AvailableStep } from "./flows.ts"

export type StepFailed = FindingsNotWritten | IgnoreFileInvalid | FeedbackFailed
export type ReviewStep = StepBody<RunState, StepFailed, never>
type PartedStep = PartedBody<RunState, StepFailed, never>

export const reviewSteps = Effect.gen(function* () {
  const agent = yield* Agent
  const claimVerifier = yield* ClaimVerifier
  const briefs = yield* Briefs
  const prover = yield* Prover
  const { rules } = yield* RuleSet
  const findingsOut = yield* FindingsOut
  const files = yield* ReviewFiles
  const onFailure = yield* FailPolicy
  const call = yield* withServices({
    arbitrate,
    conclude,
    explore,
    merge,
    mergeLate,
    parseReports,
    putVerdicts,
    readIntent,
    reviewStacks,
    suggestAlternatives
  })

  const exploration: ReviewStep = {
    run: Effect.fnUntraced(function* (state) {
      const brief = state.wantsBrief ? yield* briefs.of(state.change) : null
      const exploration = yield* call.explore(state.change, brief)
      yield* files.exploration(exploration)
      const around = exploration.affectedFiles.filter((file) => file.role !== "modified").length
      return proceed({ ...state, brief, exploration }, `${plural(around, "related file")}`)
    })
  }

  const intent: ReviewStep = {
    enabled: isFresh,
    run: Effect.fnUntraced(function* (state) {
      const intent = yield* call.readIntent(state.change, state.exploration)
      yield* files.intent(intent)
      return proceed({ ...state, intent })
    })
  }

  const alternatives: PartedStep = {
    ...inParts(
      Effect.fnUntraced(function* ({ change, exploration, intent }) {
        const isAsked = hasAlternatives(change.diff.files.length)
        const alternatives = isAsked ? yield* call.suggestAlternatives(change, exploration, intent) : []
        return Effect.fnUntraced(function* (state) {
          yield* files.alternatives(alternatives)
          const found = alternatives.length === 0 ? "" : plural(alternatives.length, "alternative")
          const summary = isAsked ? found : "skipped: the change has one file"
          return proceed({ ...state, alternatives }, summary)
        })
      })
    ),
    enabled: isFresh,
    beside: "per-stack-reviews"
  }

  const perStackReviews: PartedStep = inParts(
    Effect.fnUntraced(function* (given) {
      if (!isFresh(given) && given.startAt !== "per-stack") {
        return (state) => Effect.succeed(proceed(state, fromEarlierReview))
      }
      const { change, exploration, intent, plan } = given
      const { reports, failures } = yield* call.reviewStacks({ change, exploration, intent, stacks: plan.stacks })
      return Effect.fnUntraced(function* (state) {
        yield* files.reports(reports, { ...state, failures })
        const rules = new Set([...state.rules, ...reports.flatMap((report) => report.rules)])
        const omitted = [...state.omitted, ...reports.flatMap((report) => report.omitted)]
        return proceed(
          { ...state, reports: [...state.reports, ...reports], failures, omitted, rules },
          `${plural(plan.stacks.length - Object.keys(failures).length, "stack")} of ${plan.stacks.length}`
        )
      })
    })
  )

  const prove: ReviewStep = {
    enabled: ({ proving }) => proving !== null,
    run: Effect.fnUntraced(function* (state) {
      if (state.proving === null) return proceed(state)
      const proof = yield* prover.prove(state.change, state.proving)
      const isOn = rules.some(({ id }) => id === unnoticedRule)
      const told = isOn ? worthTelling(proof.mutants, mostUnnoticed) : []
      const records = told.map((each, at) => recordOf(each, at + 1))
      const stack = { name: structureStack, files: [] }
      const next = {
        ...state,
        proof,
        records: records.length === 0 ? state.records : [...state.records, { stack, records }],
        omitted: [...state.omitted, ...proof.notRun],
        rules: new Set([...state.rules, ...(isOn ? [unnoticedRule] : [])]),
        coverage: state.flow === "prove" ? coverageOfProof(proof, state.change) : state.coverage
      }
      const tried = proof.mutants.filter(({ fate }) => fate === "killed" || fate === "survived").length
      return proceed(next, `${plural(tried, "change")} tried`)
    })
  }

  const perStackParse: ReviewStep = {
    enabled: notFixOnly,
    run: Effect.fnUntraced(function* (state) {
      if (state.startAt === "merge") return proceed(state, `${plural(recordCount(state.records), "claim")} loaded`)
      const { records, reports, failures } = yield* call.parseReports(state.reports)
      // A reviewer counts only for files that it names and whose claims were not lost.
      const reviewers = reports.flatMap(({ by, coverage }) =>
        coverage.some(({ status }) => status === "reviewed") ? by : []
      )
      const parsed = {
        ...state,
        reports: [],
        records: [...state.records, ...records],
        failures: { ...state.failures, ...failures },
        coverage: [...state.coverage, ...coverageOf(state.plan.stacks, reports)],
        reviewers: [...new Set([...state.reviewers, ...reviewers])]
      }
      yield* files.parsed({ ...parsed, records })
      return proceed(parsed, plural(recordCount(records), "claim"))
    })
  }

  const arbiterStep: ReviewStep = {
    enabled: (state) => notFixOnly(state) && !state.plan.single,
    run: Effect.fnUntraced(function* (state) {
      const decided = state.records.filter(({ stack }) => state.arbitrated.has(stack.name))
      const open = state.records.filter(({ stack }) => !state.arbitrated.has(stack.name))
      if (open.length === 0) return proceed(state, decided.length === 0 ? nothingContested : fromEarlierReview)
      const contested = needSecondOpinion(open)
      const { records, dropped, isComplete } = yield* call.arbitrate(state.change, state.intent, open)
      const next = { ...state, records: [...decided, ...records], dropped: [...state.dropped, ...dropped] }
      yield* files.arbitration(contested, isComplete, next)
      return proceed(
        next,
        contested.length === 0 ? nothingContested : `${contested.length} checked, ${dropped.length} dropped`
      )
    })
  }

  const crossStackMerge: ReviewStep = {
    enabled: (state) => notFixOnly(state) && !state.plan.single,
    run: call.merge
  }
  const singleStackMerge: ReviewStep = {
    enabled: (state) => notFixOnly(state) && state.plan.single,
    run: call.merge
  }

  const loadItems: ReviewStep = { run: call.mergeLate }

  /** The claims of models that are new and have no verdict yet. */
  const verifyClaims: StepBody<RunState, IgnoreFileInvalid, never> = {
    enabled: ({ fixing, items, startAt }) =>
      agent.hasModel("verify") &&
      (startAt !== "fix" || fixing !== null) &&
      items.some(({ record }) => record.rule === undefined),
    run: Effect.fnUntraced(function* (state) {
      const { change, intent } = state
      const before = yield* call.conclude(state)
      const findings = before.findings.filter(
        ({ new: isNew, source, verdict }) => isNew && source === "model" && verdict === null
      )
      const judged = findings.length === 0 ? [] : yield* claimVerifier.verify({ change, intent, findings })
      const next = { ...state, verdicts: withVerdicts(state.verdicts, findings, judged) }
      const after = yield* call.conclude(next)
      yield* call.putVerdicts(after.findings, next.verdicts)
      const dropped = after.contradicted.length - before.contradicted.length
      return proceed(next, `${judged.length} of ${plural(findings.length, "claim")} judged, ${dropped} dropped`)
    })
  }

  const writeFindings = (ends: boolean): ReviewStep => ({
    enabled: (state) => state.findingsOut !== null,
    run: Effect.fnUntraced(function* (state) {
      if (state.findingsOut === null) return proceed(state)
      const complete = (yield* call.mergeLate(state)).state
      const concluded = yield* call.conclude(complete)
      yield* findingsOut.write(state.findingsOut, state.change, { ...concluded, coverage: complete.coverage })
      const summary = `${plural(concluded.findings.length, "finding")} written to ${state.findingsOut}`
      const written = { ...complete, findingsOut: null }
      return ends ? stop(written, 0, summary) : proceed(written, summary)
    })
  })

  const ofFixes = yield* fixSteps
  const fixing = { ...ofFixes, verify: inOrder(verifyClaims, ofFixes.verify) }
  const bodies: Readonly<Record<AvailableStep, ReviewStep>> = {
    ...fixing,
    ...(yield* feedbackSteps(fixing)),
    exploration,
    intent,
    alternatives,
    "per-stack-reviews": perStackReviews,
    prove,
    "per-stack-parse": perStackParse,
    arbiter: arbiterStep,
    "cross-stack-merge": crossStackMerge,
    "single-stack-merge": singleStackMerge,
    "load-items": loadItems,
    "findings-out": writeFindings(true),

    "shallow-exploration": exploration,
    review: perStackReviews,
    parse: inOrder(perStackParse, { run: call.merge }, verifyClaims),
    summary: loadItems,

    "review-exploration": exploration,
    "review-intent": { run: intent.run },
    // The stack reviewers run as well, so that there are findings with lines to post.
    "review-alternatives": inOrder(
      sideBySide(onFailure, alternatives, perStackReviews),
      perStackParse,
      { run: call.merge },
      verifyClaims
    ),
    "emit-findings": writeFindings(false),
    "no-issues-exit": {
      run: (state) => Effect.succeed(state.items.length === 0 ? stop(state, 0) : proceed(state))
    }
  }
  return bodies
})

/** Merges all claims so far; the evidence gate drops what it cannot verify. */
export const merge = Effect.fnUntraced(function* (state: RunState) {
  const files = yield* ReviewFiles
  const { records: stacks, alternatives, failures, intent, change, exploration } = state
  const checked = yield* Effect.forEach(stacks, (stack) => withEvidence(stack, state))
  const ofAlternatives = yield* withEvidence(alternativeRecords(alternatives), state)
  const merged = yield* mergeClaims({
    stacks: checked.map(({ stack }) => stack),
    alternatives: ofAlternatives.stack,
    failures,
    intent,
    single: state.plan.single
  })
  const gated = yield* checkEvidence(merged, change, exploration)
  const kept = gated.kept.map((item, at) => ({ ...item, id: at + 1 }))
  const dropped = [...checked, ofAlternatives, gated].flatMap((each) => each.dropped)
  const next: RunState = { ...state, items: kept, refused: dropped, merged: stacks.length }
  yield* files.merged(kept, state.plan.single ? null : dedupCandidates(stacks, alternatives), dropped)
  const lost = dropped.length === 0 ? "" : `, ${dropped.length} dropped`
  return proceed(next, `${plural(kept.length, "item")}${lost}`)
})

/**
 * Checks each claim of a model against the files and moves it to the line of its quote. Done before the merge, so that an
 * unfounded claim does not remove the true one that it would be merged with.
 */
const withEvidence = Effect.fnUntraced(function* (claimed: StackRecords, { change, exploration }: RunState) {
  const { records, stack } = claimed
  const none: ReadonlyArray<Dropped> = []
  if (records.every(({ rule }) => rule !== undefined)) return { stack: claimed, dropped: none }
  const items = records.map((record) => alone(stack.name, record))
  const { dropped, kept } = yield* checkEvidence(items, change, exploration)
  return { stack: { stack, records: kept.map(({ record }) => record) }, dropped }
})

/** Merges again if an extension added claims after the merge, so that the evidence gate checks them too. */
export const mergeLate = (state: RunState) => (isMerged(state) ? Effect.succeed(proceed(state)) : merge(state))

/** A review that no step of the flow has parsed counts as failed: its claims are lost. */
export const failUnparsed = Effect.fnUntraced(function* (state: RunState) {
  if (state.reports.length === 0) return state
  const onFailure = yield* FailPolicy
  const names = state.reports.map(({ stack }) => stack.name)
  const detail = `no step parsed the reviews of ${names.join(", ")}, so their claims are lost`
  yield* onFailure.degrade({ step: "per-stack-parse", error: "ReviewNotParsed", detail })
  const unread = (each: FileCoverage): FileCoverage =>
    each.status === "reviewed" ? { ...each, status: "unread", reason: "its review was not parsed" } : each
  const failed = {
    ...state,
    reports: [],
    failures: { ...state.failures, ...Object.fromEntries(names.map((name) => [name, `ReviewNotParsed: ${detail}`])) },
    coverage: [...state.coverage, ...state.reports.flatMap(({ coverage }) => coverage.map(unread))]
  }
  yield* (yield* ReviewFiles).parsed({ ...failed, records: [] })
  return failed
})

/** Statements in a report; more would not be read. */
const mostUnnoticed = 5

const fromEarlierReview = "taken from the earlier review"
const nothingContested = "no claims to check"

const notFixOnly = (state: RunState): boolean => state.startAt !== "fix"

/** Have all claims been merged and checked by the evidence gate? */
export const isMerged = (state: RunState): boolean => state.merged === state.records.length

const recordCount = (stacks: ReadonlyArray<StackRecords>): number =>
  stacks.reduce((sum, { records }) => sum + records.length, 0)
