/**
 * How long an agent's tools take in a real repository. Run `bun scripts/bench/tools.ts REPOSITORY [count] [seed]`.
 *
 * Each tool is asked `count` times about files, words and definitions drawn from the last commit, in one process without a
 * cache on disk, as an agent would who reviews it. A line a question: answers that were errors, the median, the 95th
 * percentile and the longest time, and the longest answer.
 */
import { Effect, Layer, Schema } from "effect"
import { languageOf } from "../../src/languages/languages.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Re2 from "../../src/layers/finding/patterns/Re2.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { ReviewActions } from "../../src/services/agent/ReviewActions.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { Sources } from "../../src/services/change/Sources.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"

const [repository, count = "30", seed = "1"] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/tools.ts REPOSITORY [count] [seed]")
  process.exit(2)
}

const order = (text: string): bigint => BigInt(Bun.hash(`${seed} ${text}`))
const drawn = <A>(all: ReadonlyArray<A>, key: (each: A) => string): ReadonlyArray<A> =>
  all.toSorted((a, b) => (order(key(a)) < order(key(b)) ? -1 : 1)).slice(0, Number(count))

const measured = Effect.gen(function* () {
  const { readOnly } = yield* ReviewActions
  const sources = yield* Sources
  const index = yield* SymbolIndex

  const timed = Effect.fnUntraced(function* (title: string, name: string, inputs: ReadonlyArray<object>) {
    const action = readOnly.find((each) => each.name === name)
    if (action === undefined || inputs.length === 0) return
    const times: Array<number> = []
    let [errors, longest] = [0, 0]
    for (const input of inputs) {
      const given = yield* Schema.decodeUnknownEffect(action.input)(input)
      const started = performance.now()
      const { isError, text } = yield* action.act(given)
      times.push(performance.now() - started)
      if (isError) errors++
      longest = Math.max(longest, text.length)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)} ms`
    console.log(
      `${title.padEnd(24)} ${String(times.length).padStart(4)} asked, ${String(errors).padStart(3)} errors, median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}, ${longest} characters`
    )
  })

  const all = yield* sources.headPaths
  const paths = drawn(all, (path) => path)
  const code = drawn(
    all.filter((path) => languageOf(path) !== null),
    (path) => path
  )
  const names: Array<{ readonly name: string; readonly path: string; readonly line: number }> = []
  for (const path of code) {
    const [first] = drawn((yield* index.symbols(path))?.definitions ?? [], ({ name }) => name)
    if (first !== undefined) names.push({ name: first.name, path, line: first.line })
  }
  console.log(`${all.length} files`)
  yield* timed("list_files", "list_files", [{}])
  yield* timed("list_files glob", "list_files", [{ glob: "*.md" }, { glob: "**/test*/**" }])
  yield* timed(
    "read_file first time",
    "read_file",
    paths.map((path) => ({ path }))
  )
  yield* timed(
    "read_file again",
    "read_file",
    paths.map((path) => ({ path, from: 1, to: 50 }))
  )
  yield* timed(
    "read_file missing",
    "read_file",
    paths.map((path) => ({ path: `x/${path}` }))
  )
  yield* timed(
    "grep word",
    "grep",
    names.map(({ name }) => ({ pattern: name, word: true, literal: true, context: 2 }))
  )
  yield* timed(
    "grep pattern",
    "grep",
    names.map(({ name }) => ({ pattern: `${name}\\s*\\(` }))
  )
  yield* timed("grep no literal", "grep", [{ pattern: "\\b[A-Z]{3}\\d{5}\\b" }, { pattern: "(?i)\\w+zz\\w+$" }])
  yield* timed("diff list", "diff", [{}])
  yield* timed("history log", "history", [{ kind: "log" }])
  yield* timed(
    "history log of a file",
    "history",
    code.map((path) => ({ kind: "log", path, limit: 5 }))
  )
  yield* timed(
    "history log of lines",
    "history",
    names.map(({ line, path }) => ({ kind: "log", path, from: line, to: line, limit: 3 }))
  )
  yield* timed(
    "history blame",
    "history",
    names.map(({ line, path }) => ({ kind: "blame", path, from: line, to: line + 30 }))
  )
  for (const kind of ["definitions", "references", "callers", "callees", "tests"]) {
    yield* timed(
      `symbols ${kind}`,
      "symbols",
      names.map((name) => ({ kind, ...name }))
    )
  }
  yield* timed(
    "symbols importers",
    "symbols",
    code.map((path) => ({ kind: "importers", path }))
  )
  yield* timed(
    "symbols changes_with",
    "symbols",
    code.map((path) => ({ kind: "changes_with", path }))
  )
})

await Effect.runPromise(
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    const layer = ReviewActions.layer({ repository: opened, change }).pipe(
      Layer.provide(CodeLive.codeQueries),
      Layer.provideMerge(SymbolIndex.layer),
      Layer.provide(SyntaxTrees.layer),
      Layer.provideMerge(SourcesGit.layer(opened, change)),
      Layer.provide([TreeSitter.layer, NoFacts.layer, Re2.layer])
    )
    yield* Effect.provide(measured, layer)
  }).pipe(
    Effect.provide(
      Changes.layer.pipe(
        Layer.provideMerge(Git.layer),
        Layer.provideMerge(Platform.layer),
        Layer.provideMerge(Redactor.layerOf({}))
      )
    )
  )
)
