/** What dd learned from sessions in the repository under review, for its brief and its reviewers. */
import { Context, Effect } from "effect"
import type { LearnedArtifact } from "../../domain/brief/Learned.ts"

/** None, unless the repository has a dream store and `--no-learned` is not given. */
export const LearnedArtifacts = Context.Reference<Effect.Effect<ReadonlyArray<LearnedArtifact>>>(
  "dd/services/brief/LearnedArtifacts",
  { defaultValue: () => Effect.succeed([]) }
)
