/**
 * Parses the bytes of a unified diff: the output of `git diff`, `git format-patch` and `git show`, and plain diffs of
 * other tools.
 *
 * Linear. Either every file and line is parsed, or the failure names the first line that is not valid.
 */
import { Result } from "effect"
import { atOnce, type Steps } from "../system/Steps.ts"
import { bytesText, utf8Text } from "../text/quotePath.ts"
import { type Diff, type DiffFile, type FileStatus, type Hunk, untouchedFile } from "./Diff.ts"
import { headerNames, isEpoch, sideName, sideNames, wholeName } from "./diffNames.ts"
import { cut, DiffMalformed, hunkHeader, type Lines, readHunks } from "./readHunks.ts"

/** No files for blank input. Fails with the first invalid line and the reason. */
export const parseDiff = (bytes: Uint8Array): Result.Result<Diff, DiffMalformed> => atOnce(diffSteps(bytes))

/** `parseDiff` in one step for each file. */
export function* diffSteps(bytes: Uint8Array): Steps<Result.Result<Diff, DiffMalformed>> {
  return Result.map(yield* seriesSteps(bytes), (series) => ({ files: series.flatMap(({ files }) => files) }))
}

/** One patch of a series. */
export interface Patch extends Diff {
  /** The object names of each file's sides as they are written, often cut; "" if there is none. */
  readonly blobs: ReadonlyArray<Blobs>
}

interface Blobs {
  readonly before: string
  readonly after: string
}

/** One diff for each patch: the next one starts at other text between two files, or at a path that was in it already. */
export function* seriesSteps(bytes: Uint8Array): Steps<Result.Result<ReadonlyArray<Patch>, DiffMalformed>> {
  const input = readLines(bytes)
  const { lines } = input
  const series: Array<{ readonly files: Array<DiffFile>; readonly blobs: Array<Blobs> }> = []
  let files: Array<DiffFile> = []
  let blobs: Array<Blobs> = []
  let paths = new Set<string>()
  const begin = () => {
    files = []
    blobs = []
    paths = new Set()
    series.push({ files, blobs })
  }
  let apart = true
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    let read: FileRead | DiffMalformed | null = null
    if (line.startsWith("diff --git ")) read = readGitFile(input, at)
    else if (startsPlainFile(lines, at)) read = readPlainFile(input, at)
    else if (line.startsWith("diff --cc ") || line.startsWith("diff --combined ") || line.startsWith("@@@ ")) {
      return malformed(at, "a combined diff of a merge has no single base; make one with `git diff BASE...HEAD`")
    } else if (line.startsWith("@@ -") && hunkHeader.test(line)) {
      return malformed(at, "a hunk precedes the first file name")
    }
    if (read === null) {
      at++
      apart = true
    } else if (read instanceof DiffMalformed) {
      return Result.fail(read)
    } else {
      const { file } = read
      const last = apart ? undefined : files[files.length - 1]
      if (last !== undefined && isTypeChange(last, file)) {
        files[files.length - 1] = typeChange(last, file)
        blobs[blobs.length - 1] = { before: blobs[blobs.length - 1]!.before, after: read.blobs.after }
      } else {
        if (apart || paths.has(file.path)) begin()
        files.push(file)
        blobs.push(read.blobs)
        paths.add(file.path)
      }
      apart = false
      at = read.next
      yield
    }
  }
  if (series.length === 0) {
    const first = lines.findIndex((line) => line.trim() !== "")
    const marked = lines.findIndex((line) => markedHeader.test(line))
    const hasColours = lines[marked]?.includes("\x1b") === true
    if (hasColours) return malformed(marked, "its lines have codes of colours; make the patch with --no-color")
    if (marked >= 0) return malformed(marked, "its lines are beside a graph; make the patch without --graph")
    if (first >= 0) return malformed(first, "no file header (`diff --git`, or `---` and `+++`) was found in it")
  }
  return Result.succeed(series)
}

