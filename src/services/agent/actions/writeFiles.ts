/** `edit_file`, `create_file`, `delete_file`: changes to a temporary working tree. Guarded files need permission. */
import { Effect, Result, Schema } from "effect"
import { type GuardedKind, guardedKind } from "../../../domain/agent/guardedPath.ts"
import type { Worktree } from "../../../domain/agent/Task.ts"
import { noMarker, replaceOnce } from "../../../domain/secret/replaceOnce.ts"
import { anyMarker } from "../../../domain/text/Mask.ts"
import { maxBytes } from "../../change/Sources.ts"
import type { Platform } from "../../system/worktreeFile.ts"
import { type Action, actionOf, type Refused, refused } from "../runtime/Action.ts"
import { pathIn, type ShownFiles } from "../runtime/ShownFiles.ts"
import { makeWritableTree } from "../runtime/WritableTree.ts"

const path = Schema.String.annotate({ description: "The file, from the repository's root." })

const Edit = Schema.Struct({
  path,
  old: Schema.String.check(Schema.isMinLength(1)).annotate({
    description: "Text of the file exactly as it is, line breaks and spaces included, without line numbers."
  }),
  new: Schema.String.annotate({ description: "The text to replace it with; empty to delete it." })
})

const Create = Schema.Struct({ path, content: Schema.String.annotate({ description: "The whole file." }) })

const Delete = Schema.Struct({ path })

const guardedBecause: Record<GuardedKind, string> = {
  hooks: "git, an editor or an agent runs it",
  ci: "a build server runs it",
  lockfiles: "a package manager writes it"
}

const writing = { changesThings: true, timeout: "30 seconds", concurrency: 1, retries: 0 } as const

/** `only`: the path of the file that may be written. */
export const makeWriteFiles = (
  platform: Platform,
  files: Pick<ShownFiles, "path" | "words">,
  worktree: Worktree,
  only: string
): ReadonlyArray<Action> => {
  const tree = makeWritableTree(platform, worktree.root)

  const at = Effect.fnUntraced(function* (written: string, act: (path: string) => Effect.Effect<string, Refused>) {
    const path = written === files.path(only) ? only : yield* pathIn(written, files.words)
    const kind = guardedKind(path)
    const shown = files.words(written.slice(0, 200))
    if (path !== only) {
      return yield* refused(`${shown} may not be written: this task may change only ${files.path(only)}`)
    }
    if (kind !== null && !worktree.allow.includes(kind)) {
      return yield* refused(
        `${shown} may not be written: ${guardedBecause[kind]}; describe the change in words instead`
      )
    }
    return yield* Effect.mapError(act(path), ({ message }) => refused(`${shown} was not changed: ${message}`))
  })

  const edit = Effect.fnUntraced(function* (name: string, { new: fresh, old }: typeof Edit.Type) {
    const text = yield* tree.read(name)
    const edited = replaceOnce(text, old, fresh)
    if (Result.isFailure(edited)) return yield* refused(edited.failure)
    const after = new TextEncoder().encode(edited.success.text)
    if (after.length > maxBytes) return yield* refused(`it would have more than ${maxBytes} bytes`)
    yield* tree.replace(name, after)
    return `${files.path(name)} edited at line ${edited.success.line}`
  })

  const editFile = actionOf({
    ...writing,
    name: "edit_file",
    description: "Replaces a text that occurs exactly once in a file. The rest of the file stays as it is.",
    input: Edit,
    act: (input: typeof Edit.Type) => at(input.path, (name) => edit(name, input))
  })

  const createFile = actionOf({
    ...writing,
    name: "create_file",
    description: "Creates a file, and the folders it is in. Fails if the file exists.",
    input: Create,
    act: (input: typeof Create.Type) =>
      at(input.path, (name) => {
        const bytes = new TextEncoder().encode(input.content)
        if (bytes.length > maxBytes) return Effect.fail(refused(`it would have more than ${maxBytes} bytes`))
        if (anyMarker.test(input.content)) return Effect.fail(refused(noMarker))
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
