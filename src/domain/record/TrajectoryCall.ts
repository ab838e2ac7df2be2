/**
 * One agent call: one user step with the prompt, then one agent step for each turn.
 *
 * A step is emitted when nothing can change it any more: its tool calls are answered and a later step has started. The
 * last one always waits for the end of the call, because the closing cost and the result belong to it. At most
 * `mostWaitingText` characters wait; a tool result that arrives after its step was emitted is kept on a later step under
 * `late_tool_results`, with the number of the step it belongs to.
 */
import {
  addedUsage,
  type CallUsage,
  costOfPart,
  countUsage,
  isPending,
  noCallUsage,
  type Usage,
  unplacedUsage
} from "../agent/Usage.ts"
import type { AgentEvent } from "../run/AgentEvent.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { type Extra, StepDraft } from "./StepDraft.ts"

export const mostWaitingText = 4_000_000
const mostWaitingSteps = 4096

/** `open`: the journal ends before the call. */
type Outcome = Extract<RunEvent, { readonly _tag: "AgentEnded" }>["outcome"] | "open"

export interface CallEnd {
  readonly outcome: Outcome
  readonly error?: string | undefined
  readonly detail?: string | undefined
}

export class TrajectoryCall {
  /** The open turn. */
  #open: StepDraft | null = null
  /** Turns that have ended, in order. */
  #waiting: Array<StepDraft> = []
  #size = 0
  /** Lines that the prompt shows, for the turn that answers it. */
  #shown: Extra = {}
  #usage: CallUsage = noCallUsage
  /** The step with the last usage. */
  #measured: StepDraft | null = null
  /** Unanswered tool calls of emitted steps, with the number of the step. */
  readonly #emittedCalls = new Map<string, number>()
  readonly #emitStep: (draft: StepDraft) => number

  /** `emitStep` takes a final step and returns its number. */
  constructor(emitStep: (draft: StepDraft) => number) {
    this.#emitStep = emitStep
  }

  take(at: string, event: AgentEvent): void {
    switch (event._tag) {
      case "Shown":
        this.#shown = { shown_lines: event.lines }
        if (this.#open !== null) {
          this.#open.addExtra(this.#shown)
          this.#shown = {}
        }
        break
      case "Text":
        this.#turn(at).addText(event.text)
        break
      case "Thinking":
        this.#turn(at).addThinking(event.text)
        break
      case "ToolStart":
        this.#turn(at).addToolCall(event.id, event.name, event.input)
        break
      case "ToolResult":
        this.#addToolResult(at, event)
        break
      case "Metrics":
        this.#measure(at, event)
        break
      case "Cost":
        this.#usage = countUsage(this.#usage, event)
        break
      case "TurnEnd": {
        const turn = this.#turn(at)
        // A turn that failed gets no closing total.
        if (event.stopReason === "failed") this.#addUnplacedUsage(at)
        this.#usage = countUsage(this.#usage, event)
        this.#endTurn(turn, event.stopReason)
        break
      }
      case "Result":
        if (event.output !== null) this.#last(at).addExtra({ structured_output: event.output })
    }
  }

  /** Emits every step now, before the prompt that follows them. */
  flush(): void {
    if (this.#open !== null) this.#waiting.push(this.#open)
    this.#open = null
    this.#size = 0
    for (const draft of this.#waiting.splice(0)) this.#emit(draft)
  }

  #emit(draft: StepDraft): void {
    const number = this.#emitStep(draft)
    for (const id of draft.unanswered) this.#emittedCalls.set(id, number)
  }

  end(at: string, { detail, error, outcome }: CallEnd): void {
    const isHalf = this.#open !== null || this.#waiting.length === 0
    if (outcome !== "ok" && isHalf) this.#turn(at).addExtra({ partial_step: true })
    if (outcome === "failed") this.#last(at).addExtra({ error: detail ?? "", error_subtype: error ?? "" })
    this.#addUnplacedUsage(at)
    this.flush()
  }

  get usage(): CallUsage {
    return this.#usage
  }

  /** Adds usage that belongs to no turn to the last one. */
  #addUnplacedUsage(at: string): void {
    const rest = unplacedUsage(this.#usage)
    if (isKnown(rest)) this.#last(at).addUsage(rest, null, costOfPart(this.#usage).source)
  }

  #turn(at: string): StepDraft {
    if (this.#open !== null) return this.#open
    this.#open = new StepDraft(at)
    this.#open.addExtra(this.#shown)
    this.#shown = {}
    return this.#open
  }

  /** The open turn, else the one before it, else a new one. */
  #last(at: string): StepDraft {
    return this.#open ?? this.#waiting.at(-1) ?? this.#turn(at)
  }

  #endTurn(draft: StepDraft, stopReason: string | undefined): void {
    if (stopReason !== undefined) draft.addExtra({ stop_reason: stopReason })
    this.#open = null
    this.#waiting.push(draft)
    this.#size += draft.size
    this.#emitOldest()
  }

  /** Emits the oldest steps: those whose calls are answered, and more if too much is waiting. */
  #emitOldest(): void {
    let oldest = 0
    let size = this.#size
    for (const draft of this.#waiting.slice(0, -1)) {
      const isTooMuch = size > mostWaitingText || this.#waiting.length - oldest > mostWaitingSteps
      if (draft.unanswered.size > 0 && !isTooMuch) break
      size -= draft.size
      oldest++
    }
    for (const draft of this.#waiting.splice(0, oldest)) this.#emit(draft)
    this.#size = size
  }

  #addToolResult(at: string, result: Extract<AgentEvent, { readonly _tag: "ToolResult" }>): void {
    const asked =
      this.#open?.addToolResult(result) === true
        ? this.#open
        : this.#waiting.findLast((step) => step.addToolResult(result))
    if (asked === undefined) {
      const number = this.#emittedCalls.get(result.id)
      if (number === undefined) this.#last(at).keepToolResult("unmatched_tool_results", result)
      else this.#last(at).keepToolResult("late_tool_results", result, { step_id: number })
      this.#emittedCalls.delete(result.id)
    } else if (asked !== this.#open) {
      this.#size += result.output.length
      this.#emitOldest()
    }
  }

  #measure(at: string, event: Extract<AgentEvent, { readonly _tag: "Metrics" }>): void {
    const isRepeated = event.messageId !== "" && this.#usage.message?.id === event.messageId
    // Usage that arrives after its turn, or again, belongs to the step of that turn.
    const step = isRepeated ? (this.#ifHeld(this.#measured) ?? this.#last(at)) : this.#unmeasured(at, event)
    step.addUsage(
      addedUsage(this.#usage, event),
      event.model,
      event.costSource === "computed" ? "computed" : "reported"
    )
    this.#usage = countUsage(this.#usage, event)
    this.#measured = step
  }

  #ifHeld(draft: StepDraft | null): StepDraft | null {
    return draft !== null && (draft === this.#open || this.#waiting.includes(draft)) ? draft : null
  }

  /** The last turn if it ended without usage, else the open one. */
  #unmeasured(at: string, event: Extract<AgentEvent, { readonly _tag: "Metrics" }>): StepDraft {
    if (this.#open !== null || isPending(event)) return this.#turn(at)
    const before = this.#waiting.at(-1)
    return before !== undefined && !isKnown(before.usage) ? before : this.#turn(at)
  }
}

const isKnown = (usage: Usage): boolean => Object.values(usage).some((value) => value !== null)
