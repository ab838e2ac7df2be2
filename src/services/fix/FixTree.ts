/**
 * A throw-away working tree at the reviewed state: the head of the change and, for uncommitted edits, those too.
 *
 * It is a repository of its own that borrows the objects of the reviewed one and writes nothing into it: neither the
 * user's files nor references, index or worktree list change, also when dd is killed. Removed with its scope, or by the
 * next run. A port: `layers/fix/GitTree.ts`.
 */
import { Context, type Effect, Schema } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Repository } from "../change/openRepository.ts"

export class FixTreeFailed extends Schema.TaggedError<FixTreeFailed>()("FixTreeFailed", { reason: Schema.String }) {
  override get message() {
    return `no working tree for fixes could be made: ${this.reason}`
  }
}

/** A file of a patch, on both sides; null: absent. */
export interface PatchedFile {
  readonly path: string
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

export interface Tree {
  readonly repository: Repository & { readonly root: string }
  /** A copy of the tree as it is now, for one group of fixes. Removed with the tree. */
  readonly branch: (name: string) => Effect.Effect<Tree, FixTreeFailed>
  /** Paths that differ from the start of this tree, without ignored files; sorted. */
  readonly changed: Effect.Effect<ReadonlyArray<string>, FixTreeFailed>
  /** The difference from the start of this tree, in git's form; binary files included. */
  readonly patch: Effect.Effect<Uint8Array, FixTreeFailed>
  readonly files: Effect.Effect<ReadonlyArray<PatchedFile>, FixTreeFailed>
  /** Null if the file is absent, no regular file, or too large. */
  readonly read: (path: string) => Effect.Effect<Uint8Array | null>
  readonly write: (path: string, bytes: Uint8Array | null) => Effect.Effect<void, FixTreeFailed>
  /** The bytes with the changes from `before` to `after`; null if they conflict. */
  readonly merged: (file: PatchedFile, current: Uint8Array) => Effect.Effect<Uint8Array | null, FixTreeFailed>
  /**
   * A directory with the files as they are now, for programs that may damage it: dd reads nothing of it again. The same
   * directory in every call.
   */
  readonly forTests: Effect.Effect<string, FixTreeFailed>
}

export class FixTree extends Context.Service<
  FixTree,
  {
    /** Made at first use. */
    readonly of: (change: Change) => Effect.Effect<Tree, FixTreeFailed>
  }
>()("dd/services/fix/FixTree") {}
