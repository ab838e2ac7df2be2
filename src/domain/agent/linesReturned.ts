/**
 * The lines of changed files in the result of a tool: dd's own tools, those of coding CLIs, shell commands.
 *
 * Line numbers come from the result, not from the arguments. A result without numbers counts if it has at least
 * `leastBlock` lines of the diff in a row. Lines that a tool has cut do not count.
 */
import type { DiffFile, DiffLine } from "../change/Diff.ts"
import { basePath, headPath, joinedLines, type SeenLines } from "../change/SeenLines.ts"
import { isReadTool } from "./toolKind.ts"

export interface ToolUse {
  readonly name: string
  readonly input: unknown
}

export const linesReturned = (
  { input, name }: ToolUse,
  output: string,
  files: ReadonlyArray<DiffFile>
): ReadonlyArray<SeenLines> => {
  const side = fieldOf(input, ["side"]) === "base" ? "base" : "head"
  const returned: Returned = { lines: output.split(/\r?\n/), given: fieldOf(input, pathFields), side, files }
  const low = name.toLowerCase()
  if (low === "diff") return joinedLines(ofDiff(returned))
  if (/(?:^|[._])(?:grep|search)(?:_?(?:files?|text))?$/.test(low)) return joinedLines(ofSearch(returned))
  const numbered = isReadTool(low) ? ofRead(returned) : []
  return joinedLines(numbered.length > 0 ? numbered : ofText(returned, input))
}

interface Returned {
  readonly lines: ReadonlyArray<string>
  /** The path in the arguments. */
  readonly given: string | null
  readonly side: SeenLines["side"]
  readonly files: ReadonlyArray<DiffFile>
}

const pathFields = ["file_path", "path", "filePath", "filename"]

const fieldOf = (input: unknown, names: ReadonlyArray<string>): string | null => {
  if (typeof input !== "object" || input === null) return null
  const fields = new Map<string, unknown>(Object.entries(input))
  const found = names.map((name) => fields.get(name)).find((value) => typeof value === "string")
  return typeof found === "string" ? found : null
}

