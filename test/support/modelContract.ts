/**
 * What every model promises, whatever protocol it speaks. Each `layers/model/*` test calls this with a local server
 * that speaks the protocol and a layer that asks it.
 */
import { describe, expect } from "bun:test"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, type Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { ModelEvent, ModelRequest } from "../../src/domain/agent/ModelTurn.ts"
import type { Endpoint } from "../../src/layers/agent/model/http/Endpoint.ts"
import { Model, ModelError } from "../../src/services/agent/Model.ts"
import { it } from "./effect.ts"
import type { ScriptedTurn } from "./scriptedTurn.ts"
import { type Heard, startServer, type WireServer, wireServer } from "./wireServer.ts"

export interface ModelWorld {
  /** Begins to serve the protocol. */
  readonly start: (script: (heard: Heard, nth: number) => ScriptedTurn) => Promise<WireServer>
  /** What a user configures as base URL, of a server at `origin`. */
  readonly baseUrl: (origin: string) => string
  readonly layer: (endpoint: Endpoint) => Layer.Layer<Model>
  /** Header and value by which the key `secret` is sent. */
  readonly keyHeader: readonly [string, string]
  /** Can it tell a refusal, a filter, a pause? */
  readonly ends: ReadonlyArray<"refusal" | "filtered" | "pause">
  /** What the protocol says in another way, or not at all. */
  readonly tells?: Partial<Tells>
}

interface Tells {
  readonly cached: boolean
  readonly reasoning: boolean
  /** A call comes in pieces, and may be cut between them. */
  readonly cutCalls: boolean
  /** A call has an id. */
  readonly callIds: boolean
  /** The model is named by the address and not in the body, nor in the answer. */
  readonly modelInPath: boolean
}

export const key = "sk-test-0123456789abcdef"

export const endpointAt = (baseUrl: string): Endpoint => ({
  baseUrl,
  key: Redacted.make(key),
  timeouts: { answer: "10 minutes", silence: "5 minutes" }
})

export const requestOf = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "test-model",
  system: ["You review code.", "This is the run."],
  tools: [
    {
      name: "read_file",
      description: "Reads a file.",
      input: {
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
        additionalProperties: false
      }
    }
  ],
  messages: [{ role: "user", parts: [{ _tag: "Text", text: "Review this.", lasting: true }] }],
  choice: "auto",
  answer: null,
  maxTokens: 4096,
  effort: null,
  ...change
})

/** Everything heard until the turn ended or failed. */
export const heardOf = (request: ModelRequest) =>
  Effect.gen(function* () {
    const model = yield* Model
    const events: Array<ModelEvent> = []
    const exit = yield* Effect.exit(
      Stream.runForEach(model.converse(request), (event) => Effect.sync(() => events.push(event)))
    )
    const failure = Exit.isFailure(exit) ? Exit.findErrorOption(exit) : null
    const error = failure !== null && failure._tag === "Some" ? failure.value : null
    if (failure !== null && error === null) return yield* Effect.die(exit)
    return { events, error: error instanceof ModelError ? error : null }
  })

/** What was said, with pieces joined: the same however it was cut. */
export const gist = (events: ReadonlyArray<ModelEvent>): ReadonlyArray<ModelEvent> => {
  const joined: Array<ModelEvent> = []
  for (const event of events) {
    const last = joined.at(-1)
    if ((event._tag === "Text" || event._tag === "Thinking") && last?._tag === event._tag) {
      joined[joined.length - 1] = { ...event, text: last.text + event.text }
    } else if (event._tag === "CallArguments" && last?._tag === "CallArguments" && last.id === event.id) {
      joined[joined.length - 1] = { ...event, text: last.text + event.text }
    } else joined.push(event)
  }
  return joined
}

export const textOf = (events: ReadonlyArray<ModelEvent>, tag: "Text" | "Thinking"): string =>
  events.map((event) => (event._tag === tag ? event.text : "")).join("")

export const callsOf = (events: ReadonlyArray<ModelEvent>) => events.filter((event) => event._tag === "CallEnded")

