/**
 * Pairs of records that may be duplicates, for the artifact `deep/dedup-candidates.json`.
 *
 * Only records of one file are paired, each with at most `window` neighbours, so the
 * time is linear in the number of records.
 */

import { compareText } from "../text/compareText.ts"
import { bigrams, jaccard, similarity, threshold } from "../text/Similarity.ts"
import type { Alternative } from "./Alternative.ts"
import type { ReviewRecord } from "./Finding.ts"
import { titleOf, window } from "./MergedItem.ts"
import type { StackRecords } from "./StackReport.ts"

export type DedupCandidates = ReturnType<typeof dedupCandidates>

interface Sourced {
  readonly source: string
  readonly record: ReviewRecord
  readonly pairs: ReadonlySet<string>
}

export const dedupCandidates = (stacks: ReadonlyArray<StackRecords>, alternatives: ReadonlyArray<Alternative>) => {
  const records = stacks.flatMap(({ stack, records }) =>
    records.map((record): Sourced => ({ source: stack.name, record, pairs: bigrams(record.description) }))
  )
  const byFile = Map.groupBy(records, ({ record }) => record.file)
  for (const bucket of byFile.values()) bucket.sort((a, b) => a.record.line - b.record.line || byKey(a, b))
  return {
    record_alt_pairs: alternatives
      .flatMap((alternative) => alternativePairs(alternative, byFile))
      .sort((a, b) => compareText(String(a.record_id), String(b.record_id)) || compareText(a.alt_title, b.alt_title)),
    record_duplicate_pairs: [...byFile.values()]
      .flatMap(duplicatePairs)
      .sort(
        (a, b) =>
          compareText(String(a.record_a_id), String(b.record_a_id)) ||
          compareText(String(a.record_b_id), String(b.record_b_id)) ||
          compareText(a.record_a_source, b.record_a_source) ||
          compareText(a.record_b_source, b.record_b_source)
      )
  }
}

const duplicatePairs = (bucket: ReadonlyArray<Sourced>) =>
  bucket.flatMap((later, at) =>
    bucket.slice(Math.max(0, at - window), at).flatMap((earlier) => {
      const score = jaccard(later.pairs, earlier.pairs)
      if (score < threshold) return []
      const [a, b] = byKey(earlier, later) <= 0 ? [earlier, later] : [later, earlier]
      return [
        {
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
      ]
    })
  )

const alternativePairs = (alternative: Alternative, byFile: ReadonlyMap<string, ReadonlyArray<Sourced>>) =>
  [...new Set(alternative.files)]
    .flatMap((file) => (byFile.get(file) ?? []).slice(0, window))
    .flatMap(({ record }) => {
      const texts = [record.description, titleOf(record)]
      const score = Math.max(...texts.map((text) => similarity(text, alternative.title)))
      if (score < threshold) return []
      return [
        {
          record_id: record.id,
          record_file: record.file,
          record_description: record.description,
          alt_title: alternative.title,
          alt_files: alternative.files,
          similarity: rounded(score)
        }
      ]
    })

const byKey = (a: Sourced, b: Sourced): number =>
  compareText(String(a.record.id), String(b.record.id)) || compareText(a.source, b.source)

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000
