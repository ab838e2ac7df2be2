/** Parses git's history: commits with their files, and the author of each line. Pure. */
import { DateTime } from "effect"
import type { PastCommit, TouchedFile } from "../../domain/change/PastCommit.ts"
import { bytesText } from "../../domain/text/quotePath.ts"
import { nulTexts } from "./gitOutput.ts"

export const historyFormat = "--format=%x00%H%x00%P%x00%an%x00%as%x00%ct%x00%s%x00"

const decoder = new TextDecoder()

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/**
 * Parses `log -z --raw` with `historyFormat`. Names are recognized only by position, so no name can be taken for a
 * commit.
 */
export const historyCommits = (bytes: Uint8Array): ReadonlyArray<PastCommit> => {
  const parts = nulTexts(bytes)
  const commits: Array<PastCommit> = []
  for (let at = 0; at < parts.length; ) {
    if (!objectName.test(parts[at] ?? "")) {
      at++
      continue
    }
    const [sha = "", parents = "", author = "", date = "", time = "", subject = ""] = parts.slice(at, at + 6)
    at += 6
    const files: Array<TouchedFile> = []
    for (;;) {
      // Git prints a line break between a commit and its first file.
      const status = /^\n?:\d{6} \d{6} [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(parts[at] ?? "")?.[1]
      if (status === undefined) {
        // An empty part separates two commits, with or without files.
        if (parts[at] === "" && /^\n?:\d{6} /.test(parts[at + 1] ?? "") && files.length === 0) {
          at++
          continue
        }
        break
      }
      const isMoved = status === "R" || status === "C"
      const [first = "", second = ""] = parts.slice(at + 1, at + 3)
      files.push(isMoved ? { status, path: second, oldPath: first } : { status, path: first, oldPath: null })
      at += isMoved ? 3 : 2
    }
    commits.push({
      sha,
      parents: parents === "" ? [] : parents.split(" "),
      author,
      date,
      time: Number(time),
      subject,
      files
    })
  }
  return commits
}

/** How many commits begin in a part of the output, for the person who waits: one that is cut off is not counted. */
export const commitsIn = (chunk: Uint8Array): number =>
  (bytewise.decode(chunk).match(/\0(?:[0-9a-f]{40}|[0-9a-f]{64})\0/g) ?? []).length

const bytewise = new TextDecoder("latin1")

export const patchFormat = "--format=%x00%H%x00"

/** Parses `log -z --patch` with `patchFormat`: the bytes of each patch. */
export const patchesOf = (bytes: Uint8Array): ReadonlyMap<string, Uint8Array> => {
  const patches = new Map<string, Uint8Array>()
  let sha: string | null = null
  let start = 0
  const end = (at: number): void => {
    if (sha === null) return
    // Git prints an empty part and a line break before a patch, and an empty part after it.
    let [from, to] = [start, at]
    while (from < to && (bytes[from] === 0 || bytes[from] === 10)) from++
    while (from < to && bytes[to - 1] === 0) to--
    patches.set(sha, bytes.subarray(from, to))
  }
  for (let nul = bytes.indexOf(0); nul >= 0; nul = bytes.indexOf(0, nul + 1)) {
    const next = bytes.indexOf(0, nul + 1)
    const name = next - nul > 65 || next < 0 ? "" : decoder.decode(bytes.subarray(nul + 1, next))
    if (!objectName.test(name)) continue
    end(nul)
    sha = name
    start = next + 1
    nul = next
  }
  end(bytes.length)
  return patches
}

export interface BlamedLine {
  readonly line: number
  /** Null: not committed. */
  readonly sha: string | null
  readonly author: string
  readonly date: string
  readonly subject: string
}

interface CommitFields {
  author: string
  date: string
  subject: string
}

/** Parses `blame --porcelain`. */
export const blamedLines = (bytes: Uint8Array): ReadonlyArray<BlamedLine> => {
  const lines: Array<BlamedLine> = []
  const commits = new Map<string, CommitFields>()
  let sha = ""
  let line = 0
  for (const text of linesOf(bytes)) {
    const fields = commits.get(sha)
    if (text.startsWith("\t")) {
      lines.push({
        line,
        sha: /^0*$/.test(sha) ? null : sha,
        author: fields?.author ?? "",
        date: fields?.date ?? "",
        subject: fields?.subject ?? ""
      })
      continue
    }
    const header = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ (\d+)(?: \d+)?$/.exec(text)
    if (header !== null) {
      sha = header[1]!
      line = Number(header[2])
      if (!commits.has(sha)) commits.set(sha, { author: "", date: "", subject: "" })
      continue
    }
    const space = text.indexOf(" ")
    const value = space < 0 ? "" : text.slice(space + 1)
    if (fields === undefined) continue
    if (text.startsWith("author ")) fields.author = value
    else if (text.startsWith("summary ")) fields.subject = value
    else if (text.startsWith("author-time ")) fields.date = dateOf(Number(value))
  }
  return lines
}

const linesOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start)
    const end = newline < 0 ? bytes.length : newline
    lines.push(bytesText(bytes.subarray(start, end)))
    start = end + 1
  }
  return lines
}

const longestSeconds = 8_000_000_000_000

const dateOf = (seconds: number): string =>
  Number.isFinite(seconds) && Math.abs(seconds) < longestSeconds
    ? DateTime.formatIsoDateUtc(DateTime.makeUnsafe(seconds * 1000))
    : ""
