/**
 * One agent call while it is being told: one user step with what was asked, then one agent step for each turn.
 *
 * A step leaves when nothing can change it any more: its tool calls are answered and a later step has begun. The last
 * one always waits for the end of the call, for the closing cost and the result belong to it. What waits is bounded: a
 * call that is never answered holds back `longestWait` characters and no more, and a result that comes after that is
 * kept on a later step under `late_tool_results`, with the number of the step it belongs to.
 */

import {
  type CallUsage,
  costOfPart,
  countUsage,
  isAwaited,
  newlyUsed,
  nothingUsed,
  type Usage,
  unplacedUsage
} from "../agent/Usage.ts"
import type { AgentEvent } from "../run/AgentEvent.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { type Extra, TrajectoryDraft } from "./TrajectoryDraft.ts"

export const longestWait = 4_000_000
const mostWaiting = 4096

/** How a call ended; `open` when the record ends before it. */
type Outcome = Extract<RunEvent, { readonly _tag: "AgentEnded" }>["outcome"] | "open"

export interface CallEnd {
  readonly outcome: Outcome
  readonly error?: string | undefined
  readonly detail?: string | undefined
}

export class TrajectoryCall {
  /** The open turn. */
  #open: TrajectoryDraft | null = null
  /** Turns that have ended, in order. */
  #waiting: Array<TrajectoryDraft> = []
  #size = 0
  /** The lines that a prompt shows, for the turn that answers it. */
  #shown: Extra = {}
  #usage: CallUsage = nothingUsed
  /** The step the last message was measured on. */
  #measured: TrajectoryDraft | null = null
  /** Tool calls of steps that have left, with the step's number. */
  readonly #gone = new Map<string, number>()
  readonly #leave: (draft: TrajectoryDraft) => number

  /** `leave` takes a step that is final, and gives its number. */
  constructor(leave: (draft: TrajectoryDraft) => number) {
    this.#leave = leave
  }

  take(at: string, event: AgentEvent): void {
    switch (event._tag) {
      case "Shown":
        this.#shown = { shown_lines: event.lines }
        if (this.#open !== null) {
          this.#open.note(this.#shown)
          this.#shown = {}
        }
        break
      case "Text":
        this.#turn(at).say(event.text)
        break
      case "Thinking":
        this.#turn(at).think(event.text)
        break
      case "ToolStart":
        this.#turn(at).call(event.id, event.name, event.input)
        break
      case "ToolResult":
        this.#answer(at, event)
        break
      case "Metrics":
        this.#measure(at, event)
        break
      case "Cost":
        this.#usage = countUsage(this.#usage, event)
        break
      case "TurnEnd": {
        const turn = this.#turn(at)
        // A part that failed gets no closing total.
        if (event.stopReason === "failed") this.#place(at)
        this.#usage = countUsage(this.#usage, event)
        this.#endTurn(turn, event.stopReason)
        break
      }
      case "Result":
        if (event.output !== null) this.#last(at).note({ structured_output: event.output })
    }
  }

  /** Tells every step now, so that the next one told comes after them. */
  flush(): void {
    if (this.#open !== null) this.#waiting.push(this.#open)
    this.#open = null
    this.#size = 0
    for (const draft of this.#waiting.splice(0)) this.#let(draft)
  }

  #let(draft: TrajectoryDraft): void {
    const number = this.#leave(draft)
    for (const id of draft.unanswered) this.#gone.set(id, number)
  }

  /** Nothing more will be told of this call. */
  end(at: string, { detail, error, outcome }: CallEnd): void {
    const isHalf = this.#open !== null || this.#waiting.length === 0
    if (outcome !== "ok" && isHalf) this.#turn(at).note({ partial_step: true })
    if (outcome === "failed") this.#last(at).note({ error: detail ?? "", error_subtype: error ?? "" })
    this.#place(at)
    this.flush()
  }

  /** What its events have told of tokens and cost so far. */
  get usage(): CallUsage {
    return this.#usage
  }

  /** Adds the usage that no turn has to the last one. */
  #place(at: string): void {
    const rest = unplacedUsage(this.#usage)
    if (isKnown(rest)) this.#last(at).use(rest, null, costOfPart(this.#usage).source)
  }

  #turn(at: string): TrajectoryDraft {
    if (this.#open !== null) return this.#open
    this.#open = new TrajectoryDraft(at)
    this.#open.note(this.#shown)
    this.#shown = {}
    return this.#open
  }

  /** The open turn, else the one before; a new one when there is neither. */
  #last(at: string): TrajectoryDraft {
    return this.#open ?? this.#waiting.at(-1) ?? this.#turn(at)
  }

  #endTurn(draft: TrajectoryDraft, stopReason: string | undefined): void {
    if (stopReason !== undefined) draft.note({ stop_reason: stopReason })
    this.#open = null
    this.#waiting.push(draft)
    this.#size += draft.size
    this.#release()
  }

  /** The oldest steps leave: those that are answered, and as many more as are too much to wait with. */
  #release(): void {
    let leaving = 0
    let size = this.#size
    for (const draft of this.#waiting.slice(0, -1)) {
      const isTooMuch = size > longestWait || this.#waiting.length - leaving > mostWaiting
      if (draft.unanswered.size > 0 && !isTooMuch) break
      size -= draft.size
      leaving++
    }
    for (const draft of this.#waiting.splice(0, leaving)) this.#let(draft)
    this.#size = size
  }

  #answer(at: string, result: Extract<AgentEvent, { readonly _tag: "ToolResult" }>): void {
    const asked =
      this.#open?.answer(result) === true ? this.#open : this.#waiting.findLast((step) => step.answer(result))
    if (asked === undefined) {
      const number = this.#gone.get(result.id)
      if (number === undefined) this.#last(at).keep("unmatched_tool_results", result)
      else this.#last(at).keep("late_tool_results", result, { step_id: number })
      this.#gone.delete(result.id)
    } else if (asked !== this.#open) {
      this.#size += result.output.length
      this.#release()
    }
  }

  #measure(at: string, event: Extract<AgentEvent, { readonly _tag: "Metrics" }>): void {
    const isAgain = event.messageId !== "" && this.#usage.message?.id === event.messageId
    // Measured behind its turn, or once more: it belongs to the step it was about.
    const step = isAgain ? (this.#stillHere(this.#measured) ?? this.#last(at)) : this.#unmeasured(at, event)
    step.use(newlyUsed(this.#usage, event), event.model, event.costSource === "computed" ? "computed" : "reported")
    this.#usage = countUsage(this.#usage, event)
    this.#measured = step
  }

  #stillHere(draft: TrajectoryDraft | null): TrajectoryDraft | null {
    return draft !== null && (draft === this.#open || this.#waiting.includes(draft)) ? draft : null
  }

  /** Of a turn that has ended without a measure, else of the one that is open. */
  #unmeasured(at: string, event: Extract<AgentEvent, { readonly _tag: "Metrics" }>): TrajectoryDraft {
    if (this.#open !== null || isAwaited(event)) return this.#turn(at)
    const before = this.#waiting.at(-1)
    return before !== undefined && !isKnown(before.usage) ? before : this.#turn(at)
  }
}

const isKnown = (usage: Usage): boolean => Object.values(usage).some((value) => value !== null)
