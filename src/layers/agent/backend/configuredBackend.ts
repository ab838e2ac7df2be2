/** The backend that the settings describe, or why it cannot be used here. */
import { Context, Effect, Layer, Stream } from "effect"
import type { Task } from "../../../domain/agent/Task.ts"
import type { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import type { Answerer, BackendName } from "../../../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import { Backend, type BackendError, BackendRefused, type Repair } from "../../../services/agent/Backend.ts"
import { Budget } from "../../../services/agent/Budget.ts"
import { Model, ModelError } from "../../../services/agent/Model.ts"
import { missingPrice, PriceList } from "../../../services/agent/PriceList.ts"
import { AgentRuntime } from "../../../services/agent/runtime/AgentRuntime.ts"
import type { MemoryLog } from "../../../services/agent/runtime/MemoryLog.ts"
import { configuredModel, type ModelSettings } from "../model/configuredModel.ts"
import { withBudget as modelWithBudget } from "../model/withBudget.ts"
import { BackendNotReady } from "./BackendNotReady.ts"
import * as Claude from "./Claude.ts"
import * as Codex from "./Codex.ts"
import { missingProgram } from "./cli/cliFault.ts"
import { findProgram } from "./cli/findProgram.ts"
import * as ModelBackend from "./Model.ts"
import * as Pi from "./Pi.ts"
import { withBudget as backendWithBudget } from "./withBudget.ts"

export interface BackendSettings extends ModelSettings, Pick<ReviewSettings, "piProvider"> {
  /** How many answers may be in progress at once; null: the backend's default. */
  readonly fanout: number | null
  readonly home: string | null
  readonly pricesFile: string | null
  /** The root of the repository under review; null if there is none. */
  readonly reviewed: string | null
  readonly changed: ReadonlyArray<string>
}

/** Source: reference §3.6. */
export const defaultFanout: Record<BackendName, number> = {
  static: 4,
  anthropic: 4,
  openai: 4,
  claude: 4,
  codex: 4,
  pi: 2
}

/** `memory`: where the turns of a model are stored. */
export const configuredBackend = Effect.fnUntraced(function* <E, R>(
  answerer: Answerer,
  settings: BackendSettings,
  memory: Layer.Layer<MemoryLog, E, R>
) {
  const fanout = settings.fanout ?? defaultFanout[answerer.backend]
  switch (answerer.backend) {
    case "static":
      return answerer.backend
    case "anthropic":
    case "openai": {
      const model = yield* configuredModel(answerer, settings, fanout)
      const backend = yield* build(inRuntime(answerer, model, memory))
      yield* requirePrice(answerer.backend, backend.model, settings.pricesFile)
      return withRefusal(backend, remedyOf(answerer.backend, settings))
    }
    default: {
      const { backend: name } = answerer
      const found = yield* findProgram(name, settings.reviewed)
      if (found._tag === "NotFound") {
        const reason = `${missingProgram(name, found)}; install it, or choose another backend (dd doctor lists them)`
        return yield* new BackendNotReady({ backend: name, reason })
      }
      yield* requirePrice(name, answerer.model, settings.pricesFile)
      const { changed, home, reviewed } = settings
      const { effort, model } = answerer
      const options = { model, effort, fanout, home, reviewed, changed, provider: settings.piProvider.value }
      const backend = yield* build(cliLayers[answerer.backend](options))
      const remedy = `run ${name} by itself to see what it needs, such as a login or another version`
      return withRefusal(backendWithBudget(backend, yield* Budget, yield* PriceList), () => remedy)
    }
  }
})

/** A cost limit that cannot be enforced is refused before anything is spent. `model` null: the CLI's default. */
const requirePrice = Effect.fnUntraced(function* (backend: BackendName, model: string | null, own: string | null) {
  if ((yield* Budget).limitUsd === null) return
  const { prices } = yield* (yield* PriceList).read
  const reason = missingPrice(prices, { backend, model, file: own ?? "~/.daydream/prices.toml" })
  if (reason !== null) return yield* new BackendNotReady({ backend, reason })
})

/** What the user can do when a service refuses. */
const remedyOf =
  (backend: "anthropic" | "openai", settings: BackendSettings): Remedy =>
  (status) => {
    const { baseUrl, keyEnv } = settings[backend]
    const { at } = settings.anthropic
    if (status === 404) return `check the model's name: --model NAME, or ${backend}.model in config.toml`
    if (backend === "anthropic" && at.value !== "anthropic") {
      return `check your credentials for ${at.value}, their permissions, and the region`
    }
    if (status !== null) return `check the key in ${keyEnv.value} and its permissions`
    return baseUrl.value === null
      ? "check the network (dd doctor --online)"
      : `check that ${baseUrl.value} is the right address and that the server is running`
  }

const cliLayers = {
  claude: Claude.layer,
  codex: Codex.layer,
  pi: Pi.layer
}

const build = <E, R>(layer: Layer.Layer<Backend, E, R>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Backend))

