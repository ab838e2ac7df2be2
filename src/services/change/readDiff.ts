/** Reads the diff of the tracked files, including text that the repository's attributes hide. */
import { Effect } from "effect"
import { boundPatch, patchLimits } from "../../domain/change/boundPatch.ts"
import type { BaseSide, HeadSide } from "../../domain/change/Change.ts"
import { isBinary } from "../../domain/change/creationPatch.ts"
import { type Diff, type DiffFile, isLink, isSubmodule } from "../../domain/change/Diff.ts"
import { isUnreviewedPath, markedInAttributes } from "../../domain/change/PathKind.ts"
import { diffSteps } from "../../domain/change/parseDiff.ts"
import { splicePatch } from "../../domain/change/splicePatch.ts"
import { inSteps } from "../../domain/system/Steps.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { quotePath } from "../../domain/text/quotePath.ts"
import { type Platform, readWorktreeFile, type WorktreeFile } from "../system/worktreeFile.ts"
import type { Git } from "./Git.ts"
import { type Blob, isReadable, notInClone, type RawChange, tooDeepReason } from "./gitOutput.ts"
import type { Repository } from "./openRepository.ts"
import { maxBytes } from "./Sources.ts"
import type { NotShown } from "./untrackedPatches.ts"

interface Sides {
  readonly base: BaseSide
  readonly head: HeadSide
}

