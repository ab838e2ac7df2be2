/**
 * A copy of the fix tree in which a coding CLI may write, for one task.
 *
 * The tree itself has a `.git` and files that configure tools, and a CLI can be killed while it writes. So the CLI works in a
 * copy, and `bringBack` takes over its version of the one file of the task: whole or not at all, with its secrets, and
 * under the same rules as the writing tools. Docs: docs/decisions/0020.
 */
import { Clock, Effect, FileSystem, Option, Path, Schema } from "effect"
import { guardedKind } from "../../../../domain/agent/guardedPath.ts"
import type { Task } from "../../../../domain/agent/Task.ts"
import { restored } from "../../../../domain/secret/restored.ts"
import { compareText } from "../../../../domain/text/compareText.ts"
import { treeSources } from "../../../../services/agent/runtime/treeSources.ts"
import { makeWritableTree, textOf } from "../../../../services/agent/runtime/WritableTree.ts"
import { maxBytes, Sources } from "../../../../services/change/Sources.ts"
import { Redactor } from "../../../../services/secret/Redactor.ts"
import { readWorktreeFile } from "../../../../services/system/worktreeFile.ts"
import * as HeadCopy from "./HeadCopy.ts"

export type FixTask = Extract<Task, { readonly _tag: "Fix" }>

export class FixNotTaken extends Schema.TaggedError<FixNotTaken>()("FixNotTaken", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be fixed by a coding CLI: ${this.reason}`
  }
}

/** A fix needs fewer files than a review. */
const limits = { mostFiles: 1000, mostBytes: 8_000_000 }

/** The copy is removed with its scope. */
export const make = Effect.fnUntraced(function* ({ path, tree: worktree }: FixTask, options: HeadCopy.HeadCopyOptions) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const redactor = yield* Redactor
  const failed = (reason: string) => new FixNotTaken({ path: redactor.text(path), reason })
  const refused = Effect.mapError(({ message }: { readonly message: string }) => failed(message))

  const kind = guardedKind(path)
  if (kind !== null && !worktree.allow.includes(kind)) return yield* failed("other programs run or write it")
  if (!HeadCopy.isCopied(path)) return yield* failed("it configures coding tools")
  const tree = makeWritableTree({ fs, paths }, worktree.root)
  const sources = yield* treeSources(worktree, path)
  const isNew = (yield* sources.head(path))._tag === "Absent"
  const before = isNew ? "" : yield* refused(tree.read(path))
  const mark = before.startsWith(byteOrderMark) ? byteOrderMark : ""
  const shown = redactor.text(before.slice(mark.length))

  const copy = yield* HeadCopy.make({ ...options, ...limits, changed: [path], before: [] }).pipe(
    Effect.provideService(Sources, sources)
  )
  const files = yield* refused(copy.files)
  const directory = yield* refused(fs.realPath(files.directory))
  const copiedAt = yield* Clock.currentTimeMillis
  if (!isNew && !(yield* refused(fs.exists(paths.join(directory, path))))) return yield* failed("it is too large")

  /** Null: the file does not exist. */
  const edited = Effect.gen(function* () {
    const file = yield* readWorktreeFile({ fs, paths }, directory, path, maxBytes)
    if (file._tag === "Absent") return null
    const text = file._tag === "File" ? textOf(file.bytes) : null
    return text ?? (yield* failed("its new version is not UTF-8 text"))
  })

  /** Changes to other files of the copy, which are dropped. */
  const others = Effect.gen(function* () {
    const found: Array<string> = []
    for (const name of yield* fs.readDirectory(directory, { recursive: true })) {
      if (name === path) continue
      const info = yield* Effect.option(fs.lstat(paths.join(directory, name)))
      const isChanged = Option.exists(
        info,
        ({ mtime, type }) => type !== "Directory" && Option.exists(mtime, (time) => time.getTime() > copiedAt)
      )
      if (isChanged) found.push(redactor.text(name))
    }
    return found.toSorted(compareText)
  })

  /** Returns the other paths that were changed in vain. */
  const bringBack = Effect.gen(function* () {
    const after = yield* edited
    if (after === null ? !isNew : isNew || after !== shown) {
      if (!isNew && (yield* tree.read(path)) !== before) return yield* failed("it was changed meanwhile")
      if (after === null) yield* tree.remove(path)
      else {
        const text = yield* Effect.mapError(
          Effect.fromResult(restored(before.slice(mark.length), shown, after)),
          failed
        )
        const bytes = new TextEncoder().encode(mark + text)
        yield* isNew ? tree.create(path, bytes) : tree.replace(path, bytes)
      }
    }
    return yield* others
  }).pipe(Effect.mapError((error) => (error._tag === "FixNotTaken" ? error : failed(error.message))))

  return { files, bringBack }
})

const byteOrderMark = "\ufeff"
