/**
 * Decodes the output of a coding CLI, one JSON object per line, into agent events: the common part of the decoders of
 * `claude`, `codex` and `pi`. A decoder never fails and never guesses: lines that it cannot read and unknown kinds are
 * counted.
 */
import { Option, Schema } from "effect"
import { isTransientFault } from "../../../../domain/agent/transientFault.ts"
import type { Usage } from "../../../../domain/agent/Usage.ts"
import { AgentEvent } from "../../../../domain/run/AgentEvent.ts"

export interface CliEnd {
  /** The last events: costs and open turns, but no `Result`. */
  readonly events: ReadonlyArray<AgentEvent>
  /** Lines that begin like JSON but are not, or lack required fields of their kind. */
  readonly unreadable: number
  /** Lines of unknown kinds; they are not errors. */
  readonly unknown: ReadonlyMap<string, number>
}

export type CliOutcome =
  /** `output`: the structured reply; null if there is none. */
  | { readonly _tag: "Answered"; readonly output: Schema.Json | null }
  | { readonly _tag: "Failed"; readonly reason: string; readonly retryable: boolean }
  /** The stream ended before the agent was done. */
  | { readonly _tag: "Unfinished" }

type WithoutTimestamp<Event> = Event extends unknown ? Omit<Event, "timestamp"> : never

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const typed = Schema.decodeUnknownOption(Schema.Struct({ type: Schema.String }))

/** Limits of the number of unknown kinds, and of the characters of one, that are distinguished. */
const mostKinds = 20
const longestKind = 60

export abstract class CliDecoder {
  protected result: CliOutcome = { _tag: "Unfinished" }
  readonly #events: Array<AgentEvent> = []
  /** Calls of tools: each begins once and has one result, whatever the output contains. */
  readonly #begunCalls = new Set<string>()
  readonly #openCalls = new Set<string>()
  readonly #unknown = new Map<string, number>()
  #unreadable = 0
  #at = ""

  protected abstract read(kind: string, line: unknown): void
  protected close(): void {}

  get outcome(): CliOutcome {
    return this.result
  }

  /** `at`: the time of the line, UTC, ISO 8601. */
  take(line: string, at: string): ReadonlyArray<AgentEvent> {
    this.#at = at
    const text = line.trim()
    // Anything else is a banner, a warning or a blank line.
    if (text.startsWith("{")) {
      const value = Option.getOrNull(parse(text))
      this.decode(typed, value, ({ type }) => this.read(type, value))
    }
    return this.#events.splice(0)
  }

  /** Called after the last line. */
  end(at: string): CliEnd {
    this.#at = at
    this.close()
    return { events: this.#events.splice(0), unreadable: this.#unreadable, unknown: this.#unknown }
  }

  protected emit(event: WithoutTimestamp<AgentEvent>): void {
    this.#events.push(AgentEvent.make({ ...event, timestamp: this.#at }))
  }

  /** Counts a value without the shape of its kind as unreadable. */
  protected decode<A>(decoded: (value: unknown) => Option.Option<A>, value: unknown, then: (value: A) => void): void {
    Option.match(decoded(value), { onNone: () => this.countUnreadable(), onSome: then })
  }

  /** A block of a message, whose kind may be unknown. */
  protected decodeBlock<A>(
    decoded: (value: unknown) => Option.Option<A>,
    value: unknown,
    then: (block: A) => void
  ): void {
    const block = decoded(value)
    if (Option.isSome(block)) then(block.value)
    else this.decode(typed, value, ({ type }) => this.countUnknown(`assistant ${type}`))
  }

  protected countUnreadable(): void {
    this.#unreadable++
  }

  protected countUnknown(kind: string): void {
    const isCounted = this.#unknown.has(kind) || this.#unknown.size < mostKinds
    const name = isCounted ? kind.slice(0, longestKind) : "others"
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1)
  }

  protected beginCall(id: string, name: string, input: Schema.Json): void {
    if (this.#begunCalls.has(id)) return
    this.#begunCalls.add(id)
    this.#openCalls.add(id)
    this.emit({ _tag: "ToolStart", id, name, input })
  }

  /** A result without a call in the output is kept; a second result is not. */
  protected endCall(id: string, output: string, isError: boolean): void {
    if (!this.#openCalls.delete(id) && this.#begunCalls.has(id)) return
    this.emit({ _tag: "ToolResult", id, output, isError })
  }

  protected endTurn(messageId: string, stopReason: string | null | undefined): void {
    const end = { _tag: "TurnEnd", messageId } as const
    this.emit(stopReason === undefined || stopReason === null ? end : { ...end, stopReason })
  }

  protected measure(
    usage: Usage,
    of: { readonly messageId: string; readonly model: string | null; readonly costSource?: "provisional" }
  ): void {
    const { cacheWrittenTokens, ...counts } = usage
    this.emit({ _tag: "Metrics", ...counts, ...(cacheWrittenTokens === null ? {} : { cacheWrittenTokens }), ...of })
  }

  /** The cost of all turns. */
  protected total({ cacheWrittenTokens: _, ...counts }: Usage, model: string | null): void {
    this.emit({ _tag: "Cost", ...counts, model })
  }
}

/** `otherwise`: used if there is no reason. */
export const failed = (reason: string, otherwise: string): CliOutcome => ({
  _tag: "Failed",
  reason: reason === "" ? otherwise : reason,
  retryable: isTransientFault(reason)
})

const isJson = Schema.is(Schema.Json)

/** For a value parsed from a line of JSON. */
export const jsonOf = (value: unknown): Schema.Json => (isJson(value) ? value : null)

/**
 * The structured reply if the last text of an agent is only that; null if it is prose. `Agent` extracts a reply from
 * prose, and detects a cut-off.
 */
export const replyIn = (text: string): Schema.Json | null => {
  const value = Option.getOrNull(parse(text.trim()))
  return typeof value === "object" && value !== null ? jsonOf(value) : null
}

/** More than any run can have: a larger number is ignored, so that sums stay exact. */
const mostTokens = 1e12
const mostDollars = 1e9

/** A number of tokens; null for any other value. */
export const countOf = (value: unknown): number | null => {
  const amount = amountOf(value, mostTokens)
  return amount === null ? null : Math.round(amount)
}

/** An amount of dollars; null for any other value. */
export const dollarsOf = (value: unknown): number | null => amountOf(value, mostDollars)

const amountOf = (value: unknown, most: number): number | null =>
  typeof value === "number" && value >= 0 && value <= most ? value : null

/** The sum of the known counts; null if there are none. */
export const sumOf = (...counts: ReadonlyArray<number | null>): number | null =>
  counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)

const Text = Schema.Struct({ text: Schema.String })
const textOfPart = Schema.decodeUnknownOption(Text)

/** The result of a tool as text: the string itself, its text parts, or its JSON. */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value === undefined || value === null) return ""
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value
    .map((part) => Option.match(textOfPart(part), { onNone: () => JSON.stringify(part), onSome: ({ text }) => text }))
    .join("\n")
}

const withContent = Schema.decodeUnknownOption(Schema.Struct({ content: Schema.Unknown }))

/** The result of a tool, or the content in it. */
export const contentOf = (result: unknown): unknown =>
  Option.match(withContent(result), { onNone: () => result, onSome: ({ content }) => content })
