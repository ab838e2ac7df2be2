import { describe, expect } from "bun:test"
import { Deferred, Effect, Fiber, Layer, Ref, type Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { nothingExplored } from "../../../src/domain/code/Exploration.ts"
import { AgentEvent, promptedOf } from "../../../src/domain/run/AgentEvent.ts"
import { Agent } from "../../../src/services/agent/Agent.ts"
import { Backend, type BackendError, BackendFailed, type Repair } from "../../../src/services/agent/Backend.ts"
import { Budget, limit as limitOf } from "../../../src/services/agent/Budget.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { change, fixTask } from "../../support/builders.ts"
import { it } from "../../support/effect.ts"
import * as Memory from "../../support/MemoryRecorder.ts"
import * as Scripted from "../../support/ScriptedBackend.ts"

const asking = (script: Scripted.Script, fanout = 4) =>
  Agent.layer.pipe(
    Layer.provide(Scripted.layer(script, { fanout })),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer)
  )

const intent = { _tag: "Intent", change: change(), exploration: nothingExplored } as const
const alternatives = { ...intent, _tag: "Alternatives", intent: "" } as const
const askIntent = Agent.use((agent) => agent.invoke(intent, { phase: "intent" }, { intent: "" }))
const askAlternatives = Agent.use((agent) => agent.invoke(alternatives, { phase: "alternatives" }, { issues: [] }))

const at = "2026-01-01T00:00:00.000Z"
const tokens = { timestamp: at, cachedTokens: 2, reasoningTokens: null, costUsd: 0.5, model: null }

/** A model that has spent something by the time it goes on as `rest` says. */
const metered = (rest: Stream.Stream<AgentEvent, BackendError>) =>
  Agent.layer.pipe(
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer),
    Layer.provide(
      Layer.succeed(Backend, {
        name: "metered",
        model: "m",
        fanout: 1,
        execute: () =>
          Stream.concat(
            Stream.make(
              AgentEvent.make({ _tag: "Metrics", messageId: "", promptTokens: 10, completionTokens: 3, ...tokens }),
              AgentEvent.make({ _tag: "Cost", promptTokens: 10, completionTokens: 3, ...tokens })
            ),
            rest
          )
      })
    )
  )

/** Each of these models takes a million tokens in turn, and the last one answers. */
const speaking = (...models: ReadonlyArray<string | AgentEvent>) =>
  Agent.layer.pipe(
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer),
    Layer.provide(
      Layer.succeed(Backend, {
        name: "several",
        model: "gpt-5.5",
        fanout: 1,
        execute: () =>
          Stream.fromIterable([
            ...models.map((model) => {
              if (typeof model !== "string") return model
              const used = { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 0 }
              return AgentEvent.make({ _tag: "Metrics", ...tokens, ...used, messageId: "", costUsd: null, model })
            }),
            AgentEvent.make({ _tag: "Result", timestamp: at, output: { intent: "x" } })
          ])
      })
    )
  )

/** Made of several backends, like the one a review asks: `other` is the one that was sent the prompt last. */
const answeredByAnother = (rest: Stream.Stream<AgentEvent, BackendError>) =>
  metered(Stream.concat(Stream.make(promptedOf("other", at, { system: [], user: [] })), rest))

