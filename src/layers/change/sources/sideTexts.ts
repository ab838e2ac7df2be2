/** Reads the texts of both sides from git's objects and from the working tree. */
import { Effect, FileSystem, Path, Result } from "effect"
import { applyDiff, reverseFile } from "../../../domain/change/applyDiff.ts"
import type { DiffFile } from "../../../domain/change/Diff.ts"
import { filesOfDiff } from "../../../domain/change/filesOfDiff.ts"
import { Git } from "../../../services/change/Git.ts"
import { ObjectMissing } from "../../../services/change/GitError.ts"
import { type Blob, notInClone, tooDeepReason } from "../../../services/change/gitOutput.ts"
import type { ReadFailures } from "../../../services/change/ReadFailures.ts"
import { maxBytes, type SourceText, sourceText } from "../../../services/change/Sources.ts"
import { readWorktreeFile } from "../../../services/system/worktreeFile.ts"
import { type Entry, isDirectory, type Located, type SideFiles } from "./sideFiles.ts"

/** Changed files that are read together. */
const filesAtOnce = 50

/** The one place where a text that could not be read is noted. */
const noteUnread = (failures: ReadFailures, path: string, text: SourceText) => {
  if (text._tag !== "Unreadable") return
  const error =
    text.reason === notInClone
      ? new ObjectMissing({ command: "cat-file" })
      : { _tag: "FileUnreadable", message: text.reason }
  failures.add("files that could not be read", error, [path])
}

/** Texts that are read once and kept. `storedBytes` are those of blobs that are in memory already. */
export const makeSideTexts = Effect.fnUntraced(function* (
  { change, listed, locate, repository }: SideFiles,
  failures: ReadFailures,
  storedBytes: (oid: string) => Uint8Array | null
) {
  const git = yield* Git
  const readWorktree = yield* makeWorktreeReader
  const texts = { base: new Map<string, SourceText>(), head: new Map<string, SourceText>() }
  const blobs = new Map<string, SourceText>()
  const notRead = (paths: ReadonlyArray<string>, error: { readonly _tag: string; readonly message: string }) =>
    failures.add("files that could not be read", error, paths)

  const heads = new Set(change.diff.files.map(({ newPath }) => newPath))
  /** A changed file is named once: in the coverage, as unread. */
  const note = (which: "base" | "head", path: string, text: SourceText) => {
    if (which === "base" || !heads.has(path)) noteUnread(failures, path, text)
  }

  const readBlobs = Effect.fnUntraced(function* (located: ReadonlyArray<Located>) {
    const fresh = withObject(located).flatMap(({ entry }) => (blobs.has(entry.oid) ? [] : [entry.oid]))
    for (const oid of fresh) {
      const bytes = storedBytes(oid)
      if (bytes !== null) blobs.set(oid, sourceText(bytes))
    }
    const found = yield* git.readBlobs(
      repository,
      fresh.filter((oid) => !blobs.has(oid)),
      maxBytes
    )
    for (const [oid, blob] of found) blobs.set(oid, blobText(blob, maxBytes))
    for (const { which, path, entry } of located) {
      const text = entry === null || isDirectory(entry) ? absent : entryText(entry, blobs.get(entry.oid))
      note(which, path, text)
      texts[which].set(path, text)
    }
  })

  /** Reads from git; when git fails, the texts of these paths are its error. */
  const readFromGit = (wanted: ReadonlyArray<{ which: "base" | "head"; paths: ReadonlyArray<string> }>) =>
    Effect.forEach(wanted, ({ which, paths }) => locate(which, paths), { concurrency: 2 }).pipe(
      Effect.flatMap((located) => readBlobs(located.flat())),
      Effect.catch((error) =>
        Effect.sync(() => {
          for (const { which, paths } of wanted) {
            notRead(paths, error)
            for (const path of paths) texts[which].set(path, { _tag: "Unreadable", reason: error.message })
          }
        })
      )
    )

  const readFromDisk = Effect.fnUntraced(function* (root: string, paths: ReadonlyArray<string>) {
    const { found, sparse } = yield* readWorktree(root, paths, maxBytes, listed)
    for (const path of paths) {
      const text = found.get(path) ?? absent
      note("head", path, text)
      texts.head.set(path, text)
    }
    if (sparse.length > 0) yield* readFromGit([{ which: "head", paths: sparse.map(({ path }) => path) }])
  })

  /** Before a patch that the working tree has applied: the working tree with the patch undone. */
  const undo = (path: string): SourceText => {
    const { at, from } = filesOfDiff(change.diff)
    const file = from(path)
    if (file === undefined) return at(path) === undefined ? (texts.head.get(path) ?? absent) : absent
    if (file.newPath === null) return undone(file, new Uint8Array())
    const head = texts.head.get(file.newPath) ?? absent
    return head._tag === "Text" ? undone(file, new TextEncoder().encode(head.text)) : head
  }

  const changed = new Set(change.diff.files.flatMap(({ newPath, oldPath }) => [newPath, oldPath]))
  // All changed files are read together: starting a process takes longer than reading them.
  const together = {
    base: change.diff.files.slice(0, filesAtOnce).flatMap(({ oldPath }) => oldPath ?? []),
    head: change.diff.files.slice(0, filesAtOnce).flatMap(({ newPath }) => newPath ?? [])
  }
  const fresh = (which: "base" | "head", paths: ReadonlyArray<string>) =>
    [...new Set(paths)].filter((path) => !texts[which].has(path))

  const load = Effect.fnUntraced(function* (base: ReadonlyArray<string>, head: ReadonlyArray<string>) {
    const { root } = repository
    const undoing = change.base._tag === "Unknown"
    const headNames = undoing ? base.map((path) => filesOfDiff(change.diff).from(path)?.newPath ?? path) : []
    const withChange = [...base, ...head].some((path) => changed.has(path))
    const freshBase = fresh("base", withChange && !undoing ? [...base, ...together.base] : base)
    const freshHead = fresh("head", [...head, ...headNames, ...(withChange ? together.head : [])])
    const onDisk = change.head._tag === "Worktree" && root !== null
    if (onDisk) yield* readFromDisk(root, freshHead)
    const fromGit = [
      ...(undoing || freshBase.length === 0 ? [] : [{ which: "base" as const, paths: freshBase }]),
      ...(onDisk || freshHead.length === 0 ? [] : [{ which: "head" as const, paths: freshHead }])
    ]
    if (fromGit.length > 0) yield* readFromGit(fromGit)
    if (undoing) for (const path of freshBase) texts.base.set(path, undo(path))
  })

  const text = Effect.fnUntraced(function* (which: "base" | "head", path: string) {
    if (!texts[which].has(path)) yield* which === "base" ? load([path], []) : load([], [path])
    return texts[which].get(path) ?? absent
  })

  return { load, text }
})

