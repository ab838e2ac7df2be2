import { describe, expect, test } from "bun:test"
import type { SessionEvent } from "../../../src/domain/dream/SessionEvent.ts"
import { busyUntil, outcomeAt, viewOfSession } from "../../../src/domain/dream/viewOfSession.ts"
import { deny, edit, eventsOf, fail, prompt, read, run } from "../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const viewOf = (...parts: ReadonlyArray<Given[number] | Given>) => viewOfSession(eventsOf(parts.flat()))!
const times = (count: number, make: (at: number) => Given): Given =>
  Array.from({ length: count }, (_, at) => make(at)).flat()
const last = <A>(values: ReadonlyArray<A>): A => values.at(-1)!

describe("turns and steps", () => {
  test("a turn begins with a prompt, a step is a call with its result", () => {
    const view = viewOf({ kind: "session_start" }, prompt(), read("a.ts"), edit("a.ts"), prompt(), run("bun test"))
    expect(view.turns).toBe(2)
    expect(view.steps.map(({ action, result, step, turn }) => [step, turn, action, result])).toEqual([
      [1, 1, "read", "ok"],
      [2, 1, "edit", "ok"],
      [3, 2, "run", "ok"]
    ])
    expect(view.samples.map(({ step }) => step)).toEqual([0, 1, 2, 3])
    expect(view.goal).toContain("parser of dates")
  })

  test("calls at the same time are paired by their id", () => {
    const [a, b] = [read("a.ts"), read("b.ts")]
    const view = viewOf(a[0]!, b[0]!, b[1]!, a[1]!)
    expect(view.steps.map(({ files, result }) => [files[0], result])).toEqual([
      ["a.ts", "ok"],
      ["b.ts", "ok"]
    ])
  })

  test("a result without a beginning is a step, a beginning without a result is in flight", () => {
    expect(viewOf(read("a.ts")[1]!).steps).toHaveLength(1)
    expect(viewOf(read("a.ts")[0]!).steps[0]?.result).toBe("in flight")
  })

  test("a failure counts as what the output says of the check, if the exit code is not that of the check", () => {
    const shown = (told: Pick<SessionEvent, "verdict">) => {
      const failed = run("npm test | grep -c x", { kind: "tool_fail", error: "x", ...told })
      const { milestones, steps } = viewOf(prompt(), failed)
      return [steps[0]?.result, steps[0]?.error?.masked, milestones.length]
    }
    expect(shown({ verdict: "passed" })).toEqual(["ok", undefined, 1])
    expect(shown({ verdict: "unknown" })).toEqual(["unknown", undefined, 0])
    expect(shown({ verdict: "failed" })).toEqual(["failed", "x", 0])
    expect(shown({})).toEqual(["failed", "x", 0])
  })

  describe("the exit code 1 of a search or a comparison", () => {
    const resultOf = (command: string, exit: number) => {
      const view = viewOf(prompt(), run(command, { kind: "tool_fail", error: `Exit code ${exit}`, exit }))
      return [view.steps[0]?.result, last(view.samples).errors]
    }
    const questions = [
      "grep -rn TODO src",
      "rg foo",
      "cat a.txt | grep foo",
      "cd web && git grep foo",
      "which foo",
      "command -v foo",
      "diff a b",
      "git diff --exit-code",
      "pgrep -f vite",
      "pkill -f vite",
      "test -f a && echo yes",
      "[ -d node_modules ]",
      "[[ -n $A ]]"
    ]
    for (const command of questions)
      test(`is an answer: ${command}`, () => expect(resultOf(command, 1)).toEqual(["ok", 0]))

    test("through xargs is 123", () => {
      expect(resultOf("find . -name x | xargs -0 grep foo", 123)).toEqual(["ok", 0])
    })

    test("is none of other programs, nor is another exit code", () => {
      for (const command of ["npm test", "cat nope", "grep foo a && npm test", "grep foo a; node a.js"])
        expect(resultOf(command, 1)).toEqual(["failed", 1])
      expect(resultOf("grep foo nope", 2)).toEqual(["failed", 1])
    })
  })

  describe("a check in the background", () => {
    const start = (task = "b1", command = "npm test") => run(command, { task, verdict: "unknown" })
    const ask = (end: Partial<SessionEvent> = {}): Given => [
      { kind: "tool_ok", tool: "TaskOutput", action: "other", task: "b1", ...end }
    ]
    const notice = (end: Partial<SessionEvent>): Given => [{ kind: "task_end", task: "b1", ...end }]
    const failed = { verdict: "failed", error: "TypeError: x" } as const
    const ofCommand = (...parts: ReadonlyArray<Given>) => {
      const { milestones, steps, turns } = viewOf(prompt(), edit("a.ts"), start(), ...parts)
      return [steps[1]?.result, steps[1]?.error?.masked, milestones.length, turns]
    }

    test("is unknown until something tells its end, and then has its result", () => {
      expect(ofCommand()).toEqual(["unknown", undefined, 0, 1])
      expect(ofCommand(ask())).toEqual(["unknown", undefined, 0, 1])
      expect(ofCommand(ask(), ask(failed))).toEqual(["failed", "TypeError: x", 0, 1])
      expect(ofCommand(ask({ verdict: "passed" }))).toEqual(["ok", undefined, 1, 1])
      expect(ofCommand(notice({ verdict: "failed" }), ask(failed), ask(failed))).toEqual([
        "failed",
        "TypeError: x",
        0,
        1
      ])
      expect(ofCommand(notice({ verdict: "passed", task: "b2" }))).toEqual(["unknown", undefined, 0, 1])
    })

    test("whose exit code is hidden stays unknown", () => {
      for (const verdict of ["passed", "failed"] as const) {
        const view = viewOf(prompt(), start("b1", "npm test | tee log"), ask({ verdict }))
        expect(view.steps.map(({ result }) => result)).toEqual(["unknown", "ok"])
      }
    })

    test("fails, and not the call that asks for it", () => {
      expect(viewOf(prompt(), start(), ask(failed)).steps.map(({ result }) => result)).toEqual(["failed", "ok"])
    })

    test("leaves an error open, and is no check that passed", () => {
      const view = viewOf(prompt(), fail("npm test", "Exit code 1\nTypeError: x"), edit("a.ts"), start())
      expect(view.milestones).toEqual([])
      expect(last(view.samples)).toMatchObject({ errors: 1, debt: 1 })
    })
  })

  test("no events, no view", () => expect(viewOfSession([])).toBeNull())
})

