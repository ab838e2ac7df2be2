/**
 * The tools of a reviewing agent, for files, the change, history and symbols. They run no program of the repository, do
 * not follow links, and stay in the repository; every answer is bounded, redacted and printable.
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
    /** `read_file`, `list_files`, `grep`, `diff`, `history`, `symbols`, in this order. */
    readonly readOnly: ReadonlyArray<Action>
    /** `edit_file`, `create_file`, `delete_file`, in this order. The caller creates and removes the working tree. */
    readonly write: (worktree: Worktree) => ReadonlyArray<Action>
  }
>()("dd/services/agent/ReviewActions") {
  /** `repository`: null for a bare patch. */
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
