/**
 * What CLIs print, damaged in every way a seed can think of, through the decoders: what must not happen.
 *
 * Whatever comes, a decoder says only whole events, a call begins once and has one result, nothing is a `Result`, and
 * the same bytes cut elsewhere say the same. Of a stream that is only cut short it says nothing the agent did not do, and
 * not that it has answered.
 */
import { Schema } from "effect"
import { AgentEvent } from "../../../src/domain/run/AgentEvent.ts"
import { TextLines } from "../../../src/domain/text/TextLines.ts"
import { ClaudeDecoder } from "../../../src/layers/agent/backend/cli/ClaudeDecoder.ts"
import type { CliDecoder } from "../../../src/layers/agent/backend/cli/CliDecoder.ts"
import { CodexDecoder } from "../../../src/layers/agent/backend/cli/CodexDecoder.ts"
import { PiDecoder } from "../../../src/layers/agent/backend/cli/PiDecoder.ts"
import { numbersOf } from "../damagedStreams.ts"
import { type CliName, failureOf, linesOf, type Work } from "./protocols.ts"

const streamOf: Readonly<Record<CliName, () => CliDecoder>> = {
  claude: () => new ClaudeDecoder(),
  codex: () => new CodexDecoder("m"),
  pi: () => new PiDecoder()
}

type Below = (limit: number) => number

const at = "2026-01-01T00:00:00.000Z"
const isEvent = Schema.is(AgentEvent)

/** Decodes and judges one damaged stream; null when nothing is wrong, else what is. Throws only what a decoder throws. */
export const judgedLines = (name: CliName, seed: number): string | null => {
  const next = numbersOf(seed)
  const below: Below = (limit) => Math.floor(next() * limit)
  const work = randomWork(below)
  const lines = below(8) === 0 ? failureOf(name, "529 overloaded") : linesOf[name](work)
  const [text, isCut] = damaged(lines, below)
  const whole = new TextEncoder().encode(text)
  const bytes = below(3) === 0 ? flipped(whole, below) : whole
  const [events, outcome] = heard(name, bytes, bytes.length + 1)
  const [again, same] = heard(name, bytes, 1 + below(300))
  if (JSON.stringify([events, outcome]) !== JSON.stringify([again, same]))
    return "it says something else when cut elsewhere"
  const open = new Set<string>()
  const begun = new Set<string>()
  for (const event of events) {
    if (!isEvent(event)) return `no event: ${JSON.stringify(event)}`
    if (event._tag === "Result") return "a decoder gave the result"
    if (event._tag === "ToolStart") {
      if (begun.has(event.id)) return `begun twice: ${event.id}`
      begun.add(event.id)
      open.add(event.id)
    }
    if (event._tag === "ToolResult" && !open.delete(event.id) && begun.has(event.id)) {
      return `a second result: ${event.id}`
    }
  }
  if (!isCut || bytes !== whole) return null
  if (outcome === "Answered") return "it has answered in what was cut off"
  const written = (work.tools ?? []).map(({ input }) => JSON.stringify(Object.values(input).join(" ")))
  for (const event of events) {
    if (event._tag !== "ToolStart") continue
    const said = JSON.stringify(Object.values(event.input ?? {}).join(" "))
    if (!written.includes(said)) return `a call nobody made: ${said}`
  }
  return null
}

const heard = (name: CliName, bytes: Uint8Array, size: number) => {
  const lines = new TextLines(100_000)
  const stream = streamOf[name]()
  const events: Array<AgentEvent> = []
  const take = (found: ReadonlyArray<string | null>) => {
    for (const line of found) if (line !== null) events.push(...stream.take(line, at))
  }
  for (let from = 0; from < bytes.length; from += size) take(lines.push(bytes.subarray(from, from + size)))
  take(lines.end())
  events.push(...stream.end(at).events)
  return [events, stream.outcome._tag] as const
}

const words = ["path", "src/файл.ts", "🦊", '"quoted"', "\\", "{", "}", "[", "a b", "\n", "```json", "\u2028", ""]

const randomWork = (below: Below): Work => ({
  thinking: Array.from({ length: below(3) }, () => phrase(below)),
  tools: Array.from({ length: below(4) }, () => ({
    name: "Read",
    input: { path: phrase(below) },
    output: phrase(below),
    failed: below(2) === 0
  })),
  text: phrase(below),
  ...(below(2) === 0 ? { reply: { intent: phrase(below) } } : {})
})

const phrase = (below: Below): string =>
  Array.from({ length: 1 + below(6) }, () => words[below(words.length)]).join(" ")

/** The text, and whether it is only the beginning of what the CLI wrote. */
const damaged = (lines: ReadonlyArray<string>, below: Below): readonly [string, boolean] => {
  const text = `${lines.join("\n")}\n`
  const pick = () => below(lines.length)
  switch (below(8)) {
    case 0: {
      // Before the line that decides: what comes after the agent's last word may be lost without harm.
      const deciding = lines.findLastIndex((line) =>
        /"type":"(?:result|turn\.completed|turn\.failed|turn_end)"/.test(line)
      )
      const before = lines.slice(0, Math.max(0, deciding)).join("\n").length
      const second = lines.findIndex((line) => /"type":"turn_end"/.test(line))
      const limit = second >= 0 && second < deciding ? lines.slice(0, second).join("\n").length : before
      return [text.slice(0, below(limit + 1)), true]
    }
    case 1:
      return [lines.filter(() => below(4) > 0).join("\n"), false]
    case 2:
      return [lines.flatMap((line) => (below(3) === 0 ? [line, line] : [line])).join("\r\n"), false]
    case 3: {
      const other = [...lines]
      const [a, b] = [pick(), pick()]
      ;[other[a], other[b]] = [other[b] ?? "", other[a] ?? ""]
      return [other.join("\n"), false]
    }
    case 4: {
      const from = below(text.length)
      return [text.slice(0, from) + text.slice(from + 1 + below(40)), false]
    }
    case 5: {
      const from = below(text.length)
      return [text.slice(0, from) + odd[below(odd.length)] + text.slice(from), false]
    }
    default: {
      const other = lines.map((line) => (below(3) === 0 ? JSON.stringify(confused(JSON.parse(line), below)) : line))
      return [other.join("\n"), false]
    }
  }
}

const odd = [
  "\n",
  "\0",
  '"',
  "{",
  "}",
  "[[[[[[[[",
  "\\u0000",
  "null",
  "\ud800",
  '{"type":"result"}\n',
  "x".repeat(100_001)
]

/** A value in which something is of another type, missing, or one level too deep. */
const confused = (value: unknown, below: Below): unknown => {
  if (below(6) === 0) return strange(below)
  if (Array.isArray(value)) {
    return below(5) === 0 ? [...value, strange(below)] : value.map((each) => confused(each, below))
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).flatMap(([key, each]) =>
      below(10) === 0 ? [] : [[key, confused(each, below)] as const]
    )
    return Object.fromEntries(entries)
  }
  return value
}

const strange = (below: Below): unknown =>
  [null, 0, -1, 1.5, 1e308, "", "x", true, [], {}, [[]], { type: "text" }, { text: 1 }, "__proto__", [null]][below(15)]

/** Some bytes are others: no text, most of the time. */
const flipped = (bytes: Uint8Array, below: Below): Uint8Array => {
  const other = bytes.slice()
  for (let n = 1 + below(5); n > 0 && other.length > 0; n--) other[below(other.length)] = below(256)
  return other
}
