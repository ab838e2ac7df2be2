/**
 * Applies a file's part of a diff to the bytes of its base side.
 *
 * Exact: no fuzz, no moved hunks; the bytes are those of `git apply`, or there is a reason for the failure.
 */
import { Result, Schema } from "effect"
import { concatBytes } from "../text/concatBytes.ts"
import type { DiffFile, DiffLine } from "./Diff.ts"

export class DoesNotApply extends Schema.TaggedError<DoesNotApply>()("DoesNotApply", {
  path: Schema.String,
  /** Line of the base file, from 1; 0 for the file as a whole. */
  line: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `the diff of ${this.path} does not fit at line ${this.line}: ${this.reason}`
  }
}

/** The bytes of the head side; empty for a deleted file. */
export const applyDiff = (file: DiffFile, base: Uint8Array): Result.Result<Uint8Array, DoesNotApply> => {
  if (file.binary) {
    return Result.fail(new DoesNotApply({ path: file.path, line: 0, reason: "it is binary and the diff has no text" }))
  }
  const parts: Array<Uint8Array> = []
  let offset = 0
  let line = 1
  const fail = (at: number, reason: string) => Result.fail(new DoesNotApply({ path: file.path, line: at, reason }))

  for (const hunk of file.hunks) {
    const start = hunk.oldCount === 0 ? hunk.oldStart + 1 : hunk.oldStart
    const from = offset
    while (line < start) {
      const newline = base.indexOf(10, offset)
      if (newline < 0) return fail(line, `the file ends before line ${start}`)
      offset = newline + 1
      line++
    }
    if (offset > from) parts.push(base.subarray(from, offset))
    for (const entry of hunk.lines) {
      const bytes = lineBytes(entry)
      if (entry.kind !== "added") {
        if (!startsWith(base, offset, bytes)) return fail(line, "another text stands there")
        offset += bytes.length
        line++
      }
      if (entry.kind !== "deleted") parts.push(bytes)
    }
    const last = hunk.lines.findLast((entry) => entry.kind !== "added")
    if (last?.noNewline === true && offset !== base.length) return fail(line, "the file goes on where it should end")
  }
  if (offset < base.length) parts.push(base.subarray(offset))
  return Result.succeed(concatBytes(parts))
}

/** The reverse change: applied to the head side, it results in the base side. */
export const reverseFile = (file: DiffFile): DiffFile => ({
  ...file,
  status: file.status === "added" ? "deleted" : file.status === "deleted" ? "added" : file.status,
  path: file.oldPath ?? file.path,
  oldPath: file.newPath,
  newPath: file.oldPath,
  oldMode: file.newMode,
  newMode: file.oldMode,
  oldOid: file.newOid,
  newOid: file.oldOid,
  hunks: file.hunks.map((hunk) => ({
    oldStart: hunk.newStart,
    oldCount: hunk.newCount,
    newStart: hunk.oldStart,
    newCount: hunk.oldCount,
    section: hunk.section,
    lines: hunk.lines.map((line) => ({
      ...line,
      kind: line.kind === "added" ? "deleted" : line.kind === "deleted" ? "added" : "context",
      oldLine: line.newLine,
      newLine: line.oldLine
    }))
  }))
})

const encoder = new TextEncoder()
const newline = Uint8Array.of(10)

/** The line as it is in the file, with its newline. */
const lineBytes = (line: DiffLine): Uint8Array => {
  if (line.raw === null) return encoder.encode(line.noNewline ? line.text : `${line.text}\n`)
  return line.noNewline ? line.raw : concatBytes([line.raw, newline])
}

const startsWith = (bytes: Uint8Array, offset: number, part: Uint8Array): boolean => {
  if (offset + part.length > bytes.length) return false
  for (let at = 0; at < part.length; at++) if (bytes[offset + at] !== part[at]) return false
  return true
}
