/**
 * Whether a context pack has the files that a change needs. Run
 * `bun scripts/bench/pack.ts [--cases N] [--misses] [--without SIGNAL,...] REPOSITORY[@COMMIT]...`.
 *
 * Takes N commits (default 28), evenly spread over the last 2,500 except merges, each of 2 to 8 modified code files and
 * at most 15 files, without renames and deletions. One of its code files (two of three or more) is taken out of the
 * commit, and the pack of the rest is asked for: is that file whole in the part of related files? The history ends before
 * the commit. A line for the pack itself, for each signal alone, for all, for all without history, and for the best possible
 * order; by number of tokens of o200k of whole files. Second truth: the files that define the names on the changed lines, found by parsing.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { wordsIn } from "../../src/domain/pack/FileWords.ts"
import { buyingValue, signals, worthOfRank } from "../../src/domain/pack/fuse.ts"
import type { Candidate } from "../../src/domain/pack/Pack.ts"
import { noPolicy } from "../../src/domain/pack/PackPolicy.ts"
import { languageOf } from "../../src/languages/languages.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Gpt from "../../src/layers/pack/tokenizer/Gpt.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { BlobFacts } from "../../src/services/change/BlobFacts.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { Sources } from "../../src/services/change/Sources.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { recall } from "../../src/services/pack/recall.ts"
import { fitRelated } from "../../src/services/pack/related.ts"
import { TokenCounts } from "../../src/services/pack/TokenCounts.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import { commitOnly, editsIn } from "./heldOut.ts"
import { git } from "./scratchClone.ts"

const commitsSearched = 2_500
const budgets = [4, 8, 16, 32, 64, 128]

const words = process.argv.slice(2)
const option = (name: string): string | undefined => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
const wanted = Number(option("--cases") ?? 28)
const showsMisses = words.includes("--misses")
const repositories = words.filter((word) => word.includes("/"))
if (repositories.length === 0) {
  console.error("usage: bun scripts/bench/pack.ts [--cases N] [--misses] REPOSITORY[@COMMIT]...")
  process.exit(2)
}

interface Case {
  readonly sha: string
  readonly part: string
  readonly held: ReadonlyArray<string>
}

const casesOf = (clone: string): ReadonlyArray<Case> => {
  const suitable = editsIn(clone, commitsSearched).flatMap(([sha, edits]) => {
    const code = edits.filter(({ path, status }) => status === "M" && languageOf(path) !== null)
    const isSuitable =
      edits.length <= 15 && code.length >= 2 && code.length <= 8 && edits.every(({ status }) => status !== "D")
    return isSuitable ? [{ sha, edits, code }] : []
  })
  const step = Math.max(1, Math.floor(suitable.length / wanted))
  return suitable
    .filter((_, at) => at % step === 0)
    .slice(0, wanted)
    .map(({ code, sha, edits }) => {
      const first = Number.parseInt(sha.slice(0, 8), 16) % code.length
      const held = code.filter((_, at) => at === first || (code.length >= 3 && at === (first + 1) % code.length))
      const paths = held.map(({ path }) => path)
      const kept = code.filter(({ path }) => !paths.includes(path))
      return {
        sha,
        part: commitOnly(
          clone,
          sha,
          edits.filter((edit) => kept.includes(edit))
        ),
        held: paths
      }
    })
}

/** Keeps facts for all cases of a repository. */
const factsInMemory = () => {
  const known = new Map<string, unknown>()
  const keyOf = (reading: string, key: { readonly grammar: string | null; readonly blob: string }) =>
    `${reading}:${key.grammar}:${key.blob}`
  return Layer.succeed(BlobFacts, {
    get: (reading, keys) => Effect.sync(() => keys.map((key) => known.get(keyOf(reading, key)) ?? null)),
    put: (reading, key, value) => Effect.sync(() => void known.set(keyOf(reading, key), value))
  })
}

