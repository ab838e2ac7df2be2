/**
 * One pull request on the server that has it.
 *
 * Reading is repeated if the server is not available. A method that writes is done once: after `ForgeUnavailable` it may
 * or may not have been done, and the caller checks that before it tries again.
 */
import { Context, type Effect } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import type { Anchor } from "../../domain/forge/Anchor.ts"
import type { Discussion, PullRequest, Thread } from "../../domain/forge/PullRequest.ts"
import type { ForgeError } from "./ForgeError.ts"

export interface NewComment {
  readonly anchor: Anchor
  readonly body: string
}

export interface NewReview {
  readonly headSha: string
  readonly body: string
  readonly comments: ReadonlyArray<NewComment>
}

export class Forge extends Context.Service<
  Forge,
  {
    readonly pullRequest: Effect.Effect<PullRequest, ForgeError>
    /** The diff as the forge shows it; a file that it does not show has no hunks. */
    readonly files: Effect.Effect<ReadonlyArray<DiffFile>, ForgeError>
    readonly discussion: Effect.Effect<Discussion, ForgeError>
    /** All comments or none. */
    readonly review: (review: NewReview) => Effect.Effect<void, ForgeError>
    readonly reply: (thread: Thread, body: string) => Effect.Effect<void, ForgeError>
    /** Resolves the thread, or hides it as outdated if the token may not resolve it. */
    readonly close: (thread: Thread) => Effect.Effect<void, ForgeError>
    /** Replaces the text of a review. */
    readonly update: (reviewId: string, body: string) => Effect.Effect<void, ForgeError>
  }
>()("dd/services/forge/Forge") {}
