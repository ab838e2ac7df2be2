/** The part of a pack that is always there: the diff, and the code of the changed files. */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { type DiffFile, isLink, isSubmodule } from "../../domain/change/Diff.ts"
import { isMachineWritten, isMarkedGenerated, isMinified } from "../../domain/change/PathKind.ts"
import type { Extent, PackFormat } from "../../domain/pack/Block.ts"
import type { Omission, OmissionReason } from "../../domain/pack/Omission.ts"
import type { ChangedBlock, Reduction, Sized } from "../../domain/pack/Pack.ts"
import { filterOf, type PackPolicy } from "../../domain/pack/PackPolicy.ts"
import { patchText } from "../../domain/pack/patchText.ts"
import { reductionsFor, type Shrinkable } from "../../domain/pack/reduce.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Sources, type SourceText, splitLines } from "../change/Sources.ts"
import { outlineOf, sliceOf } from "./excerpts.ts"
import { redactedDiff } from "./redactedDiff.ts"
import { redactedTexts } from "./redactedTexts.ts"
import { sized } from "./sized.ts"

export interface ChangedFile {
  readonly file: DiffFile
  /** Redacted. */
  readonly lines: ReadonlyArray<string>
  readonly isGenerated: boolean
}

export interface ChangedFiles {
  /** Files whose code is shown, by path. */
  readonly shown: ReadonlyArray<ChangedFile>
  /** Redacted; without files that are hidden or excluded, and without those that the change adds and shows. */
  readonly diffs: ReadonlyArray<DiffFile>
  readonly omitted: ReadonlyArray<Omission>
}

/** Which changed files are shown, and why the others are not. */
export const changedFiles = Effect.fn("pack.changedFiles")(function* (change: Change, policy: PackPolicy) {
  const sources = yield* Sources
  const filter = filterOf(policy)
  const readable: Array<{ readonly file: DiffFile; readonly source: SourceText & { readonly _tag: "Text" } }> = []
  const patched: Array<DiffFile> = []
  const omitted: Array<Omission> = []
  yield* sources.preload(
    change.diff.files.flatMap(({ newPath }) => newPath ?? []),
    change.diff.files.flatMap(({ oldPath }) => oldPath ?? [])
  )
  for (const file of change.diff.files) {
    const hidden = [file.path, file.oldPath ?? file.path].map(filter.changed).find((reason) => reason !== null) ?? null
    const source = file.newPath === null ? null : yield* sources.head(file.newPath)
    const reason = hidden ?? bodyReason(file, source)
    if (hidden === null && file.hunks.length > 0 && !(file.status === "added" && reason === null)) {
      patched.push(file)
    }
    if (reason !== null) omitted.push({ path: file.path, reason })
    else if (source?._tag === "Text") readable.push({ file, source })
  }
  const texts = yield* redactedTexts(readable.map(({ source }) => source.text))
  const shown = readable.map(({ file, source }, at): ChangedFile => {
    const isGenerated = isMachineWritten(file.path) || isMarkedGenerated(source.lines) || isMinified(source.lines)
    return { file, lines: splitLines(texts[at]!), isGenerated }
  })
  const diffs = yield* Effect.forEach(patched, redactedDiff)
  const answer: ChangedFiles = { shown, diffs, omitted }
  return answer
})

const bodyReason = (file: DiffFile, source: SourceText | null): OmissionReason | null => {
  if (isSubmodule(file) || isLink(file)) return "filtered:not-a-file"
  return textlessReason(source)
}

/** Null for a text. */
export const textlessReason = (source: SourceText | null | undefined): OmissionReason | null => {
  switch (source?._tag) {
    case "Text":
      return null
    case "Binary":
      return "filtered:binary"
    case "Pointer":
      return "filtered:pointer"
    case "TooLarge":
      return "filtered:too-large"
    case "Link":
      return "filtered:not-a-file"
    case "Partial":
    case "Unreadable":
      return "filtered:unknown"
    default:
      return "filtered:missing"
  }
}

export interface Core {
  readonly diffs: ReadonlyArray<Sized>
  readonly code: ReadonlyArray<ChangedBlock>
  readonly reductions: ReadonlyArray<Reduction>
}

/** The blocks of the core, cut by the ladder where they need more than `budget` tokens. */
export const coreOf = Effect.fn("pack.core")(function* (
  { diffs, shown }: ChangedFiles,
  format: PackFormat,
  budget: number
) {
  const patches = yield* sized(
    format,
    diffs.map((file) => ({ path: file.path, extent: "diff" as const, text: patchText(file) }))
  )
  const full = yield* sized(
    format,
    shown.map((each) => blockOf(each, "full", each.lines.join("\n")))
  )
  const excess = sumOf(patches) + sumOf(full) - budget
  const whole: Core = { diffs: patches, code: full.map((block) => ({ ...block, reduced: null })), reductions: [] }
  if (excess <= 0) return whole
  const smaller = yield* Effect.forEach(shown, (each, at) => smallerBlocks(each, full[at]!, format))
  const shrinkable = shown.map(
    ({ file, isGenerated }, at): Shrinkable => ({
      path: file.path,
      isGenerated,
      tokens: { full: full[at]!.tokens, slice: smaller[at]!.slice.tokens, outline: smaller[at]!.outline.tokens }
    })
  )
  const reductions = reductionsFor(shrinkable, excess)
  const last = new Map(reductions.map((each) => [each.path, each] as const))
  const code = full.map((block, at): ChangedBlock => {
    const reduced = last.get(block.path) ?? null
    const chosen =
      reduced?.to === "slice" ? smaller[at]!.slice : reduced?.to === "outline" ? smaller[at]!.outline : block
    return { ...chosen, reduced }
  })
  const cut: Core = { diffs: patches, code, reductions }
  return cut
})

const blockOf = ({ file }: ChangedFile, extent: Extent, text: string) => ({ path: file.path, extent, text })

/** Each no larger than the one before. */
const smallerBlocks = Effect.fnUntraced(function* (each: ChangedFile, full: Sized, format: PackFormat) {
  const around = each.isGenerated ? "" : yield* sliceOf(each.file.path, each.lines, placesOf(each.file))
  const headers = each.isGenerated ? "" : yield* outlineOf(each.file.path, each.lines)
  const [slice, outline] = yield* sized(format, [blockOf(each, "slice", around), blockOf(each, "outline", headers)])
  const smallest = slice!.tokens < full.tokens ? slice! : full
  return { slice: smallest, outline: outline!.tokens < smallest.tokens ? outline! : smallest }
})

/** The head-side lines of a change: those that were added, or those where something was deleted. */
export const placesOf = ({ hunks }: DiffFile): ReadonlyArray<number> =>
  hunks.flatMap(({ lines, newStart }) => {
    const places: Array<number> = []
    let next = Math.max(1, newStart)
    for (const { kind, newLine } of lines) {
      if (kind !== "context") places.push(newLine ?? next)
      if (newLine !== null) next = newLine + 1
    }
    return places
  })

export const sumOf = (blocks: ReadonlyArray<Sized>): number => blocks.reduce((sum, { tokens }) => sum + tokens, 0)

/** The largest first. */
export const sizesOf = ({ code, diffs }: Core): ReadonlyArray<{ readonly path: string; readonly tokens: number }> => {
  const sizes = new Map<string, number>()
  for (const { path, tokens } of [...diffs, ...code]) sizes.set(path, (sizes.get(path) ?? 0) + tokens)
  return [...sizes]
    .map(([path, tokens]) => ({ path, tokens }))
    .sort((a, b) => b.tokens - a.tokens || compareText(a.path, b.path))
}
