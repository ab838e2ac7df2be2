/**
 * The text of files on both sides of the change under review: blobs at a commit, the index, or the
 * working tree, never through a filter and never outside the repository.
 *
 * One per run. Text is decoded as UTF-8; a file with a NUL byte is binary, one over `maxBytes` too large.
 */
import { Context, type Effect } from "effect"
import type { Degraded } from "../../domain/change/Degraded.ts"
import type { WordGroup, WordPlace } from "../../domain/change/WordPlace.ts"

export const maxBytes = 2_000_000

export type SourceText =
  | { readonly _tag: "Text"; readonly text: string; readonly lines: ReadonlyArray<string> }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Binary"; readonly bytes: number }
  | { readonly _tag: "TooLarge"; readonly bytes: number }
  /** A link: its target is data, it is never followed. */
  | { readonly _tag: "Link"; readonly target: string }
  /** A bare patch: of this file only what the hunks show is known. */
  | { readonly _tag: "Partial" }
  /** It is there and could not be read (a missing object in a partial clone, permissions). */
  | { readonly _tag: "Unreadable"; readonly reason: string }

export class Sources extends Context.Service<
  Sources,
  {
    readonly head: (path: string) => Effect.Effect<SourceText>
    readonly base: (path: string) => Effect.Effect<SourceText>
    /** Reads many at once; later `head` and `base` of these paths cost nothing. */
    readonly preload: (head: ReadonlyArray<string>, base?: ReadonlyArray<string>) => Effect.Effect<void>
    /** The files each of so many newest commits before the change touched, newest first; empty where there is no history. */
    readonly history: (commits: number) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>>
    /** Object name of a side's file, for remembering what was read of it; null where only its text can tell. */
    readonly blobOf: (which: "base" | "head", path: string) => Effect.Effect<string | null>
    /** Every path of the head side, sorted; empty for a bare patch. */
    readonly headPaths: Effect.Effect<ReadonlyArray<string>>
    /** Base-side paths of the files directly in this folder, sorted; empty for a bare patch. */
    readonly baseFolder: (folder: string) => Effect.Effect<ReadonlyArray<string>>
    /**
     * Head-side paths with one of these endings whose text has one of these words as a word of its own, sorted; empty
     * for a bare patch.
     */
    readonly mentioning: (
      words: ReadonlyArray<string>,
      endings: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Files with these endings will be searched for words: what is read for that may be read meanwhile. */
    readonly soon: (endings: ReadonlyArray<string>) => Effect.Effect<void>
    /** Head-side paths of submodules, sorted: what is in them belongs to other repositories. */
    readonly submodules: Effect.Effect<ReadonlyArray<string>>
    /**
     * Every text file of a side that has one of these character strings on a line, and maybe others, sorted; null when
     * that is not known, so that any file may have one. Attributes that call a text binary do not count.
     */
    readonly containing: (
      which: "base" | "head",
      literals: ReadonlyArray<string>,
      options: { readonly ignoreCase: boolean; readonly under: string | null }
    ) => Effect.Effect<ReadonlyArray<string> | null>
    /** Texts that are read once and not remembered, each up to `limit` bytes: for going through many or large files. */
    readonly passing: (
      which: "base" | "head",
      paths: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SourceText>>
    /**
     * Where in such files the words of a group are, by path and line, in every file that has enough of them and maybe
     * in others; empty for a bare patch.
     */
    readonly places: (
      groups: ReadonlyArray<WordGroup>,
      endings: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<WordPlace>>
    /** Failures so far that left an answer incomplete, each once, in a fixed order. */
    readonly failures: Effect.Effect<ReadonlyArray<Degraded>>
  }
>()("dd/services/change/Sources") {}

/** Splits like an editor: by `\n`, a CR before it dropped, no empty last line after a final newline. */
export const splitLines = (text: string): ReadonlyArray<string> => {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines[lines.length - 1] === "") lines.pop()
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
}

const decoder = new TextDecoder()

/** A file's bytes as text, or why they are none. A byte order mark at the start is dropped. */
export const sourceText = (bytes: Uint8Array, limit = maxBytes): SourceText => {
  if (bytes.length > limit) return { _tag: "TooLarge", bytes: bytes.length }
  if (bytes.includes(0)) return { _tag: "Binary", bytes: bytes.length }
  const text = decoder.decode(bytes)
  return { _tag: "Text", text, lines: splitLines(text) }
}
