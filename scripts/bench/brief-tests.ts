/**
 * Whether the brief names the tests that people changed. Run
 * `bun scripts/bench/brief-tests.ts [--commits N] [--misses] REPOSITORY...`.
 *
 * Takes the last N commits (default 40) that changed code and existing test files, hides the tests from each change (the
 * files are as before), and asks for the tests to run. A line a repository: the share of commits with at least one of
 * its tests among those named, the share of all its tests that are named, the median number of named files, the same for
 * tests with the conventional name alone, and the median time, for which most facts are cached. Works in a temporary clone without files.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, Layer } from "effect"
import { testFilesIn } from "../../src/domain/brief/tests/testFilesIn.ts"
import { isTestFile } from "../../src/domain/change/TestFile.ts"
import { languageOf } from "../../src/languages/languages.ts"
import { testsByName } from "../../src/languages/tests.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as Sqlite from "../../src/layers/change/facts/Sqlite.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { testsOf } from "../../src/services/brief/tests.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { Sources } from "../../src/services/change/Sources.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { commitOnly, editsIn } from "./heldOut.ts"
import { git } from "./scratchClone.ts"

const commitsSearched = 5_000
const largestCommit = 30
const mostTests = 10

const words = process.argv.slice(2)
const wanted = words.includes("--commits") ? Number(words[words.indexOf("--commits") + 1]) : 40
const showsMisses = words.includes("--misses")
const repositories = words.filter((word) => word.includes("/"))
if (repositories.length === 0) {
  console.error("usage: bun scripts/bench/brief-tests.ts [--commits N] [--misses] REPOSITORY...")
  process.exit(2)
}

interface HeldOut {
  readonly sha: string
  /** The commit without its tests. */
  readonly hidden: string
  readonly tests: ReadonlyArray<string>
}

/** A build script is no code that tests are about. */
const isCode = (path: string): boolean => languageOf(path) !== null && !/(?:\.gradle\.kts|\.config\.\w+)$/.test(path)

const heldOut = (clone: string): ReadonlyArray<HeldOut> => {
  const found: Array<HeldOut> = []
  const isTest = new Set(testFilesIn(git("-C", clone, "ls-tree", "-r", "--name-only", "HEAD").split("\n")))
  for (const [sha, edits] of editsIn(clone, commitsSearched)) {
    if (found.length === wanted) break
    const tests = edits.flatMap(({ path, status }) => (status === "M" && isTest.has(path) ? [path] : []))
    const others = edits.filter(({ path }) => !isTest.has(path) && !isTestFile(path))
    const changesCode = others.some(({ path, status }) => status === "M" && isCode(path))
    const isUsual = edits.length <= largestCommit && tests.length > 0 && tests.length <= mostTests
    if (isUsual && changesCode) found.push({ sha, hidden: commitOnly(clone, sha, others), tests })
  }
  return found
}

const named = (clone: string, hidden: string) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(clone))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: hidden }))
    const layer = CodeLive.codeQueries.pipe(
      Layer.provideMerge(SymbolIndex.layer),
      Layer.provide(SyntaxTrees.layer),
      Layer.provideMerge(SourcesGit.layer(opened, change)),
      Layer.provideMerge([
        TreeSitter.layer,
        Sqlite.layer({ path: join(clone, "facts.db"), version: "1", scope: clone })
      ])
    )
    return yield* Effect.provide(
      Effect.gen(function* () {
        // A review has read these before.
        const index = yield* SymbolIndex
        const headPaths = yield* Sources.use((sources) => sources.headPaths)
        for (const file of change.diff.files) {
          yield* index.symbolsBefore(file)
          if (file.newPath !== null) yield* index.symbols(file.newPath)
        }
        const started = performance.now()
        const { found } = yield* testsOf(change, [])
        const millis = performance.now() - started
        const paths = change.diff.files.map(({ path }) => path)
        const sameName = testsByName(paths, headPaths)
        return { found, millis, sameName: [...new Set(sameName.map(({ test }) => test))] }
      }),
      layer
    )
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))

interface Tally {
  commits: number
  withOne: number
  tests: number
  right: number
  readonly counts: Array<number>
}
const empty = (): Tally => ({ commits: 0, withOne: 0, tests: 0, right: 0, counts: [] })
const count = (tally: Tally, truth: ReadonlyArray<string>, answer: ReadonlyArray<string>): boolean => {
  const right = truth.filter((test) => answer.includes(test)).length
  tally.commits++
  tally.withOne += Number(right > 0)
  tally.tests += truth.length
  tally.right += right
  tally.counts.push(answer.length)
  return right > 0
}
const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
const shown = ({ commits, counts, right, tests, withOne }: Tally): string =>
  `${(withOne / commits).toFixed(2)} of commits, ${(right / tests).toFixed(2)} of tests, median ${median(counts)} files`

const total = { all: empty(), name: empty(), times: [] as number[] }
for (const repository of repositories) {
  const clone = mkdtempSync(join(tmpdir(), "dd-brief-tests-"))
  const own = { all: empty(), name: empty(), times: [] as number[] }
  const runners = new Map<string, string>()
  try {
    git("clone", "--quiet", "--shared", "--bare", repository, clone)
    for (const { hidden, sha, tests } of heldOut(clone)) {
      const { found, millis, sameName } = await Effect.runPromise(named(clone, hidden))
      own.times.push(millis)
      const files = found.files.map(({ file }) => file)
      for (const tally of [own.name, total.name]) count(tally, tests, sameName)
      count(total.all, tests, files)
      const isRight = count(own.all, tests, files)
      if (found.runner !== null) runners.set(found.runner.name, found.commands[0] ?? "")
      if (showsMisses && !isRight) console.log(`  ${sha.slice(0, 10)}: ${tests.join(" ")}; named ${files.join(" ")}`)
    }
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
  total.times.push(...own.times)
  console.log(
    `${basename(repository)}: ${own.all.commits} commits: ${shown(own.all)}, ${median(own.times).toFixed(0)} ms`
  )
  console.log(`  same name alone: ${shown(own.name)}`)
  for (const [runner, command] of runners) console.log(`  ${runner}: ${command}`)
}
console.log(`all: ${total.all.commits} commits: ${shown(total.all)}, ${median(total.times).toFixed(0)} ms`)
console.log(`  same name alone: ${shown(total.name)}`)
