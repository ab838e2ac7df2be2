import { afterAll, beforeAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { layer } from "../../../../src/layers/agent/model/Anthropic.ts"
import type { ClaudeHost } from "../../../../src/layers/agent/model/claudeClient.ts"
import { startAnthropic } from "../../../support/anthropicServer.ts"
import { accessKey, isSigned, secretKey, startBedrock } from "../../../support/bedrockServer.ts"
import { it } from "../../../support/effect.ts"
import { endpointAt, heardOf, key, modelContract, requestOf, textOf } from "../../../support/modelContract.ts"
import { run, scratch, systemPath } from "../../../support/process.ts"
import { startServer, type WireServer } from "../../../support/wireServer.ts"

const options = { model: "its-model", room: { contextTokens: 200_000, outputTokens: 200_000 }, fanout: 4 }
const bedrock: ClaudeHost = { at: "bedrock", region: "eu-west-1" }
const vertex: ClaudeHost = { at: "vertex", region: "europe-west1", project: "a-project" }

/** What the clouds keep in the environment, for these tests alone. */
const environment: Record<string, string> = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey }
const before: Record<string, string | undefined> = {}
let google: WireServer
const home = scratch()

beforeAll(async () => {
  // Google's library exchanges the credentials of the file for a token.
  google = await startServer(() => ({
    headers: { "content-type": "application/json" },
    pieces: [
      JSON.stringify({
        access_token: key,
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 3600
      })
    ]
  }))
  writeFileSync(join(home.path, "subject"), "subject-token")
  const file = join(home.path, "google.json")
  writeFileSync(
    file,
    JSON.stringify({
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `${google.url}/token`,
      credential_source: { file: join(home.path, "subject") }
    })
  )
  environment.GOOGLE_APPLICATION_CREDENTIALS = file
  for (const [name, value] of Object.entries(environment)) {
    before[name] = process.env[name]
    process.env[name] = value
  }
})

afterAll(async () => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  await google.close()
  home[Symbol.dispose]()
})

modelContract("Claude at Google's", {
  start: startAnthropic,
  baseUrl: (origin) => `${origin}/v1`,
  layer: (endpoint) => layer({ host: vertex, endpoint, ...options }),
  keyHeader: ["authorization", `Bearer ${key}`],
  ends: ["refusal", "pause"],
  tells: { modelInPath: true }
})

modelContract("Claude at Amazon's", {
  start: startBedrock,
  baseUrl: (origin) => origin,
  layer: (endpoint) => layer({ host: bedrock, endpoint, ...options }),
  keyHeader: ["authorization", `Bearer ${key}`],
  ends: ["refusal", "pause"],
  tells: { modelInPath: true }
})

describe("Claude in the clouds", () => {
  it.live("is called at Amazon with a valid signature of the user's own credentials", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startBedrock(() => ({ text: "Fine." }))),
        (held) => Effect.promise(() => held.close())
      )
      const endpoint = { ...endpointAt(server.url), key: null }
      const model = "eu.anthropic.claude-opus-4-6-v1:0"
      const { events, error } = yield* heardOf(requestOf({ model })).pipe(
        Effect.provide(layer({ host: bedrock, endpoint, ...options }))
      )
      expect(error).toBeNull()
      expect(textOf(events, "Text")).toBe("Fine.")
      const [request] = server.heard
      expect(decodeURIComponent(request?.path ?? "")).toBe(`/model/${model}/invoke-with-response-stream`)
      expect(request !== undefined && isSigned(request, "eu-west-1")).toBe(true)
      expect(request !== undefined && isSigned({ ...request, text: `${request.text} ` }, "eu-west-1")).toBe(false)
      expect(request?.body).toMatchSnapshot()
    })
  )

  it.live("is called at Google with a token for the user's own credentials", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startAnthropic(() => ({ text: "Fine." }))),
        (held) => Effect.promise(() => held.close())
      )
      const { error } = yield* heardOf(requestOf({ model: "claude-opus-4-6" })).pipe(
        Effect.provide(layer({ host: vertex, endpoint: { ...endpointAt(`${server.url}/v1`), key: null }, ...options }))
      )
      expect(error).toBeNull()
      const [request] = server.heard
      expect(request?.path).toBe(
        "/v1/projects/a-project/locations/europe-west1/publishers/anthropic/models/claude-opus-4-6:streamRawPredict"
      )
      expect(request?.headers.authorization).toBe(`Bearer ${key}`)
      expect(request?.body).toMatchSnapshot()
    })
  )

  it.live("has a client although Google's credentials cannot be read, until they are requested", () =>
    Effect.promise(async () => {
      const client = join(import.meta.dir, "../../../../src/layers/agent/model/claudeClient.ts")
      const script = `
        const { Effect } = await import("effect")
        const { claudeClient } = await import(${JSON.stringify(client)})
        await Effect.runPromise(claudeClient(${JSON.stringify(vertex)}, { key: null, baseUrl: "" }))
        await Bun.sleep(100)`
      const env = { PATH: systemPath, HOME: home.path, GOOGLE_APPLICATION_CREDENTIALS: join(home.path, "none.json") }
      const { status, stderr } = await run([process.execPath, "-e", script], { cwd: import.meta.dir, env })
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    })
  )
})
