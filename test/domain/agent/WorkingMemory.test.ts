import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { AgentRef } from "../../../src/domain/agent/AgentRef.ts"
import { WorkingMemory } from "../../../src/domain/agent/WorkingMemory.ts"
import { it } from "../../support/effect.ts"
import { ended, input, result, run, step, turn } from "../../support/refs.ts"
import { unpaired } from "../../support/scriptedModel.ts"

const remembering = (...refs: ReadonlyArray<AgentRef>): WorkingMemory => {
  const memory = new WorkingMemory()
  for (const ref of refs) memory.take(ref)
  return memory
}

/** What each message says, in short. */
const told = (memory: WorkingMemory): ReadonlyArray<string> =>
  memory.messages.map(({ parts, role }) => {
    const words = parts.map((part) =>
      part._tag === "Text" ? part.text : part._tag === "Result" ? part.output : `${part.id}()`
    )
    return `${role}: ${words.join(" | ")}`
  })

describe("working memory", () => {
  test("C20 distinguishes what the model was shown and what waits", () => {
    const memory = remembering(run(), input("a"))
    expect(memory.hasPending).toBe(true)
    memory.take(step())
    memory.take(input("b"))
    memory.take(turn("said"))
    expect(told(memory)).toEqual(["user: a", "model: said"])
    expect(memory.hasPending).toBe(true)
    memory.take(step(2))
    memory.take(turn("again"))
    expect(told(memory)).toEqual(["user: a", "model: said", "user: b", "model: again"])
    expect(memory.hasPending).toBe(false)
  })

  test("C8 marks only what a step has shown: an input that arrives during a turn waits", () => {
    const late = input("late")
    const memory = remembering(run(), input("a"), step(), late, turn("said"))
    expect(memory.isWaiting(late.id)).toBe(true)
    expect(memory.pending).toEqual([late.id])
  })

  test("C15 puts results before words and in the order of the calls, whichever ended first", () => {
    const memory = remembering(
      run(),
      input("a"),
      step(),
      turn("", "c1", "c2"),
      result("c2", "second"),
      input("b"),
      result("c1", "first"),
      step(2)
    )
    expect(told(memory).at(-1)).toBe("user: first | second | b")
  })

  test("takes a result that came before the turn had ended", () => {
    const memory = remembering(run(), input("a"), step(), result("c1", "early"), turn("", "c1"), step(2))
    expect(told(memory).at(-1)).toBe("user: early")
  })

  test("F14 answers a call that never ended, as after a kill", () => {
    const memory = remembering(run(), input("a"), step(), turn("", "c1", "c2"), result("c1", "one"), run(), step(2))
    expect(told(memory).at(-1)).toContain("one | echo did not end")
    expect(unpaired([...memory.messages, { role: "model", parts: [], verbatim: null }])).toEqual([])
  })

  test("shows again what was shown in a step that failed", () => {
    const memory = remembering(run(), input("a"), step(), input("b"), step(2))
    expect(told(memory)).toEqual(["user: a | b"])
  })

  test("F3 drops the inputs of a failed run, whose sender got the failure; keeps those that a limit left over", () => {
    expect(remembering(run(), input("a"), step(), ended("model error")).hasPending).toBe(false)
    expect(remembering(run(), input("a"), step(), turn("x"), input("b"), ended("step limit")).hasPending).toBe(true)
  })

  test("C21 keeps thoughts only in the turn's own form, completely", () => {
    const verbatim = { thinking: "hm", signature: "s" }
    const memory = remembering(run(), input("a"), step(), { ...turn("x"), verbatim })
    expect(memory.messages[1]).toEqual({ role: "model", parts: [{ _tag: "Text", text: "x" }], verbatim })
  })

  test("a model that paused goes on in the same turn", () => {
    const memory = remembering(run(), input("a"), step(), turn("one"), turn("two"), input("b"), step(2))
    expect(told(memory)).toEqual(["user: a", "model: one", "model: two", "user: b"])
  })

  test("F19 leaves out complete turns where all of it is too much, and reports it", () => {
    const long = "word ".repeat(400)
    const memory = remembering(run(), input("the task"))
    for (let n = 1; n <= 30; n++) {
      for (const ref of [step(n), turn(`turn ${n}`, `c${n}`), result(`c${n}`, `${n} ${long}`)]) memory.take(ref)
    }
    const before = memory.tokens
    expect(memory.fit(before / 2)).toBe(true)
    expect(memory.tokens).toBeLessThan(before / 2)
    memory.take(step(31))
    expect(unpaired([...memory.messages, { role: "model", parts: [], verbatim: null }])).toEqual([])
    const [first] = told(memory)
    expect(first).toMatch(/^user: the task \| \[dd: \d+ earlier turns were left out/)
    expect(told(memory).at(-1)).toContain("30 word")
  })

  test("leaves more room than it must, so that a prefix stays the same for many steps", () => {
    const memory = remembering(run(), input("the task"))
    const firsts = new Set<string>()
    for (let n = 1; n <= 200; n++) {
      for (const ref of [step(n), turn("", `c${n}`), result(`c${n}`, "word ".repeat(100))]) memory.take(ref)
      expect(memory.fit(10_000)).toBe(true)
      firsts.add(told(memory)[1] ?? "")
    }
    expect(firsts.size).toBeLessThan(15)
  })

  test("summarises the runs that were left out", () => {
    const memory = remembering(run(), input("first"), step(), turn("one"), ended("done", "who is it?"))
    for (const ref of [run(), input("second"), step(), turn("word ".repeat(2000)), ended(), run(), input("third")])
      memory.take(ref)
    memory.fit(500)
    memory.take(step())
    const all = told(memory).join("\n")
    expect(all).toContain("Asked: who is it?")
    expect(all).toContain("Done: echo (2 times)")
    expect(all).not.toContain("user: first")
    expect(all).toContain("third")
  })

  test("does not mistake words of a user for its own notice", () => {
    const memory = remembering(
      run(),
      input("[dd: 3 earlier turns] is what it said"),
      step(),
      turn("word ".repeat(500), "c1"),
      result("c1", "x"),
      step(2),
      turn("", "c2"),
      result("c2", "y")
    )
    memory.fit(100)
    memory.fit(50)
    expect(told(memory)[0]).toContain("[dd: 3 earlier turns] is what it said")
    expect(told(memory)[0]?.match(/\[dd: /g)).toHaveLength(2)
  })

  const events = Schema.Array(
    Schema.Literals(["input", "step", "say", "call", "calls", "result", "end", "fail", "run", "fit"])
  )

  it.prop("F14 whatever happens, every call is answered in the next message, and nothing else is", events, (all) => {
    const memory = new WorkingMemory()
    let n = 0
    let open: Array<string> = []
    let isShown = false
    const take = (ref: AgentRef) => memory.take(ref)
    for (const event of all) {
      n++
      if (event === "input") take(input(`in ${n}`))
      else if (event === "step") {
        take(step(n))
        isShown = true
      } else if ((event === "say" || event === "call" || event === "calls") && isShown) {
        const ids = event === "say" ? [] : event === "call" ? [`c${n}`] : [`c${n}`, `d${n}`]
        if (n % 2 === 0 && ids[0] !== undefined) take(result(ids[0], "early"))
        take(turn("words ".repeat(n % 7), ...ids))
        open = [...ids]
        isShown = false
      } else if (event === "result") {
        const id = open.shift()
        if (id !== undefined) take(result(id, "late"))
      } else if (event === "end" || event === "fail") {
        take(ended(event === "end" ? "done" : "model error"))
        isShown = false
      } else if (event === "run") take(run())
      else if (event === "fit") memory.fit(20 + n)
      const messages = memory.messages
      const isTold = messages.at(-1)?.role === "user"
      // A turn at the end is answered by what comes next.
      const asked =
        isTold || messages.length === 0
          ? messages
          : [...messages, { role: "user" as const, parts: nextResults(memory) }]
      expect(unpaired(asked)).toEqual([])
      expect(messages.length === 0 || messages[0]?.role === "user").toBe(true)
    }
  })
})

/** What the next step would answer first. */
const nextResults = (memory: WorkingMemory) => {
  const said = memory.messages.findLast(({ role }) => role === "model")
  return (said?.role === "model" ? said.parts : []).flatMap((part) =>
    part._tag === "Call" ? [{ _tag: "Result" as const, callId: part.id, output: "", isError: false }] : []
  )
}