const markedHeader = /^(?:\x1b\[[\d;]*m|[|\\/*_> -])+(?:diff --git |--- (?:a\/|\/dev\/null))/

interface FileRead {
  readonly file: DiffFile
  readonly blobs: Blobs
  /** Index of the first line after the file. */
  readonly next: number
}

const lossy = new TextDecoder("utf-8", { ignoreBOM: true })

const readLines = (bytes: Uint8Array): Lines => {
  const raw = new Map<number, Uint8Array>()
  // Most diffs are valid UTF-8: then one decoding is enough, and the lines share its memory.
  const text = utf8Text(bytes)
  if (text !== null) {
    const lines = text.split("\n")
    if (lines[lines.length - 1] === "") lines.pop()
    return { lines, raw }
  }
  const lines: Array<string> = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start)
    const end = newline < 0 ? bytes.length : newline
    const slice = bytes.subarray(start, end)
    const valid = utf8Text(slice)
    // A copy: a view would keep the whole diff in memory for one line.
    if (valid === null) raw.set(lines.length, slice.slice())
    lines.push(valid ?? lossy.decode(slice))
    start = end + 1
  }
  return { lines, raw }
}

const malformed = (at: number, reason: string) => Result.fail(new DiffMalformed({ line: at + 1, reason }))

/** A header line: bytes that are not UTF-8 become `\xHH`, and a CR that a mail program added is dropped. */
const headerLine = ({ lines, raw }: Lines, at: number): string => {
  const bytes = raw.get(at)
  const line = bytes === undefined ? lines[at]! : bytesText(bytes)
  return line.endsWith("\r") ? line.slice(0, -1) : line
}

const fullOid = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const zeroOid = /^0+$/
const indexLine = /^index ([0-9a-f]+)\.\.([0-9a-f]+)(?: ([0-7]{6}))?$/

interface Header {
  oldMode: string | null
  newMode: string | null
  added: boolean
  deleted: boolean
  from: string | null
  to: string | null
  copied: boolean
  blobs: Blobs
  binary: boolean
}

const noBlobs: Blobs = { before: "", after: "" }

const oid = (text: string): string | null => (fullOid.test(text) ? text : null)

const headerKey =
  /^(old mode|new mode|new file mode|deleted file mode|(?:rename|copy) from|(?:rename|copy) to|rename old|rename new|similarity index|dissimilarity index) (.*)$/s

/** Reads a header line; false if it is not one. */
const readHeader = (header: Header, line: string): boolean => {
  const index = indexLine.exec(line)
  if (index !== null) {
    const [before, after] = [index[1]!, index[2]!].map((name) => (zeroOid.test(name) ? "" : name))
    header.blobs = { before: before!, after: after! }
    header.oldMode ??= index[3] ?? null
    header.newMode ??= index[3] ?? null
    return true
  }
  const [, key, value = ""] = headerKey.exec(line) ?? []
  switch (key) {
    case undefined:
      return false
    case "old mode":
      header.oldMode = value
      return true
    case "new mode":
      header.newMode = value
      return true
    case "new file mode":
      header.newMode = value
      header.added = true
      return true
    case "deleted file mode":
      header.oldMode = value
      header.deleted = true
      return true
    case "similarity index":
    case "dissimilarity index":
      return true
    case "copy from":
    case "rename from":
    case "rename old":
      header.from = wholeName(value)
      header.copied = key === "copy from"
      return true
    default:
      header.to = wholeName(value)
      return true
  }
}

