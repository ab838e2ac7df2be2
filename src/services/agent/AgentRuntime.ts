/**
 * Runs conversations with a model: the Daydreams lifecycle. What is sent to a context that is at rest begins a run; what
 * is sent to one that runs joins it, is shown to the model in a later turn, and comes to the same end.
 *
 * No input that was accepted is lost: a run ends only in the moment in which nothing waits. Who waits may leave; when the
 * last one leaves, the run is stopped. Whatever the exit, the context is free again and everybody who waited is told.
 * Source: seed 004; reference agent-lifecycle §2.2, §2.3, §6.2, §7.3.
 */
import {
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Queue,
  Random,
  Schema,
  Scope,
  Semaphore,
  Stream
} from "effect"
import type { AgentRef, StopReason, Words } from "../../domain/AgentRef.ts"
import { episodeOf } from "../../domain/episodeOf.ts"
import { Model } from "../Model.ts"
import { Redactor } from "../Redactor.ts"
import type { AgentContext, AgentSession, Input, InputSource, RunEnd, Seen } from "./AgentContext.ts"
import { runSteps } from "./AgentRun.ts"
import { makeCallDesk } from "./CallDesk.ts"
import { Ledger } from "./Ledger.ts"
import { MemoryLog } from "./MemoryLog.ts"
import { ArgsInvalid, InputInvalid, Reentrant, RunAborted, type RunFailure, type SendFailure } from "./RunFailure.ts"
import { withWords } from "./withWords.ts"

/** Contexts at rest that are kept open; the log knows the others. */
const mostAtRest = 64
/** Of a watcher that need not see everything. */
const watchedAtOnce = 1024

/** In whose run an Effect works; null outside of all. */
const RunningIn = Context.Reference<string | null>("dd/services/agent/AgentRuntime/RunningIn", {
  defaultValue: () => null
})

/** One who sent something and waits for what comes of it. */
interface Waiter {
  /** Null: it waits for the run alone. */
  readonly input: { readonly type: string; readonly words: Words } | null
  /** The id of the input's ref once it is noted. */
  ref: string | null
  readonly end: Deferred.Deferred<RunEnd, RunFailure>
}

interface Cell {
  readonly id: string
  readonly open: Effect.Effect<AgentSession, never, Scope.Scope>
  readonly scope: Scope.Closeable
  readonly ledger: Ledger
  readonly about: Omit<Extract<AgentRef, { readonly _tag: "Context" }>, "_tag" | "id" | "at">
  session: AgentSession | null
  /** False: at rest. Set in the moment in which it is decided, before there is a fiber. */
  isDriven: boolean
  driver: Fiber.Fiber<void> | null
  /** Of the present run; null between runs, and then whatever comes in waits in the inbox. */
  run: string | null
  waiters: Array<Waiter>
  inbox: Array<Waiter>
  /** Contexts in which this one's run waits, by how often. */
  readonly waitsFor: Map<string, number>
}

export class AgentRuntime extends Context.Service<
  AgentRuntime,
  {
    /** Interrupting it leaves the run to the others who wait. */
    readonly send: <Args, A>(
      context: AgentContext<Args>,
      args: unknown,
      input: Input<A>,
      data: unknown
    ) => Effect.Effect<RunEnd, SendFailure>
    /** Takes up what was left waiting, if anything was; joins a run that is under way. */
    readonly run: <Args>(context: AgentContext<Args>, args: unknown) => Effect.Effect<RunEnd, SendFailure>
    /** Stops the run of a context, if there is one; who waits for it is told. */
    readonly stop: <Args>(context: AgentContext<Args>, args: unknown) => Effect.Effect<void, ArgsInvalid>
    /**
     * What happens in a context from now on, until the scope closes. A watcher who is slow sees the newest; `everything`
     * keeps all for it.
     */
    readonly watch: <Args>(
      context: AgentContext<Args>,
      args: unknown,
      options?: { readonly everything?: boolean }
    ) => Effect.Effect<Queue.Queue<Seen, Cause.Done>, ArgsInvalid, Scope.Scope>
    /** Sends whatever arrives, in order of arrival, until the scope closes. What fails is logged. */
    readonly subscribe: <Args, A>(source: InputSource<Args, A>) => Effect.Effect<void, never, Scope.Scope>
    /** Is it open, with all it remembers? */
    readonly isOpen: <Args>(context: AgentContext<Args>, args: unknown) => Effect.Effect<boolean, ArgsInvalid>
  }
