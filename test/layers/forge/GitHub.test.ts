import { describe, expect } from "bun:test"
import { Clock, Effect, Fiber, Redacted } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { TestClock } from "effect/testing"
import * as GitHub from "../../../src/layers/forge/GitHub.ts"
import { gitHubRequests } from "../../../src/layers/forge/gitHubRequest.ts"
import { Forge } from "../../../src/services/forge/Forge.ts"
import { it } from "../../support/effect.ts"
import { forgeContract } from "../../support/forgeContract.ts"
import { headSha, patchOf } from "../../support/forges.ts"
import { type Fault, type GitHubServer, ownToken, startGitHub } from "../../support/gitHubServer.ts"

const patch = patchOf("a.py")
  .replace(/^[\s\S]*?(?=^@@)/m, "")
  .trimEnd()

const server = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => startGitHub()),
    (gitHub) => Effect.promise(() => gitHub.close())
  ),
  (gitHub) => {
    gitHub.state.files = [{ filename: "a.py", status: "modified", patch }]
    return gitHub
  }
)

const waits = { answer: "300 millis", repeat: 5, limit: 1500 } as const

const layerOf = ({ api }: Pick<GitHubServer, "api">, token = ownToken) =>
  GitHub.layer({ api, token: Redacted.make(token), owner: "acme", name: "shop", number: 7, waits })

forgeContract(
  "GitHub",
  Effect.map(server, (gitHub) => ({
    layer: layerOf(gitHub),
    asAda: Effect.sync(() => Object.assign(gitHub.state.threads[0]!, { isResolved: true, resolvedBy: "ada" }))
  }))
)

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Fault => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  pieces: [typeof body === "string" ? body : JSON.stringify(body)]
})

/** The first answers to requests of this method; then the server works. */
const failing = (gitHub: GitHubServer, method: string, ...faults: ReadonlyArray<Fault>) => {
  const left = [...faults]
  gitHub.state.fault = (heard) => (heard.method === method ? (left.shift() ?? null) : null)
}

const reading = Effect.flatMap(Forge, (forge) => forge.pullRequest)
const writing = Effect.flatMap(Forge, (forge) => forge.review({ headSha, body: "x", comments: [] }))

const promise = (title: string, body: (gitHub: GitHubServer) => Effect.Effect<void, unknown, Forge>) =>
  it.live(title, () => Effect.flatMap(server, (gitHub) => Effect.provide(body(gitHub), layerOf(gitHub))))

