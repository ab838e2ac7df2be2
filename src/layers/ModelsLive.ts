/**
 * Everybody who may answer in a run that asks a model: built once each, and sent their phases.
 *
 * Loaded only where somebody asked for a model: a static review does not wait for it.
 */
import { Context, Effect, Layer, Result } from "effect"
import { priceOf } from "../domain/agent/Prices.ts"
import { readers } from "../domain/agent/plannedAgents.ts"
import type { Task } from "../domain/agent/Task.ts"
import { phaseOf } from "../domain/agent/Task.ts"
import type { Change } from "../domain/change/Change.ts"
import { nothingExplored } from "../domain/code/Exploration.ts"
import {
  type Answerer,
  answererKey,
  answerersOf,
  type BackendName,
  everyAnswerer,
  type Phase,
  type Wishes
} from "../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../domain/run/ReviewSettings.ts"
import { tokenEstimate } from "../domain/text/tokenEstimate.ts"
import { Backend } from "../services/agent/Backend.ts"
import { Briefing, BriefingLimits } from "../services/agent/Briefing.ts"
import { Budget } from "../services/agent/Budget.ts"
import { ChangeFacts } from "../services/agent/ChangeFacts.ts"
import { CostEstimate } from "../services/agent/CostEstimate.ts"
import { Guidance } from "../services/agent/Guidance.ts"
import { Model } from "../services/agent/Model.ts"
import { missingPrice, PriceList } from "../services/agent/PriceList.ts"
import { ReviewActions } from "../services/agent/ReviewActions.ts"
import { AgentRuntime } from "../services/agent/runtime/AgentRuntime.ts"
import type { Repository } from "../services/change/openRepository.ts"
import { Artifacts } from "../services/review/Artifacts.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { PromptOverrides } from "../services/run/PromptOverrides.ts"
import { BackendNotReady } from "./agent/backend/BackendNotReady.ts"
import * as Claude from "./agent/backend/Claude.ts"
import * as Codex from "./agent/backend/Codex.ts"
import { missingProgram } from "./agent/backend/cli/CliBackend.ts"
import { findProgram } from "./agent/backend/cli/findProgram.ts"
import * as ModelBackend from "./agent/backend/Model.ts"
import * as Pi from "./agent/backend/Pi.ts"
import { backendName, type Chain, type Link, routed } from "./agent/backend/Routed.ts"
import { withBudget as backendWithBudget } from "./agent/backend/withBudget.ts"
import { type Remedy, withRefusal } from "./agent/backend/withRefusal.ts"
import * as MemoryFile from "./agent/memory/File.ts"
import * as MemoryInProcess from "./agent/memory/InProcess.ts"
import { configuredModel, type ModelSettings, openAiContext } from "./agent/model/configuredModel.ts"
import { withBudget as modelWithBudget } from "./agent/model/withBudget.ts"
import * as SkillDirectory from "./agent/skills/Directory.ts"
import * as LinePatterns from "./finding/patterns/Re2.ts"

/** The part of the settings that decides which backends are used, and how they are reached. */
export interface Answering extends ModelSettings, Pick<ReviewSettings, "piProvider"> {
  readonly wishes: Wishes
  /** How many answers may be under way at once; null: as many as each backend bears. */
  readonly fanout: number | null
  readonly home: string | null
  readonly pricesFile: string | null
  /** Claude's own directory, whose plugins may bring skills; null where there is none. */
  readonly claude: string | null
  readonly repository: Repository | null
  readonly change: Change
}

/** How many at once each bears. Source: reference §3.6. */
const usualFanout: Record<BackendName, number> = { static: 4, anthropic: 4, openai: 4, claude: 4, codex: 4, pi: 2 }

/** Asks for what a run has already: sources, symbols, what dd proves, the recorder's surroundings. */
export const layer = (answering: Answering) =>
  answerers(answering).pipe(
    Layer.provide([
      Briefing.layer.pipe(Layer.provide(roomFor(answering))),
      ReviewActions.layer(answering).pipe(Layer.provide(LinePatterns.layer))
    ]),
    Layer.provide([Guidance.layer, ChangeFacts.layer, PromptOverrides.layer]),
    Layer.provide(
      SkillDirectory.layer({
        home: answering.home,
        claude: answering.claude,
        reviewed: answering.repository?.root ?? null
      })
    )
  )

