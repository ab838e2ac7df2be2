/** `dd pack`: from a change to a context pack within its budget. */
import { Effect } from "effect"
import type { Change } from "../domain/change/Change.ts"
import type { PackFormat } from "../domain/pack/Block.ts"
import type { ContextPack } from "../domain/pack/ContextPack.ts"
import type { PackPolicy } from "../domain/pack/PackPolicy.ts"
import type { Stage } from "../domain/pack/PackReport.ts"
import { Sources } from "../services/change/Sources.ts"
import { changedFiles, coreOf, sizesOf } from "../services/pack/core.ts"
import { recall } from "../services/pack/recall.ts"
import { fitRelated } from "../services/pack/related.ts"
import { type Contents, render } from "../services/pack/render.ts"
import { TokenCounts } from "../services/pack/TokenCounts.ts"
import { Tokenizer } from "../services/pack/Tokenizer.ts"
import { monotonicMillis } from "../services/system/monotonicMillis.ts"

export interface PackRequest {
  readonly change: Change
  readonly policy: PackPolicy
  readonly format: PackFormat
  /** In tokens, for the whole pack. */
  readonly budget: number
  /** Called when a stage begins. */
  readonly onStage: (stage: Stage) => Effect.Effect<void>
}

export const pack = Effect.fn("pack")(function* ({ budget, change, format, onStage, policy }: PackRequest) {
  const stages: Partial<Record<Stage, number>> = {}
  const stage = Effect.fnUntraced(function* <A, E, R>(name: Stage, work: Effect.Effect<A, E, R>) {
    yield* onStage(name)
    const started = yield* monotonicMillis
    const answer = yield* work
    stages[name] = (stages[name] ?? 0) + Math.round((yield* monotonicMillis) - started)
    return answer
  })
  const { digestOf, of: countsOf } = yield* TokenCounts
  const { encoding } = yield* Tokenizer

  const files = yield* stage("filter", changedFiles(change, policy))
  const empty = yield* stage("render", render(change, { core: noCore, omitted: files.omitted, related: [] }, format))
  const core = yield* stage("core", coreOf(files, format, budget - empty.tokens))
  const baselineContents: Contents = { core, omitted: files.omitted, related: [] }
  const baseline = yield* stage("render", render(change, baselineContents, format))
  const about = {
    changed: core.code,
    sizes: sizesOf(core),
    omitted: files.omitted,
    reductions: core.reductions,
    stages
  }
  const tokens = { baseline: baseline.tokens, budget, encoding }
  if (baseline.tokens > budget) {
    const over: ContextPack = {
      ...about,
      status: "core-over-budget",
      text: baseline.text,
      sha256: yield* digestOf(baseline.text),
      tokens: { ...tokens, final: baseline.tokens },
      related: [],
      ranked: [],
      relatedOmitted: [],
      targets: [],
      warnings: yield* missing
    }
    return over
  }

  const { omitted, ranked, rareWords, targets, warnings } = yield* stage("recall", recall(change, policy))
  const room = budget - baseline.tokens
  const fitted = yield* stage("fit", fitRelated(ranked, rareWords, format, room))
  let related = fitted.blocks
  let final = yield* stage("render", render(change, { ...baselineContents, related }, format))
  let [tokensOfText = final.tokens] = yield* stage("render", countsOf([final.text]))
  // The pieces add up, so this is a check: what a reader pays is the text as a whole.
  while (tokensOfText > budget && related.length > 0) {
    related = related.slice(0, -1)
    final = yield* stage("render", render(change, { ...baselineContents, related }, format))
    tokensOfText = (yield* stage("render", countsOf([final.text])))[0] ?? final.tokens
  }
  const kept = new Set(related.map(({ path }) => path))
  const trimmed = fitted.blocks.filter(({ path }) => !kept.has(path))
  const packed: ContextPack = {
    ...about,
    status: "ok",
    text: final.text,
    sha256: yield* digestOf(final.text),
    tokens: { ...tokens, final: tokensOfText },
    related,
    ranked,
    relatedOmitted: [
      ...omitted,
      ...fitted.omitted,
      ...trimmed.map(({ path }) => ({ path, reason: "over-budget" as const }))
    ],
    targets,
    warnings: [
      ...(yield* missing),
      ...warnings,
      ...fitted.warnings,
      ...(tokensOfText === final.tokens
        ? []
        : [`the text has ${tokensOfText} tokens and its pieces have ${final.tokens}`])
    ]
  }
  return packed
})

/** What of the change could not be read. */
const missing = Effect.map(
  Effect.flatMap(Sources, ({ failures }) => failures),
  (failures) => failures.map(({ detail }) => detail)
)

const noCore = { diffs: [], code: [], reductions: [] }
