/**
 * Searches for words in the files of a commit or of the index. Vendored files are not searched.
 *
 * `git grep` unpacks every file for every search. dd keeps a filter of each blob's words between runs instead, and reads
 * only the files whose filters have the words. Blobs without a filter are read once. If they are too many or too large,
 * git runs the search, as for the working tree, whose files need no unpacking. The results are the same. A blob that the
 * clone lacks counts as one that has every word that its filter does not exclude: who reads it reports it.
 */
import { Effect, Semaphore } from "effect"
import type { Side } from "../../../domain/change/Change.ts"
import { hasEnding, isVendoredPath } from "../../../domain/change/PathKind.ts"
import {
  mayHave,
  type WantedWords,
  type WordFilter,
  wantedWords,
  wordFilter
} from "../../../domain/change/WordFilter.ts"
import { eachAlone, type WordGroup, type WordPlace } from "../../../domain/change/WordPlace.ts"
import { inSteps, type Steps } from "../../../domain/system/Steps.ts"
import { BlobFacts, type FactKey } from "../../../services/change/BlobFacts.ts"
import { Git } from "../../../services/change/Git.ts"
import { type GitCallError, ObjectMissing } from "../../../services/change/GitError.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import type { ReadFailures } from "../../../services/change/ReadFailures.ts"
import { type JoinedTexts, mentioning, places, type TextSpan } from "./JoinedTexts.ts"

export interface WordSearch {
  /** As `Git.mentioning`, on the searched side. */
  readonly mentioning: (words: Words, endings: Endings) => Effect.Effect<ReadonlyArray<string>, GitCallError>
  /** As `Git.places`, on the searched side; files in which no group is significant may be left out. */
  readonly places: (groups: Groups, endings: Endings) => Effect.Effect<ReadonlyArray<WordPlace>, GitCallError>
  /** Announces a search of such files, so that their filters are ready. */
  readonly soon: (endings: Endings) => Effect.Effect<void>
  /** A blob that was read for a search; null if it was not. */
  readonly bytes: (oid: string) => Uint8Array | null
}

export interface WordSearchLimits {
  /** Blobs that are read in one run because they have no filter. */
  readonly unknown: number
  /** Bytes of the texts that are kept in memory. */
  readonly bytes: number
}

export const defaultLimits: WordSearchLimits = { unknown: 20_000, bytes: 24_000_000 }

interface Entry {
  readonly mode: string
  readonly oid: string
}

interface Blob {
  readonly path: string
  readonly oid: string
}

