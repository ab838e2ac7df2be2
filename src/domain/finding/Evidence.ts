/**
 * Decides whether a claim may be shown: its place must exist and contain its quote.
 *
 * Checks the form first, then the cited file, the line and the quoted text. All functions
 * are total and return a reason for the user.
 */
import { Result } from "effect"
import { plural } from "../text/plural.ts"
import { type Lens, ReviewRecord } from "./Finding.ts"
import type { Citation, KnownPaths } from "./KnownPaths.ts"
import { isQuote, nearbyPlace, placeOfQuote, type QuotedText } from "./QuotePlace.ts"

/** A cited file. */
export type CitedFile =
  | ({ readonly _tag: "Seen" } & QuotedText)
  /** The file exists and has no lines: binary, a submodule. */
  | { readonly _tag: "Opaque"; readonly what: string }
  /** The file does not exist; `why` completes "a.py ...". */
  | { readonly _tag: "Missing"; readonly why: string }

const noEvidence = new Set(["", "n/a", "none", "-"])

/** Why the form of the claim is not valid, or null. */
export const formFault = (record: ReviewRecord, lens: Lens): string | null => {
  if (record.description.trim() === "") return "it does not say what is wrong"
  if (record.confidence.toUpperCase() === "LOW") return "the reviewer's own confidence is low"
  if (noEvidence.has(record.evidence.trim().toLowerCase())) return "no evidence was given"
  if (record.rationale.toLowerCase().includes("no exploration evidence")) {
    return "the reviewer says that nothing in the code supports it"
  }
  if (lens === "structural" || (record.file !== "" && record.line > 0) || hasCitation(record.evidence)) {
    return null
  }
  return "it names no place: neither a file and a line nor a path:line in its evidence"
}

/** Is there a word with a `.` or `/`, followed by a colon and a digit? Checks the form only. */
const hasCitation = (evidence: string): boolean =>
  evidence.split(/\s+/).some((word) => {
    const start = word.search(/[./]/)
    return start >= 0 && /:\d/.test(word.slice(start))
  })

/** What looks like a place of the repository in a text without known ones, for the reason why a claim is refused. */
export const unknownPlaces = (text: string): ReadonlyArray<Citation> => {
  const found: Array<Citation> = []
  for (const word of text.split(/[\s()[\]{}<>`"',;]+/)) {
    const parts = word.split(":")
    for (const [index, path] of parts.slice(0, -1).entries()) {
      const line = /^\d{1,7}(?!\d|\.\d)/.exec(parts[index + 1]!)
      if (line === null || !/[./]/.test(path) || /^[\d.]+$|^[/\\]|\/\/|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)) continue
      found.push({ path, line: Number(line[0]) })
    }
  }
  return found
}

/** The claim at a known path, or at the first place in its evidence if it has no file. */
export const placed = (record: ReviewRecord, known: KnownPaths): ReviewRecord => {
  if (record.file !== "") {
    const file = record.rule === undefined ? known.named(record.file) : record.file
    return file === null || file === record.file ? record : ReviewRecord.make({ ...record, file })
  }
  const [first] = known.cited(record.evidence).places
  return first === undefined ? record : ReviewRecord.make({ ...record, file: first.path, line: first.line })
}

/** The maximum number of lines of a claim: a longer range does not locate the defect. */
const longestRange = 5

/**
 * The claim at its verified line, or the reason to refuse it. A model counts lines badly and copies well, so its quote
 * decides the line, also in the evidence. A range is cut at the end of the file and at `longestRange`.
 */
export const verified = (record: ReviewRecord, cited: CitedFile): Result.Result<ReviewRecord, string> => {
  if (record.line < 0) return Result.fail(`line ${record.line} is not a line`)
  if (cited._tag === "Missing") return Result.fail(`${record.file} ${cited.why}`)
  if (cited._tag === "Opaque") {
    return record.line === 0
      ? Result.succeed(record)
      : Result.fail(`${record.file} is ${cited.what}: it has no line ${record.line}`)
  }
  const quote = record.quote ?? ""
  if (isQuote(quote)) {
    // The line of a rule's record is computed, and its quote is that line.
    const line = (record.rule === undefined ? placeOfQuote : nearbyPlace)(quote, record.line, cited)
    if (line !== null) {
      const moved = movedTo(record, line, cited)
      return Result.succeed(record.rule === undefined ? withColumns(moved, quote, cited.line(moved.line) ?? "") : moved)
    }
  }
  if (cited.count !== null && record.line > Math.max(1, cited.count)) {
    return Result.fail(`line ${record.line} is past the end of ${record.file} (${plural(cited.count, "line")})`)
  }
  if (cited.count === null && record.line > 0 && cited.line(record.line) === undefined) {
    return Result.fail(`line ${record.line} of ${record.file} is not in the diff, and there is no file to look into`)
  }
  return isQuote(quote)
    ? Result.fail("the quoted text is not there")
    : Result.succeed(movedTo(record, record.line, cited))
}

/** A quote that is a part of one line, and occurs once in it, has its columns. */
const withColumns = (record: ReviewRecord, quote: string, text: string): ReviewRecord => {
  const part = quote.trim()
  const start = text.indexOf(part)
  const isPart = start >= 0 && part !== text.trim() && !text.includes(part, start + 1)
  if (!isPart || (record.endLine ?? record.line) !== record.line) return record
  return ReviewRecord.make({ ...record, column: start + 1, endColumn: start + part.length + 1 })
}

/** The line, or the nearest one with text, because a finding on an empty line is unclear. 0 if no line has text. */
export const lineWithText = (line: number, { count, line: textAt, numbers }: QuotedText): number => {
  if (count === 0) return 0
  const isBlank = (at: number) => textAt(at)?.trim() === ""
  if (line === 0 || !isBlank(line)) return line
  const furthest = count ?? numbers?.at(-1) ?? line
  for (let distance = 1; distance <= furthest; distance++) {
    for (const at of [line + distance, line - distance]) if (textAt(at) !== undefined && !isBlank(at)) return at
  }
  return 0
}

const movedTo = (record: ReviewRecord, place: number, text: QuotedText): ReviewRecord => {
  const { count } = text
  const line = lineWithText(place, text)
  const shift = line - record.line
  const reportedEnd = Math.max(line, (record.endLine ?? record.line) + shift)
  const last = record.rule === undefined ? Math.min(reportedEnd, line + longestRange - 1) : reportedEnd
  const endLine = count === null ? last : Math.max(line, Math.min(last, count))
  if (shift === 0 && (record.endLine === undefined || endLine === record.endLine)) return record
  // They belong to the reported lines.
  const { column: _, endColumn: __, ...rest } = record
  return ReviewRecord.make({
    ...rest,
    line,
    ...(record.endLine === undefined ? {} : { endLine }),
    evidence:
      shift === 0
        ? record.evidence
        : record.evidence.replaceAll(
            new RegExp(`${RegExp.escape(record.file)}:${record.line}(?!\\d)`, "g"),
            () => `${record.file}:${line}`
          )
  })
}
