/**
 * Streams of models, damaged in every way a seed can think of, through the decoders: what must not happen.
 *
 * Some damage cannot be seen: a fragment lost from the middle of a string leaves JSON. So every stream is held to the
 * order of events, and those that were cut, or lost or gained whole events of structure, to more: a call that is said to
 * be whole has the very arguments the model wrote.
 */
import type { ModelEvent } from "../../src/domain/agent/ModelTurn.ts"
import { AnthropicDecoder } from "../../src/layers/agent/model/AnthropicDecoder.ts"
import { ChatDecoder } from "../../src/layers/agent/model/ChatDecoder.ts"
import { type Framing, framesOf } from "../../src/layers/agent/model/http/frames.ts"
import { OllamaDecoder } from "../../src/layers/agent/model/OllamaDecoder.ts"
import { ResponsesDecoder } from "../../src/layers/agent/model/ResponsesDecoder.ts"
import { isCut, type TurnContext, type TurnDecoder } from "../../src/layers/agent/model/TurnDecoder.ts"
import { messagesDialect } from "./anthropicServer.ts"
import { breaches } from "./modelContract.ts"
import { ollamaDialect } from "./ollamaServer.ts"
import { type ChatHabits, chatDialect, responsesDialect } from "./openaiServer.ts"
import { argumentsOf, type Dialect, type ScriptedTurn } from "./scriptedTurn.ts"

export const protocols = ["messages", "responses", "chat", "ollama"] as const
export type Protocol = (typeof protocols)[number]

/** A small generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export const numbersOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const heard = { method: "POST", path: "/", headers: {}, text: "", body: { model: "m" } }
const context: TurnContext = { turnId: "t", takenIds: new Set() }

/** Decodes and judges one damaged stream; null when nothing is wrong, else what is. Throws only what a decoder throws. */
export const judged = (protocol: Protocol, seed: number): string | null => {
  const next = numbersOf(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  const turn = randomTurn(next, below)
  const dialect = dialectOf(protocol, below)
  const events = dialect.events(turn, heard, 0)
  const [bytes, isExact] = damaged(dialect, events, next, below)
  const said = decoded(protocol, bytes, below)

  const wrong = breaches(said).filter((breach) => breach !== "a call has no end")
  if (wrong.length > 0) return wrong.join("; ")
  // Ollama sends no half of a call.
  const isWhole = turn.stop !== "length" || protocol === "ollama"
  const written = (turn.calls ?? []).map(({ input }, at) => (isWhole ? JSON.stringify(input) : argumentsOf(turn, at)))
  const cut = isWhole ? -1 : written.length - 1
  for (const event of said) {
    if (event._tag !== "CallEnded" || event.truncated) continue
    if (isCut(event.arguments)) return `a call said to be whole is cut: ${event.arguments}`
    if (!isExact) continue
    const at = written.indexOf(event.arguments)
    if (at === -1) return `arguments nobody wrote: ${event.arguments}`
    if (at === cut && written.lastIndexOf(event.arguments) === at)
      return `a cut call said to be whole: ${event.arguments}`
  }
  return null
}

export const decoded = (
  protocol: Protocol,
  bytes: Uint8Array,
  below: (limit: number) => number
): ReadonlyArray<ModelEvent> => {
  switch (protocol) {
    case "messages":
      return run(new AnthropicDecoder(context), bytes, below)
    case "responses":
      return run(new ResponsesDecoder(context), bytes, below)
    case "chat":
      return run(new ChatDecoder(context), bytes, below)
    case "ollama":
      return run(new OllamaDecoder(context), bytes, below, "lines")
  }
}

/** As `httpModel` does it, without a network. */
const run = (
  decoder: TurnDecoder,
  bytes: Uint8Array,
  below: (limit: number) => number,
  framing: Framing = "events"
): ReadonlyArray<ModelEvent> => {
  const frames = framesOf(framing)
  const readAll = (taken: ReturnType<typeof frames.take>): boolean => {
    for (const event of taken.events) {
      decoder.read(event)
      if (decoder.isOver || decoder.fault !== null) return false
    }
    return taken.fault === null
  }
  const size = 1 + below(200)
  for (let at = 0; at < bytes.length; at += size) {
    if (!readAll(frames.take(bytes.subarray(at, at + size)))) return decoder.takeEvents()
  }
  if (readAll(frames.end())) decoder.close()
  return decoder.takeEvents()
}

const dialectOf = (protocol: Protocol, below: (limit: number) => number): Dialect => {
  if (protocol === "messages") return messagesDialect
  if (protocol === "responses") return responsesDialect
  if (protocol === "ollama") return ollamaDialect
  const habits: ChatHabits = {
    thinkingIn: (["reasoning_content", "reasoning", "content"] as const)[below(3)] ?? "content",
    wholeCalls: below(3) === 0,
    noIndex: below(4) === 0,
    noUsage: below(3) === 0,
    noDone: below(3) === 0,
    ...(below(3) === 0 ? { callIds: "none" as const } : {})
  }
  return chatDialect(habits)
}

const words = ["path", "src/файл.ts", "🦊", '"quoted"', "\\", "{", "}", "[", "a b", "\n", "</think>", "<think>", ""]

const randomTurn = (next: () => number, below: (limit: number) => number): ScriptedTurn => {
  const text = (): string => Array.from({ length: below(12) }, () => words[below(words.length)] ?? "").join(" ")
  const value = (depth: number): unknown => {
    const kind = below(depth > 2 ? 3 : 5)
    if (kind === 0) return below(1000) / 8
    if (kind <= 2) return text()
    if (kind === 3) return Array.from({ length: below(3) }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length: below(3) }, (_, at) => [`k${at}`, value(depth + 1)]))
  }
  const calls = Array.from({ length: below(4) }, (_, at) => ({ name: `tool_${at}`, input: { at, [text()]: value(0) } }))
  return {
    ...(next() < 0.5 ? { thinking: text() } : {}),
    ...(next() < 0.7 ? { text: text() } : {}),
    ...(calls.length > 0 ? { calls } : {}),
    ...(next() < 0.25 ? { stop: "length" as const } : {})
  }
}

