/**
 * Processes one turn of a model: thoughts and text become refs, and a call starts as soon as its arguments are
 * complete, while the model continues. Every started call gets a result in the ledger, however it ends.
 */
import { Cause, Deferred, Effect, Exit, Fiber, Option, Predicate, Result, type Scope } from "effect"
import { referencesIn } from "../../../domain/agent/callReference.ts"
import type { AssistantMessage, CallPart, ModelEvent, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import { exactJson } from "../../../domain/text/json/modelJson.ts"
import type { CallExecutor, CallOptions, CallResult, WrittenCall } from "./CallExecutor.ts"
import type { Ledger } from "./Ledger.ts"

export interface StartedCall {
  readonly call: WrittenCall
  readonly fiber: Fiber.Fiber<CallResult>
}

type Ended = Extract<ModelEvent, { readonly _tag: "Ended" }>

export interface ListenerOptions extends Omit<CallOptions, "earlier"> {
  readonly ledger: Ledger
  readonly executor: CallExecutor
  /** Closing it stops what was started. */
  readonly scope: Scope.Scope
  readonly onText: ((text: string) => Effect.Effect<void>) | undefined
  /** Calls of an earlier try of the same turn, whose results are reused. */
  readonly earlierCalls: ReadonlyMap<string, Fiber.Fiber<CallResult>>
}

/** For one try of a turn. */
export class TurnListener {
  readonly calls: Array<StartedCall> = []
  readonly handlers: Array<Fiber.Fiber<void>> = []
  readonly parts: Array<AssistantMessage["parts"][number]> = []
  messageId = ""
  model = ""
  usage: ModelUsage | null = null
  ended: Ended | null = null
  readonly #scene: ListenerOptions
  readonly #earlier: Array<Deferred.Deferred<CallResult>> = []
  readonly #refIds = new Map<string, string>()
  /** The text block that is being written. */
  #block: { readonly kind: "Thought" | "Output"; readonly id: string; text: string } | null = null

  constructor(scene: ListenerOptions) {
    this.#scene = scene
  }

  get text(): string {
    return this.parts.map((part) => (part._tag === "Text" ? part.text : "")).join("")
  }

  /** The work that the event causes, if any. */
  take(event: ModelEvent): Effect.Effect<unknown> | null {
    switch (event._tag) {
      case "Began":
        this.messageId = event.messageId
        this.model = event.model
        return null
      case "Thinking":
        return this.#say("Thought", event.text)
      case "Text":
        return this.#say("Output", event.text)
      case "ThinkingEnded":
        return this.#endBlock()
      case "CallBegan":
        this.#refIds.set(event.id, this.#scene.ledger.nextId())
        return this.#endBlock()
      case "CallArguments": {
        const id = this.#refIds.get(event.id)
        if (id !== undefined) this.#scene.ledger.piece(id, "Call", event.text)
        return null
      }
      case "CallEnded":
        return Effect.andThen(this.#endBlock() ?? Effect.void, Effect.uninterruptible(this.#begin(event)))
      case "Used":
        this.usage = event.usage
        // Immediately, so that an interrupted turn includes it.
        this.#scene.ledger.used(this.messageId, this.model, event.usage)
        return null
      case "Ended":
        this.ended = event
        return this.#endBlock()
    }
  }

  #say(kind: "Thought" | "Output", text: string): Effect.Effect<unknown> | null {
    const handled = this.#block !== null && this.#block.kind !== kind ? this.#endBlock() : null
    this.#block ??= { kind, id: this.#scene.ledger.nextId(), text: "" }
    this.#block.text += text
    this.#scene.ledger.piece(this.#block.id, kind, text)
    return handled
  }

  #endBlock(): Effect.Effect<unknown> | null {
    const block = this.#block
    this.#block = null
    const { ledger, onText, scope } = this.#scene
    if (block === null || block.text.trim() === "") return null
    if (block.kind === "Thought") {
      ledger.note("Thought", { text: block.text }, block.id)
      return null
    }
    this.parts.push({ _tag: "Text", text: block.text })
    ledger.note("Output", { name: "text", content: block.text }, block.id)
    if (onText === undefined) return null
    return Effect.tap(Effect.forkIn(onText(block.text), scope), (fiber) => Effect.sync(() => this.handlers.push(fiber)))
  }

  #begin(call: WrittenCall): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { executor, earlierCalls, ledger, scope, ...scene } = this.#scene
      this.parts.push({ _tag: "Call", id: call.id, name: call.name, input: inputOf(call) })
      ledger.note("Call", { callId: call.id, name: call.name, arguments: call.arguments }, this.#refIds.get(call.id))
      const earlier = [...this.#earlier]
      const settled = Deferred.makeUnsafe<CallResult>()
      this.#earlier.push(settled)
      const earlierFiber = earlierCalls.get(callKey(call))
      const work = earlierFiber === undefined ? executor.answer(call, { ...scene, earlier }) : Fiber.join(earlierFiber)
      const noted = Effect.onExit(work, (exit) => {
        Deferred.doneUnsafe(settled, exit)
        this.#note(call, exit)
        return ledger.flush
      })
      return ledger.flush.pipe(
        // Started before it can be interrupted, so that it always records a result.
        Effect.andThen(Effect.forkIn(noted, scope, { startImmediately: true })),
        Effect.tap((fiber) => Effect.sync(() => this.calls.push({ call, fiber })))
      )
    })
  }

  #note({ id, name }: WrittenCall, exit: Exit.Exit<CallResult>): void {
    const { ledger } = this.#scene
    if (Exit.isSuccess(exit)) {
      const { failure, isError, submitted, text } = exit.value
      ledger.note("Result", { callId: id, name, output: text, isError, fault: failure })
      if (submitted !== null) ledger.note("Output", { name: submitted.name, content: submitted.value })
    } else {
      const stopped = Cause.hasInterruptsOnly(exit.cause)
      const output = stopped ? `${name} was stopped before it ended` : `${name} failed unexpectedly`
      ledger.note("Result", { callId: id, name, output, isError: true, fault: stopped ? "Interrupted" : "Defect" })
    }
  }
}

/** Equal for equal calls. */
export const callKey = ({ name, arguments: written }: WrittenCall): string => `${name}\n${written.trim()}`

/** Whether an equal call may reuse its result: not if it was cut off or refers to a call of its own turn. */
export const isRepeatable = ({ arguments: written, truncated }: WrittenCall, references: boolean): boolean => {
  if (truncated || !references) return !truncated
  const found = Option.map(exactJson(written), referencesIn)
  return Option.isNone(found) || (Result.isSuccess(found.value) && found.value.success.length === 0)
}

/** The arguments that are sent back to the model; invalid ones become an empty object. */
const inputOf = (call: WrittenCall): CallPart["input"] => {
  const input = call.truncated ? Option.none() : exactJson(call.arguments)
  return Option.isSome(input) && Predicate.isObject(input.value) ? input.value : {}
}
