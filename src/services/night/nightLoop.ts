/**
 * The iterations of a night: each takes a batch of proposals, stages a generation, measures it on reviews that it was not made from,
 * and commits it or not.
 *
 * The generation that counts before the night is measured first, so that the first iteration is gated, too. The corpus changed if and
 * only if the status of an iteration is `done` or `halted-on-regression-post-commit`. A commit and its record cannot be interrupted. A
 * batch that changes nothing, because all of it was dropped, is no iteration: nothing is committed.
 */
import { Cause, Clock, Context, Effect, Exit, Option, Result, Schema } from "effect"
import { fitnessDelta, fitnessMaps } from "../../domain/night/composite.ts"
import type { Measurement } from "../../domain/night/Fitness.ts"
import { emptyGeneration, Generation } from "../../domain/night/Generation.ts"
import { type Decision, decide, unmeasured } from "../../domain/night/gate.ts"
import { integrityFaults } from "../../domain/night/integrity.ts"
import type { Split } from "../../domain/night/LabelledReview.ts"
import { type MeasureContext, measure } from "../../domain/night/measure.ts"
import { type Proposal, RefusedProposal } from "../../domain/night/Proposal.ts"
import { proposalsOf } from "../../domain/night/proposals.ts"
import { batchesOf, reducerOn } from "../../domain/night/reduce.ts"
import { streakOf } from "../../domain/night/rehydration.ts"
import { rolledBackNotes } from "../../domain/night/rolledBack.ts"
import { type IterationStatus, type IterationSummary, spanOf, utc } from "../../domain/night/Summary.ts"
import { newestTime } from "../../domain/night/split.ts"
import {
  readBudget,
  type WarnOnlyBudget,
  warnOnlyNote,
  withoutRescue,
  writtenBudget
} from "../../domain/night/warnOnly.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { Corpus } from "./Corpus.ts"
import { NightFiles } from "./NightFiles.ts"
import type { NightFileUnusable } from "./NightFileUnusable.ts"

export const stages = ["ingest", "checkpoint", "reduce", "measure", "commit", "post-check", "persist"] as const
export type Stage = (typeof stages)[number]

/** Runs before each stage, so that a test can let one fail. */
export const AtStage = Context.Reference<(stage: Stage) => Effect.Effect<void, Error>>("dd/services/night/AtStage", {
  defaultValue: () => () => Effect.void
})

export interface LoopRequest {
  readonly run: string
  readonly split: Split
  /** Names the gate set: a digest of its labels. */
  readonly gateSet: string
  /** Counts for the report of the first iteration. */
  readonly ingest: Readonly<Record<string, number>>
  /** Fails if a label that the night began with is gone. */
  readonly labelLog: Effect.Effect<string, Error>
  readonly context: Omit<MeasureContext, "now">
  readonly isProtected: (rule: string) => boolean
  /** SHA-256 in hexadecimal digits. */
  readonly digest: (text: string) => string
  readonly options: {
    /** 0: as many as there are batches. */
    readonly maxIterations: number
    readonly epsilon: number
    readonly window: number
    readonly warnOnly: boolean
    /** Of one generation, in bytes. */
    readonly largest: number
  }
  /** By the monotonic clock, in milliseconds: no iteration begins after it. */
  readonly until: number
  /** Of a run that is continued. */
  readonly earlier: ReadonlyArray<IterationSummary>
}

export type HaltKind = "no-proposals" | "max-iterations" | "plateau" | "regression" | "measure-failure" | "budget"

export interface LoopOutcome {
  readonly iterations: ReadonlyArray<IterationSummary>
  readonly halt: HaltKind | null
  /** Why the run failed; null: it did not. */
  readonly failure: string | null
  /** Of a halt. */
  readonly reason: string | null
  readonly before: Generation
  readonly after: Generation
  /** Of the generations before and after, on the gate set. */
  readonly measuredBefore: Measurement
  readonly measuredAfter: Measurement
  readonly budget: WarnOnlyBudget
  readonly proposals: ReadonlyArray<Proposal>
  readonly refused: ReadonlyArray<RefusedProposal>
  /** Why iterations that were committed under warn-only might have been refused. */
  readonly warnings: ReadonlyArray<string>
  /** What went wrong and stopped nothing. */
  readonly degraded: ReadonlyArray<string>
  /** Facts that need no action. */
  readonly notes: ReadonlyArray<string>
}

const warnOnlyWords = "warn-only: "
/** In the warning on a regression that was kept. */
export const keptRegression = `${warnOnlyWords}regression`

export const refusedNote = "refused.json"
/** Whatever the options say. */
const mostIterations = 100
/** Consecutive measurements that fail. */
const mostFailures = 3

