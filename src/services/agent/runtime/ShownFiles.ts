/**
 * Files of both sides as an agent may see them: redacted as complete files, so that a secret across lines is also
 * hidden. For a bare patch, the lines of its hunks. Also resolves the paths that a model writes.
 */
import { Effect } from "effect"
import { repositoryFolder, repositoryPath } from "../../../domain/agent/repositoryPath.ts"
import { basePaths } from "../../../domain/change/basePaths.ts"
import type { Change } from "../../../domain/change/Change.ts"
import type { DiffFile } from "../../../domain/change/Diff.ts"
import { nearestPaths } from "../../../domain/change/nearestPaths.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { isMarked } from "../../../domain/text/Mask.ts"
import { revealedLine, visiblePath } from "../../../domain/text/Printable.ts"
import { Sources, type SourceText } from "../../change/Sources.ts"
import { Redactor } from "../../secret/Redactor.ts"
import { type Refused, refused } from "./Action.ts"
import type { SideName } from "./actionInput.ts"

/** In bytes, for agents; the limit for reviews is lower. */
export const largestFile = 16_000_000

export type ShownFile =
  | {
      readonly _tag: "Lines"
      /** Redacted; one for each line of `raw`. */
      readonly lines: ReadonlyArray<string>
      readonly raw: ReadonlyArray<string>
      /** The line numbers, if only some lines are known; null: from 1. */
      readonly numbers: ReadonlyArray<number> | null
    }
  | Exclude<SourceText, { readonly _tag: "Text" | "Partial" }>

