/**
 * `edit_file`, `create_file`, `delete_file`: what an agent may do to a working tree that is thrown away later. Hooks, CI
 * files and lock files only where they are allowed.
 */
import { Effect, Result, Schema } from "effect"
import { askedPath } from "../../../domain/agent/askedPath.ts"
import { type GuardedKind, guardedKind } from "../../../domain/agent/guardedPath.ts"
import { noMarker, replaceOnce } from "../../../domain/secret/replaceOnce.ts"
import { anyMarker } from "../../../domain/text/Mask.ts"
import { maxBytes } from "../../change/Sources.ts"
import type { Platform } from "../../system/worktreeFile.ts"
import type { Action, ActionAnswer } from "../runtime/Action.ts"
import { actionOf } from "../runtime/actionOf.ts"
import { answered, refused } from "../runtime/answerText.ts"
import type { ShownFiles } from "../runtime/ShownFiles.ts"
import { makeWritableTree, NotWritten } from "../runtime/WritableTree.ts"

/** A working tree of the run's own. */
export interface Worktree {
  readonly root: string
  /** Guarded files that may be written all the same. */
  readonly allow: ReadonlyArray<GuardedKind>
}

const path = Schema.String.annotate({ description: "The file, from the repository's root." })

const Edit = Schema.Struct({
  path,
  old: Schema.String.check(Schema.isMinLength(1)).annotate({
    description: "Text of the file exactly as it stands, line breaks and spaces included, without line numbers."
  }),
  new: Schema.String.annotate({ description: "What takes its place; empty to take it away." })
})

const Create = Schema.Struct({ path, content: Schema.String.annotate({ description: "The whole file." }) })

const Delete = Schema.Struct({ path })

const guardedAs: Record<GuardedKind, string> = {
  hooks: "it is started by git, an editor or an agent",
  ci: "it tells a build server what to run",
  lockfiles: "a package manager writes it"
}

const writing = { changesThings: true, timeout: "30 seconds", concurrency: 1, retries: 0 } as const

export const makeWriteFiles = (
  platform: Platform,
  files: Pick<ShownFiles, "path" | "words">,
  worktree: Worktree
): ReadonlyArray<Action> => {
  const tree = makeWritableTree(platform, worktree.root)

  /** Acts on a path that may be written; any reason not to is an answer. */
  const at = (
    written: string,
    act: (path: string) => Effect.Effect<string, NotWritten>
  ): Effect.Effect<ActionAnswer> => {
    const asked = askedPath(written)
    const shown = files.words(written.slice(0, 200))
    if (Result.isFailure(asked)) return Effect.succeed(refused(`${shown}: ${asked.failure}`))
    const kind = guardedKind(asked.success)
    if (kind !== null && !worktree.allow.includes(kind)) {
      return Effect.succeed(refused(`${shown} may not be written: ${guardedAs[kind]}; say in words what should change`))
    }
    return act(asked.success).pipe(
      Effect.map(answered),
      Effect.catch(({ message }) => Effect.succeed(refused(`${shown} was not changed: ${message}`)))
    )
  }

  const edit = Effect.fnUntraced(function* (name: string, { new: fresh, old }: typeof Edit.Type) {
    const bytes = yield* tree.read(name)
    const text = textOf(bytes)
    if (text === null) return yield* refusal("it is not UTF-8 text")
    const edited = replaceOnce(text, old, fresh)
    if (Result.isFailure(edited)) return yield* refusal(edited.failure)
    const after = new TextEncoder().encode(edited.success.text)
    if (after.length > maxBytes) return yield* refusal(`it would have more than ${maxBytes} bytes`)
    yield* tree.replace(name, after)
    return `${files.path(name)} edited at line ${edited.success.line}`
  })

  const editFile = actionOf({
    ...writing,
    name: "edit_file",
    description: "Replaces a text that stands exactly once in a file. Everything else of the file stays as it is.",
    input: Edit,
    act: (input: typeof Edit.Type) => at(input.path, (name) => edit(name, input))
  })

  const createFile = actionOf({
    ...writing,
    name: "create_file",
    description: "Makes a new file, and the folders it is in. Fails where there is a file already.",
    input: Create,
    act: (input: typeof Create.Type) =>
      at(input.path, (name) => {
        const bytes = new TextEncoder().encode(input.content)
        if (bytes.length > maxBytes) return Effect.fail(refusal(`it would have more than ${maxBytes} bytes`))
        if (anyMarker.test(input.content)) return Effect.fail(refusal(noMarker))
        return Effect.as(tree.create(name, bytes), `${files.path(name)} created`)
      })
  })

  const deleteFile = actionOf({
    ...writing,
    name: "delete_file",
    description: "Deletes a file.",
    input: Delete,
    act: (input: typeof Delete.Type) =>
      at(input.path, (name) => Effect.as(tree.remove(name), `${files.path(name)} deleted`))
  })

  return [editFile, createFile, deleteFile]
}

const refusal = (reason: string) => new NotWritten({ reason })

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Null for what would not come out as it went in. */
const textOf = (bytes: Uint8Array): string | null =>
  bytes.includes(0)
    ? null
    : Result.getOrElse(
        Result.try(() => strict.decode(bytes)),
        () => null
      )