describe("figures", () => {
  test("failures lower trust, a check that succeeds restores it", () => {
    const view = viewOf(
      prompt(),
      edit("a.ts"),
      fail("bun test", "Error: no"),
      fail("bun test", "Error: no"),
      run("bun test")
    )
    const [, afterEdit, first, second, green] = view.samples
    expect(first!.trust).toBeLessThan(afterEdit!.trust)
    expect(second!.trust).toBeLessThan(first!.trust)
    expect(green).toMatchObject({ errors: 0, debt: 0, trust: 100 })
    expect(view.milestones).toEqual([{ step: 4, turn: 1, what: "test" }])
  })

  test("debt counts edits that no check has confirmed; a commit confirms nothing", () => {
    const view = viewOf(prompt(), edit("a.ts"), edit("b.ts"), run("git commit -m 'a'"), run("tsc"))
    expect(view.samples.map(({ debt }) => debt)).toEqual([0, 1, 2, 2, 0])
    expect(view.commits).toEqual(["a"])
  })

  test("a check behind a pipe counts as its output says", () => {
    const piped = (verdict: NonNullable<SessionEvent["verdict"]>) =>
      viewOf(prompt(), run("npm test | tail", { verdict }))
    expect(piped("passed").milestones).toHaveLength(1)
    expect(piped("unknown").milestones).toHaveLength(0)
    expect(last(piped("failed").samples).errors).toBe(1)
  })

  test("reading in ever new folders lowers focus", () => {
    const view = viewOf(
      prompt(),
      times(8, (at) => read(`d${at}/a.ts`))
    )
    expect(last(view.samples).focus).toBeLessThan(40)
    expect(view.samples[1]!.focus).toBe(100)
  })

  test("figures stay between 0 and 100", () => {
    const view = viewOf(
      prompt(),
      times(60, (at) => [...fail(`c${at % 4}`, "no"), ...edit(`d${at}/x.ts`)])
    )
    for (const { focus, trust } of view.samples) {
      expect(trust).toBeGreaterThanOrEqual(0)
      expect(focus).toBeGreaterThanOrEqual(0)
      expect(Math.max(trust, focus)).toBeLessThanOrEqual(100)
    }
  })
})