describe("Agent", () => {
  it.effect("counts agents that wait for their turn among those that the limit must leave an answer", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const agent = yield* Agent
      const answers = () => budget.leavesAnswers(0, 0.25)
      expect(answers()).toBe(true)
      const asking = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.forkChild(agent.invoke(intent, { phase: "intent" }, { intent: "" }))
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      expect(answers()).toBe(false)
      yield* Effect.forEach(asking, Fiber.interrupt)
      expect(answers()).toBe(true)
    }).pipe(Effect.provide(Layer.provideMerge(metered(Stream.never), limitOf({ usd: 1, isDefault: false }))))
  )

  it.effect("names in an error the backend that was called last", () =>
    Effect.gen(function* () {
      const error = (rest: Stream.Stream<AgentEvent, BackendError>) =>
        Effect.flip(askIntent.pipe(Effect.provide(answeredByAnother(rest))))
      const said = (output: Schema.Json) => Stream.make(AgentEvent.make({ _tag: "Result", timestamp: at, output }))
      expect((yield* error(said({ wrong: 1 }))).message).toStartWith("dd cannot read the answer of other: ")
      const late = yield* Effect.forkChild(error(Stream.never))
      yield* TestClock.adjust("301 seconds")
      expect((yield* Fiber.join(late)).message).toBe("other did not finish intent within 300 s")
    })
  )

  it.effect("returns a structured reply", () =>
    Effect.gen(function* () {
      expect(yield* askIntent).toEqual({ intent: "Open a file." })
    }).pipe(Effect.provide(asking(() => Effect.succeed({ intent: "Open a file." }))))
  )

  it.effect("finds the reply in prose that surrounds it", () =>
    Effect.gen(function* () {
      expect(yield* askIntent).toEqual({ intent: "x" })
    }).pipe(Effect.provide(asking(() => Effect.succeed('Here you are, see meta["a"]:\n```json\n{"intent": "x"}\n```'))))
  )

  it.effect("reads a bare list as the list of the task", () =>
    Effect.gen(function* () {
      expect(yield* askAlternatives).toEqual({ issues: [] })
    }).pipe(Effect.provide(asking(() => Effect.succeed([]))))
  )

  it.effect("types a reply that does not fit, and keeps it out of the message", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(askIntent)
      expect(error._tag).toBe("AgentReplyInvalid")
      // The same for each task and length, so that equal failures are one line.
      expect(error.message).toMatch(
        /^dd cannot read the answer of [\w-]+: it is not in the format that was asked for; /
      )
      expect(error.message).not.toContain("hunter2")
    }).pipe(Effect.provide(asking(() => Effect.succeed({ secret: "hunter2" }))))
  )

  for (const [what, first, second] of [
    ["prose again", "src/a.py:2 never closes the file.", "As I said: src/a.py:2 never closes the file."],
    ["JSON in the prose", 'src/a.py:2 reads {"a": 1} and never closes the file.', "No."],
    ["a reply that does not fit", "src/a.py:2 never closes the file.", { issues: "many" }],
    ["a first reply that does not fit", { issues: "many" }, "src/a.py:2 never closes the file."]
  ] as const) {
    it.effect(`returns a stack review in prose after a repair: ${what}`, () => {
      const answers: Array<Scripted.Reply> = [first, second]
      return Effect.gen(function* () {
        const stack = { name: "python", files: ["src/a.py"] }
        const task = { ...alternatives, _tag: "StackReview", stack } as const
        const reply = yield* Agent.use((agent) => agent.invoke(task, { phase: "per-stack-reviews" }, { review: "" }))
        expect(reply).toEqual({ review: typeof first === "string" ? first : second })
        expect(answers).toEqual([])
      }).pipe(Effect.provide(asking(() => Effect.sync(() => answers.shift() ?? ""))))
    })
  }

  const reviewed = Agent.use((agent) => {
    const stack = { name: "python", files: ["src/a.py"] }
    return agent.review({ ...alternatives, _tag: "StackReview", stack }, { phase: "per-stack-reviews" })
  })
  const lines = { path: "src/a.py", side: "head", from: 1, to: 2 } as const
  const reading = [
    AgentEvent.make({ _tag: "Shown", timestamp: at, lines: [] }),
    AgentEvent.make({ _tag: "ToolStart", timestamp: at, id: "1", name: "read_file", input: { path: "src/a.py" } }),
    AgentEvent.make({
      _tag: "ToolResult",
      timestamp: at,
      id: "1",
      output: "src/a.py (head), 2 lines\n1\timport os\n2\tf = open(p)",
      isError: false
    })
  ]

  it.effect("keeps what a reviewer has read for the answer that it repairs", () =>
    Effect.gen(function* () {
      expect((yield* reviewed).seen).toEqual([lines])
    }).pipe(
      Effect.provide(
        answering((repair) =>
          repair === undefined
            ? [...reading, said({ issues: "many" })]
            : [AgentEvent.make({ _tag: "Shown", timestamp: at, lines: [] }), said({ review: "fine", issues: [] })]
        )
      )
    )
  )

  it.effect("counts nothing of a tool's result that is an error", () =>
    Effect.gen(function* () {
      expect((yield* reviewed).seen).toEqual([])
    }).pipe(
      Effect.provide(
        answering(() => [
          ...reading.map((event) => (event._tag === "ToolResult" ? { ...event, isError: true } : event)),
          said({ review: "fine", issues: [] })
        ])
      )
    )
  )

  for (const answer of ["", "[]", '{"issues": "many"}', '{"issues": [{"title": "cut o']) {
    it.effect(`does not take ${JSON.stringify(answer)} as a stack review in prose`, () =>
      Effect.gen(function* () {
        const stack = { name: "python", files: ["src/a.py"] }
        const task = { ...alternatives, _tag: "StackReview", stack } as const
        const error = yield* Effect.flip(
          Agent.use((agent) => agent.invoke(task, { phase: "per-stack-reviews" }, { review: "" }))
        )
        expect(error._tag).toMatch(/AgentReply(?:Invalid|CutOff)/)
      }).pipe(Effect.provide(asking(() => Effect.succeed(answer))))
    )
  }

  it.effect("gives a fix its time once for each finding", () =>
    Effect.gen(function* () {
      const one = fixTask({ root: "/nowhere", allow: [] })
      const task = { ...one, findings: [...one.findings, ...one.findings] }
      const invoke = Agent.use((agent) => agent.invoke(task, { phase: "fix", fork: "fix-src-a.py" }, { outcomes: [] }))
      const fiber = yield* Effect.forkChild(Effect.flip(invoke))
      yield* TestClock.adjust("599 seconds")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(fiber)).message).toContain("did not finish fix:src/a.py within 600 s")
    }).pipe(Effect.provide(asking(() => Effect.never)))
  )

  it.effect("stops at the deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(askIntent))
      yield* TestClock.adjust("299 seconds")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(fiber))._tag).toBe("AgentTimedOut")
    }).pipe(Effect.provide(asking(() => Effect.never)))
  )

  it.effect("never runs more calls at once than the backend allows", () => {
    let running = 0
    let most = 0
    const gate = Deferred.makeUnsafe<void>()
    const script: Scripted.Script = () =>
      Effect.gen(function* () {
        most = Math.max(most, ++running)
        yield* Deferred.await(gate)
        running--
        return { intent: "x" }
      })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 9 }, () => askIntent),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      expect(most).toBe(2)
    }).pipe(Effect.provide(asking(script, 2)))
  })

  it.effect("records the call, every event in order, and how it ended", () =>
    Effect.gen(function* () {
      yield* askIntent
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      expect(events.map((event) => (event._tag === "Agent" ? event.event._tag : event._tag))).toEqual([
        "AgentStarted",
        "Text",
        "TurnEnd",
        "Result",
        "AgentEnded"
      ])
      expect(events[0]).toMatchObject({ task: "intent", phase: "intent", fork: null })
    }).pipe(Effect.provide(asking(() => Effect.succeed({ intent: "x" }))))
  )

  it.effect("does not question a reported cost, however old the prices are", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2040-01-01"))
      yield* askIntent
      expect((yield* Agent.use((agent) => agent.spent)).doubts).toEqual(new Map())
    }).pipe(
      Effect.provide(
        speaking(
          AgentEvent.make({
            _tag: "Metrics",
            ...tokens,
            promptTokens: 10,
            completionTokens: 1,
            messageId: "",
            costSource: "reported",
            model: "gpt-5.5"
          })
        )
      )
    )
  )

  it.effect("adds up what its calls cost", () =>
    Effect.gen(function* () {
      yield* askIntent
      yield* askIntent
      expect(yield* Agent.use((agent) => agent.spent)).toEqual({
        usd: 1,
        source: "reported",
        doubts: new Map(),
        promptTokens: 20,
        completionTokens: 6,
        cachedTokens: 4
      })
    }).pipe(
      Effect.provide(metered(Stream.make(AgentEvent.make({ _tag: "Result", timestamp: at, output: { intent: "x" } }))))
    )
  )

  it.effect("uses the price of each model in a call, also after a fallback", () =>
    Effect.gen(function* () {
      yield* askIntent
      const { usd, promptTokens } = yield* (yield* Agent).spent
      expect(promptTokens).toBe(2_000_000)
      expect(usd).toBeCloseTo(5 + 2, 9)
    }).pipe(Effect.provide(speaking("gpt-5.5", "claude-sonnet-5")))
  )

  it.effect("prices tokens that only the closing total has by the last model, and counts nothing twice", () => {
    const used = { ...tokens, promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 0, costUsd: null }
    return Effect.gen(function* () {
      yield* askIntent
      expect((yield* (yield* Agent).spent).usd).toBeCloseTo(5 + 2 * 2, 9)
    }).pipe(
      Effect.provide(
        speaking("gpt-5.5", "claude-sonnet-5", AgentEvent.make({ _tag: "Cost", ...used, promptTokens: 3_000_000 }))
      )
    )
  })

  it.effect("prices tokens that were written to a cache", () => {
    const used = { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 0, cacheWrittenTokens: 1_000_000 }
    const turn = { ...tokens, ...used, messageId: "", costUsd: null, model: "claude-sonnet-5" }
    return Effect.gen(function* () {
      yield* askIntent
      expect((yield* (yield* Agent).spent).usd).toBeCloseTo(2.5, 9)
    }).pipe(Effect.provide(speaking(AgentEvent.make({ _tag: "Metrics", ...turn }))))
  })

  it.effect("names the models whose built-in price may have changed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2031-01-01T00:00:00Z"))
      yield* askIntent
      const { doubts, source } = yield* (yield* Agent).spent
      expect(source).toBe("computed")
      expect([...doubts.keys()]).toEqual(["gpt-5.5"])
      expect(doubts.get("gpt-5.5")).toContain("price table is of 20")
    }).pipe(Effect.provide(speaking("gpt-5.5")))
  )

  it.effect("questions no price if the backend reports the cost of the call", () => {
    const used = { ...tokens, promptTokens: 1_000_000, completionTokens: 0, model: "gpt-5.5" }
    const turn = { ...used, messageId: "m1", costUsd: null, costSource: "provisional" as const }
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2031-01-01T00:00:00Z"))
      yield* askIntent
      const { doubts, source } = yield* (yield* Agent).spent
      expect(source).toBe("reported")
      expect([...doubts.keys()]).toEqual([])
    }).pipe(
      Effect.provide(
        speaking(AgentEvent.make({ _tag: "Metrics", ...turn }), AgentEvent.make({ _tag: "Cost", ...used }))
      )
    )
  })

  it.effect("reports an unknown cost if one of the models has no price", () =>
    Effect.gen(function* () {
      yield* askIntent
      expect((yield* (yield* Agent).spent).usd).toBe(null)
    }).pipe(Effect.provide(speaking("nobody-1", "claude-sonnet-5")))
  )

  it.effect("counts what a call cost before it failed", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(askIntent))._tag).toBe("BackendFailed")
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(0.5)
    }).pipe(
      Effect.provide(metered(Stream.fail(new BackendFailed({ backend: "metered", retryable: false, cause: "boom" }))))
    )
  )

  it.effect("counts what a call cost before its deadline, and before it was interrupted", () =>
    Effect.gen(function* () {
      const late = yield* Effect.forkChild(Effect.flip(askIntent))
      yield* TestClock.adjust("300 seconds")
      expect((yield* Fiber.join(late))._tag).toBe("AgentTimedOut")
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(0.5)
      const stopped = yield* Effect.forkChild(askIntent)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(stopped)
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(1)
    }).pipe(Effect.provide(metered(Stream.never)))
  )

  it.effect("leaves the tries after a failure to the backend", () => {
    let asked = 0
    const down = Stream.suspend(() => {
      asked++
      return Stream.fail(new BackendFailed({ backend: "metered", retryable: true, cause: "boom" }))
    })
    return Effect.gen(function* () {
      expect((yield* Effect.flip(askIntent))._tag).toBe("BackendFailed")
      expect(asked).toBe(1)
    }).pipe(Effect.provide(metered(down)))
  })

  it.effect("has a deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(askIntent))
      yield* TestClock.adjust("300 seconds")
      expect((yield* Fiber.join(fiber))._tag).toBe("AgentTimedOut")
    }).pipe(Effect.provide(asking(() => Effect.never)))
  )

  it.effect("sends an invalid answer back once, with its faults", () => {
    const repairs: Array<Repair | undefined> = []
    return Effect.gen(function* () {
      expect(yield* askIntent).toEqual({ intent: "mended" })
      expect(repairs).toEqual([undefined, { answer: '{"intention":"x"}', fault: "- intent: Missing key" }])
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      const prompts = events.flatMap((event) => (event._tag === "AgentStarted" ? [event.prompt] : []))
      expect(prompts[1]).toContain("- intent: Missing key")
    }).pipe(
      Effect.provide(
        answering((repair) => [said(repair === undefined ? { intention: "x" } : { intent: "mended" })], repairs)
      )
    )
  })

  it.effect("never sends it back twice", () => {
    const repairs: Array<Repair | undefined> = []
    return Effect.gen(function* () {
      expect((yield* Effect.flip(askIntent))._tag).toBe("AgentReplyInvalid")
      expect(repairs).toHaveLength(2)
    }).pipe(Effect.provide(answering(() => [said({ nothing: 1 })], repairs)))
  })

  const idea = (title: string) => ({
    files: ["src/a.py"],
    line: 1,
    title,
    description: "It reads the file twice.",
    recommendation: "Read it once.",
    rationale: "",
    evidence: "",
    severity: "low",
    confidence: "HIGH"
  })
  const ideas = { issues: [idea("One"), idea(""), idea("Three")] }
  const titled = Effect.map(askAlternatives, ({ issues }) => issues.map(({ title }) => title))

  it.effect("uses the whole answer if the entry that did not fit is repaired", () => {
    const repairs: Array<Repair | undefined> = []
    const repaired = { issues: ["One", "Two", "Three"].map(idea) }
    return Effect.gen(function* () {
      expect(yield* titled).toEqual(["One", "Two", "Three"])
      expect(repairs).toMatchObject([undefined, { fault: expect.stringContaining("- issues.1.title: ") }])
      expect(yield* FailPolicy.use((policy) => policy.degraded)).toEqual([])
    }).pipe(Effect.provide(answering((repair) => [said(repair === undefined ? ideas : repaired)], repairs)))
  })

  for (const [what, second] of [
    ["it still does not fit", said(ideas)],
    ["the second answer cannot be used at all", said({ issues: 3 })],
    ["the second answer is prose", words("As above.")]
  ] as const) {
    it.effect(`keeps the entries that fit, and counts the others, if ${what}`, () => {
      const repairs: Array<Repair | undefined> = []
      return Effect.gen(function* () {
        expect(yield* titled).toEqual(["One", "Three"])
        expect(repairs).toHaveLength(2)
        const [missing, ...others] = yield* FailPolicy.use((policy) => policy.degraded)
        expect(missing).toMatchObject({ step: "alternatives", error: "EntriesRefused" })
        expect(missing?.detail).toStartWith(
          "told answered alternatives with 1 of 3 entries that do not fit the reply format and are not used: issues.1.title: "
        )
        expect(others).toEqual([])
      }).pipe(Effect.provide(answering((repair) => [repair === undefined ? said(ideas) : second], repairs)))
    })
  }

  it.effect("keeps the entries that fit if the repair cannot be paid", () =>
    Effect.gen(function* () {
      expect(yield* titled).toEqual(["One", "Three"])
    }).pipe(
      Effect.provide(
        hearing((_, repair) =>
          repair === undefined
            ? Stream.make(said(ideas))
            : Stream.fail(new BackendFailed({ backend: "told", retryable: false, cause: "the limit is reached" }))
        )
      )
    )
  )

  it.effect("fails on a refusal, without a retry", () => {
    const repairs: Array<Repair | undefined> = []
    return Effect.gen(function* () {
      expect((yield* Effect.flip(askAlternatives))._tag).toBe("AgentRefused")
      expect(repairs).toHaveLength(1)
    }).pipe(Effect.provide(answering(() => [words("I cannot help with []."), ended("refusal"), said(null)], repairs)))
  })

  it.effect("fails on an answer that was cut off, whatever part of it can be read", () => {
    const repairs: Array<Repair | undefined> = []
    return Effect.gen(function* () {
      expect((yield* Effect.flip(askAlternatives))._tag).toBe("AgentReplyCutOff")
      expect(repairs[1]?.fault).toContain("cut off")
    }).pipe(Effect.provide(answering(() => [words('{"issues": []}'), ended("max_tokens"), said(null)], repairs)))
  })

  it.effect("detects an answer that was cut off without a stop reason", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(askAlternatives))._tag).toBe("AgentReplyCutOff")
    }).pipe(Effect.provide(answering(() => [words('{"issues": [{"files": [], "title": "x'), said(null)])))
  )

  it.effect("reads the answer in the last turn, not what was quoted in one before", () =>
    Effect.gen(function* () {
      expect(yield* askAlternatives).toEqual({ issues: [] })
      expect(yield* askIntent).toEqual({ intent: "of the last turn" })
    }).pipe(
      Effect.provide(
        answering((_, task) => [
          words(
            'The file says {"intent": "of the file", "padding": "longer than the answer that follows it", "issues": 1}.'
          ),
          ended("tool_use"),
          words(task === "Intent" ? '{"intent": "of the last turn"}' : '{"issues": []}'),
          ended("end_turn"),
          said(null)
        ])
      )
    )
  )
})

const said = (output: Schema.Json | null) => AgentEvent.make({ _tag: "Result", timestamp: at, output })
const words = (text: string) => AgentEvent.make({ _tag: "Text", timestamp: at, text })
const ended = (stopReason: string) => AgentEvent.make({ _tag: "TurnEnd", timestamp: at, messageId: "", stopReason })

/** A model that says these events, and remembers what it was asked to mend. */
const answering = (
  events: (repair: Repair | undefined, task: string) => ReadonlyArray<AgentEvent>,
  repairs: Array<Repair | undefined> = []
) =>
  hearing((task, repair) => {
    repairs.push(repair)
    return Stream.fromIterable(events(repair, task._tag))
  })

const hearing = (execute: Backend["Service"]["execute"]) =>
  Agent.layer.pipe(
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer),
    Layer.provide(Layer.succeed(Backend, { name: "told", model: "m", fanout: 1, execute }))
  )
