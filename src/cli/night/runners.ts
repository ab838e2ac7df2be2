/**
 * The runners of the council: coding CLIs and models, set up as for `dd ask`. Each has an equal part of the limit of cost, because one
 * limit for all would make some wait for others.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { CostLimit } from "../../domain/agent/RunCost.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { limit } from "../../services/agent/Budget.ts"
import { userPrices } from "../../services/agent/PriceList.ts"
import { Respondent } from "../../services/agent/Respondent.ts"
import { RunnerNotReady, Runners } from "../../services/night/Council.ts"
import { daydreamHome, pricesFile, userSettings } from "../../services/run/Settings.ts"
import { answeringOf } from "../review/answeringOf.ts"

export const runnerNames = ["anthropic", "claude", "codex", "openai", "pi"] as const
export type RunnerName = (typeof runnerNames)[number]

/** `most`: for all together. */
export const layer = (runners: ReadonlyArray<RunnerName>, most: CostLimit) =>
  Layer.effect(
    Runners,
    Effect.gen(function* () {
      const settings = yield* userSettings
      const prices = yield* pricesFile
      const options = {
        ...(yield* answeringOf(settings)),
        ...{ home: yield* daydreamHome, pricesFile: prices, reviewed: null, changed: [], before: [] }
      }
      const own = prices === null ? Layer.empty : userPrices(prices)
      const part = { ...most, usd: most.usd / runners.length }
      const { layer } = yield* Effect.promise(() => import("../../layers/AskLive.ts"))
      const built = yield* Effect.forEach(runners, (backend) =>
        Layer.build(layer({ backend, model: settings.backendChoice.models[backend], effort: null }, options)).pipe(
          Effect.map((context) => Context.get(context, Respondent)),
          Effect.provide(limit(part)),
          Effect.mapError(({ message }) => new RunnerNotReady({ reason: message })),
          Effect.result,
          Effect.map((respondent) => [backend, respondent] as const)
        )
      ).pipe(Effect.provide([own, ReviewLive.sourcesOfFiles({ files: new Map(), root: null })]))
      const known = new Map<string, Result.Result<Respondent["Service"], RunnerNotReady>>(built)
      return (runner: string) =>
        Effect.fromResult(known.get(runner) ?? Result.fail(new RunnerNotReady({ reason: `${runner} is no runner` })))
    })
  )
