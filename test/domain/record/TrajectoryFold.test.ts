import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { contentText, conversationsOf } from "../../../src/domain/record/chatMessages.ts"
import { Trajectory } from "../../../src/domain/record/Trajectory.ts"
import { mostWaitingText } from "../../../src/domain/record/TrajectoryCall.ts"
import { trajectoriesOf } from "../../../src/domain/record/trajectoriesOf.ts"
import { slugOf } from "../../../src/domain/record/trajectoryNames.ts"
import { type Opened, trajectoryViolations } from "../../../src/domain/record/trajectoryViolations.ts"
import type { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import { it } from "../../support/effect.ts"
import {
  announced,
  answered,
  asked,
  begun,
  billed,
  ended,
  journalOf,
  measured,
  prompted,
  reply,
  result,
  session,
  started,
  stepEnded,
  stepStarted,
  text,
  thinks,
  timeOf,
  tool,
  turnEnd
} from "../../support/journal.ts"

const told = (...events: ReadonlyArray<RunEvent>) => trajectoriesOf(journalOf([started(), ...events]))
const root = (...events: ReadonlyArray<RunEvent>) => told(...events).root
const agents = ({ steps }: Trajectory) => steps.filter(({ source }) => source === "agent")

/** What a reader of the written files would say is wrong. */
const violations = ({ root, siblings }: ReturnType<typeof trajectoriesOf>) => {
  const written = (each: Trajectory): unknown => JSON.parse(JSON.stringify(each))
  const files = new Map(
    [...siblings].map(([name, each]): [string, Opened] => [
      `trajectories/${name}.json`,
      { _tag: "Document", document: written(each) }
    ])
  )
  return [root, ...siblings.values()].flatMap((each) => trajectoryViolations(written(each), files))
}

describe("an agent call", () => {
  it("is one user step with the prompt, then one agent step for each turn", () => {
    const { steps } = root(
      asked(1, "intent", null, "What for?"),
      thinks(1, "first"),
      thinks(1, "second"),
      text(1, "To re"),
      text(1, "ad."),
      turnEnd(1, "tool_use"),
      text(1, "Done."),
      turnEnd(1, "end_turn"),
      reply(1, { intent: "To read." }),
      answered(1),
      ended
    )
    const extra = {
      daydream_phase: "intent",
      daydream_run_flow: "deep",
      daydream_step: "intent",
      daydream_task: "intent",
      daydream_call: 1
    }
    expect(JSON.parse(JSON.stringify(steps))).toEqual([
      { step_id: 1, timestamp: timeOf(2), source: "user", message: "What for?", extra },
      {
        step_id: 2,
        timestamp: timeOf(3),
        source: "agent",
        message: "To read.",
        reasoning_content: "first\nsecond",
        extra: { ...extra, stop_reason: "tool_use" }
      },
      {
        step_id: 3,
        timestamp: timeOf(8),
        source: "agent",
        message: "Done.",
        extra: { ...extra, stop_reason: "end_turn", structured_output: { intent: "To read." } }
      }
    ])
  })

  it("has its tool results in the step with their calls, also when they come after it", () => {
    const [first, second] = agents(
      root(
        asked(1),
        tool(1, "a"),
        tool(1, "b"),
        turnEnd(1),
        result(1, "b"),
        text(1, "x"),
        result(1, "a", "no", true),
        answered(1)
      )
    )
    expect(first?.tool_calls?.map(({ tool_call_id }) => tool_call_id)).toEqual(["a", "b"])
    expect(first?.observation?.results.map(({ source_call_id, content }) => [source_call_id, content])).toEqual([
      ["b", "output of b"],
      ["a", "no"]
    ])
    expect(first?.extra).toMatchObject({ failed_tool_calls: ["a"] })
    expect(second?.observation).toBeUndefined()
  })

  it("keeps a result without a call in extra, never as an observation", () => {
    const [step] = agents(root(asked(1), text(1, "x"), turnEnd(1), result(1, "nobody"), answered(1)))
    expect(step?.observation).toBeUndefined()
    expect(step?.extra).toMatchObject({
      unmatched_tool_results: [{ tool_call_id: "nobody", content: "output of nobody", is_error: false }]
    })
  })

  it("takes a tool's input that is no object under a name", () => {
    const [step] = agents(root(asked(1), tool(1, "a", "ls"), tool(1, "b", [1]), turnEnd(1), answered(1)))
    expect(step?.tool_calls?.map((call) => call.arguments)).toEqual([{ input: "ls" }, { input: [1] }])
  })

  it("does not wait for an answer for ever, and names which step a very late one belongs to", () => {
    const much = "x".repeat(mostWaitingText / 2)
    const late = [1, 2, 3].flatMap(() => [text(1, much), turnEnd(1)])
    const all = told(asked(1), tool(1, "a"), turnEnd(1), ...late, result(1, "a", "at last"), answered(1))
    expect(agents(all.root).at(-1)?.extra).toMatchObject({
      late_tool_results: [{ tool_call_id: "a", content: "at last", is_error: false, step_id: 2 }]
    })
    expect(violations(all)).toEqual([])
  })

  it("that failed reports why on its last step, also without any text", () => {
    const error = { error: "it took too long", error_subtype: "AgentTimedOut" }
    const [, spoke, silent] = [
      null,
      agents(root(asked(1), text(1, "x"), turnEnd(1), answered(1, "failed"))),
      agents(root(asked(1), answered(1, "failed")))
    ]
    expect(spoke?.map(({ message, extra }) => [message, extra?.error, extra?.partial_step])).toEqual([
      ["x", error.error, undefined]
    ])
    expect(silent?.map(({ message, extra }) => [message, extra?.error_subtype, extra?.partial_step])).toEqual([
      ["", error.error_subtype, true]
    ])
  })

  it("names the model that answered, and nothing that is only the name of the backend", () => {
    const named = root(asked(1), measured(1, 5, "", "model-7"), text(1, "x"), turnEnd(1), answered(1))
    expect([named.agent.model_name, agents(named)[0]?.model_name]).toEqual(["model-7", "model-7"])
    const generic = trajectoriesOf(
      journalOf([started("deep", "claude"), asked(1), text(1, "x"), turnEnd(1), answered(1)])
    )
    expect(generic.root.agent.model_name).toBeUndefined()
    const known = trajectoriesOf(
      journalOf([started("deep", "model-8"), asked(1), text(1, "x"), turnEnd(1), answered(1)])
    )
    expect([known.root.agent.model_name, agents(known.root)[0]?.model_name]).toEqual(["model-8", "model-8"])
  })

  it("whose start event is lost is recorded all the same", () => {
    expect(root(text(9, "x"), turnEnd(9)).steps.map(({ source }) => source)).toEqual(["user", "agent"])
  })
})

describe("the prompt of a call", () => {
  const spoken = (each: Trajectory) => each.steps.map(({ message, source }) => [source, contentText(message)])

  it("is its first steps, with the backend, in place of dd's own words", () => {
    const whole = root(
      asked(1),
      prompted(1, { system: ["s1", "s2"], user: ["u"] }),
      text(1, "x"),
      turnEnd(1),
      answered(1)
    )
    expect(spoken(whole)).toEqual([
      ["system", "s1\ns2"],
      ["user", "u"],
      ["agent", "x"]
    ])
    expect(whole.steps[0]?.extra).toMatchObject({
      daydream_backend: "b",
      daydream_prompt: [{ sha256: "s1" }, { sha256: "s2" }]
    })
    expect(whole.extra?.subtrajectories).toMatchObject([{ step_ids: [1, 2, 3], backend: "b", outcome: "ok" }])
    expect(violations({ root: whole, siblings: new Map() })).toEqual([])
  })

  it("is dd's own words when no prompt was recorded, also for a call that ended at once", () => {
    expect(spoken(root(asked(1), text(1, "x"), turnEnd(1), answered(1)))[0]).toEqual(["user", "prompt 1"])
    expect(spoken(root(asked(1), answered(1, "failed")))[0]).toEqual(["user", "prompt 1"])
  })

  it("comes after the turns before it", () => {
    const first = [asked(1), prompted(1, { user: ["u"] }), text(1, "x"), tool(1, "t1"), turnEnd(1), result(1, "t1")]
    const more = [prompted(1, { user: ["shorter"] }), text(1, "y"), turnEnd(1), answered(1)]
    const whole = root(...first, ...more)
    expect(spoken(whole)).toEqual([
      ["user", "u"],
      ["agent", "x"],
      ["user", "shorter"],
      ["agent", "y"]
    ])
    expect(violations({ root: whole, siblings: new Map() })).toEqual([])
  })

  it("is exported completely when its texts were sent before, and a continued call is part of its conversation", () => {
    const [said, done] = [(call: number) => [text(call, `a${call}`), turnEnd(call)], answered]
    const run = told(
      ...[asked(1), prompted(1, { system: ["s"], user: ["u"] }), ...said(1), done(1, "failed")],
      ...[asked(2), prompted(2, { system: ["#s"], user: ["#u", "again"] }), ...said(2), done(2)],
      ...[asked(3), prompted(3, { user: ["mend it"], continues: true }), ...said(3), done(3)]
    )
    const [first, second, ...none] = conversationsOf(run.root)
    expect(none).toEqual([])
    expect(first?.messages.map(({ content }) => content)).toEqual(["s", "u", "a1"])
    expect(first?.partial).toBe(true)
    expect(second?.messages.map(({ content }) => content)).toEqual(["s", "u\n\nagain", "a2", "mend it", "a3"])
    expect(second?.partial).toBe(false)
    // Each text is in the record once.
    expect(JSON.stringify(run.root.steps.map(({ message }) => message)).split('"u"').length - 1).toBe(1)
  })
})

describe("a conversation", () => {
  it("has its system prompt once, at the top, also when a correction sent it again", () => {
    const system = ["s"]
    const run = told(
      ...[asked(1), prompted(1, { system, user: ["u"] }), text(1, "prose"), turnEnd(1), reply(1), answered(1)],
      ...[asked(2), prompted(2, { system: ["#s"], user: ["once more"], continues: true })],
      ...[text(2, "{}"), turnEnd(2), reply(2), answered(2)]
    )
    const [only, ...none] = conversationsOf(run.root)
    expect(none).toEqual([])
    expect(only?.messages.map(({ content, role }) => `${role}: ${content}`)).toEqual([
      "system: s",
      "user: u",
      "assistant: prose",
      "user: once more",
      "assistant: {}"
    ])
  })

  it("has the result of a failed tool as it was sent", () => {
    const run = root(
      asked(1),
      tool(1, "t1"),
      result(1, "t1", "there is no file a.ts", true),
      tool(1, "t2"),
      result(1, "t2", "text"),
      turnEnd(1),
      text(1, "{}"),
      turnEnd(1),
      reply(1),
      answered(1)
    )
    const tools = conversationsOf(run).flatMap(({ messages }) => messages.filter(({ role }) => role === "tool"))
    expect(tools.map(({ content }) => content)).toEqual(["Error: there is no file a.ts", "text"])
  })

  it("ends with the call that submits the answer, whose result no turn receives", () => {
    const looked = [asked(1), prompted(1, { user: ["u"] }), tool(1, "t1"), turnEnd(1), result(1, "t1", "text")]
    const submitted = [tool(1, "t2"), turnEnd(1), result(1, "t2", "Taken."), reply(1), answered(1)]
    const rolesIn = (run: Trajectory) => conversationsOf(run).map(({ messages }) => messages.map(({ role }) => role))
    expect(rolesIn(root(...looked, ...submitted))).toEqual([["user", "assistant", "tool", "assistant"]])
    // A call that failed may have sent its last results.
    expect(rolesIn(root(...looked, answered(1, "failed")))).toEqual([["user", "assistant", "tool"]])
  })
})

describe("what a run used", () => {
  it("is on the steps: tokens, cached and reasoning tokens among them, and the cost", () => {
    const [step] = agents(root(asked(1), text(1, "x"), measured(1, 10), turnEnd(1), answered(1)))
    expect(JSON.parse(JSON.stringify(step?.metrics))).toEqual({
      prompt_tokens: 10,
      completion_tokens: 2,
      cached_tokens: 1,
      cost_usd: 0.25,
      extra: { reasoning_tokens: 1, cost_source: "reported" }
    })
  })

  it("records on each step whether its cost was reported or computed", () => {
    const { steps } = root(
      asked(1),
      text(1, "x"),
      measured(1, 10, "m1", null, "computed"),
      turnEnd(1),
      text(1, "y"),
      measured(1, 10, "m2", null, "reported"),
      turnEnd(1),
      answered(1)
    )
    expect(steps.slice(1).map(({ metrics }) => metrics?.extra?.cost_source)).toEqual(["computed", "reported"])
  })

  it("of a failed backend is on its own last step, and not on that of its fallback", () => {
    const { final_metrics, steps } = root(
      asked(1),
      text(1, "x"),
      billed(1, 25, 0.5),
      turnEnd(1, "failed"),
      text(1, "y"),
      measured(1, 10),
      turnEnd(1),
      answered(1)
    )
    expect(steps.map(({ metrics }) => metrics?.cost_usd)).toEqual([undefined, 0.5, 0.25])
    expect(final_metrics).toMatchObject({ total_prompt_tokens: 35, total_cost_usd: 0.75 })
  })

  it("is counted once when turns and a closing total both contain it", () => {
    const { final_metrics, steps } = root(
      asked(1),
      text(1, "x"),
      measured(1, 10),
      turnEnd(1),
      text(1, "y"),
      measured(1, 10),
      turnEnd(1),
      billed(1, 25, 0.5),
      answered(1)
    )
    expect(steps.map(({ metrics }) => metrics?.prompt_tokens)).toEqual([undefined, 10, 15])
    expect(final_metrics).toMatchObject({ total_prompt_tokens: 25, total_cost_usd: 0.5, total_completion_tokens: 4 })
  })

  it("on a step has its own source, also after a part of unknown cost", () => {
    const whole = root(
      ...[asked(1), announced(1), turnEnd(1, "failed")],
      ...[announced(1), text(1, "x"), measured(1, 10), turnEnd(1), billed(1, 10, 0.5), answered(1)]
    )
    expect(agents(whole).map(({ metrics }) => metrics?.extra?.cost_source)).toEqual([undefined, "reported"])
    expect(whole.final_metrics?.extra).toMatchObject({ cost_source: "unknown" })
  })

  it("of a message that is measured again behind its turn stays with that turn", () => {
    const { steps } = root(asked(1), text(1, "x"), measured(1, 4, "m1"), turnEnd(1), measured(1, 10, "m1"), answered(1))
    expect(steps.map(({ metrics }) => metrics?.prompt_tokens)).toEqual([undefined, 10])
  })

  it("is the sum over the run's own steps and its siblings'", () => {
    const { root: own, siblings } = told(
      asked(1),
      measured(1, 1),
      answered(1),
      asked(2, "per-stack-reviews", "deep-go"),
      measured(2, 10),
      answered(2),
      asked(3, "per-stack-reviews", "deep-python"),
      measured(3, 100),
      answered(3)
    )
    expect(own.final_metrics).toMatchObject({
      total_prompt_tokens: 111,
      extra: { cost_source: "reported", daydream_metric_scope: "whole_run_including_forks", total_reasoning_tokens: 3 }
    })
    expect([...siblings.values()].map(({ final_metrics }) => final_metrics?.total_prompt_tokens)).toEqual([10, 100])
  })

  it("that is not known is left out, never zero", () => {
    expect(JSON.stringify(root(asked(1), text(1, "x"), answered(1)).final_metrics)).not.toContain("prompt")
  })
})

describe("agents beside each other", () => {
  const fanOut = [
    asked(1, "intent"),
    text(1, "i"),
    answered(1),
    stepStarted("per-stack-reviews"),
    asked(2, "per-stack-reviews", "deep-go"),
    asked(3, "per-stack-reviews", "deep-python"),
    text(3, "p"),
    text(2, "g"),
    answered(3),
    answered(2),
    stepEnded("per-stack-reviews")
  ]

  it("are recorded in siblings, and the run refers to each of them", () => {
    const { root: own, siblings } = told(...fanOut, ended)
    expect([...siblings].map(([name, { steps }]) => [name, steps.map(({ message }) => message)])).toEqual([
      ["deep-go", ["prompt 2", "g"]],
      ["deep-python", ["prompt 3", "p"]]
    ])
    const last = own.steps.at(-1)
    expect(last?.message).toBe("Dispatching 2 parallel deep tasks")
    expect(JSON.parse(JSON.stringify(last?.observation?.results))).toEqual(
      ["deep-go", "deep-python"].map((name) => ({
        content: `Dispatched to ${name}`,
        subagent_trajectory_ref: [{ session_id: session, trajectory_path: `trajectories/${name}.json` }]
      }))
    )
  })

  it("are one step of the run, whenever an agent of another step begins", () => {
    for (let place = 4; place < fanOut.length; place++) {
      const other = [asked(9, "alternatives"), text(9, "a"), answered(9)]
      const { root: own } = told(...fanOut.slice(0, place), ...other, ...fanOut.slice(place), ended)
      const dispatches = own.steps
        .map(({ message }) => String(message))
        .filter((each) => each.startsWith("Dispatching"))
      expect(dispatches).toEqual(["Dispatching 2 parallel deep tasks"])
    }
  })

  it("that are still running when the record ends are recorded as far as they came, and referred to", () => {
    const all = told(...fanOut.slice(0, 8))
    expect([...all.siblings.values()].map((each) => agents(each).map(({ extra }) => extra?.partial_step))).toEqual([
      [true],
      [true]
    ])
    expect([all.root, ...all.siblings.values()].map(({ extra }) => extra?.partial)).toEqual([true, true, true])
    expect(all.root.steps.at(-1)?.message).toContain("Dispatching 2")
    expect(violations(all)).toEqual([])
  })

  it("never share a trajectory, whatever they are called", () => {
    const { siblings } = told(
      asked(1, "a"),
      asked(2, "b"),
      asked(3, "x", "fix src/a.py"),
      asked(4, "x", "fix-src-a-py"),
      asked(5, "x", "fix src/a.py"),
      answered(3),
      asked(6, "x", "fix src/a.py")
    )
    expect(
      [...siblings].map(([name, { extra, steps }]) => [
        name,
        extra?.descriptor,
        steps.filter((s) => s.source === "user").length
      ])
    ).toEqual([
      ["b", "b", 1],
      ["fix-src-a-py", "fix src/a.py", 2],
      ["fix-src-a-py-2", "fix-src-a-py", 1],
      ["fix-src-a-py-3", "fix src/a.py", 1]
    ])
  })
})

describe("a run", () => {
  it("that called no model still has a record", () => {
    const whole = trajectoriesOf([begun])
    expect(whole.root.steps.map(({ source, message }) => [source, message])).toEqual([
      ["system", "The run ended before an agent was called."]
    ])
    expect(violations(whole)).toEqual([])
  })

  it("keeps its steps, what was skipped and what was degraded in extra", () => {
    const { extra } = root(
      stepStarted("intent"),
      stepEnded("intent"),
      { _tag: "StepSkipped", step: "fix", reason: "not in this build" },
      { _tag: "Degraded", step: "arbiter", error: "BackendFailed", detail: "down" },
      ended
    )
    expect(extra?.phase_events).toEqual([
      { phase: "intent", event: "phase_start", timestamp: timeOf(2) },
      { phase: "intent", event: "phase_end", timestamp: timeOf(3) },
      { phase: "fix", event: "phase_skipped", timestamp: timeOf(4), metadata: { reason: "not in this build" } }
    ])
    expect(extra?.degraded).toEqual([{ step: "arbiter", error: "BackendFailed", detail: "down", timestamp: timeOf(5) }])
    expect([extra?.status, extra?.findings, extra?.partial]).toEqual(["complete", 2, undefined])
  })

  it("counts the lines that cannot be read, and is made without them", () => {
    const whole = trajectoriesOf([begun, null, ...journalOf([asked(1), text(1, "x")]), null])
    expect(whole.root.extra?.unreadable_lines).toBe(2)
    expect(violations(whole)).toEqual([])
  })
})

// Few calls, few ids, few forks: or generated events never meet.
const call = Schema.Literals([1, 2, 3])
const id = Schema.Literals(["a", "b"])
const chosen = Schema.Union([
  Schema.Struct({ of: Schema.Literals(["text", "thinks", "turnEnd", "answered", "failed", "reply"]), call }),
  Schema.Struct({ of: Schema.Literals(["tool", "result"]), call, id }),
  Schema.Struct({
    of: Schema.Literals(["asked"]),
    call,
    fork: Schema.NullOr(Schema.Literals(["deep-go", "deep go", "é"]))
  }),
  Schema.Struct({ of: Schema.Literals(["measured", "billed"]), call, n: Schema.Literals([0, 1, 7, 100]) }),
  Schema.Struct({ of: Schema.Literals(["stepEnded", "ended", "torn"]) })
])

const eventOf = (choice: typeof chosen.Type): RunEvent | null => {
  switch (choice.of) {
    case "text":
      return text(choice.call, "words ")
    case "thinks":
      return thinks(choice.call, "thought")
    case "turnEnd":
      return turnEnd(choice.call, "end_turn")
    case "answered":
      return answered(choice.call)
    case "failed":
      return answered(choice.call, "failed")
    case "reply":
      return reply(choice.call, { ok: true })
    case "tool":
      return tool(choice.call, choice.id)
    case "result":
      return result(choice.call, choice.id)
    case "asked":
      return asked(choice.call, "intent", choice.fork)
    case "measured":
      return measured(choice.call, choice.n, "m")
    case "billed":
      return billed(choice.call, choice.n, choice.n / 7)
    case "stepEnded":
      return stepEnded("x")
    case "ended":
      return ended
    case "torn":
      return null
  }
}

const lines = (choices: ReadonlyArray<typeof chosen.Type>) => [
  begun,
  ...choices.map((choice, at) => {
    const event = eventOf(choice)
    // A clock that goes back now and then.
    return event === null ? null : { at: timeOf(at % 7 === 6 ? at - 5 : at), event }
  })
]

describe("any journal", () => {
  it.prop("makes trajectories in which nothing is wrong", Schema.Array(chosen), (choices) => {
    expect(violations(trajectoriesOf(lines(choices)))).toEqual([])
  })

  it.prop("loses no word, no tool call and no result", Schema.Array(chosen), (choices) => {
    const { root, siblings } = trajectoriesOf(lines(choices))
    const steps = [root, ...siblings.values()].flatMap((each) => each.steps)
    const said =
      steps
        .map(({ message }) => message)
        .join("")
        .split("words ").length - 1
    const thought =
      steps
        .map(({ reasoning_content }) => reasoning_content ?? "")
        .join("")
        .split("thought").length - 1
    const calls = steps.flatMap(({ extra, tool_calls }) => [tool_calls ?? [], extra?.repeated_tool_calls ?? []].flat())
    const results = JSON.stringify(steps).split('"output of ').length - 1
    const count = (of: string) => choices.filter((choice) => choice.of === of).length
    expect([said, thought, calls.length, results]).toEqual([
      count("text"),
      count("thinks"),
      count("tool"),
      count("result")
    ])
  })

  it.prop("is in the order of time", Schema.Array(chosen), (choices) => {
    const { root, siblings } = trajectoriesOf(lines(choices))
    for (const { steps } of [root, ...siblings.values()]) {
      const times = steps.map(({ timestamp }) => timestamp ?? "")
      expect(times).toEqual(times.toSorted())
    }
  })

  it.prop("reads back as it was written, without a field that is not the format's", Schema.Array(chosen), (choices) => {
    const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Trajectory), { onExcessProperty: "error" })
    const { root } = trajectoriesOf(lines(choices))
    expect(JSON.stringify(decode(JSON.parse(JSON.stringify(root))))).toBe(JSON.stringify(root))
  })
})

describe("a sibling's name", () => {
  it("has lower case letters, digits and single hyphens", () => {
    expect(["deep-C++ / É", "--a__b--", "***", "x".repeat(300)].map(slugOf)).toEqual([
      "deep-c",
      "a-b",
      "agent",
      "x".repeat(100)
    ])
  })
})
