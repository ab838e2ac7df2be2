/**
 * Turns items that passed the evidence gate into findings: numbered, the most important first, with fingerprints.
 *
 * Never fails. Reads the code at a claim through `Sources`; for a bare patch, only the hunks.
 */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import type { Change } from "../../domain/change/Change.ts"
import { byImportance, Finding } from "../../domain/finding/Finding.ts"
import {
  contextOf,
  fingerprintOf,
  identityBytes,
  type NumberedLines,
  numbered,
  occurrences,
  ruleOf
} from "../../domain/finding/Fingerprint.ts"
import { hunkLines } from "../../domain/finding/hunkLines.ts"
import { alternativesStack, feedbackStack, type MergedItem, titleOf } from "../../domain/finding/MergedItem.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Sources } from "../change/Sources.ts"

const read = Effect.fnUntraced(function* (path: string, change: Change) {
  const sources = yield* Sources
  const head = yield* sources.head(path)
  const text = head._tag === "Absent" ? yield* sources.base(path) : head
  const lines = text._tag === "Text" ? numbered(text.lines) : linesInDiff(change, path)
  return { lines, occurrences: occurrences(lines) }
})

export const fingerprintedFindings = Effect.fn("Fingerprinter.findings")(function* (
  items: ReadonlyArray<MergedItem>,
  change: Change
) {
  const digest = yield* Digest.Digest
  const files = new Map<string, Effect.Success<ReturnType<typeof read>>>()
  const siblings = new Map<string, number>()
  const found: Array<Finding> = []
  for (const item of items.toSorted(byPlace)) {
    const { file, line } = item.record
    const known = files.get(file) ?? (yield* read(file, change))
    files.set(file, known)
    const rule = ruleOf(item)
    const place = [rule, file, line].join("\0")
    const sibling = siblings.get(place) ?? 0
    siblings.set(place, sibling + 1)
    const bytes = identityBytes({
      rule,
      path: file,
      context: contextOf(known.lines, line),
      occurrence: known.occurrences.get(line) ?? 0,
      sibling
    })
    found.push(findingOf(item, fingerprintOf(yield* digest.digestHex(Digest.sha256, bytes))))
  }
  return found.sort(byImportance).map((finding, index) => Finding.make({ ...finding, id: index + 1 }))
})

/** Siblings are distinguished by the order in which they were merged. */
const byPlace = (a: MergedItem, b: MergedItem): number =>
  compareText(a.record.file, b.record.file) || a.record.line - b.record.line || a.id - b.id

const linesInDiff = ({ diff }: Change, path: string): NumberedLines =>
  new Map(diff.files.filter((file) => file.path === path).flatMap((file) => [...hunkLines(file)]))

const findingOf = (item: MergedItem, fingerprint: string): Finding => {
  const { record } = item
  const reviewers = item.stacks.filter((stack) => stack !== alternativesStack)
  return Finding.make({
    id: item.id,
    rule: ruleOf(item),
    title: titleOf(record),
    description: record.description,
    file: record.file,
    line: record.line,
    endLine: Math.max(record.line, record.endLine ?? record.line),
    column: record.column ?? null,
    endColumn: record.endColumn ?? null,
    label: record.label ?? null,
    related: record.related ?? [],
    severity: record.severity,
    confidence: record.confidence === "HIGH" ? "HIGH" : "MEDIUM",
    lens: item.lens,
    stack: reviewers.join("+") || alternativesStack,
    source: record.rule === undefined ? "model" : "static",
    rationale: record.rationale,
    evidence: record.evidence,
    fingerprint,
    suggestion: suggestionOf(item),
    verdict: null,
    new: true
  })
}

/** A model writes an empty text where it has no suggestion; that of a rule or of a comment deletes the lines. */
const suggestionOf = ({ record: { rule, suggestion }, stacks }: MergedItem): string | null => {
  const isOfModel = rule === undefined && !stacks.includes(feedbackStack)
  return suggestion === undefined || (isOfModel && suggestion.trim() === "") ? null : suggestion
}
