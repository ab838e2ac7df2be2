/**
 * Searches for words in the files of a commit or of the index.
 *
 * A review may search many times, and `git grep` unpacks every file each time. In a small change, the first search of
 * files with an ending is often the only one: git runs it, concurrently with dd. Before a second search, or before the
 * first if more are certain, the files are read once, and later searches use the texts in memory. If they are too many
 * or too large, or git does not have all of them, git runs every search, as for the working tree, whose files need no
 * unpacking. The results are the same.
 */
import { Effect, Semaphore } from "effect"
import type { Side } from "../../../domain/change/Change.ts"
import type { WordGroup, WordPlace } from "../../../domain/change/WordPlace.ts"
import { inSteps } from "../../../domain/system/Steps.ts"
import { Git } from "../../../services/change/Git.ts"
import type { GitCallError } from "../../../services/change/GitError.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import { type JoinedTexts, mentioning, places, type TextSpan } from "./JoinedTexts.ts"

export interface WordSearch {
  /** As `Git.mentioning`, on the searched side. */
  readonly mentioning: (words: Words, endings: Endings) => Effect.Effect<ReadonlyArray<string>, GitCallError>
  /** As `Git.places`, on the searched side; files that lack enough words of a group may be left out. */
  readonly places: (groups: Groups, endings: Endings) => Effect.Effect<ReadonlyArray<WordPlace>, GitCallError>
  /** Announces more searches of such files, so that they can be read in advance. */
  readonly soon: (endings: Endings) => Effect.Effect<void>
  /** A blob that was read for a search; null if it was not. */
  readonly bytes: (oid: string) => Uint8Array | null
}

export interface WordSearchLimits {
  /** Of all endings together. */
  readonly files: number
  readonly bytes: number
  /** How many files are read before it is known that more than one search follows. */
  readonly filesAhead: number
}

export const defaultLimits: WordSearchLimits = { files: 5000, bytes: 24_000_000, filesAhead: 1500 }

interface Entry {
  readonly mode: string
  readonly oid: string
}

export const make = Effect.fnUntraced(function* (
  repository: Repository,
  side: Side,
  listing: Effect.Effect<ReadonlyMap<string, Entry>, GitCallError>,
  expects: "few questions" | "many questions",
  limits: WordSearchLimits = defaultLimits
) {
  const git = yield* Git
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** Endings that were searched. */
  const searched = new Set<string>()
  /** Endings whose texts a fiber waits for. */
  const waited = new Set<string>()
  /** Endings whose texts are in memory; false: their texts are not kept. */
  const known = new Map<string, boolean>()
  const kept: Array<JoinedTexts> = []
  const texts = new Map<string, Uint8Array>()
  let bytes = 0

  /** By endings, because the same ones are requested repeatedly. */
  const filesOf = new Map<string, ReadonlyArray<readonly [string, Entry]>>()
  const filesWith = (endings: Endings) =>
    Effect.map(listing, (entries) => {
      const key = endings.join("\0")
      const known = filesOf.get(key)
      if (known !== undefined) return known
      const found = [...entries].filter(
        ([path, { mode }]) => mode.startsWith("100") && endings.some((ending) => path.endsWith(ending))
      )
      filesOf.set(key, found)
      return found
    })

  const load = Effect.fnUntraced(function* (endings: Endings) {
    const wanted = new Set((yield* filesWith(endings)).map(([, { oid }]) => oid))
    const fresh = [...wanted].filter((oid) => !texts.has(oid))
    if (fresh.length === 0) return true
    if (texts.size + fresh.length > limits.files) return false
    // If they cannot be read, git runs the search and reports the failure.
    const joined = yield* Effect.orElseSucceed(git.joinedBlobs(repository, fresh, limits.bytes - bytes), () => null)
    if (joined === null) return false
    const spans = spansIn(joined)
    if (spans.length < fresh.length) return false
    const together = { bytes: Buffer.from(joined.buffer, joined.byteOffset, joined.byteLength), spans }
    kept.push(together)
    for (const { from, name, to } of spans) texts.set(name, joined.subarray(from, to))
    bytes += joined.length
    return true
  })

  /** Reads the texts of all endings that are waited for in one call; separately if they are too much together. */
  const loadWaited = Effect.gen(function* () {
    const fresh = [...waited].filter((ending) => !known.has(ending))
    const isKept = fresh.length > 0 && (yield* load(fresh))
    for (const ending of fresh) {
      known.set(ending, isKept || (fresh.length > 1 && (yield* load([ending]))))
      waited.delete(ending)
    }
  })

  const wasSearched = (endings: Endings) => endings.some((ending) => searched.has(ending))

  /** Whether the files are read before the first search of them. */
  const isReadAhead = (endings: Endings) =>
    expects === "few questions"
      ? Effect.succeed(false)
      : Effect.map(filesWith(endings), ({ length }) => length <= limits.filesAhead)

  /** The files with these endings, if the texts of all of them are in memory; null: git must search. */
  const loaded = Effect.fnUntraced(function* (endings: Endings) {
    const isFirst = !wasSearched(endings)
    for (const ending of endings) searched.add(ending)
    if (isFirst && !(yield* isReadAhead(endings))) return null
    if (endings.some((ending) => !known.has(ending))) {
      for (const ending of endings) waited.add(ending)
      // Requests that arrive while others are being read are read together afterwards.
      yield* oneAtATime.withPermits(1)(loadWaited)
    }
    return endings.every((ending) => known.get(ending) === true) ? yield* filesWith(endings) : null
  })

  // A bare patch has no other files to search.
  if (side._tag === "Unknown") {
    const nothing = () => Effect.succeed([])
    const search: WordSearch = { mentioning: nothing, places: nothing, soon: () => Effect.void, bytes: () => null }
    return search
  }
  const unpacked = {
    mentioning: (words: Words, endings: Endings) => git.mentioning(repository, side, words, endings),
    places: (groups: Groups, endings: Endings) =>
      git.places(repository, side, [...new Set(groups.flatMap(({ words }) => words))], endings),
    soon: () => Effect.void,
    bytes: () => null
  } satisfies WordSearch
  if (side._tag === "Worktree") return unpacked
  const search: WordSearch = {
    mentioning: Effect.fnUntraced(function* (words, endings) {
      const files = yield* loaded(endings)
      if (files === null) return yield* unpacked.mentioning(words, endings)
      const found = new Set(
        (yield* Effect.forEach(kept, (texts) => inSteps(() => mentioning(texts, words)))).flatMap((names) => [...names])
      )
      return files.flatMap(([path, { oid }]) => (found.has(oid) ? [path] : []))
    }),
    places: Effect.fnUntraced(function* (groups, endings) {
      const files = yield* loaded(endings)
      if (files === null) return yield* unpacked.places(groups, endings)
      const found = new Map(
        (yield* Effect.forEach(kept, (texts) => inSteps(() => places(texts, groups)))).flatMap((each) => [...each])
      )
      return files.flatMap(([path, { oid }]) => (found.get(oid) ?? []).map((place) => ({ path, ...place })))
    }),
    // In the background; a search in the meantime waits for it.
    soon: (endings) =>
      Effect.suspend(() => {
        const isWorthIt = wasSearched(endings) ? Effect.succeed(true) : isReadAhead(endings)
        return Effect.asVoid(Effect.forkIn(Effect.when(loaded(endings), isWorthIt), scope))
      }),
    bytes: (oid) => texts.get(oid) ?? null
  }
  return search
})

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