export interface ShownFiles {
  readonly file: (side: SideName, path: string) => Effect.Effect<ShownFile>
  /** Files that are not cached; each is redacted when its function is called. */
  readonly passing: (side: SideName, paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<() => ShownFile>>
  /** All paths of a side, sorted; for a bare patch, the paths it names. */
  readonly paths: (side: SideName) => Effect.Effect<ReadonlyArray<string>>
  readonly submodules: Effect.Effect<ReadonlyArray<string>>
  /** Finds the file for a path that a model wrote. */
  readonly find: (side: SideName, written: string) => Effect.Effect<string, Refused>
  /** Finds the folder that contains files, or the file, for a path that a model wrote; the root is "". */
  readonly findFolder: (side: SideName, written: string) => Effect.Effect<string, Refused>
  /** Text and paths, redacted and with invisible characters made visible. */
  readonly words: (text: string) => string
  readonly path: (path: string) => string
}

/** Number of redacted files in the cache, which serves paging. */
const mostKept = 24
const mostKeptBytes = 20_000_000

/** `isLive`: the files of the head side may change while they are shown, so they are read each time. */
export const makeShownFiles = Effect.fnUntraced(function* (change: Change, isLive = false) {
  const sources = yield* Sources
  const { submodules } = sources
  const redactor = yield* Redactor
  const isPatch = change.head._tag === "Unknown"
  const shownFiles = new Map<string, ShownFile>()
  let keptBytes = 0
  /** Files of commits and of the index without secrets: searches do not redact them again. */
  const withoutSecrets = new Set<string>()

  const isChanging = (side: SideName): boolean => isLive && side === "head"
  const words = (text: string): string => redactor.text(revealedLine(text))
  const path = (name: string): string => redactor.text(visiblePath(name))

  const shown = (side: SideName, name: string, source: SourceText): ShownFile => {
    if (source._tag === "Text") {
      const raw = source.lines
      const key = `${side} ${name}`
      if (withoutSecrets.has(key)) return { _tag: "Lines", lines: raw, raw, numbers: null }
      const lines = redactor.lines(raw)
      const isFixed = !isChanging(side) && (change[side]._tag === "Commit" || change[side]._tag === "Index")
      if (isFixed && lines.every((line, at) => line === raw[at])) withoutSecrets.add(key)
      return { _tag: "Lines", lines, raw, numbers: null }
    }
    if (source._tag !== "Partial") return source
    const parts = linesInHunks(change.diff.files, side, name)
    return {
      _tag: "Lines",
      lines: redactor.lines(parts.map(({ text }) => text)),
      raw: parts.map(({ text }) => text),
      numbers: parts.map(({ line }) => line)
    }
  }

  const remember = (key: string, file: ShownFile) => {
    shownFiles.set(key, file)
    keptBytes += sizeOf(file)
    for (const [old, oldest] of shownFiles) {
      if ((shownFiles.size <= mostKept && keptBytes <= mostKeptBytes) || old === key) break
      shownFiles.delete(old)
      keptBytes -= sizeOf(oldest)
    }
  }

  const passing = Effect.fnUntraced(function* (side: SideName, names: ReadonlyArray<string>) {
    const texts = yield* sources.passing(side, names, largestFile)
    return texts.map((text, at) => () => shown(side, names[at] ?? "", text))
  })

  const file = Effect.fnUntraced(function* (side: SideName, name: string) {
    const key = `${side} ${name}`
    const cached = shownFiles.get(key)
    if (cached !== undefined) return cached
    const source = yield* side === "head" ? sources.head(name) : sources.base(name)
    const [large] = source._tag === "TooLarge" && source.bytes <= largestFile ? yield* passing(side, [name]) : []
    const found = large?.() ?? shown(side, name, source)
    if (!isChanging(side)) remember(key, found)
    return found
  })

  const patchPaths = (side: SideName) =>
    [...new Set(change.diff.files.flatMap((each) => (side === "head" ? each.newPath : each.oldPath) ?? []))].toSorted(
      compareText
    )

  const paths = Effect.fnUntraced(function* (side: SideName) {
    if (isPatch) return patchPaths(side)
    const all = yield* sources.headPaths
    return side === "head" ? all : basePaths(all, change.diff)
  })

  const exists = (side: SideName, name: string) =>
    Effect.map(side === "head" ? sources.head(name) : sources.base(name), (source) =>
      isPatch ? patchPaths(side).includes(name) : source._tag !== "Absent"
    )

  /** Why there is no such file, and an alternative. */
  const missing = Effect.fnUntraced(function* (side: SideName, name: string) {
    const other = side === "head" ? "base" : "head"
    const renamed = change.diff.files.find(
      (each) => each.status === "renamed" && (side === "head" ? each.oldPath : each.newPath) === name
    )
    const now = side === "head" ? renamed?.newPath : renamed?.oldPath
    if (now != null) return `${path(name)} is named ${path(now)} at the ${side}`
    const submodule = (yield* submodules).find((each) => name === each || name.startsWith(`${each}/`))
    if (submodule !== undefined) {
      return `${path(submodule)} is a submodule: its files are in another repository and cannot be read here`
    }
    const all = yield* paths(side)
    if (all.some((each) => each.startsWith(`${name}/`))) {
      return `${path(name)} is a folder; list_files shows what is in it`
    }
    if (yield* exists(other, name)) {
      return `${path(name)} does not exist at the ${side}, only at the ${other}: use side "${other}"`
    }
    const near = nearestPaths(name, all)
    const hint =
      near.length === 0 ? "list_files lists the existing files" : `did you mean ${near.map(path).join(", ")}?`
    const limits = isPatch ? "only a patch is known, and it does not name" : "there is no file"
    return `${limits} ${path(name)} at the ${side}; ${hint}`
  })

  /** The path that is shown under this name; it differs if it has invisible characters or a secret. */
  const asShown = (side: SideName, name: string) =>
    Effect.map(paths(side), (all) => (isOddlyShown(name) ? all.find((each) => path(each) === name) : undefined))

  const find = Effect.fnUntraced(function* (side: SideName, written: string) {
    const isKnown = (yield* paths(side)).includes(written)
    const name = isKnown ? written : yield* pathIn(written, words)
    if (isKnown || (yield* exists(side, name))) return name
    return (yield* asShown(side, name)) ?? (yield* refused(yield* missing(side, name)))
  })

  const findFolder = Effect.fnUntraced(function* (side: SideName, written: string) {
    const name = yield* pathIn(written, words, repositoryFolder)
    if (name === "") return name
    const all = yield* paths(side)
    const isFolder = [...all, ...(yield* submodules)].some((each) => each.startsWith(`${name}/`))
    if (isFolder || all.includes(name)) return name
    const [file, inside] = [
      yield* asShown(side, name),
      isOddlyShown(name) ? all.find((each) => path(each).startsWith(`${name}/`)) : undefined
    ]
    if (file !== undefined) return file
    if (inside !== undefined) return inside.split("/").slice(0, name.split("/").length).join("/")
    return yield* refused(yield* missing(side, name))
  })

  return { file, passing, paths, submodules, find, findFolder, words, path } satisfies ShownFiles
})

const isOddlyShown = (name: string): boolean => name.includes("\\x") || name.includes("<U+") || isMarked(name)

/** A path as a model wrote it, as a path of the repository; the file need not exist. */
export const pathIn = (written: string, words: ShownFiles["words"], parse = repositoryPath) =>
  Effect.mapError(Effect.fromResult(parse(written)), (reason) => refused(`${words(written.slice(0, 200))}: ${reason}`))

const sizeOf = (file: ShownFile): number =>
  file._tag === "Lines" ? file.lines.reduce((sum, line) => sum + line.length, 0) : 0

/** The lines of one side of a file that are in a patch, in order. */
const linesInHunks = (
  files: ReadonlyArray<DiffFile>,
  side: SideName,
  path: string
): ReadonlyArray<{ readonly line: number; readonly text: string }> =>
  files
    .filter((file) => (side === "head" ? file.newPath : file.oldPath) === path)
    .flatMap(({ hunks }) => hunks)
    .flatMap(({ lines }) => lines)
    .flatMap(({ newLine, oldLine, text }) => {
      const line = side === "head" ? newLine : oldLine
      return line === null ? [] : [{ line, text: text.replace(/\r$/, "") }]
    })

/** Why a file has no lines to show, as a clause after its name. */
export const whyNoLines = (file: Exclude<ShownFile, { readonly _tag: "Lines" }>): string => {
  switch (file._tag) {
    case "Absent":
      return "does not exist"
    case "Binary":
      return file.bytes === 0 ? "is binary: not shown" : `is binary (${file.bytes} bytes): not shown`
    case "Pointer":
      return "is a Git LFS pointer: its content is not in the repository"
    case "TooLarge":
      return `has ${file.bytes} bytes, more than ${largestFile}: not read; diff shows what the change did to it`
    case "Link":
      return `is a symbolic link to "${revealedLine(file.target)}"; links are not followed, ask for the target by its own path`
    case "Unreadable":
      return `cannot be read: ${revealedLine(file.reason)}`
  }
}
