/**
 * The `rdjsonl` format: one reviewdog Diagnostic a line.
 *
 * The format has no field for the status of a review, so an extra diagnostic tells that a review is not whole.
 * A suggestion in this format is applied with one click. Ours may be advice, so it is told in the message.
 */
import { byImportance, type Finding, type Severity } from "../../../domain/finding/Finding.ts"
import { explanationOf } from "./Explanation.ts"
import { noticeOf, noticeRule } from "./Headline.ts"
import type { Presentable } from "./Presentable.ts"
import { documentation, type RenderContext } from "./RenderContext.ts"

export const renderReviewdogJsonLines = ({ result }: Presentable, context: RenderContext): string => {
  const notice = noticeOf(result)
  const diagnostics = [...result.findings].sort(byImportance).map((finding) => diagnostic(finding, context))
  return [...(notice === null ? [] : [noticeDiagnostic(notice)]), ...diagnostics]
    .map((each) => `${JSON.stringify(each)}\n`)
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

const diagnostic = (finding: Finding, context: RenderContext) => ({
  message: [finding.title, ...explanationOf(finding, context)].join("\n\n"),
  location: { path: finding.file, range: rangeOf(finding) },
  severity: severities[finding.severity],
  source: { name: "dd" },
  code: { value: finding.rule, url: documentation(context.rule(finding.rule)) }
})

/** Without columns a range is whole lines, the last one included. */
const rangeOf = ({ line, endLine }: Finding) =>
  line === 0 ? undefined : { start: { line }, end: endLine > line ? { line: endLine } : undefined }
