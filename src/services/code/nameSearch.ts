/**
 * Around the search for one name: what the search did not cover, and the definitions that may be meant by a name
 * without one. Never fails.
 */
import { Effect } from "effect"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import { askedParts, type DefinitionPlace } from "../../domain/code/CodeQuery.ts"
import { allNear } from "../../domain/text/Suggestion.ts"
import { languageOf } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { CodeQueries } from "./CodeQueries.ts"
import { SyntaxTrees } from "./SyntaxTrees.ts"

/** Files that are not searched for this name and those that could not be read, for the reader. */
export const notSearched = Effect.fn("notSearched")(function* (written: string) {
  const sources = yield* Sources
  const { name } = askedParts(written)
  const containing = (yield* sources.containing("head", [name], { ignoreCase: false, under: null })) ?? []
  const vendored = containing.filter(isVendoredPath)
  const others = containing.filter((path) => languageOf(path) === null && !isVendoredPath(path))
  const submodules = yield* sources.submodules
  const unread = yield* (yield* SyntaxTrees).unread
  const failures = yield* sources.failures
  return [
    ...some(`vendored files that may contain ${name}`, vendored),
    ...some(`files that may contain ${name} and are not in an indexed language`, others),
    ...submodules.map((path) => `the submodule ${path}`),
    ...unread.map(({ path, reason }) => `${path}: ${reason}`),
    ...failures.map(({ detail, error }) => detail || error)
  ]
})

const some = (noun: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (paths.length === 0) return []
  const more = paths.length - examplesShown
  return [`${noun}: ${paths.slice(0, examplesShown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`]
}

const examplesShown = 3

/** At most a few, the most similar first: of the same name elsewhere, else of names that differ in a few letters. */
export const nearDefinitions = Effect.fn("nearDefinitions")(function* (written: string) {
  const queries = yield* CodeQueries
  const { name } = askedParts(written)
  const same = (yield* queries.definitionsOf(name)).found
  if (same.length > 0) return same.slice(0, definitionsOffered)
  const near = allNear(name, yield* codeWords(name)).slice(0, wordsTried)
  const found: Array<DefinitionPlace> = []
  for (const word of near) {
    if (found.length === definitionsOffered) break
    found.push(...(yield* queries.definitionsOf(word)).found.slice(0, 1))
  }
  return found
})

const definitionsOffered = 3
const wordsTried = 12

/** The words of the repository's code, except this one. Of a very large repository only those of the first files. */
const codeWords = Effect.fnUntraced(function* (name: string) {
  const sources = yield* Sources
  const paths = (yield* sources.headPaths).filter((path) => languageOf(path) !== null && !isVendoredPath(path))
  const words = new Set<string>()
  let read = 0
  for (let at = 0; at < paths.length && read < charactersRead; at += batch) {
    for (const source of yield* sources.passing("head", paths.slice(at, at + batch), largestFile)) {
      if (source._tag !== "Text") continue
      read += source.text.length
      for (const [word] of source.text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) words.add(word)
    }
  }
  words.delete(name)
  return words
})

const charactersRead = 30_000_000
const largestFile = 500_000
const batch = 200
