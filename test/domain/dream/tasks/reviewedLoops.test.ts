import { describe, expect } from "bun:test"
import { reviewedLoops } from "../../../../src/domain/dream/tasks/reviewedLoops.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, fail, prompt, read, run } from "../../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const reviewed = (...parts: ReadonlyArray<Given[number] | Given>) =>
  reviewedLoops(viewOfSession(eventsOf([prompt(), ...parts].flat()))!)
const times = (count: number, make: (at: number) => Given): Given =>
  Array.from({ length: count }, (_, at) => make(at)).flat()
const retries = times(3, (at) => fail("bun test", `Error: no ${at}`))
const retry = (...parts: ReadonlyArray<Given[number] | Given>) =>
  reviewed(retries, ...parts).filter(({ kind }) => kind === "retry")

describe("a loop", () => {
  it("is resolved if what failed in it succeeds afterwards, with the step that left it", () => {
    expect(retry(edit("src/a.ts"), run("bun test"))).toEqual([
      { kind: "retry", key: "bun test", openedAt: 3, resolved: true, escape: "edit the source" }
    ])
  })

  it("is unresolved if the session ends in it, or goes on without a success", () => {
    expect(retry()).toMatchObject([{ resolved: false, escape: null }])
    expect(retry(edit("src/a.ts"), run("tsc"))).toMatchObject([{ resolved: false, escape: "edit the source" }])
  })

  it("is unresolved if it fails again within ten steps, and resolved if later", () => {
    const again = (count: number) =>
      retry(
        edit("src/a.ts"),
        run("bun test"),
        times(count, (at) => edit(`b${at}.ts`)),
        fail("bun test", "Error: no")
      )
    expect(again(8)).toMatchObject([{ resolved: false }])
    expect(again(11)).toMatchObject([{ resolved: true }])
  })

  it("of reads is resolved when the session goes on to something else", () => {
    const reads = times(7, (at) => read(`a${at}.ts`))
    const kinds = (...parts: ReadonlyArray<Given[number] | Given>) =>
      reviewed(...parts).filter(({ kind }) => kind === "read spiral")
    expect(kinds(reads, edit("a.ts"))).toMatchObject([{ resolved: true, escape: "edit the source" }])
    expect(kinds(reads)).toMatchObject([{ resolved: false, escape: null }])
  })

  it("has one verdict for each kind and key: that of the last such loop", () => {
    const twice = reviewed(
      retries,
      edit("src/a.ts"),
      run("bun test"),
      times(12, (at) => edit(`b${at}.ts`)),
      retries
    )
    expect(twice.filter(({ kind }) => kind === "retry")).toMatchObject([{ key: "bun test", resolved: false }])
  })

  it("is told before others if it is unresolved, and at most twenty are told", () => {
    const many = times(30, (at) => times(3, () => fail(`${"x".repeat(at + 1)}`, "Error: no")))
    const all = reviewed(many, run("x"), edit("a.ts"))
    expect(all).toHaveLength(20)
    expect(all.every(({ resolved }) => !resolved)).toBe(true)
  })
})
