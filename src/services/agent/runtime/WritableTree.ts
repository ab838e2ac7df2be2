/**
 * Writes files atomically into a temporary working tree.
 *
 * A file is refused if it or a folder on its path is a link, or if it is in a nested repository. Both are checked
 * before and after writing, because the tree may change in between.
 */
import { Clock, Effect, Option, Random, Result } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { maxBytes } from "../../change/Sources.ts"
import { systemErrorText } from "../../system/systemErrorText.ts"
import { type Platform, readWorktreeFile } from "../../system/worktreeFile.ts"
import { type Refused, refused } from "./Action.ts"

export interface WritableTree {
  /** The text of a regular file of at most `maxBytes`, with its byte order mark. */
  readonly read: (path: string) => Effect.Effect<string, Refused>
  /** Replaces an existing file and preserves its permissions. */
  readonly replace: (path: string, bytes: Uint8Array) => Effect.Effect<void, Refused>
  /** Creates a file, and the folders on its path. */
  readonly create: (path: string, bytes: Uint8Array) => Effect.Effect<void, Refused>
  readonly remove: (path: string) => Effect.Effect<void, Refused>
}

/** Of files that are not yet in place; the group is the time, in milliseconds since 1970. */
export const draftName = /^\.dd-(\d+)--?\d+\.draft$/

