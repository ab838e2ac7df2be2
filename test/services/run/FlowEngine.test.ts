import { describe, expect } from "bun:test"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Ref, Schema } from "effect"
import type { Flow, FlowEntry } from "../../../src/domain/run/Flow.ts"
import type { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import { breakLoop, inParts, proceed, type Step, step, stop, type Unavailable } from "../../../src/domain/run/Step.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { FlowEngine, type FlowRun, unavailable } from "../../../src/services/run/FlowEngine.ts"
import { Recorder } from "../../../src/services/run/Recorder.ts"
import { it } from "../../support/effect.ts"

/** The state of these flows: what ran, in order. */
type Trail = ReadonlyArray<string>

class Broke extends Schema.TaggedError<Broke>()("Broke", { step: Schema.String }) {
  override get message() {
    return `${this.step} broke`
  }
}

const noting = (name: string): Step<Trail> =>
  step({ name }, { run: (trail) => Effect.succeed(proceed([...trail, name], `did ${name}`)) })

const flow = (...entries: ReadonlyArray<FlowEntry>): Flow => ({ name: "deep", description: "", entries })

const running = <E = never, R = never>(
  entries: ReadonlyArray<FlowEntry>,
  steps: ReadonlyArray<Step<Trail, E, R> | Unavailable>,
  more?: Partial<FlowRun<Trail, E, R>>
) =>
  Effect.gen(function* () {
    const events = yield* Ref.make<ReadonlyArray<RunEvent>>([])
    const recorder = Layer.succeed(
      Recorder,
      Recorder.watching((event) => Ref.update(events, (all) => [...all, event]))
    )
    const exit = yield* FlowEngine.use((engine) =>
      engine.run({ flow: flow(...entries), steps: new Map(steps.map((s) => [s.name, s])), state: [], ...more })
    ).pipe(Effect.provide(FlowEngine.layer.pipe(Layer.provide(FailPolicy.layer), Layer.provide(recorder))), Effect.exit)
    return { exit, events: yield* Ref.get(events) }
  })

const outcome = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(Cause.pretty(exit.cause))
}

