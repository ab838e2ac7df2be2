/**
 * Takes related files into what is left of the budget: what counts most for its tokens first, whole, then as the
 * definitions that matter, then as an outline. A file that does not fit makes room for none before it.
 */
import { Effect } from "effect"
import { wordPlaces } from "../../domain/code/Symbol.ts"
import type { PackFormat } from "../../domain/pack/Block.ts"
import { buyingValue } from "../../domain/pack/fuse.ts"
import type { Omission } from "../../domain/pack/Omission.ts"
import { byRank, type Candidate, type RelatedBlock } from "../../domain/pack/Pack.ts"
import { plural } from "../../domain/text/plural.ts"
import { Sources } from "../change/Sources.ts"
import { textlessReason } from "./core.ts"
import { outlineOf, sliceOf } from "./excerpts.ts"
import { largestRead } from "./fileWords.ts"
import { redactedTexts } from "./redactedTexts.ts"
import { sized } from "./sized.ts"
import { stageDeadline } from "./stageDeadline.ts"

/** Files read at once. */
const batch = 60
/** So many files are shown in part; further ones count for little. */
const mostParts = 40
/** A block of fewer tokens has no code. */
const leastRoom = 60
/** What a part counts of what the whole file does, in sixteenths. */
const worthOfPart = { slice: 12, outline: 5 }

interface Item {
  readonly candidate: Candidate
  readonly value: number
  /** Null for a file that is not read yet: it is tried whole. */
  readonly part: RelatedBlock | null
}

/** `ranked`: by rank. `rareWords`: of each file, its words of the change that few files have. */
export const fitRelated = Effect.fn("pack.fitRelated")(function* (
  ranked: ReadonlyArray<Candidate>,
  rareWords: ReadonlyMap<string, ReadonlyMap<string, number>>,
  format: PackFormat,
  budget: number
) {
  const order = ranked
    .map(
      (candidate): Item => ({
        candidate,
        value: buyingValue(candidate.relationWeight, candidate.estimatedTokens),
        part: null
      })
    )
    .sort(byValue)
  const taken = new Map<string, RelatedBlock>()
  const omitted = new Map<string, Omission>()
  let parts: ReadonlyArray<Item> = []
  let made = 0
  let left = budget

  const take = (block: RelatedBlock): boolean => {
    if (block.tokens > left || taken.has(block.path)) return false
    left -= block.tokens
    taken.set(block.path, block)
    return true
  }
  /** Parts that count more than the next whole file. */
  const takeParts = (value: number) => {
    for (const { part } of parts.filter((each) => each.value >= value)) if (part !== null) take(part)
    parts = parts.filter((each) => each.value < value)
  }

  const isOver = yield* stageDeadline
  const warnings: Array<string> = []
  for (let at = 0; at < order.length && left >= leastRoom; at += batch) {
    if (yield* isOver) {
      warnings.push(`stopped after the time limit: ${plural(order.length - at, "related file")} not tried`)
      break
    }
    // A count is at least half of the estimate.
    const mayFit = ({ candidate }: Item) => candidate.estimatedTokens / 2 <= left || made < mostParts
    const some = order.slice(at, at + batch).filter(mayFit)
    const blocks = yield* wholeBlocks(some, format, omitted)
    for (const { candidate, value } of some) {
      const whole = blocks.get(candidate.path)
      if (whole === undefined) continue
      takeParts(value)
      if (take(whole) || made >= mostParts) continue
      made++
      parts = [...parts, ...(yield* partsOf(whole, rareWords.get(candidate.path) ?? new Map(), format))].sort(byValue)
    }
  }
  takeParts(0)
  const missing = ranked.flatMap(
    ({ path }): ReadonlyArray<Omission> =>
      taken.has(path) ? [] : [omitted.get(path) ?? { path, reason: "over-budget" }]
  )
  return { blocks: [...taken.values()].sort((a, b) => byRank(a.candidate, b.candidate)), omitted: missing, warnings }
})

const byValue = (a: Item, b: Item): number => b.value - a.value || byRank(a.candidate, b.candidate)

/** Redacted texts; what is no text is omitted. */
const wholeBlocks = Effect.fnUntraced(function* (
  items: ReadonlyArray<Item>,
  format: PackFormat,
  omitted: Map<string, Omission>
) {
  const sources = yield* Sources
  const paths = items.map(({ candidate }) => candidate.path)
  const texts = yield* sources.passing("head", paths, largestRead)
  const redacted = yield* redactedTexts(texts.map((source) => (source._tag === "Text" ? source.text : "")))
  const blocks = items.flatMap(({ candidate }, at) => {
    const source = texts[at]
    const { path } = candidate
    if (source?._tag === "Text") return [{ candidate, path, extent: "full" as const, text: redacted[at]! }]
    const reason = textlessReason(source) ?? "filtered:unknown"
    omitted.set(path, { path, reason })
    return []
  })
  return new Map((yield* sized(format, blocks)).map((block) => [block.path, block] as const))
})

/** The parts of a file that are smaller than all of it. */
const partsOf = Effect.fnUntraced(function* (
  { candidate, path, text, tokens: whole }: RelatedBlock,
  words: ReadonlyMap<string, number>,
  format: PackFormat
) {
  const lines = text.split("\n")
  const places = placesOf(lines, words)
  const slice = places.length === 0 ? "" : yield* sliceOf(path, lines, places)
  const outline = yield* outlineOf(path, lines)
  const blocks = yield* sized(format, [
    { candidate, path, extent: "slice" as const, text: slice },
    { candidate, path, extent: "outline" as const, text: outline }
  ])
  return blocks.flatMap((part): ReadonlyArray<Item> => {
    if (part.text === "" || part.tokens >= whole) return []
    const weight = (candidate.relationWeight * worthOfPart[part.extent]) >> 4
    return [{ candidate, value: buyingValue(weight, part.tokens), part }]
  })
})

/** More places would make the slice the whole file. */
const mostPlaces = 12

/** The lines with the words that count most. */
const placesOf = (lines: ReadonlyArray<string>, words: ReadonlyMap<string, number>): ReadonlyArray<number> => {
  const best = new Set(
    [...words]
      .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
      .slice(0, mostPlaces)
      .map(([word]) => word)
  )
  const scored = lines.flatMap((line, at) => {
    const has = (word: string) => line.includes(word) && wordPlaces(line, word).length > 0
    const score = [...best].reduce((sum, word) => sum + (has(word) ? words.get(word)! : 0), 0)
    return score === 0 ? [] : [{ line: at + 1, score }]
  })
  const highest = Math.max(0, ...scored.map(({ score }) => score))
  return scored
    .filter(({ score }) => score * 3 >= highest)
    .sort((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, mostPlaces)
    .map(({ line }) => line)
}
