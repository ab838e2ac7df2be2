/**
 * `grep`: lines of either side that match a pattern, in linear time.
 *
 * Git finds the files that contain the strings a match requires; then the redacted lines are searched. Hidden text is
 * not searched, because a series of patterns could reveal it letter by letter.
 */
import { Effect, Schema } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import { anyMarker } from "../../../domain/text/Mask.ts"
import { globFault, pathGlob } from "../../../domain/text/PathGlob.ts"
import { plural } from "../../../domain/text/plural.ts"
import { requiredLiterals } from "../../../domain/text/requiredLiterals.ts"
import { GitTimeout } from "../../change/gitCall.ts"
import { Sources } from "../../change/Sources.ts"
import { type Find, LinePatterns } from "../../finding/LinePatterns.ts"
import { monotonicMillis } from "../../system/monotonicMillis.ts"
import { readActionOf, refused } from "../runtime/Action.ts"
import { Ordinal, optional, side } from "../runtime/actionInput.ts"
import { answerBytes, cutAround, fittingCount } from "../runtime/answerText.ts"
import type { ShownFile, ShownFiles } from "../runtime/ShownFiles.ts"

const mostMatches = 500
const usualMatches = 100
const mostContext = 20

const Input = Schema.Struct({
  pattern: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000)).annotate({
    description: "A regular expression (RE2: no lookaround, no backreferences), searched for in each line by itself."
  }),
  path: optional(Schema.String, "A folder or file to search in. Default: everywhere."),
  glob: optional(Schema.String, 'Only files that it names, as in list_files: "*.ts".'),
  side,
  literal: optional(Schema.Boolean, "The pattern is plain text."),
  ignore_case: optional(Schema.Boolean, "Capitals do not matter."),
  word: optional(Schema.Boolean, "Only whole words."),
  context: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostContext })),
    "Lines to show before and after each match. Default 0."
  ),
  files_only: optional(Schema.Boolean, "Only the names of files, each with the number of its matching lines."),
  max: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostMatches })),
    `Matching lines (or files) to show. Default ${usualMatches}.`
  ),
  from: optional(Ordinal, "First match (or file) to show, for the next page. Default 1.")
})
type Input = typeof Input.Type

/** After this time the tool returns what it has found so far. */
const timeLimitMillis = 8_000
/** If git takes longer, every file is read. */
const gitTimeLimit = "10 seconds"
const filesAtOnce = 16
/** Characters that are searched between two checks of the time. */
const checkInterval = 50_000
/** Characters of a line that are searched. */
const longestLine = 500_000
const shownLength = 400

interface Found {
  readonly path: string
  readonly file: Extract<ShownFile, { readonly _tag: "Lines" }>
  /** The matches: index of the line, and index in the line. */
  readonly places: ReadonlyArray<{ readonly at: number; readonly start: number }>
}