>()("dd/services/agent/AgentRuntime") {
  static readonly layer = Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const given = yield* Model
      const log = yield* MemoryLog
      const { text: redact } = yield* Redactor
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const references = given.tools === "words"
      const model = references ? yield* withWords(given) : given
      const turns = yield* Semaphore.make(Math.max(1, given.fanout))
      const mark = Math.floor((yield* Random.next) * 2 ** 40).toString(36)
      const cells = new Map<string, Cell>()
      const watchers = new Map<string, Set<Queue.Queue<Seen, Cause.Done>>>()
      let made = 0

      const cellOf = <Args>(context: AgentContext<Args>, { args, id, key, said }: Place<Args>): Cell => {
        const known = cells.get(id)
        if (known !== undefined) return known
        const cell: Cell = {
          id,
          open: context.open(args),
          scope: Scope.makeUnsafe(),
          ledger: new Ledger({
            context: id,
            log,
            clock,
            nextId: () => `${mark}-${++made}`,
            watchers: () => watchers.get(id) ?? []
          }),
          about: { context: id, type: context.type, key, args: said },
          session: null,
          isDriven: false,
          driver: null,
          run: null,
          waiters: [],
          inbox: [],
          waitsFor: new Map()
        }
        cells.set(id, cell)
        return cell
      }

      /** The session of a context, opened once, with what an earlier process remembers. */
      const opened = Effect.fnUntraced(function* (cell: Cell) {
        if (cell.session !== null) return cell.session
        if (!(yield* cell.ledger.recall)) cell.ledger.note("Context", cell.about)
        const session = yield* Scope.provide(cell.open, cell.scope)
        cell.session = session
        return session
      })

      const accept = (cell: Cell, waiter: Waiter): void => {
        if (waiter.input !== null) waiter.ref = cell.ledger.note("Input", waiter.input)
        cell.waiters.push(waiter)
      }

      /** One run, from its first ref to its last; everybody whose input it took is told of its end. */
      const oneRun = Effect.fnUntraced(function* (cell: Cell) {
        const session = yield* opened(cell)
        const { ledger } = cell
        const desk = makeCallDesk(redact, model.contextTokens)
        cell.run = ledger.note("Run", {})
        for (const waiter of cell.inbox.splice(0)) accept(cell, waiter)
        yield* ledger.flush
        return yield* runSteps({ ledger, session, desk, model, references, turns })
      })

      /** In one breath: what comes in from here on belongs to the next run. */
      const close = (cell: Cell, exit: Exit.Exit<RunEnd, RunFailure>): ReadonlyArray<Waiter> => {
        const { ledger } = cell
        const steps = ledger.chain.filter(({ _tag }) => _tag === "Step").length
        // What came too late for this run is answered by the next; what no run can show is not tried again.
        const goesOn = Exit.isSuccess(exit) && steps > 0
        const stays = (waiter: Waiter) => goesOn && waiter.ref !== null && ledger.memory.isWaiting(waiter.ref)
        const told = cell.waiters.filter((waiter) => !stays(waiter))
        cell.waiters = cell.waiters.filter(stays)
        const { detail, stopReason } = endingOf(exit)
        const episode = episodeOf(ledger.chain, stopReason)
        if (cell.run !== null) ledger.note("RunEnded", { run: cell.run, stopReason, detail, steps, episode })
        ledger.chain = []
        cell.run = null
        return told
      }

      const drive = (cell: Cell): Effect.Effect<void> =>
        Effect.gen(function* () {
          // What is sent in the same breath shares the first turn.
          yield* Effect.yieldNow
          do {
            yield* oneRun(cell).pipe(
              Effect.onExit((exit) =>
                Effect.suspend(() => {
                  const told = close(cell, exit)
                  const end = Exit.isSuccess(exit) ? exit : Exit.failCause(causeFor(cell.id, exit.cause))
                  const tell = Effect.sync(() => {
                    for (const waiter of told) Deferred.doneUnsafe(waiter.end, end)
                  })
                  return Effect.andThen(cell.ledger.flush, tell)
                })
              ),
              // Whoever waits has been told; a bug and an interruption go on.
              Effect.result
            )
          } while (yield* Effect.sync(() => goesOn(cell)))
        }).pipe(Effect.onExit((exit) => released(cell, exit)))

      /** Decided and done at once: nobody can come in between. */
      const goesOn = (cell: Cell): boolean => {
        if (cell.inbox.length > 0 || cell.waiters.length > 0) return true
        cell.isDriven = false
        return false
      }

      /** However the driver ended: nobody is left waiting, and what came in meanwhile gets a run of its own. */
      const released = (cell: Cell, exit: Exit.Exit<void>): Effect.Effect<void> =>
        Effect.suspend(() => {
          // At rest already where it ended well: another driver may be at work by now.
          if (Exit.isSuccess(exit)) return forgetOldest()
          cell.isDriven = false
          const left = isClosed() ? [...cell.waiters, ...cell.inbox.splice(0)] : cell.waiters
          cell.waiters = []
          for (const { end } of left) Deferred.doneUnsafe(end, Exit.failCause(causeFor(cell.id, exit.cause)))
          return cell.inbox.length > 0 ? start(cell) : forgetOldest()
        })

      const isClosed = (): boolean => scope.state._tag === "Closed"

      const start = (cell: Cell): Effect.Effect<void> => {
        cell.isDriven = true
        // Begun at once, so that it is released however soon it is stopped.
        return drive(cell).pipe(
          Effect.provideService(RunningIn, cell.id),
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.tap((fiber) => Effect.sync(() => (cell.driver = fiber))),
          Effect.asVoid
        )
      }

      const enter = (cell: Cell, waiter: Waiter, from: string | null): Effect.Effect<void, Reentrant | RunAborted> =>
        Effect.suspend((): Effect.Effect<void, Reentrant | RunAborted> => {
          if (isClosed()) return Effect.fail(new RunAborted({ context: cell.id }))
          if (from !== null) {
            if (reaches(cells, cell.id, from)) return Effect.fail(new Reentrant({ context: cell.id, from }))
            count(cells.get(from)?.waitsFor, cell.id, 1)
          }
          if (cell.run === null) cell.inbox.push(waiter)
          else accept(cell, waiter)
          return cell.isDriven ? cell.ledger.flush : start(cell)
        })

      const leave = (cell: Cell, waiter: Waiter, from: string | null): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (from !== null) count(cells.get(from)?.waitsFor, cell.id, -1)
          const others = (each: Waiter) => each !== waiter
          const before = cell.waiters.length + cell.inbox.length
          cell.waiters = cell.waiters.filter(others)
          cell.inbox = cell.inbox.filter(others)
          const after = cell.waiters.length + cell.inbox.length
          // One who was told is on no list any more.
          const isLast = before === 1 && after === 0
          return isLast && cell.driver !== null ? Fiber.interrupt(cell.driver) : Effect.void
        })

      const join = Effect.fnUntraced(function* <Args>(
        context: AgentContext<Args>,
        args: unknown,
        input: Waiter["input"]
      ) {
        const from = yield* RunningIn
        const cell = cellOf(context, yield* placeOf(context, args))
        const waiter: Waiter = { input, ref: null, end: Deferred.makeUnsafe() }
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.andThen(
            enter(cell, waiter, from),
            restore(Deferred.await(waiter.end)).pipe(Effect.onExit(() => leave(cell, waiter, from)))
          )
        )
      })

      const send = Effect.fn("AgentRuntime.send")(function* <Args, A>(
        context: AgentContext<Args>,
        args: unknown,
        input: Input<A>,
        data: unknown
      ) {
        const value = yield* Effect.mapError(
          Schema.decodeUnknownEffect(input.schema)(data),
          (cause) => new InputInvalid({ type: input.type, cause })
        )
        return yield* join(context, args, { type: input.type, words: input.words(value) })
      })

      const watch = Effect.fnUntraced(function* <Args>(
        context: AgentContext<Args>,
        args: unknown,
        { everything = false }: { readonly everything?: boolean } = {}
      ) {
        const { id } = yield* placeOf(context, args)
        const queue = yield* everything
          ? Queue.unbounded<Seen, Cause.Done>()
          : Queue.sliding<Seen, Cause.Done>(watchedAtOnce)
        const all = watchers.get(id) ?? new Set()
        watchers.set(id, all.add(queue))
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            all.delete(queue)
            if (all.size === 0) watchers.delete(id)
            Queue.endUnsafe(queue)
          })
        )
        return queue
      })

      const subscribe = Effect.fnUntraced(function* <Args, A>({ arrivals, context, input }: InputSource<Args, A>) {
        const own = yield* Effect.scope
        const take = ({ args, data }: { readonly args: unknown; readonly data: unknown }) =>
          send(context, args, input, data).pipe(
            Effect.catch((error) => Effect.logWarning(`${input.type}: ${error.message}`)),
            Effect.forkIn(own, { startImmediately: true })
          )
        yield* Effect.forkScoped(Stream.runForEach(arrivals, take))
      })

      const find = <Args>(context: AgentContext<Args>, args: unknown) =>
        Effect.map(placeOf(context, args), ({ id }) => cells.get(id))

      const stop = Effect.fnUntraced(function* <Args>(context: AgentContext<Args>, args: unknown) {
        const cell = yield* find(context, args)
        if (cell?.isDriven === true && cell.driver !== null) yield* Fiber.interrupt(cell.driver)
      })

      const isAtRest = (cell: Cell): boolean => !cell.isDriven

      const dropped = (cell: Cell): Effect.Effect<void> => {
        cells.delete(cell.id)
        return Scope.close(cell.scope, Exit.void)
      }

      const forgetOldest = (): Effect.Effect<void> => {
        const atRest = [...cells.values()].filter(isAtRest)
        return Effect.forEach(atRest.slice(0, Math.max(0, atRest.length - mostAtRest)), dropped, { discard: true })
      }

      yield* Effect.addFinalizer(() =>
        Effect.forEach([...cells.values()], ({ scope: own }) => Scope.close(own, Exit.void), { discard: true })
      )

      return AgentRuntime.of({
        send,
        run: (context, args) => join(context, args, null),
        stop,
        watch,
        subscribe,
        isOpen: (context, args) =>
          Effect.map(find(context, args), (cell) => cell !== undefined && cell.session !== null)
      })
    })
  )
}

