/** The backends of a run with a model. Loaded only for such a run, so that a static review starts faster. */
import { Context, Effect, Layer, Result } from "effect"
import { type ExpectedAgent, leastCost, promptShare, usual, usualCost } from "../domain/agent/expectedCost.ts"
import { readers } from "../domain/agent/plannedAgents.ts"
import { phaseOf, type Task } from "../domain/agent/Task.ts"
import type { Change } from "../domain/change/Change.ts"
import { nothingExplored } from "../domain/code/Exploration.ts"
import { ampleContext } from "../domain/pack/ModelRoom.ts"
import type { PackPolicy } from "../domain/pack/PackPolicy.ts"
import {
  type Answerer,
  answererKey,
  answerersOf,
  type BackendChoice,
  effortOf,
  everyAnswerer,
  type Phase
} from "../domain/run/BackendChoice.ts"
import { tokenEstimate } from "../domain/text/tokenEstimate.ts"
import { Backend } from "../services/agent/Backend.ts"
import { Budget } from "../services/agent/Budget.ts"
import { CostEstimate } from "../services/agent/CostEstimate.ts"
import { PriceList } from "../services/agent/PriceList.ts"
import { PromptBuilder, PromptLimits, ReviewInstructions } from "../services/agent/PromptBuilder.ts"
import { countEarlier, ResumedRun } from "../services/agent/ResumedRun.ts"
import { ReviewActions } from "../services/agent/ReviewActions.ts"
import type { Repository } from "../services/change/openRepository.ts"
import { ContextPacks } from "../services/pack/ContextPacks.ts"
import { encodings } from "../services/pack/Tokenizer.ts"
import { Artifacts } from "../services/review/Artifacts.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { PromptOverrides } from "../services/run/PromptOverrides.ts"
import type { BackendNotReady } from "./agent/backend/BackendNotReady.ts"
import { type BackendSettings, configuredBackend, defaultFanout } from "./agent/backend/configuredBackend.ts"
import { backendName, type Chain, type Link, routed } from "./agent/backend/Routed.ts"
import * as MemoryFile from "./agent/memory/File.ts"
import * as MemoryInProcess from "./agent/memory/InProcess.ts"
import { configuredRoom, defaultModels } from "./agent/model/configuredModel.ts"
import * as SkillDirectory from "./agent/skills/Directory.ts"
import * as LinePatterns from "./finding/patterns/Re2.ts"
import * as PackLive from "./PackLive.ts"

/** The part of the settings that decides which backends are used, and how they are reached. */
export interface Answering extends Omit<BackendSettings, "before" | "changed" | "reviewed"> {
  readonly backendChoice: BackendChoice
  /** Claude's own directory, whose plugins may contain skills; null if there is none. */
  readonly claude: string | null
  /** The skill of `--skill`; null: there is none. */
  readonly skill: string | null
  /** What the user asks of the review; "" for nothing. */
  readonly instructions: string
  readonly repository: Repository | null
  readonly change: Change
  /** Of the context pack from which agents start. */
  readonly packPolicy: PackPolicy
}

/** Requires what every run has: sources, symbols, static findings, the recorder. */
export const layer = (answering: Answering) => {
  const { claude, home, skill } = answering
  const reviewed = answering.repository?.root ?? null
  return backends(answering, reviewed).pipe(
    Layer.provide([
      PromptBuilder.layer.pipe(
        Layer.provide([
          promptLimits(answering),
          Layer.succeed(ReviewInstructions, answering.instructions),
          ContextPacks.layer(answering.packPolicy).pipe(Layer.provide(PackLive.tokens(encodings[0])))
        ])
      ),
      ReviewActions.layer(answering).pipe(Layer.provide(LinePatterns.layer))
    ]),
    Layer.provide(PromptOverrides.layer),
    Layer.provide(SkillDirectory.layer({ home, claude, reviewed, chosen: skill }))
  )
}

const backends = (answering: Answering, reviewed: string | null) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { files } = answering.change.diff
      const changed = files.map(({ path }) => path)
      const before = files.flatMap(({ oldPath, status }) => (status === "added" || oldPath === null ? [] : [oldPath]))
      const settings = { ...answering, reviewed, changed, before }
      yield* countEarlier
      const effortFor = (task: Task) => effortOf(answering.backendChoice, phaseOf[task._tag])
      const chains = yield* chainsOf(answering.backendChoice, (answerer) =>
        configuredBackend(answerer, effortFor, settings, memory)
      )
      const backend = routed(chains, yield* FailPolicy, answering.fanout ?? defaultFanout.static)
      const estimate = estimateWith(chains, yield* PromptBuilder, yield* PriceList)
      return Context.make(Backend, backend).pipe(Context.add(CostEstimate, estimate))
    })
  )

/** The turns of a model are stored with its run. */
const memory = Layer.unwrap(
  Effect.gen(function* () {
    const { runDirectory } = yield* Artifacts
    const resumed = yield* ResumedRun
    return runDirectory === null
      ? MemoryInProcess.layer
      : MemoryFile.layer(`${runDirectory}/agents`, resumed?.agents ?? null)
  })
)

/**
 * Smaller prompts if a model has a small context, which leaves room for tools and the answer, or if the limit of the cost is
 * small.
 */
