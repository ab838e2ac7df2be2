/**
 * The index of the archive: a row for each archived run, and the labels of runs and findings, in one database that all
 * processes of the user share.
 *
 * A port, implemented by `layers/record/archive/Sqlite.ts`. The first call opens it. Every change is a transaction.
 */
import { Context, type Effect, Runtime, Schema } from "effect"
import type { ArchivedRun } from "../../domain/record/ArchivedRun.ts"
import type { FindingLabel } from "../../domain/record/FindingLabel.ts"
import type { LabelObservation } from "../../domain/record/LabelObservation.ts"
import type { RunFilter } from "../../domain/record/RunFilter.ts"
import type { SessionId } from "../../domain/run/SessionId.ts"

export class ArchiveTooNew extends Schema.TaggedError<ArchiveTooNew>()("ArchiveTooNew", {
  path: Schema.String,
  version: Schema.Int,
  known: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the archive index ${this.path} was made by a newer dd (version ${this.version}, this dd supports ${this.known}) and was not changed; update dd, or set DAYDREAM_ARCHIVE_DIR to another directory`
  }
}

export class ArchiveUnusable extends Schema.TaggedError<ArchiveUnusable>()("ArchiveUnusable", {
  path: Schema.String,
  reason: Schema.String,
  kind: Schema.Literals(["damaged", "busy", "other"])
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the archive ${this.path} could not be used: ${this.reason}`
  }
}

export type ArchiveError = ArchiveTooNew | ArchiveUnusable

/** The labels of some runs and of their findings. */
export interface Labels {
  readonly observations: ReadonlyArray<LabelObservation>
  readonly findings: ReadonlyArray<FindingLabel>
}

export interface RunSize {
  readonly session_id: SessionId
  /** Of the bundle. */
  readonly bytes: number
}

/** A run is beyond them if it was archived before `before`, or if it and all newer runs have more than `maxBytes`. */
export interface StoreLimits {
  readonly before: string | null
  readonly maxBytes: number | null
}

export interface StoredRun extends RunSize {
  readonly archived_at: string
  /** Has the run, or one of its findings, a label? */
  readonly isLabelled: boolean
}

/** Counts of the archive's content, by the names of `dd archive stats --json`. */
export interface Tally {
  readonly runs: number
  readonly findings: number
  /** Without the runs of unknown cost. */
  readonly cost_usd: number
  readonly unknown_cost: number
  readonly labelled_findings: number
  readonly first: string | null
  readonly last: string | null
  /** By name, the most frequent first. */
  readonly by: Readonly<
    Record<"status" | "flow" | "backend" | "outcome" | "repo", ReadonlyArray<readonly [string, number]>>
  >
  /** Means over the runs that have one. */
  readonly mean: Readonly<
    Record<"wall_clock_seconds" | "grounding_rate" | "coverage_ratio" | "composite_reward", number | null>
  >
}

export class ArchiveIndex extends Context.Service<
  ArchiveIndex,
  {
    readonly path: string
    /**
     * Opens and migrates it. `movedAside`: where a damaged one was moved; `incomplete`: rows may be missing, which
     * `dd archive rebuild-index` restores from the bundles.
     */
    readonly open: Effect.Effect<{ readonly movedAside: string | null; readonly incomplete: boolean }, ArchiveError>
    /** Adds or updates runs. Existing ones keep their labels. */
    readonly add: (runs: ReadonlyArray<ArchivedRun>) => Effect.Effect<void, ArchiveError>
    /** Newest first. */
    readonly list: (filter: RunFilter) => Effect.Effect<ReadonlyArray<ArchivedRun>, ArchiveError>
    /** Runs whose session id starts with `prefix`, at most `limit`. */
    readonly findByPrefix: (prefix: string, limit: number) => Effect.Effect<ReadonlyArray<ArchivedRun>, ArchiveError>
    /** Oldest first; with `asOf`, only labels up to that time. */
    readonly labels: (sessions: ReadonlyArray<string>, asOf: string | null) => Effect.Effect<Labels, ArchiveError>
    /**
     * Adds new labels and updates the rows of their runs. `keep` stores the same labels elsewhere first; if it fails,
     * nothing is added. Returns the new labels.
     */
    readonly addLabels: <E, R>(
      labels: Labels,
      keep: (stored: Labels) => Effect.Effect<void, E, R>
    ) => Effect.Effect<Labels, ArchiveError | E, R>
    /** Runs whose size is not known, at most `limit`. */
    readonly unmeasured: (limit: number) => Effect.Effect<ReadonlyArray<SessionId>, ArchiveError>
    readonly addSizes: (sizes: ReadonlyArray<RunSize>) => Effect.Effect<void, ArchiveError>
    /** Runs beyond one of the limits, newest first. */
    readonly beyond: (limits: StoreLimits) => Effect.Effect<ReadonlyArray<StoredRun>, ArchiveError>
    /** Removes runs with their labels, or only those without a label; returns the removed ones. */
    readonly remove: (
      sessions: ReadonlyArray<SessionId>,
      which: "all" | "unlabelled"
    ) => Effect.Effect<ReadonlyArray<SessionId>, ArchiveError>
    /** When old runs were last removed without being asked; null: never. */
    readonly lastPruned: Effect.Effect<string | null, ArchiveError>
    readonly markPruned: (at: string) => Effect.Effect<void, ArchiveError>
    /** Removes runs without their labels. */
    readonly removeRows: (sessions: ReadonlyArray<string>) => Effect.Effect<void, ArchiveError>
    /** Removes runs whose session id is not valid, which no other method accepts; returns how many. */
    readonly removeInvalid: Effect.Effect<number, ArchiveError>
    /** Runs after the session `after`, in the order of their sessions, at most `limit`. */
    readonly page: (
      filter: RunFilter,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ArchivedRun>, ArchiveError>
    readonly tally: (filter: RunFilter) => Effect.Effect<Tally, ArchiveError>
    /** Returns where the damaged file was moved; null if it is not damaged. */
    readonly moveAsideIfDamaged: Effect.Effect<string | null, ArchiveError>
    /** Every row was rebuilt. */
    readonly markComplete: Effect.Effect<void, ArchiveError>
  }
>()("dd/services/record/ArchiveIndex") {}
