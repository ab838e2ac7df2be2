/** The words of head-side files, read once for each blob. */
import { Effect } from "effect"
import { type FileWords, packWords, unpackWords, wordsIn } from "../../domain/pack/FileWords.ts"
import { BlobFacts } from "../change/BlobFacts.ts"
import { Sources } from "../change/Sources.ts"
import { stageDeadline } from "./stageDeadline.ts"

/** A larger file is data. */
export const largestRead = 1_000_000
const filesAtOnce = 400

/** Of text files; others are absent. `unread`: how many files the deadline left out, the last ones. */
export const fileWords = Effect.fn("pack.fileWords")(function* (paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  const facts = yield* BlobFacts
  const keyed = yield* Effect.forEach(paths, (path) =>
    Effect.map(sources.blobOf("head", path), (blob) => ({ path, key: blob === null ? null : { grammar: null, blob } }))
  )
  const known = keyed.flatMap(({ key }) => (key === null ? [] : [key]))
  const stored = yield* facts.get("identifiers", known)
  const found = new Map<string, FileWords>()
  const byBlob = new Map(known.map(({ blob }, at) => [blob, stored[at]] as const))
  const fresh: Array<(typeof keyed)[number]> = []
  for (const each of keyed) {
    const words = each.key === null ? null : unpackWords(byBlob.get(each.key.blob))
    if (words === null) fresh.push(each)
    else found.set(each.path, words)
  }
  const isOver = yield* stageDeadline
  let unread = 0
  for (let at = 0; at < fresh.length; at += filesAtOnce) {
    if (yield* isOver) {
      unread = fresh.length - at
      break
    }
    const batch = fresh.slice(at, at + filesAtOnce)
    const texts = yield* sources.passing(
      "head",
      batch.map(({ path }) => path),
      largestRead
    )
    for (const [index, { key, path }] of batch.entries()) {
      const source = texts[index]
      if (source?._tag !== "Text") continue
      const words = wordsIn(source.text)
      found.set(path, words)
      if (key !== null) yield* facts.put("identifiers", key, packWords(words))
    }
    yield* Effect.yieldNow
  }
  return { found, unread }
})
