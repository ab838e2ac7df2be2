/** Findings of earlier reviews that were rejected, for those who would report them again. */
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

/** Those of the reviewed repository that are meant, the newest first, at most `most`. */
export type Dismissals = (
  isMeant: (each: Pick<Dismissal, "file" | "fingerprint">) => boolean,
  most: number
) => Effect.Effect<ReadonlyArray<Dismissal>>

/** None, unless the run has an archive. */
export const Dismissals = Context.Reference<Dismissals>("dd/services/agent/Dismissals", {
  defaultValue: () => () => Effect.succeed([])
})

export const rejectedText = ({ reason, title }: Dismissal): string =>
  reason === null ? title : `${title}; rejected because: ${reason}`