/** A model in the agent runtime, where it uses tools and submits its answer. */
const inRuntime = <E, R>(
  { backend, effort }: Answerer,
  model: Layer.Layer<Model>,
  memory: Layer.Layer<MemoryLog, E, R>
) =>
  ModelBackend.layer(backend, () => ({ ...ModelBackend.defaultOptions, effort })).pipe(
    Layer.provide(AgentRuntime.layer),
    Layer.provide(memory),
    Layer.provide(withinBudget),
    Layer.provide(model)
  )

const withinBudget = Layer.effect(
  Model,
  Effect.gen(function* () {
    return modelWithBudget(yield* Model, yield* Budget, yield* PriceList)
  })
)

/** What the user can do, for the HTTP status of the refusal; null if there was no response. */
type Remedy = (status: number | null) => string

/**
 * Before a backend's first answer, turns a failure that no retry can change (a wrong key, an unknown model, an
 * unreachable service, a CLI that is not logged in) into `BackendRefused`, with a remedy.
 */
const withRefusal = (backend: Backend["Service"], remedy: Remedy): Backend["Service"] => {
  let hasResult = false
  const refusalIn = (error: BackendError, hasOutput: boolean): BackendError => {
    if (hasResult || hasOutput || !isRefusal(error)) return error
    const status = "cause" in error && error.cause instanceof ModelError ? error.cause.status : null
    return new BackendRefused({ backend: backend.name, reason: reasonOf(error), remedy: remedy(status) })
  }
  const execute = (task: Task, repair?: Repair) => {
    let hasOutput = false
    const observe = (event: AgentEvent) =>
      Effect.sync(() => {
        hasResult ||= event._tag === "Result"
        hasOutput ||= event._tag === "Text" || event._tag === "Thinking" || event._tag === "ToolStart"
      })
    return (repair === undefined ? backend.execute(task) : backend.execute(task, repair)).pipe(
      Stream.tap(observe),
      Stream.mapError((error) => (error._tag === "NoModel" ? error : refusalIn(error, hasOutput)))
    )
  }
  const check = backend.check?.pipe(Effect.mapError((error) => refusalIn(error, false)))
  return { ...backend, execute, ...(check === undefined ? {} : { check }) }
}

/** dd's own clients report the kind of a failure. For a CLI that ends before any output, only its message is known. */
const isRefusal = (error: BackendError): boolean => {
  if (error._tag !== "BackendFailed") return true
  if (error.retryable) return false
  return error.cause instanceof ModelError
    ? ["not-allowed", "unreachable"].includes(error.cause.kind)
    : typeof error.cause === "string"
}

const reasonOf = (error: BackendError): string => {
  const { cause } = error
  if (typeof cause === "string") return cause
  return cause instanceof Error ? cause.message : error.message
}
