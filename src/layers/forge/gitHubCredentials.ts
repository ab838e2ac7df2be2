/**
 * The address of GitHub's API and a token for it, from the user's environment or the user's `gh`.
 *
 * A token is neither kept nor passed to another program. The address is encrypted, or on this machine for tests.
 */
import { createPrivateKey, sign } from "node:crypto"
import { Clock, Config, Effect, Redacted, Result, Runtime, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { keyFault } from "../../domain/run/ModelKey.ts"
import { isJsonObject } from "../../domain/system/jsonObject.ts"
import { ForgeUnexpected } from "../../services/forge/ForgeError.ts"
import { Subprocess } from "../../services/system/Subprocess.ts"
import { gitHubRequests } from "./gitHubRequest.ts"

export class CredentialsMissing extends Schema.TaggedError<CredentialsMissing>()("CredentialsMissing", {
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return this.reason
  }
}

const variable = (name: string) =>
  Effect.orDie(
    Config.String(name).pipe(
      Config.withDefault(""),
      Config.map((value) => value.trim())
    )
  )

export const publicApi = "https://api.github.com"

/** Without a slash at its end. */
export const gitHubApi = Effect.gen(function* () {
  const value = (yield* variable("GITHUB_API_URL")) || publicApi
  const url = URL.canParse(value) ? new URL(value) : null
  const isLocal = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  const isSafe = url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLocal))
  if (!isSafe || url.username !== "" || url.password !== "") {
    return yield* new CredentialsMissing({ reason: "GITHUB_API_URL is not an address that begins with https://" })
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
})

export interface Wanted {
  readonly api: string
  readonly owner: string
  readonly name: string
}

/** Of an app if its variables are set, else of the environment, else of `gh`. */
export const gitHubToken = Effect.fnUntraced(function* (wanted: Wanted) {
  const [app, key] = [yield* variable("GITHUB_APP_ID"), yield* variable("GITHUB_APP_PRIVATE_KEY")]
  if (app !== "" || key !== "") return yield* installationToken(wanted, app, key)
  for (const name of ["GITHUB_TOKEN", "GH_TOKEN"]) {
    const value = yield* variable(name)
    if (value !== "") return yield* tokenOf(name, value)
  }
  const own = yield* tokenOfGh(wanted.api)
  if (own !== "") return yield* tokenOf("the token of gh", own)
  return yield* new CredentialsMissing({
    reason: "no credentials: set GITHUB_TOKEN, or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY, or run gh auth login"
  })
})

const tokenOf = (name: string, value: string) => {
  const fault = keyFault(name, value)
  return fault === null ? Effect.succeed(Redacted.make(value)) : new CredentialsMissing({ reason: fault })
}

/** A token of an hour, for this repository only. */
const installationToken = Effect.fnUntraced(
  function* ({ api, name, owner }: Wanted, app: string, key: string) {
    if (app === "" || key === "") {
      return yield* new CredentialsMissing({ reason: "an app needs both GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY" })
    }
    const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const jwt = appToken(app, key, seconds)
    if (Result.isFailure(jwt)) {
      return yield* new CredentialsMissing({ reason: "GITHUB_APP_PRIVATE_KEY is not a private key in PEM format" })
    }
    const { send } = yield* gitHubRequests({ api, token: Redacted.make(jwt.success) })
    const what = `the installation of the app in ${owner}/${name}`
    let installation = yield* variable("GITHUB_APP_INSTALLATION_ID")
    if (installation === "") {
      const { json } = yield* send({ method: "GET", at: `/repos/${owner}/${name}/installation`, what })
      installation = isJsonObject(json) ? String(json.id) : ""
    }
    if (!/^\d+$/.test(installation)) {
      return yield* new CredentialsMissing({ reason: "GITHUB_APP_INSTALLATION_ID is not a number" })
    }
    const at = `/app/installations/${installation}/access_tokens`
    const { json } = yield* send({ method: "POST", at, body: { repositories: [name] }, what })
    const token = isJsonObject(json) ? json.token : undefined
    if (typeof token !== "string" || token === "") {
      return yield* new ForgeUnexpected({ detail: "it has no token for the app" })
    }
    return Redacted.make(token)
  },
  Effect.provide(FetchHttpClient.layer),
  Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
)

/** Signed with the key of the app, for ten minutes; the clocks of both sides may differ by one. */
const appToken = (app: string, key: string, seconds: number): Result.Result<string, unknown> =>
  Result.try(() => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const claims = { iat: seconds - 60, exp: seconds + 540, iss: app }
    const text = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`
    // Variables often have the line ends of the key escaped.
    const pem = createPrivateKey(key.replaceAll("\\n", "\n"))
    return `${text}.${sign("RSA-SHA256", Buffer.from(text), pem).toString("base64url")}`
  })

/** What `gh` needs to find its own settings and the keyring. */
const variablesOfGh = ["HOME", "GH_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]

/** "" if there is no `gh`, or nobody is signed in. */
const tokenOfGh = Effect.fnUntraced(function* (api: string) {
  const subprocess = yield* Subprocess
  const host = api === publicApi ? "github.com" : new URL(api).hostname
  const inherited: Record<string, string> = {}
  for (const name of variablesOfGh) {
    const value = yield* variable(name)
    if (value !== "") inherited[name] = value
  }
  const path = (yield* variable("PATH"))
    .split(":")
    .filter((entry) => entry.startsWith("/"))
    .join(":")
  const asked = subprocess.collect({
    program: "gh",
    arguments: ["auth", "token", "--hostname", host],
    directory: "/",
    environment: { ...inherited, PATH: path },
    maxOutput: 4096,
    maxStderr: 0
  })
  const answer = yield* asked.pipe(
    Effect.timeout("10 seconds"),
    Effect.option,
    Effect.map((option) => (option._tag === "Some" ? option.value : null))
  )
  return answer === null || answer.exitCode !== 0 ? "" : new TextDecoder().decode(answer.output).trim()
})