export const makeReadDiff = (git: Git["Service"], platform: Platform) => {
  /** Finds why git shows no text of a file: it has none, it is too large, or an attribute hides it. */
  const findHidden = Effect.fnUntraced(function* (repository: Repository, head: HeadSide, { files }: Diff) {
    const { root } = repository
    const hidden = files.filter((file) => file.binary && file.newPath !== null && !isLink(file) && !isSubmodule(file))
    if (hidden.length === 0) return []
    const oids = hidden.flatMap(({ oldOid, newOid }) => [oldOid, newOid]).filter((oid) => oid !== null)
    const blobs = yield* git.readBlobs(repository, oids, maxBytes, binaryPrefix)
    const stored = (oid: string | null) => (oid === null ? undefined : blobs.get(oid))
    const reasonOf = Effect.fnUntraced(function* (file: DiffFile) {
      const found =
        head._tag === "Worktree" && root !== null
          ? yield* readWorktreeFile(platform, root, file.path, maxBytes)
          : absentFile
      return { file, why: whyHidden(stored(file.oldOid), found._tag === "Absent" ? stored(file.newOid) : found) }
    })
    return yield* Effect.forEach(hidden, reasonOf, { concurrency: 8 })
  })

  /**
   * Git fails the whole diff because of one file that it cannot read: a FIFO, an object that expands to gigabytes, or one that a partial clone lacks.
   * Such files are left out and named in the patch.
   */
  const printDiff = (repository: Repository, sides: Sides, left: ReadonlyArray<string> = []) =>
    git.diff(repository, sides, { without: left }).pipe(
      Effect.catchTag(["GitFailed", "GitMemoryExceeded", "ObjectMissing"], (failed) =>
        Effect.gen(function* () {
          const { root } = repository
          const all = yield* git.changed(repository, sides)
          const oids = all
            .flatMap(({ newMode, newOid, oldMode, oldOid }) => [[oldMode, oldOid] as const, [newMode, newOid] as const])
            .flatMap(([mode, oid]) => (mode === "160000" || /^0+$/.test(oid) ? [] : [oid]))
          const blobs = yield* git.readBlobs(repository, oids, maxBytes, 0)
          const isRefused = Effect.fnUntraced(function* ({ newMode, newOid, oldOid, path }: RawChange) {
            if (!isReadable(blobs.get(oldOid)) || !isReadable(blobs.get(newOid))) return true
            if (sides.head._tag !== "Worktree" || root === null || newMode === "000000") return false
            const file = yield* readWorktreeFile(platform, root, path, maxBytes)
            return file._tag === "Unreadable" || file._tag === "TooLarge"
          })
          const refused = (yield* Effect.filter(all, isRefused, { concurrency: 8 })).filter(
            ({ path }) => !left.includes(path)
          )
          if (refused.length === 0) return yield* failed
          const without = [...left, ...refused.map(({ path }) => path)]
          return concatBytes([yield* git.diff(repository, sides, { without }), ...refused.map(unreadPatch)])
        })
      )
    )

  const printParsed = Effect.fnUntraced(function* (patch: Uint8Array) {
    const printed = yield* bounded(patch)
    return { ...printed, files: (yield* parsed(printed.patch)).files }
  })

  /** The files that nobody reviewed before the change, by their paths and by `.gitattributes`. */
  const unreviewedBefore = Effect.fnUntraced(function* (repository: Repository, base: BaseSide) {
    const entries = base._tag === "Commit" ? yield* git.lsTree(repository, base.sha) : []
    const oid = entries.find(({ path }) => path === ".gitattributes")?.oid
    const blob = oid === undefined ? undefined : (yield* git.readBlobs(repository, [oid], maxBytes)).get(oid)
    const text = blob?._tag === "Found" ? new TextDecoder().decode(blob.bytes) : ""
    const marks = [markedInAttributes(text), markedInAttributes(text, "linguist-vendored")]
    return (path: string) => isUnreviewedPath(path) || marks.some((isMarked) => isMarked(path))
  })

  /** A file that comes from where nobody reviewed it is new as a whole. */
  const printFirst = Effect.fnUntraced(function* (repository: Repository, sides: Sides) {
    const printed = yield* printParsed(yield* printDiff(repository, sides))
    const renamed = printed.files.filter(({ status }) => status === "renamed")
    if (renamed.length === 0) return printed
    const isUnreviewed = yield* unreviewedBefore(repository, sides.base)
    const apart = renamed
      .filter(({ newPath, oldPath }) => isUnreviewed(oldPath ?? "") && !isUnreviewed(newPath ?? ""))
      .slice(0, pathsAtOnce)
      .flatMap(({ newPath, oldPath }) => [oldPath ?? "", newPath ?? ""])
    if (apart.length === 0) return printed
    const others = yield* printDiff(repository, sides, apart)
    return yield* printParsed(concatBytes([others, yield* git.diff(repository, sides, { apart })]))
  })

  const readMerged = Effect.fnUntraced(function* (repository: Repository, sides: Sides) {
    const printed = yield* printFirst(repository, sides)
    const hidden = yield* findHidden(repository, sides.head, {
      files: printed.files.filter(({ path }) => !printed.notShown.has(path))
    })
    const notShown = new Map([
      ...printed.notShown,
      ...hidden.map(({ file, why }): [string, NotShown] => [file.path, why === "text" ? stillHidden : why])
    ])
    const texts = hidden.flatMap(({ file, why }) => (why === "text" ? [file] : []))
    if (texts.length === 0) return { patch: printed.patch, diff: marked(printed, notShown) }
    const asText: Array<Uint8Array> = []
    for (let at = 0; at < texts.length; at += pathsAtOnce) {
      const paths = texts.slice(at, at + pathsAtOnce).flatMap(({ path, oldPath }) => [path, oldPath ?? path])
      asText.push(yield* git.diff(repository, sides, { asText: [...new Set(paths)] }))
    }
    const whole = yield* bounded(splicePatch(printed.patch, concatBytes(asText)))
    const diff = yield* parsed(whole.patch)
    return { patch: whole.patch, diff: marked(diff, new Map([...notShown, ...whole.notShown])) }
  })

  const readWhole = Effect.fnUntraced(function* (repository: Repository, sides: Sides) {
    const { diff, patch } = yield* readMerged(repository, sides)
    if (diff.files.every(({ status }) => status !== "deleted")) return { diff, patch }
    const isUnreviewed = yield* unreviewedBefore(repository, sides.base)
    const files = diff.files.map((file) =>
      file.oldPath === null ? file : { ...file, unreviewed: isUnreviewed(file.oldPath) }
    )
    return { diff: { files }, patch }
  })

  return Effect.fnUntraced(function* (repository: Repository, sides: Sides) {
    const isStored = sides.head._tag === "Commit" || sides.head._tag === "Empty"
    const [read, unmerged] = yield* Effect.all(
      [readWhole(repository, sides), isStored ? Effect.succeed([]) : git.unmerged(repository)],
      { concurrency: 2 }
    )
    if (unmerged.length === 0) return read
    const shown = new Set(read.diff.files.map(({ path }) => path))
    const others = unmerged.filter(({ path }) => !shown.has(path))
    const added = concatBytes(
      others.map(({ mode, oid, path }) => unreadPatch({ path, oldMode: mode, newMode: mode, oldOid: oid, newOid: oid }))
    )
    const paths = new Set(unmerged.map(({ path }) => path))
    const files = [...read.diff.files, ...(yield* parsed(added)).files]
    return {
      patch: concatBytes([read.patch, added]),
      diff: { files: files.map((file) => (paths.has(file.path) ? { ...file, unread: notMerged } : file)) }
    }
  })
}