const promptLimits = (answering: Answering) =>
  Layer.effect(
    PromptLimits,
    Effect.gen(function* () {
      const { prices } = yield* (yield* PriceList).read
      const { limit } = yield* Budget
      const shares = everyAnswerer(answering.backendChoice).flatMap((answerer) => {
        const { backend, model } = answerer
        if (backend !== "anthropic" && backend !== "openai") return []
        const ofContext = configuredRoom(answerer, answering, prices.rooms).contextTokens / ampleContext
        return [ofContext, limit === null ? 1 : promptShare(limit.usd, model ?? defaultModels[backend], prices)]
      })
      const share = Math.min(1, ...shares)
      const part = (tokens: number) => Math.floor(tokens * share)
      const limits = yield* PromptLimits
      return {
        ...limits,
        diff: part(limits.diff),
        changedCode: part(limits.changedCode),
        relatedCode: part(limits.relatedCode),
        overview: part(limits.overview),
        guidance: part(limits.guidance),
        note: part(limits.note)
      }
    })
  )

/** Estimates the agents whose task is known before any answer, and the ones that judge claims as the usual reviews need them. */
const estimateWith =
  (chains: Readonly<Record<Phase, Chain>>, promptBuilder: PromptBuilder["Service"], list: PriceList): CostEstimate =>
  (change, { phases, stacks }) =>
    Effect.gen(function* () {
      const { prices } = yield* list.read
      const shared = { change, exploration: nothingExplored }
      const tasks: ReadonlyArray<Task> = [
        { _tag: "Intent", ...shared },
        { _tag: "Alternatives", ...shared, intent: "" },
        ...readers(stacks).map((stack): Task => ({ _tag: "StackReview", ...shared, intent: "", stack }))
      ]
      const modelOf = (phase: Phase) => {
        const [first] = chains[phase]
        return first === "static" || !phases.includes(phase) ? null : first.model
      }
      const expectations: Array<ExpectedAgent> = []
      let promptTokens = 0
      let lasting = 0
      for (const task of tasks) {
        const model = modelOf(phaseOf[task._tag])
        if (model === null) continue
        const { system, tools, user } = yield* promptBuilder.promptFor(task, null)
        const tokensOf = (texts: ReadonlyArray<string>) => tokenEstimate(texts.join("\n"))
        const own = tokensOf(user.flatMap(({ lasting: isLasting, text }) => (isLasting ? [] : [text])))
        const prefix = tokensOf([
          ...system,
          ...user.flatMap(({ lasting: isLasting, text }) => (isLasting ? [text] : []))
        ])
        promptTokens += prefix + own
        if (tools === "none") expectations.push({ model, prefix: 0, own: prefix + own, turns: 1 })
        else {
          lasting = Math.max(lasting, prefix)
          expectations.push({ model, prefix, own, turns: usual.turns })
        }
      }
      const known = expectations.length
      const files = Math.min(change.diff.files.length, usual.filesWithClaims)
      for (const [phase, count] of [
        ["arbiter", 1],
        ["verify", files],
        ["merge", 1]
      ] as const) {
        const model = modelOf(phase)
        if (model === null) continue
        const agent =
          phase === "merge"
            ? { model, prefix: 0, own: usual.claims, turns: 1 }
            : { model, prefix: lasting, own: usual.claims, turns: usual.turnsOfJudge }
        expectations.push(...Array.from({ length: count }, () => agent))
      }
      return {
        promptTokens,
        usd: leastCost(expectations.slice(0, known), prices),
        expectedUsd: usualCost(expectations, prices)
      }
    })

/** The backends of each phase in their order; each backend is built once. */
const chainsOf = Effect.fnUntraced(function* <R>(
  choice: BackendChoice,
  build: (answerer: Answerer) => Effect.Effect<Link, BackendNotReady, R>
) {
  const onFailure = yield* FailPolicy
  const built = new Map<string, Result.Result<Link, BackendNotReady>>()
  for (const answerer of everyAnswerer(choice)) {
    built.set(answererKey(answerer), yield* Effect.result(build(answerer)))
  }
  const reported = new Set<BackendNotReady>()
  /** A backend that is not ready is left out if another one is ready, with one warning. */
  const chainOf = Effect.fnUntraced(function* (phase: Phase) {
    const chosen = answerersOf(choice, phase).flatMap((each) => built.get(answererKey(each)) ?? [])
    const [first, ...fallbacks] = chosen.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
    for (const [at, each] of chosen.entries()) {
      if (Result.isSuccess(each)) continue
      if (first === undefined) return yield* each.failure
      if (reported.has(each.failure)) continue
      reported.add(each.failure)
      const { _tag: error, message } = each.failure
      const detail = `${message}; ${backendName(first)} is used instead`
      if (at > 0) yield* Effect.logWarning(`${message}; it cannot replace another backend`)
      else yield* onFailure.degrade({ step: phase, error, detail })
    }
    // Every phase has a backend.
    if (first === undefined) return yield* Effect.die(new Error(`no backend for ${phase}`))
    const chain: Chain = [first, ...fallbacks]
    return chain
  })
  const chains: Readonly<Record<Phase, Chain>> = {
    intent: yield* chainOf("intent"),
    alternatives: yield* chainOf("alternatives"),
    "per-stack-reviews": yield* chainOf("per-stack-reviews"),
    "per-stack-parse": yield* chainOf("per-stack-parse"),
    arbiter: yield* chainOf("arbiter"),
    merge: yield* chainOf("merge"),
    verify: yield* chainOf("verify"),
    fix: yield* chainOf("fix"),
    test: yield* chainOf("test"),
    pr_feedback: yield* chainOf("pr_feedback")
  }
  return chains
})
