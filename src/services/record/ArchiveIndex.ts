/**
 * The index of the archive: every archived run as a row, what was said of runs and of findings, in one database that
 * all processes of the user share.
 *
 * A port: `layers/record/archive/Sqlite.ts` keeps it in a file. It is opened when it is first asked. What is asked of it
 * happens wholly or not at all, whoever else writes, and whenever the process is killed.
 */
import { Context, type Effect, Runtime, Schema } from "effect"
import type { ArchivedRun } from "../../domain/record/ArchivedRun.ts"
import type { FindingLabel } from "../../domain/record/FindingLabel.ts"
import type { LabelObservation } from "../../domain/record/LabelObservation.ts"
import type { RunFilter } from "../../domain/record/RunFilter.ts"

/** Nothing was changed. */
export class ArchiveTooNew extends Schema.TaggedError<ArchiveTooNew>()("ArchiveTooNew", {
  path: Schema.String,
  version: Schema.Int,
  known: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the archive index ${this.path} was made by a newer dd (version ${this.version}, this one knows ${this.known}) and was not changed; update dd, or set DAYDREAM_ARCHIVE_DIR to another directory`
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

/** Everything that was said of some runs. */
export interface Labels {
  readonly observations: ReadonlyArray<LabelObservation>
  readonly findings: ReadonlyArray<FindingLabel>
}

/** What the archive holds, counted, by the names of `dd archive stats --json`. */
export interface Tally {
  readonly runs: number
  readonly findings: number
  /** Runs whose cost nobody knows are not in it. */
  readonly cost_usd: number
  readonly unknown_cost: number
  readonly labelled_findings: number
  readonly first: string | null
  readonly last: string | null
  /** By name, most first. */
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
     * Opens it and brings it up to date. Says what became of a damaged one (`movedAside`), and whether rows may be
     * missing, which `dd archive rebuild-index` restores from the bundles.
     */
    readonly open: Effect.Effect<{ readonly movedAside: string | null; readonly incomplete: boolean }, ArchiveError>
    /** Puts runs in; those that are there are brought up to date and keep their labels. */
    readonly add: (runs: ReadonlyArray<ArchivedRun>) => Effect.Effect<void, ArchiveError>
    /** Newest first. */
    readonly list: (filter: RunFilter) => Effect.Effect<ReadonlyArray<ArchivedRun>, ArchiveError>
    /** Runs whose session begins so, at most `limit`. */
    readonly beginning: (prefix: string, limit: number) => Effect.Effect<ReadonlyArray<ArchivedRun>, ArchiveError>
    /** Oldest first; with `asOf`, what had been said until then. */
    readonly labels: (sessions: ReadonlyArray<string>, asOf: string | null) => Effect.Effect<Labels, ArchiveError>
    /**
     * Adds what was said, then lets the observation that counts show in the run's row. `keep` is told what will be
     * stored, and stores it elsewhere first; when it fails nothing is stored.
     */
    readonly say: <E, R>(
      labels: Labels,
      keep: (stored: Labels) => Effect.Effect<void, E, R>
    ) => Effect.Effect<Labels, ArchiveError | E, R>
    /** Sessions that have a label, or a finding that has one. */
    readonly labelled: Effect.Effect<ReadonlySet<string>, ArchiveError>
    /** Forgets these runs and everything said of them. */
    readonly remove: (sessions: ReadonlyArray<string>) => Effect.Effect<void, ArchiveError>
    /** Removes the rows of these runs. Their labels stay. */
    readonly removeRows: (sessions: ReadonlyArray<string>) => Effect.Effect<void, ArchiveError>
    /** Removes runs whose session id is not valid, which no other method accepts; returns how many. */
    readonly removeInvalid: Effect.Effect<number, ArchiveError>
    /** In the order of their sessions, those behind `after`, at most `limit`: for walking over any number of them. */
    readonly page: (
      filter: RunFilter,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ArchivedRun>, ArchiveError>
    readonly tally: (filter: RunFilter) => Effect.Effect<Tally, ArchiveError>
    /** Throws a damaged index aside, so that the next `open` begins a new one; null when it is sound. */
    readonly mend: Effect.Effect<string | null, ArchiveError>
    /** Every row has been made again. */
    readonly complete: Effect.Effect<void, ArchiveError>
  }
>()("dd/services/record/ArchiveIndex") {}
