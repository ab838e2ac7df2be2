/**
 * Accepts claims that can be verified, and gives a reason for every other one.
 *
 * The form of a claim is checked first. In addition, the cited file, line and quote must exist and belong to the change or
 * to code that it affects. Reads files only through `Sources`; never fails.
 */
import { Effect, Result } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isSubmodule } from "../../domain/change/Diff.ts"
import { HunkIndex } from "../../domain/change/HunkIndex.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import { type CitedFile, formFault, placed, unknownPlaces, verified } from "../../domain/finding/Evidence.ts"
import { type Dropped, type RelatedPlace, ReviewRecord } from "../../domain/finding/Finding.ts"
import { hunkLines } from "../../domain/finding/hunkLines.ts"
import { type Citation, KnownPaths } from "../../domain/finding/KnownPaths.ts"
import type { MergedItem } from "../../domain/finding/MergedItem.ts"
import { quoteReach } from "../../domain/finding/QuotePlace.ts"
import { Sources, type SourceText } from "../change/Sources.ts"

/** The text of a path; read once for each path. */
const look = Effect.fnUntraced(function* (path: string, change: Change, file: DiffFile | undefined) {
  const sources = yield* Sources
  if (file !== undefined && file.status === "deleted") {
    return seen(yield* sources.base(path), file)
  }
  return change.head._tag === "Unknown" ? inHunks(file) : seen(yield* sources.head(path), file)
})

/** What is kept is in the order of the input, at the lines of the quotes. */
export const checkEvidence = Effect.fn("EvidenceGate.check")(function* (
  items: ReadonlyArray<MergedItem>,
  change: Change,
  exploration: Exploration
) {
  const sources = yield* Sources
  const hunks = new HunkIndex(change.diff)
  const files = new Map(change.diff.files.map((file) => [file.path, file]))
  const renamed = renamesOf(change)
  const reached = reachedBy(change, exploration)
  const extensions = new Set([...files.keys()].map(extensionOf))
  const looked = new Map<string, CitedFile>()
  const paths = new KnownPaths([...(yield* sources.headPaths), ...reached, ...renamed.keys()])

  const cited = Effect.fnUntraced(function* (path: string) {
    const cached = looked.get(path)
    if (cached !== undefined) return cached
    // Only known paths are read.
    const found = paths.has(path) ? yield* look(path, change, files.get(path)) : inHunks(undefined)
    const target = renamed.get(path)
    const file: CitedFile =
      found._tag === "Missing" && target !== undefined
        ? { _tag: "Missing", why: `is gone: the change renames it to ${target}` }
        : found
    looked.set(path, file)
    return file
  })

  /** The places that the evidence of a model names and that can be checked: files in a language of the change. */
  const citedPlaces = ({ evidence }: ReviewRecord) => {
    const { places, rest } = paths.cited(evidence)
    return [...places, ...unknownPlaces(rest)].filter(({ path }) => extensions.has(extensionOf(path)))
  }

  const cites = Effect.fnUntraced(function* (record: ReviewRecord) {
    const places = citedPlaces(record)
    const real = []
    for (const place of places) {
      const at = ReviewRecord.make({ ...bare(record), file: place.path, line: place.line })
      if (Result.isSuccess(verified(at, yield* cited(place.path)))) real.push(place)
    }
    return { places, real }
  })

  const examine = Effect.fnUntraced(function* (item: MergedItem) {
    const fault = formFault(item.record, item.lens)
    if (fault !== null) return Result.fail(fault)
    const named = placed(item.record, paths)
    if (named.file === "") return Result.fail("it names no file")
    const exists = (yield* cited(named.file))._tag !== "Missing" || renamed.has(named.file)
    const record = exists ? named : rehomed(named, change)

    const found = verified(record, yield* cited(record.file))
    if (Result.isFailure(found)) return found

    // A rule computes its places from the diff.
    const { places, real } = record.rule === undefined ? yield* cites(found.success) : relatedPlaces(record)
    if (places.length > 0 && real.length === 0) {
      return Result.fail(`its evidence cites ${places[0]!.path}:${places[0]!.line}, which does not exist`)
    }
    // A claim about an unchanged file is accepted if its evidence cites a changed file.
    if (!reached.has(record.file) && !real.some(({ path }) => files.has(path))) {
      return Result.fail(`${record.file} is neither in the diff nor reached from it`)
    }
    // A model's place must be in the diff, or its evidence must cite a line of it.
    const far = record.rule === undefined && isOutside(hunks, files.get(record.file), found.success.line)
    if (far && !real.some((place) => hunks.contains(place.path, place.line))) {
      return Result.fail(
        `line ${found.success.line} of ${record.file} is not in the diff, and its evidence cites no line that is`
      )
    }
    return Result.succeed(record.rule === undefined ? citing(found.success, real) : found.success)
  })

  yield* sources.preload(
    [...new Set(items.map((item) => placed(item.record, paths).file))].filter(
      (path) => paths.has(path) && change.head._tag !== "Unknown"
    )
  )
  const kept: Array<MergedItem> = []
  const dropped: Array<Dropped> = []
  for (const item of items) {
    const outcome = yield* examine(item)
    if (Result.isSuccess(outcome)) kept.push({ ...item, record: outcome.success })
    else dropped.push({ reason: outcome.failure, record: item.record, stack: item.stacks.join(", ") })
  }
  return { kept, dropped }
})

