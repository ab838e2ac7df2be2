/** What the worker tells of itself: its last pass and its latest faults, for `dd dream status` and `dd doctor`. */
import { Schema } from "effect"

const PassFault = Schema.Struct({
  project: Schema.String,
  session: Schema.String,
  /** Null: the session as a whole, or the pass if the session is "". */
  task: Schema.NullOr(Schema.String),
  reason: Schema.String
})
/** Something that a pass could not do. */
export type PassFault = (typeof PassFault)["Type"]

export const WorkerStatus = Schema.Struct({
  v: Schema.Literal(1),
  /** Milliseconds since 1970, as all times here. */
  startedAt: Schema.Int,
  passes: Schema.Int,
  lastPass: Schema.NullOr(
    Schema.Struct({
      at: Schema.Int,
      /** Milliseconds. */
      took: Schema.Int,
      analysed: Schema.Int,
      left: Schema.Int,
      open: Schema.Int,
      notes: Schema.Array(Schema.String)
    })
  ),
  /** Of this and of earlier workers. */
  faults: Schema.Struct({
    count: Schema.Int,
    /** The latest first. */
    latest: Schema.Array(Schema.Struct({ at: Schema.Int, ...PassFault.fields }))
  })
})
export type WorkerStatus = (typeof WorkerStatus)["Type"]

/** What a pass did. */
export interface PassReport {
  /** Ids of the sessions that were analysed, in order. */
  readonly analysed: ReadonlyArray<string>
  /** Sessions that the budget left to the next pass. */
  readonly left: number
  /** Sessions that have not ended. */
  readonly open: number
  /** What the pass could not see of a repository, and why. */
  readonly notes: ReadonlyArray<string>
  readonly faults: ReadonlyArray<PassFault>
}

const mostLatest = 20

/** The status of a worker that begins, after that of the worker before. */
export const statusAtStart = (before: WorkerStatus | null, now: number): WorkerStatus => ({
  v: 1,
  startedAt: now,
  passes: 0,
  lastPass: before?.lastPass ?? null,
  faults: before?.faults ?? { count: 0, latest: [] }
})

export const statusAfterPass = (
  before: WorkerStatus,
  { analysed, faults, left, notes, open }: PassReport,
  at: number,
  took: number
): WorkerStatus => ({
  ...before,
  passes: before.passes + 1,
  lastPass: { at, took: Math.round(took), analysed: analysed.length, left, open, notes: notes.slice(0, mostLatest) },
  faults: {
    count: before.faults.count + faults.length,
    latest: [...faults.map((fault) => ({ at, ...fault })), ...before.faults.latest].slice(0, mostLatest)
  }
})