/** What is wrong with the order of a turn's events; empty when nothing is. */
export const breaches = (events: ReadonlyArray<ModelEvent>): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const written = new Map<string, string>()
  const ended = new Set<string>()
  let over = false
  for (const [at, event] of events.entries()) {
    if (over) wrong.push(`${event._tag} after the end`)
    if ((at === 0) !== (event._tag === "Began")) wrong.push(`${event._tag} at ${at}`)
    switch (event._tag) {
      case "CallBegan":
        if (written.has(event.id)) wrong.push(`${event.id} begins twice`)
        written.set(event.id, "")
        break
      case "CallArguments":
        if (!written.has(event.id) || ended.has(event.id)) wrong.push(`arguments of ${event.id}, which is not open`)
        written.set(event.id, (written.get(event.id) ?? "") + event.text)
        break
      case "CallEnded":
        if (ended.has(event.id)) wrong.push(`${event.id} ends twice`)
        if (written.get(event.id) !== event.arguments) wrong.push(`the arguments of ${event.id} are not those told`)
        ended.add(event.id)
        break
      case "Ended":
        over = true
        if (ended.size !== written.size) wrong.push("a call has no end")
    }
  }
  return wrong
}

const eight = Array.from({ length: 8 }, (_, at) => ({
  name: "read_file",
  input: { path: `src/файл-${at} 🦊.ts`, nested: { list: [1, at, { deep: `"quoted" \\ {brace` }] } }
}))
const long = Array.from({ length: 10_000 }, (_, at) => `thought ${at} ☃`).join(" ")
const full: ScriptedTurn = { thinking: "First ☃ then.", text: "I look at 🦊 it.", calls: eight.slice(0, 3) }