/** In a context of this size and more, prompts have the room they would like. */
const ampleContext = 100_000

/** A small model is told less, so that it can look around and answer too. */
const roomFor = (answering: Answering) => {
  const isAsked = everyAnswerer(answering.wishes).some(({ backend }) => backend === "openai")
  const share = isAsked ? Math.min(1, openAiContext(answering.openai) / ampleContext) : 1
  if (share === 1) return Layer.empty
  const part = (tokens: number) => Math.floor(tokens * share)
  return Layer.effect(
    BriefingLimits,
    Effect.map(BriefingLimits, (usual) => ({
      ...usual,
      diff: part(usual.diff),
      overview: part(usual.overview),
      guidance: part(usual.guidance),
      note: part(usual.note)
    }))
  )
}

const answerers = (answering: Answering) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const onFailure = yield* FailPolicy
      const built = new Map<string, Result.Result<Link, BackendNotReady>>()
      for (const answerer of everyAnswerer(answering.wishes)) {
        built.set(answererKey(answerer), yield* Effect.result(backendOf(answerer, answering)))
      }
      const said = new Set<BackendNotReady>()
      /** A backend that is not ready is left out if another is ready, with one warning. */
      const chainOf = Effect.fnUntraced(function* (phase: Phase) {
        const asked = answerersOf(answering.wishes, phase).flatMap((each) => built.get(answererKey(each)) ?? [])
        const [first, ...others] = asked.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
        for (const [at, each] of asked.entries()) {
          if (Result.isSuccess(each)) continue
          if (first === undefined) return yield* each.failure
          if (said.has(each.failure)) continue
          said.add(each.failure)
          const { _tag: error, message } = each.failure
          if (at > 0) yield* Effect.logWarning(`${message}; it cannot stand in for another backend`)
          else
            yield* onFailure.degrade({
              step: phase,
              error,
              detail: `${message}; ${backendName(first)} is asked instead`
            })
        }
        // Every phase has a backend.
        if (first === undefined) return yield* Effect.die(new Error(`nobody answers ${phase}`))
        const chain: Chain = [first, ...others]
        return chain
      })
      const chains: Readonly<Record<Phase, Chain>> = {
        intent: yield* chainOf("intent"),
        alternatives: yield* chainOf("alternatives"),
        "per-stack-reviews": yield* chainOf("per-stack-reviews"),
        "per-stack-parse": yield* chainOf("per-stack-parse"),
        arbiter: yield* chainOf("arbiter"),
        merge: yield* chainOf("merge")
      }
      const estimate = estimateWith(chains, yield* Briefing, yield* PriceList)
      return Context.make(Backend, routed(chains, onFailure, answering.fanout ?? usualFanout.static)).pipe(
        Context.add(CostEstimate, estimate)
      )
    })
  )

/** Of an answer, so many tokens at least. */
const shortAnswer = 1_000

/** One turn of each agent whose task is known before anybody answered. */
const estimateWith =
  (chains: Readonly<Record<Phase, Chain>>, briefing: Briefing["Service"], list: PriceList): CostEstimate =>
  (change, { phases, stacks }) =>
    Effect.gen(function* () {
      const { prices } = yield* list.read
      const shared = { change, exploration: nothingExplored }
      const tasks: ReadonlyArray<Task> = [
        { _tag: "Intent", ...shared },
        { _tag: "Alternatives", ...shared, intent: "" },
        ...readers(stacks).map(
          (stack): Task => ({ _tag: "StackReview", ...shared, intent: "", alternatives: [], stack })
        )
      ]
      let promptTokens = 0
      let usd: number | null = 0
      for (const task of tasks) {
        const [first] = chains[phaseOf[task._tag]]
        if (first === "static" || !phases.includes(phaseOf[task._tag])) continue
        const { system, user } = yield* briefing.promptFor(task, null)
        const tokens = tokenEstimate([...system, ...user.map(({ text }) => text)].join("\n"))
        promptTokens += tokens
        const price = priceOf(prices, first.model, {
          promptTokens: tokens,
          cachedTokens: 0,
          completionTokens: shortAnswer
        })
        usd = usd === null || price === null ? null : usd + price
      }
      return { promptTokens, usd }
    })

