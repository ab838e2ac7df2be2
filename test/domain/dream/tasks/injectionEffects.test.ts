import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { SessionProfile } from "../../../../src/domain/dream/SessionProfile.ts"
import type { Injection, SessionSample } from "../../../../src/domain/dream/SessionView.ts"
import { injectionEffects, injectionValues } from "../../../../src/domain/dream/tasks/injectionEffects.ts"
import { it } from "../../../support/effect.ts"

const sampleAt = (step: number, trust: number, more: Partial<SessionSample> = {}): SessionSample => ({
  turn: 1,
  step,
  at: step,
  trust,
  focus: 80,
  debt: 0,
  errors: 0,
  health: "Productive",
  activity: "Building",
  ...more
})
const samplesOf = (trust: (step: number) => number, count = 101) =>
  Array.from({ length: count }, (_, step) => sampleAt(step, trust(step)))

const injectionAt = (step: number): Injection => ({
  id: `i${step}`,
  sources: ["repair"],
  artifacts: ["rp_1"],
  bytes: 100,
  step,
  turn: 1,
  at: step
})

type Other = Pick<SessionProfile, "injections" | "trust">

const values = (
  samples: ReadonlyArray<SessionSample>,
  steps: ReadonlyArray<number>,
  others: ReadonlyArray<Other> = []
) => {
  const parts = injectionValues({ samples, injections: steps.map(injectionAt) }, others)
  let next = parts.next()
  while (!next.done) next = parts.next()
  return next.value.map(({ id, value }) => [id, value])
}

describe("the value of an injection", () => {
  test("better than the session's own drift is 1, worse is -1, no difference is 0", () => {
    expect(
      values(
        samplesOf((step) => (step > 50 ? 90 : 50)),
        [45]
      )
    ).toEqual([["i45", 1]])
    expect(
      values(
        samplesOf((step) => (step > 50 ? 50 : 90)),
        [45]
      )
    ).toEqual([["i45", -1]])
    expect(
      values(
        samplesOf(() => 70),
        [45]
      )
    ).toEqual([["i45", 0]])
  })

  test("a session that gets better all the time proves nothing (trap 15)", () => {
    expect(
      values(
        samplesOf((step) => step),
        [45]
      )
    ).toEqual([["i45", 0]])
    expect(
      values(
        samplesOf((step) => 100 - step),
        [45]
      )
    ).toEqual([["i45", 0]])
  })

  test("without a comparison there is no value", () => {
    expect(
      values(
        samplesOf((step) => step, 24),
        [3]
      )
    ).toEqual([["i3", null]])
    expect(
      values(
        samplesOf(() => 70),
        [97]
      )
    ).toEqual([["i97", null]])
    expect(
      values(
        samplesOf(() => 70),
        [0]
      )
    ).toEqual([["i0", null]])
    expect(values([], [0])).toEqual([["i0", null]])
  })

  const start = (from: number, to: number): Other => {
    const point = (step: number, trust: number) => ({ step, trust, focus: 80, debt: 0, phase: "Productive" })
    return { injections: [], trust: { points: [point(0, from), point(40, to)], min: 0, mean: 0, end: to, delta: 0 } }
  }

  test("at the start, figures are compared with those of sessions without an injection", () => {
    const falling = Array.from({ length: 3 }, () => start(100, 20))
    expect(
      values(
        samplesOf(() => 100),
        [0],
        falling
      )
    ).toEqual([["i0", 1]])
    expect(
      values(
        samplesOf((step) => 100 - 2 * step),
        [0],
        falling
      )
    ).toEqual([["i0", 0]])
    const steady = Array.from({ length: 3 }, () => start(100, 100))
    expect(
      values(
        samplesOf((step) => 100 - 2 * step),
        [0],
        steady
      )
    ).toEqual([["i0", -1]])
    expect(
      values(
        samplesOf(() => 100),
        [0],
        steady.slice(1)
      )
    ).toEqual([["i0", null]])
  })

  const figure = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
  it.prop("any samples and any steps give values of the injections they have", Schema.Array(figure), (figures) => {
    const samples = figures.map((trust, step) => sampleAt(step, trust, { focus: 100 - trust, turn: step % 7 }))
    const steps = [0, 3, Math.floor(samples.length / 2), samples.length + 3]
    expect(values(samples, steps).length).toBeLessThanOrEqual(steps.length)
  })
})

describe("the effect of artifacts and sources", () => {
  const measured = (value: -1 | 0 | 1) => ({
    injections: [{ id: "i", sources: ["repair" as string], artifacts: ["rp_1"], value }]
  })

  test("a mean is given from five measured injections on", () => {
    expect(injectionEffects([1, 1, 1, 1].map((value) => measured(value as 1)))).toEqual([])
    expect(injectionEffects([1, 1, 1, 1, 1].map((value) => measured(value as 1)))).toEqual([
      { of: "repair", mean: 6 / 7, measured: 5 },
      { of: "rp_1", mean: 6 / 7, measured: 5 }
    ])
    const [first] = injectionEffects([0, 0, 0, 1, -1].map((value) => measured(value as 0 | 1 | -1)))
    expect(first?.mean).toBe(0.5)
  })
})