describe("health", () => {
  test("a session warms up, and is productive once it edits for three judgements", () => {
    const view = viewOf(times(8, (at) => [prompt(), ...(at === 0 ? read("a.ts") : edit("a.ts"))]))
    expect(view.health.map(({ phase }) => phase)).toEqual(["Warmup", "Productive"])
  })

  test("reads without edits are exploring; more and more errors are struggling", () => {
    const exploring = viewOf(
      [prompt(), ...edit("a.ts")],
      times(12, (at) => [prompt(), ...read(`a${at}.ts`)])
    )
    expect(exploring.health.map(({ phase }) => phase)).toContain("Exploring")
    const struggling = viewOf(
      [prompt(), ...edit("a.ts")],
      times(12, () => [prompt(), ...fail("bun test", "no")])
    )
    expect(last(struggling.health).phase).toBe("Struggling")
  })

  test("a long session is late at once, also one prompt with many calls", () => {
    const turns = viewOf(times(60, () => [prompt(), ...edit("a.ts")]))
    expect(last(turns.health)).toMatchObject({ phase: "Late", turn: 50 })
    const one = viewOf(
      prompt(),
      times(600, () => edit("a.ts"))
    )
    expect(last(one.health).phase).toBe("Late")
    expect(last(one.health).step).toBe(491)
  })
})

describe("activity", () => {
  test("orientation, building, verifying, wrapping", () => {
    const view = viewOf(
      prompt(),
      times(4, (at) => read(`a${at}.ts`)),
      times(6, (at) => edit(`a${at}.ts`)),
      times(9, () => run("bun test")),
      times(3, () => run("git commit -m 'x'"))
    )
    const phases = view.activity.map(({ phase }) => phase)
    expect(phases[0]).toBe("Orientation")
    expect(phases.indexOf("Building")).toBeLessThan(phases.indexOf("Verifying"))
    expect(last(phases)).toBe("Wrapping")
  })

  test("one step of another kind changes nothing", () => {
    const view = viewOf(
      prompt(),
      times(8, (at) => edit(`a${at}.ts`)),
      run("bun test"),
      times(4, (at) => edit(`b${at}.ts`))
    )
    expect(view.activity.map(({ phase }) => phase)).toEqual(["Orientation", "Building"])
  })
})

