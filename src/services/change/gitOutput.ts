/** Git's machine-readable output (`-z` throughout) as data. Pure; paths as `domain/change/quotePath` shows them. */
import type { CommitSummary } from "../../domain/change/Change.ts"
import { pathText } from "../../domain/text/quotePath.ts"

const decoder = new TextDecoder()

/** The parts between NUL bytes, the last one without a NUL dropped when empty. */
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

export const nulTexts = (bytes: Uint8Array): ReadonlyArray<string> => splitNul(bytes).map((part) => pathText(part))

/** A path of a tree or of the index. */
export interface TreeEntry {
  readonly path: string
  /** 100644, 100755, 120000 link, 160000 submodule. */
  readonly mode: string
  readonly oid: string
}

/** From `ls-tree -r -z`. */
export const treeEntries = (bytes: Uint8Array): ReadonlyArray<TreeEntry> =>
  nulTexts(bytes).map((entry) => {
    const [mode = "", , oid = ""] = entry.slice(0, entry.indexOf("\t")).split(" ")
    return { mode, oid, path: entry.slice(entry.indexOf("\t") + 1) }
  })

export interface IndexEntry extends TreeEntry {
  /** Not on disk on purpose: a sparse checkout. */
  readonly skipWorktree: boolean
}

/** From `ls-files -z --stage -t`. An unmerged path appears once, as our side (or the last stage that exists). */
export const indexEntries = (bytes: Uint8Array): ReadonlyArray<IndexEntry> => {
  const entries = new Map<string, IndexEntry & { readonly stage: string }>()
  for (const text of nulTexts(bytes)) {
    const [tag = "", mode = "", oid = "", stage = ""] = text.slice(0, text.indexOf("\t")).split(" ")
    const path = text.slice(text.indexOf("\t") + 1)
    if (entries.get(path)?.stage !== "2") entries.set(path, { path, mode, oid, stage, skipWorktree: tag === "S" })
  }
  return [...entries.values()].map(({ path, mode, oid, skipWorktree }) => ({ path, mode, oid, skipWorktree }))
}

/** A changed file as git lists it, its content unread. A mode is 000000 where there is no file. */
export interface RawChange {
  readonly path: string
  readonly oldMode: string
  readonly newMode: string
  /** All zeros for no file, and for a file on disk that differs from the index. */
  readonly oldOid: string
  readonly newOid: string
}

/** From `diff-tree` and `diff-index` with `-z --no-renames`. */
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
  /** A tracked file differs from HEAD, in the index or on disk. */
  readonly changed: boolean
  /** Untracked and not ignored; a directory that is a repository of its own ends in `/`. */
  readonly untracked: ReadonlyArray<string>
}

/** From `status --porcelain=v1 -z --no-renames`. */
export const statusOf = (bytes: Uint8Array): Status => {
  const entries = nulTexts(bytes)
  const untracked = entries.filter((entry) => entry.startsWith("?? ")).map((entry) => entry.slice(3))
  return { changed: untracked.length < entries.length, untracked }
}

/** A line no path has, before the files of each commit. */
export const touchedFormat = "--format=%x01"

/** From `log -z --name-only` with `touchedFormat`: the files of each commit. */
export const touchedOf = (bytes: Uint8Array): ReadonlyArray<ReadonlyArray<string>> => {
  const commits: Array<Array<string>> = []
  for (const part of nulTexts(bytes)) {
    // Git prints a line break between a commit's own line and its first file.
    if (part === "\u0001") commits.push([])
    else commits.at(-1)?.push(commits.at(-1)?.length === 0 ? part.replace(/^\n/, "") : part)
  }
  return commits
}

export interface Commit extends CommitSummary {
  /** As the repository knows them: none at the edge of a shallow clone. */
  readonly parents: ReadonlyArray<string>
}

export const commitFormat = "--format=%H%x00%P%x00%s%x00%b"

/** From `log -z` with `commitFormat`. */
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
  /** What a symbolic ref points to; "" for any other. */
  readonly target: string
}

/** From `for-each-ref` with `refFormat`: those that name a commit. */
export const refsOf = (bytes: Uint8Array): ReadonlyArray<Ref> =>
  decoder
    .decode(bytes)
    .split("\n")
    .flatMap((line) => {
      const [name = "", sha = "", target = "", kind] = line.split("\0")
      return kind === "commit" ? [{ name, sha, target }] : []
    })

/** The parents a raw commit object names, whether or not they are here. */
export const rawParents = (commit: Uint8Array): ReadonlyArray<string> => {
  const [header = ""] = decoder.decode(commit).split("\n\n", 1)
  return header.split("\n").flatMap((line) => (line.startsWith("parent ") ? [line.slice("parent ".length)] : []))
}

export type Blob =
  | { readonly _tag: "Found"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge"; readonly size: number }
  /** Not in this clone: a partial clone, or a name that is wrong. */
  | { readonly _tag: "Missing" }
  /** Git needs more memory to unpack it than it can have. */
  | { readonly _tag: "TooDeep" }

/** Can git unpack it, and is it small enough to be reviewed? A missing blob counts, because git does not search it. */
export const isReadable = (blob: Blob | undefined): boolean => blob?._tag !== "TooLarge" && blob?._tag !== "TooDeep"

/** Why a blob is `Missing`. */
export const notInClone = "its content is not in this clone (a partial clone fetches it later)"

/** Why a blob is `TooDeep`. */
export const tooDeepReason = "git needs too much memory to unpack it"

/** Reads `cat-file --batch` as it comes; an object over the limit passes by without being kept. */
export class BlobReader {
  readonly blobs = new Map<string, Blob>()
  /** How many objects have been read completely, with git's header of each. */
  answered = 0
  readonly #maxBytes: number
  readonly #keep: number
  #header: Array<number> = []
  #oid = ""
  /** Bytes of the current object still to come, its final newline included; 0 while a header is read. */
  #left = 0
  #body: Uint8Array | null = null
  #filled = 0

  /** `keep`: of each object, so many bytes from its beginning. */
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
