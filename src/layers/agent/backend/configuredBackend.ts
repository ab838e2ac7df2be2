/** The backend that the settings describe, or why it cannot be used here. */
import { Context, Effect, Layer } from "effect"
import { hasRoom, type OwnRooms, roomOf } from "../../../domain/agent/modelRooms.ts"
import type { Task } from "../../../domain/agent/Task.ts"
import type { ModelRoom } from "../../../domain/pack/ModelRoom.ts"
import type { Answerer, BackendName, Effort, ModelBackendName } from "../../../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import { AgentDeadline } from "../../../services/agent/Agent.ts"
import { Backend } from "../../../services/agent/Backend.ts"
import { Budget } from "../../../services/agent/Budget.ts"
import { Model } from "../../../services/agent/Model.ts"
import { missingPrice, PriceList } from "../../../services/agent/PriceList.ts"
import type { Respondent } from "../../../services/agent/Respondent.ts"
import { AgentRuntime } from "../../../services/agent/runtime/AgentRuntime.ts"
import type { MemoryLog } from "../../../services/agent/runtime/MemoryLog.ts"
import { configuredModel, type ModelSettings } from "../model/configuredModel.ts"
import { withBudget as modelWithBudget } from "../model/withBudget.ts"
import { BackendNotReady } from "./BackendNotReady.ts"
import * as Claude from "./Claude.ts"
import * as Codex from "./Codex.ts"
import { layer as cliLayer, respondent as cliRespondent } from "./cli/CliBackend.ts"
import { missingProgram } from "./cli/cliFault.ts"
import { findProgram } from "./cli/findProgram.ts"
import * as ModelBackend from "./Model.ts"
import { respondent as modelRespondent } from "./ModelRespondent.ts"
import * as Pi from "./Pi.ts"
import { withBudget as backendWithBudget, withinBudget as eventsWithinBudget } from "./withBudget.ts"
import { withRecord } from "./withRecord.ts"
import { type Remedy, refusalsOf, withRefusal } from "./withRefusal.ts"
import { withRetries } from "./withRetries.ts"

export interface BackendSettings extends ModelSettings, Pick<ReviewSettings, "piProvider"> {
  /** How many answers may be in progress at once; null: the backend's default. */
  readonly fanout: number | null
  readonly home: string | null
  readonly pricesFile: string | null
  /** The root of the repository under review; null if there is none. */
  readonly reviewed: string | null
  readonly changed: ReadonlyArray<string>
  /** Changed paths of the base side. */
  readonly before: ReadonlyArray<string>
}

/** How many agents work at the same time; one more where agents are only requests: the one beside the reviewers. */
export const defaultFanout: Record<BackendName, number> = {
  static: 4,
  anthropic: 5,
  openai: 5,
  claude: 4,
  codex: 4,
  pi: 2
}

/** `effortFor`: of a model behind an API; a coding CLI decides itself unless the user sets it. `memory`: of its turns. */
export const configuredBackend = Effect.fnUntraced(function* <E, R>(
  answerer: Answerer,
  effortFor: (task: Task) => Effort,
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
      const backend = yield* build(inRuntime(answerer.backend, effortFor, model, memory))
      yield* requirePrice(answerer.backend, backend.model, settings.pricesFile)
      return withRefusal(backend, remedyOf(answerer.backend, settings))
    }
    default: {
      const { backend: name } = answerer
      const { cli, options } = yield* configuredCli(name, answerer, settings, fanout)
      const own = yield* build(cliLayer(cli, options))
      // What an earlier run recorded is paid.
      const within = backendWithBudget(own, yield* Budget, yield* PriceList)
      const backend = yield* Effect.provide(withRecord(within, answerer.effort), memory)
      return withRefusal(withRetries(backend, yield* AgentDeadline), cliRemedy(name))
    }
  }
})

/** What Claude Code gives every model. */
const claudeCodeRoom: ModelRoom = { contextTokens: 200_000, outputTokens: 64_000 }

