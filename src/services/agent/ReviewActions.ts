/**
 * What an agent may do while it reviews: look at files, the change, history and symbols. Nothing here runs a program, follows
 * a link or leaves the repository, and every answer is bounded, redacted and stripped of what could hide in it.
 *
 * Also what an agent may do that mends: edit, create and delete files of a working tree of its own.
 */
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Repository } from "../change/openRepository.ts"
import { makeDiff } from "./actions/diff.ts"
import { makeGrep } from "./actions/grep.ts"
import { makeHistory } from "./actions/history.ts"
import { listFiles } from "./actions/listFiles.ts"
import { readFile } from "./actions/readFile.ts"
import { makeSymbols } from "./actions/symbols.ts"
import { makeWriteFiles, type Worktree } from "./actions/writeFiles.ts"
import type { Action } from "./runtime/Action.ts"
import { makeShownFiles } from "./runtime/ShownFiles.ts"

export class ReviewActions extends Context.Service<
  ReviewActions,
  {
    /** `read_file`, `list_files`, `grep`, `diff`, `history`, `symbols`: always all, always in this order. */
    readonly readOnly: ReadonlyArray<Action>
    /** `edit_file`, `create_file`, `delete_file`, in this order. The working tree is the caller's to make and to throw away. */
    readonly write: (worktree: Worktree) => ReadonlyArray<Action>
  }
>()("dd/services/agent/ReviewActions") {
  /** Of one change; the repository is null where only a patch is known. */
  static readonly layer = (scene: { readonly change: Change; readonly repository: Repository | null }) =>
    Layer.effect(
      ReviewActions,
      Effect.gen(function* () {
        const { change } = scene
        const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
        const files = yield* makeShownFiles(change)
        const grep = yield* makeGrep(files, change)
        const diff = yield* makeDiff(files, change)
        const history = yield* makeHistory(files, scene)
        const symbols = yield* makeSymbols(files, change)

        return ReviewActions.of({
          readOnly: [readFile(files), listFiles(files, change), grep, diff, history, symbols],
          write: (worktree) => makeWriteFiles(platform, files, worktree)
        })
      })
    )
}
