/**
 * How long queries about code take, and whether callers and callees agree. Run
 * `bun scripts/bench/queries.ts REPOSITORY [count] [seed]`.
 *
 * Of the last commit's functions and methods `count` are drawn, and every query is asked of each, in one process without
 * a cache on disk, as somebody would who explores. A line a query: answers, how many of them are certain, the median and the
 * longest time. The last line: of the certain callees, how many name the function among their certain callers.
 */
import { Effect, Layer } from "effect"
import { isTestFile } from "../../src/domain/change/TestFile.ts"
import { qualifiedName } from "../../src/domain/code/CodeQuery.ts"
import { languageOf } from "../../src/languages/languages.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { Sources } from "../../src/services/change/Sources.ts"
import { CodeQueries } from "../../src/services/code/CodeQueries.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"

const [repository, count = "30", seed = "1"] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/queries.ts REPOSITORY [count] [seed]")
  process.exit(2)
}

interface Tally {
  answers: number
  certain: number
  readonly times: Array<number>
}
const tallies = new Map<string, Tally>()

const timed = <A extends { readonly found: ReadonlyArray<unknown> }>(name: string, query: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const started = performance.now()
    const answer = yield* query
    const tally = tallies.get(name) ?? { answers: 0, certain: 0, times: [] }
    tally.times.push(performance.now() - started)
    tally.answers += answer.found.length
    tally.certain += answer.found.filter(
      (each) => typeof each === "object" && each !== null && "certain" in each && each.certain === true
    ).length
    tallies.set(name, tally)
    return answer
  })

const order = (text: string): bigint => BigInt(Bun.hash(`${seed} ${text}`))

const measured = Effect.gen(function* () {
  const queries = yield* CodeQueries
  const index = yield* SymbolIndex
  const sources = yield* Sources
  const paths = (yield* sources.headPaths)
    .filter((path) => languageOf(path) !== null && !isTestFile(path))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
  let [agreed, callees] = [0, 0]
  let asked = 0
  for (const path of paths) {
    if (asked >= Number(count)) break
    const symbols = yield* index.symbols(path)
    const functions = (symbols?.definitions ?? []).filter(({ kind }) => kind === "function" || kind === "method")
    const [definition] = functions.toSorted((a, b) => (order(a.name) < order(b.name) ? -1 : 1))
    if (definition === undefined) continue
    asked++
    const place = { path, definition }
    yield* timed("definitions", queries.definitionsOf(definition.name))
    yield* timed("references", queries.referencesTo(place))
    yield* timed("callers", queries.callersOf(place))
    yield* timed("importers", queries.importersOf(path))
    yield* timed("tests", queries.testsOf(place))
    const { found } = yield* timed("callees", queries.calleesOf(place))
    for (const callee of found) {
      if (!callee.certain) continue
      callees++
      const callers = (yield* queries.callersOf(callee)).found
      const isAmong = callers.some(
        (each) => each.certain && each.path === path && each.definition?.name === definition.name
      )
      if (isAmong) agreed++
      else console.error(`${path}: ${qualifiedName(definition)} -> ${callee.path}: ${qualifiedName(callee.definition)}`)
    }
  }
  for (const [name, { answers, certain, times }] of tallies) {
    const sorted = times.toSorted((a, b) => a - b)
    const [median, longest] = [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0]
    console.log(
      `${name.padEnd(12)} ${String(times.length).padStart(4)} asked, ${String(answers).padStart(6)} answers, ${String(certain).padStart(6)} certain, median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`
    )
  }
  console.log(`${agreed} of ${callees} certain callees have the function among their certain callers`)
})

await Effect.runPromise(
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    const layer = CodeLive.codeQueries.pipe(
      Layer.provideMerge(SymbolIndex.layer),
      Layer.provide(SyntaxTrees.layer),
      Layer.provideMerge(SourcesGit.layer(opened, change)),
      Layer.provide([TreeSitter.layer, NoFacts.layer])
    )
    yield* Effect.provide(measured, layer)
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))
)
