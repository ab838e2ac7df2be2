/**
 * Comments that suppress findings: `dd-ignore-next-line RULE[, RULE]: reason`, or `dd-ignore` on the line itself.
 *
 * RULE is an id, an area (`py/*`) or a fingerprint. The words must be at the start of a comment, so they have no effect in
 * prose or in a string. A missing reason is accepted and shown as missing.
 */
import { commentsIn, type Lexicon } from "../code/Comment.ts"
import { isFingerprint, isRulePattern } from "./RulePattern.ts"

export interface Suppression {
  /** The line of the comment, from 1. */
  readonly line: number
  /** The line it applies to. */
  readonly target: number
  readonly patterns: ReadonlyArray<string>
  readonly reason: string
}

export interface Suppressions {
  readonly found: ReadonlyArray<Suppression>
  /** Suppressions with invalid syntax. */
  readonly malformed: ReadonlyArray<{ readonly line: number; readonly problem: string }>
}

export const noReason = "no reason given"

const word = "dd-ignore"

// At the start of a comment, or of a second comment on the same line: `# noqa  # dd-ignore py/x: reason`.
const directive = /(?:^[\s*/!#;%-]*|\s(?:#|\/\/|--|;|%)\s*)dd-ignore(-next-line)?(?![\w-])(.*)$/
const none: Suppressions = { found: [], malformed: [] }

export const suppressionsIn = (lines: ReadonlyArray<string>, lexicon: Lexicon): Suppressions => {
  if (!lines.some((line) => line.includes(word))) return none
  const found: Array<Suppression> = []
  const malformed: Array<{ readonly line: number; readonly problem: string }> = []
  const comments = commentsIn(lines, lexicon).flatMap(({ line, text }) => {
    const found = directive.exec(text)
    return found === null ? [] : [{ line, next: found[1] !== undefined, rest: found[2]!.trim() }]
  })
  const directives = new Set(comments.filter((comment) => comment.next).map((comment) => comment.line))
  for (const { line, next, rest } of comments) {
    const read = readRest(rest)
    if (typeof read === "string") malformed.push({ line, problem: read })
    else found.push({ line, target: next ? nextCode(lines, line, directives) : line, ...read })
  }
  return { found, malformed }
}

/** The line without its suppression; "" if nothing else is on it, null if it is not certain where the comment ends. */
export const withoutSuppression = (line: string): string | null => {
  const rest = line.replace(/\s*(?:#|\/\/|--|;)\s*dd-ignore(?:-next-line)?\s(?!.*(?:\*\/|-->)).*$/, "")
  if (rest !== line) return rest
  return /^\s*(?:\/\*|<!--|\{\/\*)\s*dd-ignore\b.*(?:\*\/\}?|-->)\s*$/.test(line) ? "" : null
}

/** The line that a comment applies to: further comments and blank lines between are skipped. */
const nextCode = (lines: ReadonlyArray<string>, line: number, directives: ReadonlySet<number>): number => {
  let target = line + 1
  while (target <= lines.length && (lines[target - 1]!.trim() === "" || directives.has(target))) target++
  return target
}

const readRest = (rest: string): Pick<Suppression, "patterns" | "reason"> | string => {
  const patterns: Array<string> = []
  let left = rest
  for (;;) {
    const token = /^(dd1:[0-9a-f]{16}|[^\s,:]+)\s*(,?)\s*/.exec(left)
    const pattern = token?.[1] ?? ""
    if (pattern === "") return "it names no rule"
    if (!isRulePattern(pattern) && !isFingerprint(pattern))
      return `"${pattern}" is not a rule, an area or a fingerprint`
    patterns.push(pattern)
    left = left.slice(token![0].length)
    if (token![2] === "") break
  }
  if (left !== "" && !left.startsWith(":")) return "a reason follows a colon"
  return { patterns, reason: left.slice(1).trim() || noReason }
}
