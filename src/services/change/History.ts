/** The history before the change: ancestors of its base side. Never fails; what is missing is in `omitted`. */
import { Effect } from "effect"
import { noPastCommits, type PastCommits } from "../../domain/change/PastCommit.ts"

export interface History {
  /** Read once, and kept between runs. */
  readonly commits: Effect.Effect<PastCommits>
}

/** For texts without a repository. */
export const noHistory: History = { commits: Effect.succeed(noPastCommits) }