describe("requests to GitHub", () => {
  promise("are repeated for reading, and not for writing", (gitHub) =>
    Effect.gen(function* () {
      for (const fault of [json(502, "<html>"), json(500, {}), "lost", "held"] as const) {
        failing(gitHub, "GET", fault, fault)
        expect((yield* reading).number).toBe(7)
        failing(gitHub, "POST", fault)
        const before = gitHub.heard.length
        expect((yield* Effect.flip(writing))._tag).toBe("ForgeUnavailable")
        expect(gitHub.heard.length - before).toBe(1)
      }
      failing(gitHub, "GET", ...Array.from({ length: 4 }, () => json(503, { message: "busy" })))
      expect((yield* Effect.flip(reading)).message).toBe(
        "the forge did not answer (503: busy); check the network and GITHUB_API_URL, and try again: nothing is posted twice"
      )
    })
  )

  promise("wait for a short rate limit, also for writing", (gitHub) =>
    Effect.gen(function* () {
      const secondary = json(403, { message: "You have exceeded a secondary rate limit" }, { "retry-after": "1" })
      failing(gitHub, "POST", secondary)
      yield* writing
      expect(gitHub.state.reviews).toHaveLength(1)
      const reset = String(Math.floor(Date.now() / 1000) + 1)
      const primary = json(
        403,
        { message: "API rate limit exceeded" },
        { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }
      )
      failing(gitHub, "GET", primary)
      yield* reading
    })
  )

  promise("do not wait for a long rate limit", (gitHub) =>
    Effect.gen(function* () {
      for (const [status, headers] of [
        [429, { "retry-after": "600" }],
        [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 600) }]
      ] as const) {
        failing(gitHub, "GET", json(status, { message: "slow down" }, headers))
        const { message } = yield* Effect.flip(reading)
        expect(message).toMatch(/^the rate limit of the forge is reached \(slow down\); try again in 1\d min/)
      }
      failing(gitHub, "POST", json(403, { message: "You have triggered an abuse detection mechanism" }))
      expect((yield* Effect.flip(writing))._tag).toBe("ForgeLimited")
    })
  )

  promise("that are refused name the cause and what the token lacks", (gitHub) =>
    Effect.gen(function* () {
      const message = "Resource not accessible by integration"
      const cases = [
        [json(401, { message: "Bad credentials" }), "(401: Bad credentials); the token is not valid or has expired"],
        [
          json(403, { message }, { "x-accepted-github-permissions": "pull_requests=write" }),
          "needs the permission pull_requests=write"
        ],
        [json(403, { message }, { "x-accepted-oauth-scopes": "repo" }), "needs the scope repo"],
        [
          json(403, { message }, { "x-github-sso": "required; url=https://x" }),
          "needs authorization for single sign-on"
        ],
        [
          json(403, { message: `no ${ownToken}` }),
          "(403: no [token]); the token needs the permission pull-requests: write"
        ],
        [
          json(404, { message: "Not Found" }),
          "pull request #7 of acme/shop was not found, or the token may not see it"
        ],
        [json(200, "<html>hello</html>"), "it is not JSON; check GITHUB_API_URL"],
        [json(200, { number: "seven" }), "the answer of the forge cannot be used"],
        [
          json(422, { message: "Validation Failed", errors: [{ message: "no" }, "line"] }),
          "(422: Validation Failed: no: line)"
        ]
      ] as const
      for (const [fault, words] of cases) {
        failing(gitHub, "GET", fault)
        expect((yield* Effect.flip(reading)).message).toContain(words)
      }
    })
  )

  promise("follow a redirect of their host, and tell the token to no other", (gitHub) =>
    Effect.gen(function* () {
      const at = `${gitHub.api}/repos/acme/shop/pulls/7`
      failing(gitHub, "GET", json(301, {}, { location: at }))
      expect((yield* reading).number).toBe(7)
      const other = yield* Effect.promise(() => startGitHub())
      failing(gitHub, "GET", json(302, {}, { location: `${other.api}/repos/acme/shop/pulls/7` }))
      expect((yield* Effect.flip(reading)).message).toContain("it names another host, 127.0.0.1:")
      expect(other.heard).toHaveLength(0)
      yield* Effect.promise(() => other.close())
      gitHub.state.fault = () => json(301, {}, { location: at })
      expect((yield* Effect.flip(reading)).message).toContain("redirects without an end")
    })
  )

  promise("do not follow a page on another host", (gitHub) =>
    Effect.gen(function* () {
      failing(gitHub, "GET", json(200, [], { link: '<https://evil.example/x?page=2>; rel="next"' }))
      const forge = yield* Forge
      expect((yield* Effect.flip(forge.files)).message).toContain("evil.example")
    })
  )

  promise("read all pages of comments and threads", (gitHub) =>
    Effect.gen(function* () {
      for (let n = 0; n < 9; n++) gitHub.comment(n % 2 === 0 ? "grace" : "dd-bot[bot]", "a.py", 1 + (n % 5), `c ${n}`)
      const { threads } = yield* Effect.flatMap(Forge, (forge) => forge.discussion)
      expect(threads.map(({ comments: [first] }) => [first.body, first.isOwn])).toEqual(
        Array.from({ length: 9 }, (_, n) => [`c ${n}`, n % 2 === 1])
      )
    })
  )

  it.live("go to the addresses of an own server", () =>
    Effect.gen(function* () {
      const gitHub = yield* server
      yield* Effect.flatMap(Forge, (forge) => forge.discussion).pipe(
        Effect.provide(layerOf({ api: `${gitHub.api}/api/v3` }))
      )
      expect([...new Set(gitHub.heard.map(({ path }) => path.split("?", 1)[0]))].sort()).toEqual([
        "/api/graphql",
        "/api/v3/repos/acme/shop/issues/7/comments",
        "/api/v3/repos/acme/shop/pulls/7/comments",
        "/api/v3/repos/acme/shop/pulls/7/reviews"
      ])
    })
  )

  promise("hide a thread that the token may not resolve", (gitHub) =>
    Effect.gen(function* () {
      gitHub.state.canResolve = false
      gitHub.comment("dd-bot[bot]", "a.py", 1, "x")
      const forge = yield* Forge
      const [thread] = (yield* forge.discussion).threads
      yield* forge.close(thread!)
      expect(gitHub.state.threads).toMatchObject([{ isResolved: false, isMinimized: true }])
    })
  )

  promise("have the version of the API and the name of dd, and no trace", (gitHub) =>
    Effect.gen(function* () {
      yield* reading
      const { headers } = gitHub.heard[0]!
      expect(headers).toMatchObject({ "user-agent": "dd", accept: "application/vnd.github+json" })
      expect(Object.keys(headers).filter((name) => /trace|b3/.test(name))).toEqual([])
    })
  )
})

describe("a long series of writes", () => {
  it.effect("is paced, a second apart after the first ten, and reading is not", () =>
    Effect.gen(function* () {
      const sent: Array<readonly [string, number]> = []
      const client = HttpClient.make((request) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          sent.push([request.method, now])
          return HttpClientResponse.fromWeb(request, new Response("{}"))
        })
      )
      const { send } = yield* gitHubRequests({ api: "https://api.example.com", token: Redacted.make("t") }).pipe(
        Effect.provideService(HttpClient.HttpClient, client)
      )
      const ask = { at: "/x", what: "x" }
      const writer = yield* Effect.forEach(Array.from({ length: 14 }), () => send({ ...ask, method: "POST" })).pipe(
        Effect.forkChild
      )
      yield* TestClock.adjust("2500 millis")
      const times = (method: string) => sent.flatMap(([each, at]) => (each === method ? [at] : []))
      expect(times("POST")).toEqual([...Array(10).fill(0), 1000, 2000])
      yield* send({ ...ask, method: "GET" })
      expect(times("GET")).toEqual([2500])
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(writer)
      expect(times("POST").slice(10)).toEqual([1000, 2000, 3000, 4000])
      // After a pause there is no wait.
      yield* send({ ...ask, method: "POST" })
      expect(times("POST").at(-1)).toBe(62_500)
    })
  )
})
