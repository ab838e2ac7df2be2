/** A review in which every text that comes from elsewhere is the same hostile one. */
import { ReviewRecord } from "../../src/domain/finding/Finding.ts"
import type { ReviewResult, SourceLines } from "../../src/domain/review/ReviewResult.ts"
import { sampleResult } from "./sampleReview.ts"

/** Schemas ask for words that are not empty, so an empty text has a letter. */
export const hostileResult = (text: string): ReviewResult => {
  const word = text === "" ? "x" : text
  const finding = {
    ...sampleResult.findings[0]!,
    rule: word,
    title: word,
    description: `${word} ${word}`,
    file: word,
    line: 2,
    endLine: 3,
    stack: word,
    label: word,
    related: [{ file: "other.py", line: 1, column: null, endColumn: null, message: text }],
    rationale: text,
    evidence: text,
    suggestion: text
  }
  return {
    ...sampleResult,
    status: "partial",
    run: { ...sampleResult.run, description: text },
    findings: [finding, { ...finding, id: 2, severity: "low", line: 0, endLine: 0, suggestion: `${text}\n${text}` }],
    dropped: [
      {
        reason: text,
        stack: word,
        record: new ReviewRecord({
          id: 1,
          description: word,
          file: text,
          line: 1,
          confidence: "LOW",
          severity: "low",
          rationale: text,
          evidence: text,
          rule: word,
          title: word,
          quote: text,
          suggestion: text
        })
      }
    ],
    suppressed: [{ finding, by: text, place: { file: text, line: 1 }, reason: text, addedByChange: true }],
    degraded: [{ step: text, error: text, detail: text }],
    coverage: {
      filesInDiff: 3,
      filesReviewed: 1,
      files: [
        { path: text, status: "reviewed", reason: text },
        { path: `${text}a`, status: "skipped", reason: text },
        { path: `${text}b`, status: "unread", reason: text }
      ]
    },
    stacks: [text],
    notes: [text]
  }
}

export const hostileSources = (text: string): SourceLines =>
  new Map([[text === "" ? "x" : text, [text, `\t${text}`, text, text]]])
