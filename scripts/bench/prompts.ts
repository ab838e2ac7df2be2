/**
 * How large the prompts of a review are, and how much of them a provider can keep. Run
 * `bun scripts/bench/prompts.ts REPOSITORY [COMMIT]`.
 *
 * Every task of a deep review of that commit is briefed as in a run without the user's own files, and counted by
 * `tokenEstimate`. `this run`: the blocks that all tasks share. `from cache`: the share of a prompt that begins a prompt
 * of the rows above, for a cache that keeps every block.
 */
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { label, type Task } from "../../src/domain/agent/Task.ts"
import { isTestPath } from "../../src/domain/change/PathKind.ts"
import type { SeenLines } from "../../src/domain/change/SeenLines.ts"
import { ReviewRecord } from "../../src/domain/finding/Finding.ts"
import { noPolicy } from "../../src/domain/pack/PackPolicy.ts"
import { tokenEstimate } from "../../src/domain/text/tokenEstimate.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as PackLive from "../../src/layers/PackLive.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { PromptBuilder } from "../../src/services/agent/PromptBuilder.ts"
import { Skills } from "../../src/services/agent/Skills.ts"
import { StaticReviews } from "../../src/services/agent/StaticReviews.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../src/services/finding/StaticReviewer.ts"
import { ContextPacks } from "../../src/services/pack/ContextPacks.ts"
import { placesOf } from "../../src/services/pack/core.ts"
import { explore } from "../../src/services/review/explore.ts"
import { planReview } from "../../src/services/review/planReview.ts"
import { FailPolicy } from "../../src/services/run/FailPolicy.ts"
import { PromptOverrides } from "../../src/services/run/PromptOverrides.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import * as Memory from "../../test/support/MemoryRecorder.ts"
import { structural } from "../../test/support/structural.ts"

const [repository, commit = "HEAD"] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/prompts.ts REPOSITORY [COMMIT]")
  process.exit(2)
}

const intent =
  "It does what its commit message says, in two or three sentences of ordinary length that a model has written."

/** Assumed of each agent: its turns, and what a turn adds to the messages. */
const turns = 4
const growth = 2_000

const range = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, at) => at)
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, each) => all + each, 0)

const tokensOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + tokenEstimate(text), 0)