/** Parses a patch; the scheduler may run other fibers in between. */
export const parsed = (patch: Uint8Array) =>
  Effect.flatMap(
    inSteps(() => diffSteps(patch)),
    Effect.fromResult
  )

/** A patch cut to the limits, and the files that were left out. */
const bounded = (printed: Uint8Array) => {
  const { cut, patch } = boundPatch(printed)
  return Effect.map(parsed(cut), ({ files }) => ({
    patch,
    notShown: new Map(files.map(({ path }): [string, NotShown] => [path, beyondLimits]))
  }))
}

/** The output of git for a file whose content it does not show. */
const unreadPatch = ({ path, oldMode, oldOid, newMode, newOid }: RawChange): Uint8Array => {
  const [before, after] = [quotePath(`a/${path}`), quotePath(`b/${path}`)]
  const [isNew, isGone, isSame] = [oldMode === "000000", newMode === "000000", oldMode === newMode]
  const modes = isNew
    ? [`new file mode ${newMode}`]
    : isGone
      ? [`deleted file mode ${oldMode}`]
      : isSame
        ? []
        : [`old mode ${oldMode}`, `new mode ${newMode}`]
  const lines = [
    `diff --git ${before} ${after}`,
    ...modes,
    `index ${oldOid}..${newOid}${isSame ? ` ${newMode}` : ""}`,
    `Binary files ${isNew ? "/dev/null" : before} and ${isGone ? "/dev/null" : after} differ`
  ]
  return new TextEncoder().encode(`${lines.join("\n")}\n`)
}

/** "text" if git can be made to show it. */
export const whyHidden = (before: Blob | undefined, after: Blob | WorktreeFile | undefined): NotShown | "text" => {
  switch (after?._tag) {
    case "TooLarge":
      return { tooLarge: "size" in after ? after.size : after.bytes }
    case "Unreadable":
      return { unread: after.reason }
    case "Missing":
      return { unread: notInClone }
    case "TooDeep":
      return { unread: tooDeepReason }
    case "Found":
    case "File":
      if (isBinary(after.bytes)) return {}
      // A diff against a text that is too large would take gigabytes.
      if (before?._tag === "TooLarge") return { tooLarge: before.size }
      return before?._tag === "Missing" ? { unread: notInClone } : "text"
    default:
      return {}
  }
}

/** Adds to the diff the reason why the text of a file is not shown. */
export const marked = (diff: Diff, notShown: ReadonlyMap<string, NotShown>): Diff =>
  notShown.size === 0
    ? diff
    : { files: diff.files.map((file) => (file.binary ? { ...file, ...notShown.get(file.path) } : file)) }

/** Git treats a file as binary if it has a NUL byte among its first bytes, this many. */
const binaryPrefix = 8000

/** Limits the length of a command line. */
const pathsAtOnce = 500

/** Why a file in conflict is unread. */
export const notMerged = "merge conflict: resolve it, then run `git add` or `git rm`"

const absentFile: WorktreeFile = { _tag: "Absent" }

const beyondLimits: NotShown = {
  unread: `the change has more than ${patchLimits.bytes / 1_000_000} MB or ${patchLimits.lines} lines: the rest was not read`
}

const stillHidden: NotShown = { unread: "it is text, and git does not show it as text" }