export const make = Effect.fnUntraced(function* (
  repository: Repository,
  side: Side,
  listing: Effect.Effect<ReadonlyMap<string, Entry>, GitCallError>,
  failures: Pick<ReadFailures, "add">,
  limits: WordSearchLimits = defaultLimits
) {
  const git = yield* Git
  const facts = yield* BlobFacts
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  const filters = new Map<string, WordFilter>()
  const kept: Array<JoinedTexts> = []
  const texts = new Map<string, Uint8Array>()
  const lost = new Set<string>()
  let bytes = 0

  /** By endings, because the same ones are requested repeatedly. */
  const filesOf = new Map<string, ReadonlyArray<Blob>>()
  const filesWith = (endings: Endings) =>
    Effect.map(listing, (entries) => {
      const key = endings.join("\0")
      const known = filesOf.get(key)
      if (known !== undefined) return known
      const found = [...entries].flatMap(([path, { mode, oid }]) =>
        mode.startsWith("100") && hasEnding(path, endings) && !isVendoredPath(path) ? [{ path, oid }] : []
      )
      filesOf.set(key, found)
      return found
    })

  /** Null if they are larger than this. If git fails, its search reports the failure. */
  const read = Effect.fnUntraced(function* (oids: ReadonlyArray<string>, maxBytes: number) {
    const joinedOf = (some: ReadonlyArray<string>) => git.joinedBlobs(repository, some, maxBytes)
    const joined = yield* joinedOf(oids).pipe(
      Effect.catchTag("ObjectMissing", () =>
        Effect.flatMap(git.missing(repository, oids), (missing) => {
          const without = new Set(missing)
          return joinedOf(oids.filter((oid) => !without.has(oid)))
        })
      ),
      Effect.orElseSucceed(() => null)
    )
    if (joined === null) return null
    const spans = spansIn(joined)
    const found = new Set(spans.map(({ name }) => name))
    for (const oid of oids) if (!found.has(oid)) lost.add(oid)
    return { joined, spans }
  })

  const keep = ({ joined, spans }: NonNullable<Effect.Success<ReturnType<typeof read>>>) => {
    kept.push({ bytes: Buffer.from(joined.buffer, joined.byteOffset, joined.byteLength), spans })
    for (const { from, name, to } of spans) texts.set(name, joined.subarray(from, to))
    bytes += joined.length
  }

  /** Whether all of these blobs have a filter then. */
  const filter = Effect.fnUntraced(function* (files: ReadonlyArray<Blob>) {
    const wanted = [...new Set(files.flatMap(({ oid }) => (filters.has(oid) || lost.has(oid) ? [] : [oid])))]
    if (wanted.length === 0) return true
    const stored = yield* facts.get("words", wanted.map(keyOf))
    for (const [at, oid] of wanted.entries()) {
      const found = stored[at]
      if (typeof found === "string") filters.set(oid, Buffer.from(found, "base64"))
    }
    const unknown = wanted.filter((oid) => !filters.has(oid))
    if (unknown.length > limits.unknown) return false
    for (let from = 0; from < unknown.length; from += blobsAtOnce) {
      const some = yield* read(unknown.slice(from, from + blobsAtOnce), bytesAtOnce)
      if (some === null) return false
      for (const { from, name, to } of some.spans) {
        const found = yield* Effect.sync(() => wordFilter(some.joined.subarray(from, to)))
        filters.set(name, found)
        yield* facts.put("words", keyOf(name), Buffer.from(found).toString("base64"))
      }
      if (bytes + some.joined.length <= limits.bytes) keep(some)
    }
    return true
  })

  /**
   * The files with these endings, once every blob that may have enough of the words is in memory, or the clone lacks it;
   * null: git searches.
   */
  const loaded = (groups: Groups, endings: Endings) =>
    Effect.gen(function* () {
      const files = yield* filesWith(endings)
      if (!(yield* filter(files))) return null
      const unread = files.filter(({ oid }) => !texts.has(oid))
      const wanted = yield* inSteps(() => candidates(unread, groups, filters))
      const fresh = wanted.filter((oid) => !lost.has(oid))
      const some = fresh.length === 0 ? null : yield* read(fresh, limits.bytes - bytes)
      if (some !== null) keep(some)
      const lacking = new Set(wanted.filter((oid) => lost.has(oid)))
      return some === null && fresh.length > 0 ? null : { files, lacking }
    }).pipe(oneAtATime.withPermits(1))

  const noteMissing = (paths: ReadonlyArray<string>) =>
    failures.add("files that could not be read", new ObjectMissing({ command: "cat-file" }), paths)

  // A bare patch has no other files to search.
  if (side._tag === "Unknown") {
    const nothing = () => Effect.succeed([])
    const search: WordSearch = { mentioning: nothing, places: nothing, soon: () => Effect.void, bytes: () => null }
    return search
  }
  const unpacked = {
    mentioning: (words: Words, endings: Endings) => git.mentioning(repository, side, words, endings),
    places: (groups: Groups, endings: Endings) =>
      Effect.map(
        git.places(repository, side, [...new Set(groups.flatMap(({ words }) => words))], endings),
        ({ missing, places }) => {
          noteMissing(missing)
          return places
        }
      ),
    soon: () => Effect.void,
    bytes: () => null
  } satisfies WordSearch
  if (side._tag === "Worktree") return unpacked
  const search: WordSearch = {
    mentioning: Effect.fnUntraced(function* (words, endings) {
      const searched = yield* loaded(eachAlone(words), endings)
      if (searched === null) return yield* unpacked.mentioning(words, endings)
      const found = new Set(
        (yield* Effect.forEach(kept, (texts) => inSteps(() => mentioning(texts, words)))).flatMap((names) => [...names])
      )
      return searched.files.flatMap(({ oid, path }) => (found.has(oid) || searched.lacking.has(oid) ? [path] : []))
    }),
    places: Effect.fnUntraced(function* (groups, endings) {
      const searched = yield* loaded(groups, endings)
      if (searched === null) return yield* unpacked.places(groups, endings)
      const { files, lacking } = searched
      const unknown = files.flatMap(({ oid, path }) => (lacking.has(oid) ? [path] : []))
      noteMissing(unknown)
      const found = new Map(
        (yield* Effect.forEach(kept, (texts) => inSteps(() => places(texts, groups)))).flatMap((each) => [...each])
      )
      return files.flatMap(({ oid, path }) => (found.get(oid) ?? []).map(({ line, word }) => ({ path, line, word })))
    }),
    // In the background; a search in the meantime waits for it.
    soon: (endings) => Effect.asVoid(Effect.forkIn(loaded([], endings), scope)),
    bytes: (oid) => texts.get(oid) ?? null
  }
  return search
})

/** The blobs that may have enough words of a group; one step for each group. */
function* candidates(
  files: ReadonlyArray<Blob>,
  groups: Groups,
  filters: ReadonlyMap<string, WordFilter>
): Steps<ReadonlyArray<string>> {
  const found = new Set<string>()
  let left = files.map(({ oid, path }) => ({ path, oid, filter: filters.get(oid) }))
  for (const { enough, within, words } of groups) {
    const wanted = words.map(wantedWords)
    left = left.filter(({ filter, oid, path }) => {
      if (within?.has(path) === false || !hasEnough(filter, wanted, enough)) return true
      found.add(oid)
      return false
    })
    yield
  }
  return [...found]
}

/** Without a filter, a blob may have any word. */
const hasEnough = (filter: WordFilter | undefined, words: ReadonlyArray<WantedWords>, enough: number): boolean => {
  if (filter === undefined) return true
  let found = 0
  for (const word of words) if (mayHave(filter, word)) found++
  return found >= enough
}

const keyOf = (blob: string): FactKey => ({ grammar: null, blob })

/** Blobs that are read together because they have no filter. */
const blobsAtOnce = 500
const bytesAtOnce = 64_000_000

/** The position of each object in the output of `cat-file --batch`, without objects that git does not have. */
const spansIn = (printed: Uint8Array): ReadonlyArray<TextSpan> => {
  const spans: Array<TextSpan> = []
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf(newline, at)
    if (end < 0) break
    const [name = "", , size] = decoder.decode(printed.subarray(at, end)).split(" ")
    const length = size === undefined ? null : Number(size)
    if (length !== null) spans.push({ name, from: end + 1, to: end + 1 + length })
    // A line break follows each object.
    at = end + 1 + (length === null ? 0 : length + 1)
  }
  return spans
}

const decoder = new TextDecoder()
const newline = 10

type Words = ReadonlyArray<string>
type Groups = ReadonlyArray<WordGroup>
type Endings = ReadonlyArray<string>
