/**
 * The tools of a reviewing agent, for files, the change, history and symbols. They run no program of the repository, do
 * not follow links, and stay in the repository; every answer is bounded, redacted and printable.
 */
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import type { Worktree } from "../../domain/agent/Task.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Repository } from "../change/openRepository.ts"
import { Sources } from "../change/Sources.ts"
import type { LinePatterns } from "../finding/LinePatterns.ts"
import type { Redactor } from "../secret/Redactor.ts"
import { makeDiff } from "./actions/diff.ts"
import { makeGrep } from "./actions/grep.ts"
import { makeHistory } from "./actions/history.ts"
import { listFiles } from "./actions/listFiles.ts"
import { readFile } from "./actions/readFile.ts"
import { makeSymbols } from "./actions/symbols.ts"
import { makeWriteFiles } from "./actions/writeFiles.ts"
import type { Action } from "./runtime/Action.ts"
import { makeShownFiles } from "./runtime/ShownFiles.ts"
import { treeSources } from "./runtime/treeSources.ts"

export class ReviewActions extends Context.Service<
  ReviewActions,
  {
    /** `read_file`, `list_files`, `grep`, `diff`, `history`, `symbols`, in this order. */
    readonly readOnly: ReadonlyArray<Action>
    /**
     * The read-only tools, which read the files of the working tree, then `edit_file`, `create_file` and `delete_file` for
     * one file.
     */
    readonly write: (worktree: Worktree, path: string) => Effect.Effect<ReadonlyArray<Action>>
  }
>()("dd/services/agent/ReviewActions") {
  /** `repository`: null for a bare patch. */
  static readonly layer = (scene: { readonly change: Change; readonly repository: Repository | null }) =>
    Layer.effect(
      ReviewActions,
      Effect.gen(function* () {
        const { change } = scene
        const services = yield* Effect.context<FileSystem.FileSystem | Path.Path | Sources | Redactor | LinePatterns>()
        const files = yield* makeShownFiles(change)
        const grep = yield* makeGrep(files, change)
        const diff = yield* makeDiff(files, change)
        const history = yield* makeHistory(files, scene)
        const symbols = yield* makeSymbols(files, change)

        const write = Effect.fnUntraced(function* (worktree: Worktree, path: string) {
          const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
          const inTree = Effect.provideService(Sources, yield* treeSources(worktree, path))
          const files = yield* inTree(makeShownFiles(change, true))
          const grep = yield* inTree(makeGrep(files, change))
          const reading = [readFile(files), listFiles(files, change), grep, diff, history, symbols]
          return [...reading, ...makeWriteFiles(platform, files, worktree, path)]
        })

        return ReviewActions.of({
          readOnly: [readFile(files), listFiles(files, change), grep, diff, history, symbols],
          write: (worktree, path) => Effect.provideContext(write(worktree, path), services)
        })
      })
    )
}
