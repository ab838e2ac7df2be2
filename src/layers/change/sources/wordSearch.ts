/**
 * Words in the files of a commit or of the index.
 *
 * A review may ask many such questions, and `git grep` unpacks every file for each of them. Of a small change the first
 * question about files with an ending is often the only one: git is run, and works on it while dd does other things.
 * Before the second, and before the first where more are sure to come, the files are read, once, and all that follow
 * are answered from what is kept of them. Where they are too many or too large to be kept, or git does not have them
 * all, git is run each time; so it is for the working tree, whose files need no unpacking. Both answer alike.
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
  /** As `Git.mentioning`, of the side that is searched. */
  readonly mentioning: (words: Words, endings: Endings) => Effect.Effect<ReadonlyArray<string>, GitCallError>
  /** As `Git.places`, of the side that is searched; files that lack enough words of a group may be left out. */
  readonly places: (groups: Groups, endings: Endings) => Effect.Effect<ReadonlyArray<WordPlace>, GitCallError>
  /** Of such files more will be asked: they may be read meanwhile, if they are worth it. */
  readonly soon: (endings: Endings) => Effect.Effect<void>
  /** A blob that was read for a search; null when none was. */
  readonly bytes: (oid: string) => Uint8Array | null
}

export interface WordSearchLimits {
  /** Of all endings together. */
  readonly files: number
  readonly bytes: number
  /** How many files are read before the first question is known to be worth it. */
  readonly filesAhead: number
}

export const usualLimits: WordSearchLimits = { files: 5000, bytes: 24_000_000, filesAhead: 1500 }

interface Entry {
  readonly mode: string
  readonly oid: string
}

export const make = Effect.fnUntraced(function* (
  repository: Repository,
  side: Side,
  listing: Effect.Effect<ReadonlyMap<string, Entry>, GitCallError>,
  expects: "few questions" | "many questions",
  limits: WordSearchLimits = usualLimits
) {
  const git = yield* Git
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** Endings that were asked for. */
  const asked = new Set<string>()
  /** Endings whose texts somebody waits for. */
  const waited = new Set<string>()
  /** Endings whose texts are here; false: they are not to be. */
  const known = new Map<string, boolean>()
  const kept: Array<JoinedTexts> = []
  const texts = new Map<string, Uint8Array>()
  let bytes = 0

  /** By the endings that were asked for, for the same ones are asked for again and again. */
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
    // If they cannot be read, git is run, and reports what is wrong.
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

  /** All that somebody waits for by now, in one call; each ending by itself where together they are too much. */
  const loadWaited = Effect.gen(function* () {
    const fresh = [...waited].filter((ending) => !known.has(ending))
    const isKept = fresh.length > 0 && (yield* load(fresh))
    for (const ending of fresh) {
      known.set(ending, isKept || (fresh.length > 1 && (yield* load([ending]))))
      waited.delete(ending)
    }
  })

  const isAsked = (endings: Endings) => endings.some((ending) => asked.has(ending))

  /** Files that are read before the first question about them. */
  const isReadAhead = (endings: Endings) =>
    expects === "few questions"
      ? Effect.succeed(false)
      : Effect.map(filesWith(endings), ({ length }) => length <= limits.filesAhead)

  /** The files with these endings, when the texts of all of them are here; null: git is to be asked. */
  const loaded = Effect.fnUntraced(function* (endings: Endings) {
    const isFirst = !isAsked(endings)
    for (const ending of endings) asked.add(ending)
    if (isFirst && !(yield* isReadAhead(endings))) return null
    if (endings.some((ending) => !known.has(ending))) {
      for (const ending of endings) waited.add(ending)
      // Whoever comes while others are being read is read for with all who come by then.
      yield* oneAtATime.withPermits(1)(loadWaited)
    }
    return endings.every((ending) => known.get(ending) === true) ? yield* filesWith(endings) : null
  })

  // Before a bare patch there is nothing to search.
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
    // Nobody waits for it, and whoever asks meanwhile waits for the same.
    soon: (endings) =>
      Effect.suspend(() => {
        const isWorthIt = isAsked(endings) ? Effect.succeed(true) : isReadAhead(endings)
        return Effect.asVoid(Effect.forkIn(Effect.when(loaded(endings), isWorthIt), scope))
      }),
    bytes: (oid) => texts.get(oid) ?? null
  }
  return search
})

/** The position of each object that `cat-file --batch` printed; objects that git does not have are missing. */
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