export const modelContract = (name: string, world: ModelWorld): void => {
  const usual: Tells = { cached: true, reasoning: true, cutCalls: true, callIds: true, modelInPath: false }
  const tells = { ...usual, ...world.tells }
  const serving = (script: (heard: Heard, nth: number) => ScriptedTurn) =>
    Effect.acquireRelease(
      Effect.promise(() => world.start(script)),
      (server) => Effect.promise(() => server.close())
    )

  const asking = (server: WireServer, request: ModelRequest = requestOf()) =>
    heardOf(request).pipe(Effect.provide(world.layer(endpointAt(world.baseUrl(server.url)))))

  const told = (turn: ScriptedTurn, request?: ModelRequest) =>
    Effect.gen(function* () {
      const server = yield* serving(() => turn)
      return { ...(yield* asking(server, request)), server }
    })

  describe(`${name} keeps the model contract`, () => {
    it.live("streams the text of the model, and the end of the turn", () =>
      Effect.gen(function* () {
        const { events, error } = yield* told({ text: "The change is fine, and here is why." })
        expect(error).toBeNull()
        expect(breaches(events)).toEqual([])
        expect(textOf(events, "Text")).toBe("The change is fine, and here is why.")
        expect(events.filter(({ _tag }) => _tag === "Text").length).toBeGreaterThan(1)
        expect(events.at(-1)).toMatchObject({ _tag: "Ended", reason: "done" })
        expect(events[0]).toMatchObject({ _tag: "Began", model: tells.modelInPath ? "" : "test-model" })
      })
    )

    it.live("counts the complete prompt, and the cached part of it", () =>
      Effect.gen(function* () {
        const { events } = yield* told({
          text: "x",
          usage: { prompt: 900, cached: 800, completion: 70, reasoning: 50 }
        })
        expect(events.findLast((event) => event._tag === "Used")?.usage).toEqual({
          promptTokens: 900,
          cachedTokens: tells.cached ? 800 : null,
          completionTokens: 70,
          reasoningTokens: tells.reasoning ? 50 : null,
          costUsd: null
        })
      })
    )

    it.live("emits ten thousand words of thinking completely, separate from the text", () =>
      Effect.gen(function* () {
        const { events, error } = yield* told({ thinking: long, text: "Done." })
        expect(error).toBeNull()
        expect(textOf(events, "Thinking")).toBe(long)
        expect(textOf(events, "Text")).toBe("Done.")
        const order = gist(events).map(({ _tag }) => _tag)
        expect(order.indexOf("ThinkingEnded")).toBe(order.indexOf("Thinking") + 1)
        expect(order.indexOf("Text")).toBeGreaterThan(order.indexOf("ThinkingEnded"))
      })
    )

    it.live("keeps eight parallel calls apart, each complete", () =>
      Effect.gen(function* () {
        const { events, error } = yield* told({ calls: eight })
        expect(error).toBeNull()
        expect(breaches(events)).toEqual([])
        const calls = callsOf(events)
        expect(calls.map((call) => JSON.parse(call.arguments))).toEqual(eight.map(({ input }) => input))
        expect(calls.map(({ truncated }) => truncated)).toEqual(eight.map(() => false))
        expect(new Set(calls.map(({ id }) => id)).size).toBe(8)
        expect(events.at(-1)).toMatchObject({ _tag: "Ended", reason: "calls" })
      })
    )

    it.live("takes a call without arguments for one with none", () =>
      Effect.gen(function* () {
        const { events } = yield* told({ calls: [{ name: "list_files", input: {} }] })
        expect(callsOf(events)).toMatchObject([{ arguments: "{}", truncated: false }])
      })
    )

    it.live("marks only the last call of a cut turn as truncated", () =>
      Effect.gen(function* () {
        const { events, error } = yield* told({ calls: eight.slice(0, 3), stop: "length" })
        expect(error).toBeNull()
        expect(breaches(events)).toEqual([])
        expect(callsOf(events).map(({ truncated }) => truncated)).toEqual([false, false, tells.cutCalls])
        expect(events.at(-1)).toMatchObject({ _tag: "Ended", reason: "length" })
      })
    )

    it.live("treats a call that was cut before its first argument as incomplete", () =>
      Effect.gen(function* () {
        const { events } = yield* told({ calls: [{ name: "read_file", input: {} }], stop: "length" })
        expect(callsOf(events).map(({ truncated }) => truncated)).toEqual([tells.cutCalls])
      })
    )

    for (const end of world.ends) {
      it.live(`recognises a turn that ended by ${end}`, () =>
        Effect.gen(function* () {
          const { events, error } = yield* told({ text: "I will not.", stop: end })
          expect(error).toBeNull()
          expect(events.at(-1)).toMatchObject({ _tag: "Ended", reason: end })
        })
      )
    }

    for (const [manner, how] of [
      ["CRLF", { crlf: true }],
      ["pings, comments and unknown events between", { noise: true }],
      ["single bytes, through the middle of characters", { bytesAtOnce: 1, crlf: true }],
      ["pieces of seven bytes, through the middle of JSON", { bytesAtOnce: 7, noise: true }],
      ["one piece", { bytesAtOnce: 1_000_000 }]
    ] as const) {
      it.live(`reads the same in ${manner}`, () =>
        Effect.gen(function* () {
          const plain = yield* told(full)
          const other = yield* told({ ...full, manner: how })
          expect(other.error).toBeNull()
          expect(breaches(other.events)).toEqual([])
          if (tells.callIds) expect(gist(other.events)).toEqual(gist(plain.events))
          else expect(nameless(other.events)).toEqual(nameless(plain.events))
        })
      )
    }

    for (const [status, message, kind] of [
      [400, "messages.3: unexpected role", "rejected"],
      [400, "prompt is too long: 250000 tokens > 200000 maximum", "context-too-long"],
      [400, "This model's maximum context length is 8192 tokens", "context-too-long"],
      [401, "invalid key", "not-allowed"],
      [402, "no credit", "not-allowed"],
      [403, "not for you", "not-allowed"],
      [404, "no such model", "not-allowed"],
      [413, "too large", "context-too-long"],
      [422, "unprocessable", "rejected"],
      [429, "slow down", "rate-limited"],
      [500, "oops", "provider-fault"],
      [502, "bad gateway", "provider-fault"],
      [503, "busy", "overloaded"],
      [529, "busy", "overloaded"]
    ] as const) {
      it.live(`calls HTTP ${status} (${message}) ${kind}, and asks once only`, () =>
        Effect.gen(function* () {
          const { events, error, server } = yield* told({ trouble: { status, message } })
          expect(events).toEqual([])
          expect(error).toMatchObject({ kind, status, detail: message, model: "test-model" })
          expect(server.heard).toHaveLength(1)
        })
      )
    }

    for (const [headers, millis] of [
      [{ "retry-after": "7" }, 7000],
      [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
      [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 0],
      [{ "retry-after": "soon" }, null],
      [{}, null]
    ] as const) {
      it.live(`waits as long as ${JSON.stringify(headers)} request`, () =>
        Effect.gen(function* () {
          const { error } = yield* told({ trouble: { status: 429, headers } })
          expect(error).toMatchObject({ kind: "rate-limited", retryAfterMillis: millis })
        })
      )
    }

    it.live("reads a date to wait for", () =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const date = new Date(now + 3_600_000).toUTCString()
        const { error } = yield* told({ trouble: { status: 529, headers: { "retry-after": date } } })
        expect(error?.retryAfterMillis).toBeGreaterThan(3_000_000)
        expect(error?.retryAfterMillis).toBeLessThanOrEqual(3_600_000)
      })
    )

    for (const [what, kind] of [
      ["overloaded", "overloaded"],
      ["rate-limited", "rate-limited"],
      ["fault", "provider-fault"]
    ] as const) {
      it.live(`emits the text before an error inside the stream (${what}), and then the error`, () =>
        Effect.gen(function* () {
          const { events, error } = yield* told({ ...full, trouble: { errorAfter: 4, error: what } })
          expect(error).toMatchObject({ kind, detail: "no" })
          expect(events[0]?._tag).toBe("Began")
          expect(events.some(({ _tag }) => _tag === "Ended")).toBe(false)
        })
      )
    }

    for (const how of ["cut", "short"] as const) {
      it.live(`treats a stream that ends (${how}) before its end as incomplete`, () =>
        Effect.gen(function* () {
          const plain = yield* told(full)
          const whole = callsOf(plain.events).map((call) => call.arguments)
          let ended = 0
          for (let cutAfter = 0; cutAfter < 200 && ended === 0; cutAfter++) {
            const { events, error } = yield* told({ ...full, trouble: { cutAfter, how } })
            if (events.at(-1)?._tag === "Ended") {
              ended++
              continue
            }
            // A reset may arrive before the response.
            expect(error?.kind).toBeOneOf(how === "cut" ? ["unreachable", "cut-off"] : ["cut-off"])
            // What the platform asks its programmer to do is nothing that a user can do.
            expect(error?.message).not.toMatch(/verbose|fetch\(/)
            for (const call of callsOf(events)) {
              if (!call.truncated) expect(whole).toContain(call.arguments)
            }
          }
          expect(ended).toBe(1)
        })
      )
    }

    it.live("calls an event that is not JSON malformed", () =>
      Effect.gen(function* () {
        const { error } = yield* told({ ...full, trouble: { brokenAfter: 4 } })
        expect(error?.kind).toBe("malformed")
      })
    )

    it.live("calls a page instead of a stream malformed", () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => ({
          headers: { "content-type": "text/html" },
          pieces: ["<html>Sign in</html>"]
        }))
        expect((yield* asking(server)).error).toMatchObject({
          kind: "malformed",
          detail: "it responded with text/html"
        })
      })
    )

    it.live("calls an empty answer cut off", () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => ({ pieces: [] }))
        expect((yield* asking(server)).error?.kind).toBe("cut-off")
      })
    )

    it.live("reads an error that comes with status 200 and no stream", () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => ({
          headers: { "content-type": "application/json" },
          pieces: ['{"type":"error","error":{"type":"server_error","code":"server_error","message":"model crashed"}}']
        }))
        expect((yield* asking(server)).error).toMatchObject({ kind: "provider-fault", detail: "model crashed" })
      })
    )

    it.live("reports that no server answers", () =>
      Effect.gen(function* () {
        const server = yield* Effect.promise(() => startServer(() => ({ pieces: [] })))
        yield* Effect.promise(() => server.close())
        const { error } = yield* asking(server)
        expect(error).toMatchObject({ kind: "unreachable", status: null })
        expect(error?.detail).not.toBe("")
        // What a platform asks is nothing a user could answer.
        expect(error?.detail).not.toContain("?")
      })
    )

    it.effect("stops if a server sends nothing more", () =>
      Effect.gen(function* () {
        for (const holdAfter of [0, 3]) {
          const { events, error } = yield* told({ ...full, trouble: { holdAfter } }).pipe(inHaste)
          expect(error?.kind).toBe("stalled")
          expect(events.some(({ _tag }) => _tag === "Ended")).toBe(false)
        }
      })
    )

    it.effect("stops if a server never begins to answer", () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => new Promise(() => {}))
        const { error } = yield* asking(server).pipe(inHaste)
        expect(error).toMatchObject({ kind: "stalled", detail: "no data for 10m" })
      })
    )

    it.effect("stops if an error response never ends", () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => ({ status: 500, pieces: ["oo"], end: "hold" }))
        const { error } = yield* asking(server).pipe(inHaste)
        expect(error?.kind).toBe("stalled")
        yield* Effect.promise(() => server.quiet())
      })
    )

    it.live("closes the connection when it is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* serving(() => ({ ...full, trouble: { holdAfter: 4 } }))
        const began = yield* Deferred.make<void>()
        yield* Effect.gen(function* () {
          const model = yield* Model
          const fiber = yield* Effect.forkChild(
            Stream.runForEach(model.converse(requestOf()), () => Deferred.succeed(began, undefined))
          )
          yield* Deferred.await(began)
          expect(server.open()).toBe(1)
          yield* Fiber.interrupt(fiber)
          yield* Effect.promise(() => server.quiet())
          expect(server.dropped()).toBe(1)
        }).pipe(Effect.provide(world.layer(endpointAt(world.baseUrl(server.url)))))
      })
    )

    it.live("closes the connection when it is interrupted before the answer begins", () =>
      Effect.gen(function* () {
        const arrived = Promise.withResolvers<void>()
        const server = yield* wireServer(() => {
          arrived.resolve()
          return new Promise(() => {})
        })
        const fiber = yield* Effect.forkChild(asking(server))
        yield* Effect.promise(() => arrived.promise)
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => server.quiet())
        expect(server.dropped()).toBe(1)
      })
    )

    it.live("closes the connection when the rest is not needed", () =>
      Effect.gen(function* () {
        const server = yield* serving(() => ({ ...full, trouble: { holdAfter: 4 } }))
        yield* Effect.gen(function* () {
          const model = yield* Model
          yield* Stream.runDrain(Stream.take(model.converse(requestOf()), 1))
          yield* Effect.promise(() => server.quiet())
          expect(server.dropped()).toBe(1)
        }).pipe(Effect.provide(world.layer(endpointAt(world.baseUrl(server.url)))))
      })
    )

    it.live("sends the key only to its configured address", () =>
      Effect.gen(function* () {
        const elsewhere = yield* wireServer(() => ({ pieces: [] }))
        const server = yield* wireServer((heard) => ({
          status: 307,
          headers: { location: `${elsewhere.url}${heard.path}` },
          pieces: []
        }))
        const { error } = yield* asking(server)
        expect(error).toMatchObject({ kind: "rejected", status: 307 })
        expect(elsewhere.heard).toEqual([])
        const [header, value] = world.keyHeader
        expect(server.heard[0]?.headers[header]).toBe(value)
      })
    )

    it.live("sends no header that the environment has for another server", () =>
      Effect.gen(function* () {
        const names = ["ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"]
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            for (const name of names) process.env[name] = "x-other-key: abc\nAuthorization: Bearer other"
          }),
          () =>
            Effect.sync(() => {
              for (const name of names) delete process.env[name]
            })
        )
        const { server } = yield* told({ text: "x" })
        const headers = server.heard[0]?.headers ?? {}
        expect(headers["x-other-key"]).toBeUndefined()
        const [header, value] = world.keyHeader
        expect(headers[header]).toBe(value)
        expect(process.env[names[0] ?? ""]).toContain("abc")
      })
    )

    it.live("sends nothing about this machine", () =>
      Effect.gen(function* () {
        const { server } = yield* told({ text: "x" })
        const headers = server.heard[0]?.headers ?? {}
        expect(Object.keys(headers).filter((one) => one.startsWith("x-stainless"))).toEqual([])
        expect(headers["user-agent"]).toBe("dd")
      })
    )

    it.live("never shows the key or control characters of a response", () =>
      Effect.gen(function* () {
        const hostile = `bad key ${key}\u001b[2J\r\nand Bearer abc.def ${"x".repeat(9000)}`
        const { error } = yield* told({ trouble: { status: 401, message: hostile } })
        expect(error?.message).not.toContain(key)
        expect(error?.detail).toStartWith("bad key [key] and Bearer [key] xxx")
        expect(error?.detail.length).toBeLessThanOrEqual(300)
        expect(JSON.stringify(error)).not.toContain(key)
      })
    )

    it.live("reads no endless error", () =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => ({ status: 500, pieces: ["x".repeat(200_000)], end: "hold" }))
        const { error } = yield* asking(server)
        expect(error).toMatchObject({ kind: "provider-fault", status: 500 })
        yield* Effect.promise(() => server.quiet())
      })
    )

    it.live("assigns a distinct id to every call, though the server repeats ids in each turn", () =>
      Effect.gen(function* () {
        const { events } = yield* told(
          { calls: [{ id: "call_0", name: "read_file", input: {} }] },
          requestOf({
            messages: [
              { role: "user", parts: [{ _tag: "Text", text: "Go.", lasting: true }] },
              { role: "model", parts: [{ _tag: "Call", id: "call_0", name: "read_file", input: {} }], verbatim: null },
              { role: "user", parts: [{ _tag: "Result", callId: "call_0", output: "text", isError: false }] }
            ]
          })
        )
        const ids = callsOf(events).map(({ id }) => id)
        if (tells.callIds) expect(ids).toEqual(["call_0_2"])
        else expect(ids).not.toContain("call_0")
      })
    )

    it.live("asks the model it was made for when a request names none", () =>
      Effect.gen(function* () {
        const { server } = yield* told({ text: "x" }, requestOf({ model: "" }))
        const [asked] = server.heard
        if (tells.modelInPath) expect(asked?.path).toContain("its-model")
        else expect(asked?.body?.model).toBe("its-model")
      })
    )

    it.live("has several conversations at once", () =>
      Effect.gen(function* () {
        const server = yield* serving((heard) => ({ text: JSON.stringify(heard.body).match(/number \d+/)?.[0] ?? "" }))
        const asked = Array.from({ length: 12 }, (_, at) =>
          requestOf({ messages: [{ role: "user", parts: [{ _tag: "Text", text: `number ${at}`, lasting: false }] }] })
        )
        const answers = yield* Effect.forEach(asked, heardOf, { concurrency: "unbounded" }).pipe(
          Effect.provide(world.layer(endpointAt(world.baseUrl(server.url))))
        )
        expect(answers.map(({ events }) => textOf(events, "Text"))).toEqual(asked.map((_, at) => `number ${at}`))
      })
    )
  })
}

/** The gist, where ids are made up for each turn. */
const nameless = (events: ReadonlyArray<ModelEvent>) =>
  gist(events).map((event) => ({ ...event, id: "", messageId: "" }))

/** Turns the virtual clock on until the effect has ended: the network has its own time, and is waited for. */
const inHaste = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(self)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(Duration.seconds(5))
    }
    return yield* Fiber.join(fiber)
  })
