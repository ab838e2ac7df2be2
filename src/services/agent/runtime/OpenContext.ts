/**
 * One context as the runtime keeps it: who waits for what in it, and whether it is at rest, at work or being stopped.
 *
 * Every change here is made at once, between two steps of anything else, so that nothing that is sent can fall between a
 * run that ends and the next.
 */
import { Cause, type Deferred, type Effect, Exit, type Fiber, Scope } from "effect"
import type { RefOf, StopReason, TextBlocks } from "../../../domain/agent/AgentRef.ts"
import { episodeOf } from "../../../domain/agent/episodeOf.ts"
import type { AgentSession, RunEnd } from "./AgentContext.ts"
import type { Ledger } from "./Ledger.ts"
import { RunAborted, type RunFailure } from "./RunFailure.ts"

/** One who sent something and waits for what comes of it. */
export interface Waiter {
  /** Null: it waits for the run alone. */
  readonly input: { readonly type: string; readonly words: TextBlocks } | null
  readonly end: Deferred.Deferred<RunEnd, RunFailure>
}

/** `accepted`: in the present run, with the id of its input. */
interface Accepted extends Waiter {
  readonly ref: string | null
}

export class OpenContext {
  readonly id: string
  readonly ledger: Ledger
  readonly about: Omit<RefOf<"Context">, "_tag" | "id" | "at">
  /** Opens the session; what it holds is released with `scope`. */
  readonly open: Effect.Effect<AgentSession, never, Scope.Scope>
  readonly scope = Scope.makeUnsafe()
  session: AgentSession | null = null
  /** False: at rest. True from the moment in which it is decided, before there is a fiber. */
  isRunning = false
  driver: Fiber.Fiber<void> | null = null
  /** Contexts in which this one's run waits, by how often. */
  readonly #waitsFor = new Map<string, number>()
  /** Of the present run; null between runs. */
  #run: string | null = null
  #isStopping = false
  #accepted: Array<Accepted> = []
  #inbox: Array<Waiter> = []

  constructor(about: OpenContext["about"], open: OpenContext["open"], ledger: Ledger) {
    this.id = about.context
    this.about = about
    this.open = open
    this.ledger = ledger
  }

  /** Joins the run; between two of them, or while one is being stopped, waits for the next. */
  enter(waiter: Waiter): void {
    if (this.#run === null || this.#isStopping) this.#inbox.push(waiter)
    else this.#accept(waiter)
  }

  /** True: it was the last, and whatever runs may be stopped. One who was told is on no list any more. */
  leave(waiter: Waiter): boolean {
    const before = this.#waiting
    this.#accepted = this.#accepted.filter(({ end }) => end !== waiter.end)
    this.#inbox = this.#inbox.filter(({ end }) => end !== waiter.end)
    return before === 1 && this.#waiting === 0
  }

  /** A run begins, with everybody who came before it. */
  begin(): void {
    this.#run = this.ledger.note("Run", {})
    for (const waiter of this.#inbox.splice(0)) this.#accept(waiter)
  }

  /** Who comes from here on does not come to an end with this run; who came before does, begun or not. */
  stopping(): void {
    this.#isStopping = true
    if (this.#run === null) this.#accepted.push(...this.#inbox.splice(0).map((waiter) => ({ ...waiter, ref: null })))
  }

  /** The run is over: what comes in from here on belongs to the next. Gives who is to be told. */
  close(exit: Exit.Exit<RunEnd, RunFailure>): ReadonlyArray<Waiter> {
    const { chain, memory } = this.ledger
    const steps = chain.filter(({ _tag }) => _tag === "Step").length
    // What came too late for this run is answered by the next; what no run can show is not tried again.
    const goesOn = Exit.isSuccess(exit) && steps > 0
    const stays = ({ ref }: Accepted) => goesOn && ref !== null && memory.isWaiting(ref)
    // A run that could not even begin is nobody's to begin again: it would fail for ever.
    const unbegun = this.#run === null && !this.#isStopping ? this.#inbox.splice(0) : []
    const told = [...this.#accepted.filter((waiter) => !stays(waiter)), ...unbegun]
    this.#accepted = this.#accepted.filter(stays)
    if (this.#run !== null) {
      const { detail, stopReason } = endingOf(exit)
      this.ledger.note("RunEnded", { run: this.#run, stopReason, detail, steps, episode: episodeOf(chain, stopReason) })
    }
    this.ledger.chain = []
    this.#run = null
    return told
  }

  /** Is there somebody to go on for? If not, it is at rest from now on. */
  goesOn(): boolean {
    this.isRunning = this.#waiting > 0
    return this.isRunning
  }

  /** The driver was stopped or failed. Gives who is left of its run; those who came since are left for another. */
  released(isClosed: boolean): ReadonlyArray<Waiter> {
    const left = [...this.#accepted, ...(isClosed ? this.#inbox.splice(0) : [])]
    this.#accepted = []
    this.#isStopping = false
    return left
  }

  waitFor(id: string, more: 1 | -1): void {
    const now = (this.#waitsFor.get(id) ?? 0) + more
    if (now > 0) this.#waitsFor.set(id, now)
    else this.#waitsFor.delete(id)
  }

  get waitsFor(): ReadonlyArray<string> {
    return [...this.#waitsFor.keys()]
  }

  get #waiting(): number {
    return this.#accepted.length + this.#inbox.length
  }

  #accept({ end, input }: Waiter): void {
    this.#accepted.push({ end, input, ref: input === null ? null : this.ledger.note("Input", input) })
  }
}

/** Would waiting for `target` be waiting for `from`? */
export const isWaitingFor = (
  cells: ReadonlyMap<string, OpenContext>,
  target: string,
  from: string,
  seen = new Set<string>()
): boolean => {
  if (target === from) return true
  if (seen.has(target)) return false
  seen.add(target)
  return (cells.get(target)?.waitsFor ?? []).some((next) => isWaitingFor(cells, next, from, seen))
}

/** An interruption of the run is a failure to those who wait, and none of their own. */
export const failureForWaiters = (context: string, cause: Cause.Cause<RunFailure>): Cause.Cause<RunFailure> =>
  Cause.hasInterruptsOnly(cause) ? Cause.fail(new RunAborted({ context })) : cause

const endingOf = (
  exit: Exit.Exit<RunEnd, RunFailure>
): { readonly stopReason: StopReason; readonly detail: string } => {
  if (Exit.isSuccess(exit)) return { stopReason: exit.value.stopReason, detail: "" }
  if (Cause.hasInterruptsOnly(exit.cause)) return { stopReason: "aborted", detail: "" }
  const error = Cause.squash(exit.cause)
  const detail = error instanceof Error ? error.message : String(error)
  const tag = error instanceof Error && "_tag" in error ? error._tag : ""
  return { stopReason: tag === "ModelError" ? "model error" : tag === "ModelRefused" ? "refused" : "failed", detail }
}
