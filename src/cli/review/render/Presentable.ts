/**
 * A review result without control characters, hidden text and credentials.
 *
 * Renderers accept nothing else, and it can only be made here, so no format can forget it. Paths are stripped but not
 * masked, because a masked path cannot be found.
 */
import type { Coverage, FileCoverage } from "../../../domain/change/Coverage.ts"
import type { Degraded } from "../../../domain/change/Degraded.ts"
import type { Dropped, Finding, Suppressed } from "../../../domain/finding/Finding.ts"
import type { ReviewResult, RunInfo, SourceLines } from "../../../domain/review/ReviewResult.ts"
import { oneLine, printable, visibleCode, visiblePath } from "../../../domain/text/Printable.ts"

/** Replaces credentials by markers; keeps the number of lines. */
export type Mask = (text: string) => string

export class Presentable {
  readonly result: ReviewResult
  /** The lines of a file after the change, masked; undefined if unknown. */
  readonly code: (path: string) => ReadonlyArray<string> | undefined

  private constructor(result: ReviewResult, code: Presentable["code"]) {
    this.result = result
    this.code = code
  }

  static of(result: ReviewResult, sources: SourceLines, mask: Mask): Presentable {
    const words = wordsFor(mask)
    const sourceOf = byShownPath(sources)
    const shown = new Map<string, ReadonlyArray<string> | undefined>()
    const code = (path: string) => {
      if (!shown.has(path)) shown.set(path, shownCode(sourceOf.get(path), mask))
      return shown.get(path)
    }
    return new Presentable(presented(result, words), code)
  }
}

export interface Words {
  readonly line: (text: string) => string
  readonly prose: (text: string) => string
}

// Masked before and after escape sequences are removed: one before a credential is a word boundary, and one inside a
// credential hides it from the mask.
export const wordsFor = (mask: Mask): Words => ({
  line: (text) => oneLine(mask(oneLine(mask(text)))),
  prose: (text) => printable(mask(printable(mask(text))))
})

const presented = (result: ReviewResult, words: Words): ReviewResult => ({
  ...result,
  run: presentedRun(result.run, words),
  findings: result.findings.map((finding) => presentedFinding(finding, words)),
  dropped: result.dropped.map((dropped) => presentedDropped(dropped, words)),
  suppressed: result.suppressed.map((suppressed) => presentedSuppressed(suppressed, words)),
  degraded: result.degraded.map((degraded) => presentedDegraded(degraded, words)),
  coverage: presentedCoverage(result.coverage, words),
  stacks: result.stacks.map(oneLine),
  notes: result.notes.map(words.line)
})

const presentedRun = (run: RunInfo, words: Words): RunInfo => ({
  ...run,
  sessionId: oneLine(run.sessionId),
  flow: oneLine(run.flow),
  backend: oneLine(run.backend),
  base: oneLine(run.base),
  head: oneLine(run.head),
  startedAt: oneLine(run.startedAt),
  description: words.line(run.description)
})

const presentedFinding = (finding: Finding, words: Words): Finding => ({
  ...finding,
  rule: oneLine(finding.rule),
  title: orPlaceholder(words.line(finding.title)),
  description: orPlaceholder(words.prose(finding.description)),
  file: visiblePath(finding.file),
  stack: oneLine(finding.stack),
  rationale: words.prose(finding.rationale),
  evidence: words.prose(finding.evidence),
  fingerprint: oneLine(finding.fingerprint),
  suggestion: finding.suggestion === null ? null : words.prose(finding.suggestion)
})

const presentedDropped = ({ reason, record, stack }: Dropped, words: Words): Dropped => ({
  reason: words.line(reason),
  stack: oneLine(stack),
  record: {
    ...record,
    description: orPlaceholder(words.prose(record.description)),
    file: visiblePath(record.file),
    rationale: words.prose(record.rationale),
    evidence: words.prose(record.evidence),
    ...(record.rule === undefined ? {} : { rule: oneLine(record.rule) }),
    ...(record.title === undefined ? {} : { title: orPlaceholder(words.line(record.title)) }),
    ...(record.quote === undefined ? {} : { quote: words.prose(record.quote) }),
    ...(record.suggestion === undefined ? {} : { suggestion: words.prose(record.suggestion) })
  }
})

const presentedSuppressed = (suppressed: Suppressed, words: Words): Suppressed => ({
  ...suppressed,
  finding: presentedFinding(suppressed.finding, words),
  by: oneLine(suppressed.by),
  reason: words.line(suppressed.reason)
})

const presentedDegraded = ({ step, error, detail, unchecked }: Degraded, words: Words): Degraded => ({
  step: oneLine(step),
  error: oneLine(error),
  detail: words.line(detail),
  ...(unchecked === undefined ? {} : { unchecked: words.line(unchecked) })
})

const presentedCoverage = (coverage: Coverage, words: Words): Coverage => ({
  ...coverage,
  files: coverage.files.map((file) => presentedFile(file, words))
})

export const presentedFile = (file: FileCoverage, words: Words): FileCoverage => ({
  ...file,
  path: visiblePath(file.path),
  reason: words.line(file.reason)
})

/** A text of control characters only stays a text. */
const orPlaceholder = (text: string): string => (text.trim() === "" ? "(no readable text)" : text)

/** Without paths that look the same once stripped: the code could be that of the other file. */
const byShownPath = (sources: SourceLines): SourceLines => {
  const known = new Map<string, ReadonlyArray<string>>()
  const twice = new Set<string>()
  for (const [path, lines] of sources) {
    const shown = visiblePath(path)
    if (known.has(shown)) twice.add(shown)
    known.set(shown, lines)
  }
  for (const path of twice) known.delete(path)
  return known
}

const shownCode = (lines: ReadonlyArray<string> | undefined, mask: Mask): ReadonlyArray<string> | undefined => {
  if (lines === undefined) return undefined
  // The whole file at once, for keys that span lines.
  const masked = mask(lines.join("\n")).split("\n")
  // If the mask removed lines, line numbers would be wrong.
  return masked.length === lines.length || lines.length === 0 ? masked.map(visibleCode) : undefined
}
