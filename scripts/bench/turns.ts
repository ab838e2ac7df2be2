/**
 * What the agent runtime costs beside the model: `bun scripts/bench/turns.ts`.
 *
 * Each turn thinks (2,000 characters), speaks (600), and calls four actions at once that answer 10 kB each, in pieces of
 * eight characters; refs go to a log on disk, and somebody watches everything. The model and its actions take no time of
 * their own, so that nearly all that is measured is the runtime; the same events drained without it are taken off. Runs of
 * several lengths show that a turn late in a run costs what an early one does.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Cause, Effect, Layer, type Queue, Stream } from "effect"
import type { ModelEvent, ModelRequest } from "../../src/domain/agent/ModelTurn.ts"
import * as File from "../../src/layers/agent/memory/File.ts"
import { Model } from "../../src/services/agent/Model.ts"
import type { ContextEvent } from "../../src/services/agent/runtime/AgentContext.ts"
import { AgentRuntime } from "../../src/services/agent/runtime/AgentRuntime.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import { ask, chat, echo } from "../../test/support/agentWorld.ts"
import { type Script, scriptedModel } from "../../test/support/scriptedModel.ts"

const place = mkdtempSync(join(tmpdir(), "dd-bench-"))
const page = Array.from({ length: 250 }, (_, n) => `${n + 1}\tconst value${n} = await read(path, ${n})`).join("\n")
const action = echo({ act: () => Effect.succeed({ text: page, isError: false }) })

const script =
  (turns: number): Script =>
  (_, nth) =>
    nth === turns
      ? { text: "done" }
      : {
          thinking: "Let me look at it. ".repeat(105),
          text: "I read these files next. ".repeat(24),
          calls: Array.from({ length: 4 }, (_, n) => ({ name: "echo", input: { say: `${nth}.${n}` } }))
        }

const redactor = Redactor.layerOf({})

const world = (turns: number, tools: "native" | "words") =>
  AgentRuntime.layer.pipe(
    Layer.provide(File.layer(join(place, `${tools}-${turns}-${performance.now()}`))),
    Layer.provide(redactor),
    Layer.provide(scriptedModel(script(turns), null, { tools, piece: 8, contextTokens: 200_000 }))
  )

/** Milliseconds of a whole run. */
const running = (turns: number, tools: "native" | "words") =>
  Effect.gen(function* () {
    const runtime = yield* AgentRuntime
    const queue: Queue.Queue<ContextEvent, Cause.Done> = yield* runtime.watch(chat(), { id: "a" }, { everything: true })
    yield* Effect.forkScoped(Stream.runDrain(Stream.fromQueue(queue)))
    const context = chat({ actions: [action], maxSteps: turns, budgetTokens: Number.MAX_SAFE_INTEGER, maxTokens: 8000 })
    const started = spent()
    const end = yield* ask(context, "go")
    if (end.steps !== turns) throw new Error(`${end.steps} turns, not ${turns}: ${end.stopReason}`)
    return spent() - started
  }).pipe(Effect.scoped, Effect.provide(world(turns, tools)))

/** Milliseconds that the events alone take. */
const drained = (turns: number, tools: "native" | "words") =>
  Effect.gen(function* () {
    const model = yield* Model
    const request: ModelRequest = {
      model: "",
      system: [],
      tools: [],
      messages: [],
      choice: "auto",
      answer: null,
      maxTokens: 1,
      effort: null
    }
    const started = spent()
    for (let n = 0; n < turns; n++) {
      yield* Stream.runForEach(model.converse(request), (_: ModelEvent) => Effect.void)
    }
    return spent() - started
  }).pipe(Effect.provide(scriptedModel(script(turns), null, { tools, piece: 8 })))

/** Of the processor, in milliseconds: the machine may have other things to do. */
const spent = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const middle = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

for (const tools of ["native", "words"] as const) {
  for (const turns of [20, 100, 400]) {
    const own: Array<number> = []
    for (let round = 0; round < 5; round++) {
      const whole = await Effect.runPromise(running(turns, tools))
      const model = await Effect.runPromise(drained(turns, tools))
      own.push((whole - model) / turns)
    }
    console.log(
      `${tools.padEnd(6)} ${String(turns).padStart(4)} turns: ${middle(own).toFixed(2)} ms a turn beside the model`
    )
  }
}
rmSync(place, { recursive: true })
