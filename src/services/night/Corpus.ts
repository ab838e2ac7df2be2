/**
 * The corpus of a repository on disk: its generations, the pointer to the one that counts, and the lock of the run that makes the
 * next. It is in dd's own directory, not in the repository, so that a repository brings no suppressions.
 *
 * A port: `layers/night/corpus/Directory.ts` keeps the files. Reading needs no lock and finds a whole generation at any moment.
 */
import { Context, type Effect, Runtime, Schema, type Scope } from "effect"
import type { Generation } from "../../domain/night/Generation.ts"
import type { NightFileUnusable } from "./NightFileUnusable.ts"

/** Another run holds the lock. */
export class CorpusBusy extends Schema.TaggedError<CorpusBusy>()("CorpusBusy", {
  path: Schema.String,
  /** The run id, process id and host of the holder; "" if unknown. */
  holder: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    const by = this.holder === "" ? "" : ` (${this.holder})`
    return `another night run of this repository is under way${by}; it holds ${this.path}`
  }
}

/** The generation that counts is not the one that the new one was made from. Nothing was changed. */
export class CorpusMoved extends Schema.TaggedError<CorpusMoved>()("CorpusMoved", {
  base: Schema.Int,
  current: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `generation ${this.base} no longer counts, generation ${this.current} does: nothing was changed`
  }
}

/** Who holds the lock: in its text, for people and for the next run, which finishes the report of a dead one. */
export interface Holder {
  readonly run: string
  readonly pid: number
  readonly host: string
  /** Where its report is. */
  readonly outputDir: string
}

export class Corpus extends Context.Service<
  Corpus,
  {
    readonly project: string
    /** Of the lock. */
    readonly lockPath: string
    /** The generation that counts; the empty one if there is none. */
    readonly current: Effect.Effect<Generation, NightFileUnusable>
    /** Its number, also if the generation itself is damaged; 0 if there is none. */
    readonly currentNumber: Effect.Effect<number, NightFileUnusable>
    /** The kept ones, newest first. A damaged one is left out with a warning. */
    readonly generations: Effect.Effect<ReadonlyArray<Generation>, NightFileUnusable>
    /**
     * Takes the lock until the scope closes; the system releases it when the process dies. Then it removes what a killed run left
     * unfinished. Gives the holder that died, if one did.
     */
    readonly own: (holder: Holder) => Effect.Effect<Holder | null, CorpusBusy | NightFileUnusable, Scope.Scope>
    /**
     * Makes a generation the one that counts, if its base still is: at any moment, also if the process is killed, either the old
     * or the new one counts. Removes all but the newest ones. Under the lock.
     */
    readonly commit: (next: Generation) => Effect.Effect<void, CorpusMoved | NightFileUnusable>
    /** What a night remembers between runs beside generations: `warn-only.json`, `refused.json`. Null: there is none. */
    readonly note: (name: string) => Effect.Effect<string | null, NightFileUnusable>
    /** Replaces it at once. Under the lock. */
    readonly setNote: (name: string, text: string) => Effect.Effect<void, NightFileUnusable>
  }
>()("dd/services/night/Corpus") {}

/** How many generations are kept for `dd dream rollback`. */
export const keptGenerations = 10

/** Below dd's own directory, one directory for each repository. Absent before the first night. */
export const corporaName = "learned"
