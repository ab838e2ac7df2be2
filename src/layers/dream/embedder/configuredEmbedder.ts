/** The embedder that the user's settings describe; one that lacks something is replaced by the lexical one, with a warning. */
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { keyFault } from "../../../domain/run/ModelKey.ts"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import { chatServerAt } from "../../agent/model/chatServer.ts"
import * as Http from "./Http.ts"
import * as Lexical from "./Lexical.ts"

export const layer = ({ alikeFrom, api, baseUrl, keyEnv, model }: ReviewSettings["embedder"]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (baseUrl.value === null) return Lexical.layer
      const key = keyEnv.value === null ? null : yield* variable(keyEnv.value)
      const fault = faultOf(model.value, keyEnv.value, key)
      if (fault !== null || model.value === null) {
        yield* Effect.logWarning(`${baseUrl.value} is not used, and texts are compared by their words: ${fault}`)
        return Lexical.layer
      }
      return Http.layer({
        api: api.value ?? (chatServerAt(baseUrl.value) === "ollama" ? "ollama" : "openai"),
        baseUrl: baseUrl.value,
        model: model.value,
        key: key === null ? null : Redacted.make(key),
        alikeFrom: alikeFrom.value
      })
    })
  )

const variable = (name: string) => Config.option(Config.String(name)).pipe(Effect.orDie, Effect.map(Option.getOrNull))

const faultOf = (model: string | null, keyEnv: string | null, key: string | null): string | null => {
  if (model === null) return "dream.embedder.model is not set"
  if (keyEnv === null) return null
  return key === null ? `its key is not set; set ${keyEnv}` : keyFault(keyEnv, key)
}
