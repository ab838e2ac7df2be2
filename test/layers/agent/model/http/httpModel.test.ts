import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { TestClock } from "effect/testing"
import type { ModelEvent } from "../../../../../src/domain/agent/ModelTurn.ts"
import { layer } from "../../../../../src/layers/agent/model/Anthropic.ts"
import { framesOf } from "../../../../../src/layers/agent/model/http/frames.ts"
import { checkModel } from "../../../../../src/layers/agent/model/http/httpModel.ts"
import { Model } from "../../../../../src/services/agent/Model.ts"
import { messagesDialect } from "../../../../support/anthropicServer.ts"
import { it } from "../../../../support/effect.ts"
import { endpointAt, requestOf } from "../../../../support/modelContract.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("the frames of a stream", () => {
  const text = 'event: a\r\ndata: {"t":"🦊 ☃"}\r\n\r\n: note\n\ndata: [1]\ndata: \n\nretry: 5\n\ndata: [DONE]'

  const framed = (sizes: ReadonlyArray<number>) => {
    const frames = framesOf("events")
    const whole = bytes(text)
    const events = []
    let at = 0
    for (const size of sizes) {
      events.push(...frames.take(whole.slice(at, at + size)).events)
      at += size
    }
    events.push(...frames.take(whole.slice(at)).events, ...frames.end().events)
    return events
  }

  test("are the same wherever the bytes are cut", () => {
    const whole = framed([])
    expect(whole).toEqual([
      { name: "a", data: '{"t":"🦊 ☃"}' },
      { name: "message", data: "[1]\n" },
      { name: "message", data: "[DONE]" }
    ])
    const length = bytes(text).length
    for (let first = 0; first <= length; first++) expect(framed([first])).toEqual(whole)
    expect(framed(Array.from({ length }, () => 1))).toEqual(whole)
  })

  test("leave out an event that was cut in its data", () => {
    const frames = framesOf("events")
    expect(frames.take(bytes('data: {"a":1}\n\ndata: {"a":')).events).toHaveLength(1)
    expect(frames.end().events).toEqual([])
  })

  test("are lines where the protocol has lines", () => {
    const frames = framesOf("lines")
    expect(frames.take(bytes('{"a":1}\r\n{"b"')).events.map(({ data }) => data.trim())).toEqual(['{"a":1}'])
    expect(frames.take(bytes(":2}")).events).toEqual([])
    expect(frames.end().events).toEqual([{ name: "message", data: '{"b":2}' }])
  })

  test("are not gathered without end", () => {
    const frames = framesOf("events")
    const mebibyte = bytes("x".repeat(1024 * 1024))
    let fault = null
    for (let so = 0; so < 20 && fault === null; so++) fault = frames.take(mebibyte).fault
    expect(fault).toMatchObject({ kind: "too-much" })
    const small = framesOf("events")
    const event = bytes(`data: {"x":"${"y".repeat(500_000)}"}\n\n`)
    fault = null
    for (let so = 0; so < 40 && fault === null; so++) fault = small.take(event).fault
    expect(fault).toMatchObject({ kind: "too-much" })
    const tiny = framesOf("events")
    const many = bytes("data: {}\n\n".repeat(10_000))
    fault = null
    for (let so = 0; so < 60 && fault === null; so++) fault = tiny.take(many).fault
    expect(fault).toMatchObject({ kind: "too-much" })
  })
})