/** Lets everything else go as far as it can. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

describe("FlowEngine", () => {
  it.effect("runs the steps in order, hands the state on and ends with code 0", () =>
    Effect.gen(function* () {
      const { exit, events } = yield* running(["a", "b"], [noting("b"), noting("a")])
      expect(outcome(exit)).toEqual({ state: ["a", "b"], code: 0 })
      expect(events).toEqual([
        { _tag: "StepStarted", step: "a" },
        { _tag: "StepEnded", step: "a", summary: "did a" },
        { _tag: "StepStarted", step: "b" },
        { _tag: "StepEnded", step: "b", summary: "did b" }
      ])
    })
  )

  /** Works until it may end, and notes in `seen` when its parts run. */
  const parted = (name: string, seen: Array<string>, end: Deferred.Deferred<void>, beside?: string): Step<Trail> =>
    step(
      { name },
      {
        ...inParts<Trail, never, never>(() =>
          Effect.gen(function* () {
            seen.push(`${name} works`)
            yield* Effect.yieldNow
            yield* Deferred.await(end)
            return (trail) =>
              Effect.sync(() => {
                seen.push(`${name} ends`)
                return proceed([...trail, name], `did ${name}`)
              })
          })
        ),
        ...(beside === undefined ? {} : { beside })
      }
    )

  it.effect("runs a step beside the one that follows it, and ends them in order", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const [one, two] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const fiber = yield* Effect.forkChild(
        running(["a", "b", "c"], [parted("a", seen, one, "b"), parted("b", seen, two), noting("c")])
      )
      yield* settled
      expect(seen).toEqual(["a works", "b works"])
      yield* Deferred.succeed(two, undefined)
      yield* settled
      expect(seen).toEqual(["a works", "b works"])
      yield* Deferred.succeed(one, undefined)
      const { events, exit } = yield* Fiber.join(fiber)
      expect(seen).toEqual(["a works", "b works", "a ends", "b ends"])
      expect(outcome(exit)).toEqual({ state: ["a", "b", "c"], code: 0 })
      expect(events.map((event) => `${event._tag} ${"step" in event ? event.step : ""}`)).toEqual([
        "StepStarted a",
        "StepStarted b",
        "StepEnded a",
        "StepEnded b",
        "StepStarted c",
        "StepEnded c"
      ])
    })
  )

  it.effect(
    "runs the steps in order if another one was inserted between them, replaces one of them, or one is off",
    () =>
      Effect.gen(function* () {
        const ended = yield* Deferred.make<void>()
        yield* Deferred.succeed(ended, undefined)
        const order = Effect.fnUntraced(function* (entries: ReadonlyArray<string>, over: ReadonlyArray<Step<Trail>>) {
          const seen: Array<string> = []
          const own = [parted("a", seen, ended, "b"), parted("b", seen, ended), noting("lint"), ...over]
          const { events, exit } = yield* running(entries, own)
          return [outcome(exit).state.join(" "), events.map(({ _tag }) => _tag.slice(4, 6)).join(" ")]
        })
        expect(yield* order(["a", "lint", "b"], [])).toEqual(["a lint b", "St En St En St En"])
        expect(yield* order(["lint", "a", "b"], [])).toEqual(["lint a b", "St En St St En En"])
        expect(yield* order(["b", "a"], [])).toEqual(["b a", "St En St En"])
        expect(yield* order(["a", "b"], [noting("b")])).toEqual(["a b", "St En St En"])
        expect(yield* order(["a", "b"], [noting("a")])).toEqual(["a b", "St En St En"])
        const off = { ...parted("a", [], ended, "b"), enabled: () => false }
        expect(yield* order(["a", "b"], [off])).toEqual(["b", "Sk St En"])
      })
  )

  it.effect("ends the other one if one of them fails, and records the end of both", () =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<void>()
      const failing: Step<Trail, Broke> = step(
        { name: "b" },
        inParts(() => Effect.fail(new Broke({ step: "b" })))
      )
      const { events, exit } = yield* running<Broke>(["a", "b"], [parted("a", [], never, "b"), failing])
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ _tag: "Broke" })
      expect(events.slice(2)).toEqual([
        { _tag: "StepEnded", step: "b", summary: "failed", outcome: "failed" },
        { _tag: "StepEnded", step: "a", summary: "interrupted", outcome: "interrupted" }
      ])
    })
  )

  it.effect("ends an empty flow with code 0", () =>
    Effect.gen(function* () {
      const { exit } = yield* running([], [])
      expect(outcome(exit)).toEqual({ state: [], code: 0 })
    })
  )

  it.effect("runs nothing when a later name is unknown, and names which one was meant", () =>
    Effect.gen(function* () {
      const { exit, events } = yield* running(["arbiter", "intnet"], [noting("arbiter"), noting("intent")])
      expect(events).toEqual([])
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
        _tag: "FlowStepUnknown",
        message: 'flow "deep" names the step "intnet", which is not registered (did you mean "intent"?)'
      })
    })
  )

  it.effect("finds an unknown name inside a loop group before anything runs", () =>
    Effect.gen(function* () {
      const { exit, events } = yield* running(["a", { name: "g", steps: ["a2"], maxIterations: 1 }], [noting("a")])
      expect(events).toEqual([])
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ _tag: "FlowStepUnknown", step: "a2" })
    })
  )

  it.effect("skips a step whose condition is not met, and reports it", () =>
    Effect.gen(function* () {
      const never: Step<Trail> = { ...noting("a"), when: "with --loop", enabled: () => false }
      const { exit, events } = yield* running(["a", "b"], [never, noting("b")])
      expect(outcome(exit).state).toEqual(["b"])
      expect(events[0]).toEqual({ _tag: "StepSkipped", step: "a", reason: "runs with --loop", planned: true })
    })
  )

  it.effect("asks a step's condition about the state that reaches it", () =>
    Effect.gen(function* () {
      const second: Step<Trail> = { ...noting("b"), enabled: (trail) => trail.includes("a") }
      expect(outcome((yield* running(["a", "b"], [noting("a"), second])).exit).state).toEqual(["a", "b"])
      expect(outcome((yield* running(["b", "a"], [noting("a"), second])).exit).state).toEqual(["a"])
    })
  )

  it.effect("names a step that this build does not have when the flow reaches it, and goes on", () =>
    Effect.gen(function* () {
      const absent: Unavailable = {
        _tag: "Unavailable",
        name: "fix",
        phase: "fix",
        when: "",
        origin: "dd",
        reason: "no fixing yet"
      }
      const { exit, events } = yield* running(["fix", "b"], [absent, noting("b")])
      expect(outcome(exit)).toEqual({ state: ["b"], code: 0 })
      expect(events[0]).toEqual({ _tag: "StepSkipped", step: "fix", reason: "not in this build: no fixing yet" })
    })
  )

  it.effect("ends with the code of the step that stops, and runs nothing after it", () =>
    Effect.gen(function* () {
      const stopping = step<Trail, never, never>(
        { name: "s" },
        { run: (trail: Trail) => Effect.succeed(stop([...trail, "s"], 3, "enough")) }
      )
      const { exit, events } = yield* running(["a", "s", "b"], [noting("a"), stopping, noting("b")])
      expect(outcome(exit)).toEqual({ state: ["a", "s"], code: 3 })
      expect(events.at(-1)).toEqual({ _tag: "StepEnded", step: "s", summary: "enough" })
    })
  )

  describe("loop groups", () => {
    const group = (maxIterations: number | "loop", ...steps: ReadonlyArray<string>): FlowEntry => ({
      name: "iterate",
      steps,
      maxIterations
    })
    const atIteration = (trail: Trail, iteration: number | null): Trail => [...trail, `#${iteration ?? "end"}`]

    it.effect("run their steps the given number of times, and record the number of the pass in the state", () =>
      Effect.gen(function* () {
        const { exit } = yield* running([group(2, "a"), "b"], [noting("a"), noting("b")], { atIteration })
        expect(outcome(exit).state).toEqual(["#1", "a", "#2", "a", "#end", "b"])
      })
    )

    it.effect("run once as the pass of --loop, and as the first without it", () =>
      Effect.gen(function* () {
        const third = yield* running([group("loop", "a")], [noting("a")], { pass: 3, atIteration })
        expect(outcome(third.exit).state).toEqual(["#3", "a", "#end"])
        const only = yield* running([group("loop", "a")], [noting("a")], { atIteration })
        expect(outcome(only.exit).state).toEqual(["#1", "a", "#end"])
      })
    )

    it.effect("end where a step breaks them, and the flow goes on", () =>
      Effect.gen(function* () {
        const secondPass = step<Trail, never, never>(
          { name: "x" },
          { run: (trail: Trail) => Effect.succeed(trail.includes("#2") ? breakLoop(trail) : proceed(trail)) }
        )
        const { exit } = yield* running([group(5, "x", "a"), "b"], [secondPass, noting("a"), noting("b")], {
          atIteration
        })
        expect(outcome(exit).state).toEqual(["#1", "a", "#2", "#end", "b"])
      })
    )

    it.effect("end the flow when a step in them stops it", () =>
      Effect.gen(function* () {
        const stopping = step<Trail, never, never>(
          { name: "s" },
          { run: (trail: Trail) => Effect.succeed(stop(trail, 1)) }
        )
        const { exit } = yield* running([group(5, "a", "s"), "b"], [stopping, noting("a"), noting("b")])
        expect(outcome(exit)).toEqual({ state: ["a"], code: 1 })
      })
    )

    it.effect("are not needed for a step that breaks: outside one the flow just goes on", () =>
      Effect.gen(function* () {
        const breaking = step<Trail, never, never>(
          { name: "x" },
          { run: (trail: Trail) => Effect.succeed(breakLoop([...trail, "x"])) }
        )
        const { exit } = yield* running(["x", "b"], [breaking, noting("b")])
        expect(outcome(exit)).toEqual({ state: ["x", "b"], code: 0 })
      })
    )
  })

  it.effect("fails as the step failed, after its StepEnded, and runs nothing more", () =>
    Effect.gen(function* () {
      const failing = step({ name: "f" }, { run: (_: Trail) => Effect.fail(new Broke({ step: "f" })) })
      const { exit, events } = yield* running<Broke, never>(["f", "b"], [failing, noting("b")])
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ _tag: "Broke" })
      expect(events).toEqual([
        { _tag: "StepStarted", step: "f" },
        { _tag: "StepEnded", step: "f", summary: "failed", outcome: "failed" }
      ])
    })
  )

  it.effect("dies of a step's defect, also of one thrown before its effect exists", () =>
    Effect.gen(function* () {
      const dying = step({ name: "d" }, { run: (_: Trail) => Effect.die("boom") })
      const throwing = step<Trail, never, never>(
        { name: "t" },
        {
          run: () => {
            throw new Error("bang")
          }
        }
      )
      const died = yield* running(["d"], [dying])
      expect(Exit.isFailure(died.exit) && Cause.hasDies(died.exit.cause)).toBe(true)
      const threw = yield* running(["t"], [throwing])
      expect(Exit.isFailure(threw.exit) && Cause.hasDies(threw.exit.cause)).toBe(true)
      expect(threw.events.at(-1)).toMatchObject({ _tag: "StepEnded", outcome: "failed" })
    })
  )

  it.effect("stops with an interruption, which the events show", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const events = yield* Ref.make<ReadonlyArray<RunEvent>>([])
      const hanging = step(
        { name: "h" },
        { run: (_: Trail) => Effect.andThen(Deferred.succeed(started, undefined), Effect.never) }
      )
      const recorder = Layer.succeed(
        Recorder,
        Recorder.watching((event) => Ref.update(events, (all) => [...all, event]))
      )
      const fiber = yield* FlowEngine.use((engine) =>
        engine.run({ flow: flow("h"), steps: new Map([["h", hanging]]), state: [] })
      ).pipe(
        Effect.provide(FlowEngine.layer.pipe(Layer.provide(FailPolicy.layer), Layer.provide(recorder))),
        Effect.forkChild
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect((yield* Ref.get(events)).at(-1)).toEqual({
        _tag: "StepEnded",
        step: "h",
        summary: "interrupted",
        outcome: "interrupted"
      })
    })
  )
})

describe("a flow without a step of this build", () => {
  const missing: Unavailable = { ...noting("gone"), _tag: "Unavailable", reason: "not yet" }
  const known = new Map<string, Step<Trail> | Unavailable>([
    ["gone", missing],
    ["here", noting("here")]
  ])

  it("is named, with the reasons, before it is started", () => {
    const refused = unavailable(flow("gone"), known)
    expect(refused?.message).toContain('flow "deep" cannot run, because none of its steps is in this build: not yet')
    expect(unavailable(flow("gone", "here"), known)).toBeNull()
  })
})