export const runLoop = Effect.fn("NightLoop.run")(function* (request: LoopRequest) {
  const corpus = yield* Corpus
  const files = yield* NightFiles
  const { split } = request
  const now = yield* Clock.currentTimeMillis
  const before = yield* corpus.current
  const { budget, note } = readBudget(yield* corpus.note(warnOnlyNote))
  const refused = readRefused(yield* corpus.note(refusedNote))
  const context: MeasureContext = { ...request.context, now }
  const lesson = {
    build: split.build,
    later: [...split.gate, ...split.sealed],
    newest: Math.min(now, newestTime(split)),
    now,
    digest: request.digest,
    mustShow: context.mustShow,
    isProtected: request.isProtected
  }
  const proposals = proposalsOf(lesson, before, refused.known)
  const measured = measure(before, split.gate, context)
  const known = lostRecord(request, before)
  const lost =
    known === null ? null : yield* withFitness(known, before, measured, (of) => measure(of, split.gate, context))
  const found = lost === null ? null : yield* attempt("persist", files.iteration(request.run, lost))
  const night: Night = {
    request,
    context,
    reduce: reducerOn(split.build)
  }
  const earlier = lost === null ? request.earlier : [...request.earlier, lost]
  let state: State = {
    generation: before,
    measured,
    budget,
    streak: streakOf(earlier, request.options),
    failures: 0,
    refused: refused.known,
    iterations: earlier,
    degraded: [note, refused.note, found?._tag === "Failure" ? found.failure : null].filter((each) => each !== null),
    notes: rolledBackNotes(before),
    halt: null,
    reason: null,
    failure: null,
    warnings: []
  }
  const initial = yield* beforeRun(earlier, before)
  for (const batch of batchesOf(proposals)) {
    const halt = yield* limitReached(state, request)
    if (halt !== null) state = { ...state, halt }
    if (state.halt !== null || state.failure !== null) break
    state = yield* iterate(night, state, batch)
  }
  return {
    ...state,
    halt: state.failure === null ? (state.halt ?? "no-proposals") : null,
    before: initial,
    after: state.generation,
    measuredBefore: initial === before ? measured : measure(initial, split.gate, context),
    measuredAfter: state.measured,
    proposals
  } satisfies LoopOutcome
})

/** A kept generation; null: it is not kept. */
const generationOf = Effect.fnUntraced(function* (number: number) {
  const corpus = yield* Corpus
  if (number === 0) return emptyGeneration(corpus.project)
  return (yield* corpus.generations).find((each) => each.number === number) ?? null
})

/** The generation that counted before the run, which may have been killed since: what its report compares with. */
const beforeRun = Effect.fnUntraced(function* (earlier: ReadonlyArray<IterationSummary>, current: Generation) {
  const first = earlier.flatMap(({ dd }) => dd?.generation ?? [])[0]
  return first === undefined ? current : ((yield* generationOf(first - 1)) ?? current)
})

/** Of an iteration whose run was killed before it wrote the record. */
const withFitness = Effect.fnUntraced(function* (
  lost: IterationSummary,
  made: Generation,
  after: Measurement,
  measured: (of: Generation) => Measurement
) {
  const base = yield* generationOf(made.base)
  if (base === null) return lost
  const before = measured(base)
  const { composite = 0 } = fitnessDelta(before.metrics, after.metrics)
  return { ...lost, ...measuredParts(before, after), fitness_delta: composite } satisfies IterationSummary
})

const iterate = Effect.fn("NightLoop.iterate")(function* (night: Night, before: State, batch: ReadonlyArray<Proposal>) {
  const startedAt = yield* Clock.currentTimeMillis
  const index = before.iterations.length + 1
  const tried = yield* tryBatch(night, before, batch, index)
  if (tried.end === null) return yield* Effect.uninterruptible(passedOver(before, tried.dropped))
  // A generation that counts has a record.
  return yield* Effect.uninterruptible(
    Effect.gen(function* () {
      const ended = tried.measured === null ? tried : yield* commit(before, tried)
      return yield* record(night, before, { index, startedAt }, ended)
    })
  )
})

