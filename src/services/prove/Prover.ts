/**
 * Asks the project's own tests about a change: which small changes of its added lines would they notice?
 *
 * Runs code of the repository, in a copy and in the sandbox of the tests; the user's files are not touched. A file holds all
 * of its mutants at once, of which a variable chooses one, so that one run shows which tests execute which of them. Never
 * fails: what could not run is in the proof, with the reason.
 */
import { Clock, Context, Effect, FileSystem, Layer, Path } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { HunkIndex } from "../../domain/change/HunkIndex.ts"
import { isTestPath, isUnreviewedPath } from "../../domain/change/PathKind.ts"
import type { TestResult } from "../../domain/fix/TestResult.ts"
import { chosenVariable, reachedVariable } from "../../domain/prove/MutationSyntax.ts"
import { mutantsIn } from "../../domain/prove/mutantsIn.ts"
import { type Fate, nothingProven, type Proof, type ProofWish, type Tried } from "../../domain/prove/Proof.ts"
import { type Numbered, switched } from "../../domain/prove/switched.ts"
import { commandOf, type TestCall, testCalls } from "../../domain/prove/TestCall.ts"
import { byWorth } from "../../domain/prove/unnoticed.ts"
import { plural } from "../../domain/text/plural.ts"
import { grammarOf, languages } from "../../languages/languages.ts"
import { Briefs } from "../brief/Briefs.ts"
import { testRunsOf } from "../brief/tests.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import type { Sources } from "../change/Sources.ts"
import { SyntaxTrees } from "../code/SyntaxTrees.ts"
import { FixTree } from "../fix/FixTree.ts"
import { TestRunner } from "../fix/TestRunner.ts"
import { readWorktreeFile } from "../system/worktreeFile.ts"

export class Prover extends Context.Service<
  Prover,
  { readonly prove: (change: Change, wish: ProofWish) => Effect.Effect<Proof> }
>()("dd/services/prove/Prover") {
  static readonly layer = Layer.effect(
    Prover,
    Effect.gen(function* () {
      const services = yield* Effect.context<
        Briefs | FileSystem.FileSystem | FixTree | Path.Path | Sources | SyntaxTrees | TestRunner
      >()
      return Prover.of({
        prove: Effect.fn("Prover.prove")(prove, Effect.provide(services))
      })
    })
  )
}

/** Test files that are tried, the likeliest first. */
const mostTests = 30
/** Runs at the same time. */
const workers = 2
/** A run of a mutant may take this much longer than that without one; then it counts as noticed. */
const patience = { factor: 3, seconds: 5 } as const

const prove = Effect.fnUntraced(function* (change: Change, wish: ProofWish) {
  const began = yield* Clock.currentTimeMillis
  const files = yield* mutatedFiles(change)
  if (files.length === 0) return nothingProven(null)
  const calls = yield* callsFor(change)
  if (typeof calls === "string") return nothingProven(calls)
  return yield* Effect.catchTag(ran(change, files, calls, began, wish), "FixTreeFailed", ({ message }) =>
    Effect.succeed(nothingProven(message))
  )
})

interface MutatedFile {
  readonly path: string
  readonly mutants: ReadonlyArray<Numbered>
  readonly text: string
}

/** Each with all of its mutants in it. Whether it still works, the first run with it shows. */
const mutatedFiles = Effect.fnUntraced(function* (change: Change) {
  const trees = yield* SyntaxTrees
  const added = new HunkIndex(change.diff)
  const found: Array<MutatedFile> = []
  let last = 0
  for (const { binary, newPath } of change.diff.files) {
    if (newPath === null || binary || isTestPath(newPath) || isUnreviewedPath(newPath)) continue
    const file = yield* trees.head(newPath, {
      ask: (root, source, grammar) => {
        const { mutations } = languages[grammar]
        // A part of a document is not written back.
        if (mutations === null || grammarOf(newPath) === null) return null
        const all = mutantsIn(root, mutations, (line) => added.isAdded(newPath, line))
        const numbered = all.map((mutant, at): Numbered => ({ ...mutant, id: last + at + 1 }))
        const { ids, text } = switched(root, source.text, numbered, mutations)
        return { path: newPath, mutants: numbered.filter(({ id }) => ids.has(id)), text }
      }
    })
    if (file === null || file.mutants.length === 0) continue
    last = Math.max(...file.mutants.map(({ id }) => id))
    found.push(file)
  }
  return found
})

