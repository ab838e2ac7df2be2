/**
 * What a scripted model says in a turn, in words no provider owns, and how its stream goes wrong. The servers of
 * `anthropicServer.ts` and `openaiServer.ts` say it in the real formats.
 */
import type { GivenTurn } from "./requestRules/GivenTurn.ts"
import type { Heard, Reply } from "./wireServer.ts"

export interface ScriptedCall {
  readonly id?: string
  readonly name: string
  readonly input: unknown
}

export interface ScriptedTurn {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: ReadonlyArray<ScriptedCall>
  /** Default: `calls` where there are calls, else `done`. With `length`, the last call is cut in the middle. */
  readonly stop?: "done" | "calls" | "length" | "refusal" | "filtered" | "pause"
  /** Null: it is not reported. */
  readonly usage?: {
    readonly prompt: number
    readonly cached: number
    /** Written to the cache. */
    readonly written?: number
    readonly completion: number
    readonly reasoning: number
  } | null
  readonly trouble?: Trouble
  /** How the stream is written; what it says stays the same. */
  readonly manner?: Manner
}

export type Trouble =
  /** No stream: a status, with an error body of the provider's. */
  | { readonly status: number; readonly message?: string; readonly headers?: Readonly<Record<string, string>> }
  /** An error inside the stream, after so many events. */
  | { readonly errorAfter: number; readonly error: "overloaded" | "rate-limited" | "fault" }
  /** The connection is reset after so many events (`cut`), or the body ends there as if nothing were missing (`short`). */
  | { readonly cutAfter: number; readonly how: "cut" | "short" }
  /** An event that is not JSON, after so many events. */
  | { readonly brokenAfter: number }
  /** Nothing more comes after so many events. */
  | { readonly holdAfter: number }

export interface Manner {
  /** `\r\n` instead of `\n`. */
  readonly crlf?: boolean
  /** Pings, comments and events of unknown kinds between the others. */
  readonly noise?: boolean
  /** In writes of so many bytes. */
  readonly bytesAtOnce?: number
}

/** How a provider writes events, and what it says when something is wrong. */
export interface Dialect {
  readonly events: (turn: ScriptedTurn, heard: Heard, nth: number) => ReadonlyArray<string>
  /** What a client must send back of a turn. */
  readonly given: (turn: ScriptedTurn, heard: Heard, nth: number) => GivenTurn
  /** What the provider refuses in a request, after the turns that it gave. */
  readonly faults: (heard: Heard, given: ReadonlyArray<GivenTurn>) => ReadonlyArray<string>
  /** Whether the request makes the model think before each turn, lets it, or does not. */
  readonly thinks: (heard: Heard) => "always" | "maybe" | "never"
  /** What may stand between events and means nothing. */
  readonly noise: ReadonlyArray<string>
  readonly errorEvent: (error: "overloaded" | "rate-limited" | "fault") => string
  readonly errorBody: (status: number, message: string) => unknown
  readonly broken: string
  readonly contentType: string
  /** How an event is framed, where that is not by its text. */
  readonly frame?: (event: string) => Uint8Array
}

/** Answers as the script says, except a request that breaks a rule of its provider, which is refused as the provider does. */
export const underRules = (
  dialectOf: (heard: Heard) => Dialect,
  script: (heard: Heard, nth: number) => ScriptedTurn
): ((heard: Heard, nth: number) => Reply) => {
  const given: Array<GivenTurn> = []
  return (heard, nth) => {
    const dialect = dialectOf(heard)
    const [fault] = dialect.faults(heard, given)
    if (fault !== undefined) return replyOf(dialect, { trouble: { status: 400, message: fault } }, heard, nth)
    const turn = script(heard, nth)
    given.push(dialect.given(turn, heard, nth))
    return replyOf(dialect, turn, heard, nth)
  }
}

/** The bytes of a turn. */
export const replyOf = (dialect: Dialect, turn: ScriptedTurn, heard: Heard, nth: number): Reply => {
  const { trouble, manner = {} } = turn
  if (trouble !== undefined && "status" in trouble) {
    return {
      status: trouble.status,
      headers: { "content-type": "application/json", ...trouble.headers },
      pieces: [JSON.stringify(dialect.errorBody(trouble.status, trouble.message ?? "no"))]
    }
  }
  const said = dialect.events(turn, heard, nth)
  const events =
    manner.noise === true
      ? said.flatMap((event, at) => [dialect.noise[at % dialect.noise.length] ?? "", event])
      : [...said]
  const [shown, end] = troubled(dialect, events, trouble)
  const text = manner.crlf === true ? shown.map((event) => event.replaceAll("\n", "\r\n")) : shown
  const headers = { "content-type": dialect.contentType }
  const framed = dialect.frame === undefined ? text : shown.map(dialect.frame)
  if (manner.bytesAtOnce === undefined) return { headers, pieces: framed, end }
  const bytes = Buffer.concat(framed.map((piece) => Buffer.from(piece)))
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += manner.bytesAtOnce) pieces.push(bytes.slice(at, at + manner.bytesAtOnce))
  return { headers, pieces, end }
}

const troubled = (
  dialect: Dialect,
  events: ReadonlyArray<string>,
  trouble: Trouble | undefined
): readonly [ReadonlyArray<string>, "close" | "cut" | "hold"] => {
  if (trouble === undefined || "status" in trouble) return [events, "close"]
  if ("errorAfter" in trouble)
    return [[...events.slice(0, trouble.errorAfter), dialect.errorEvent(trouble.error)], "close"]
  if ("brokenAfter" in trouble)
    return [[...events.slice(0, trouble.brokenAfter), dialect.broken, ...events.slice(trouble.brokenAfter)], "close"]
  if ("holdAfter" in trouble) return [events.slice(0, trouble.holdAfter), "hold"]
  return [events.slice(0, trouble.cutAfter), trouble.how === "cut" ? "cut" : "close"]
}

/** Text in pieces, as models say it: some characters at a time, and never a lone half of one. */
export const inPieces = (text: string, size = 24): ReadonlyArray<string> => {
  const characters = [...text]
  const pieces: Array<string> = []
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""))
  return pieces
}

/** The arguments of a call as they are written; of the last call of a turn that is cut, the first half. */
export const argumentsOf = (turn: ScriptedTurn, at: number): string => {
  const text = JSON.stringify(turn.calls?.[at]?.input ?? {})
  const isLast = at === (turn.calls?.length ?? 0) - 1
  return turn.stop === "length" && isLast ? text.slice(0, Math.floor(text.length / 2)) : text
}

export const usageOf = ({ usage }: ScriptedTurn) =>
  usage === undefined ? { prompt: 120, cached: 100, completion: 30, reasoning: 7 } : usage