/** The bytes after some damage, and whether every call said to be whole must be the model's own. */
const damaged = (
  dialect: Dialect,
  whole: ReadonlyArray<string>,
  next: () => number,
  below: (limit: number) => number
): readonly [Uint8Array, boolean] => {
  let events = [...whole]
  let isExact = true
  for (let so = 1 + below(3); so > 0; so--) {
    const at = below(events.length)
    const event = events[at] ?? ""
    switch (below(7)) {
      case 0:
        events.splice(at, 0, dialect.noise[below(dialect.noise.length)] ?? "")
        break
      case 1:
        events.splice(at, 0, below(2) === 0 ? dialect.broken : dialect.errorEvent("fault"))
        break
      case 2:
        isExact &&= isStructure(event)
        events.splice(at, 1)
        break
      case 3:
        isExact &&= isStructure(event)
        events.splice(at, 0, event)
        break
      case 4: {
        isExact = false
        const other = below(events.length)
        ;[events[at], events[other]] = [events[other] ?? "", event]
        break
      }
      case 5:
        isExact = false
        events = [...events.slice(0, at), ...events.slice(below(events.length))]
        break
    }
  }
  let bytes = new TextEncoder().encode(events.join(""))
  if (next() < 0.5) bytes = bytes.slice(0, below(bytes.length + 1))
  if (next() < 0.4) {
    isExact = false
    for (let so = 1 + below(6); so > 0 && bytes.length > 0; so--) bytes[below(bytes.length)] = below(256)
  }
  return [bytes, isExact]
}

/** Nothing a model wrote is in it: without it, or twice, the rest of the stream says that something is wrong. */
const isStructure = (event: string): boolean => !/delta|tool_calls|arguments|"content"/.test(event)