/** How the likely tests of the change are run; else why not. */
const callsFor = Effect.fnUntraced(function* (change: Change) {
  const { tests } = yield* (yield* Briefs).of(change)
  if (tests.files.length === 0) return "dd found no test of the changed code"
  const runs = yield* testRunsOf(
    change,
    tests.files.map(({ file }) => file)
  )
  const calls = testCalls(runs.slice(0, mostTests))
  if (calls.length > 0) return calls
  return runs.length === 0
    ? "nothing tells how the tests of this project are run"
    : `dd cannot choose the test files of ${runs[0]?.run.runner} yet`
})

const ran = Effect.fnUntraced(function* (
  change: Change,
  files: ReadonlyArray<MutatedFile>,
  calls: ReadonlyArray<TestCall>,
  began: number,
  { budget }: ProofWish
) {
  const runner = yield* TestRunner
  const trees = yield* FixTree
  const tree = yield* trees.of(change)
  const root = yield* tree.forTests
  const notRun: Array<string> = []
  const left = Effect.map(Clock.currentTimeMillis, (now) => budget - (now - began) / 1000)
  let sandbox = ""

  /** Null: there is no time left. */
  const run = Effect.fnUntraced(function* (
    call: TestCall,
    paths: Iterable<string>,
    seconds: number,
    variables: Readonly<Record<string, string>> = {}
  ) {
    const rest = yield* left
    if (rest <= 0) return null
    const result = yield* runner.run(commandOf(call, paths), root, { timeout: Math.min(seconds, rest), variables })
    sandbox = result.sandbox
    return result.outcome === "timed-out" && (yield* left) <= 0 ? null : result
  })

  const passing: Array<{ readonly call: TestCall; readonly paths: ReadonlyArray<string>; readonly seconds: number }> =
    []
  for (const known of calls) {
    let call = known
    let found = yield* passingIn(call, run)
    if (found.paths.length === 0 && known.otherwise !== null) {
      call = { ...known, call: known.otherwise }
      const again = yield* passingIn(call, run)
      if (again.paths.length > 0) found = again
    }
    notRun.push(...found.faults)
    if (found.paths.length > 0) passing.push({ call, paths: found.paths, seconds: found.seconds })
  }
  if (passing.length === 0) {
    return { ...nothingProven(null), notRun: notRun.length === 0 ? ["there was no time left"] : notRun, sandbox }
  }

  for (const { path, text } of files) yield* tree.write(path, new TextEncoder().encode(text))
  yield* tree.forTests
  const reachedName = ".daydream-reached"
  const reachedBy = new Map<number, Set<string>>()
  const usable: typeof passing = []
  for (const each of passing) {
    const limit = patience.factor * each.seconds + patience.seconds
    const result = yield* run(each.call, each.paths, limit, { [reachedVariable]: `${root}/${reachedName}` })
    if (result === null) {
      notRun.push("there was no time left")
      break
    }
    const reached = yield* readOnce(root, reachedName)
    if (result.outcome !== "passed") {
      notRun.push(`${each.call.runner} does not pass when small changes are prepared in the code: ${result.reason}`)
      continue
    }
    usable.push(each)
    for (const line of reached.split("\n")) {
      const [id = "", file = ""] = line.split("\t")
      if (id === "") continue
      const own = each.paths.filter((path) => file.endsWith(`/${path}`) || file === path)
      const by = reachedBy.get(Number(id)) ?? new Set<string>()
      reachedBy.set(Number(id), by)
      for (const path of own.length === 0 ? each.paths : own) by.add(path)
    }
  }

  const all = files.flatMap(({ mutants, path }) =>
    mutants.map((mutant): Tried => {
      const tests = [...(reachedBy.get(mutant.id) ?? [])].sort()
      return { ...mutant, path, fate: tests.length === 0 ? "unreached" : "reached", tests }
    })
  )
  const fates = new Map<number, Fate>()
  yield* forEachFile(
    "trials",
    inTurn(all.filter(({ fate }) => fate === "reached")),
    Effect.fnUntraced(function* (mutant) {
      let fate: Fate = "survived"
      for (const { call, paths, seconds } of usable) {
        const own = paths.filter((path) => mutant.tests.includes(path))
        if (own.length === 0) continue
        const limit = patience.factor * seconds + patience.seconds
        const result = yield* run(call, own, limit, { [chosenVariable]: String(mutant.id) })
        // What did not run has shown nothing.
        if (result === null || result.outcome === "not-run") return
        if (result.outcome !== "passed") {
          fate = "killed"
          break
        }
      }
      fates.set(mutant.id, fate)
    }),
    workers
  )
  const mutants = all.map((mutant): Tried => ({ ...mutant, fate: fates.get(mutant.id) ?? mutant.fate }))
  const proof: Proof = {
    mutants,
    tests: usable.flatMap(({ paths }) => paths),
    runners: [...new Set(usable.map(({ call }) => call.runner))],
    notRun,
    sandbox
  }
  return proof
})

