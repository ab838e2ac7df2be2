/**
 * Texts of both sides from a repository: blobs by object name, the index, or the working tree as the disk has it.
 *
 * Blobs are read many at a time, in one process, and only once. A side that cannot be read gives the reason for each path
 * and never fails the run.
 */
import { Effect, FileSystem, Layer, Option, Path, Result } from "effect"
import { applyDiff, reverseFile } from "../../../domain/change/applyDiff.ts"
import type { Change } from "../../../domain/change/Change.ts"
import type { DiffFile } from "../../../domain/change/Diff.ts"
import { filesOfDiff } from "../../../domain/change/filesOfDiff.ts"
import type { WordGroup } from "../../../domain/change/WordPlace.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { hasImportWords } from "../../../languages/imports.ts"
import { endingsOf, familyOf } from "../../../languages/languages.ts"
import { Git } from "../../../services/change/Git.ts"
import { type Blob, notInClone, tooDeepReason } from "../../../services/change/gitOutput.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import { makeReadFailures } from "../../../services/change/ReadFailures.ts"
import { maxBytes, Sources, type SourceText, sourceText } from "../../../services/change/Sources.ts"
import { readWorktreeFile } from "../../../services/system/worktreeFile.ts"
import * as Patch from "./Patch.ts"
import { type Entry, isDirectory, type Located, makeSideFiles } from "./sideFiles.ts"
import { make as makeWordSearch } from "./wordSearch.ts"

/** Changed files that are read together. */
const filesAtOnce = 50

/** From so many changed files on, the files of their languages are asked about more than once. */
const filesOfManyQuestions = 5

/** For a change whose head is unknown, the repository cannot be used: this is `Patch.layer`. */
export const layer = (repository: Repository, change: Change) =>
  change.head._tag === "Unknown" ? Patch.layer(change) : fromRepository(repository, change)

