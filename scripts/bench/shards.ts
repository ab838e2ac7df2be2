/**
 * How a change that is larger than one prompt is divided. Run `bun scripts/bench/shards.ts REPOSITORY COMMIT…`.
 *
 * `ties kept`: the weight of the ties between changed files whose two files one agent gets, by shards and by stacks (the
 * stacks each cut to one prompt, in the order of their paths, as they were before there were shards).
 */
import { Effect, Layer } from "effect"
import { type Tie, tiesOf } from "../../src/domain/brief/sizeOf.ts"
import type { Stack } from "../../src/domain/code/Stack.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { hunkTokens } from "../../src/prompts/diffText.ts"
import { PromptLimits } from "../../src/services/agent/PromptBuilder.ts"
import { clusterFile } from "../../src/services/brief/size.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { planReview } from "../../src/services/review/planReview.ts"

const [repository, ...commits] = process.argv.slice(2)
if (repository === undefined || commits.length === 0) {
  console.error("usage: bun scripts/bench/shards.ts REPOSITORY COMMIT…")
  process.exit(2)
}

const options = { stackRules: [], tinyThreshold: 2, oneReviewer: false, steps: [], startAt: "review" } as const

const share = (ties: ReadonlyArray<Tie>, groups: ReadonlyArray<ReadonlySet<string>>): string => {
  const weigh = (some: ReadonlyArray<Tie>) => some.reduce((sum, { weight }) => sum + weight, 0)
  const kept = ties.filter(({ files: [one, other] }) => groups.some((group) => group.has(one) && group.has(other)))
  return ties.length === 0 ? "-" : `${Math.round((100 * weigh(kept)) / weigh(ties))} %`
}

const measured = (commit: string) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit }))
    yield* Effect.gen(function* () {
      const began = performance.now()
      const { stacks } = yield* planReview(change, { ...options, readsByModel: true })
      const took = performance.now() - began
      const before = (yield* planReview(change, { ...options, readsByModel: false })).stacks
      const files = new Map(change.diff.files.map((file) => [file.path, file]))
      const tokens = (path: string) => hunkTokens(files.get(path)!).reduce((sum, each) => sum + each, 0)
      const shown = change.diff.files.filter((file) => tokens(file.path) > 0)
      const ties = tiesOf(yield* Effect.forEach(shown, clusterFile))
      const room = (yield* PromptLimits).diff
      const whole = (given: ReadonlyArray<Stack>) => given.filter(({ name }) => name !== "structure")
      const cut = whole(before).map(({ files: paths }) => {
        let left = room
        return new Set(
          paths.filter((path) => {
            left -= tokens(path)
            return left >= 0
          })
        )
      })
      const shards = whole(stacks).map((stack) => new Set(stack.files))
      const sizes = whole(stacks).map(({ name, shard }) => {
        const size = (shard?.parts ?? []).flatMap(hunkTokens).reduce((sum, each) => sum + each, 0)
        return `${name} ${Math.round(size / 1_000)}k`
      })
      const cells = [commit.slice(0, 9), shown.length, sizes.join(", "), share(ties, shards), share(ties, cut)]
      console.log(`| ${[...cells, took.toFixed(0)].join(" | ")} |`)
    }).pipe(
      Effect.provide(
        SymbolIndex.layer.pipe(
          Layer.provideMerge(SyntaxTrees.layer),
          Layer.provideMerge(SourcesGit.layer(opened, change)),
          Layer.provide([NoFacts.layer, TreeSitter.layer])
        )
      )
    )
  })

console.log("| commit | files | shards | ties kept | by stacks | ms |\n|---|---:|---|---:|---:|---:|")
await Effect.runPromise(
  Effect.forEach(commits, measured, { discard: true }).pipe(
    Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer)))
  )
)
