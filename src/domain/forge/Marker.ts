/**
 * HTML comments that readers do not see, at the ends of dd's own comments, by which it finds them again: the fingerprint
 * and the rule of a finding, that it was fixed, and the summary.
 */
import type { AnswerKind } from "../review/Feedback.ts"

export interface Marker {
  readonly kind: "finding" | "fixed"
  readonly fingerprint: string
  readonly rule: string
}

export const markerText = ({ fingerprint, kind, rule }: Marker): string =>
  `<!-- dd:${kind} ${fingerprint} ${ruleName.test(rule) ? rule : "-"} -->`

export const summaryMarker = "<!-- dd:summary -->"

/** Null if the text ends in none. Others in it are quoted code. */
export const markerIn = (body: string): Marker | null => {
  const [, kind, fingerprint = "", rule = ""] = pattern.exec(body) ?? []
  return kind === undefined ? null : { kind: kind === "fixed" ? "fixed" : "finding", fingerprint, rule }
}

/** The text that readers see. Forges change line ends. */
export const withoutMarker = (body: string): string => body.replaceAll("\r\n", "\n").replace(pattern, "").trim()

export const isSummary = (body: string): boolean => body.trimEnd().endsWith(`\n${summaryMarker}`)

/** Of an answer of `dd feedback` to the thread of another bot. */
export interface Answer {
  readonly kind: AnswerKind
  /** The head of the pull request that it is about. */
  readonly head: string
}

export const answerText = (ref: string, { head, kind }: Answer): string => `<!-- dd:answer ${kind} ${ref} ${head} -->`

export const answerIn = (body: string): Answer | null => {
  const [, kind, head = ""] = answerPattern.exec(body) ?? []
  return kind === undefined ? null : { kind: kind === "fixed" ? "fixed" : "open", head }
}

const answerPattern = /\n<!-- dd:answer (fixed|open) \S{1,100} ([0-9a-f]{40,64}) -->\s*$/

const ruleName = /^[\w./-]{1,100}$/
const pattern = /\n<!-- dd:(finding|fixed) (dd1:[0-9a-f]{16}) ([\w./-]{1,100}) -->\s*$/
