/**
 * Pairs that look like duplicates, for whoever reads the artifacts: `deep/dedup-candidates.json`.
 *
 * Shape and measure: reference §3.9. Unlike the seed's program only records of one file are paired, and
 * each with at most `window` neighbours, so the work grows with the records and not with their square.
 */

import { compareText } from "../text/compareText.ts"
import { bigrams, jaccard, similarity, threshold } from "../text/Similarity.ts"
import type { Alternative } from "./Alternative.ts"
import type { ReviewRecord } from "./Finding.ts"
import { titleOf, window } from "./MergedItem.ts"
import type { StackRecords } from "./StackReport.ts"

export interface RecordAlternativePair {
  readonly record_id: number
  readonly record_file: string
  readonly record_description: string
  readonly alt_title: string
  readonly alt_files: ReadonlyArray<string>
  readonly similarity: number
}

export interface DuplicatePair {
  readonly record_a_id: number
  readonly record_a_file: string
  readonly record_a_description: string
  readonly record_a_source: string
  readonly record_b_id: number
  readonly record_b_file: string
  readonly record_b_description: string
  readonly record_b_source: string
  readonly similarity: number
}

export interface DedupCandidates {
  readonly record_alt_pairs: ReadonlyArray<RecordAlternativePair>
  readonly record_duplicate_pairs: ReadonlyArray<DuplicatePair>
}

interface Sourced {
  readonly source: string
  readonly record: ReviewRecord
  readonly pairs: ReadonlySet<string>
}

export const dedupCandidates = (
  stacks: ReadonlyArray<StackRecords>,
  alternatives: ReadonlyArray<Alternative>
): DedupCandidates => {
  const records = stacks.flatMap(({ stack, records }) =>
    records.map((record): Sourced => ({ source: stack.name, record, pairs: bigrams(record.description) }))
  )
  const byFile = Map.groupBy(records, ({ record }) => record.file)

  const duplicates: Array<DuplicatePair> = []
  for (const bucket of byFile.values()) {
    bucket.sort((a, b) => a.record.line - b.record.line || byKey(a, b))
    for (let i = 0; i < bucket.length; i++) {
      for (let j = Math.max(0, i - window); j < i; j++) {
        const score = jaccard(bucket[i]!.pairs, bucket[j]!.pairs)
        if (score >= threshold) duplicates.push(pairOf(bucket[j]!, bucket[i]!, score))
      }
    }
  }

  const alternativePairs: Array<RecordAlternativePair> = []
  for (const alternative of alternatives) {
    for (const file of new Set(alternative.files)) {
      for (const { record } of (byFile.get(file) ?? []).slice(0, window)) {
        const score = Math.max(
          similarity(record.description, alternative.title),
          similarity(titleOf(record), alternative.title)
        )
        if (score < threshold) continue
        alternativePairs.push({
          record_id: record.id,
          record_file: record.file,
          record_description: record.description,
          alt_title: alternative.title,
          alt_files: alternative.files,
          similarity: rounded(score)
        })
      }
    }
  }

  return {
    record_alt_pairs: alternativePairs.sort(
      (a, b) => compareText(String(a.record_id), String(b.record_id)) || compareText(a.alt_title, b.alt_title)
    ),
    record_duplicate_pairs: duplicates.sort(
      (a, b) =>
        compareText(String(a.record_a_id), String(b.record_a_id)) ||
        compareText(String(a.record_b_id), String(b.record_b_id)) ||
        compareText(a.record_a_source, b.record_a_source) ||
        compareText(a.record_b_source, b.record_b_source)
    )
  }
}

const byKey = (a: Sourced, b: Sourced): number =>
  compareText(String(a.record.id), String(b.record.id)) || compareText(a.source, b.source)

const pairOf = (one: Sourced, other: Sourced, score: number): DuplicatePair => {
  const [a, b] = byKey(one, other) <= 0 ? [one, other] : [other, one]
  return {
    record_a_id: a.record.id,
    record_a_file: a.record.file,
    record_a_description: a.record.description,
    record_a_source: a.source,
    record_b_id: b.record.id,
    record_b_file: b.record.file,
    record_b_description: b.record.description,
    record_b_source: b.source,
    similarity: rounded(score)
  }
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000
