/** The texts that dd posts. Everything from a finding is cleaned; the markers are dd's own. */
import type { FoundFinding } from "../review/FindingsArtifact.ts"
import { printable, visiblePath } from "../text/Printable.ts"
import { covers, type Placed } from "./Anchor.ts"
import { cleanMarkdown, cleanTitle, codeSpan, fenceAround } from "./Cleaning.ts"
import { markerText, summaryMarker } from "./Marker.ts"

/** In characters. */
const longestTitle = 300
const longestBody = 12_000
/** Forges accept 65,536. */
const longestSummary = 60_000

export const commentText = ({ anchor, finding }: Placed): string => {
  const { end_line, line, suggestion = null } = finding
  const isExact = anchor !== null && line !== null && covers(anchor, line, end_line ?? line)
  return [
    findingText(finding, `**${cleanTitle(finding.title, longestTitle)}**`),
    ...(isExact && suggestion !== null && isPlainCode(suggestion) ? [suggestionBlock(suggestion)] : []),
    markerOf(finding)
  ].join("\n\n")
}

const findingText = (finding: FoundFinding, heading: string): string =>
  [heading, detailsOf(finding), cleanMarkdown(bodyOf(finding), longestBody)].filter((part) => part !== "").join("\n\n")

/** Severity and rule. */
const detailsOf = ({ rule, severity }: FoundFinding): string =>
  [severity, rule === undefined ? undefined : codeSpan(rule)].filter((part) => part !== undefined).join(" · ")

/** The title is often the first sentence of the description. */
const bodyOf = ({ body, title }: FoundFinding): string =>
  body.startsWith(title) ? body.slice(title.length).replace(/^[.:]?\s+|^[.:]$/, "") : body

const markerOf = ({ fingerprint, rule = "-" }: FoundFinding): string =>
  markerText({ kind: "finding", fingerprint, rule })

const longestSuggestion = 4000

/** It is applied by one click, so it must be what the reader sees. */
const isPlainCode = (code: string): boolean => printable(code) === code && code.length <= longestSuggestion

const suggestionBlock = (code: string): string => {
  const fence = fenceAround(code, 3)
  return `${fence}suggestion\n${code === "" ? "" : `${code}\n`}${fence}`
}

const placeOf = ({ line, path }: FoundFinding): string =>
  codeSpan(`${visiblePath(path)}${line === null ? "" : `:${line}`}`)

const short = (sha: string): string => codeSpan(sha.slice(0, 7))

export const movedText = (finding: FoundFinding, headSha: string): string =>
  `Now at ${placeOf(finding)} in ${short(headSha)}.\n\n${markerOf(finding)}`

export const fixedText = (fingerprint: string, rule: string, headSha: string): string =>
  `Fixed in ${short(headSha)}.\n\n${markerText({ kind: "fixed", fingerprint, rule })}`

/** For a review whose pull request has a summary. */
export const reviewText = (count: number, headSha: string): string =>
  `${count} new ${count === 1 ? "finding" : "findings"} in ${short(headSha)}.`

export interface Summarized {
  readonly findings: ReadonlyArray<FoundFinding>
  readonly isComplete: boolean
  readonly headSha: string
  /** How many files the pull request has, and how many of them were not reviewed. */
  readonly files: number
  readonly unreviewed: number
  /** How many earlier comments are open whose findings are not there, and may not be fixed. */
  readonly unsure: number
}

export const summaryText = (about: Summarized, listed: ReadonlyArray<Placed>): string => {
  const { files, findings, headSha, isComplete, unreviewed, unsure } = about
  const head = [
    `**dd** reviewed ${short(headSha)}: ${countsOf(findings)}.`,
    ...(isComplete ? [] : ["The review is partial: not everything was checked."]),
    ...(unreviewed === 0
      ? []
      : [
          `${unreviewed} of ${files} ${unreviewed === 1 ? `${files === 1 ? "file" : "files"} was` : "files were"} not reviewed.`
        ]),
    ...(unsure === 0 ? [] : [`${unsure} earlier ${unsure === 1 ? "comment is" : "comments are"} still open.`])
  ].join(" ")
  const items = listed.map(({ finding }) =>
    findingText(finding, `#### ${placeOf(finding)} ${cleanTitle(finding.title, longestTitle)}`)
  )
  const shown: Array<string> = []
  let length = 0
  for (const item of items) {
    length += item.length
    if (length > longestSummary) break
    shown.push(item)
  }
  const more = items.length - shown.length
  return [
    head,
    ...(items.length === 0 ? [] : ["Not on a line of the diff:", ...shown]),
    ...(more === 0 ? [] : [`And ${more} more.`]),
    summaryMarker
  ].join("\n\n")
}

const countsOf = (findings: ReadonlyArray<FoundFinding>): string => {
  const count = findings.length
  if (count === 0) return "no findings"
  const severities = (["high", "medium", "low"] as const).flatMap((severity) => {
    const some = findings.filter((finding) => finding.severity === severity).length
    return some === 0 ? [] : [`${some} ${severity}`]
  })
  return `${count} ${count === 1 ? "finding" : "findings"}${severities.length === 0 ? "" : ` (${severities.join(", ")})`}`
}