/** The path of the changed file, also below another folder: a coding CLI reads a copy. */
const fileAt = (path: string | null, side: SeenLines["side"], files: ReadonlyArray<DiffFile>): string | null => {
  if (path === null) return null
  const plain = path.replace(/^\.\//, "")
  const names = files.map(side === "head" ? headPath : basePath)
  const found = names.filter((name) => plain === name || plain.endsWith(`/${name}`))
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null
}

const line = (path: string, side: SeenLines["side"], number: string): SeenLines => ({
  path,
  side,
  from: Number(number),
  to: Number(number)
})

/** The end of a line that was cut. */
const cut = /(?:… \[\d+ more characters\]|\[of \d+ characters\]|\[truncated\])$/

const ofRead = ({ given, files, lines, side }: Returned): ReadonlyArray<SeenLines> => {
  // dd's own tool prints the file that it found.
  const head = /^(?<path>.+) \((?<side>head|base)\), \d+ lines?$/.exec(lines[0] ?? "")?.groups
  const shown = head?.side === "base" ? "base" : head === undefined ? side : "head"
  const path = fileAt(head?.path ?? given, shown, files)
  if (path === null) return []
  const isNumber = head === undefined ? numberCheck(shown, files) : trusted
  return lines.flatMap((text) => {
    const { number, rest = "" } = /^\s*(?<number>\d+)(?:\t|→)(?<rest>.*)$/.exec(text)?.groups ?? {}
    if (number === undefined || cut.test(text)) return []
    return isNumber(path, number, rest) ? [line(path, shown, number)] : []
  })
}

type NumberCheck = (path: string, number: string, text: string) => boolean

/** dd's own tools may show lines in another form. */
const trusted: NumberCheck = () => true

/** The number may be text of the file with other tools, so its line of the diff must follow. */
const numberCheck = (side: SeenLines["side"], files: ReadonlyArray<DiffFile>): NumberCheck => {
  const known = new Map<string, ReadonlyMap<number, string>>()
  return (path, number, text) => {
    const texts = known.get(path) ?? textsOf(path, side, files)
    known.set(path, texts)
    const wanted = texts.get(Number(number))
    return wanted === undefined || text === wanted || text.includes("[REDACTED")
  }
}

/** The lines of one side in the diff, by number. */
const textsOf = (
  path: string,
  side: SeenLines["side"],
  files: ReadonlyArray<DiffFile>
): ReadonlyMap<number, string> => {
  const [nameOf, number] = side === "head" ? ([headPath, "newLine"] as const) : ([basePath, "oldLine"] as const)
  const lines = files
    .filter((file) => nameOf(file) === path)
    .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
  return new Map(lines.map((each) => [each[number] ?? 0, each.text.replace(/\r$/, "")]))
}

/** `NUMBER: TEXT` below a path, as dd prints it, or `PATH:NUMBER:TEXT`; `-` in place of `:` for context. */
const ofSearch = ({ given, files, lines, side }: Returned): ReadonlyArray<SeenLines> => {
  let path = fileAt(given, side, files)
  const isOwn = /^(?:at least )?\d+ matching lines? in \d+ files? \((?:head|base)\)$/.test(lines[0] ?? "")
  const isNumber = isOwn ? trusted : numberCheck(side, files)
  const found: Array<SeenLines> = []
  for (const text of lines) {
    const bare = /^(?<number>\d+)[:-](?<rest>.*)$/.exec(text)?.groups
    const named = /^(?<path>[^:]+)(?<mark>[:-])(?<number>\d+)\k<mark>(?<rest>.*)$/.exec(text)?.groups
    const { number, rest = "" } = bare ?? named ?? {}
    if (number === undefined) {
      if (text !== "--" && !text.startsWith("[")) path = fileAt(text, side, files)
      continue
    }
    const at = bare === undefined ? fileAt(named?.path ?? null, side, files) : path
    if (at !== null && !cut.test(text) && isNumber(at, number, rest)) found.push(line(at, side, number))
  }
  return found
}

/** dd's own `diff`: `OLD NEW +TEXT`. */
const ofDiff = ({ given, files, lines }: Returned): ReadonlyArray<SeenLines> => {
  const head = fileAt(given, "head", files)
  const file = files.find((each) => headPath(each) === head) ?? files.find((each) => basePath(each) === given)
  if (file === undefined) return []
  return lines.flatMap((text) => {
    if (cut.test(text)) return []
    const added = /^ +(?<number>\d+) \+/.exec(text)?.groups?.number
    const deleted = /^ *(?<number>\d+) +-/.exec(text)?.groups?.number
    if (added !== undefined) return [line(headPath(file), "head", added)]
    return deleted === undefined ? [] : [line(basePath(file), "base", deleted)]
  })
}

/** Fewer lines may be equal by chance; a shorter hunk counts if it is equal as a whole. */
const leastBlock = 3
/** The maximum number of comparisons in one result, because a text may repeat a line very often. */
const mostPairs = 2_000_000

/** Finds the longest block of each hunk in any text, for the files that the call names. */
const ofText = ({ files, lines }: Returned, input: unknown): ReadonlyArray<SeenLines> => {
  const call = JSON.stringify(input) ?? ""
  const named = files.filter((file) => call.includes(headPath(file)))
  if (named.length === 0) return []
  const places = new Map<string, Array<number>>()
  for (const [at, text] of lines.entries()) {
    // `nl` and `grep -n` print numbers in front of lines.
    const plain = text.replace(/^\s*\d+(?:\t|[:-] ?)/, "")
    for (const word of new Set([text, plain])) {
      const known = places.get(word)
      if (known === undefined) places.set(word, [at])
      else known.push(at)
    }
  }
  let pairs = 0
  const longestBlock = (wanted: ReadonlyArray<DiffLine>): ReadonlyArray<DiffLine> => {
    let [start, longest] = [0, 0]
    /** The number of equal lines that end at an index of the text. */
    let before = new Map<number, number>()
    for (const [at, { text }] of wanted.entries()) {
      const now = new Map<number, number>()
      for (const place of places.get(text.replace(/\r$/, "")) ?? []) {
        if (pairs++ > mostPairs) break
        const length = (before.get(place - 1) ?? 0) + 1
        now.set(place, length)
        if (length > longest) [start, longest] = [at - length + 1, length]
      }
      before = now
    }
    return longest < Math.min(leastBlock, wanted.length) ? [] : wanted.slice(start, start + longest)
  }
  return named.flatMap((file) =>
    file.hunks
      .flatMap(({ lines: all }) => longestBlock(all.filter(({ newLine }) => newLine !== null)))
      .map(({ newLine }) => line(headPath(file), "head", String(newLine)))
  )
}