const readGitFile = (input: Lines, start: number): FileRead | DiffMalformed => {
  const { lines } = input
  const header: Header = {
    oldMode: null,
    newMode: null,
    added: false,
    deleted: false,
    from: null,
    to: null,
    copied: false,
    blobs: noBlobs,
    binary: false
  }
  let sides: readonly [string | null, string | null] | null = null
  let hunks: ReadonlyArray<Hunk> = []
  let at = start + 1
  while (at < lines.length && readHeader(header, headerLine(input, at))) at++
  const line = lines[at] ?? ""
  if (line.startsWith("Binary files ") || line.startsWith("Files ")) {
    header.binary = true
    at++
  } else if (line.startsWith("GIT binary patch")) {
    header.binary = true
    at = afterBinaryPatch(lines, at + 1)
  } else if (line.startsWith("--- ")) {
    if (!(lines[at + 1] ?? "").startsWith("+++ ")) {
      return new DiffMalformed({ line: at + 2, reason: "a `---` line is not followed by a `+++` line" })
    }
    sides = [sideName(headerLine(input, at)), sideName(headerLine(input, at + 1))]
    const read = readHunks(input, at + 2)
    if (read instanceof DiffMalformed) return read
    hunks = read.hunks
    at = read.next
  }

  const added = header.added || (sides !== null && sides[0] === null)
  const deleted = header.deleted || (sides !== null && sides[1] === null)
  const named =
    header.from !== null && header.to !== null
      ? ([header.from, header.to] as const)
      : (headerNames(headerLine(input, start).slice("diff --git ".length)) ??
        (sides === null ? null : sideNames(sides[0], sides[1])))
  if (named === null) {
    const reason = `the file names in "${cut(lines[start]!)}" cannot be told apart`
    return new DiffMalformed({ line: start + 1, reason })
  }
  const [oldName, newName] = named
  const status: FileStatus = added
    ? "added"
    : deleted
      ? "deleted"
      : header.from === null || header.to === null
        ? "modified"
        : header.copied
          ? "copied"
          : "renamed"
  return {
    next: at,
    blobs: header.blobs,
    file: {
      status,
      path: deleted ? oldName : newName,
      oldPath: added ? null : oldName,
      newPath: deleted ? null : newName,
      oldMode: added ? null : header.oldMode,
      newMode: deleted ? null : header.newMode,
      oldOid: added ? null : oid(header.blobs.before),
      newOid: deleted ? null : oid(header.blobs.after),
      binary: header.binary,
      hunks
    }
  }
}

/** Skips a binary patch: one or two blocks of base 85, each followed by an empty line. */
const afterBinaryPatch = (lines: ReadonlyArray<string>, start: number): number => {
  let at = start
  while (/^(?:literal|delta) \d+\r?$/.test(lines[at] ?? "")) {
    while (at < lines.length && lines[at] !== "" && lines[at] !== "\r") at++
    at++
  }
  return Math.min(at, lines.length)
}

const startsPlainFile = (lines: ReadonlyArray<string>, at: number): boolean =>
  lines[at]!.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ") && (lines[at + 2] ?? "").startsWith("@@ -")

const readPlainFile = (input: Lines, at: number): FileRead | DiffMalformed => {
  const oldLine = headerLine(input, at)
  const newLine = headerLine(input, at + 1)
  const named = sideNames(sideName(oldLine), sideName(newLine))
  if (named === null) return new DiffMalformed({ line: at + 1, reason: "both sides of the file are /dev/null" })
  const read = readHunks(input, at + 2)
  if (read instanceof DiffMalformed) return read
  const added = sideName(oldLine) === null || isEpoch(oldLine)
  const deleted = !added && (sideName(newLine) === null || isEpoch(newLine))
  // A plain diff has no renames: its two names are the same file in two directories.
  const path = deleted ? named[0] : named[1]
  return {
    next: read.next,
    blobs: noBlobs,
    file: {
      ...untouchedFile(path),
      status: added ? "added" : deleted ? "deleted" : "modified",
      oldPath: added ? null : path,
      newPath: deleted ? null : path,
      hunks: read.hunks
    }
  }
}

/** Git prints the replacement of a file by a link or a submodule as a deletion and a creation of one path. */
const isTypeChange = (before: DiffFile, after: DiffFile): boolean =>
  before.status === "deleted" &&
  after.status === "added" &&
  before.path === after.path &&
  before.oldMode !== null &&
  after.newMode !== null &&
  before.oldMode.slice(0, 3) !== after.newMode.slice(0, 3)

const typeChange = (before: DiffFile, after: DiffFile): DiffFile => {
  const deletion = before.hunks[0]
  const creation = after.hunks[0]
  const binary = before.binary || after.binary
  return {
    ...after,
    status: "type-changed",
    oldPath: before.path,
    oldMode: before.oldMode,
    oldOid: before.oldOid,
    binary,
    hunks:
      binary || (deletion === undefined && creation === undefined)
        ? []
        : [
            {
              oldStart: deletion?.oldStart ?? 0,
              oldCount: deletion?.oldCount ?? 0,
              newStart: creation?.newStart ?? 0,
              newCount: creation?.newCount ?? 0,
              section: "",
              lines: [...(deletion?.lines ?? []), ...(creation?.lines ?? [])]
            }
          ]
  }
}
