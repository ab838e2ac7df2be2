/**
 * What every backend promises, whoever answers. Each `layers/backend/*` test calls this with its own worlds:
 *
 * - `answering` answers each of `tasks`. A backend behind HTTP points its layer at a local server (a `Layer` that
 *   serves on a free port, provided below the backend's) which replays the protocol's own replies; a command-line
 *   backend starts a script that prints them.
 * - `blocking` begins the first task and never ends it. `began` completes when the work is under way, and `stopped`
 *   must become true when it is called off: a server sets it when its request is aborted, a command when its process
 *   has ended, a computation in a finalizer.
 * - `usingTools`, for backends whose agent has tools: the first task's stream holds at least two tool calls.
 * - `prose`, for backends that give no structured reply: the text of the answer holds it, and `Agent` takes it out.
 */
import { describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber, type Layer, Ref, Schema, Stream } from "effect"
import { replies, type Task } from "../../src/domain/agent/Task.ts"
import { AgentEvent } from "../../src/domain/run/AgentEvent.ts"
import { salvage } from "../../src/domain/text/json/modelJson.ts"
import { Backend } from "../../src/services/agent/Backend.ts"
import { it } from "./effect.ts"

export interface Block {
  readonly began: Deferred.Deferred<void>
  readonly stopped: Ref.Ref<boolean>
}

export interface BackendWorlds {
  readonly tasks: ReadonlyArray<Task>
  readonly answering: Layer.Layer<Backend>
  readonly blocking: (block: Block) => Layer.Layer<Backend>
  readonly usingTools?: Layer.Layer<Backend>
  readonly prose?: boolean
}

/** Work that says that it began, goes on for ever, and notes that it was called off. */
export const blocked = ({ began, stopped }: Block): Effect.Effect<never> =>
  Deferred.succeed(began, undefined).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Ref.set(stopped, true))
  )

const encoded = Schema.encodeEffect(Schema.toCodecJson(AgentEvent))
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const heard = (task: Task) => Backend.use((backend) => Stream.runCollect(backend.execute(task)))

export const backendContract = (
  name: string,
  { tasks, answering, blocking, usingTools, prose = false }: BackendWorlds
): void =>
  describe(`${name} keeps the backend contract`, () => {
    const [first] = tasks
    if (first === undefined) throw new Error("a contract without tasks promises nothing")

    for (const task of tasks) {
      it.live(`answers ${task._tag} with one Result, as the last event`, () =>
        Effect.gen(function* () {
          const events = yield* heard(task)
          expect(events.filter((event) => event._tag === "Result")).toHaveLength(1)
          expect(events.at(-1)?._tag).toBe("Result")
        }).pipe(Effect.provide(answering))
      )

      it.live(`answers ${task._tag} in the shape the task asks for`, () =>
        Effect.gen(function* () {
          const events = yield* heard(task)
          const last = events.at(-1)
          const output = last?._tag === "Result" ? last.output : undefined
          const text = events.map((event) => (event._tag === "Text" ? event.text : "")).join("")
          if (prose) expect(output).toBeNull()
          const schema: Schema.Codec<unknown, unknown> = replies[task._tag]
          const found = salvage(text)
          const reply = prose ? (found._tag === "Found" ? found.value : null) : output
          const decoded = yield* Effect.exit(Schema.decodeUnknownEffect(schema)(reply))
          expect(Exit.isSuccess(decoded)).toBe(true)
        }).pipe(Effect.provide(answering))
      )

      it.live(`dates the events of ${task._tag} in UTC, never backwards, and all of them serialise`, () =>
        Effect.gen(function* () {
          const events = yield* heard(task)
          const times = events.map((event) => event.timestamp)
          expect(times.filter((time) => !timestamp.test(time))).toEqual([])
          expect([...times].sort()).toEqual(times)
          for (const event of events) yield* encoded(event)
        }).pipe(Effect.provide(answering))
      )
    }

    if (usingTools === undefined) {
      it.live("uses no tools", () =>
        Effect.gen(function* () {
          for (const task of tasks) expect((yield* heard(task)).filter(isTool)).toEqual([])
        }).pipe(Effect.provide(answering))
      )
    } else {
      it.live("begins every tool call before its result, each under an id of its own", () =>
        Effect.gen(function* () {
          const events = (yield* heard(first)).filter(isTool)
          expect(events.length).toBeGreaterThanOrEqual(4)
          expect(unpaired(events)).toEqual([])
        }).pipe(Effect.provide(usingTools))
      )
    }

    it.live("stops working when it is interrupted", () =>
      Effect.gen(function* () {
        const block: Block = { began: yield* Deferred.make<void>(), stopped: yield* Ref.make(false) }
        yield* Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(heard(first))
          yield* Deferred.await(block.began)
          expect(yield* Ref.get(block.stopped)).toBe(false)
          yield* Fiber.interrupt(fiber)
          expect(Exit.hasInterrupts(yield* Fiber.await(fiber))).toBe(true)
          // Before the layer closes: it is the interruption that stops the work, not the end of everything.
          expect(yield* Ref.get(block.stopped)).toBe(true)
        }).pipe(Effect.provide(blocking(block)))
      })
    )

    it.live("answers several tasks at once", () =>
      Effect.gen(function* () {
        const ends = yield* Effect.forEach(tasks, heard, { concurrency: "unbounded" })
        expect(ends.map((events) => events.at(-1)?._tag)).toEqual(tasks.map(() => "Result"))
      }).pipe(Effect.provide(answering))
    )

    it.live("names itself and bounds its fan-out", () =>
      Effect.gen(function* () {
        const backend = yield* Backend
        expect(backend.name).toMatch(/^[a-z][a-z0-9-]*$/)
        expect(backend.fanout).toBeGreaterThan(0)
      }).pipe(Effect.provide(answering))
    )
  })

type ToolEvent = Extract<AgentEvent, { readonly _tag: "ToolStart" | "ToolResult" }>

const isTool = (event: AgentEvent): event is ToolEvent => event._tag === "ToolStart" || event._tag === "ToolResult"

/** Ids that were begun twice or never answered, and results of nothing. */
const unpaired = (events: ReadonlyArray<ToolEvent>): ReadonlyArray<string> => {
  const begun = new Set<string>()
  const open = new Set<string>()
  const odd: Array<string> = []
  for (const { _tag, id } of events) {
    if (_tag === "ToolResult" ? !open.delete(id) : begun.has(id)) odd.push(id)
    if (_tag === "ToolStart") {
      begun.add(id)
      open.add(id)
    }
  }
  return [...odd, ...open]
}
