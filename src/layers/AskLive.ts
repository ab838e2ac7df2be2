/** What answers a question. Loaded only if a model is chosen, as `ModelsLive`. */
import { Effect, Layer } from "effect"
import type { Answerer, ModelBackendName } from "../domain/run/BackendChoice.ts"
import { Respondent } from "../services/agent/Respondent.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { Recorder } from "../services/run/Recorder.ts"
import { type BackendSettings, configuredRespondent } from "./agent/backend/configuredBackend.ts"

/** Requires the sources of a change, and the limits of its run. */
export const layer = (answerer: Answerer & { readonly backend: ModelBackendName }, settings: BackendSettings) =>
  Layer.effect(Respondent, configuredRespondent(answerer, settings)).pipe(
    Layer.provide(FailPolicy.layer),
    Layer.provide(
      Layer.succeed(
        Recorder,
        Recorder.watching(() => Effect.void)
      )
    )
  )
