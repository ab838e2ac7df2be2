/**
 * The state of one context: its waiters, and whether it is idle, running or being stopped. All methods are synchronous,
 * so that no input is lost between the end of a run and the next run.
 */
import { Cause, type Deferred, type Effect, Exit, type Fiber, Scope } from "effect"
import type { RefOf, StopReason, TextBlocks } from "../../../domain/agent/AgentRef.ts"
import { episodeOf } from "../../../domain/agent/episodeOf.ts"
import type { AgentSession, RunEnd } from "./AgentContext.ts"
import type { Ledger } from "./Ledger.ts"
import { RunAborted, type RunFailure } from "./RunFailure.ts"

export interface Waiter {
  /** Null: the waiter only joins the run. */
  readonly input: { readonly type: string; readonly words: TextBlocks } | null
  readonly end: Deferred.Deferred<RunEnd, RunFailure>
}

/** A waiter of the current run. `ref`: the id of its input. */
interface Accepted extends Waiter {
  readonly ref: string | null
}

export class OpenContext {
  readonly id: string
  readonly ledger: Ledger
  readonly about: Omit<RefOf<"Context">, "_tag" | "id" | "at">
  readonly open: Effect.Effect<AgentSession, never, Scope.Scope>
  readonly scope = Scope.makeUnsafe()
  session: AgentSession | null = null
  /** True from the decision to run, before the fiber exists. */
  isRunning = false
  driver: Fiber.Fiber<void> | null = null
  /** Contexts that the run of this one waits for, with the number of waits. */
  readonly #waitsFor = new Map<string, number>()
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

  /** Joins the current run, or the next if there is none or it is being stopped. */
  enter(waiter: Waiter): void {
    if (this.#run === null || this.#isStopping) this.#inbox.push(waiter)
    else this.#accept(waiter)
  }

  /** Returns true if this was the last waiter. */
  leave(waiter: Waiter): boolean {
    const before = this.#waiting
    this.#accepted = this.#accepted.filter(({ end }) => end !== waiter.end)
    this.#inbox = this.#inbox.filter(({ end }) => end !== waiter.end)
    return before === 1 && this.#waiting === 0
  }

  /** Begins a run with all current waiters. */
  begin(): void {
    this.#run = this.ledger.note("Run", {})
    for (const waiter of this.#inbox.splice(0)) this.#accept(waiter)
  }

  /** Later waiters belong to the next run; earlier ones belong to this run, even if it has not begun. */
  stopping(): void {
    this.#isStopping = true
    if (this.#run === null) this.#accepted.push(...this.#inbox.splice(0).map((waiter) => ({ ...waiter, ref: null })))
  }

  /** Ends the run, and returns the waiters that receive its exit. */
  close(exit: Exit.Exit<RunEnd, RunFailure>): ReadonlyArray<Waiter> {
    const { chain, memory } = this.ledger
    const steps = chain.filter(({ _tag }) => _tag === "Step").length
    // An input that came too late for this run is left for the next one, unless the run failed or sent nothing.
    const keepsLate = Exit.isSuccess(exit) && steps > 0
    const isLate = ({ ref }: Accepted) => keepsLate && ref !== null && memory.isWaiting(ref)
    // A run that could not begin is not tried again, because it would fail every time.
    const unbegun = this.#run === null && !this.#isStopping ? this.#inbox.splice(0) : []
    const waiters = [...this.#accepted.filter((waiter) => !isLate(waiter)), ...unbegun]
    this.#accepted = this.#accepted.filter(isLate)
    if (this.#run !== null) {
      const { detail, stopReason } = endingOf(exit)
      this.ledger.note("RunEnded", { run: this.#run, stopReason, detail, steps, episode: episodeOf(chain, stopReason) })
    }
    this.ledger.chain = []
    this.#run = null
    return waiters
  }

  /** Continues if there are waiters; otherwise the context is idle from now on. */
  hasNextRun(): boolean {
    this.isRunning = this.#waiting > 0
    return this.isRunning
  }

  /**
   * After the driver was stopped or failed: returns the waiters of its run. Later waiters are left for another driver.
   */
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

/** Whether the run of `target` waits for `from`. */
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

/** Makes an interruption of the run a failure for its waiters. */
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
