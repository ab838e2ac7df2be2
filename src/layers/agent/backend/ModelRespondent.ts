/**
 * A model that answers a question in one turn.
 *
 * A request that failed before it had any text is sent again, as in the agent runtime; an answer that was cut off is not.
 */
import { DateTime, Effect, Schedule, Stream } from "effect"
import { metricsOf } from "../../../domain/agent/earlierAgent.ts"
import { type ModelEvent, type ModelRequest, type ModelUsage, noUsage } from "../../../domain/agent/ModelTurn.ts"
import { answerTokens } from "../../../domain/pack/ModelRoom.ts"
import { AgentEvent, promptedOf } from "../../../domain/run/AgentEvent.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import { type Model, type ModelError, mayHaveCost } from "../../../services/agent/Model.ts"
import { type Question, Respondent } from "../../../services/agent/Respondent.ts"
import { turnRetries } from "../../../services/agent/turnRetries.ts"
import { failureOf } from "./Model.ts"
import { retried } from "./withRetries.ts"

export const respondent = (name: string, model: Model["Service"], effort: Effort | null): Respondent["Service"] =>
  Respondent.of({
    name,
    model: model.model,
    room: model.room,
    execute: (question) => {
      const request = requestOf(question, effort, answerTokens(model.room))
      const began = Effect.map(now, (at) => promptedOf(name, at, question))
      return Stream.concat(Stream.fromEffect(began), answered(model, request)).pipe(
        Stream.concat(Stream.fromEffect(Effect.map(now, resultAt))),
        Stream.mapError((error) => failureOf(name, error))
      )
    }
  })

const requestOf = ({ system, user }: Question, effort: Effort | null, maxTokens: number): ModelRequest => ({
  model: "",
  system,
  tools: [],
  messages: user.map((text) => ({ role: "user", parts: [{ _tag: "Text", text, lasting: false }] })),
  choice: "auto",
  answer: null,
  maxTokens,
  effort
})

const resultAt = (timestamp: string) => AgentEvent.make({ _tag: "Result", timestamp, output: null })

/** Sends the request again if it failed before any text. */
const answered = (model: Model["Service"], request: ModelRequest): Stream.Stream<AgentEvent, ModelError> => {
  let turn = new Turn(model.model)
  const used = (usage: ModelUsage | null) =>
    Stream.fromEffect(Effect.map(now, (at) => metricsOf({ at, messageId: "", model: model.model, usage })))
  const once = Stream.suspend(() => {
    turn = new Turn(model.model)
    return Stream.concat(
      used(null),
      model.converse(request).pipe(
        Stream.mapEffect((event) => Effect.map(now, (at) => turn.read(event, at))),
        Stream.flattenIterable,
        Stream.catch((error) =>
          Stream.concat(
            mayHaveCost(turn.hasBegun, error) ? Stream.empty : used({ ...noUsage, costUsd: 0 }),
            Stream.fail(error)
          )
        )
      )
    )
  })
  return retried(
    once,
    Schedule.while(turnRetries, () => !turn.hasText)
  )
}

/** The events of one turn as agent events. */
class Turn {
  hasBegun = false
  hasText = false
  #messageId = ""
  #model: string
  #thinking = ""

  constructor(model: string) {
    this.#model = model
  }

  read(event: ModelEvent, timestamp: string): ReadonlyArray<AgentEvent> {
    switch (event._tag) {
      case "Began":
        this.hasBegun = true
        this.#messageId = event.messageId
        this.#model = event.model || this.#model
        return []
      case "Thinking": {
        const begins = this.#thinking === ""
        this.#thinking += event.text
        // Empty, when a block begins: it may take minutes.
        return begins ? [AgentEvent.make({ _tag: "Thinking", timestamp, text: "" })] : []
      }
      case "ThinkingEnded":
        return this.#thought(timestamp)
      case "Text":
        this.hasText ||= event.text !== ""
        return [...this.#thought(timestamp), AgentEvent.make({ _tag: "Text", timestamp, text: event.text })]
      case "Used":
        return [metricsOf({ at: timestamp, messageId: this.#messageId, model: this.#model, usage: event.usage })]
      case "Ended": {
        // Providers have several words for an answer that is not complete.
        const stopReason = event.reason === "done" ? event.stopReason : event.reason
        const end = AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: this.#messageId, stopReason })
        return [...this.#thought(timestamp), end]
      }
      default:
        return []
    }
  }

  #thought(timestamp: string): ReadonlyArray<AgentEvent> {
    const text = this.#thinking
    this.#thinking = ""
    return text === "" ? [] : [AgentEvent.make({ _tag: "Thinking", timestamp, text })]
  }
}

const now = Effect.map(DateTime.now, DateTime.formatIso)
