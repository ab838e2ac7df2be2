/** What the log of an agent from an earlier process says: its answer, or where it stopped. Pure. */

import { Option, Schema } from "effect"
import { AgentEvent, promptedOf } from "../run/AgentEvent.ts"
import { exactJson } from "../text/json/modelJson.ts"
import type { AgentRef } from "./AgentRef.ts"
import { joinedAnswers } from "./ModelReply.ts"
import type { ModelUsage } from "./ModelTurn.ts"
import { costEvent } from "./RefsOfEvents.ts"
import { WorkingMemory } from "./WorkingMemory.ts"

/** `Answered`: `output` is null if the answer is in the text. `Stopped`: something waits to be sent to the model. */
export type EarlierAgent =
  | { readonly _tag: "Answered"; readonly output: AgentRefJson | null }
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Unusable" }

type AgentRefJson = Extract<AgentRef, { readonly _tag: "Output" }>["content"]

/** The type of an input that asks a context for more after it has answered. */
export const followUp = "follow-up"

/** The refs from one task of a context to the next: 0 is its first one, the others are follow-ups; null: there is none. */
export const partOf = (refs: ReadonlyArray<AgentRef>, part: number): ReadonlyArray<AgentRef> | null => {
  const begins = refs.flatMap((ref, at) =>
    ref._tag === "Input" && ref.type === followUp ? [refs[at - 1]?._tag === "Run" ? at - 1 : at] : []
  )
  const begin = [0, ...begins][part]
  return begin === undefined ? null : refs.slice(begin, begins[part])
}

/** `submit`: the output that answers the task; `part`: which task of the context. */
export const earlierAgent = (refs: ReadonlyArray<AgentRef>, submit: string, part = 0): EarlierAgent => {
  const own = partOf(refs, part) ?? []
  const isSubmitted = (ref: AgentRef) => ref._tag === "Output" && ref.name === submit
  const upToAnswer = own.slice(0, own.findLastIndex(isSubmitted) + 1)
  if (upToAnswer.length > 0) {
    const run = upToAnswer.slice(upToAnswer.findLastIndex(({ _tag }) => _tag === "Run") + 1)
    const answers = run.flatMap((ref) => (ref._tag === "Output" && ref.name === submit ? [ref.content] : []))
    return { _tag: "Answered", output: joinedAnswers(answers) }
  }
  const end = own.at(-1)
  const turn = own.findLast(({ _tag }) => _tag === "Turn")
  if (end?._tag === "RunEnded" && end.stopReason === "done" && turn?._tag === "Turn") {
    const text = turn.parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")
    if (text.trim() !== "") return { _tag: "Answered", output: wholeJson(text) }
  }
  const memory = new WorkingMemory()
  for (const ref of refs) memory.take(ref)
  return { _tag: memory.hasPending && partOf(refs, part + 1) === null ? "Stopped" : "Unusable" }
}

/** The value, if the text is only JSON. */
export const wholeJson = (text: string): AgentRefJson | null => Option.getOrNull(exactJson(text))

/** A run that was stopped from outside is continued as after a kill: without its end. */
export const withoutStop = (refs: ReadonlyArray<AgentRef>): ReadonlyArray<AgentRef> => {
  const end = refs.at(-1)
  return end?._tag === "RunEnded" && stops.has(end.stopReason) ? refs.slice(0, -1) : refs
}

const stops: ReadonlySet<string> = new Set(["aborted", "model error", "failed"])

/** The events of a task in the log, as the agent had them. */
export const earlierEvents = (
  backend: string,
  system: ReadonlyArray<string>,
  all: ReadonlyArray<AgentRef>,
  part = 0
): ReadonlyArray<AgentEvent> => {
  const refs = partOf(all, part) ?? []
  let isFirst = part === 0
  // Killed between the answer and the usage of its turn: what it cost is not known.
  const lastOf = (tag: AgentRef["_tag"]) => refs.findLastIndex(({ _tag }) => _tag === tag)
  const isUncounted = lastOf("Output") > lastOf("Step") && lastOf("Step") > lastOf("Turn")
  const uncounted = isUncounted ? [metricsOf({ at: refs.at(-1)!.at, messageId: "", model: "", usage: null })] : []
  const events = refs.flatMap((ref): ReadonlyArray<AgentEvent> => {
    if (ref._tag === "Input") {
      const user = ref.words.map(({ text }) => text)
      const continues = !isFirst
      isFirst = false
      return [promptedOf(backend, ref.at, { system, user }, continues)]
    }
    if (ref._tag === "Output" && ref.name === "text" && typeof ref.content === "string") {
      return [AgentEvent.make({ _tag: "Text", timestamp: ref.at, text: ref.content })]
    }
    if (ref._tag === "Event" && ref.name === costEvent) return Option.toArray(decodeEvent(ref.text))
    if (ref._tag !== "Turn") return eventsOfRef(ref)
    return [metricsOf(ref), ...eventsOfRef(ref)]
  })
  return [...events, ...uncounted]
}

/** What the turns of an agent have used. */
export const usageEvents = (refs: ReadonlyArray<AgentRef>): ReadonlyArray<AgentEvent> =>
  refs.flatMap((ref) => {
    if (ref._tag === "Event" && ref.name === costEvent) return Option.toArray(decodeEvent(ref.text))
    return ref._tag === "Turn" ? [metricsOf(ref)] : []
  })

const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(AgentEvent))

/** The event of a ref; the text of an agent and its usage are events before their ref. */
export const eventsOfRef = (ref: AgentRef): ReadonlyArray<AgentEvent> => {
  const timestamp = ref.at
  switch (ref._tag) {
    case "Thought":
      return [AgentEvent.make({ _tag: "Thinking", timestamp, text: ref.text })]
    case "Call": {
      const input = wholeJson(ref.arguments) ?? ref.arguments
      const name = ref.name === "" ? "unnamed" : ref.name
      return [AgentEvent.make({ _tag: "ToolStart", timestamp, id: ref.callId, name, input })]
    }
    case "Result": {
      const { callId: id, isError, output } = ref
      return [AgentEvent.make({ _tag: "ToolResult", timestamp, id, output, isError })]
    }
    case "Turn":
      return [AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: ref.messageId, stopReason: ref.stopReason })]
    case "Event":
      // A failed turn ends at the next attempt.
      return ref.name === "retry"
        ? [AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason: "failed" })]
        : []
    default:
      return []
  }
}

interface Used {
  readonly at: string
  readonly messageId: string
  readonly model: string
  readonly usage: ModelUsage | null
}

/** The usage of a turn so far; null if it is not known yet. */
export const metricsOf = ({ at, messageId, model, usage }: Used): AgentEvent => {
  const cacheWrittenTokens = counted(usage?.cacheWrittenTokens)
  return AgentEvent.make({
    _tag: "Metrics",
    timestamp: at,
    messageId,
    promptTokens: counted(usage?.promptTokens),
    completionTokens: counted(usage?.completionTokens),
    cachedTokens: counted(usage?.cachedTokens),
    ...(cacheWrittenTokens === null ? {} : { cacheWrittenTokens }),
    reasoningTokens: counted(usage?.reasoningTokens),
    costUsd: usage?.costUsd == null || usage.costUsd < 0 ? null : usage.costUsd,
    model: model === "" ? null : model
  })
}

/** A number that cannot be a count of tokens is not known. */
const counted = (tokens: number | null | undefined): number | null => {
  const rounded = Math.round(tokens ?? Number.NaN)
  return Number.isSafeInteger(rounded) && rounded >= 0 ? rounded : null
}
