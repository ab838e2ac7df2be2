/** The `gitlab` format: a Code Quality report. A fingerprint has no line number in it and occurs once in a file. */
import { byImportance, type Severity } from "../../domain/Finding.ts"
import { document } from "./Json.ts"
import { occurrences } from "./Occurrence.ts"
import type { Presentable } from "./Presentable.ts"

export const renderGitLab = ({ result }: Presentable): string => {
  const findings = [...result.findings].sort(byImportance)
  const nth = occurrences(findings)
  return document(
    findings.map((finding, index) => ({
      description: finding.title,
      check_name: finding.rule,
      fingerprint: nth[index] === 1 ? finding.fingerprint : `${finding.fingerprint}:${nth[index]}`,
      severity: severities[finding.severity],
      location: { path: finding.file, lines: { begin: Math.max(1, finding.line) } }
    }))
  )
}

const severities: Record<Severity, "minor" | "major" | "critical"> = { high: "critical", medium: "major", low: "minor" }
