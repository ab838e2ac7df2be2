/** Parses git's machine-readable output (always `-z`). Pure; paths as in `domain/change/quotePath`. */
import type { CommitSummary } from "../../domain/change/Change.ts"
import { pathText, utf8Text } from "../../domain/text/quotePath.ts"

const decoder = new TextDecoder()

/** The parts between NUL bytes, without an empty part after the last NUL. */
const splitNul = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for (let start = 0; start < bytes.length; ) {
    const nul = bytes.indexOf(0, start)
    const end = nul < 0 ? bytes.length : nul
    parts.push(bytes.subarray(start, end))
    start = end + 1
  }
  return parts
}

export const nulTexts = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = utf8Text(bytes)
  if (whole === null || whole.includes("\\x")) return splitNul(bytes).map((part) => pathText(part))
  const parts = whole.split("\0")
  if (parts.at(-1) === "") parts.pop()
  return parts
}

/** An entry of a tree or of the index. */
export interface TreeEntry {
  readonly path: string
  /** 100644, 100755, 120000 link, 160000 submodule. */
  readonly mode: string
  readonly oid: string
}

/** Parses `ls-tree -r -z`. */
export const treeEntries = (bytes: Uint8Array): ReadonlyArray<TreeEntry> =>
  nulTexts(bytes).map((entry) => {
    const [mode = "", , oid = ""] = entry.slice(0, entry.indexOf("\t")).split(" ")
    return { mode, oid, path: entry.slice(entry.indexOf("\t") + 1) }
  })

export interface IndexEntry extends TreeEntry {
  /** Intentionally not on disk: a sparse checkout. */
  readonly skipWorktree: boolean
}

/** Parses `ls-files -z --stage -t`. An unmerged path appears once, as our side (or the last stage that exists). */
export const indexEntries = (bytes: Uint8Array): ReadonlyArray<IndexEntry> => {
  const entries = new Map<string, IndexEntry & { readonly stage: string }>()
  for (const text of nulTexts(bytes)) {
    const [tag = "", mode = "", oid = "", stage = ""] = text.slice(0, text.indexOf("\t")).split(" ")
    const path = text.slice(text.indexOf("\t") + 1)
    if (entries.get(path)?.stage !== "2") entries.set(path, { path, mode, oid, stage, skipWorktree: tag === "S" })
  }
  return [...entries.values()].map(({ path, mode, oid, skipWorktree }) => ({ path, mode, oid, skipWorktree }))
}

/** A changed file, listed without reading its content. The mode is 000000 if there is no file. */
export interface RawChange {
  readonly path: string
  readonly oldMode: string
  readonly newMode: string
  /** All zeros for no file, and for a file on disk that differs from the index. */
  readonly oldOid: string
  readonly newOid: string
}

/** Parses `diff-tree` and `diff-index` with `-z --no-renames`. */
export const rawChangesOf = (bytes: Uint8Array): ReadonlyArray<RawChange> => {
  const parts = nulTexts(bytes)
  return parts.flatMap((part, at) => {
    const entry = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [AMTD]$/.exec(at % 2 === 0 ? part : "")
    const path = parts[at + 1]
    return entry === null || path === undefined
      ? []
      : [{ path, oldMode: entry[1]!, newMode: entry[2]!, oldOid: entry[3]!, newOid: entry[4]! }]
  })
}

export interface Status {
  /** Whether a tracked file differs from HEAD, in the index or on disk. */
  readonly changed: boolean
  /** Untracked and not ignored; the path of a nested repository ends in `/`. */
  readonly untracked: ReadonlyArray<string>
}

/** Parses `status --porcelain=v1 -z --no-renames`. */
export const statusOf = (bytes: Uint8Array): Status => {
  const entries = nulTexts(bytes)
  const untracked = entries.filter((entry) => entry.startsWith("?? ")).map((entry) => entry.slice(3))
  return { changed: untracked.length < entries.length, untracked }
}

export interface Commit extends CommitSummary {
  /** As listed in the repository; empty at the edge of a shallow clone. */
  readonly parents: ReadonlyArray<string>
}

export const commitFormat = "--format=%H%x00%P%x00%s%x00%b"

