/**
 * The text of files on both sides of the change: blobs of a commit, the index or the working tree, without filters and
 * never outside the repository.
 *
 * One per run. Text is decoded as UTF-8; a file with a NUL byte is binary, and one with more than `maxBytes` is too
 * large.
 */
import { Context, type Effect } from "effect"
import type { Degraded } from "../../domain/change/Degraded.ts"
import { isPointer } from "../../domain/change/remote/pointers.ts"
import { textLimit } from "../../domain/change/remote/whyUnread.ts"
import type { WordGroup, WordPlace } from "../../domain/change/WordPlace.ts"
import type { History } from "./History.ts"

export const maxBytes = textLimit

export type SourceText =
  | { readonly _tag: "Text"; readonly text: string; readonly lines: ReadonlyArray<string> }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Binary"; readonly bytes: number }
  | { readonly _tag: "TooLarge"; readonly bytes: number }
  /** A pointer of Git LFS: the content is not in the repository. */
  | { readonly _tag: "Pointer" }
  /** A link is never followed; its target is data. */
  | { readonly _tag: "Link"; readonly target: string }
  /** In a bare patch, only the lines of the hunks are known. */
  | { readonly _tag: "Partial" }
  /** The file exists but could not be read (a missing object in a partial clone, permissions). */
  | { readonly _tag: "Unreadable"; readonly reason: string }

export class Sources extends Context.Service<
  Sources,
  {
    readonly head: (path: string) => Effect.Effect<SourceText>
    readonly base: (path: string) => Effect.Effect<SourceText>
    /** Reads many files at once; a later `head` or `base` of these paths costs nothing. */
    readonly preload: (head: ReadonlyArray<string>, base?: ReadonlyArray<string>) => Effect.Effect<void>
    readonly history: History
    /** The object name of a file, as a cache key; null if only its text can identify it. */
    readonly blobOf: (which: "base" | "head", path: string) => Effect.Effect<string | null>
    /** All paths of the head side, sorted; empty for a bare patch. */
    readonly headPaths: Effect.Effect<ReadonlyArray<string>>
    /** Base-side paths of the files directly in this folder, sorted; empty for a bare patch. */
    readonly baseFolder: (folder: string) => Effect.Effect<ReadonlyArray<string>>
    /**
     * Head-side paths with one of these endings and one of these words as a whole word in the text, sorted; empty for a
     * bare patch.
     */
    readonly mentioning: (
      words: ReadonlyArray<string>,
      endings: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Announces that files with these endings will be searched for words, so that they can be read in advance. */
    readonly soon: (endings: ReadonlyArray<string>) => Effect.Effect<void>
    /** Head-side paths of submodules, sorted; the files in them belong to other repositories. */
    readonly submodules: Effect.Effect<ReadonlyArray<string>>
    /**
     * All text files of a side that have one of these strings on a line, and possibly others, sorted; null if this is
     * unknown, in which case any file may match. Attributes that declare a text binary are ignored.
     */
    readonly containing: (
      which: "base" | "head",
      literals: ReadonlyArray<string>,
      options: { readonly ignoreCase: boolean; readonly under: string | null }
    ) => Effect.Effect<ReadonlyArray<string> | null>
    /** Texts that are read once and not cached, each up to `limit` bytes: for many or large files. */
    readonly passing: (
      which: "base" | "head",
      paths: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SourceText>>
    /**
     * The places of the words of a group in such files, by path and line. Includes every file with enough of the words
     * and possibly others; empty for a bare patch.
     */
    readonly places: (
      groups: ReadonlyArray<WordGroup>,
      endings: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<WordPlace>>
    /** Adds a failure of a reader: what was not checked, as a noun phrase, and why. */
    readonly incomplete: (
      unchecked: string,
      reason: { readonly _tag: string; readonly message: string }
    ) => Effect.Effect<void>
    /** Failures so far that made an answer incomplete, without duplicates, in a fixed order. */
    readonly failures: Effect.Effect<ReadonlyArray<Degraded>>
  }
>()("dd/services/change/Sources") {}

/** Splits as an editor does: at `\n`, without a CR before it and without an empty last line after a final newline. */
export const splitLines = (text: string): ReadonlyArray<string> => {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines[lines.length - 1] === "") lines.pop()
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
}

const decoder = new TextDecoder()

/** The bytes of a file as text, or the reason why they are not text. A leading byte order mark is dropped. */
export const sourceText = (bytes: Uint8Array, limit = maxBytes): SourceText => {
  if (bytes.length > limit) return { _tag: "TooLarge", bytes: bytes.length }
  if (bytes.includes(0)) return { _tag: "Binary", bytes: bytes.length }
  if (isPointer(bytes)) return { _tag: "Pointer" }
  const text = decoder.decode(bytes)
  return { _tag: "Text", text, lines: splitLines(text) }
}
