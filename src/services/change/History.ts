/** The history before the change: ancestors of its base side. Never fails; what is missing is in `omitted`. */
import { Effect } from "effect"
import { noPastCommits, type PastCommits } from "../../domain/change/PastCommit.ts"
import type { PastEdit } from "../../domain/change/PastEdit.ts"

export interface History {
  /** Read once, and kept between runs. */
  readonly commits: Effect.Effect<PastCommits>
  /** What each of these commits edited, in their order; null for a commit that could not be read. */
  readonly edits: (shas: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ReadonlyArray<PastEdit> | null>>
}

/** For texts without a repository. */
export const noHistory: History = {
  commits: Effect.succeed(noPastCommits),
  edits: (shas) => Effect.succeed(shas.map(() => null))
}
