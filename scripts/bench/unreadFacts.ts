/**
 * Whether a fact of a brief is from a part that the parser did not understand. Run
 * `bun scripts/bench/unreadFacts.ts REPOSITORY [COMMITS]...` after `bun run build`; a repository may be bare.
 *
 * For each of the newest commits: the definitions and values of `dd brief` whose line, on the head side, is in an unread part,
 * and how many parts are named as not understood.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Span } from "../../src/domain/code/Symbol.ts"
import { grammarFor } from "../../src/languages/languages.ts"
import { unreadParts } from "../../src/languages/tree.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"

const dd = join(import.meta.dir, "../../dist/dd")
const [root = ".", count = "200"] = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), "dd-bench-"))

const output = (...command: ReadonlyArray<string>) => {
  const { stdout } = Bun.spawnSync([...command], { cwd: root, env: { PATH: process.env.PATH ?? "", HOME: home } })
  return stdout.toString()
}

interface Fact {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly change: string
}

interface Report {
  readonly brief: { readonly definitions: ReadonlyArray<Fact>; readonly values: ReadonlyArray<Fact> }
}

const unreadIn = Effect.fnUntraced(function* (sha: string, path: string) {
  const text = output("git", "show", `${sha}:${path}`)
  const grammar = grammarFor(path, text)
  if (grammar === null) return []
  const parser = yield* SyntaxParser
  const parse = Effect.flatMap(parser.parse(grammar, text), ({ read }) => read(unreadParts))
  return yield* Effect.orElseSucceed(Effect.scoped(parse), (): ReadonlyArray<Span> => [])
})

const program = Effect.gen(function* () {
  const commits = output("git", "log", "--no-merges", "--format=%H", "-n", count).trim().split("\n")
  let [facts, named, wrong] = [0, 0, 0]
  for (const sha of commits) {
    const text = output(dd, "brief", "--commit", sha, "--format", "json")
    if (text === "") continue
    const { brief } = JSON.parse(text) as Report
    const all = [...brief.definitions, ...brief.values].filter(({ change }) => change !== "removed")
    facts += all.length
    if (text.includes("which the parser did not understand")) named++
    for (const [file, some] of Map.groupBy(all, (fact) => fact.file)) {
      const parts = yield* unreadIn(sha, file)
      for (const fact of some) {
        if (!parts.some(({ endLine, line }) => line <= fact.line && fact.line <= endLine)) continue
        wrong++
        console.log(`${sha.slice(0, 9)} ${file}:${fact.line} ${fact.change} ${fact.name}`)
      }
    }
  }
  console.log(`${root}: ${commits.length} commits, ${facts} facts, ${wrong} of unread parts; ${named} briefs name one`)
})

await Effect.runPromise(Effect.provide(program, TreeSitter.layer.pipe(Layer.provideMerge(Platform.layer))))
rmSync(home, { recursive: true })
