/**
 * Redacts the events of a run.
 *
 * The pieces of an agent's text are redacted as one text, so that a secret across two pieces is also hidden. The end of
 * the text that could be the beginning of a secret (at most `longestHold` characters) is moved to a later event of the
 * same turn. If an agent was cut off, a last word that looks like the first half of a secret is hidden.
 */
import { AgentEvent } from "../../domain/run/AgentEvent.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RedactionStream } from "../../domain/secret/RedactionStream.ts"
import type { Redactor, redactionFailed } from "../secret/Redactor.ts"

export class RedactedEvents {
  readonly #redactor: Redactor["Service"]
  /** By the number of the call. */
  readonly #turns = new Map<number, { readonly words: RedactionStream; timestamp: string }>()

  constructor(redactor: Redactor["Service"]) {
    this.#redactor = redactor
  }

  /** The redacted event, after the rest of the text before it. */
  of(event: RunEvent): ReadonlyArray<RunEvent | typeof redactionFailed> {
    if (event._tag === "Agent" && event.event._tag === "Text") {
      const { text, timestamp } = event.event
      return [textEvent(event.call, timestamp, this.#streamOf(event.call, timestamp).push(text))]
    }
    const redacted = this.#redactor.value(event)
    return endsTurn(event) ? [...this.#rest(event.call, isWhole(event)), redacted] : [redacted]
  }

  /** The rest of the text of all unfinished turns. */
  get flush(): ReadonlyArray<RunEvent> {
    return [...this.#turns.keys()].flatMap((call) => this.#rest(call, false))
  }

  #streamOf(call: number, timestamp: string): RedactionStream {
    const before = this.#turns.get(call)
    const turn = before ?? { words: this.#redactor.inPieces(), timestamp }
    turn.timestamp = timestamp
    if (before === undefined) this.#turns.set(call, turn)
    return turn.words
  }

  #rest(call: number, whole: boolean): ReadonlyArray<RunEvent> {
    const turn = this.#turns.get(call)
    this.#turns.delete(call)
    const rest = turn?.words.end() ?? ""
    const words = whole ? rest : withoutFirstHalf(rest)
    return turn === undefined || words === "" ? [] : [textEvent(call, turn.timestamp, words)]
  }
}

type OfCall = Extract<RunEvent, { readonly _tag: "Agent" | "AgentStarted" | "AgentEnded" }>

const endsTurn = (event: RunEvent): event is OfCall =>
  event._tag === "AgentStarted" ||
  event._tag === "AgentEnded" ||
  (event._tag === "Agent" && event.event._tag === "TurnEnd")

/** Is the agent's text complete? */
const isWhole = (event: OfCall): boolean =>
  event._tag === "Agent" || (event._tag === "AgentEnded" && event.outcome === "ok")

/** A last word of letters and digits, which may be the first half of a secret. */
const firstHalf = /(?<![\w~.:/+=%-])(?=[\w~.:/+=%-]*\d)(?=[\w~.:/+=%-]*[A-Za-z])[\w~.:/+=%-]{8,}$/

/** The end of a text that was cut off. */
export const withoutFirstHalf = (text: string): string => text.replace(firstHalf, "[REDACTED_CREDENTIAL]")

const textEvent = (call: number, timestamp: string, text: string): RunEvent =>
  RunEvent.make({ _tag: "Agent", call, event: AgentEvent.make({ _tag: "Text", timestamp, text }) })