/** A provider whose every byte the test sends, on virtual time. */
const scripted = Effect.gen(function* () {
  const asked = yield* Deferred.make<RequestInit>()
  const opened = Promise.withResolvers<Response>()
  let body: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      body = controller
    }
  })
  const fetch: typeof globalThis.fetch = Object.assign(
    (_: unknown, init?: RequestInit) => {
      Effect.runSync(Deferred.succeed(asked, init ?? {}))
      init?.signal?.addEventListener("abort", () => {
        opened.reject(new Error("aborted"))
        body?.error(new Error("aborted"))
      })
      return opened.promise
    },
    { preconnect: () => {} }
  )
  const heard: Array<ModelEvent> = []
  const fiber = yield* Model.use((model) =>
    Stream.runForEach(model.converse(requestOf()), (event) => Effect.sync(() => heard.push(event)))
  ).pipe(
    Effect.provide(
      layer({
        endpoint: endpointAt("http://nowhere.invalid"),
        model: "m",
        room: { contextTokens: 1, outputTokens: 1 },
        fanout: 1
      })
    ),
    Effect.provideService(FetchHttpClient.Fetch, fetch),
    Effect.flip,
    Effect.forkChild
  )
  const init = yield* Deferred.await(asked)
  const settle = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))
  return {
    fiber,
    heard,
    signal: init.signal,
    answer: Effect.sync(() =>
      opened.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }))
    ).pipe(Effect.andThen(settle)),
    say: (text: string) => Effect.sync(() => body?.enqueue(bytes(text))).pipe(Effect.andThen(settle)),
    pass: (time: "4 minutes" | "9 minutes" | "2 minutes") => TestClock.adjust(time).pipe(Effect.andThen(settle))
  }
})

const messages = messagesDialect.events(
  { text: "Hi." },
  { method: "POST", path: "/", headers: {}, text: "", body: null },
  0
)

describe("patience", () => {
  it.effect("is measured from one sign of life to the next, and a ping is one", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      yield* server.answer
      yield* server.say(messages[0] ?? "")
      for (let so = 0; so < 10; so++) {
        yield* server.pass("4 minutes")
        yield* server.say(so % 2 === 0 ? 'event: ping\ndata: {"type":"ping"}\n\n' : ": still here\n\n")
      }
      expect(server.heard.map(({ _tag }) => _tag)).toEqual(["Began", "Used"])
      yield* server.pass("4 minutes")
      expect(server.fiber.pollUnsafe()).toBeUndefined()
      yield* server.pass("2 minutes")
      expect(yield* Fiber.join(server.fiber)).toMatchObject({ kind: "stalled", detail: "no data for 5m" })
      expect(server.signal?.aborted).toBe(true)
    })
  )

  it.effect("lasts longer until the answer begins", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      yield* server.pass("9 minutes")
      expect(server.fiber.pollUnsafe()).toBeUndefined()
      yield* server.pass("2 minutes")
      expect(yield* Fiber.join(server.fiber)).toMatchObject({ kind: "stalled", detail: "no data for 10m" })
      expect(server.signal?.aborted).toBe(true)
    })
  )

  it.effect("ends a finished turn if the server never closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      yield* server.answer
      yield* server.say(messages.join(""))
      expect(server.heard.at(-1)).toMatchObject({ _tag: "Ended" })
      yield* server.pass("2 minutes")
      // Flipped: that it succeeded is a failure here.
      const exit = yield* Fiber.await(server.fiber)
      expect(Option.isSome(Option.liftPredicate(exit, (end) => end._tag === "Failure"))).toBe(true)
      expect(server.signal?.aborted).toBe(true)
    })
  )
})

describe("the free question before a review", () => {
  it.effect("closes its connection if the answer is not read", () =>
    Effect.gen(function* () {
      let heard: AbortSignal | undefined
      const sender = Effect.succeed((signal: AbortSignal) => {
        heard = signal
        return Promise.resolve(new Response("{}"))
      })
      yield* checkModel({ provider: "openai", endpoint: endpointAt("http://127.0.0.1:9"), model: "m" }, sender)
      expect(heard?.aborted).toBe(true)
    })
  )

  it.effect("fails when the service accepts it and sends nothing", () =>
    Effect.gen(function* () {
      const silent = Effect.succeed(() => new Promise<Response>(() => {}))
      const who = { provider: "openai", endpoint: endpointAt("http://127.0.0.1:9"), model: "m" }
      const asked = yield* Effect.forkChild(Effect.flip(checkModel(who, silent)))
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(asked)).message).toMatch(/could not be reached.*no data for 10s/)
    })
  )
})
