/**
 * What of the checks across the repository is reported: nothing within fixture trees, nothing in generated files.
 *
 * A record in a generated file is moved to the first of its places that a person writes.
 */
import { Effect } from "effect"
import { isMarkedGenerated, isWithinFixtures } from "../../domain/change/PathKind.ts"
import { withoutMirrors } from "../../domain/finding/comparison/mirrors.ts"
import { longestLabel, type RelatedPlace, ReviewRecord } from "../../domain/finding/Finding.ts"
import { Sources } from "../change/Sources.ts"
import { filesMarkedGenerated } from "./skipReasons.ts"
import { headLines } from "./structureCheck.ts"

export const reportable = Effect.fnUntraced(function* (records: ReadonlyArray<ReviewRecord>) {
  if (records.length === 0) return records
  const sources = yield* Sources
  const paths = yield* sources.headPaths
  const placesOf = (record: ReviewRecord) => [
    { file: record.file, line: record.line },
    ...(record.related ?? []).flatMap(({ deleted, file, line }) => (deleted === undefined ? [{ file, line }] : []))
  ]
  const outside = records.filter(
    (record) =>
      !isWithinFixtures(
        placesOf(record).map(({ file }) => file),
        paths
      )
  )
  const texts = yield* headLines(
    sources,
    outside.flatMap((record) => placesOf(record).map(({ file }) => file))
  )
  const isMarked = yield* filesMarkedGenerated
  const isGenerated = (file: string) => isMarked(file) || isMarkedGenerated(texts.get(file) ?? [])
  const written = outside.flatMap((record) => {
    if (!isGenerated(record.file)) return [record]
    const other = placesOf(record).find(({ file }) => !isGenerated(file))
    const quote = texts.get(other?.file ?? "")?.[(other?.line ?? 0) - 1]?.trim() ?? ""
    return other === undefined ? [] : [movedTo(record, other, quote)]
  })
  return withoutMirrors(written, (path) => texts.get(path) ?? [])
})

const movedTo = (
  { column: _, endColumn: _end, label: _label, related = [], ...record }: ReviewRecord,
  place: { readonly file: string; readonly line: number },
  quote: string
): ReviewRecord => {
  const isPlace = ({ deleted, file, line }: RelatedPlace) =>
    deleted === undefined && file === place.file && line === place.line
  const own = related.find(isPlace)
  return ReviewRecord.make({
    ...record,
    ...place,
    endLine: place.line,
    ...(own?.column == null || own.endColumn === null ? {} : { column: own.column, endColumn: own.endColumn }),
    ...(own === undefined || own.message.length > longestLabel ? {} : { label: own.message }),
    related: related.filter((each) => !isPlace(each)),
    quote
  })
}