type Run = (call: TestCall, paths: Iterable<string>, seconds: number) => Effect.Effect<TestResult | null>

/** In seconds, for tests without any change. */
const slowest = 300

/** The test files that pass as they are: all at once, else one by one. */
const passingIn = Effect.fnUntraced(function* (call: TestCall, run: Run) {
  const all = [...call.files.keys()]
  const together = yield* run(call, all, slowest)
  if (together === null) return { paths: [], seconds: 0, faults: [] }
  const seconds = together.durationMs / 1000
  if (together.outcome === "passed") return { paths: all, seconds, faults: [] }
  const fault = (which: string, { outcome, reason }: TestResult) =>
    `${call.runner}, ${which}: ${outcome === "failed" ? "its tests fail without any change of dd" : reason}`
  const cannot = {
    paths: [],
    seconds,
    faults: [fault(all.length === 1 ? all[0]! : plural(all.length, "test file"), together)]
  }
  if (all.length === 1 || together.fault === "command" || together.outcome === "timed-out") return cannot
  const paths: Array<string> = []
  const faults: Array<string> = []
  for (const path of all) {
    const result = yield* run(call, [path], slowest)
    if (result === null) break
    if (result.outcome === "passed") paths.push(path)
    else faults.push(fault(path, result))
  }
  return paths.length === 0 && together.outcome !== "failed" ? cannot : { paths, seconds, faults }
})

/** In bytes. */
const mostReached = 4_000_000

/** A file that tests have written. It is removed, and a link is not followed. */
const readOnce = Effect.fnUntraced(function* (root: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = yield* readWorktreeFile({ fs, paths }, root, name, mostReached)
  yield* Effect.option(fs.remove(paths.join(root, name), { force: true }))
  return file._tag === "File" ? new TextDecoder().decode(file.bytes) : ""
})

/** The best of each function first, then the second of each. */
const inTurn = (mutants: ReadonlyArray<Tried>): ReadonlyArray<Tried> => {
  const places = new Map<string, number>()
  return mutants
    .toSorted(byWorth)
    .map((mutant) => {
      const scope = `${mutant.path}\n${mutant.scope}`
      const place = places.get(scope) ?? 0
      places.set(scope, place + 1)
      return { mutant, place }
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ mutant }) => mutant)
}
