/** The refs of one agent outside the runtime, folded from its events: input, turns, output, end. Pure, but for its ids. */
import type { AgentEvent } from "../run/AgentEvent.ts"
import type { AgentRef, RefOf, StopReason, TextBlocks } from "./AgentRef.ts"
import { episodeOf } from "./episodeOf.ts"
import type { ModelUsage } from "./ModelTurn.ts"

/** The name of the event with the cost of all turns, as JSON. */
export const costEvent = "cost"

type About = Omit<RefOf<"Context">, "_tag" | "id" | "at">

export class RefsOfEvents {
  readonly #submit: string
  readonly #nextId: () => string
  #chain: Array<AgentRef> = []
  #run = ""
  #steps = 0
  #text = ""
  #model = ""
  #usage: ModelUsage | null = null
  /** Names of the calls of the agent. */
  readonly #calls = new Map<string, string>()

  /** `submit`: the name of the output that answers the task. */
  constructor(submit: string, nextId: () => string) {
    this.#submit = submit
    this.#nextId = nextId
  }

  begin(about: About, input: TextBlocks, at: string): ReadonlyArray<AgentRef> {
    this.#run = this.#nextId()
    const words = input.map(({ lasting, text }) => ({ text, lasting }))
    return this.#noted([
      { _tag: "Context", id: this.#nextId(), at, ...about },
      { _tag: "Run", id: this.#run, at },
      { _tag: "Input", id: this.#nextId(), at, type: "task", words }
    ])
  }

  take(event: AgentEvent): ReadonlyArray<AgentRef> {
    const at = event.timestamp
    const id = this.#nextId()
    switch (event._tag) {
      case "Text":
        this.#text += event.text
        return []
      case "Thinking":
        return this.#noted([{ _tag: "Thought", id, at, text: event.text }])
      case "ToolStart": {
        this.#calls.set(event.id, event.name)
        const { id: callId, input, name } = event
        return this.#noted([{ _tag: "Call", id, at, callId, name, arguments: JSON.stringify(input) }])
      }
      case "ToolResult": {
        const { id: callId, isError, output } = event
        const name = this.#calls.get(callId) ?? ""
        return this.#noted([{ _tag: "Result", id, at, callId, name, output, isError, fault: null }])
      }
      case "Metrics":
        this.#model = event.model ?? this.#model
        this.#usage = usageOf(event)
        return []
      case "Cost":
        return this.#noted([{ _tag: "Event", id, at, name: costEvent, text: JSON.stringify(event), isSent: false }])
      case "TurnEnd":
        return this.#turn(at, event.messageId, event.stopReason ?? "")
      case "Result": {
        const last = this.#text === "" && this.#usage === null ? [] : this.#turn(at, "", "")
        const answer: AgentRef = { _tag: "Output", id, at, name: this.#submit, content: event.output }
        const output = event.output === null ? [] : this.#noted([answer])
        return [...last, ...output, ...this.#end(at, "done", "")]
      }
      default:
        return []
    }
  }

  fail(at: string, detail: string): ReadonlyArray<AgentRef> {
    return this.#end(at, "failed", detail)
  }

  #turn(at: string, messageId: string, stopReason: string): ReadonlyArray<AgentRef> {
    const [text, usage] = [this.#text, this.#usage]
    this.#text = ""
    this.#usage = null
    this.#steps++
    const output: ReadonlyArray<AgentRef> =
      text === "" ? [] : [{ _tag: "Output", id: this.#nextId(), at, name: "text", content: text }]
    const parts = text === "" ? [] : [{ _tag: "Text" as const, text }]
    const model = this.#model
    return this.#noted([
      ...output,
      { _tag: "Turn", id: this.#nextId(), at, messageId, model, stopReason, parts, verbatim: null, usage }
    ])
  }

  #end(at: string, stopReason: StopReason, detail: string): ReadonlyArray<AgentRef> {
    const [id, run, steps] = [this.#nextId(), this.#run, this.#steps]
    const episode = episodeOf(this.#chain, stopReason)
    return [{ _tag: "RunEnded", id, at, run, stopReason, detail, steps, episode }]
  }

  #noted(refs: ReadonlyArray<AgentRef>): ReadonlyArray<AgentRef> {
    this.#chain.push(...refs)
    return refs
  }
}

/** Null if the tokens are not known. */
const usageOf = (event: Extract<AgentEvent, { readonly _tag: "Metrics" }>): ModelUsage | null =>
  event.promptTokens === null || event.completionTokens === null
    ? null
    : {
        promptTokens: event.promptTokens,
        completionTokens: event.completionTokens,
        cachedTokens: event.cachedTokens,
        ...(event.cacheWrittenTokens === undefined ? {} : { cacheWrittenTokens: event.cacheWrittenTokens }),
        reasoningTokens: event.reasoningTokens,
        costUsd: event.costUsd
      }