/** Paths are relative to `root` and checked (`domain/agent/repositoryPath`). */
export const makeWritableTree = ({ fs, paths }: Platform, root: string): WritableTree => {
  const failed = (error: PlatformError) =>
    refused(
      error.reason._tag === "NotFound" ? "it does not exist" : `the system refused it (${systemErrorText(error)})`
    )

  const statOf = (path: string) =>
    fs.lstat(path).pipe(
      Effect.asSome,
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotFound",
        () => Effect.succeedNone
      ),
      Effect.mapError(failed)
    )

  /** Finds the folder of a path and the entry at the path. `makes`: creates missing folders. */
  const locate = Effect.fnUntraced(function* (path: string, makes: boolean) {
    const top = yield* fs.realPath(root).pipe(Effect.mapError(failed))
    const parts = path.split("/")
    const name = parts.pop() ?? ""
    let folder = top
    for (const part of parts) {
      folder = paths.join(folder, part)
      let info = yield* statOf(folder)
      if (Option.isNone(info)) {
        if (!makes) return yield* refused("it does not exist")
        // If another process has created it, the next check finds it.
        yield* fs.makeDirectory(folder).pipe(
          Effect.catchIf(
            ({ reason }) => reason._tag === "AlreadyExists",
            () => Effect.void
          ),
          Effect.mapError(failed)
        )
        info = yield* statOf(folder)
      }
      const kind = Option.map(info, ({ type }) => type)
      if (Option.contains(kind, "SymbolicLink")) return yield* refused("a folder on its path is a symbolic link")
      if (!Option.contains(kind, "Directory")) return yield* refused("a part of its path is a file, not a folder")
      if (Option.isSome(yield* statOf(paths.join(folder, ".git")))) {
        return yield* refused("it is in another repository (a submodule)")
      }
    }
    const file = paths.join(folder, name)
    return { folder, file, there: yield* statOf(file) }
  })

  const locateFile = Effect.fnUntraced(function* (path: string) {
    const place = yield* locate(path, false)
    const { there } = place
    if (Option.isNone(there)) return yield* refused("it does not exist; create_file makes a new file")
    if (there.value.type === "SymbolicLink") return yield* refused("it is a symbolic link, and links are not followed")
    if (there.value.type === "Directory") return yield* refused("it is a folder")
    if (there.value.type !== "File") return yield* refused("it is not a regular file")
    return { ...place, there: there.value }
  })

  /** Whether the folder is still at the same place. */
  const isUnmoved = (folder: string) =>
    fs.realPath(folder).pipe(
      Effect.map((real) => real === folder),
      Effect.mapError(failed)
    )

  const draftIn = (folder: string) =>
    Effect.zipWith(Clock.currentTimeMillis, Random.nextInt, (now, number) =>
      paths.join(folder, `.dd-${now}-${number}.draft`)
    )

  /** Writes a draft, which `publish` moves into place; the draft is always removed. */
  const writeDraft = <A>(
    folder: string,
    bytes: Uint8Array,
    mode: number,
    publish: (draft: string) => Effect.Effect<A, Refused>
  ) =>
    Effect.gen(function* () {
      const draft = yield* draftIn(folder)
      return yield* fs.writeFile(draft, bytes, { flag: "wx", mode: 0o600 }).pipe(
        Effect.andThen(fs.chmod(draft, mode)),
        Effect.mapError(failed),
        Effect.andThen(isUnmoved(folder)),
        Effect.flatMap((same) => (same ? publish(draft) : Effect.fail(refused(moved)))),
        // On a read-only disk there is no draft.
        Effect.ensuring(Effect.option(fs.remove(draft, { force: true })))
      )
    }).pipe(Effect.uninterruptible)

  const read = Effect.fn("WritableTree.read")(function* (path: string) {
    yield* locateFile(path)
    const top = yield* fs.realPath(root).pipe(Effect.mapError(failed))
    const file = yield* readWorktreeFile({ fs, paths }, top, path, maxBytes)
    switch (file._tag) {
      case "File":
        return textOf(file.bytes) ?? (yield* refused("it is not UTF-8 text"))
      case "TooLarge":
        return yield* refused(`it has ${file.bytes} bytes, more than ${maxBytes}`)
      case "Link":
        return yield* refused("it is a symbolic link, and links are not followed")
      case "Absent":
        return yield* refused("it does not exist")
      case "Unreadable":
        return yield* refused(file.reason)
    }
  })

  const replace = Effect.fn("WritableTree.replace")(function* (path: string, bytes: Uint8Array) {
    const { file, folder, there } = yield* locateFile(path)
    yield* writeDraft(folder, bytes, there.mode & 0o777, (draft) => Effect.mapError(fs.rename(draft, file), failed))
    if (!(yield* isUnmoved(folder))) return yield* refused(moved)
  })

  const create = Effect.fn("WritableTree.create")(function* (path: string, bytes: Uint8Array) {
    const { file, folder, there } = yield* locate(path, true)
    if (Option.isSome(there)) return yield* refused("it exists already; edit_file changes it")
    // A hard link, because a rename would replace a file that was created in between.
    yield* writeDraft(folder, bytes, 0o644, (draft) =>
      fs
        .link(draft, file)
        .pipe(
          Effect.mapError((error) =>
            error.reason._tag === "AlreadyExists" ? refused("it exists already; edit_file changes it") : failed(error)
          )
        )
    )
    if (!(yield* isUnmoved(folder))) return yield* refused(moved)
  })

  const remove = Effect.fn("WritableTree.remove")(function* (path: string) {
    const { file, folder } = yield* locateFile(path)
    const draft = yield* draftIn(folder)
    // Moved first, so that it can be moved back.
    yield* Effect.uninterruptible(
      fs.rename(file, draft).pipe(
        Effect.mapError(failed),
        Effect.andThen(isUnmoved(folder)),
        Effect.flatMap((same) =>
          same
            ? Effect.mapError(fs.remove(draft), failed)
            : Effect.andThen(Effect.mapError(fs.rename(draft, file), failed), Effect.fail(refused(moved)))
        )
      )
    )
  })

  return { read, replace, create, remove }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Null if encoding the text would not produce the same bytes. */
export const textOf = (bytes: Uint8Array): string | null =>
  bytes.includes(0)
    ? null
    : Result.getOrElse(
        Result.try(() => strict.decode(bytes)),
        () => null
      )

const moved = "a folder on its path changed meanwhile"
