/**
 * The `gitlab` format: a Code Quality report. A fingerprint contains no line number and occurs once in a file.
 *
 * The format has no status, so an extra entry marks an incomplete review.
 */
import { byImportance, type Severity } from "../../../domain/finding/Finding.ts"
import { jsonDocument } from "../../text/plainJson.ts"
import { noticeOf, noticeRule } from "./Headline.ts"
import { occurrences } from "./Occurrence.ts"
import type { Presentable } from "./Presentable.ts"

export const renderGitLab = (review: Presentable): string => {
  const result = review.exact()
  const findings = [...result.findings].sort(byImportance)
  const nth = occurrences(findings)
  const notice = noticeOf(result)
  const entries = notice === null ? [] : [noticeEntry(notice)]
  return jsonDocument([
    ...entries,
    ...findings.map((finding, index) => ({
      description: finding.title,
      check_name: finding.rule,
      fingerprint: nth[index] === 1 ? finding.fingerprint : `${finding.fingerprint}:${nth[index]}`,
      severity: severities[finding.severity],
      location: { path: finding.file, lines: { begin: Math.max(1, finding.line) } }
    }))
  ])
}

const noticeEntry = ({ message, path }: { readonly message: string; readonly path: string }) => ({
  description: message,
  check_name: noticeRule,
  fingerprint: noticeRule,
  severity: "info",
  location: { path, lines: { begin: 1 } }
})

const severities: Record<Severity, "minor" | "major" | "critical"> = { high: "critical", medium: "major", low: "minor" }
