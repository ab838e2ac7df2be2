/**
 * The share of files that a grammar cannot parse completely, by grammar: `bun scripts/bench/gaps.ts FILES REPOSITORY...`.
 *
 * Takes at most FILES files of a grammar from the last commit of each repository, evenly over its paths, without vendored
 * and generated ones.
 */
import { spawnSync } from "node:child_process"
import { Effect, Layer } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { isGeneratedPath, isMarkedGenerated, isVendoredPath } from "../../src/domain/change/PathKind.ts"
import { grammarFor, grammarOf } from "../../src/languages/languages.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"

const [limit, ...repositories] = process.argv.slice(2)
const most = Number(limit)
if (!(most > 0) || repositories.length === 0) {
  console.error("usage: bun scripts/bench/gaps.ts FILES REPOSITORY...")
  process.exit(2)
}

const git = (repository: string, ...args: ReadonlyArray<string>): string =>
  spawnSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout

const hasGap = Effect.fnUntraced(function* (grammar: Grammar, text: string) {
  const parser = yield* SyntaxParser
  return yield* Effect.match(Effect.scoped(Effect.map(parser.parse(grammar, text), ({ root }) => root.hasError)), {
    onSuccess: (found) => found,
    onFailure: () => true
  })
})

const measured = Effect.gen(function* () {
  const total = new Map<Grammar, { files: number; gaps: number }>()
  for (const repository of repositories) {
    const paths = git(repository, "ls-tree", "-r", "--name-only", "HEAD")
      .split("\n")
      .filter((path) => grammarOf(path) !== null && !isVendoredPath(path) && !isGeneratedPath(path))
    const gaps: Array<string> = []
    for (const [grammar, some] of Map.groupBy(paths, grammarOf)) {
      if (grammar === null) continue
      const count = total.get(grammar) ?? { files: 0, gaps: 0 }
      total.set(grammar, count)
      const step = Math.max(1, some.length / most)
      for (let at = 0; at < some.length; at += step) {
        const path = some[Math.floor(at)]!
        const text = git(repository, "show", `HEAD:${path}`)
        const known = grammarFor(path, text)
        if (known === null || isMarkedGenerated(text.split("\n"))) continue
        count.files++
        if (!(yield* hasGap(known, text))) continue
        count.gaps++
        gaps.push(path)
      }
    }
    console.log(`${repository}: ${gaps.length} with gaps${gaps.length === 0 ? "" : `: ${gaps.join(", ")}`}`)
  }
  console.log("| grammar | files | with gaps | share |\n|---|---|---|---|")
  for (const [grammar, { files, gaps }] of total) {
    console.log(`| ${grammar} | ${files} | ${gaps} | ${((100 * gaps) / Math.max(1, files)).toFixed(1)} % |`)
  }
})

await Effect.runPromise(measured.pipe(Effect.provide(TreeSitter.layer.pipe(Layer.provideMerge(Platform.layer)))))
