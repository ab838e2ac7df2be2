/**
 * Finds every file that may matter for a change, and what each signal says of it.
 *
 * Nothing is cut here: a file is left out only where the budget or a filter says so, with its reason (seed 002, "recall
 * first, cut later").
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { pathsBefore } from "../../domain/change/filesOfDiff.ts"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import { wordsIn } from "../../domain/pack/FileWords.ts"
import { fuse } from "../../domain/pack/fuse.ts"
import { historyScores } from "../../domain/pack/signals/historyScores.ts"
import { importDistances } from "../../domain/pack/signals/importScores.ts"
import { pathScores } from "../../domain/pack/signals/pathScores.ts"
import { symbolScores } from "../../domain/pack/signals/symbolScores.ts"
import { wordScores } from "../../domain/pack/signals/wordScores.ts"
import { hasImportWords, sharesNames } from "../../languages/imports.ts"
import { Sources } from "../change/Sources.ts"
import { CodeQueries } from "../code/CodeQueries.ts"
import { fileWords } from "./fileWords.ts"

/** `candidates`: head-side paths that no filter excludes, with the changed ones. */
export const recall = Effect.fn("pack.recall")(function* (change: Change, candidates: ReadonlyArray<string>) {
  const sources = yield* Sources
  const queries = yield* CodeQueries
  const changed = change.diff.files.flatMap(({ newPath }) => newPath ?? [])
  const isChanged = new Set(changed)
  const code = candidates.filter((path) => hasImportWords(path) && !isVendoredPath(path))
  const [history, words, imports] = yield* Effect.all(
    [sources.history.commits, fileWords(candidates), queries.importedBy(code)],
    { concurrency: "unbounded" }
  )
  const query = changedWords(change)
  const withSiblings = new Map(imports)
  for (const path of changed) {
    const siblings = candidates.filter((other) => other !== path && sharesNames(path, other) && hasImportWords(path))
    if (siblings.length > 0) withSiblings.set(path, [...(imports.get(path) ?? []), ...siblings])
  }
  const distances = importDistances(withSiblings, changed)
  const isOther = <A>(scores: ReadonlyMap<string, A>): ReadonlyMap<string, A> => {
    const known = new Set(candidates)
    return new Map([...scores].filter(([path]) => known.has(path) && !isChanged.has(path)))
  }
  const fused = fuse({
    imports: isOther(distances.scores),
    symbols: isOther(symbolScores(isChanged, query, words)),
    words: isOther(wordScores(query, words)),
    history: isOther(historyScores(history.commits, pathsBefore(change.diff))),
    path: pathScores(
      changed,
      query,
      candidates.filter((path) => !isChanged.has(path))
    )
  })
  return { fused, distances, words, omitted: history.omitted }
})

/**
 * The words of a change with their weights: names that it removes are what other files may still use, and the functions
 * around its lines are what they call.
 */
const changedWords = ({ diff }: Change): ReadonlyMap<string, number> => {
  const hunks = diff.files.flatMap((file) => file.hunks)
  const wordsOf = (kind: "added" | "deleted") =>
    wordsIn(hunks.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === kind ? [line.text] : []))).join("\n"))
      .counts
  const [added, deleted] = [wordsOf("added"), wordsOf("deleted")]
  const around = wordsIn(hunks.map(({ section }) => section).join("\n")).counts
  const weights = new Map<string, number>()
  for (const word of [...added.keys(), ...deleted.keys(), ...around.keys()]) {
    const isMoved = added.has(word) && deleted.has(word)
    weights.set(
      word,
      isMoved ? weight.both : deleted.has(word) ? weight.deleted : added.has(word) ? weight.added : weight.around
    )
  }
  return weights
}

const weight = { both: 1, deleted: 4, added: 2, around: 3 }
