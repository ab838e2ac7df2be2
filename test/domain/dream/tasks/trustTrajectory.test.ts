import { describe, expect } from "bun:test"
import { trustTrajectory } from "../../../../src/domain/dream/tasks/trustTrajectory.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, fail, prompt, read, run } from "../../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const viewOf = (...parts: ReadonlyArray<Given[number] | Given>) => viewOfSession(eventsOf([prompt(), ...parts].flat()))!
const times = (count: number, make: (at: number) => Given): Given =>
  Array.from({ length: count }, (_, at) => make(at)).flat()

describe("the trust trajectory", () => {
  it("has the start, each change of phase and the end", () => {
    const view = viewOf(
      times(4, (at) => read(`a${at}.ts`)),
      times(6, (at) => edit(`a${at}.ts`)),
      fail("tsc", "Error: no")
    )
    const { points } = trustTrajectory(view)
    const changes = [...view.health, ...view.activity].map(({ step }) => step)
    expect(new Set(points.map(({ step }) => step))).toEqual(new Set([0, ...changes, view.steps.length]))
    expect(points.at(-1)).toMatchObject({
      trust: view.samples.at(-1)!.trust,
      debt: 6,
      phase: view.health.at(-1)!.phase
    })
  })

  it("has minimum, mean, end and gain of trust", () => {
    const view = viewOf(
      edit("a.ts"),
      times(4, () => fail("tsc", "Error: no"))
    )
    const values = view.samples.map(({ trust }) => trust)
    const trust = trustTrajectory(view)
    expect(trust).toMatchObject({ min: Math.min(...values), end: values.at(-1)!, delta: values.at(-1)! - values[0]! })
    expect(trust.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 1)
  })

  it("is there for a session without a call", () => {
    expect(trustTrajectory(viewOf())).toMatchObject({ points: [{ step: 0 }], delta: 0 })
  })

  it("has at most 24 points in order, the first and the last step among them", () => {
    const busy = viewOf(
      times(20, (round) => [
        ...times(8, (at) => edit(`a${round}${at}.ts`)),
        ...times(8, () => run("bun test")),
        ...run("git commit -m 'x'")
      ])
    )
    const { points } = trustTrajectory(busy)
    const steps = points.map(({ step }) => step)
    expect(points).toHaveLength(24)
    expect([steps[0], steps.at(-1)]).toEqual([0, busy.steps.length])
    expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b))
  })
})