/** Texts that are read once and not kept; `base` are those of a base side that is not in the repository. */
export const makePassingTexts = Effect.fnUntraced(function* (
  { change, listed, locate, repository }: SideFiles,
  failures: ReadFailures,
  base: (path: string) => Effect.Effect<SourceText>
) {
  const git = yield* Git
  const readWorktree = yield* makeWorktreeReader

  const readBlobs = Effect.fnUntraced(function* (located: ReadonlyArray<Located>, limit: number) {
    const files = withObject(located)
    const blobs = yield* git.readBlobs(
      repository,
      files.map(({ entry }) => entry.oid),
      limit
    )
    return files.map(({ entry, path }) => {
      const blob = blobs.get(entry.oid)
      return [path, entryText(entry, blob === undefined ? undefined : blobText(blob, limit))] as const
    })
  })

  const unreadable = (paths: ReadonlyArray<string>) =>
    Effect.catch((error: { readonly _tag: string; readonly message: string }) =>
      Effect.sync(() => {
        failures.add("files that could not be read", error, paths)
        return paths.map((path) => [path, { _tag: "Unreadable", reason: error.message }] as const)
      })
    )

  return Effect.fn("Sources.passing")(function* (which: "base" | "head", paths: ReadonlyArray<string>, limit: number) {
    const { root } = repository
    const side = change[which]._tag
    if (side === "Unknown") return yield* Effect.forEach(paths, base)
    const onDisk = side === "Worktree" && root !== null ? yield* readWorktree(root, paths, limit, listed) : null
    const located = onDisk === null ? locate(which, paths) : Effect.succeed(onDisk.sparse)
    const wanted = onDisk === null ? paths : onDisk.sparse.map(({ path }) => path)
    const fromGit = yield* located.pipe(
      Effect.flatMap((some) => readBlobs(some, limit)),
      unreadable(wanted)
    )
    const found = new Map<string, SourceText>([...(onDisk?.found ?? []), ...fromGit])
    return paths.map((path) => found.get(path) ?? absent)
  })
})

/**
 * Reads files of the working tree. `sparse` are those that a sparse checkout leaves out on purpose: their text is that of
 * the index.
 */
const makeWorktreeReader = Effect.gen(function* () {
  const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
  return Effect.fnUntraced(function* (
    root: string,
    paths: ReadonlyArray<string>,
    limit: number,
    listed: SideFiles["listed"]
  ) {
    const found = new Map<string, SourceText>()
    yield* Effect.forEach(
      paths,
      (path) =>
        Effect.map(readWorktreeFile(platform, root, path, limit), (file) => {
          if (file._tag !== "Absent") found.set(path, file._tag === "File" ? sourceText(file.bytes, limit) : file)
        }),
      { concurrency: 16, discard: true }
    )
    const missing = paths.filter((path) => !found.has(path))
    const index = missing.length === 0 ? new Map<string, Entry>() : yield* listed
    const sparse = missing.flatMap((path): ReadonlyArray<Located> => {
      const entry = index.get(path)
      return entry?.skipWorktree === true ? [{ which: "head", path, entry }] : []
    })
    return { found, sparse }
  })
})

const absent: SourceText = { _tag: "Absent" }

const withObject = (located: ReadonlyArray<Located>) =>
  located.flatMap(({ entry, path }) => (entry === null || isDirectory(entry) ? [] : [{ path, entry }]))

const entryText = (entry: Entry, text: SourceText | undefined): SourceText => {
  if (text === undefined) return { _tag: "Unreadable", reason: "git did not answer for it" }
  return entry.mode === "120000" && text._tag === "Text" ? { _tag: "Link", target: text.text } : text
}

const blobText = (blob: Blob, limit: number): SourceText => {
  switch (blob._tag) {
    case "Found":
      return sourceText(blob.bytes, limit)
    case "TooLarge":
      return { _tag: "TooLarge", bytes: blob.size }
    case "TooDeep":
      return { _tag: "Unreadable", reason: tooDeepReason }
    case "Missing":
      return { _tag: "Unreadable", reason: notInClone }
  }
}

const undone = (file: DiffFile, head: Uint8Array): SourceText =>
  Result.match(applyDiff(reverseFile(file), head), {
    onFailure: (error): SourceText => ({ _tag: "Unreadable", reason: error.message }),
    onSuccess: sourceText
  })
