/** Joining, leaving, releasing and remembering. Ids are those of docs/agent-runtime.md. */
import { describe, expect } from "bun:test"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Queue, Ref, Schema, Scope, Stream } from "effect"
import type { ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import * as InProcess from "../../../../src/layers/agent/memory/InProcess.ts"
import { ModelError } from "../../../../src/services/agent/Model.ts"
import type { AgentContext, ContextEvent } from "../../../../src/services/agent/runtime/AgentContext.ts"
import { AgentRuntime } from "../../../../src/services/agent/runtime/AgentRuntime.ts"
import { MemoryLog } from "../../../../src/services/agent/runtime/MemoryLog.ts"
import { HookFailed, InputInvalid, Reentrant, RunAborted } from "../../../../src/services/agent/runtime/RunFailure.ts"
import { ask, chat, echo, only, question, runtimeSaying, toldLast } from "../../../support/agentWorld.ts"
import { it } from "../../../support/effect.ts"
import { modelError, type Script, saying, scriptedModel, unpaired } from "../../../support/scriptedModel.ts"

/** A model whose first turn ends when it is told to. */
const held = Effect.gen(function* () {
  const speaks = yield* Deferred.make<void>()
  const ends = yield* Deferred.make<void>()
  const before = Effect.andThen(Deferred.succeed(speaks, undefined), Deferred.await(ends))
  const script: Script = (_, nth) => (nth === 1 ? { text: "first", before } : { text: `turn ${nth}` })
  return { speaks: Deferred.await(speaks), end: Deferred.succeed(ends, undefined), script }
})

/** Lets everything else go as far as it can. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

const broken = { _tag: "Broken", message: "no disk" }

describe("the runtime, joining", () => {
  it.effect("C2 lets a second input join the run: the same exit, sent in a later turn", () =>
    Effect.gen(function* () {
      const { end, script, speaks } = yield* held
      const requests: Array<ModelRequest> = []
      yield* Effect.gen(function* () {
        const one = yield* Effect.forkChild(ask(chat(), "one"))
        yield* speaks
        const two = yield* Effect.forkChild(ask(chat(), "two"))
        yield* settled
        yield* end
        const [a, b] = [yield* Fiber.join(one), yield* Fiber.join(two)]
        expect(a).toBe(b)
        expect(only(a.chain, "Run")).toHaveLength(1)
        expect(JSON.stringify(requests[0])).not.toContain('"two"')
        expect(toldLast(requests[1])).toBe("two")
        expect(a.text).toBe("turn 2")
      }).pipe(Effect.provide(runtimeSaying(script, requests)))
    })
  )

  it.effect("C3 sends simultaneous inputs in the first turn", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const ends = yield* Effect.all([ask(chat(), "one"), ask(chat(), "two"), ask(chat(), "three")], {
        concurrency: "unbounded"
      })
      expect(requests).toHaveLength(1)
      expect(toldLast(requests[0])).toBe("one\ntwo\nthree")
      expect(new Set(ends).size).toBe(1)
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })

  it.effect("C4 runs contexts with different keys side by side", () =>
    Effect.gen(function* () {
      const both = yield* Ref.make(0)
      const met = yield* Deferred.make<void>()
      const before = Effect.flatMap(
        Ref.updateAndGet(both, (n) => n + 1),
        (n) => (n === 2 ? Deferred.succeed(met, undefined) : Effect.void)
      ).pipe(Effect.andThen(Deferred.await(met)))
      const ends = yield* Effect.all([ask(chat(), "x", "a"), ask(chat(), "y", "b")], { concurrency: 2 }).pipe(
        Effect.provide(runtimeSaying(saying({ text: "ok", before })))
      )
      expect(ends.map(({ stopReason }) => stopReason)).toEqual(["done", "done"])
    })
  )

  it.effect(
    "has room for a further input unless something is pending, turns were dropped, or half of the room is used",
    () =>
      Effect.gen(function* () {
        const { hasRoomFor } = yield* AgentRuntime
        const context = chat()
        const fits = (words: string, id = "a") => hasRoomFor(context, { id }, [{ text: words, lasting: false }])
        yield* ask(context, "a word ".repeat(4_000))
        expect(yield* fits("more")).toBe(true)
        expect(yield* fits("a word ".repeat(8_000))).toBe(false)
        // Long inputs of which only the last ones fit.
        for (const _ of [1, 2, 3]) yield* ask(context, "a word ".repeat(8_000), "b")
        expect(yield* fits("more", "b")).toBe(false)
        const log = yield* MemoryLog
        yield* log.append("chat:c", [
          { _tag: "Context", id: "1", at: "t", context: "chat:c", type: "chat", key: "c", args: { id: "c" } },
          { _tag: "Run", id: "2", at: "t" },
          { _tag: "Input", id: "3", at: "t", type: "question", words: [{ text: "go", lasting: false }] }
        ])
        expect(yield* fits("more", "c")).toBe(false)
      }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), [], { contextTokens: 40_000, outputTokens: 1_000 })))
  )

  it.effect("runs no more turns at once than the model allows", () =>
    Effect.gen(function* () {
      const speaking = yield* Ref.make(0)
      const most = yield* Ref.make(0)
      const before = Ref.updateAndGet(speaking, (n) => n + 1).pipe(
        Effect.flatMap((n) => Ref.update(most, (so) => Math.max(so, n))),
        Effect.andThen(settled),
        Effect.andThen(Ref.update(speaking, (n) => n - 1))
      )
      const ids = Array.from({ length: 8 }, (_, n) => `${n}`)
      yield* Effect.forEach(ids, (id) => ask(chat(), "go", id), { concurrency: "unbounded" }).pipe(
        Effect.provide(runtimeSaying(saying({ text: "ok", before }), [], { fanout: 2 }))
      )
      expect(yield* Ref.get(most)).toBe(2)
    })
  )

  it.effect("C5 F1 keeps every ref of the run once, in causal order", () =>
    Effect.gen(function* () {
      const { chain } = yield* ask(chat({ actions: [echo()] }), "go")
      expect(chain.map(({ _tag }) => _tag)).toEqual([
        "Context",
        "Run",
        "Input",
        "Step",
        "Thought",
        "Output",
        "Call",
        "Result",
        "Turn",
        "Step",
        "Output",
        "Turn",
        "RunEnded"
      ])
      expect(new Set(chain.map(({ id }) => id)).size).toBe(chain.length)
    }).pipe(
      Effect.provide(
        runtimeSaying(
          saying({ thinking: "hm", text: "I look", calls: [{ name: "echo", input: { say: "x" } }] }, { text: "ok" })
        )
      )
    )
  )

  it.effect(
    "F2 loses none of 200 inputs at random times: each is sent to the model before its sender gets the exit",
    () =>
      Effect.gen(function* () {
        const requests: Array<ModelRequest> = []
        const context = chat({ maxSteps: 1000, onRun: () => Effect.repeat(Effect.yieldNow, { times: 30 }) })
        let state = 7
        const random = () => {
          state = (state * 1103515245 + 12345) % 2147483648
          return state % 400
        }
        const script: Script = () => ({ text: "ok", before: Effect.repeat(Effect.yieldNow, { times: random() % 20 }) })
        const runs = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n),
          (n) =>
            Effect.repeat(Effect.yieldNow, { times: random() }).pipe(
              Effect.andThen(ask(context, `input ${n}.`)),
              Effect.map((end) => ({ n, end }))
            ),
          { concurrency: "unbounded" }
        ).pipe(Effect.provide(runtimeSaying(script, requests)))
        expect(requests.length).toBeGreaterThan(3)
        for (const { end, n } of runs) {
          const input = only(end.chain, "Input").find(({ words }) => words[0]?.text === `input ${n}.`)
          expect(input).toBeDefined()
          const shown = end.chain.findIndex((ref) => ref._tag === "Step" && ref.shows.includes(input?.id ?? ""))
          expect(end.chain.findIndex((ref, at) => at > shown && ref._tag === "Turn")).toBeGreaterThan(shown)
          expect(shown).toBeGreaterThanOrEqual(0)
          expect(requests.filter((request) => toldLast(request).split("\n").includes(`input ${n}.`))).toHaveLength(1)
        }
      })
  )

  it.effect("F2 answers an input that arrives while the run ends, in the same run", () =>
    Effect.gen(function* () {
      const requests: Array<ModelRequest> = []
      const ending = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const context = chat({
        onRun: () => Effect.andThen(Deferred.succeed(ending, undefined), Deferred.await(goOn))
      })
      yield* Effect.gen(function* () {
        const one = yield* Effect.forkChild(ask(context, "one"))
        yield* Deferred.await(ending)
        const two = yield* Effect.forkChild(ask(context, "two"))
        yield* settled
        yield* Deferred.succeed(goOn, undefined)
        expect(yield* Fiber.join(one)).toBe(yield* Fiber.join(two))
        expect(toldLast(requests[1])).toBe("two")
      }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
    })
  )

  it.effect("F2 starts a new run for an input that came too late for the last step", () =>
    Effect.gen(function* () {
      const { end, script, speaks } = yield* held
      const requests: Array<ModelRequest> = []
      yield* Effect.gen(function* () {
        const context = chat({ maxSteps: 1 })
        const one = yield* Effect.forkChild(ask(context, "one"))
        yield* speaks
        const two = yield* Effect.forkChild(ask(context, "two"))
        yield* settled
        yield* end
        const [a, b] = [yield* Fiber.join(one), yield* Fiber.join(two)]
        expect(a.stopReason).toBe("step limit")
        expect(b).toMatchObject({ stopReason: "done", text: "turn 2" })
        expect(toldLast(requests[1])).toBe("two")
      }).pipe(Effect.provide(runtimeSaying(script, requests)))
    })
  )

  it.effect("F3 fails every waiter with the typed error", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.all([Effect.flip(ask(chat(), "one")), Effect.flip(ask(chat(), "two"))], {
        concurrency: 2
      })
      for (const error of asked) expect(error).toBeInstanceOf(ModelError)
    }).pipe(Effect.provide(runtimeSaying(saying({ error: modelError("not-allowed") }))))
  )

  it.effect("F4 continues the run for the others when one waiter is interrupted", () =>
    Effect.gen(function* () {
      const { end, script, speaks } = yield* held
      yield* Effect.gen(function* () {
        const one = yield* Effect.forkChild(ask(chat(), "one"))
        yield* speaks
        const two = yield* Effect.forkChild(ask(chat(), "two"))
        yield* settled
        // The one who began it leaves.
        yield* Fiber.interrupt(one)
        yield* end
        expect((yield* Fiber.join(two)).stopReason).toBe("done")
      }).pipe(Effect.provide(runtimeSaying(script)))
    })
  )

  it.effect("F4 stops the run when the last waiter is interrupted, and waits until it has stopped", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const stopped = yield* Ref.make(false)
      const script: Script = () =>
        Deferred.succeed(began, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Ref.set(stopped, true))
        )
      yield* Effect.gen(function* () {
        const one = yield* Effect.forkChild(ask(chat(), "one"))
        const two = yield* Effect.forkChild(ask(chat(), "two"))
        yield* Deferred.await(began)
        yield* Fiber.interrupt(one)
        expect(yield* Ref.get(stopped)).toBe(false)
        yield* Fiber.interrupt(two)
        expect(yield* Ref.get(stopped)).toBe(true)
      }).pipe(Effect.provide(runtimeSaying(script)))
    })
  )

  it.effect("F2 starts a new run for an input that arrives while a run is being stopped", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const stopping = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const requests: Array<ModelRequest> = []
      const slowly = Effect.andThen(Deferred.succeed(stopping, undefined), Deferred.await(goOn))
      const never = Effect.andThen(Deferred.succeed(began, undefined), Effect.never)
      const script: Script = (_, nth) => (nth === 1 ? Effect.onInterrupt(never, () => slowly) : { text: "ok" })
      yield* Effect.gen(function* () {
        const one = yield* Effect.forkChild(ask(chat(), "one"))
        yield* Deferred.await(began)
        const leaving = yield* Effect.forkChild(Fiber.interrupt(one))
        yield* Deferred.await(stopping)
        const two = yield* Effect.forkChild(ask(chat(), "two"))
        yield* settled
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(leaving)
        expect((yield* Fiber.join(two)).text).toBe("ok")
        expect(toldLast(requests[1])).toBe("two")
      }).pipe(Effect.provide(runtimeSaying(script, requests)))
    })
  )

  it.effect("F5 refuses at once to wait for its own context, directly or in a circle", () =>
    Effect.gen(function* () {
      const errors = yield* Ref.make<ReadonlyArray<unknown>>([])
      const runtime = yield* Deferred.make<AgentRuntime["Service"]>()
      const sending = (id: string, to: string): AgentContext<{ readonly id: string }> => {
        const act = Effect.flatMap(Deferred.await(runtime), (all) =>
          all.send(contextOf(to), { id: to }, question, "hello")
        )
        const action = echo({
          act: () =>
            act.pipe(
              Effect.tapError((error) => Ref.update(errors, (so) => [...so, error])),
              Effect.match({
                onSuccess: () => ({ text: "sent", isError: false }),
                onFailure: ({ message }) => ({ text: message, isError: true })
              })
            )
        })
        return { ...chat({ actions: [action] }), key: () => id }
      }
      const contextOf = (id: string): AgentContext<{ readonly id: string }> =>
        id === "self" ? sending("self", "self") : sending(id, id === "a" ? "b" : "a")
      const script: Script = (request) =>
        request.messages.length === 1 ? { calls: [{ name: "echo", input: { say: "x" } }] } : { text: "ok" }
      yield* Effect.gen(function* () {
        const all = yield* AgentRuntime
        yield* Deferred.succeed(runtime, all)
        expect((yield* ask(contextOf("self"), "go", "self")).stopReason).toBe("done")
        expect((yield* ask(contextOf("a"), "go", "a")).stopReason).toBe("done")
      }).pipe(Effect.provide(runtimeSaying(script)))
      const found = yield* Ref.get(errors)
      expect(found.every((error) => error instanceof Reentrant)).toBe(true)
      expect(found).toHaveLength(2)
    })
  )
})

describe("the runtime, nesting", () => {
  it.effect(
    "F15 lets an action wait for another context that does the same, one at a time and one model at a time",
    () =>
      Effect.gen(function* () {
        const runtime = yield* Deferred.make<AgentRuntime["Service"]>()
        const asking = (depth: number): AgentContext<{ readonly id: string }> => {
          const id = `depth ${depth}`
          const deeper = Effect.flatMap(Deferred.await(runtime), (all) =>
            depth === 4
              ? Effect.succeed("the ground")
              : Effect.map(Effect.orDie(all.send(asking(depth + 1), { id }, question, "go")), ({ text }) => text)
          )
          const act = () => Effect.map(deeper, (text) => ({ text, isError: false }))
          return { ...chat({ actions: [echo({ act, concurrency: 1 })] }), key: () => id }
        }
        const script: Script = (request) =>
          request.messages.length === 1
            ? { calls: [{ name: "echo", input: { say: "x" } }] }
            : { text: toldLast(request) }
        yield* Effect.gen(function* () {
          yield* Deferred.succeed(runtime, yield* AgentRuntime)
          expect((yield* ask(asking(0), "go")).text).toBe("the ground")
        }).pipe(Effect.provide(runtimeSaying(script, [], { fanout: 1 })))
      })
  )
})

describe("the runtime, releasing", () => {
  const again = (context: AgentContext<{ readonly id: string }>, script: Script) =>
    Effect.gen(function* () {
      const first = yield* Effect.exit(ask(context, "one"))
      const second = yield* ask(context, "two")
      return { first, second }
    }).pipe(Effect.provide(runtimeSaying(script)))

  it.effect("C6 is free after a successful run, whose messages the next run has", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      yield* ask(chat(), "one")
      yield* ask(chat(), "two")
      expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "model", "user"])
      expect(toldLast(requests[1])).toBe("two")
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })

  it.effect("C6 is free after a failure of the model, and the input is not sent again", () => {
    const requests: Array<ModelRequest> = []
    const script: Script = (_, nth) => (nth === 1 ? { error: modelError("rejected") } : { text: "ok" })
    return Effect.gen(function* () {
      expect(Exit.isFailure(yield* Effect.exit(ask(chat(), "one")))).toBe(true)
      yield* ask(chat(), "two")
      expect(toldLast(requests[1])).toBe("two")
    }).pipe(Effect.provide(runtimeSaying(script, requests)))
  })

  for (const hook of ["onStep", "onRun"] as const) {
    it.effect(`C6 is free after ${hook} failed, and its waiters get the name of the hook`, () =>
      Effect.gen(function* () {
        let calls = 0
        const failing = () => Effect.suspend(() => (++calls === 1 ? Effect.fail(broken) : Effect.void))
        const { first, second } = yield* again(chat({ [hook]: failing }), saying({ text: "ok" }))
        const error = Exit.isFailure(first) ? Cause.squash(first.cause) : null
        expect(error).toBeInstanceOf(HookFailed)
        expect(String(error)).toContain(`${hook} of the context failed`)
        expect(second.stopReason).toBe("done")
      })
    )
  }

  it.effect("C6 is free after a defect, which is not hidden", () =>
    Effect.gen(function* () {
      const action = echo({
        act: (say) => (say === "die" ? Effect.die(new Error("a bug")) : Effect.succeed({ text: say, isError: false }))
      })
      const script: Script = (_, nth) =>
        nth === 1 ? { calls: [{ name: "echo", input: { say: "die" } }] } : { text: "ok" }
      const { first, second } = yield* again(chat({ actions: [action] }), script)
      expect(Exit.isFailure(first) && Cause.hasDies(first.cause)).toBe(true)
      expect(second.stopReason).toBe("done")
    })
  )

  it.effect("C6 is free after a defect while it was opened, which its waiters get", () =>
    Effect.gen(function* () {
      let opened = 0
      const context: AgentContext<{ readonly id: string }> = {
        ...chat(),
        open: (args) => Effect.suspend(() => (++opened === 1 ? Effect.die(new Error("a bug")) : chat().open(args)))
      }
      const { first, second } = yield* again(context, saying({ text: "ok" }))
      expect(Exit.isFailure(first) && Cause.hasDies(first.cause)).toBe(true)
      expect(second.text).toBe("ok")
      expect(opened).toBe(2)
    })
  )

  it.effect("C6 is free after it was stopped while it was opened, and its waiters fail", () =>
    Effect.gen(function* () {
      const context: AgentContext<{ readonly id: string }> = { ...chat(), open: () => Effect.never }
      yield* Effect.gen(function* () {
        const runtime = yield* AgentRuntime
        const one = yield* Effect.forkChild(Effect.flip(ask(context, "one")))
        yield* settled
        yield* runtime.stop(context, { id: "a" })
        expect(yield* Fiber.join(one)).toBeInstanceOf(RunAborted)
      }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }))))
    })
  )

  it.effect("C6 is free after it was stopped, and its waiters fail", () =>
    Effect.gen(function* () {
      const { script, speaks } = yield* held
      yield* Effect.gen(function* () {
        const runtime = yield* AgentRuntime
        const one = yield* Effect.forkChild(Effect.flip(ask(chat(), "one")))
        yield* speaks
        yield* runtime.stop(chat(), { id: "a" })
        expect(yield* Fiber.join(one)).toBeInstanceOf(RunAborted)
        expect((yield* ask(chat(), "two")).text).toBe("turn 2")
      }).pipe(Effect.provide(runtimeSaying(script)))
    })
  )

  it.effect("fails its waiters when the layer closes, and accepts nothing more", () =>
    Effect.gen(function* () {
      const { script, speaks } = yield* held
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(runtimeSaying(script), scope)
      const one = yield* Effect.forkChild(Effect.flip(Effect.provide(ask(chat(), "one"), context)))
      yield* speaks
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.join(one)).toBeInstanceOf(RunAborted)
      expect(yield* Effect.flip(Effect.provide(ask(chat(), "two"), context))).toBeInstanceOf(RunAborted)
    })
  )
})

describe("the runtime, addressing", () => {
  it.effect("has one context of a type without a key, whatever the arguments", () => {
    const requests: Array<ModelRequest> = []
    const { key: _, ...keyless } = chat()
    return Effect.gen(function* () {
      yield* ask(keyless, "one", "a")
      yield* ask(keyless, "two", "b")
      expect(requests[1]?.messages).toHaveLength(3)
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })

  it.effect("decodes arguments before it computes the id, so that a default equals the same value given", () => {
    const requests: Array<ModelRequest> = []
    const args = Schema.Struct({ id: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("a"))) })
    const context: AgentContext<typeof args.Type> = { ...chat(), args }
    return Effect.gen(function* () {
      const runtime = yield* AgentRuntime
      yield* runtime.send(context, { id: "a" }, question, "one")
      yield* runtime.send(context, {}, question, "two")
      expect(requests[1]?.messages).toHaveLength(3)
      expect((yield* Effect.flip(runtime.send(context, { id: 3 }, question, "three")))._tag).toBe("ArgsInvalid")
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })

  it.effect("refuses an invalid input before a model is called", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const runtime = yield* AgentRuntime
      expect(yield* Effect.flip(runtime.send(chat(), { id: "a" }, question, 42))).toBeInstanceOf(InputInvalid)
      expect(requests).toEqual([])
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })

  it.effect("C17 keeps a separate state for the actions of each context as long as it is open", () => {
    const context: AgentContext<{ readonly id: string }> = {
      ...chat(),
      open: () =>
        Effect.map(Ref.make(0), (count) => ({
          maxSteps: 5,
          budgetTokens: 1_000_000,
          prepare: Effect.succeed({
            model: "",
            effort: null,
            maxTokens: 1000,
            system: [],
            outputs: [],
            answer: null,
            nonce: null,
            actions: [
              echo({
                act: () =>
                  Effect.map(
                    Ref.updateAndGet(count, (n) => n + 1),
                    (n) => ({ text: `count ${n}`, isError: false })
                  )
              })
            ]
          })
        }))
    }
    const script: Script = (request) =>
      toldLast(request).startsWith("count")
        ? { text: toldLast(request) }
        : { calls: [{ name: "echo", input: { say: "" } }] }
    return Effect.gen(function* () {
      const texts = []
      for (const id of ["a", "b", "a"]) texts.push((yield* ask(context, "go", id)).text)
      expect(texts).toEqual(["count 1", "count 1", "count 2"])
    }).pipe(Effect.provide(runtimeSaying(script)))
  })
})

describe("the runtime, remembering", () => {
  /** Another process: a runtime of its own over the same log. */
  const process = (script: Script, requests: Array<ModelRequest> = []) =>
    AgentRuntime.layer.pipe(Layer.provide(scriptedModel(script, requests)))

  it.effect("C22 begins the log of a context with its identity", () =>
    Effect.gen(function* () {
      yield* ask(chat(), "one", "a").pipe(Effect.provide(process(saying({ text: "ok" }))))
      const log = yield* MemoryLog
      const [first, ...rest] = yield* log.read("chat:a")
      expect(first).toMatchObject({ _tag: "Context", context: "chat:a", type: "chat", key: "a", args: { id: "a" } })
      expect(rest.map(({ _tag }) => _tag)).toEqual(["Run", "Input", "Step", "Output", "Turn", "RunEnded"])
    }).pipe(Effect.provide(InProcess.layer))
  )

  it.effect("continues a conversation in another process", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const script = saying({ calls: [{ name: "echo", input: { say: "found" } }] }, { text: "ok" })
      yield* ask(chat({ actions: [echo()] }), "one").pipe(Effect.provide(process(script)))
      yield* ask(chat(), "two").pipe(Effect.provide(process(saying({ text: "ok" }), requests)))
      expect(JSON.stringify(requests[0]?.messages)).toContain("found")
      expect(toldLast(requests[0])).toBe("two")
      expect(
        yield* MemoryLog.use((log) => Effect.map(log.read("chat:a"), (refs) => only(refs, "Context")))
      ).toHaveLength(1)
    }).pipe(Effect.provide(InProcess.layer))
  })

  it.effect("explains a killed run, and sends its pending input", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const log = yield* MemoryLog
      const reached = yield* Deferred.make<void>()
      const action = echo({ act: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) })
      const killed = saying({ calls: [{ name: "echo", input: { say: "x" } }] })
      const one = yield* Effect.forkChild(ask(chat({ actions: [action] }), "one").pipe(Effect.provide(process(killed))))
      yield* Deferred.await(reached)
      yield* settled
      // What a kill would leave: the log as it is now.
      const left = yield* log.read("chat:a")
      expect(left.map(({ _tag }) => _tag)).toEqual(["Context", "Run", "Input", "Step", "Call", "Turn"])
      yield* Fiber.interrupt(one)
      const other = Layer.fresh(InProcess.layer)
      yield* Effect.gen(function* () {
        yield* MemoryLog.use((copy) => copy.append("chat:a", left))
        const end = yield* AgentRuntime.use((runtime) => runtime.run(chat(), { id: "a" }))
        expect(end).toMatchObject({ stopReason: "done", steps: 1 })
        expect(toldLast(requests[0])).toContain("echo did not end")
        expect(requests.flatMap(({ messages }) => unpaired(messages))).toEqual([])
      }).pipe(Effect.provide(Layer.provideMerge(process(saying({ text: "ok" }), requests), other)))
    }).pipe(Effect.provide(InProcess.layer))
  })

  it.effect("run without pending input calls no model", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const end = yield* AgentRuntime.use((runtime) => runtime.run(chat(), { id: "a" }))
      expect(end).toMatchObject({ stopReason: "done", steps: 0 })
      expect(requests).toEqual([])
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })

  it.effect("records an episode of each run: inputs, calls and outcome", () =>
    Effect.gen(function* () {
      const { chain } = yield* ask(chat({ actions: [echo()] }), "who is it?")
      expect(only(chain, "RunEnded")).toMatchObject([
        {
          stopReason: "done",
          steps: 2,
          episode: { asked: "who is it?", did: [{ name: "echo", times: 2 }], came: "done: nobody" }
        }
      ])
    }).pipe(
      Effect.provide(
        runtimeSaying(
          saying(
            {
              calls: [
                { name: "echo", input: { say: "a" } },
                { name: "echo", input: { say: "b" } }
              ]
            },
            { text: "nobody" }
          )
        )
      )
    )
  )
})

