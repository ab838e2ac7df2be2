import { describe, expect } from "bun:test"
import { Effect, Layer, Ref, Stream } from "effect"
import { label, type Task } from "../../../../src/domain/agent/Task.ts"
import { type Recording, recordingOf } from "../../../../src/domain/record/Recording.ts"
import { Trajectory } from "../../../../src/domain/record/Trajectory.ts"
import { trajectoriesOf } from "../../../../src/domain/record/trajectoriesOf.ts"
import { trajectoryViolations } from "../../../../src/domain/record/trajectoryViolations.ts"
import { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import { RunEvent } from "../../../../src/domain/run/RunEvent.ts"
import * as Replay from "../../../../src/layers/record/replay/Replay.ts"
import { Agent } from "../../../../src/services/agent/Agent.ts"
import { Backend, BackendFailed } from "../../../../src/services/agent/Backend.ts"
import { FailPolicy } from "../../../../src/services/run/FailPolicy.ts"
import { backendContract, blocked } from "../../../support/backendContract.ts"
import { everyTask } from "../../../support/builders.ts"
import { replies } from "../../../support/cli/world.ts"
import { it } from "../../../support/effect.ts"
import { journalOf, started } from "../../../support/journal.ts"
import * as Memory from "../../../support/MemoryRecorder.ts"
import * as Scripted from "../../../support/ScriptedBackend.ts"

const [intent] = everyTask as [Task]
const timestamp = "2026-01-01T00:00:00.000Z"

const tools: ReadonlyArray<Scripted.ToolCall> = [
  { name: "read", input: { path: "src/a.py" }, output: "f = open(p)" },
  { name: "search", input: "open", output: "src/a.py:2" }
]

/** Everything that happens when each of `tasks` is asked of `script`, side by side as a run does it. */
const recorded = (script: Scripted.Script, tasks: ReadonlyArray<Task>) =>
  Effect.gen(function* () {
    const agent = yield* Agent
    yield* Effect.forEach(
      tasks,
      (task) => Effect.exit(agent.invoke(task, { phase: "per-stack-reviews", fork: label(task) }, replies.Intent)),
      { concurrency: "unbounded" }
    )
    const events = yield* Ref.get(yield* Memory.RecordedEvents)
    return recordingIn([started(), ...events])
  }).pipe(
    Effect.provide(
      Agent.layer.pipe(
        Layer.provide(Scripted.layer(script, { tools })),
        Layer.provide(FailPolicy.layer),
        Layer.provideMerge(Memory.layer)
      )
    )
  )

/** By way of the documents that a run leaves, which stay valid. */
const recordingIn = (events: ReadonlyArray<RunEvent>): Recording => {
  const { root, siblings } = trajectoriesOf(journalOf(events))
  const json = (document: Trajectory): unknown => JSON.parse(JSON.stringify(document))
  const files = new Map(
    [...siblings].map(
      ([name, each]) => [`trajectories/${name}.json`, { _tag: "Document", document: json(each) }] as const
    )
  )
  for (const document of [root, ...siblings.values()]) {
    expect(trajectoryViolations(json(document), files)).toEqual([])
  }
  return recordingOf(root, [...siblings.values()])
}

const answer: Scripted.Script = (task) => Effect.succeed(replies[task._tag])

const heard = (task: Task = intent) => Backend.use((backend) => Stream.runCollect(backend.execute(task)))

const replayOf = (recording: Recording, fanout: number) =>
  Replay.layer(recording, fanout).pipe(Layer.provide(FailPolicy.layer.pipe(Layer.provide(Memory.layer))))

const answering = Layer.unwrap(Effect.map(recorded(answer, everyTask), (recording) => replayOf(recording, 4)))

backendContract("replay", {
  tasks: everyTask,
  answering,
  usingTools: answering,
  // It waits for nothing itself: whoever hears it is what is called off.
  blocking: (block) =>
    Layer.effect(
      Backend,
      Backend.use((backend) =>
        Effect.succeed({
          ...backend,
          execute: (task: Task) => Stream.tap(backend.execute(task), () => blocked(block))
        })
      )
    ).pipe(Layer.provide(answering))
})

const says = (call: number, event: AgentEvent) => RunEvent.make({ _tag: "Agent", call, event })
const asked = (call: number, task: string) =>
  RunEvent.make({ _tag: "AgentStarted", call, task, phase: task, fork: null, prompt: "?" })
const over = (call: number, more: { readonly error?: string; readonly outcome?: "failed" | "interrupted" } = {}) =>
  RunEvent.make({
    _tag: "AgentEnded",
    call,
    outcome: more.outcome ?? (more.error === undefined ? "ok" : "failed"),
    ...(more.error === undefined ? {} : { error: more.error, detail: "in its own words" })
  })
const text = (call: number, words: string) => says(call, AgentEvent.make({ _tag: "Text", timestamp, text: words }))
const result = (call: number, output: { readonly intent: string } | null) =>
  says(call, AgentEvent.make({ _tag: "Result", timestamp, output }))

const replaying = (events: ReadonlyArray<RunEvent>) => replayOf(recordingIn([started(), ...events]), 2)

describe("a recorded run", () => {
  it.effect("replays thinking, text, tools and tokens, without cost", () =>
    Effect.gen(function* () {
      const metrics = {
        _tag: "Metrics",
        timestamp,
        messageId: "m",
        promptTokens: 100,
        completionTokens: 20,
        cachedTokens: 60,
        reasoningTokens: 5,
        costUsd: 0.25,
        model: "model-1"
      } as const
      const run = [
        asked(1, "intent"),
        says(1, AgentEvent.make({ _tag: "Thinking", timestamp, text: "hm" })),
        text(1, "Let me "),
        text(1, "look."),
        says(1, AgentEvent.make({ _tag: "ToolStart", timestamp, id: "t1", name: "read", input: { path: "a" } })),
        says(1, AgentEvent.make({ _tag: "ToolResult", timestamp, id: "t1", output: "no", isError: true })),
        says(1, AgentEvent.make(metrics)),
        says(1, AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "m", stopReason: "tool_use" })),
        text(1, "Done."),
        result(1, { intent: "Open a file." }),
        over(1)
      ]
      const events = yield* Effect.provide(heard(), replaying(run))
      expect(events[0]).toMatchObject({ _tag: "Prompted", backend: "replay" })
      expect(events.slice(1).map(({ timestamp: _, ...event }) => event)).toEqual([
        { _tag: "Thinking", text: "hm" },
        { _tag: "Text", text: "Let me look." },
        { _tag: "ToolStart", id: "t1", name: "read", input: { path: "a" } },
        { _tag: "ToolResult", id: "t1", output: "no", isError: true },
        { ...metrics, timestamp: undefined, messageId: "", costUsd: 0 },
        { _tag: "TurnEnd", messageId: "", stopReason: "tool_use" },
        { _tag: "Text", text: "Done." },
        { _tag: "TurnEnd", messageId: "" },
        { _tag: "Result", output: { intent: "Open a file." } }
      ] as never)
      expect(recordingIn([started("deep", "model-1"), ...run]).costUsd).toBe(0.25)
      // Most providers say what was taken, and not what it costs.
      const unpriced = run.map((event) =>
        event._tag === "Agent" && event.event._tag === "Metrics"
          ? says(1, AgentEvent.make({ ...metrics, costUsd: null, model: "gpt-5.5" }))
          : event
      )
      expect(recordingIn([started("deep", "gpt-5.5"), ...unpriced]).costUsd).toBe(null)
    })
  )

  it.effect("returns calls of one name in the order in which they were made", () =>
    Effect.gen(function* () {
      const run = [1, 2].flatMap((call) => [
        asked(call, "intent"),
        result(call, { intent: `answer ${call}` }),
        over(call)
      ])
      const outputs = yield* Effect.provide(Effect.all([heard(), heard()]), replaying(run))
      expect(outputs.map((events) => events.at(-1))).toMatchObject([
        { output: { intent: "answer 1" } },
        { output: { intent: "answer 2" } }
      ])
    })
  )

  it.effect("fails where it has no such call, or no further one, and names which", () =>
    Effect.gen(function* () {
      const run = [asked(1, "intent"), result(1, { intent: "x" }), over(1)]
      yield* Effect.gen(function* () {
        yield* heard()
        const second = yield* Effect.flip(heard())
        expect(second).toBeInstanceOf(BackendFailed)
        expect(second.message).toContain("only 1 call of that name")
        const merge = everyTask.find(({ _tag }) => _tag === "Merge") as Task
        expect((yield* Effect.flip(heard(merge))).message).toContain("has no call of that name")
      }).pipe(Effect.provide(replaying(run)))
    })
  )

  it.effect("passes over what failed and was repeated; what failed at last fails again, with its reason", () =>
    Effect.gen(function* () {
      const again = [
        asked(1, "intent"),
        text(1, "half a sen"),
        over(1, { error: "BackendFailed" }),
        asked(2, "intent"),
        result(2, { intent: "whole" }),
        over(2)
      ]
      expect((yield* Effect.provide(heard(), replaying(again))).at(-1)).toMatchObject({ output: { intent: "whole" } })
      const never = [asked(1, "intent"), text(1, "half"), over(1, { error: "AgentTimedOut" })]
      const failed = yield* Effect.flip(Effect.provide(heard(), replaying(never)))
      expect(failed).toMatchObject({ _tag: "BackendFailed", retryable: false })
      expect(failed.message).toContain("in its own words")
      const cut = [asked(1, "intent"), text(1, "half"), over(1, { outcome: "interrupted" })]
      expect((yield* Effect.flip(Effect.provide(heard(), replaying(cut)))).message).toContain("was interrupted")
    })
  )

  it.effect("returns an answer that did not fit, and the one that repaired it, so that the same happens again", () =>
    Effect.gen(function* () {
      const run = [
        asked(1, "intent"),
        text(1, "{}"),
        result(1, null),
        over(1, { error: "AgentReplyInvalid" }),
        asked(2, "intent"),
        result(2, { intent: "mended" }),
        over(2)
      ]
      const reply = yield* Agent.use((agent) => agent.invoke(intent, { phase: "intent" }, replies.Intent)).pipe(
        Effect.provide(
          Agent.layer.pipe(
            Layer.provide(replaying(run)),
            Layer.provide(FailPolicy.layer),
            Layer.provideMerge(Memory.layer)
          )
        )
      )
      expect(reply).toEqual({ intent: "mended" } as never)
    })
  )

  it.effect("verifies nothing where the recorded run did not, and otherwise each file by its own call", () =>
    Effect.gen(function* () {
      const verify = everyTask.find(({ _tag }) => _tag === "Verify")!
      const phasesIn = (recording: Recording) =>
        Effect.map(Backend, ({ phases }) => phases?.has("verify")).pipe(
          Effect.provide(Replay.layer(recording, 1).pipe(Layer.provide(FailPolicy.layer), Layer.provide(Memory.layer)))
        )
      expect(label(verify)).toMatch(/^verify:src\//)
      expect(yield* phasesIn(yield* recorded(answer, [intent]))).toBe(false)
      expect(yield* phasesIn(yield* recorded(answer, [intent, verify]))).toBe(true)
    })
  )

  it.effect("is of dd's own checks where it was, so that what they claim keeps its authority", () =>
    Effect.gen(function* () {
      const run = (more: object) =>
        RunEvent.make({ ...started(), ...more } as Extract<RunEvent, { _tag: "RunStarted" }>)
      const call = [asked(1, "intent"), over(1)]
      expect(recordingIn([run({ backend: "static", source: "static" }), ...call]).source).toBe("static")
      // A replay of it, recorded, is still that; an older record has only the name.
      expect(recordingIn([run({ backend: "replay", source: "static" }), ...call]).source).toBe("static")
      expect(recordingIn([run({ backend: "static" }), ...call]).source).toBe("static")
      expect(recordingIn([run({ backend: "claude" }), ...call]).source).toBe("model")
    })
  )

  it.effect("is read where an older dd did not write down the tasks", () =>
    Effect.gen(function* () {
      const { root, siblings } = trajectoriesOf(
        journalOf([
          started(),
          asked(1, "intent"),
          over(1),
          RunEvent.make({
            _tag: "AgentStarted",
            call: 2,
            task: "review:python",
            phase: "per-stack-reviews",
            fork: "deep-python",
            prompt: "?"
          }),
          over(2)
        ])
      )
      const older = (document: Trajectory) =>
        Trajectory.make({
          ...document,
          steps: document.steps.map(({ extra, ...step }) => {
            const { daydream_task: _, ...rest } = extra ?? {}
            return { ...step, extra: rest }
          }) as never
        })
      const recording = recordingOf(older(root), [...siblings.values()].map(older))
      expect([...recording.calls.keys()].sort()).toEqual(["intent", "review:python"])
    })
  )
})
