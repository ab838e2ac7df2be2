/**
 * Creates the refs of one context. Each gets an id and a time, is frozen, and is sent once to the run's chain, working
 * memory, the log and the watchers. `note` is synchronous; `flush` waits until the log is written.
 */
import { type Clock, DateTime, Effect, Predicate, Queue, Semaphore } from "effect"
import type { AgentRef, RefOf } from "../../../domain/agent/AgentRef.ts"
import type { ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import { WorkingMemory } from "../../../domain/agent/WorkingMemory.ts"
import type { ContextEvent } from "./AgentContext.ts"
import type { MemoryLog } from "./MemoryLog.ts"

/** The fields of a ref that depend on its tag. */
type RefFields<Tag extends AgentRef["_tag"]> = Omit<RefOf<Tag>, "_tag" | "id" | "at">

export interface LedgerOptions {
  readonly context: string
  readonly log: MemoryLog["Service"]
  readonly clock: Clock.Clock
  /** Unique in every log of the process. */
  readonly nextId: () => string
  readonly watchers: () => Iterable<Queue.Enqueue<ContextEvent>>
}

export class Ledger {
  readonly memory = new WorkingMemory()
  /** The refs of the current run. */
  chain: Array<AgentRef> = []
  readonly #around: LedgerOptions
  #unwritten: Array<AgentRef> = []
  #isRecalled = false
  #time = { millis: Number.NaN, text: "" }
  readonly #writing = Semaphore.makeUnsafe(1)

  constructor(around: LedgerOptions) {
    this.#around = around
  }

  /** For a ref whose pieces are shown before it is complete. */
  nextId(): string {
    return this.#around.nextId()
  }

  note<Tag extends AgentRef["_tag"]>(tag: Tag, fields: RefFields<Tag>, id: string = this.nextId()): string {
    const at = this.#now
    // TypeScript cannot infer that the fields belong to the tag.
    const ref = frozen({ _tag: tag, id, at, ...fields } as AgentRef)
    this.chain.push(ref)
    this.memory.take(ref)
    this.#unwritten.push(ref)
    this.#show({ _tag: "Ref", ref })
    return id
  }

  piece(id: string, of: Extract<ContextEvent, { _tag: "Piece" }>["of"], text: string): void {
    if (text !== "") this.#show(Object.freeze({ _tag: "Piece", at: this.#now, id, of, text }))
  }

  sent(fields: Pick<Extract<ContextEvent, { readonly _tag: "Sent" }>, "system" | "words" | "continues">): void {
    this.#show(frozen({ _tag: "Sent", at: this.#now, ...fields }))
  }

  used(messageId: string, model: string, usage: ModelUsage | null): void {
    this.#show(frozen({ _tag: "Used", at: this.#now, messageId, model, usage }))
  }

  readonly flush: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#unwritten.length === 0) return Effect.void
    return this.#writing.withPermits(1)(
      Effect.suspend(() => {
        const refs = this.#unwritten
        this.#unwritten = []
        return refs.length === 0 ? Effect.void : this.#around.log.append(this.#around.context, refs)
      })
    )
  })

  /** Reads the refs of earlier processes, once; if there are none, begins the log. */
  recall(about: RefFields<"Context">): Effect.Effect<void> {
    if (this.#isRecalled) return Effect.void
    return Effect.map(this.#around.log.read(this.#around.context), (refs) => {
      this.#isRecalled = true
      for (const ref of refs) this.memory.take(ref)
      if (refs.length === 0) this.note("Context", about)
    })
  }

  get #now(): string {
    const millis = this.#around.clock.currentTimeMillisUnsafe()
    // Cached, because many pieces arrive in a millisecond.
    if (millis !== this.#time.millis) this.#time = { millis, text: DateTime.formatIso(DateTime.makeUnsafe(millis)) }
    return this.#time.text
  }

  #show(seen: ContextEvent): void {
    for (const watcher of this.#around.watchers()) Queue.offerUnsafe(watcher, seen)
  }
}

/** Frozen deeply. The values are JSON, without cycles. */
const frozen = <A>(value: A): A => {
  if (!Predicate.isObjectKeyword(value) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const item of Object.values(value)) frozen(item)
  return value
}
