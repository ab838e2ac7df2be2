/**
 * What every backend promises, whoever answers. Each `layers/backend/*` test calls this with its own layer.
 *
 * `answering` builds the backend so that it can answer each of `tasks`; a model backend points it at a local
 * server that speaks the real protocol.
 */
import { describe, expect } from "bun:test"
import { Effect, Exit, Fiber, type Layer, Schema, Stream } from "effect"
import { AgentEvent } from "../../src/domain/AgentEvent.ts"
import { replies, type Task } from "../../src/domain/Task.ts"
import { Backend } from "../../src/services/Backend.ts"
import { it } from "./effect.ts"

const encoded = Schema.encodeEffect(Schema.toCodecJson(AgentEvent))

export const backendContract = (
  name: string,
  answering: Layer.Layer<Backend>,
  tasks: ReadonlyArray<Task>,
  options: { readonly structured: boolean } = { structured: true }
) =>
  describe(`${name} keeps the backend contract`, () => {
    for (const task of tasks) {
      const heard = Backend.use((backend) => Stream.runCollect(backend.execute(task)))

      it.live(`answers ${task._tag} with one Result, and says it last`, () =>
        Effect.gen(function* () {
          const events = yield* heard
          expect(events.filter((event) => event._tag === "Result")).toHaveLength(1)
          expect(events.at(-1)?._tag).toBe("Result")
        }).pipe(Effect.provide(answering))
      )

      it.live(`answers ${task._tag} in the shape the task asks for`, () =>
        Effect.gen(function* () {
          const last = (yield* heard).at(-1)
          if (!options.structured || last?._tag !== "Result") return
          const schema: Schema.Codec<unknown, unknown> = replies[task._tag]
          expect(Exit.isSuccess(yield* Effect.exit(Schema.decodeUnknownEffect(schema)(last.output)))).toBe(true)
        }).pipe(Effect.provide(answering))
      )

      it.live(`dates the events of ${task._tag} in UTC, never backwards, and all of them serialise`, () =>
        Effect.gen(function* () {
          const events = yield* heard
          const times = events.map((event) => event.timestamp)
          expect(times.every((time) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time))).toBe(true)
          expect([...times].sort()).toEqual(times)
          for (const event of events) yield* encoded(event)
        }).pipe(Effect.provide(answering))
      )

      it.live(`pairs every tool result of ${task._tag} with a start before it`, () =>
        Effect.gen(function* () {
          const open = new Set<string>()
          for (const event of yield* heard) {
            if (event._tag === "ToolStart") open.add(event.id)
            if (event._tag === "ToolResult") expect(open.delete(event.id)).toBe(true)
          }
        }).pipe(Effect.provide(answering))
      )
    }

    it.live("stops working when it is interrupted", () =>
      Effect.gen(function* () {
        const backend = yield* Backend
        const fiber = yield* Effect.forkChild(Stream.runDrain(backend.execute(tasks[0]!)))
        yield* Fiber.interrupt(fiber)
        expect(Exit.hasInterrupts(yield* Fiber.await(fiber)) || Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
      }).pipe(Effect.provide(answering))
    )

    it.live("answers several tasks at once", () =>
      Effect.gen(function* () {
        const backend = yield* Backend
        const ends = yield* Effect.forEach(tasks, (task) => Stream.runCollect(backend.execute(task)), {
          concurrency: "unbounded"
        })
        expect(ends.every((events) => events.at(-1)?._tag === "Result")).toBe(true)
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