describe("loops", () => {
  const kinds = (...parts: ReadonlyArray<Given[number] | Given>) =>
    new Set(viewOf(prompt(), ...parts).loops.map(({ kind }) => kind))

  test("each detector finds its repetition", () => {
    expect(kinds(times(7, (at) => read(`a${at}.ts`)))).toContain("read spiral")
    expect(kinds(times(9, (at) => read(`a${at}.ts`)))).toContain("low entropy")
    expect(kinds(times(2, () => [...edit("a.ts"), ...fail("bun test", "no")]))).toContain("alternation")
    expect(kinds(times(2, () => [...edit("a.ts"), ...fail("bun test", "no"), ...read("b.ts")]))).toContain("cycle")
    expect(kinds(times(9, (at) => fail(`node a${at}.js`, "no")))).toContain("stuck")
    expect(kinds(times(5, () => [...read("a.ts"), ...fail("node x.js", "no")]))).toContain("low novelty")
    expect(kinds(times(3, () => fail("node x.js", "no")))).toContain("retry")
    expect(kinds(times(4, (at) => fail(`grep -rn thing src lib test --include=${at % 3}`, "no")))).toContain(
      "similar commands"
    )
    expect(kinds(times(3, () => [...read("a.ts"), ...run("ls")]))).toContain("same call")
    expect(kinds(times(3, () => [...edit("a.ts"), ...fail("node x.js", "no")]))).toContain("same command fails")
    expect(kinds(times(12, () => [...edit("a.ts"), ...fail("node x.js", "no")]))).toContain("likely failure")
    const output = { text: { hash: "h", bytes: 1, start: "x" } }
    expect(kinds(run("ls", output), run("ls", output))).toContain("same output")
  })

  test("editing and testing successfully is no loop, however often", () => {
    expect(kinds(times(12, (at) => [...edit(`a${at}.ts`), ...run("bun test")]))).toEqual(new Set())
  })

  test("a loop closes when the session leaves it", () => {
    const { loops } = viewOf(
      prompt(),
      times(3, () => fail("node x.js", "no")),
      edit("a.ts")
    )
    expect(loops.find(({ kind }) => kind === "retry")).toMatchObject({ firstStep: 1, openedAt: 3, closedAt: 4 })
    const open = viewOf(
      prompt(),
      times(3, () => fail("node x.js", "no"))
    )
    expect(open.loops.find(({ kind }) => kind === "retry")?.closedAt).toBeNull()
  })
})

describe("the end", () => {
  const ended = (reason: string, ...before: Given) => eventsOf([prompt(), ...before, { kind: "session_end", reason }])

  test("an end that was meant is clean, an open call is an interruption", () => {
    expect(viewOfSession(ended("clear"))?.outcome).toBe("clean")
    expect(viewOfSession(ended("other", { kind: "stop" }))?.outcome).toBe("clean")
    expect(viewOfSession(ended("other"))?.outcome).toBe("interrupted")
    expect(viewOfSession(ended("clear", read("a.ts")[0]!))?.outcome).toBe("interrupted")
    expect(viewOfSession(ended("other", { kind: "stop_fail" }))?.outcome).toBe("failed")
  })

  test("a session that is resumed after its end is open again", () => {
    const events = eventsOf([prompt(), { kind: "session_end", reason: "clear" }, { kind: "session_start" }, prompt()])
    expect(viewOfSession(events)).toMatchObject({ outcome: "open", endedAt: null })
  })

  test("silence ends a session; Codex never says so", () => {
    const events = eventsOf([prompt(), { kind: "stop" }])
    const view = viewOfSession(events)!
    const later = view.lastAt + 31 * 60_000
    expect(outcomeAt(view, events, view.lastAt + 60_000)).toBe("open")
    expect(outcomeAt(view, events, later)).toBe("interrupted")
    expect(outcomeAt({ ...view, host: "codex" }, events, later)).toBe("clean")
  })

  test("a call is in flight until its result or its timeout", () => {
    const [begun, done] = run("bun test")
    const events = eventsOf([prompt(), { ...begun!, timeout: 300_000 }])
    const at = events[1]!.at
    expect(busyUntil(events)).toBe(at + 300_000)
    expect(busyUntil(eventsOf([prompt(), begun!, done!]))).toBe(0)
    expect(busyUntil(eventsOf([prompt(), { kind: "stop", background: 2 }]))).toBe(Number.POSITIVE_INFINITY)
    const resumed = [begun!, { kind: "session_end" as const }, prompt(), { ...begun!, call: "other", timeout: 1_000 }]
    expect(busyUntil(eventsOf(resumed))).toBe(eventsOf(resumed)[3]!.at + 1_000)
  })
})

test("denied calls are kept", () => {
  const view = viewOf(prompt(), edit("a.ts"), deny("rm -rf /"))
  expect(view.denials).toEqual([{ step: 2, turn: 1, tool: "Bash", family: "rm" }])
})
