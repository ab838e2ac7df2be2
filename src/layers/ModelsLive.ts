/** The backends of a run with a model. Loaded only for such a run, so that a static review starts faster. */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../domain/change/Change.ts"
import { type BackendChoice, everyAnswerer } from "../domain/run/BackendChoice.ts"
import { Backend } from "../services/agent/Backend.ts"
import { Briefing } from "../services/agent/Briefing.ts"
import { ChangeFacts } from "../services/agent/ChangeFacts.ts"
import { CostEstimate } from "../services/agent/CostEstimate.ts"
import { Guidance } from "../services/agent/Guidance.ts"
import { PriceList } from "../services/agent/PriceList.ts"
import { ReviewActions } from "../services/agent/ReviewActions.ts"
import type { Repository } from "../services/change/openRepository.ts"
import { Artifacts } from "../services/review/Artifacts.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { PromptOverrides } from "../services/run/PromptOverrides.ts"
import { briefingLimits } from "./agent/backend/briefingLimits.ts"
import { chainsOf } from "./agent/backend/chainsOf.ts"
import { type BackendSettings, configuredBackend, defaultFanout } from "./agent/backend/configuredBackend.ts"
import { estimateWith } from "./agent/backend/estimateWith.ts"
import { routed } from "./agent/backend/Routed.ts"
import * as MemoryFile from "./agent/memory/File.ts"
import * as MemoryInProcess from "./agent/memory/InProcess.ts"
import { openAiContext } from "./agent/model/configuredModel.ts"
import * as SkillDirectory from "./agent/skills/Directory.ts"
import * as LinePatterns from "./finding/patterns/Re2.ts"

/** The part of the settings that decides which backends are used, and how they are reached. */
export interface Answering extends Omit<BackendSettings, "changed" | "reviewed"> {
  readonly backendChoice: BackendChoice
  /** Claude's own directory, whose plugins may contain skills; null if there is none. */
  readonly claude: string | null
  readonly repository: Repository | null
  readonly change: Change
}

/** Requires what every run has: sources, symbols, static findings, the recorder. */
export const layer = (answering: Answering) => {
  const { claude, home, openai, backendChoice } = answering
  const reviewed = answering.repository?.root ?? null
  const limits = everyAnswerer(backendChoice).some(({ backend }) => backend === "openai")
    ? briefingLimits(openAiContext(openai))
    : Layer.empty
  return backends(answering, reviewed).pipe(
    Layer.provide([
      Briefing.layer.pipe(Layer.provide(limits)),
      ReviewActions.layer(answering).pipe(Layer.provide(LinePatterns.layer))
    ]),
    Layer.provide([Guidance.layer, ChangeFacts.layer, PromptOverrides.layer]),
    Layer.provide(SkillDirectory.layer({ home, claude, reviewed }))
  )
}

const backends = (answering: Answering, reviewed: string | null) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const settings = { ...answering, reviewed, changed: answering.change.diff.files.map(({ path }) => path) }
      const chains = yield* chainsOf(answering.backendChoice, (answerer) =>
        configuredBackend(answerer, settings, memory)
      )
      const backend = routed(chains, yield* FailPolicy, answering.fanout ?? defaultFanout.static)
      const estimate = estimateWith(chains, yield* Briefing, yield* PriceList)
      return Context.make(Backend, backend).pipe(Context.add(CostEstimate, estimate))
    })
  )

/** The turns of a model are stored with its run. */
const memory = Layer.unwrap(
  Effect.map(Artifacts, ({ runDirectory }) =>
    runDirectory === null ? MemoryInProcess.layer : MemoryFile.layer(`${runDirectory}/agents`)
  )
)