interface Answer {
  readonly orders: ReadonlyMap<string, ReadonlyArray<string>>
  readonly tokens: ReadonlyMap<string, number>
  /** The files that define names on the changed lines. */
  readonly defining: ReadonlyArray<string>
  /** By budget. */
  readonly packs: ReadonlyArray<{ readonly whole: ReadonlySet<string>; readonly inPart: ReadonlySet<string> }>
  readonly millis: number
}

const tokensOf = new Map<string, number>()

const answerOf = (clone: string, part: string, facts: ReturnType<typeof factsInMemory>) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(clone))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: part }))
    const layer = CodeLive.codeQueries.pipe(
      Layer.merge(TokenCounts.layer.pipe(Layer.provide([layerDigest, Gpt.layer("o200k_base")]))),
      Layer.merge(Redactor.layerOf({})),
      Layer.provideMerge(SymbolIndex.layer),
      Layer.provide(SyntaxTrees.layer),
      Layer.provideMerge(SourcesGit.layer(opened, change)),
      Layer.provideMerge([TreeSitter.layer, facts])
    )
    return yield* Effect.provide(
      Effect.gen(function* () {
        const sources = yield* Sources
        const index = yield* SymbolIndex
        const changed = new Set(change.diff.files.map(({ path }) => path))
        const started = performance.now()
        const { ranked, rareWords } = yield* recall(change, noPolicy)
        const millis = performance.now() - started
        const fused = new Map(ranked.map((each) => [each.path, each] as const))
        const candidates = ranked.map(({ path }) => path)
        const tokens = new Map<string, number>()
        for (const path of candidates) {
          const blob = (yield* sources.blobOf("head", path)) ?? path
          if (!tokensOf.has(blob)) {
            const [source] = yield* sources.passing("head", [path], 400_000)
            const text = source?._tag === "Text" ? source.text : null
            tokensOf.set(blob, text === null ? Number.POSITIVE_INFINITY : countTokens(text) + 20)
          }
          tokens.set(path, tokensOf.get(blob)!)
        }
        const lastKnown = (rank: number | null | undefined) => rank ?? Number.POSITIVE_INFINITY
        const orderBy = (rankOf: (path: string) => number) =>
          candidates.toSorted((a, b) => {
            const [first, second] = [rankOf(a), rankOf(b)]
            return first === second ? tokens.get(a)! - tokens.get(b)! || (a < b ? -1 : 1) : first < second ? -1 : 1
          })
        const byValue = (weightOf: (each: Candidate) => number) =>
          orderBy((path) => -buyingValue(weightOf(fused.get(path)!), Math.min(tokens.get(path)!, 1e9)))
        const orders = new Map<string, ReadonlyArray<string>>([
          ["all", byValue(({ relationWeight }) => relationWeight)],
          [
            "without history",
            byValue(({ ranks, relationWeight }) => relationWeight - worthOfRank("history", ranks.history))
          ],
          ...signals.map((signal) => [signal, orderBy((path) => lastKnown(fused.get(path)!.ranks[signal]))] as const)
        ])
        const lines = change.diff.files.flatMap(({ hunks }) =>
          hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === "context" ? [] : [text])))
        )
        const named = new Set(wordsIn(lines.join("\n")).words)
        const definers = new Map<string, Array<string>>()
        for (const path of candidates) {
          if (languageOf(path) === null) continue
          const symbols = yield* index.symbols(path)
          for (const name of new Set(symbols?.definitions.map((each) => each.name))) {
            if (named.has(name)) definers.set(name, [...(definers.get(name) ?? []), path])
          }
        }
        const defining = [...new Set([...definers.values()].flatMap((some) => (some.length <= 2 ? some : [])))]
        const packs = yield* Effect.forEach(budgets, (budget) =>
          Effect.map(fitRelated(ranked, rareWords, "markdown", budget * 1000), ({ blocks }) => ({
            whole: new Set(blocks.flatMap(({ extent, path }) => (extent === "full" ? [path] : []))),
            inPart: new Set(blocks.map(({ path }) => path))
          }))
        )
        const answer: Answer = {
          orders,
          tokens,
          packs,
          defining: defining.filter((path) => !changed.has(path)),
          millis
        }
        return answer
      }),
      layer
    )
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))

