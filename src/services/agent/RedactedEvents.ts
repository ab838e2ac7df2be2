/**
 * The events of a run as they may be kept: every text in them has passed the redactor, once.
 *
 * What an agent says in pieces is one text, so a secret that pieces cut in two is hidden too. An event comes out as soon
 * as it goes in; those of its words that a later piece may still turn into a secret come with a later event of the same
 * turn. That is the last whole line and what follows it, at most `longestHold` characters of each call. Where an agent
 * was cut off, its last word may be the first half of a secret, and is hidden when it looks like one.
 */
import { AgentEvent } from "../../domain/run/AgentEvent.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RedactionStream } from "../../domain/secret/RedactionStream.ts"
import type { Redactor, redactionFailed } from "../secret/Redactor.ts"

export class RedactedEvents {
  readonly #redactor: Redactor["Service"]
  /** By the number of the call. */
  readonly #speaking = new Map<number, { readonly words: RedactionStream; timestamp: string }>()

  constructor(redactor: Redactor["Service"]) {
    this.#redactor = redactor
  }

  /** The event itself, behind what its agent had said before it. */
  of(event: RunEvent): ReadonlyArray<RunEvent | typeof redactionFailed> {
    if (event._tag === "Agent" && event.event._tag === "Text") {
      const { text, timestamp } = event.event
      return [said(event.call, timestamp, this.#speech(event.call, timestamp).push(text))]
    }
    const redacted = this.#redactor.value(event)
    return endsTurn(event) ? [...this.#rest(event.call, isWhole(event)), redacted] : [redacted]
  }

  /** What agents had said whose turns are not over. */
  get flush(): ReadonlyArray<RunEvent> {
    return [...this.#speaking.keys()].flatMap((call) => this.#rest(call, false))
  }

  #speech(call: number, timestamp: string): RedactionStream {
    const before = this.#speaking.get(call)
    const speech = before ?? { words: this.#redactor.inPieces(), timestamp }
    speech.timestamp = timestamp
    if (before === undefined) this.#speaking.set(call, speech)
    return speech.words
  }

  #rest(call: number, whole: boolean): ReadonlyArray<RunEvent> {
    const speech = this.#speaking.get(call)
    this.#speaking.delete(call)
    const told = speech?.words.end() ?? ""
    const words = whole ? told : told.replace(firstHalf, "[REDACTED_CREDENTIAL]")
    return speech === undefined || words === "" ? [] : [said(call, speech.timestamp, words)]
  }
}

type OfCall = Extract<RunEvent, { readonly _tag: "Agent" | "AgentStarted" | "AgentEnded" }>

const endsTurn = (event: RunEvent): event is OfCall =>
  event._tag === "AgentStarted" ||
  event._tag === "AgentEnded" ||
  (event._tag === "Agent" && event.event._tag === "TurnEnd")

/** Did the agent itself come to the end of what it was saying? */
const isWhole = (event: OfCall): boolean =>
  event._tag === "Agent" || (event._tag === "AgentEnded" && event.outcome === "ok")

/** A last word with digits among its letters: what would give it away may be in what is missing. */
const firstHalf = /(?<![\w~.:/+=%-])(?=[\w~.:/+=%-]*\d)(?=[\w~.:/+=%-]*[A-Za-z])[\w~.:/+=%-]{8,}$/

const said = (call: number, timestamp: string, text: string): RunEvent =>
  RunEvent.make({ _tag: "Agent", call, event: AgentEvent.make({ _tag: "Text", timestamp, text }) })