const measured = Effect.gen(function* () {
  const opened = yield* Git.use((git) => git.open(repository))
  const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit }))

  yield* Effect.gen(function* () {
    const promptBuilder = yield* PromptBuilder
    const exploration = yield* explore(change, null)
    const { stacks } = yield* planReview(change, {
      stackRules: [],
      tinyThreshold: 0,
      oneReviewer: false,
      readsByModel: true,
      steps: [],
      startAt: "review"
    })
    const changed = change.diff.files.filter(({ hunks }) => hunks.length > 0)
    const first = changed.find(({ path }) => !isTestPath(path) && !/\.(?:mdx?|json|ya?ml)$/.test(path)) ?? changed[0]
    const record = ReviewRecord.make({
      id: 1,
      description: "A claim of ordinary length that says what goes wrong, when it does, and what to do instead of it.",
      file: first?.path ?? "",
      line: first?.hunks[0]?.newStart ?? 1,
      confidence: "HIGH",
      severity: "high",
      rationale: "A sentence or two on why.",
      evidence: `${first?.path}:1`
    })
    const tasks: ReadonlyArray<Task> = [
      { _tag: "Intent", change, exploration },
      { _tag: "Alternatives", change, exploration, intent },
      ...stacks.map((stack): Task => ({ _tag: "StackReview", change, exploration, intent, stack })),
      {
        _tag: "Arbitrate",
        change,
        intent,
        contested: [1, 2, 3].map((arbId) => ({ arbId, stack: stacks[0]?.name ?? "", record }))
      },
      {
        _tag: "Verify",
        change,
        intent,
        claims: [1, 2, 3].map((id) => ({ id, stack: stacks[0]?.name ?? "", record, fingerprint: `${id}` }))
      },
      { _tag: "Merge", intent, items: [1, 2, 3].map((id) => ({ id, stacks: ["x", "y"], record })), failures: {} }
    ]
    const { files } = change.diff
    console.log(`${change.description}: ${files.length} files`)
    console.log("| prompt | submit tools | rubric | this run | this task | all | from cache | ms |")
    console.log("|---|---:|---:|---:|---:|---:|---:|---:|")
    const seen: Array<SeenLines> = []
    const cached = new Set<string>()
    const later = { read: 0, sent: 0 }
    for (const [at, task] of tasks.entries()) {
      const started = performance.now()
      const { otherSubmits, shown, submit, system, user } = yield* promptBuilder.promptFor(task, null)
      seen.push(...shown)
      const took = performance.now() - started
      const tools = JSON.stringify([submit, ...otherSubmits].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      const parts = [tools, ...system, ...user.map(({ text }) => text)]
      const sizes = parts.map(tokenEstimate)
      const all = sum(sizes)
      const known = parts.findIndex((_, end) => !cached.has(parts.slice(0, end + 1).join("\0")))
      const read = sum(sizes.slice(0, known === -1 ? parts.length : known))
      for (const end of parts.keys()) cached.add(parts.slice(0, end + 1).join("\0"))
      if (at > 0) {
        later.read += read + sum(range(turns - 1).map((turn) => all + turn * growth))
        later.sent += sum(range(turns).map((turn) => all + turn * growth))
      }
      const lasting = tokensOf(user.filter((each) => each.lasting).map(({ text }) => text))
      const own = tokensOf(user.filter((each) => !each.lasting).map(({ text }) => text))
      const share = `${Math.round((100 * read) / all)} %`
      const cells = [label(task), sizes[0], tokensOf(system), lasting, own, all, share, took.toFixed(0)]
      console.log(`| ${cells.join(" | ")} |`)
    }
    const share = Math.round((100 * later.read) / later.sent)
    console.log(
      `with ${turns} turns of ${growth} tokens for each agent: ${share} % of ${later.sent} tokens from cache after the first agent`
    )
    const lines = new Set(
      seen.flatMap(({ from, path, side, to }) =>
        side === "head" ? range(to - from + 1).map((at) => `${path}:${from + at}`) : []
      )
    )
    const symbols = yield* SymbolIndex
    let [whole, all] = [0, 0]
    for (const file of files.filter(({ newPath, path }) => newPath !== null && !isTestPath(path))) {
      const definitions = (yield* symbols.symbols(file.path))?.definitions ?? []
      const around = placesOf(file).map((line) =>
        definitions
          .filter((each) => each.line <= line && line <= each.endLine)
          .reduce<(typeof definitions)[number] | null>(
            (least, each) => (least === null || each.endLine - each.line < least.endLine - least.line ? each : least),
            null
          )
      )
      for (const definition of new Set(around.flatMap((each) => each ?? []))) {
        all++
        whole += Number(
          range(definition.endLine - definition.line + 1).every((at) =>
            lines.has(`${file.path}:${definition.line + at}`)
          )
        )
      }
    }
    console.log(`${whole} of ${all} changed definitions are in the diff as a whole`)
  }).pipe(
    Effect.provide(
      PromptBuilder.layer.pipe(
        Layer.provide([PromptOverrides.layer, Skills.layerNone, layerWebCrypto]),
        Layer.provide(ContextPacks.layer(noPolicy)),
        Layer.provide(PackLive.tokens("o200k_base")),
        Layer.provide(StaticReviews.layer),
        Layer.provideMerge(CodeLive.briefs),
        Layer.provideMerge(StaticReviewer.layer),
        Layer.provideMerge(structural),
        Layer.provideMerge(SymbolIndex.layer),
        Layer.provide(SyntaxTrees.layer),
        Layer.provide([TreeSitter.layer, NoFacts.layer, RuleSet.layer, Redactor.layerOf({})]),
        Layer.provide(FailPolicy.layer),
        Layer.provide(Memory.layer),
        Layer.provideMerge(SourcesGit.layer(opened, change).pipe(Layer.provide(NoFacts.layer)))
      )
    )
  )
})

await Effect.runPromise(
  measured.pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))))
)