/** Parses `log -z` with `commitFormat`. */
export const commitsOf = (bytes: Uint8Array): ReadonlyArray<Commit> => {
  const fields = splitNul(bytes).map((part) => decoder.decode(part))
  const commits: Array<Commit> = []
  for (let at = 0; at + 2 < fields.length; at += 4) {
    const [sha = "", parents = "", subject = "", body = ""] = fields.slice(at, at + 4)
    commits.push({ sha, parents: parents === "" ? [] : parents.split(" "), subject, body: body.trim() })
  }
  return commits
}

export const refFormat = "--format=%(refname)%00%(objectname)%00%(symref)%00%(objecttype)"

export interface Ref {
  readonly name: string
  readonly sha: string
  /** The target of a symbolic ref; "" for any other. */
  readonly target: string
}

/** Parses `for-each-ref` with `refFormat`: the refs that name a commit. */
export const refsOf = (bytes: Uint8Array): ReadonlyArray<Ref> =>
  decoder
    .decode(bytes)
    .split("\n")
    .flatMap((line) => {
      const [name = "", sha = "", target = "", kind] = line.split("\0")
      return kind === "commit" ? [{ name, sha, target }] : []
    })

/** The parents that a raw commit object names, whether or not they are in this clone. */
export const rawParents = (commit: Uint8Array): ReadonlyArray<string> => {
  const [header = ""] = decoder.decode(commit).split("\n\n", 1)
  return header.split("\n").flatMap((line) => (line.startsWith("parent ") ? [line.slice("parent ".length)] : []))
}

export type Blob =
  | { readonly _tag: "Found"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge"; readonly size: number }
  /** Not in this clone: the clone is partial, or the name is wrong. */
  | { readonly _tag: "Missing" }
  /** Git needs more memory to unpack it than it may use. */
  | { readonly _tag: "TooDeep" }

/** Whether git has it, can unpack it, and it is small enough for a review. */
export const isReadable = (blob: Blob | undefined): boolean => blob === undefined || blob._tag === "Found"

/** Why a blob is `Missing`. */
export const notInClone = "its content is not in this clone (a partial clone fetches it later)"

/** Why a blob is `TooDeep`. */
export const tooDeepReason = "git needs too much memory to unpack it"

/** Parses the stream of `cat-file --batch`; an object over the limit is skipped. */
export class BlobReader {
  readonly blobs = new Map<string, Blob>()
  /** How many objects have been read completely, with their headers. */
  answered = 0
  readonly #maxBytes: number
  readonly #keep: number
  #header: Array<number> = []
  #oid = ""
  /** Bytes of the current object still to come, including its final newline; 0 while a header is read. */
  #left = 0
  #body: Uint8Array | null = null
  #filled = 0

  /** `keep`: how many bytes to keep from the beginning of each object. */
  constructor(maxBytes: number, keep = maxBytes) {
    this.#maxBytes = maxBytes
    this.#keep = keep
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const take = Math.min(this.#left, chunk.length - at)
        if (this.#body !== null) {
          const content = Math.min(take, this.#body.length - this.#filled)
          this.#body.set(chunk.subarray(at, at + content), this.#filled)
          this.#filled += content
        }
        at += take
        this.#left -= take
        if (this.#left > 0) continue
        this.answered++
        if (this.#body !== null) this.blobs.set(this.#oid, { _tag: "Found", bytes: this.#body })
        continue
      }
      const byte = chunk[at++]!
      if (byte === 10) this.#begin()
      else this.#header.push(byte)
    }
  }

  #begin(): void {
    const [oid = "", kind = "", size = ""] = decoder.decode(Uint8Array.from(this.#header)).split(" ")
    this.#header = []
    this.#oid = oid
    if (size === "") {
      this.answered++
      if (kind === "missing") this.blobs.set(oid, { _tag: "Missing" })
      return
    }
    const bytes = Number(size)
    const tooLarge = bytes > this.#maxBytes
    if (tooLarge) this.blobs.set(oid, { _tag: "TooLarge", size: bytes })
    this.#body = tooLarge ? null : new Uint8Array(Math.min(bytes, this.#keep))
    this.#filled = 0
    this.#left = bytes + 1
  }
}
