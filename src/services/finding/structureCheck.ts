/** The form of a check on how files fit together. */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isGeneratedPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { nothingReviewed, type RepositoryReview } from "../../domain/finding/RepositoryReview.ts"
import type { Misfit } from "../../domain/finding/Rule.ts"
import type { TextAt } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { type StructureClaim, structureRecords } from "../../rules/structure/structureRecords.ts"
import { Sources } from "../change/Sources.ts"
import { Surroundings } from "../code/Surroundings.ts"
import type { Setting } from "../code/TypeFinder.ts"
import { RuleSet } from "./RuleSet.ts"

export interface StructureClaims {
  readonly claims: ReadonlyArray<StructureClaim>
  readonly omitted: ReadonlyArray<string>
}

interface StructureCheck<R> {
  readonly name: string
  readonly misfits: ReadonlyArray<Misfit>
  readonly isChecked: (file: DiffFile) => boolean
  /** More files are omitted, under the name `what`. */
  readonly most: number
  readonly what: string
  readonly find: (files: ReadonlyArray<DiffFile>, setting: Setting) => Effect.Effect<StructureClaims, never, R>
}

/** Runs if the rule set has a rule for the check and the change has a file for it. */
export const structureCheck = <R>(check: StructureCheck<R>) =>
  Effect.fn(check.name)(function* (change: Change) {
    const sources = yield* Sources
    const surroundings = yield* Surroundings
    const rules = (yield* RuleSet).rules
      .filter((rule) => rule._tag === "Structure")
      .filter(({ misfit }) => check.misfits.includes(misfit))
    const all = change.diff.files.filter(check.isChecked)
    if (rules.length === 0 || all.length === 0 || (yield* sources.headPaths).length === 0) return nothingReviewed
    const { kept, omitted } = firstOf(all, check.most, check.what, "changed files")
    const found = yield* check.find(kept, { sides: yield* surroundings.around(change), change })
    const textAt = yield* lineTexts(
      sources,
      found.claims.flatMap((claim) => [claim, ...claim.places])
    )
    const review: RepositoryReview = {
      records: structureRecords(rules, found.claims, textAt),
      rulesApplied: rules.map(({ id }) => id).sort(compareText),
      omitted: [...omitted, ...found.omitted]
    }
    return review
  })

/** The first of the items, and an omission for the others: "imports in 2 of 302 changed files". */
export const firstOf = <A>(items: ReadonlyArray<A>, most: number, what: string, noun: string) => ({
  kept: items.slice(0, most),
  omitted: items.length > most ? [`${what} ${items.length - most} of ${items.length} ${noun}`] : []
})

/** A file written by the project that exists after the change. */
export const isOwnFile = ({ binary, newPath, path }: DiffFile): boolean =>
  newPath !== null && !binary && !isVendoredPath(path) && !isGeneratedPath(path)

/** Reads the lines of the files of these places after the change. */
export const lineTexts = Effect.fnUntraced(function* (
  sources: Sources["Service"],
  places: ReadonlyArray<{ readonly path: string }>
) {
  const lines = yield* headLines(
    sources,
    places.map(({ path }) => path)
  )
  const textAt: TextAt = (path, line) => lines.get(path)?.[line - 1]
  return textAt
})

/** The lines of these files after the change. */
export const headLines = Effect.fnUntraced(function* (sources: Sources["Service"], paths: Iterable<string>) {
  const lines = new Map<string, ReadonlyArray<string>>()
  for (const path of new Set(paths)) {
    const source = yield* sources.head(path)
    if (source._tag === "Text") lines.set(path, source.lines)
  }
  return lines
})
