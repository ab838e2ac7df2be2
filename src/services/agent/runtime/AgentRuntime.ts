/**
 * Runs conversations with a model: the Daydreams lifecycle. An input to an idle context starts a run; an input to a
 * running one joins the run, is sent to the model in a later turn, and has the same result.
 *
 * No accepted input is lost: a run ends only if nothing is pending. When the last waiter is interrupted, the run is
 * stopped. Every waiter gets an exit.
 */
import {
  type Cause,
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
import type { TextBlocks } from "../../../domain/agent/AgentRef.ts"
import { Redactor } from "../../secret/Redactor.ts"
import { Model } from "../Model.ts"
import type { AgentContext, ContextEvent, Input, InputSource, RunEnd } from "./AgentContext.ts"
import { runSteps } from "./AgentRun.ts"
import { makeCallExecutor } from "./CallExecutor.ts"
import { Ledger } from "./Ledger.ts"
import { MemoryLog } from "./MemoryLog.ts"
import { failureForWaiters, isWaitingFor, OpenContext, type Waiter } from "./OpenContext.ts"
import { ArgsInvalid, InputInvalid, Reentrant, RunAborted, type SendFailure } from "./RunFailure.ts"
import { SharedBeginnings } from "./SharedBeginnings.ts"
import { messageTokens } from "./turnRequest.ts"
import { withWords } from "./withWords.ts"

/** Idle contexts that are kept open; the memory log has the others. */
const mostIdle = 64
/** Events that are kept for a slow watcher. */
const watchBuffer = 1024

/** The id of the context in whose run a fiber works. */
const RunningIn = Context.Reference<string | null>("dd/services/agent/AgentRuntime/RunningIn", {
  defaultValue: () => null
})

export class AgentRuntime extends Context.Service<
  AgentRuntime,
  {
    /** Interruption does not stop the run as long as others wait for it. */
    readonly send: <Args, A>(
      context: AgentContext<Args>,
      args: unknown,
      input: Input<A>,
      data: unknown
    ) => Effect.Effect<RunEnd, SendFailure>
    /** Runs what is pending, if anything is; joins a run in progress. */
    readonly run: <Args>(context: AgentContext<Args>, args: unknown) => Effect.Effect<RunEnd, SendFailure>
    /** Stops the run of a context, if there is one; its waiters fail. */
    readonly stop: <Args>(context: AgentContext<Args>, args: unknown) => Effect.Effect<void, ArgsInvalid>
    /** The events of a context until the scope closes. A slow watcher loses the oldest, unless it wants `everything`. */
    readonly watch: <Args>(
      context: AgentContext<Args>,
      args: unknown,
      options?: { readonly everything?: boolean }
    ) => Effect.Effect<Queue.Queue<ContextEvent, Cause.Done>, ArgsInvalid, Scope.Scope>
    /** Sends inputs in order of arrival until the scope closes; failures are logged. */
    readonly subscribe: <Args, A>(source: InputSource<Args, A>) => Effect.Effect<void, never, Scope.Scope>
    readonly isOpen: <Args>(context: AgentContext<Args>, args: unknown) => Effect.Effect<boolean, ArgsInvalid>
    /** Whether nothing is pending, no turn was dropped, and all take no more than half of the model's room with these words. */
    readonly hasRoomFor: <Args>(
      context: AgentContext<Args>,
      args: unknown,
      words: TextBlocks
    ) => Effect.Effect<boolean, ArgsInvalid>
  }
>()("dd/services/agent/runtime/AgentRuntime") {
  static readonly layer = Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const baseModel = yield* Model
      const log = yield* MemoryLog
      const { text: redact } = yield* Redactor
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const references = baseModel.tools === "words"
      const model = references ? yield* withWords(baseModel) : baseModel
      const turns = yield* Semaphore.make(Math.max(1, baseModel.fanout))
      const beginnings = baseModel.cachesPrefixes === true ? new SharedBeginnings() : null
      const idPrefix = Math.floor((yield* Random.next) * 2 ** 40).toString(36)
      const cells = new Map<string, OpenContext>()
      const watchers = new Map<string, Set<Queue.Queue<ContextEvent, Cause.Done>>>()
      let refCount = 0

      const cellOf = <Args>(
        { open, type }: AgentContext<Args>,
        { args, id, key, encodedArgs }: ContextIdentity<Args>
      ) => {
        const existing = cells.get(id)
        if (existing !== undefined) return existing
        const ledger = new Ledger({
          context: id,
          log,
          clock,
          nextId: () => `${idPrefix}-${++refCount}`,
          watchers: () => watchers.get(id) ?? []
        })
        const cell = new OpenContext({ context: id, type, key, args: encodedArgs }, open(args), ledger)
        cells.set(id, cell)
        return cell
      }

      /** The session of a context, opened once, with the memory of earlier processes. */
      const opened = Effect.fnUntraced(function* (cell: OpenContext) {
        if (cell.session !== null) return cell.session
        yield* cell.ledger.recall(cell.about)
        const session = yield* Scope.provide(cell.open, cell.scope)
        cell.session = session
        return session
      })

      /** One run, from its first ref to its last; all its waiters get its exit. */
      const oneRun = (cell: OpenContext) =>
        Effect.gen(function* () {
          const session = yield* opened(cell)
          const { ledger } = cell
          cell.begin()
          yield* ledger.flush
          const executor = makeCallExecutor(redact, model.room.contextTokens)
          return yield* runSteps({ ledger, session, executor, model, references, turns, beginnings })
        }).pipe(
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              const waiters = cell.close(exit)
              const end = Exit.isSuccess(exit) ? exit : Exit.failCause(failureForWaiters(cell.id, exit.cause))
              const tell = Effect.sync(() => {
                for (const waiter of waiters) Deferred.doneUnsafe(waiter.end, end)
              })
              return Effect.andThen(cell.ledger.flush, tell)
            })
          )
        )

      /** Run after run, as long as there are waiters. */
      const drive = (cell: OpenContext): Effect.Effect<void> =>
        Effect.gen(function* () {
          // Inputs that are sent together share the first turn.
          yield* Effect.yieldNow
          // The waiters have the failure; defects and interruptions propagate.
          do yield* Effect.result(oneRun(cell))
          while (yield* Effect.sync(() => cell.hasNextRun()))
        }).pipe(Effect.onExit((exit) => released(cell, exit)))

      /** However the driver ended: every waiter gets an exit, and new inputs get a run of their own. */
      const released = (cell: OpenContext, exit: Exit.Exit<void>): Effect.Effect<void> =>
        Effect.suspend(() => {
          // After success the context was idle already; another driver may have started.
          if (Exit.isSuccess(exit)) return forgetOldest()
          const end = Exit.failCause(failureForWaiters(cell.id, exit.cause))
          for (const waiter of cell.released(isClosed())) Deferred.doneUnsafe(waiter.end, end)
          return cell.hasNextRun() ? start(cell) : forgetOldest()
        })

      const isClosed = (): boolean => scope.state._tag === "Closed"

      const start = (cell: OpenContext): Effect.Effect<void> => {
        cell.isRunning = true
        // Started at once, so that its finalizer always runs.
        return drive(cell).pipe(
          Effect.provideService(RunningIn, cell.id),
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.tap((fiber) => Effect.sync(() => (cell.driver = fiber))),
          Effect.asVoid
        )
      }

      const stopRun = (cell: OpenContext): Effect.Effect<void> => {
        if (!cell.isRunning || cell.driver === null) return Effect.void
        cell.stopping()
        return Fiber.interrupt(cell.driver)
      }

      const leave = (cell: OpenContext, waiter: Waiter, from: string | null): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (from !== null) cells.get(from)?.waitFor(cell.id, -1)
          return cell.leave(waiter) ? stopRun(cell) : Effect.void
        })

      /** Waits for a run; `from` is the context in whose run the caller works. */
      const wait = <Args>(
        context: AgentContext<Args>,
        place: ContextIdentity<Args>,
        waiter: Waiter,
        from: string | null
      ) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend((): Effect.Effect<RunEnd, SendFailure> => {
            if (isClosed()) return Effect.fail(new RunAborted({ context: place.id }))
            if (from !== null && isWaitingFor(cells, place.id, from)) {
              return Effect.fail(new Reentrant({ context: place.id, from }))
            }
            const cell = cellOf(context, place)
            if (from !== null) cells.get(from)?.waitFor(cell.id, 1)
            cell.enter(waiter)
            return Effect.andThen(
              cell.isRunning ? cell.ledger.flush : start(cell),
              restore(Deferred.await(waiter.end)).pipe(Effect.onExit(() => leave(cell, waiter, from)))
            )
          })
        )

      const join = Effect.fnUntraced(function* <Args>(
        context: AgentContext<Args>,
        args: unknown,
        input: Waiter["input"]
      ) {
        const identity = yield* contextIdentity(context, args)
        return yield* wait(context, identity, { input, end: Deferred.makeUnsafe() }, yield* RunningIn)
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
        const { id } = yield* contextIdentity(context, args)
        const queue = yield* everything
          ? Queue.unbounded<ContextEvent, Cause.Done>()
          : Queue.sliding<ContextEvent, Cause.Done>(watchBuffer)
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
            Effect.catch((error) => Effect.annotateLogs(Effect.logWarning(error.message), { step: input.type })),
            Effect.forkIn(own, { startImmediately: true })
          )
        yield* Effect.forkScoped(Stream.runForEach(arrivals, take))
      })

      const find = <Args>(context: AgentContext<Args>, args: unknown) =>
        Effect.map(contextIdentity(context, args), ({ id }) => cells.get(id))

      const stop = <Args>(context: AgentContext<Args>, args: unknown) =>
        Effect.flatMap(find(context, args), (cell) => (cell === undefined ? Effect.void : stopRun(cell)))

      const hasRoomFor = Effect.fnUntraced(function* <Args>(
        context: AgentContext<Args>,
        args: unknown,
        words: TextBlocks
      ) {
        const cell = cellOf(context, yield* contextIdentity(context, args))
        const prepared = yield* (yield* opened(cell)).prepare
        const { memory } = cell.ledger
        const isWhole = !memory.hasDropped && !memory.hasPending
        return isWhole && memory.tokensWith(words) <= messageTokens(prepared, model.room) / 2
      })

      const forgetOldest = (): Effect.Effect<void> => {
        const idle = [...cells.values()].filter(({ isRunning: isDriven }) => !isDriven)
        const old = idle.slice(0, Math.max(0, idle.length - mostIdle))
        for (const { id } of old) cells.delete(id)
        return Effect.forEach(old, ({ scope: own }) => Scope.close(own, Exit.void), { discard: true })
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
        hasRoomFor,
        isOpen: (context, args) =>
          Effect.map(find(context, args), (cell) => cell !== undefined && cell.session !== null)
      })
    })
  )
}

/** The identity of a context: type and arguments. */
interface ContextIdentity<Args> {
  readonly args: Args
  readonly encodedArgs: Schema.Json
  readonly key: string | null
  readonly id: string
}

/** Arguments are decoded first, so that an omitted default and the same explicit value are one identity. */
const contextIdentity = Effect.fnUntraced(
  function* <Args>({ args: schema, key, type }: AgentContext<Args>, given: unknown) {
    const args = yield* Schema.decodeUnknownEffect(schema)(given)
    const encodedArgs = yield* Schema.encodeEffect(Schema.toCodecJson(schema))(args)
    const own = key === undefined ? null : key(args)
    const id = own === null ? type : `${type}:${own}`
    return { args, encodedArgs, key: own, id } satisfies ContextIdentity<Args>
  },
  (self, { type }) => Effect.mapError(self, (cause) => new ArgsInvalid({ type, cause }))
)