const backendOf = Effect.fnUntraced(function* (answerer: Answerer, answering: Answering) {
  const fanout = answering.fanout ?? usualFanout[answerer.backend]
  switch (answerer.backend) {
    case "static":
      return answerer.backend
    case "anthropic":
    case "openai": {
      const backend = yield* built(asked(answerer, yield* configuredModel(answerer, answering, fanout)))
      yield* priced(answerer.backend, backend.model, answering.pricesFile)
      return withRefusal(backend, remedyOf(answerer.backend, answering))
    }
    default: {
      const { backend: name } = answerer
      const found = yield* findProgram(name, answering.repository?.root ?? null)
      if (found._tag === "NotFound") {
        const reason = `${missingProgram(name, found)}; install it, or choose another backend (dd doctor lists them)`
        return yield* new BackendNotReady({ backend: name, reason })
      }
      yield* priced(name, answerer.model, answering.pricesFile)
      const options = {
        model: answerer.model,
        effort: answerer.effort,
        fanout,
        home: answering.home,
        reviewed: answering.repository?.root ?? null,
        changed: answering.change.diff.files.map(({ path }) => path)
      }
      const provider = answering.piProvider.value
      const backend = yield* built(cliLayers[answerer.backend]({ ...options, provider }))
      const remedy = `run ${name} by itself to see what it asks for, such as a login or another version`
      return withRefusal(backendWithBudget(backend, yield* Budget, yield* PriceList), () => remedy)
    }
  }
})

/** A cost limit that cannot be enforced is refused before anything is spent. `model` null: the CLI's own choice. */
const priced = Effect.fnUntraced(function* (backend: BackendName, model: string | null, own: string | null) {
  if ((yield* Budget).limitUsd === null) return
  const { prices } = yield* (yield* PriceList).read
  const reason = missingPrice(prices, { backend, model, file: own ?? "~/.daydream/prices.toml" })
  if (reason !== null) return yield* new BackendNotReady({ backend, reason })
})

/** What the user can do when a service refuses. */
const remedyOf =
  (backend: "anthropic" | "openai", answering: Answering): Remedy =>
  (status) => {
    const { baseUrl, keyEnv } = answering[backend]
    const { at } = answering.anthropic
    if (status === 404) return `check the model's name: --model NAME, or ${backend}.model in config.toml`
    if (backend === "anthropic" && at.value !== "anthropic") {
      return `check your credentials for ${at.value}, what they may do, and the region`
    }
    if (status !== null) return `check the key in ${keyEnv.value} and what it may do`
    return baseUrl.value === null
      ? "check the network (dd doctor --online)"
      : `check that ${baseUrl.value} is the right address and that its server runs`
  }

const cliLayers = {
  claude: Claude.layer,
  codex: Codex.layer,
  pi: Pi.layer
}

const built = <E, R>(layer: Layer.Layer<Backend, E, R>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Backend))

/** A model, in the runtime that lets it look around and hand in its answer. What it said and did is kept with the run. */
const asked = ({ backend, effort }: Answerer, model: Layer.Layer<Model>) =>
  ModelBackend.layer(backend, () => ({ ...ModelBackend.usualAsking, effort })).pipe(
    Layer.provide(AgentRuntime.layer),
    Layer.provide(
      Layer.unwrap(
        Effect.map(Artifacts, ({ runDirectory }) =>
          runDirectory === null ? MemoryInProcess.layer : MemoryFile.layer(`${runDirectory}/agents`)
        )
      )
    ),
    Layer.provide(withinBudget),
    Layer.provide(model)
  )

const withinBudget = Layer.effect(
  Model,
  Effect.gen(function* () {
    return modelWithBudget(yield* Model, yield* Budget, yield* PriceList)
  })
)
