/**
 * Turns the stream of a provider into `ModelEvent`s, one event of the stream at a time.
 *
 * A decoder never throws, whatever its input is, and emits an untruncated `CallEnded` only for a call whose end it has
 * seen: the last call of a turn is held back until the provider has sent why the turn ended.
 *
 * The SDKs' own accumulators are not used: `MessageStream` gives a call that was cut off the input `{}`, and
 * `ChatCompletionStream` throws on calls without an index and on several calls under one. See docs/decisions/0018.
 */
import { Option, Schema } from "effect"
import { type EndReason, type ModelEvent, type ModelUsage, noUsage } from "../../../domain/agent/ModelTurn.ts"
import { isJsonObject, type JsonObject } from "../../../domain/system/jsonObject.ts"
import type { ModelErrorKind } from "../../../services/agent/Model.ts"

/** An event as received: its name (`message` if it has none) and its data, which may be anything. */
export interface WireEvent {
  readonly name: string
  readonly data: string
}

/** Why a turn did not end, as far as its stream shows. */
export interface Fault {
  readonly kind: ModelErrorKind
  readonly status: number | null
  readonly detail: string
}

/** What a decoder needs to know of its request. */
export interface TurnContext {
  /** Used if the provider sends no id. */
  readonly turnId: string
  /** Ids of calls that the conversation already has. */
  readonly takenIds: ReadonlySet<string>
}

/** A call of a tool, as far as it was read. */
export interface Call {
  readonly id: string
  readonly name: string
  /** Its arguments, as received. */
  text: string
  isEnded: boolean
}

type Reported = number | null | undefined

/** The usage of a turn as the provider reports it, perhaps in part. */
type ReportedUsage = Omit<Partial<ModelUsage>, "promptTokens" | "completionTokens"> & {
  readonly promptTokens: Reported
  readonly completionTokens: Reported
}

export abstract class TurnDecoder {
  isOver = false
  /** After a fault nothing more is read. */
  fault: Fault | null = null
  protected hasBegun = false
  protected readonly calls: Array<Call> = []
  protected readonly turnId: string
  readonly #events: Array<ModelEvent> = []
  readonly #takenIds: Set<string>
  #held: Call | null = null

  constructor({ takenIds, turnId }: TurnContext) {
    this.turnId = turnId
    this.#takenIds = new Set(takenIds)
  }

  abstract read(event: WireEvent): void

  /** The stream has ended. */
  close(): void {
    this.fail("cut-off", "")
  }

  takeEvents(): ReadonlyArray<ModelEvent> {
    return this.#events.splice(0)
  }

  protected emit(...events: ReadonlyArray<ModelEvent>): void {
    this.#events.push(...events)
  }

  protected fail(kind: ModelErrorKind, detail: string): void {
    this.fault = { kind, status: null, detail }
  }

  /** Fails the turn if the data does not have this shape. */
  protected decode<A>(decoded: (data: unknown) => Option.Option<A>, data: JsonObject, then: (value: A) => void): void {
    const kind = typeof data.type === "string" ? ` of the kind ${JSON.stringify(data.type)}` : ""
    Option.match(decoded(data), {
      onNone: () => this.fail("malformed", `an event${kind} does not have the expected form`),
      onSome: then
    })
  }

  /** `id` and `model`: from the provider; `prefix`: for the id that dd assigns if there is none. */
  protected begin(prefix: string, id: string | null | undefined, model: string | null | undefined): void {
    this.hasBegun = true
    const messageId = id === null || id === undefined || id === "" ? `${prefix}_${this.turnId}` : id
    this.emit({ _tag: "Began", messageId, model: model ?? "" })
  }

  /** A provider that does not report both the prompt and the answer has reported no usage. */
  protected used(usage: ReportedUsage): void {
    const { completionTokens, promptTokens } = usage
    if (isSet(promptTokens) && isSet(completionTokens)) {
      this.emit({ _tag: "Used", usage: { ...noUsage, ...usage, completionTokens, promptTokens } })
    }
  }

  /** `ownId`: the provider's, which is kept unless it is empty or was used before. */
  protected beginCall(ownId: string, place: number, name: string): Call {
    const stem = ownId === "" ? `call_${this.turnId}_${place}` : ownId
    let id = stem
    for (let next = 2; this.#takenIds.has(id); next++) id = `${stem}_${next}`
    this.#takenIds.add(id)
    const call: Call = { id, name, text: "", isEnded: false }
    this.calls.push(call)
    this.emit({ _tag: "CallBegan", id, name })
    return call
  }

  protected extendCall(call: Call, text: string): void {
    if (text === "") return
    call.text += text
    this.emit({ _tag: "CallArguments", id: call.id, text })
  }

  protected endCall(call: Call, isWhole: boolean): void {
    const { id, name, text } = call
    call.isEnded = true
    this.emit({ _tag: "CallEnded", id, name, arguments: text, truncated: !isWhole || isCut(text) })
  }

  /** The arguments are complete, but whether the call was cut off is only known later. */
  protected holdCall(call: Call): void {
    this.#held = call
  }

  /** Ends the call that was held back. */
  protected releaseCall(isWhole: boolean): void {
    if (this.#held !== null) this.endCall(this.#held, isWhole)
    this.#held = null
  }

  /** No call continues: those without an end were cut off. */
  protected endCalls(isWhole: boolean): void {
    this.releaseCall(isWhole)
    for (const call of this.calls) if (!call.isEnded) this.endCall(call, false)
  }

  /** `reason`: undefined if the provider's word for it has no special meaning. */
  protected end(reason: EndReason | undefined, stopReason: string, verbatim: Schema.Json | null): void {
    this.isOver = true
    this.emit({ _tag: "Ended", reason: reason ?? (this.calls.length > 0 ? "calls" : "done"), stopReason, verbatim })
  }
}

export const notStreamed = "it sent its answer at once, not as a stream"

/** The last event of OpenAI's and similar streams, which is not JSON. */
export const endMark = "[DONE]"

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

export const jsonOf = (text: string): Schema.Json | undefined => Option.getOrUndefined(parse(text))

export const objectOf = (text: string): JsonObject | undefined => {
  const value = jsonOf(text)
  return isJsonObject(value) ? value : undefined
}

export const textIn = (object: JsonObject, key: string): string => (typeof object[key] === "string" ? object[key] : "")

export const isSet = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined

export const isText = (value: string | null | undefined): value is string =>
  value !== null && value !== undefined && value !== ""

/**
 * Whether the arguments are incomplete: something in them was opened but not closed. Text that cannot become JSON is
 * invalid rather than cut off, and is reported when the call is executed.
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

/** The number of prompt tokens that were written to a cache, if there are any. */
export const cacheWritten = (tokens: number | null | undefined): Pick<ModelUsage, "cacheWrittenTokens"> =>
  tokens === null || tokens === undefined || tokens === 0 ? {} : { cacheWrittenTokens: tokens }
