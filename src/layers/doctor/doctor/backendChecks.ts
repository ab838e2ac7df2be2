/**
 * Which backends can be used here, and why the others cannot. Reads variables, programs and settings; services are
 * contacted only with `--online`, and models never.
 */
import { Config, Effect, Option, Result, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { BackendCheck } from "../../../domain/doctor/Check.ts"
import { type BackendName, everyAnswerer } from "../../../domain/run/BackendChoice.ts"
import { keyFault } from "../../../domain/run/ModelKey.ts"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import { networkErrorText } from "../../../services/system/networkErrorText.ts"
import { missingProgram } from "../../agent/backend/cli/cliFault.ts"
import { findProgram } from "../../agent/backend/cli/findProgram.ts"
import { anthropicUrl } from "../../agent/model/Anthropic.ts"
import { claudeHost } from "../../agent/model/claudeHost.ts"
import { openAiUrl } from "../../agent/model/OpenAiResponses.ts"
import { programVersion } from "./programVersion.ts"

export interface BackendCheckOptions {
  readonly settings: ReviewSettings
  /** The root of the repository in which dd was called; null if there is none. */
  readonly reviewed: string | null
  /** Whether services are contacted. */
  readonly online: boolean
}

export const backendChecks = Effect.fnUntraced(function* ({ online, reviewed, settings }: BackendCheckOptions) {
  const chosen = new Set<string>(everyAnswerer(settings.backendChoice).map(({ backend }) => backend))
  const checks: Array<BackendCheck> = [
    {
      ...nothing,
      name: "static",
      usable: true,
      chosen: chosen.has("static"),
      words: "dd's own rules, always available"
    }
  ]
  for (const name of ["anthropic", "openai"] as const) {
    const isNamed = settings.models[name].value !== null || settings.backendChoice.model.value !== null
    const check =
      name === "anthropic" && settings.anthropic.at.value !== "anthropic"
        ? cloudCheck(settings)
        : yield* serviceCheck(name, settings[name], isNamed, online)
    checks.push({ ...check, chosen: chosen.has(name) })
  }
  for (const name of ["claude", "codex", "pi"] as const) {
    checks.push({ ...(yield* programCheck(name, reviewed)), chosen: chosen.has(name) })
  }
  checks.push({ ...nothing, name: "replay", usable: true, words: "with --replay RUN, a recorded run" })
  return checks
})

const nothing = {
  usable: false,
  chosen: false,
  variable: null,
  program: null,
  version: null,
  base_url: null,
  reachable: null
} as const

/** There are many kinds of cloud credentials, so they are not checked. */
const cloudCheck = ({ anthropic, models, backendChoice }: ReviewSettings): BackendCheck => {
  const answerers = everyAnswerer(backendChoice).filter(({ backend }) => backend === "anthropic")
  const named = answerers.length === 0 ? [models.anthropic.value] : answerers.map(({ model }) => model)
  const places = named.map((model) => claudeHost(anthropic, model))
  const fault = places.find(Result.isFailure)
  const { at, baseUrl, region } = anthropic
  const check = { ...nothing, name: "anthropic", base_url: baseUrl.value } as const
  return fault === undefined
    ? {
        ...check,
        usable: true,
        words: `at ${at.value} in ${region.value}, with your credentials there; not checked here`
      }
    : { ...check, words: `at ${at.value}: ${fault.failure}` }
}

const serviceCheck = Effect.fnUntraced(function* (
  name: Extract<BackendName, "anthropic" | "openai">,
  { baseUrl, keyEnv }: Pick<ReviewSettings["openai"], "baseUrl" | "keyEnv">,
  /** Whether the settings name the model. */
  isNamed: boolean,
  online: boolean
) {
  const variable = keyEnv.value
  // Trimmed as in a review: the line end of a file is not part of a key.
  const key = Option.getOrElse(yield* Effect.orDie(Config.option(Config.String(variable))), () => "").trim()
  const own = baseUrl.value
  const fault = key === "" ? null : keyFault(variable, key)
  // A local server may need no key.
  const usable = fault === null && (key !== "" || own !== null)
  const which = isNamed || name === "anthropic" ? "" : ", whose model --model names"
  const at = own === null ? "" : `, at ${own}${which}`
  const keyState = fault !== null ? fault : key !== "" ? `${variable} is set${at}` : `${variable} is not set${at}`
  const check: BackendCheck = {
    ...nothing,
    name,
    usable,
    variable: { name: variable, set: key !== "" },
    base_url: own,
    words: usable ? `${keyState}; not contacted (--online contacts it)` : keyState
  }
  if (!usable || !online) return check
  const { reachable, refused, words } = yield* name === "anthropic"
    ? reach(`${trimmed(own ?? anthropicUrl)}/v1/models`, { "x-api-key": key, "anthropic-version": "2023-06-01" })
    : reach(`${trimmed(own ?? openAiUrl)}/models`, key === "" ? {} : { authorization: `Bearer ${key}` })
  return { ...check, usable: reachable && !refused, reachable, words: `${keyState}; ${words}` }
})

const trimmed = (url: string): string => url.replace(/\/+$/, "")

const programCheck = Effect.fnUntraced(function* (name: "claude" | "codex" | "pi", reviewed: string | null) {
  const found = yield* findProgram(name, reviewed)
  if (found._tag === "NotFound") {
    const check: BackendCheck = { ...nothing, name, words: missingProgram(name, found) }
    return check
  }
  const version = yield* programVersion(found.path, found.searched)
  const check: BackendCheck = {
    ...nothing,
    name,
    program: found.path,
    usable: version._tag === "Said",
    version: version._tag === "Said" ? version.words : null,
    words: version._tag === "Said" ? `${found.path}, ${version.words}` : `${found.path}: ${version.reason}`
  }
  return check
})

/** Requests the list of models from a service, to check that it can be reached and accepts the key. */
interface Reached {
  readonly reachable: boolean
  /** It responds, but rejects the key. */
  readonly refused: boolean
  readonly words: string
}

class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { cause: Schema.Defect() }) {
  override get message() {
    return networkErrorText(this.cause)
  }
}

const timeout = "10 seconds"

const reach = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const fetch = yield* FetchHttpClient.Fetch
  const answer = yield* Effect.tryPromise({
    // A redirect would receive the key.
    try: (signal) => fetch(url, { headers, signal, redirect: "manual" }),
    catch: (cause) => new Unreachable({ cause })
  }).pipe(Effect.timeoutOption(timeout), Effect.result)
  if (answer._tag === "Failure") return unreachable(answer.failure.message)
  if (Option.isNone(answer.success)) return unreachable(`no answer within ${timeout}`)
  const { status } = answer.success.value
  return reached(status)
})

/** A key that may not list models may still use one: only 401 means that the key is wrong. */
const reached = (status: number): Reached => {
  const words =
    status >= 200 && status < 300
      ? "reachable"
      : status === 401
        ? "reachable, but it refuses the key (401)"
        : status === 403
          ? "reachable, but this key may not list models (403)"
          : `reachable, but it responds with ${status}`
  return { reachable: true, refused: status === 401, words }
}

const unreachable = (why: string): Reached => ({
  reachable: false,
  refused: false,
  words: `unreachable: ${why}`
})
