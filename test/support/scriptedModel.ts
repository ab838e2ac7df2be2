/**
 * A model that says what it was told to say, turn by turn, natively or in words: the same script is one suite for both
 * protocols. It remembers every request.
 */
import { Effect, Layer, Ref, type Schema, Stream } from "effect"
import type { EndReason, ModelEvent, ModelMessage, ModelRequest, ModelUsage } from "../../src/domain/agent/ModelTurn.ts"
import { Model, ModelError, type ModelErrorKind } from "../../src/services/agent/Model.ts"

export interface ScriptedCall {
  readonly name: string
  readonly input: Schema.Json
  /** As it is written, where that is no JSON. */
  readonly written?: string
  readonly truncated?: boolean
}

export interface ScriptedSaying {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: ReadonlyArray<ScriptedCall>
  readonly reason?: EndReason
  readonly usage?: ModelUsage
  /** The turn fails after all this was said, `usage` too. */
  readonly error?: ModelError
  /** The turn fails before the provider has said anything. */
  readonly silent?: true
  /** Done before the end of the turn is said. */
  readonly before?: Effect.Effect<void>
  readonly verbatim?: Schema.Json
  /** The stream ends, and nobody said that the turn did. */
  readonly unended?: boolean
}

/** What is said to a request; `nth` counts from 1 over all contexts. */
export type Script = (request: ModelRequest, nth: number) => ScriptedSaying | Effect.Effect<ScriptedSaying>

export interface ScriptedModelOptions {
  readonly tools?: "native" | "words" | "none"
  readonly fanout?: number
  readonly contextTokens?: number
  readonly outputTokens?: number
  readonly mustAnswer?: NonNullable<Model["Service"]["mustAnswer"]>
  /** Text comes in pieces of so many characters. */
  readonly piece?: number
}

export const modelError = (kind: ModelErrorKind, over: Partial<{ retryAfterMillis: number; detail: string }> = {}) =>
  new ModelError({
    provider: "scripted",
    model: "scripted-1",
    kind,
    status: null,
    retryAfterMillis: over.retryAfterMillis ?? null,
    detail: over.detail ?? ""
  })

/** One after another; the last is said again where there are no more. */
export const saying =
  (...turns: ReadonlyArray<ScriptedSaying>): Script =>
  (_, nth) =>
    turns[Math.min(nth, turns.length) - 1] ?? {}

export const scriptedModel = (
  script: Script,
  requests: Array<ModelRequest> | null = [],
  options: ScriptedModelOptions = {}
) => {
  const {
    contextTokens = 200_000,
    fanout = 8,
    mustAnswer,
    outputTokens = 16_000,
    piece = 7,
    tools = "native"
  } = options
  return Layer.effect(
    Model,
    Effect.map(Ref.make(0), (count) =>
      Model.of({
        provider: "scripted",
        model: "scripted-1",
        tools,
        room: { contextTokens, outputTokens },
        fanout,
        ...(mustAnswer === undefined ? {} : { mustAnswer }),
        converse: (request) =>
          Stream.unwrap(
            Effect.gen(function* () {
              const nth = yield* Ref.updateAndGet(count, (n) => n + 1)
              requests?.push(structuredClone(request))
              const answer = script(request, nth)
              const said = Effect.isEffect(answer) ? yield* answer : answer
              const events = tools === "words" ? wordsOf(said, nth, piece) : eventsOf(said, nth, piece)
              const spoken = Stream.fromIterable(said.silent === true ? [] : events)
              const ending = said.unended === true ? [] : endOf(said, nth, tools)
              const told = said.usage === undefined ? [] : [{ _tag: "Used", usage: said.usage } as const]
              const rest = Stream.unwrap(
                Effect.as(
                  said.before ?? Effect.void,
                  said.error === undefined
                    ? Stream.fromIterable(ending)
                    : Stream.concat(Stream.fromIterable(told), Stream.fail(said.error))
                )
              )
              return Stream.concat(spoken, rest)
            })
          )
      })
    )
  )
}

const cut = (text: string, size: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

const written = (call: ScriptedCall): string => call.written ?? JSON.stringify(call.input)

const began = (nth: number): ModelEvent => ({ _tag: "Began", messageId: `msg-${nth}`, model: "scripted-1" })

const eventsOf = ({ calls = [], text = "", thinking = "" }: ScriptedSaying, nth: number, piece: number) => [
  began(nth),
  ...cut(thinking, piece).map((part): ModelEvent => ({ _tag: "Thinking", text: part })),
  ...(thinking === "" ? [] : [{ _tag: "ThinkingEnded" } as const]),
  ...cut(text, piece).map((part): ModelEvent => ({ _tag: "Text", text: part })),
  ...calls.flatMap((call, at): ReadonlyArray<ModelEvent> => {
    const id = `call-${nth}-${at}`
    return [
      { _tag: "CallBegan", id, name: call.name },
      ...cut(written(call), piece).map((part): ModelEvent => ({ _tag: "CallArguments", id, text: part })),
      { _tag: "CallEnded", id, name: call.name, arguments: written(call), truncated: call.truncated ?? false }
    ]
  })
]

const wordsOf = ({ calls = [], text = "", thinking = "" }: ScriptedSaying, nth: number, piece: number) => {
  const elements = calls.map((call) => {
    const close = call.truncated === true ? "" : "</action_call>"
    return `<action_call name="${call.name}">${written(call)}${close}`
  })
  const whole = `${thinking === "" ? "" : `<reasoning>${thinking}</reasoning>`}${text}${elements.join("\n")}`
  return [began(nth), ...cut(whole, piece).map((part): ModelEvent => ({ _tag: "Text", text: part }))]
}

const endOf = (
  { calls = [], reason, usage, verbatim = null }: ScriptedSaying,
  nth: number,
  tools: "native" | "words" | "none"
): ReadonlyArray<ModelEvent> => {
  const usual = calls.length > 0 && tools === "native" ? "calls" : "done"
  const ended = reason ?? (calls.some(({ truncated }) => truncated) ? "length" : usual)
  const counts = usage ?? {
    promptTokens: 100 * nth,
    cachedTokens: 10,
    completionTokens: 20,
    reasoningTokens: null,
    costUsd: null
  }
  return [
    { _tag: "Used", usage: counts },
    { _tag: "Ended", reason: ended, stopReason: ended, verbatim: tools === "native" ? verbatim : null }
  ]
}

/** Every call in the messages has its result in the next, and nothing else is a result. */
export const unpaired = (messages: ReadonlyArray<ModelMessage>): ReadonlyArray<string> => {
  const odd: Array<string> = []
  let owed: ReadonlyArray<string> = []
  for (const message of messages) {
    if (message.role === "model") {
      odd.push(...owed)
      owed = message.parts.flatMap((part) => (part._tag === "Call" ? [part.id] : []))
      continue
    }
    const results = message.parts.flatMap((part) => (part._tag === "Result" ? [part.callId] : []))
    if (results.join() !== owed.join()) odd.push(`${owed.join()} answered by ${results.join()}`)
    const firstText = message.parts.findIndex((part) => part._tag === "Text")
    if (firstText >= 0 && message.parts.slice(firstText).some((part) => part._tag === "Result"))
      odd.push("text before a result")
    owed = []
  }
  return [...odd, ...owed]
}
