/**
 * What a coding CLI prints, a JSON object a line, as an agent's events: what the decoders of `claude`, `codex` and `pi`
 * have in common. They are pure: lines and times in, events out. A decoder never fails and never guesses: what it cannot
 * read it counts, what it does not know it counts apart, and what the stream came to is asked once it has ended.
 */
import { Option, Schema } from "effect"
import type { AgentEvent } from "../../../../domain/run/AgentEvent.ts"

export interface CliStream {
  /** `at`: when the line came, UTC, ISO 8601. */
  readonly take: (line: string, at: string) => ReadonlyArray<AgentEvent>
  /** What the stream comes to, as far as it is. */
  readonly outcome: CliOutcome
  /** Once nothing more comes. */
  readonly end: (at: string) => CliEnd
}

export interface CliEnd {
  /** What closes the stream: costs and open turns, but no `Result`. */
  readonly events: ReadonlyArray<AgentEvent>
  /** Lines that began as JSON and were none, or lacked what their kind must have. */
  readonly unreadable: number
  /** Lines of kinds that are not known here; they are no fault. */
  readonly unknown: ReadonlyMap<string, number>
}

export type CliOutcome =
  /** `output`: the structured reply; null when there is none in it. */
  | { readonly _tag: "Answered"; readonly output: Schema.Json | null }
  | { readonly _tag: "Failed"; readonly reason: string; readonly retryable: boolean }
  /** The stream ended before the agent had. */
  | { readonly _tag: "Unfinished" }

/** What a line holds; `Noise` is no JSON at all: a banner, a warning, a blank. */
export type Line =
  | { readonly _tag: "Object"; readonly kind: string; readonly value: object }
  | { readonly _tag: "Unreadable" }
  | { readonly _tag: "Noise" }

const Kind = Schema.Struct({ type: Schema.String })
const kindOf = Schema.decodeUnknownOption(Kind)
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

export const readLine = (line: string): Line => {
  const text = line.trim()
  if (!text.startsWith("{")) return { _tag: "Noise" }
  const value = Option.getOrNull(parse(text))
  if (typeof value !== "object" || value === null) return { _tag: "Unreadable" }
  return Option.match(kindOf(value), {
    onNone: (): Line => ({ _tag: "Unreadable" }),
    onSome: ({ type }): Line => ({ _tag: "Object", kind: type, value })
  })
}

/** What was not understood, counted; of kinds of which there are many, only the first are told apart. */
export class Misread {
  unreadable = 0
  readonly unknown = new Map<string, number>()

  unknownKind(kind: string): void {
    const known = this.unknown.has(kind) || this.unknown.size < mostKinds
    const name = known ? kind.slice(0, longestKind) : "others"
    this.unknown.set(name, (this.unknown.get(name) ?? 0) + 1)
  }
}

const mostKinds = 20
const longestKind = 60

/** Calls of tools: each begins once and has one result, whatever the stream says. */
export class Calls {
  readonly #seen = new Set<string>()
  readonly #open = new Set<string>()

  /** False for an id that was begun before. */
  begin(id: string): boolean {
    if (this.#seen.has(id)) return false
    this.#seen.add(id)
    this.#open.add(id)
    return true
  }

  /** False for a second result. The result of a call that the stream did not show is kept: the record says so. */
  answer(id: string): boolean {
    return this.#open.delete(id) || !this.#seen.has(id)
  }
}

const isJson = Schema.is(Schema.Json)

/** Of a value that came out of a line of JSON. */
export const jsonOf = (value: unknown): Schema.Json => (isJson(value) ? value : null)

/**
 * The structured reply where the last thing an agent said is one, whole; null where it is in words. Out of those `Agent`
 * takes it, who also sees what was cut off.
 */
export const replyIn = (text: string): Schema.Json | null => {
  const value = Option.getOrNull(parse(text.trim()))
  return typeof value === "object" && value !== null ? jsonOf(value) : null
}

/** More than any run can have: what is told beyond is no measure, and sums stay whole numbers. */
const mostTokens = 1e12
const mostDollars = 1e9

/** A count of tokens; null for what is none. */
export const countOf = (value: unknown): number | null => {
  const amount = amountOf(value, mostTokens)
  return amount === null ? null : Math.round(amount)
}

/** An amount of dollars; null for what is none. */
export const dollarsOf = (value: unknown): number | null => amountOf(value, mostDollars)

const amountOf = (value: unknown, most: number): number | null =>
  typeof value === "number" && value >= 0 && value <= most ? value : null

/** The sum of what is known; null when nothing is. */
export const sumOf = (...counts: ReadonlyArray<number | null>): number | null =>
  counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)

const Text = Schema.Struct({ text: Schema.String })
const textOfPart = Schema.decodeUnknownOption(Text)

/** What a tool answered, in words: itself, its parts that are text, or the JSON it is. */
export const wordsOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value === undefined || value === null) return ""
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value
    .map((part) => Option.match(textOfPart(part), { onNone: () => JSON.stringify(part), onSome: ({ text }) => text }))
    .join("\n")
}