/** Null: not known, because the CLI chooses the model. */
const cliRoom = (name: "claude" | "codex" | "pi", model: string | null, own: OwnRooms): ModelRoom | null =>
  name === "claude" ? claudeCodeRoom : model !== null && hasRoom(own, model) ? roomOf(own, model) : null

/** The same, to answer a question. */
export const configuredRespondent = Effect.fnUntraced(function* (
  answerer: Answerer & { readonly backend: ModelBackendName },
  settings: BackendSettings
) {
  const { backend: name } = answerer
  switch (name) {
    case "anthropic":
    case "openai":
      return yield* apiRespondent({ ...answerer, backend: name }, settings)
    default: {
      const { cli, options } = yield* configuredCli(name, answerer, settings, 1)
      const { prices } = yield* (yield* PriceList).read
      const own = yield* cliRespondent(cli, options, cliRoom(name, answerer.model, prices.rooms))
      const within = eventsWithinBudget(own, yield* Budget, yield* PriceList)
      return refusing({ ...own, execute: (question) => within.events(own.execute(question)) }, cliRemedy(name))
    }
  }
})

type ApiSettings = ModelSettings & Pick<BackendSettings, "pricesFile">

/** A model behind an API that answers a question. */
export const apiRespondent = Effect.fnUntraced(function* (
  answerer: Answerer & { readonly backend: "anthropic" | "openai" },
  settings: ApiSettings
) {
  const { backend, effort } = answerer
  const layer = Layer.provide(withinBudget, yield* configuredModel(answerer, settings, 1))
  const model = Context.get(yield* Layer.build(layer), Model)
  yield* requirePrice(backend, model.model, settings.pricesFile)
  return refusing(modelRespondent(backend, model, effort), remedyOf(backend, settings))
})

const refusing = (respondent: Respondent["Service"], remedy: Remedy): Respondent["Service"] => {
  const refusals = refusalsOf(respondent.name, remedy)
  return { ...respondent, execute: (question) => refusals.within(respondent.execute(question)) }
}

const configuredCli = Effect.fnUntraced(function* (
  name: "claude" | "codex" | "pi",
  { effort, model }: Answerer,
  settings: BackendSettings,
  fanout: number
) {
  const { before, changed, home, reviewed } = settings
  const found = yield* findProgram(name, reviewed)
  if (found._tag === "NotFound") {
    const reason = `${missingProgram(name, found)}; install it, or choose another backend (dd doctor lists them)`
    return yield* new BackendNotReady({ backend: name, reason })
  }
  yield* requirePrice(name, model, settings.pricesFile)
  const options = { model, effort, fanout, home, reviewed, changed, before, provider: settings.piProvider.value }
  return { cli: clis[name](options), options }
})

const cliRemedy = (name: string) => () =>
  `run ${name} by itself to see what it needs, such as a login or another version`

/** A cost limit of the user that cannot be enforced is refused before anything is spent. `model` null: the CLI's default. */
const requirePrice = Effect.fnUntraced(function* (backend: BackendName, model: string | null, own: string | null) {
  const { limit } = yield* Budget
  if (limit === null || limit.isDefault) return
  const { prices } = yield* (yield* PriceList).read
  const reason = missingPrice(prices, { backend, model, file: own ?? "~/.daydream/prices.toml" })
  if (reason !== null) return yield* new BackendNotReady({ backend, reason })
})

/** What the user can do when a service refuses. */
const remedyOf =
  (backend: "anthropic" | "openai", settings: ModelSettings): Remedy =>
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

const clis = { claude: Claude.cli, codex: Codex.cli, pi: Pi.cli }

const build = <E, R>(layer: Layer.Layer<Backend, E, R>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Backend))

/** A model in the agent runtime, where it uses tools and submits its answer. */
const inRuntime = <E, R>(
  name: string,
  effortFor: (task: Task) => Effort,
  model: Layer.Layer<Model>,
  memory: Layer.Layer<MemoryLog, E, R>
) =>
  ModelBackend.layer(name, (task) => ({ ...ModelBackend.defaultOptions, effort: effortFor(task) })).pipe(
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