const relatedPlaces = ({ related = [] }: ReviewRecord) => {
  const places = related.map(({ file, line }): Citation => ({ path: file, line }))
  return { places, real: places }
}

/** A claim of a model is also about the places that its evidence cites. */
const citing = (record: ReviewRecord, cited: ReadonlyArray<Citation>): ReviewRecord => {
  const keyOf = ({ line, path }: Citation) => JSON.stringify([path, line])
  const places = new Map(cited.map((place) => [keyOf(place), place]))
  places.delete(keyOf({ path: record.file, line: record.line }))
  const related = [...places.values()].map(({ line, path }): RelatedPlace => {
    return { file: path, line, column: null, endColumn: null, message: "cited as evidence" }
  })
  return related.length === 0 ? record : ReviewRecord.make({ ...record, related })
}

/** All paths that a claim may be about: those of the diff, and those that the exploration found around it. */
export const reachedBy = (change: Change, exploration: Exploration): ReadonlySet<string> =>
  new Set([
    ...change.diff.files.map((file) => file.path),
    ...exploration.affectedFiles.map((file) => file.path),
    ...exploration.dependencies.flatMap(({ source, target }) => [source, target])
  ])

/**
 * Models write paths with git's prefix letter or shortened: if exactly one file of the change fits, the record gets its
 * path.
 */
export const rehomed = (record: ReviewRecord, { diff }: Change): ReviewRecord => {
  const { file } = record
  if (record.rule !== undefined || file === "") return record
  const candidates = diff.files.filter(
    ({ path }) => path.endsWith(`/${file}`) || file === `a/${path}` || file === `b/${path}`
  )
  const [only] = candidates
  if (only === undefined || candidates.length > 1) return record
  const evidence = record.evidence.replaceAll(`${file}:`, () => `${only.path}:`)
  return ReviewRecord.make({ ...record, file: only.path, evidence })
}

/**
 * Whether the line is farther from every hunk of a changed file than the context of a hunk. A claim about a whole file
 * is never outside.
 */
const isOutside = (hunks: HunkIndex, file: DiffFile | undefined, line: number): boolean => {
  if (file === undefined || file.status === "deleted" || line === 0) return false
  const nearest = hunks.nearest(file.path, line)
  return nearest === null || Math.abs(nearest - line) > quoteReach
}

const renamesOf = (change: Change): ReadonlyMap<string, string> =>
  new Map(
    change.diff.files.flatMap((file) =>
      file.status === "renamed" && file.oldPath !== null ? [[file.oldPath, file.path] as const] : []
    )
  )

const seen = (text: SourceText, file: DiffFile | undefined): CitedFile => {
  switch (text._tag) {
    case "Text":
      return {
        _tag: "Seen",
        count: text.lines.length,
        line: (number) => text.lines[number - 1],
        deleted: file === undefined || file.status === "deleted" ? [] : deletedIn(file, text.lines.length)
      }
    case "Binary":
      return { _tag: "Opaque", what: "a binary file" }
    case "Pointer":
      return { _tag: "Opaque", what: "a Git LFS pointer" }
    case "Link":
      return file === undefined ? { _tag: "Opaque", what: "a link" } : inHunks(file)
    default:
      // Too large, unreadable, or known only from the patch: only the lines of the hunks can be checked.
      return text._tag === "Absent" || file !== undefined ? inHunks(file) : { _tag: "Opaque", what: "not readable" }
  }
}

const inHunks = (file: DiffFile | undefined): CitedFile => {
  if (file === undefined) return { _tag: "Missing", why: "does not exist in the reviewed version" }
  if (file.binary) return { _tag: "Opaque", what: "a binary file" }
  if (isSubmodule(file)) return { _tag: "Opaque", what: "a submodule" }
  const lines = hunkLines(file)
  const deleted = file.status === "deleted" ? [] : deletedIn(file, Number.POSITIVE_INFINITY)
  return {
    _tag: "Seen",
    count: null,
    line: (number) => lines.get(number),
    numbers: [...lines.keys()],
    deleted: deleted.filter(({ at }) => lines.has(at))
  }
}

/** The deleted lines, each with the line of the head side that is now there: the next one, or the last. */
const deletedIn = (file: DiffFile, count: number): ReadonlyArray<{ readonly text: string; readonly at: number }> =>
  file.hunks.flatMap(({ lines, newCount, newStart }) => {
    const last = newStart + newCount - 1
    let next = newStart
    return lines.flatMap(({ kind, newLine, text }) => {
      if (newLine !== null) next = newLine + 1
      return kind === "deleted" ? [{ text, at: Math.max(1, Math.min(next, Math.max(last, newStart), count)) }] : []
    })
  })

const extensionOf = (path: string): string => /\.[^./]+$/.exec(path)?.[0] ?? ""

/** The same claim without a quote and an end line, to check it at another place. */
const bare = ({ quote: _, endLine: __, ...rest }: ReviewRecord) => rest
