/**
 * How the answer of a provider becomes `ModelEvent`s: one event of its stream at a time, purely.
 *
 * A decoder never throws, whatever it is given, and never says `CallEnded` untruncated of a call whose end it has not
 * seen: the last call of a turn is held back until the provider has said why the turn ended.
 */
import { Option, Schema } from "effect"
import type { ModelEvent, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import type { ModelErrorKind } from "../../../services/agent/Model.ts"

/** An event as it came: its name (`message` where it has none) and its data, which may be anything. */
export interface WireEvent {
  readonly name: string
  readonly data: string
}

/** Why a turn did not end, as far as its stream tells. */
export interface Fault {
  readonly kind: ModelErrorKind
  readonly status: number | null
  readonly detail: string
}

export interface Decoded<Turn> {
  readonly turn: Turn
  readonly said: ReadonlyArray<ModelEvent>
  /** After a fault nothing more is taken. */
  readonly fault: Fault | null
}

export interface Decoder<Turn> {
  readonly begin: Turn
  readonly take: (turn: Turn, event: WireEvent) => Decoded<Turn>
  /** Nothing more will come. */
  readonly end: (turn: Turn) => Decoded<Turn>
  /** `Ended` has been said. */
  readonly isOver: (turn: Turn) => boolean
}

/** What a decoder must know of the request it hears the answer to. */
export interface Hearing {
  /** Stands where the provider gives no id. */
  readonly turnId: string
  /** Ids of calls the conversation already has. */
  readonly takenIds: ReadonlySet<string>
}

export type JsonObject = { readonly [key: string]: Schema.Json }

export const nothingSaid = <Turn>(turn: Turn): Decoded<Turn> => ({ turn, said: [], fault: null })

export const faulty = <Turn>(turn: Turn, kind: ModelErrorKind, detail: string): Decoded<Turn> => ({
  turn,
  said: [],
  fault: { kind, status: null, detail }
})

export const notJson = <Turn>(turn: Turn): Decoded<Turn> => faulty(turn, "malformed", "an event is not JSON")

/** OpenAI's stream, and those like it, end with this instead of JSON. */
export const endMark = "[DONE]"

/** The stream ended before the turn did. */
export const cutOff = <Turn>(turn: Turn): Decoded<Turn> => faulty(turn, "unreachable", "the answer was cut off")

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

export const jsonOf = (text: string): Schema.Json | undefined => Option.getOrUndefined(parse(text))

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectOf = (text: string): JsonObject | undefined => {
  const value = jsonOf(text)
  return isObject(value) ? value : undefined
}

/**
 * Arguments that are not the whole of a value: something in them was opened and not closed. Text that could never
 * become JSON is not cut, it is wrong, and for whoever runs the call to answer.
 */
export const isCut = (text: string): boolean => {
  let open = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "{" || character === "[") open++
    else if (character === "}" || character === "]") open--
  }
  return inString || open > 0 || text.trim() === ""
}

/** The id under which a call is known: the provider's own, unless it has none or used it before. */
export const callIdOf = (
  given: string,
  place: number,
  { turnId, takenIds }: Hearing,
  inTurn: Iterable<string>
): string => {
  const taken = new Set([...takenIds, ...inTurn])
  const stem = given === "" ? `call_${turnId}_${place}` : given
  let id = stem
  for (let next = 2; taken.has(id); next++) id = `${stem}_${next}`
  return id
}

export const nothingCounted: ModelUsage = {
  promptTokens: 0,
  cachedTokens: null,
  completionTokens: 0,
  reasoningTokens: null,
  costUsd: null
}

/** The number of prompt tokens that were written to a cache, if there are any. */
export const cacheWritten = (tokens: number | null | undefined): Pick<ModelUsage, "cacheWrittenTokens"> =>
  tokens === null || tokens === undefined || tokens === 0 ? {} : { cacheWrittenTokens: tokens }
