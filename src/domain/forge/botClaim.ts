/**
 * The claim in a comment of a review bot: its words without badges, folded parts and HTML, its severity, and the code that it
 * suggests for its lines.
 *
 * The forms of the bots differ only in words, which are data here.
 */
import type { Severity } from "../finding/Finding.ts"
import { oneLine, printable } from "../text/Printable.ts"

export interface BotClaim {
  /** One sentence. */
  readonly title: string
  readonly description: string
  readonly severity: Severity
  /** Replaces the lines of the comment; "" deletes them. Null if there is none, or more than one. */
  readonly suggestion: string | null
}

const longestTitle = 200
const longestDescription = 12_000
/** Forges accept 65,536. */
const longestBody = 70_000

/** Words of badges and labels. They count only where nothing else is on the line. */
const severityWords: ReadonlyArray<readonly [Severity, RegExp]> = [
  ["high", /\b(?:critical|blocker|high|major|severe|security|vulnerability|p0|p1|bug_risk)\b/],
  ["low", /\b(?:low|trivial|nit|nitpick|style|typo|info|optional|p3|p4)\b/],
  ["medium", /\b(?:medium|moderate|minor|warning|p2)\b/]
]

const otherLabels =
  /\b(?:badge|priority|severity|potential|possible|issue|refactor|suggestion|suggested|change|changes|verification|agent|outside|diff|range|comments?|duplicate|bug|risk|error|note|question|quick|win|heavy|lift|chill|assertive|performance|complexity|testing|documentation|correctness|maintainability|functional|data|integrity|stability|availability|privacy|and)\b/g

export const botClaim = (body: string): BotClaim => {
  const parts = partsOf(body.slice(0, longestBody).replace(/\r\n?/g, "\n"))
  const rest = printable(parts.rest)
  const suggestions = new Set(parts.suggestions)
  const visible = withoutFolded(rest)
  const labels: Array<string> = []
  const words = wordsOf(visible.trim() === "" ? rest : visible, labels)
  const [suggestion] = suggestions
  const without = suggestion === undefined ? "A comment without text" : "A suggested change"
  const description = words.slice(0, longestDescription).toWellFormed() || without
  return {
    title: titleOf(description) || without,
    description,
    severity: severityIn(labels),
    // Code with characters that nobody sees is not what was suggested.
    suggestion:
      suggestion === undefined || suggestions.size > 1 || printable(suggestion) !== suggestion ? null : suggestion
  }
}

/**
 * The blocks of suggested code, which may be in folded parts, and the other lines without HTML comments. What readers do not
 * see, in a comment or in another block of code, is no suggestion.
 */
const partsOf = (text: string) => {
  const rest: Array<string> = []
  const suggestions: Array<string> = []
  let open: { readonly fence: string; readonly lines: Array<string> } | null = null
  let isHidden = false
  for (const line of text.split("\n")) {
    if (open !== null) {
      const run = line.trim()
      const isEnd = run.length >= open.fence.length && run === open.fence.charAt(0).repeat(run.length)
      if (!isEnd) open.lines.push(line)
      else {
        if (open.lines !== rest) suggestions.push(open.lines.join("\n"))
        else rest.push(line)
        open = null
      }
      continue
    }
    const { isInside, visible } = withoutComments(line, isHidden)
    isHidden = isInside
    const [, fence, info = ""] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(visible) ?? []
    const isSuggestion = info.trim() === "suggestion"
    if (!isSuggestion) rest.push(visible)
    if (fence !== undefined) open = { fence, lines: isSuggestion ? [] : rest }
  }
  return { rest: rest.join("\n"), suggestions }
}

/** `isInside`: does the line begin, and does it end, inside of an HTML comment? */
const withoutComments = (line: string, isHidden: boolean): { readonly visible: string; readonly isInside: boolean } => {
  let visible = ""
  let isInside = isHidden
  for (let at = 0; ; isInside = !isInside) {
    const mark = isInside ? "-->" : "<!--"
    const next = line.indexOf(mark, at)
    if (!isInside) visible += next < 0 ? line.slice(at) : line.slice(at, next)
    if (next < 0) return { visible, isInside }
    at = next + mark.length
  }
}

/** Without `details` elements, also nested ones; one that is not closed hides nothing. */
const withoutFolded = (text: string): string => {
  const parts = text.split(/(<\/?details\b[^>]*>)/i)
  const closed: Array<string> = []
  const starts: Array<number> = []
  for (const part of parts) {
    if (/^<details\b/i.test(part)) starts.push(closed.length)
    const start = /^<\/details\b/i.test(part) ? starts.pop() : undefined
    if (start === undefined) closed.push(part)
    else closed.length = start
  }
  return closed.join("")
}

/** Markdown without HTML, images and lines that only have labels; code is unchanged. */
const wordsOf = (text: string, labels: Array<string>): string => {
  let isCode = false
  const lines = text.split("\n").flatMap((line) => {
    if (/^ {0,3}(?:`{3,}|~{3,})/.test(line)) isCode = !isCode
    if (isCode || /^ {0,3}(?:`{3,}|~{3,})/.test(line)) return [line]
    const plain = line
      .replace(images, (_, alt: string = "", other: string = "") => {
        labels.push(alt || other)
        return ""
      })
      .replace(/\[([^\]]{0,300})\]\(https?:[^)]{0,2000}\)/g, "$1")
      .replace(/(`+[^`]+`+)|<\/?[a-z][^<>]*>/gi, (_, code: string = "") => code)
      .replace(/^(\W*)([a-z][\w ,()-]{0,40}):(\W)/i, (all, before: string, label: string, after: string) => {
        if (!isLabel(label)) return all
        labels.push(label)
        return `${before.replace(/[*_ ]+$/, "")}${after.replace(/^[*_ ]+/, "")}`
      })
    if (!isLabel(plain)) return [plain.trimEnd()]
    labels.push(plain)
    return plain.trim() === "" ? [""] : []
  })
  return lines
    .join("\n")
    .replace(/^(?:\s|\*|_{1,2}(?=\s))+/, (run) => (run.includes("**") ? "**" : ""))
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

const images = /!\[([^\]]{0,300})\]\([^)]{0,2000}\)|<img\b[^>]{0,2000}\balt="([^"]{0,300})"[^>]{0,2000}>/gi

const isLabel = (text: string): boolean => {
  const known = severityWords.reduce((left, [, words]) => left.replace(new RegExp(words, "g"), ""), lettersOf(text))
  return known.replace(otherLabels, "").trim() === ""
}

const lettersOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, " ")
    .replace(/(?<!\w)_|_(?!\w)/g, " ")

const severityIn = (labels: ReadonlyArray<string>): Severity => {
  const all = lettersOf(labels.join(" "))
  return severityWords.find(([, words]) => words.test(all))?.[0] ?? "medium"
}

const titleOf = (description: string): string => {
  const line = description.split("\n").find((each) => each.trim() !== "" && !/^ {0,3}[`~]{3}/.test(each)) ?? ""
  const plain = oneLine(line.replace(/^[#>\s*-]+|\*\*|__/g, ""))
  const sentence = /^.*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain
  const cut = sentence.replace(/[.:]$/, "")
  return cut.length <= longestTitle ? cut : `${cut.slice(0, longestTitle - 1).toWellFormed()}…`
}
