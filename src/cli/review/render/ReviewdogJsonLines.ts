/**
 * The `rdjsonl` format: one reviewdog Diagnostic per line.
 *
 * The format has no field for the status of a review, so an extra diagnostic marks an incomplete review. A suggestion
 * in this format is applied with one click, so only those of rules are one; a model's fix is part of the message.
 */
import { byImportance, type Finding, type Severity } from "../../../domain/finding/Finding.ts"
import { plainJson } from "../../text/plainJson.ts"
import { explanationOf, placeWords, replacementOf } from "./Explanation.ts"
import { noticeOf, noticeRule } from "./Headline.ts"
import type { Presentable } from "./Presentable.ts"
import { documentation, type RenderContext } from "./RenderContext.ts"

export const renderReviewdogJsonLines = (review: Presentable, context: RenderContext): string => {
  const result = review.exact()
  const notice = noticeOf(result)
  const diagnostics = [...result.findings].sort(byImportance).map((finding) => diagnostic(finding, review, context))
  return [...(notice === null ? [] : [noticeDiagnostic(notice)]), ...diagnostics]
    .map((each) => `${plainJson(each)}\n`)
    .join("")
}

const noticeDiagnostic = ({ message, path }: { readonly message: string; readonly path: string }) => ({
  message,
  location: { path },
  severity: "WARNING",
  source: { name: "dd" },
  code: { value: noticeRule }
})

const severities: Record<Severity, "ERROR" | "WARNING" | "INFO"> = { high: "ERROR", medium: "WARNING", low: "INFO" }

const diagnostic = (finding: Finding, review: Presentable, context: RenderContext) => ({
  message: [finding.title, ...explanationOf(finding, context)].join("\n\n"),
  location: { path: finding.file, range: rangeOf(finding, review) ?? linesOf(finding) },
  severity: severities[finding.severity],
  source: { name: "dd" },
  code: { value: finding.rule, url: documentation(context.rule(finding.rule)) },
  suggestions: suggestionsOf(finding),
  related_locations: relatedOf(finding, review)
})

const relatedOf = ({ related }: Finding, review: Presentable) =>
  related.length === 0
    ? undefined
    : related.map((place) => {
        const whole = { ...place, endLine: place.line }
        const range = place.deleted === undefined ? (rangeOf(whole, review) ?? linesOf(whole)) : undefined
        return { message: placeWords(place), location: { path: place.file, range } }
      })

const suggestionsOf = (finding: Finding) => {
  const text = replacementOf(finding)
  return text === null ? undefined : [{ range: linesOf(finding), text }]
}

type Place = Pick<Finding, "column" | "endColumn" | "endLine" | "file" | "line">

/** Columns count UTF-8 bytes, and the end is exclusive. */
const rangeOf = ({ column, endColumn, endLine, file, line }: Place, { byteColumn }: Presentable) => {
  if (column === null || endColumn === null) return undefined
  const [start, end] = [byteColumn(file, line, column), byteColumn(file, endLine, endColumn)]
  return start === undefined || end === undefined
    ? undefined
    : { start: { line, column: start }, end: { line: endLine, column: end } }
}

/** A range without columns covers complete lines, including the last one. */
const linesOf = ({ line, endLine }: Pick<Finding, "endLine" | "line">) =>
  line === 0 ? undefined : { start: { line }, end: endLine > line ? { line: endLine } : undefined }
