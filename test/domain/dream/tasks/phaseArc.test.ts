import { describe, expect } from "bun:test"
import { phaseArc } from "../../../../src/domain/dream/tasks/phaseArc.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, prompt, read, run } from "../../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const viewOf = (...parts: ReadonlyArray<Given[number] | Given>) => viewOfSession(eventsOf(parts.flat()))!
const times = (count: number, make: (at: number) => Given): Given =>
  Array.from({ length: count }, (_, at) => make(at)).flat()

describe("the phase arc", () => {
  it("is one run for a session without a change of phase, and for one without a call", () => {
    const view = viewOf(prompt(), read("a.ts"), prompt(), read("b.ts"))
    expect(phaseArc(view)).toEqual([
      { phase: "Orientation", turns: 2, steps: 2, from: view.startedAt, to: view.lastAt }
    ])
    expect(phaseArc(viewOf(prompt()))).toMatchObject([{ phase: "Orientation", turns: 1, steps: 0 }])
  })

  it("has turns, steps and times of each phase, and each run ends where the next begins", () => {
    const view = viewOf(
      prompt(),
      times(4, (at) => read(`a${at}.ts`)),
      prompt(),
      times(6, (at) => edit(`a${at}.ts`)),
      prompt(),
      times(9, () => run("bun test")),
      times(3, () => run("git commit -m 'x'"))
    )
    const arc = phaseArc(view)
    expect(arc.map(({ phase }) => phase)).toEqual(view.activity.map(({ phase }) => phase))
    expect(arc.reduce((sum, { steps }) => sum + steps, 0)).toBe(view.steps.length)
    expect(arc.slice(1).map(({ from }) => from)).toEqual(arc.slice(0, -1).map(({ to }) => to))
    expect(arc[0]).toMatchObject({ turns: 2, from: view.startedAt })
    expect(arc.at(-1)?.to).toBe(view.lastAt)
  })
})