/** Where the arguments lead. */
interface Place<Args> {
  readonly args: Args
  /** As they are written down. */
  readonly said: Schema.Json
  readonly key: string | null
  readonly id: string
}

/** Checked before the id is computed, so that a default is the same as saying it. */
const placeOf = Effect.fnUntraced(
  function* <Args>({ args: schema, key, type }: AgentContext<Args>, given: unknown) {
    const args = yield* Schema.decodeUnknownEffect(schema)(given)
    const said = yield* Schema.encodeEffect(Schema.toCodecJson(schema))(args)
    const own = key === undefined ? null : key(args)
    const place: Place<Args> = { args, said, key: own, id: own === null ? type : `${type}:${own}` }
    return place
  },
  (self, { type }) => Effect.mapError(self, (cause) => new ArgsInvalid({ type, cause }))
)

/** Would waiting for `target` be waiting for `from`? */
const reaches = (cells: ReadonlyMap<string, Cell>, target: string, from: string, seen = new Set<string>()): boolean => {
  if (target === from) return true
  if (seen.has(target)) return false
  seen.add(target)
  return [...(cells.get(target)?.waitsFor.keys() ?? [])].some((next) => reaches(cells, next, from, seen))
}

const count = (counts: Map<string, number> | undefined, id: string, more: number): void => {
  const now = (counts?.get(id) ?? 0) + more
  if (now > 0) counts?.set(id, now)
  else counts?.delete(id)
}

/** An interruption of the run is a failure to those who wait, and none of their own. */
const causeFor = (context: string, cause: Cause.Cause<RunFailure>): Cause.Cause<RunFailure> =>
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
