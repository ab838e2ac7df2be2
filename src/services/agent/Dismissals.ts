/** Findings of earlier reviews that a person has rejected, for those who would report them again. */
import { Context, Effect } from "effect"

export interface Dismissal {
  readonly file: string
  /** At the time. */
  readonly line: number
  readonly title: string
  readonly fingerprint: string
  /** Null if none was given. */
  readonly reason: string | null
}

/** Those in these files of the reviewed repository, the newest first, at most `mostDismissals`. */
export type Dismissals = (files: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Dismissal>>

export const mostDismissals = 20

/** None, unless the run has an archive. */
export const Dismissals = Context.Reference<Dismissals>("dd/services/agent/Dismissals", {
  defaultValue: () => () => Effect.succeed([])
})
