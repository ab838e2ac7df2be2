/**
 * Removes archived runs that are old or beyond a size: when a user asks for it, and by itself after a review.
 *
 * A row is removed before its bundle, so that no row is left without one. Whether a run has a label is decided in the
 * transaction that removes its row, so that a run which another process labels at the same time stays.
 */
import { DateTime, type Duration, Effect } from "effect"
import type { SessionId } from "../../domain/run/SessionId.ts"
import { ArchiveIndex, type StoredRun, type StoreLimits } from "./ArchiveIndex.ts"
import { Bundles } from "./Bundles.ts"

export interface PruneRequest extends StoreLimits {
  /** Removes labelled runs as well. */
  readonly labelled: boolean
  readonly dryRun: boolean
}

export interface Pruned {
  readonly runs: ReadonlyArray<StoredRun>
  readonly bytes: number
  /** How many more would be removed without their labels. */
  readonly kept: number
}

export const pruneRuns = Effect.fn("pruneRuns")(function* ({ dryRun, labelled, ...limits }: PruneRequest) {
  yield* measure(Number.POSITIVE_INFINITY)
  const found = yield* beyond(limits)
  const toRemove = labelled ? found : found.filter(({ isLabelled }) => !isLabelled)
  if (!dryRun) {
    yield* remove(toRemove, labelled ? "all" : "unlabelled")
    yield* Bundles.use(({ sweep }) => sweep)
  }
  const pruned: Pruned = {
    runs: toRemove,
    bytes: toRemove.reduce((sum, { bytes }) => sum + bytes, 0),
    kept: found.length - toRemove.length
  }
  return pruned
})

/** How long runs without a label are kept, and from what total size on the oldest are removed; null: no limit. */
export interface Retention {
  readonly age: Duration.Duration | null
  readonly bytes: number | null
}

/** What one pass measures and removes at most, so that a review does not wait for it. */
const mostAtOnce = 20

/**
 * After a review, once a day: removes runs beyond the limits that have no label and are older than a day. If there is
 * more to do than one pass does, the next review continues.
 */
export const pruneDaily = Effect.fn("pruneDaily")(function* ({ age, bytes }: Retention) {
  if (age === null && bytes === null) return
  const index = yield* ArchiveIndex
  const now = yield* DateTime.now
  const yesterday = DateTime.formatIso(DateTime.subtract(now, { days: 1 }))
  const last = yield* index.lastPruned
  // A time in the future is from a clock that was wrong.
  if (last !== null && last > yesterday && last <= DateTime.formatIso(now)) return
  const isMeasured = bytes === null || (yield* measure(mostAtOnce))
  const before = age === null ? null : DateTime.formatIso(DateTime.subtractDuration(now, age))
  const found = (yield* beyond({ before, maxBytes: bytes })).filter(
    ({ archived_at, isLabelled }) => !isLabelled && archived_at < yesterday
  )
  if (isMeasured && found.length <= mostAtOnce) yield* index.markPruned(DateTime.formatIso(now))
  yield* remove(found.slice(-mostAtOnce), "unlabelled")
})

/** A label may be in a file beside the bundle only. */
const beyond = Effect.fnUntraced(function* (limits: StoreLimits) {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const labelled = new Set(yield* bundles.labelled)
  const found = yield* index.beyond(limits)
  return found.map((run) => ({ ...run, isLabelled: run.isLabelled || labelled.has(run.session_id) }))
})

const pageSize = 500

const remove = Effect.fnUntraced(function* (runs: ReadonlyArray<StoredRun>, which: "all" | "unlabelled") {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  for (let at = 0; at < runs.length; at += pageSize) {
    const page = runs.slice(at, at + pageSize).map(({ session_id }) => session_id)
    yield* Effect.forEach(yield* index.remove(page, which), bundles.remove, { discard: true })
  }
})

/** Measures the bundles of unknown size, at most `limit`. Returns whether all are known. */
const measure = Effect.fnUntraced(function* (limit: number) {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const sizeOf = (session_id: SessionId) => Effect.map(bundles.size(session_id), (bytes) => ({ session_id, bytes }))
  for (let measured = 0; measured < limit; measured += pageSize) {
    const page = yield* index.unmeasured(Math.min(pageSize, limit))
    if (page.length > 0) yield* index.addSizes(yield* Effect.forEach(page, sizeOf))
    if (page.length < Math.min(pageSize, limit)) return true
  }
  return false
})