const fromRepository = (repository: Repository, change: Change) =>
  Layer.effect(
    Sources,
    Effect.gen(function* () {
      const git = yield* Git
      const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
      const failures = makeReadFailures()

      const { files, locate } = yield* makeSideFiles(git, repository, change)
      const texts = { base: new Map<string, SourceText>(), head: new Map<string, SourceText>() }
      const blobs = new Map<string, SourceText>()
      const search = yield* makeWordSearch(
        repository,
        change.head,
        files.head.listing,
        change.diff.files.length < filesOfManyQuestions ? "few questions" : "many questions"
      )
      // The first question of a review is who uses the changed files.
      const families = new Set(
        change.diff.files.flatMap(({ path }) => (hasImportWords(path) ? familyOf(path) : null) ?? [])
      )
      if (families.size > 0) yield* search.soon([...families].flatMap(endingsOf))

      const readBlobs = Effect.fnUntraced(function* (located: ReadonlyArray<Located>) {
        const wanted = located.flatMap(({ entry }) => (entry === null || isDirectory(entry) ? [] : [entry.oid]))
        const fresh = wanted.filter((oid) => !blobs.has(oid))
        for (const oid of fresh) {
          const bytes = search.bytes(oid)
          if (bytes !== null) blobs.set(oid, sourceText(bytes))
        }
        const found = yield* git.readBlobs(
          repository,
          fresh.filter((oid) => !blobs.has(oid)),
          maxBytes
        )
        for (const [oid, blob] of found) blobs.set(oid, blobText(blob))
        for (const { which, path, entry } of located) {
          const text = entry === null || isDirectory(entry) ? absent : entryText(entry, blobs.get(entry.oid))
          if (text._tag === "Unreadable") notRead([path], { _tag: "FileUnreadable", message: text.reason })
          texts[which].set(path, text)
        }
      })

      const notRead = (paths: ReadonlyArray<string>, error: { readonly _tag: string; readonly message: string }) =>
        failures.add("files that could not be read", error, paths)

      /** Reads from git; when git fails, these paths say why. */
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
        const missing: Array<string> = []
        yield* Effect.forEach(
          paths,
          (path) =>
            Effect.map(readWorktreeFile(platform, root, path, maxBytes), (file) => {
              if (file._tag === "Absent") missing.push(path)
              else texts.head.set(path, file._tag === "File" ? sourceText(file.bytes) : file)
            }),
          { concurrency: 16, discard: true }
        )
        // A sparse checkout leaves files out on purpose: they are as the index has them.
        const index = missing.length === 0 ? new Map<string, Entry>() : yield* listedOrNothing
        const sparse = missing.filter((path) => index.get(path)?.skipWorktree === true)
        for (const path of missing) texts.head.set(path, absent)
        if (sparse.length > 0) {
          yield* readFromGit([{ which: "head", paths: sparse }])
        }
      })

      const listedOrNothing = files.head.listing.pipe(
        failures.survive("how the change fits the other files", new Map<string, Entry>())
      )

      const headName = (basePath: string): string => filesOfDiff(change.diff).from(basePath)?.newPath ?? basePath

      /** Before a patch that the working tree has applied: the working tree with the patch undone. */
      const undo = (path: string): SourceText => {
        const { at, from } = filesOfDiff(change.diff)
        const file = from(path)
        if (file === undefined) return at(path) === undefined ? (texts.head.get(path) ?? absent) : absent
        if (file.newPath === null) return undone(file, new Uint8Array())
        const head = texts.head.get(file.newPath) ?? absent
        return head._tag === "Text" ? undone(file, new TextEncoder().encode(head.text)) : head
      }

      const changedHere = new Set(change.diff.files.flatMap(({ newPath, oldPath }) => [newPath, oldPath]))
      // All changed files are read together: starting a process takes longer than reading them.
      const soon = {
        base: change.diff.files.slice(0, filesAtOnce).flatMap(({ oldPath }) => oldPath ?? []),
        head: change.diff.files.slice(0, filesAtOnce).flatMap(({ newPath }) => newPath ?? [])
      }

      const fresh = (which: "base" | "head", paths: ReadonlyArray<string>) =>
        [...new Set(paths)].filter((path) => !texts[which].has(path))

      const load = Effect.fnUntraced(function* (base: ReadonlyArray<string>, head: ReadonlyArray<string>) {
        const { root } = repository
        const undoing = change.base._tag === "Unknown"
        const headNames = undoing ? base.map(headName) : []
        const withChange = [...base, ...head].some((path) => changedHere.has(path))
        const freshBase = fresh("base", withChange && !undoing ? [...base, ...soon.base] : base)
        const freshHead = fresh("head", [...head, ...headNames, ...(withChange ? soon.head : [])])
        const onDisk = change.head._tag === "Worktree" && root !== null
        if (onDisk) yield* readFromDisk(root, freshHead)
        const fromGit = [
          ...(undoing || freshBase.length === 0 ? [] : [{ which: "base" as const, paths: freshBase }]),
          ...(onDisk || freshHead.length === 0 ? [] : [{ which: "head" as const, paths: freshHead }])
        ]
        if (fromGit.length > 0) yield* readFromGit(fromGit)
        if (undoing) for (const path of freshBase) texts.base.set(path, undo(path))
      })

      const head = Effect.fnUntraced(function* (path: string) {
        if (!texts.head.has(path)) yield* load([], [path])
        return texts.head.get(path) ?? absent
      })

      const base = Effect.fnUntraced(function* (path: string) {
        if (!texts.base.has(path)) yield* load([path], [])
        return texts.base.get(path) ?? absent
      })

      const preload = Effect.fn("Sources.preload")((head: ReadonlyArray<string>, base: ReadonlyArray<string> = []) =>
        load(base, head)
      )

      const blobOf = Effect.fnUntraced(function* (which: "base" | "head", path: string) {
        // The index names what it holds, and the working tree may differ from it exactly in the files of the diff.
        const isOnDisk = files[which].side._tag === "Worktree" && changedHere.has(path)
        if (isOnDisk || files[which].side._tag === "Unknown") return null
        const located = yield* Effect.option(locate(which, [path]))
        const entry = Option.getOrUndefined(located)?.[0]?.entry
        return entry == null || !/^100/.test(entry.mode) ? null : entry.oid
      })

      const headPaths = Effect.map(listedOrNothing, (entries) => {
        const paths = new Set<string>()
        for (const [path, entry] of entries) if (!isDirectory(entry)) paths.add(path)
        if (change.head._tag === "Worktree") {
          // What is not in the index yet, and what is gone from the disk.
          for (const file of change.diff.files) {
            if (file.newPath === null) paths.delete(file.path)
            else if (file.newMode !== "160000") paths.add(file.newPath)
          }
        }
        return [...paths].sort(compareText)
      })

      const submodules = Effect.map(listedOrNothing, (entries) =>
        [...entries].flatMap(([path, entry]) => (isDirectory(entry) ? [path] : [])).sort(compareText)
      )

      const containing = Effect.fn("Sources.containing")(
        (
          which: "base" | "head",
          literals: ReadonlyArray<string>,
          options: { readonly ignoreCase: boolean; readonly under: string | null }
        ) => {
          const side = change[which]
          // Before a patch that the working tree has applied there is nothing git could search.
          if (side._tag === "Unknown" || literals.length === 0) return Effect.succeed(null)
          return Effect.gen(function* () {
            const found = new Set(yield* git.containing(repository, side, literals, options))
            if (side._tag === "Worktree") {
              // Git does not look into what a sparse checkout leaves out.
              const left = [...(yield* files.head.listing)].filter(([, entry]) => entry.skipWorktree)
              const indexed =
                left.length === 0 ? [] : yield* git.containing(repository, { _tag: "Index" }, literals, options)
              const sparse = new Set(left.map(([path]) => path))
              for (const path of indexed) if (sparse.has(path)) found.add(path)
            }
            return [...found].sort(compareText)
          }).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`git could not search for a text: ${error.message}`), null)
            )
          )
        }
      )

      const passing = Effect.fn("Sources.passing")(function* (
        which: "base" | "head",
        paths: ReadonlyArray<string>,
        limit: number
      ) {
        const { root } = repository
        const found = new Map<string, SourceText>()
        if (change[which]._tag === "Unknown") {
          yield* Effect.forEach(paths, (path) => Effect.map(base(path), (text) => found.set(path, text)))
        } else if (change[which]._tag === "Worktree" && root !== null) {
          yield* Effect.forEach(
            paths,
            (path) =>
              Effect.map(readWorktreeFile(platform, root, path, limit), (file) => {
                if (file._tag !== "Absent") found.set(path, file._tag === "File" ? sourceText(file.bytes, limit) : file)
              }),
            { concurrency: 16, discard: true }
          )
          const index = paths.every((path) => found.has(path)) ? new Map<string, Entry>() : yield* listedOrNothing
          yield* passBlobs(
            paths.flatMap((path) => {
              const entry = index.get(path)
              return entry?.skipWorktree === true && !found.has(path) ? [{ which, path, entry }] : []
            }),
            limit,
            found
          )
        } else {
          yield* locate(which, paths).pipe(
            Effect.flatMap((located) => passBlobs(located, limit, found)),
            Effect.catch((error) =>
              Effect.sync(() => {
                for (const path of paths) found.set(path, { _tag: "Unreadable", reason: error.message })
              })
            )
          )
        }
        return paths.map((path) => found.get(path) ?? absent)
      })

      const passBlobs = Effect.fnUntraced(
        function* (located: ReadonlyArray<Located>, limit: number, found: Map<string, SourceText>) {
          const files = located.flatMap(({ entry, path }) =>
            entry === null || isDirectory(entry) ? [] : [{ path, entry }]
          )
          const blobs = yield* git.readBlobs(
            repository,
            files.map(({ entry }) => entry.oid),
            limit
          )
          for (const { entry, path } of files) {
            const blob = blobs.get(entry.oid)
            found.set(path, entryText(entry, blob === undefined ? undefined : blobText(blob, limit)))
          }
        },
        (self, located, _limit, found) =>
          Effect.catch(self, (error) =>
            Effect.sync(() => {
              for (const { path } of located) found.set(path, { _tag: "Unreadable", reason: error.message })
            })
          )
      )

      const baseFolder = Effect.fn("Sources.baseFolder")((folder: string) =>
        files.base.listing.pipe(
          // The listing may be the head's: what the diff names is as the diff has it.
          Effect.map((entries) =>
            [...new Map<string, Entry | null>([...entries, ...files.base.known])]
              .flatMap(([path, entry]) =>
                isDirectlyIn(folder, path) && entry !== null && !isDirectory(entry) ? [path] : []
              )
              .sort(compareText)
          ),
          failures.survive(`the files in ${folder} before the change`, [])
        )
      )

      const mentioning = Effect.fn("Sources.mentioning")(
        (words: ReadonlyArray<string>, endings: ReadonlyArray<string>) =>
          search.mentioning(words, endings).pipe(
            Effect.map((paths) => [...paths].sort(compareText)),
            failures.survive("uses in other files", [])
          )
      )

      const history = Effect.fn("Sources.history")((commits: number) =>
        change.base._tag === "Commit"
          ? git
              .touched(repository, change.base.sha, commits)
              .pipe(failures.survive("files that usually change together", []))
          : Effect.succeed([])
      )

      const places = Effect.fn("Sources.places")((groups: ReadonlyArray<WordGroup>, endings: ReadonlyArray<string>) =>
        search.places(groups, endings).pipe(
          Effect.map((found) => [...found].sort((a, b) => compareText(a.path, b.path) || a.line - b.line)),
          failures.survive("other places with the same names", [])
        )
      )

      return Sources.of({
        head,
        base,
        preload,
        blobOf,
        history,
        baseFolder,
        headPaths: yield* Effect.cached(headPaths),
        submodules,
        containing,
        passing,
        mentioning,
        soon: search.soon,
        places,
        failures: Effect.flatMap(git.incomplete, (missing) => {
          for (const error of missing) {
            failures.add(error._tag === "GitWouldWait" ? "files that git does not track" : "uses in other files", error)
          }
          return failures.all
        })
      })
    })
  )

const absent: SourceText = { _tag: "Absent" }

const isDirectlyIn = (folder: string, path: string): boolean =>
  path.startsWith(`${folder}/`) && !path.includes("/", folder.length + 1)

const entryText = (entry: Entry, text: SourceText | undefined): SourceText => {
  if (text === undefined) return { _tag: "Unreadable", reason: "git did not answer for it" }
  return entry.mode === "120000" && text._tag === "Text" ? { _tag: "Link", target: text.text } : text
}

const blobText = (blob: Blob, limit = maxBytes): SourceText => {
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