export const makeGrep = Effect.fnUntraced(function* (files: ShownFiles, change: Change) {
  const sources = yield* Sources
  const patterns = yield* LinePatterns

  /** The files to search: `worth` are those that may have a match. */
  const candidates = Effect.fnUntraced(function* (input: Input, folder: string) {
    const which = input.side ?? "head"
    const matches = input.glob == null ? null : pathGlob(input.glob)
    const start = folder === "" ? 0 : folder.length + 1
    const all = (yield* files.paths(which)).filter(
      (path) =>
        (folder === "" || path === folder || path.startsWith(`${folder}/`)) &&
        (matches === null || matches(path === folder ? (path.split("/").at(-1) ?? "") : path.slice(start)))
    )
    const ignoreCase = input.ignore_case === true
    const literals = requiredLiterals(input.literal === true ? quoted(input.pattern) : input.pattern, ignoreCase)
    if (literals === null || change.head._tag === "Unknown") return { all, worth: all }
    const having = yield* sources
      .containing(which, literals, { ignoreCase, under: folder === "" ? null : folder })
      .pipe(Effect.provideService(GitTimeout, gitTimeLimit))
    if (having === null) return { all, worth: all }
    const known = new Set(having)
    return { all, worth: all.filter((path) => known.has(path)) }
  })

  const search = Effect.fnUntraced(function* (input: Input, find: Find, worth: ReadonlyArray<string>) {
    const which = input.side ?? "head"
    const onlyFiles = input.files_only === true
    const wanted = (input.from ?? 1) - 1 + (input.max ?? usualMatches)
    const ends = (yield* monotonicMillis) + timeLimitMillis
    const found: Array<Found> = []
    const unread: Array<string> = []
    const cut: Array<string> = []
    let total = 0
    let read = 0
    let isLate = false
    // One more than is shown, to detect whether there are more.
    while (read < worth.length && total <= wanted && !isLate) {
      const paths = worth.slice(read, read + filesAtOnce)
      const batch = yield* files.passing(which, paths)
      for (const [at, shown] of batch.entries()) {
        const path = paths[at] ?? ""
        if (total > wanted || isLate) break
        const file = shown()
        if (file._tag === "TooLarge" || file._tag === "Unreadable") unread.push(path)
        if (file._tag === "Lines") {
          const { isEnded, isWhole, places } = yield* placesIn(file, find, ends)
          if (!isWhole) cut.push(path)
          if (places.length > 0) {
            found.push({ path, file, places })
            total += onlyFiles ? 1 : places.length
          }
          isLate = !isEnded
        }
        if (!isLate) read++
        isLate ||= (yield* monotonicMillis) > ends
      }
    }
    return { found, unread, cut, total, read }
  })

  const named = (paths: ReadonlyArray<string>): string => {
    const more = paths.length > 5 ? `, and ${paths.length - 5} more` : ""
    return `${paths.slice(0, 5).map(files.path).join(", ")}${more}`
  }

  return readActionOf({
    name: "grep",
    description: `Lines that match, by file: the path on a line of its own, then "NUMBER: TEXT" for a match and "NUMBER- TEXT" for context. Binary files are not searched, and neither is redacted text ([REDACTED_...]). At most ${answerBytes / 1000} kB at once; if there are more, the last line gives the next value of from.`,
    input: Input,
    act: Effect.fn("Action.grep")(function* (input: Input) {
      const which = input.side ?? "head"
      const fault = input.glob == null ? null : globFault(input.glob)
      if (fault !== null) return yield* refused(`glob: ${fault}`)
      if (/[\0\n]/.test(input.pattern))
        return yield* refused("a pattern is matched against single lines: it must not contain a line break")
      const folder = yield* files.findFolder(which, input.path ?? "")
      const find = yield* Effect.mapError(patterns.finder(expressionOf(input)), ({ message }) =>
        refused(files.words(`pattern: ${message}; with literal it is taken as plain text`))
      )
      const { all, worth } = yield* candidates(input, folder)
      const { cut, found, read, total, unread } = yield* search(input, find, worth)
      const isWhole = read === worth.length
      const notices = [
        ...(change.head._tag === "Unknown" ? ["[only a patch is known: the lines it shows were searched]"] : []),
        ...(unread.length === 0 ? [] : [`[not searched: ${named(unread)}]`]),
        ...(cut.length === 0
          ? []
          : [`[of lines with more than ${longestLine} characters, only so many were searched: ${named(cut)}]`])
      ]
      const from = input.from ?? 1
      const where = `${plural(all.length, "file")} (${which})`
      if (total < from) {
        const none =
          total === 0 ? `no match in ${where}` : `${plural(total, "match", "matches")} in ${where}, none from ${from}`
        const late = isWhole ? [] : [tooSlow(read, worth.length)]
        return [none, ...late, ...notices].join("\n")
      }
      const page = input.files_only === true ? filesPage(input, found, files) : linesPage(input, found, files)
      const header = `${isWhole ? "" : "at least "}${plural(total, input.files_only === true ? "file" : "matching line")} in ${where}`
      const next = from + page.shown
      const rest =
        next <= total
          ? [`[more: ask again from ${next}, or with a narrower path or glob]`]
          : isWhole
            ? []
            : [tooSlow(read, worth.length)]
      return [header, ...page.lines, ...notices, ...rest].join("\n")
    })
  })
})

