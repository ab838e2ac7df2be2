import { Effect } from "effect"
import type { RepositoryReview } from "../../domain/finding/RepositoryReview.ts"
import type { StructureRule } from "../../domain/finding/Rule.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { type StructureClaim, structureRecords } from "../../rules/structure/structureRecords.ts"
import type { Sources } from "../change/Sources.ts"

/** The lines of these files after the change. */
export const headLines = Effect.fnUntraced(function* (sources: Sources["Service"], paths: Iterable<string>) {
  const lines = new Map<string, ReadonlyArray<string>>()
  for (const path of new Set(paths)) {
    const source = yield* sources.head(path)
    if (source._tag === "Text") lines.set(path, source.lines)
  }
  return lines
})

/** Claims on how files fit together, as a review by these rules. */
export const structureReview = (
  sources: Sources["Service"],
  rules: ReadonlyArray<StructureRule>,
  claims: ReadonlyArray<StructureClaim>,
  omitted: ReadonlyArray<string>
): Effect.Effect<RepositoryReview> =>
  Effect.map(
    headLines(
      sources,
      claims.map(({ path }) => path)
    ),
    (texts) => ({
      records: structureRecords(rules, claims, texts),
      rulesApplied: rules.map(({ id }) => id).sort(compareText),
      omitted
    })
  )