const record = Effect.fnUntraced(function* (
  night: Night,
  before: State,
  { index, startedAt }: { readonly index: number; readonly startedAt: number },
  { end, measured }: Ended
) {
  const files = yield* NightFiles
  const summary: IterationSummary = {
    id: `${night.request.run}-iter-${index}`,
    index,
    ...spanOf(startedAt, yield* Clock.currentTimeMillis),
    status: end.status,
    ...(index === 1 ? { ingest: night.request.ingest } : {}),
    fitness_delta: 0,
    ...end.parts,
    ...(end.degraded.length === 0 ? {} : { degraded: end.degraded }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(measured === null ? {} : { dd: { generation: end.generation.number } })
  }
  const failures = end.status === "degraded" ? before.failures + 1 : 0
  const hasFailed = end.status === "failed" || end.status === "rolled-back-pre-commit"
  const after: State = {
    ...before,
    ...(measured === null ? {} : { generation: end.generation, measured }),
    budget: end.budget,
    streak: end.streak,
    failures,
    refused: withRefused(before, end.refused),
    iterations: [...before.iterations, summary],
    warnings:
      measured === null || end.warning === null
        ? before.warnings
        : [...before.warnings, `iteration ${index}: ${warnOnlyWords}${end.warning}`],
    halt: end.halt ?? (failures >= mostFailures ? "measure-failure" : null),
    reason: end.reason ?? (failures >= mostFailures ? `${failures} measurements in a row failed` : null),
    failure: hasFailed ? `iteration ${index}: ${end.error ?? end.status}` : null
  }
  return yield* persisted(before, after, files.iteration(night.request.run, summary))
})

const passedOver = (before: State, dropped: ReadonlyArray<Proposal>) => {
  const words = dropped.length === 1 ? "1 proposal was" : `${dropped.length} proposals were`
  const note = `${words} dropped, because reviews of the build set got worse with them`
  return persisted(before, {
    ...before,
    refused: withRefused(before, dropped),
    notes: dropped.length === 0 ? before.notes : [...before.notes, note]
  })
}

const persisted = Effect.fnUntraced(function* (
  before: State,
  after: State,
  record: Effect.Effect<void, NightFileUnusable> = Effect.void
) {
  const corpus = yield* Corpus
  const kept = yield* attempt(
    "persist",
    Effect.gen(function* () {
      yield* record
      if (after.budget !== before.budget) yield* corpus.setNote(warnOnlyNote, writtenBudget(after.budget))
      if (after.refused.length > before.refused.length) {
        yield* corpus.setNote(refusedNote, writtenRefused(after.refused))
      }
    })
  )
  // What was committed stays committed.
  return kept._tag === "Success" ? after : { ...after, degraded: [...after.degraded, kept.failure] }
})

/** Up to the decision; with a measurement, the generation is to be committed. */
const tryBatch = Effect.fnUntraced(function* (
  { context, reduce, request }: Night,
  before: State,
  batch: ReadonlyArray<Proposal>,
  index: number
) {
  const now = yield* Clock.currentTimeMillis
  const unchanged = { generation: before.generation, budget: before.budget, streak: before.streak }
  const nothing: End = { ...unchanged, status: "failed", parts: {}, degraded: [], refused: [], warning: null }
  const ended = (end: Partial<End>): Ended => ({ end: { ...nothing, ...end }, measured: null })

  const making = { run: request.run, iteration: index, now }
  const log = yield* attempt("ingest", request.labelLog)
  if (log._tag === "Failure") return ended({ error: log.failure })

  const base = yield* attempt("checkpoint", checkpoint(before.generation, request.options.largest))
  if (base._tag === "Failure") return ended({ error: base.failure })

  const staged = yield* attempt(
    "reduce",
    Effect.gen(function* () {
      const made = reduce(before.generation, batch, making)
      const labelLog = { before: log.success, after: yield* request.labelLog }
      const [fault] = integrityFaults(before.generation, made.draft, request.split, labelLog)
      if (fault !== undefined) return yield* failed("integrity", `${fault.kind}: ${fault.detail}`)
      return made
    })
  )
  if (staged._tag === "Failure") return ended({ status: "rolled-back-pre-commit", error: staged.failure })
  const { draft, dropped, kept, merged } = staged.success
  if (hasContentOf(draft, before.generation)) return { end: null, dropped } satisfies Tried
  const reduced = {
    reduce: { ...countsOf(kept), dropped: dropped.length, merged },
    fitness_before: fitnessMaps(before.measured.metrics, before.measured.metrics).before
  }
  const isTried = { parts: reduced, refused: dropped }

  const measuring = yield* attempt(
    "measure",
    Effect.sync(() => measure(draft, request.split.gate, context))
  )
  if (measuring._tag === "Failure") {
    return ended({ ...isTried, status: "degraded", degraded: [`measure failed: ${measuring.failure}`] })
  }
  const measured = measuring.success
  const seed = Number.parseInt(request.digest(`${before.generation.number} ${request.gateSet}`).slice(0, 8), 16)
  const { epsilon, warnOnly, window } = request.options
  const rescues = before.budget.remaining
  const decideOn = (staged: Measurement) =>
    decide(before.measured, staged, { epsilon, window, warnOnly, rescues, seed, streak: before.streak })
  const decided = decideOn(measured)
  // What the labels no longer support goes, whatever it is worth: it only shows more.
  const isCorrection = batch.every(({ corrects }) => corrects)
  const decision: Decision =
    isCorrection && decided._tag !== "Commit"
      ? {
          ...decided,
          _tag: "Commit",
          isUnmeasured: false,
          notes: [...decided.notes, `correction: ${decided.reason}`]
        }
      : decided
  /** The proposals that halt alone; all, if none does. */
  const guilty = (proposals: ReadonlyArray<Proposal>) => {
    const alone = proposals.filter((proposal) => {
      const { draft } = reduce(before.generation, [proposal], making)
      return decideOn(measure(draft, request.split.gate, context))._tag === "Halt"
    })
    return alone.length === 0 ? proposals : alone
  }
  const parts = { ...reduced, ...measuredParts(before.measured, measured), fitness_delta: decision.delta }
  const outcome = { parts, refused: dropped, streak: decision.streak, degraded: [...decision.notes] }
  if (decision._tag === "Degraded") {
    return ended({ ...outcome, status: "degraded", degraded: [...decision.notes, decision.reason] })
  }
  if (decision._tag === "Halt") {
    return ended({
      ...outcome,
      status: "halted-on-regression-pre-commit",
      halt: decision.kind,
      reason: `iteration ${index}: ${decision.reason}`,
      // A plateau says nothing against its proposals.
      refused: decision.kind === "regression" ? [...dropped, ...guilty(kept)] : dropped
    })
  }

  const isRescue = decision._tag === "Rescue"
  const rescue = isRescue ? `${decision.kind}: ${decision.reason}` : null
  const isUnmeasured = decision._tag === "Commit" && decision.isUnmeasured
  const warned = rescue ?? (isUnmeasured ? `kept, although ${unmeasured}` : null)
  const end: End = {
    ...nothing,
    ...outcome,
    status: "done",
    generation: draft,
    budget: isRescue ? withoutRescue(before.budget, utc(now)) : before.budget,
    degraded: [...decision.notes, ...(warned === null ? [] : [`warn-only: ${warned}`])],
    // A plateau makes nothing worse.
    warning: isRescue && decision.kind === "plateau" ? null : warned
  }
  return { end, measured }
})

/** A generation that counts although its commit failed, or that is not on disk as it was committed, is flagged. */
const commit = Effect.fnUntraced(function* (before: State, { end, measured }: Ended) {
  const corpus = yield* Corpus
  const committed = yield* attempt("commit", corpus.commit(end.generation))
  const checked = yield* attempt("post-check", committedAs(end.generation))
  const [fault, other] = [committed, checked].flatMap((each) => (each._tag === "Failure" ? [each.failure] : []))
  if (fault === undefined) return { end, measured }
  if (other !== undefined) {
    const { budget, generation } = before
    const undone: End = { ...end, budget, generation, status: "failed", error: fault }
    return { end: undone, measured: null }
  }
  const flagged: End = {
    ...{ ...end, status: "halted-on-regression-post-commit" },
    ...{ halt: "regression", reason: fault, error: fault }
  }
  return { end: flagged, measured }
})

/** The generation is still the one that counts, and no larger than allowed. */
const checkpoint = Effect.fnUntraced(function* (generation: Generation, largest: number) {
  const corpus = yield* Corpus
  const { number } = yield* corpus.current
  if (number !== generation.number) {
    return yield* failed("checkpoint", `generation ${number} counts, not ${generation.number}`)
  }
  const bytes = new TextEncoder().encode(encodeGeneration(generation)).length
  if (bytes > largest) return yield* failed("checkpoint", `${bytes} bytes are more than ${largest}`)
})

/** What is on disk is what was committed. */
const committedAs = Effect.fnUntraced(function* (draft: Generation) {
  const corpus = yield* Corpus
  const found = yield* corpus.current
  if (encodeGeneration(found) !== encodeGeneration(draft)) {
    return yield* failed("post-check", `generation ${draft.number} is not on disk as it was committed`)
  }
})

/** Runs a stage: its failure and its defect are a reason, its interruption stays one. */
const attempt = Effect.fnUntraced(function* <A, E extends Error, R>(stage: Stage, self: Effect.Effect<A, E, R>) {
  const atStage = yield* AtStage
  const exit = yield* Effect.exit(Effect.andThen(atStage(stage), self))
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  if (Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
  const error = Cause.squash(exit.cause)
  return Result.fail(error instanceof Error ? error.message : String(error))
})

interface Night {
  readonly request: LoopRequest
  readonly context: MeasureContext
  readonly reduce: ReturnType<typeof reducerOn>
}

interface State extends Omit<LoopOutcome, "before" | "after" | "measuredBefore" | "measuredAfter" | "proposals"> {
  readonly generation: Generation
  readonly measured: Measurement
  /** Iterations in a row that hardly changed the fitness. */
  readonly streak: number
  /** Measurements in a row that failed. */
  readonly failures: number
}

/** With a measurement, its generation is to be committed, or was. */
interface Ended {
  readonly end: End
  readonly measured: Measurement | null
}

/** Without an end, the batch changes nothing. */
type Tried = Ended | { readonly end: null; readonly dropped: ReadonlyArray<Proposal> }

const withRefused = ({ refused }: State, more: ReadonlyArray<Proposal>): ReadonlyArray<RefusedProposal> => [
  ...refused,
  ...more.map(({ basis, id }) => ({ basis, id }))
]

/** How an iteration ended. */
interface End {
  readonly status: IterationStatus
  readonly parts: Partial<
    Pick<IterationSummary, "reduce" | "measure" | "fitness_before" | "fitness_after" | "fitness_delta">
  >
  readonly degraded: ReadonlyArray<string>
  /** Under warn-only, what is committed all the same; null: nothing speaks against it. */
  readonly warning: string | null
  readonly refused: ReadonlyArray<Proposal>
  readonly generation: Generation
  readonly budget: WarnOnlyBudget
  readonly streak: number
  readonly error?: string
  readonly halt?: HaltKind
  readonly reason?: string
}

class StageFailed extends Schema.TaggedError<StageFailed>()("StageFailed", {
  stage: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.stage}: ${this.reason}`
  }
}

const failed = (stage: string, reason: string) => new StageFailed({ stage, reason })

const limitReached = Effect.fnUntraced(function* ({ iterations }: State, { options, until }: LoopRequest) {
  const most = options.maxIterations === 0 ? mostIterations : Math.min(options.maxIterations, mostIterations)
  if (iterations.length >= most) return "max-iterations"
  return (yield* monotonicMillis) >= until ? "budget" : null
})

/** Of a generation of this run, which was killed before it wrote the record; null: there is none. */
export const lostRecord = (
  { earlier, run }: Pick<LoopRequest, "earlier" | "run">,
  { at, iteration, number, run: maker }: Generation
): IterationSummary | null =>
  maker !== run || iteration !== earlier.length + 1
    ? null
    : {
        ...{ id: `${run}-iter-${iteration}`, index: iteration, ...spanOf(at, at), status: "done", fitness_delta: 0 },
        degraded: ["the run was killed before it recorded this iteration"],
        dd: { generation: number }
      }

/** What a record has of a generation that was measured, and of the one that it was made from. */
const measuredParts = (before: Measurement, after: Measurement) => {
  const maps = fitnessMaps(before.metrics, after.metrics)
  return {
    measure: { metrics: after.metrics, vetoes: after.vetoes.length },
    fitness_before: maps.before,
    fitness_after: maps.after
  }
}

/** Proposals by their kind. */
const countsOf = (proposals: ReadonlyArray<Proposal>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind } of proposals) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const encodeGeneration = Schema.encodeSync(Schema.fromJsonString(Generation))

const hasContentOf = (draft: Generation, earlier: Generation): boolean => {
  const { at, base, iteration, number, run } = earlier
  return encodeGeneration(Generation.make({ ...draft, at, base, iteration, number, run })) === encodeGeneration(earlier)
}

const Refused = Schema.fromJsonString(
  Schema.Struct({ version: Schema.Literal(1), refused: Schema.Array(RefusedProposal) })
)
const encodeRefused = Schema.encodeSync(Refused)
const decodeRefused = Schema.decodeUnknownOption(Refused)
/** The newest are remembered. */
const mostRefused = 2_000

const writtenRefused = (refused: ReadonlyArray<RefusedProposal>): string =>
  `${encodeRefused({ version: 1, refused: refused.slice(-mostRefused) })}\n`

const readRefused = (text: string | null) => {
  const nothing: { readonly known: ReadonlyArray<RefusedProposal>; readonly note: string | null } = {
    known: [],
    note: null
  }
  if (text === null) return nothing
  return Option.match(decodeRefused(text), {
    onNone: () => ({ ...nothing, note: `${refusedNote} could not be read: refused proposals are made again` }),
    onSome: ({ refused }) => ({ ...nothing, known: refused })
  })
}