/** The files that fit into the budget, in their order; a file that does not fit is left out. */
const fitting = (order: ReadonlyArray<string>, tokens: ReadonlyMap<string, number>, budget: number) => {
  const kept = new Set<string>()
  let left = budget
  for (const path of order) {
    const size = tokens.get(path)!
    if (size > left) continue
    left -= size
    kept.add(path)
  }
  return kept
}

type Table = Map<string, Array<ReadonlyArray<number>>>

const add = (table: Table, name: string, row: ReadonlyArray<number>) => {
  const rows = table.get(name)
  if (rows === undefined) table.set(name, [row])
  else rows.push(row)
}
const average = (rows: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> =>
  budgets.map((_, at) => rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length)
const shown = (name: string, figures: ReadonlyArray<number>) =>
  `  ${name.padEnd(28)}${figures.map((figure) => figure.toFixed(3).padStart(8)).join("")}`

const recallOf = (truth: ReadonlyArray<string>, kept: ReadonlySet<string>) =>
  truth.filter((path) => kept.has(path)).length / truth.length

const all: Table = new Map()
const header = `  ${"".padEnd(28)}${budgets.map((budget) => `${budget}k`.padStart(8)).join("")}`
for (const repository of repositories) {
  const clone = mkdtempSync(join(tmpdir(), "dd-pack-"))
  const [place = "", commit = "HEAD"] = repository.split("@")
  const own: Table = new Map()
  const times: Array<number> = []
  let count = 0
  try {
    git("clone", "--quiet", "--shared", "--bare", place, clone)
    if (commit !== "HEAD")
      git("-C", clone, "update-ref", "HEAD", git("-C", clone, "rev-parse", `${commit}^{commit}`).trim())
    const facts = factsInMemory()
    for (const { held, part, sha } of casesOf(clone)) {
      const { defining, millis, orders, packs, tokens } = await Effect.runPromise(answerOf(clone, part, facts))
      count++
      times.push(millis)
      add(
        own,
        "the pack",
        packs.map(({ whole }) => recallOf(held, whole))
      )
      add(
        own,
        "the pack, also in part",
        packs.map(({ inPart }) => recallOf(held, inPart))
      )
      for (const [name, order] of orders) {
        const kept = budgets.map((budget) => fitting(order, tokens, budget * 1000))
        add(
          own,
          name,
          kept.map((some) => recallOf(held, some))
        )
        if (defining.length > 0)
          add(
            own,
            `${name} (definitions)`,
            kept.map((some) => recallOf(defining, some))
          )
        if (showsMisses && name === "all") {
          const missed = held.filter((path) => !kept[2]!.has(path))
          for (const path of missed) {
            const places = [...orders].map(([name, order]) => `${name} ${order.indexOf(path) + 1}`)
            console.log(`  ${sha.slice(0, 10)}: ${path} (${tokens.get(path)} tokens): ${places.join(", ")}`)
          }
        }
      }
      add(
        own,
        "best possible",
        budgets.map((budget) => held.filter((path) => tokens.get(path)! <= budget * 1000).length / held.length)
      )
    }
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
  const middle = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN
  console.log(`${basename(place)}: ${count} cases, ${middle.toFixed(0)} ms`)
  console.log(header)
  for (const [name, rows] of own) {
    console.log(shown(name, average(rows)))
    add(all, name, average(rows))
  }
}
if (repositories.length > 1) {
  console.log(`average of ${repositories.length} repositories`)
  console.log(header)
  for (const [name, rows] of all) console.log(shown(name, average(rows)))
}