const tooSlow = (read: number, all: number): string =>
  `[stopped after ${timeLimitMillis / 1000} s with ${read} of ${all} files searched: ask again with a narrower path, glob or pattern]`

const quoted = (text: string): string => text.replace(/[\\^$.|?*+(){}[\]]/g, "\\$&")

const expressionOf = ({ ignore_case, literal, pattern, word }: Input): string => {
  const plain = literal === true ? quoted(pattern) : pattern
  // Not `\b`: a word may begin or end with a character that is not a letter (`--flag`).
  const whole = word === true ? `(?:^|[^\\p{L}\\p{N}_])(?:${plain})(?:[^\\p{L}\\p{N}_]|$)` : plain
  return ignore_case === true ? `(?i)${whole}` : whole
}

const marker = new RegExp(anyMarker, "g")

/**
 * The matches in the redacted lines. Redaction markers are not searched: a pattern that matches the marker and a guessed
 * secret would show whether the guess is right.
 */
const placesIn = Effect.fnUntraced(function* ({ lines, raw }: Found["file"], find: Find, ends: number) {
  const places: Array<{ readonly at: number; readonly start: number }> = []
  let isWhole = true
  let searched = 0
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const text = line === raw[at] ? line : line.replace(marker, (found) => "\0".repeat(found.length))
    if (text.length > longestLine) isWhole = false
    const found = find(text.slice(0, longestLine))
    if (found !== null) places.push({ at, start: found.start })
    searched += text.length + 1
    if (searched < checkInterval || at === lines.length - 1) continue
    searched = 0
    // Although matching is linear, some patterns take seconds for a megabyte.
    yield* Effect.yieldNow
    if ((yield* monotonicMillis) > ends) return { places, isWhole, isEnded: false }
  }
  return { places, isWhole, isEnded: true }
})

interface Page {
  readonly lines: ReadonlyArray<string>
  /** Matches or files that are complete on the page. */
  readonly shown: number
}

const filesPage = ({ from, max }: Input, found: ReadonlyArray<Found>, files: ShownFiles): Page => {
  const first = (from ?? 1) - 1
  const lines = found
    .slice(first, first + (max ?? usualMatches))
    .map(({ path, places }) => `${files.path(path)}\t${places.length}`)
  const shown = fittingCount(lines)
  return { lines: lines.slice(0, shown), shown }
}

const linesPage = ({ context, from, max }: Input, found: ReadonlyArray<Found>, files: ShownFiles): Page => {
  const around = context ?? 0
  const lines: Array<string> = []
  let skip = (from ?? 1) - 1
  let left = max ?? usualMatches
  let bytes = answerBytes
  let shown = 0
  for (const { file, path, places } of found) {
    const own = places.slice(skip, skip + left)
    skip = Math.max(0, skip - places.length)
    if (own.length === 0) continue
    const numberAt = (at: number) => file.numbers?.[at] ?? at + 1
    const matching = new Set(own.map(({ at }) => at))
    let before = -1
    let isNamed = false
    for (const { at, start } of own) {
      const block: Array<string> = isNamed ? [] : [files.path(path)]
      const first = Math.max(before + 1, at - around)
      if (isNamed && first > before + 1 && around > 0) block.push("--")
      for (let line = first; line <= Math.min(at + around, file.lines.length - 1); line++) {
        if (line > at && matching.has(line)) break
        const text = cutAround(file.lines[line] ?? "", line === at ? start : 0, shownLength)
        block.push(`${numberAt(line)}${line === at ? ":" : "-"} ${text}`)
        before = line
      }
      if (fittingCount(block, bytes) < block.length && shown > 0) return { lines, shown }
      lines.push(...block)
      bytes -= new TextEncoder().encode(block.join("\n")).length + 1
      isNamed = true
      shown++
      left--
    }
    if (left <= 0) break
  }
  return { lines, shown }
}