describe("the runtime, watched", () => {
  const watching = (options: { readonly everything?: boolean } = {}) =>
    AgentRuntime.use((runtime) => runtime.watch(chat(), { id: "a" }, options))

  it.effect("C11 shows pieces under the id of the ref they become, then the ref", () =>
    Effect.gen(function* () {
      const queue = yield* watching({ everything: true })
      // The second turn is empty.
      yield* Effect.exit(ask(chat({ actions: [echo()] }), "go"))
      const seen = yield* Queue.takeAll(queue)
      for (const [of, whole] of [
        ["Thought", "I think so"],
        ["Output", "some words"],
        ["Call", '{"say":"x"}']
      ] as const) {
        const pieces = seen.filter(
          (each): each is Extract<ContextEvent, { readonly _tag: "Piece" }> => each._tag === "Piece" && each.of === of
        )
        const ref = seen.find((each) => each._tag === "Ref" && each.ref._tag === of)
        expect(pieces.length).toBeGreaterThan(1)
        expect(new Set(pieces.map(({ id }) => id))).toEqual(new Set([ref?._tag === "Ref" ? ref.ref.id : ""]))
        const own = pieces.map(({ text }) => text).join("")
        expect(own.startsWith(whole)).toBe(true)
      }
    }).pipe(
      Effect.provide(
        runtimeSaying(
          (_, nth) =>
            nth === 1
              ? { thinking: "I think so", text: "some words", calls: [{ name: "echo", input: { say: "x" } }] }
              : {},
          [],
          { piece: 3 }
        )
      )
    )
  )

  it.effect("F4 allows several watchers; a slow one gets the newest events and blocks no other", () =>
    Effect.gen(function* () {
      const slow = yield* watching()
      const all = yield* watching({ everything: true })
      yield* ask(chat(), "go")
      const kept = yield* Queue.takeAll(slow)
      const everything = yield* Queue.takeAll(all)
      expect(kept).toHaveLength(1024)
      expect(everything.length).toBeGreaterThan(5000)
      expect(kept.at(-1)).toBe(everything[everything.length - 1] as ContextEvent)
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "x".repeat(5000) }), [], { piece: 1 })))
  )

  it.effect("shows immutable values", () =>
    Effect.gen(function* () {
      const queue = yield* watching({ everything: true })
      yield* ask(chat(), "go")
      for (const seen of yield* Queue.takeAll(queue)) {
        expect(Object.isFrozen(seen._tag === "Ref" ? seen.ref : seen)).toBe(true)
        if (seen._tag === "Ref" && seen.ref._tag === "Turn") expect(Object.isFrozen(seen.ref.parts[0])).toBe(true)
      }
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }))))
  )

  it.effect("sends the inputs of a source until its scope closes", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const runtime = yield* AgentRuntime
      const arrivals = yield* Queue.unbounded<{ readonly args: unknown; readonly data: unknown }, Cause.Done>()
      const released = yield* Ref.make(false)
      yield* Effect.gen(function* () {
        const stream = Stream.ensuring(Stream.fromQueue(arrivals), Ref.set(released, true))
        yield* runtime.subscribe({ input: question, context: chat(), arrivals: stream })
        const queue = yield* watching({ everything: true })
        // One that is no input is logged, and the next is taken.
        yield* Queue.offerAll(arrivals, [
          { args: { id: "a" }, data: 7 },
          { args: { id: "a" }, data: "one" }
        ])
        yield* Stream.fromQueue(queue).pipe(
          Stream.takeUntil((seen) => seen._tag === "Ref" && seen.ref._tag === "RunEnded"),
          Stream.runDrain
        )
      }).pipe(Effect.scoped)
      expect(yield* Ref.get(released)).toBe(true)
      expect(requests.map(toldLast)).toEqual(["one"])
    }).pipe(Effect.provide(runtimeSaying(saying({ text: "ok" }), requests)))
  })
})
