/**
 * The model of the table `[dream.synthesis]` of the user's settings, behind an API, and a file with what was spent on it on the
 * last day. What calls a model is loaded when one is asked.
 */
import { Config, Effect, FileSystem, Layer, Option, type Path, Schema } from "effect"
import { roundedUsd } from "../../domain/agent/RunCost.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { limit } from "../../services/agent/Budget.ts"
import { PriceList, userPrices } from "../../services/agent/PriceList.ts"
import { SynthesisModel, SynthesisNotReady } from "../../services/dream/SynthesisModel.ts"
import { pricesFile, userSettings } from "../../services/run/Settings.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { workerPlaces } from "./startWorker.ts"

/** `home`: dd's own directory. */
export const layer = (home: string) =>
  Layer.effect(
    SynthesisModel,
    Effect.gen(function* () {
      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const fs = yield* FileSystem.FileSystem
      const { spent: file } = workerPlaces(home)
      const fileFault = (error: unknown) => new SynthesisNotReady({ reason: `${file}: ${systemErrorText(error)}` })

      const spentOn = Effect.fnUntraced(function* (today: number) {
        const text = yield* Effect.result(fs.readFileString(file))
        if (text._tag === "Failure") {
          return text.failure.reason._tag === "NotFound" ? 0 : yield* fileFault(text.failure)
        }
        const read = Option.getOrNull(decodeSpent(text.success))
        if (read === null) {
          return yield* new SynthesisNotReady({ reason: `${file} does not show what was spent; remove it` })
        }
        return read.day === today ? read.usd : 0
      })

      return SynthesisModel.of({
        settings: Effect.gen(function* () {
          const { backend, maxCost, maxCostDay } = (yield* userSettings).synthesis
          if (backend.value === null) return null
          return { backend: backend.value, maxCost: maxCost.value, maxCostDay: maxCostDay.value }
        }).pipe(Effect.mapError(notReady), Effect.provideContext(services)),
        open: (usd) =>
          Effect.gen(function* () {
            const settings = yield* userSettings
            const path = yield* pricesFile
            // As everywhere, the default limit does not stop a model whose price is unknown, and that of the user does.
            const { maxCost, maxCostDay } = settings.synthesis
            const isDefault = [maxCost, maxCostDay].every(({ origin }) => origin._tag === "Default")
            const bounds = Layer.merge(limit({ usd, isDefault }), path === null ? Layer.empty : userPrices(path))
            const context = yield* Layer.build(bounds)
            return yield* Effect.all({ respondent: respondentOf(settings, path), prices: PriceList }).pipe(
              Effect.provideContext(context)
            )
          }).pipe(Effect.mapError(notReady), Effect.provideContext(services)),
        spentOn,
        spend: Effect.fnUntraced(function* (day: number, usd: number) {
          const text = encodeSpent({ day, usd: roundedUsd(Math.max(0, (yield* spentOn(day)) + usd)) })
          const written = Effect.andThen(
            fs.writeFileString(`${file}.draft`, text, { mode: 0o600 }),
            fs.rename(`${file}.draft`, file)
          )
          yield* Effect.mapError(written, fileFault)
        })
      })
    })
  )

const notReady = (error: Error) => new SynthesisNotReady({ reason: error.message })

const Spent = Schema.fromJsonString(Schema.Struct({ day: Schema.Int, usd: Schema.Finite }))
const decodeSpent = Schema.decodeUnknownOption(Spent)
const encodeSpent = Schema.encodeSync(Spent)

const respondentOf = Effect.fnUntraced(function* (
  { anthropic, models, openai, synthesis }: ReviewSettings,
  pricesFile: string | null
) {
  const backend = synthesis.backend.value ?? "anthropic"
  const name = { anthropic, openai }[backend].keyEnv.value
  const variable = yield* Effect.orDie(Config.option(Config.String(name)))
  const key = Option.getOrElse(variable, () => "").trim()
  const { apiRespondent } = yield* Effect.promise(() => import("../agent/backend/configuredBackend.ts"))
  return yield* apiRespondent(
    { backend, model: synthesis.model.value ?? models[backend].value, effort: null },
    { anthropic, openai, pricesFile, variable: () => key || null }
  ).pipe(Effect.mapError(({ reason }) => new SynthesisNotReady({ reason: `${backend}: ${inSettings(reason)}` })))
})

/** Reasons name flags of a review. */
const inSettings = (reason: string): string =>
  reason.replace("--max-cost", "dream.synthesis.max_cost").replace("--model", "dream.synthesis.model")
