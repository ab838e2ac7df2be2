import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { type Gauge, gauges, measurable } from "../../../src/domain/night/composite.ts"
import type { Measurement, MetricName, Veto } from "../../../src/domain/night/Fitness.ts"
import { type Decision, decide, type GateOptions, unmeasured } from "../../../src/domain/night/gate.ts"
import { measure } from "../../../src/domain/night/measure.ts"
import { defaultPlateau } from "../../../src/domain/night/plateau.ts"
import { it } from "../../support/effect.ts"
import { generationOf, labelledReview, measuredAt, suppressionOf } from "../../support/night/labelled.ts"
import { measurementOf, type Values } from "../../support/night/measurements.ts"
import vectors from "../../support/night/vectors.json" with { type: "json" }

const strict: GateOptions = { ...defaultPlateau, warnOnly: false, rescues: 0, streak: 0, seed: 7 }
const warnOnly: GateOptions = { ...strict, warnOnly: true, rescues: 3 }

const reasonOf = (decision: Decision): string => ("reason" in decision ? decision.reason : "")

const vetoed = (measurement: Measurement, ...details: ReadonlyArray<string>): Measurement => ({
  ...measurement,
  vetoes: details.map((detail): Veto => ({ kind: "hides-accepted-high", detail }))
})

describe("the vectors of fitness differences", () => {
  /** The vectors name metrics as they like, and weigh all alike. */
  const given: Record<string, MetricName> = {
    a: "calibration",
    b: "evidence_integrity",
    c: "non_redundancy",
    m: "playbook_success",
    z: "ranking_ap",
    A: "retrieval_precision",
    B: "retrieval_recall",
    tight: "suppression_precision",
    loose: "suppression_recall"
  }
  const valuesOf = (fitness: Readonly<Record<string, number | undefined>>): Values =>
    Object.fromEntries(
      Object.entries(fitness).flatMap(([name, value]) => (value === undefined ? [] : [[given[name], value]]))
    )

  for (const [at, vector] of vectors.fitness_delta.entries()) {
    const isVanished = "dd_note" in vector
    it(`holds for number ${at + 1}${isVanished ? ", in which a metric vanishes, as dd decides" : ""}`, () => {
      const before = vector.prev === null ? null : measurementOf(valuesOf(vector.prev))
      const floors: Readonly<Record<string, number | undefined>> = vector.floors ?? {}
      const table = { ...gauges }
      for (const [name, metric] of Object.entries(given)) {
        table[metric] = { weight: 1, floor: floors[name] ?? vector.floor } satisfies Gauge
      }
      const decision = decide(before, measurementOf(valuesOf(vector.curr)), strict, table)
      if (isVanished) {
        expect(decision).toMatchObject({ _tag: "Degraded", delta: 0 })
        return
      }
      expect(decision.delta).toBeCloseTo(vector.composite, 9)
      const regressed = vector.regressed_names_sorted ?? vector.regressed?.map(({ name }) => name) ?? []
      const dropped = reasonOf(decision)
        .split("; ")
        .filter((text) => text.includes(" dropped "))
      expect(dropped.map((text) => text.split(" ")[0])).toEqual(regressed.map((name) => given[name]))
      for (const { drop, floor, name } of vector.regressed ?? []) {
        expect(reasonOf(decision)).toContain(`${given[name]} dropped ${drop} below floor ${floor}`)
      }
      expect(decision._tag).toBe(regressed.length > 0 ? "Halt" : "Commit")
    })
  }
})

/** The loop of a night, as far as the gate decides it. The first iteration of the vectors has nothing to be compared with. */
const night = (fitness: ReadonlyArray<number>, given: GateOptions) => {
  let before: Measurement | null = null
  let [streak, rescues] = [given.streak, given.rescues]
  const decisions: Array<Decision> = []
  for (const value of fitness) {
    const after = measurementOf({ calibration: value })
    const decision = decide(before, after, { ...given, streak, rescues })
    decisions.push(decision)
    if (decision._tag === "Halt") return { decisions, haltsAt: decisions.length, rescues }
    streak = decision.streak
    if (decision._tag === "Rescue") rescues--
    if (decision._tag !== "Degraded") before = after
  }
  return { decisions, haltsAt: null, rescues }
}

describe("the vectors of the loop", () => {
  const modes: Readonly<Record<string, GateOptions>> = {
    strict,
    "warn-only, no budget": { ...warnOnly, rescues: Number.POSITIVE_INFINITY },
    "warn-only, budget 2": { ...warnOnly, rescues: 2 }
  }

  for (const vector of vectors.loop.filter(({ fitness }) => fitness !== undefined)) {
    it(`hold for ${vector.mode}: ${vector.fitness?.join(" ")}`, () => {
      const options = modes[vector.mode]
      if (options === undefined) throw new Error(`unknown mode ${vector.mode}`)
      const { decisions, haltsAt, rescues } = night(vector.fitness ?? [], options)
      const last = decisions.at(-1)
      expect(haltsAt).toBe(vector.halts_at)
      if (vector.plateau_reason === true) expect(last).toMatchObject({ _tag: "Halt", kind: "plateau" })
      if (vector.regression_reason === true) expect(last).toMatchObject({ _tag: "Halt", kind: "regression" })
      if (vector.budget_remaining !== undefined) expect(rescues).toBe(vector.budget_remaining)
      if (vector.reason_suffix !== undefined && last !== undefined) {
        expect(reasonOf(last).endsWith(vector.reason_suffix)).toBe(true)
      }
      if (vector.mode === "warn-only, no budget")
        expect(decisions[1]).toMatchObject({ _tag: "Rescue", kind: "regression" })
    })
  }
})

describe("decide", () => {
  it("takes a drop for a regression only if the same items confirm it", () => {
    const before = measurementOf({ calibration: 0.8 }, 40)
    const dropped = measurementOf({ calibration: 0.6 }, 40)
    expect(decide(before, dropped, strict)).toMatchObject({
      _tag: "Halt",
      kind: "regression",
      reason: "calibration dropped 0.2 below floor 0.05"
    })
    const others = new Map([...(dropped.items.calibration ?? [])].map(([item, score]) => [`other ${item}`, score]))
    expect(decide(before, { ...dropped, items: { calibration: others } }, strict)).toMatchObject({
      _tag: "Commit",
      notes: ["calibration dropped 0.2 below floor 0.05; the same items do not confirm it"]
    })
  })

  it("sees items get worse where the value is 0 already", () => {
    const scored = (score: number): Measurement => ({
      metrics: measurementOf({ calibration: 0 }).metrics,
      items: { calibration: new Map(Array.from({ length: 50 }, (_, at) => [`${at}`, score])) },
      vetoes: []
    })
    expect(decide(scored(0.82), scored(0.74), strict)).toMatchObject({ _tag: "Halt", kind: "regression" })
    expect(decide(scored(0.82), scored(0.79), strict)._tag).toBe("Commit")
  })

  it("commits a drop to the floor", () => {
    expect(decide(measurementOf({ calibration: 0.55 }), measurementOf({ calibration: 0.5 }), strict)._tag).toBe(
      "Commit"
    )
  })

  it("finds small losses of most items, which are scored by degrees", () => {
    const scored = (score: number): Measurement => {
      const { metrics } = measurementOf({ calibration: score })
      return {
        metrics,
        items: { calibration: new Map(Array.from({ length: 50 }, (_, at) => [`${at}`, score + at / 1000])) },
        vetoes: []
      }
    }
    expect(decide(scored(0.6), scored(0.5), strict)).toMatchObject({ _tag: "Halt", kind: "regression" })
  })

  it("never rescues a veto, whatever the gain", () => {
    const after = vetoed(measurementOf({ calibration: 0.9 }), "sup-1 hides the accepted finding 1 of s1")
    for (const before of [null, measurementOf({ calibration: 0.1 })]) {
      expect(decide(before, after, warnOnly)).toMatchObject({
        _tag: "Halt",
        kind: "regression",
        reason: "veto hides-accepted-high: sup-1 hides the accepted finding 1 of s1"
      })
    }
  })

  it("commits what removes a veto, or keeps one of before, and notes the latter", () => {
    const before = vetoed(measurementOf({ calibration: 0.5 }), "one", "two")
    expect(decide(before, vetoed(measurementOf({ calibration: 0.6 }), "two"), strict)).toMatchObject({
      _tag: "Commit",
      notes: ["as before: two"]
    })
    expect(decide(before, vetoed(measurementOf({ calibration: 0.6 }), "two", "three"), strict)._tag).toBe("Halt")
  })

  it("is degraded if a metric can no longer be measured", () => {
    const before = measurementOf({ calibration: 0.5, retrieval_precision: 0.5 })
    expect(decide(before, measurementOf({ calibration: 0.9 }), { ...warnOnly, streak: 1 })).toMatchObject({
      _tag: "Degraded",
      streak: 1,
      reason: "retrieval_precision can no longer be measured (dormant)"
    })
  })

  const noise = (count: number, accepted: number, rule = "noise") =>
    Array.from({ length: count }, (_, at) =>
      labelledReview(`${rule}${at}`, [{ rule, judgement: at < accepted ? "accepted" : "rejected" }])
    )
  const measured = (reviews: ReturnType<typeof noise>, ...rules: ReadonlyArray<string>) =>
    measure(generationOf({ suppressions: rules.map((rule) => suppressionOf(rule)) }), reviews, {
      now: measuredAt,
      resolves: () => true,
      hasFolder: () => true,
      mustShow: []
    })

  it("commits the removal of a suppression that was mostly wrong, although precision can no longer be measured", () => {
    const reviews = noise(40, 35)
    expect(measured(reviews, "noise").metrics.suppression_precision.state).toBe("ok")
    const removed = measured(reviews)
    expect(removed.metrics.suppression_precision.state).toBe("dormant")
    expect(decide(measured(reviews, "noise"), removed, strict)).toMatchObject({
      _tag: "Commit",
      notes: ["suppression_precision can no longer be measured (dormant)"]
    })
  })

  it("commits first suppressions that are mostly right, and none that are mostly wrong, however few they hide", () => {
    const options = { ...warnOnly, rescues: 0 }
    const first = (reviews: ReturnType<typeof noise>) => decide(measured(reviews), measured(reviews, "noise"), options)
    expect(first(noise(40, 2))._tag).toBe("Commit")
    expect(first(noise(200, 10))._tag).toBe("Commit")
    expect(first(noise(40, 20))).toMatchObject({ _tag: "Halt", kind: "regression" })
    expect(first(noise(12, 10))).toMatchObject({ _tag: "Halt", kind: "regression" })
    expect(first(noise(4, 4))).toMatchObject({ _tag: "Halt", kind: "regression" })
    expect(first(noise(5, 2))._tag).toBe("Commit")
    expect(first(noise(3, 3))._tag).toBe("Commit")
  })

  it("does not take one lost item of few for a regression", () => {
    const few = (good: number): Measurement => {
      const { items, metrics } = measurementOf({ retrieval_recall: good / 15 }, 15)
      const metric = { ...metrics.retrieval_recall, value: null, state: "insufficient" as const }
      return { metrics: { ...metrics, retrieval_recall: metric }, items, vetoes: [] }
    }
    expect(few(2).metrics.retrieval_recall.hi).toBeLessThan(0.5)
    expect(decide(few(3), few(2), { ...warnOnly, rescues: 0 })._tag).toBe("Commit")
  })

  it("halts suppressions that hide accepted findings beside good ones", () => {
    const reviews = [...noise(60, 1), ...noise(20, 14, "useful")]
    const decision = decide(measured(reviews, "noise"), measured(reviews, "noise", "useful"), strict)
    expect(decision).toMatchObject({ _tag: "Halt", kind: "regression" })
    expect(reasonOf(decision)).toStartWith("suppression_precision dropped ")
  })

  it("does not take one item more or less for progress", () => {
    const before = measurementOf({ calibration: 0.5 }, 25)
    const oneMore = measurementOf({ calibration: 0.5 + 1 / 26 }, 25)
    expect(decide(before, oneMore, strict)).toMatchObject({ _tag: "Commit", streak: 1 })
    expect(decide(before, oneMore, { ...strict, streak: 1 })).toMatchObject({
      _tag: "Halt",
      kind: "plateau",
      reason: "2 consecutive iterations below epsilon 0.04"
    })
    const twoMore = measurementOf({ calibration: 0.5 + 2 / 25 }, 25)
    expect(decide(before, twoMore, { ...strict, streak: 1 })).toMatchObject({ _tag: "Commit", streak: 0 })
  })

  it("rescues a plateau under warn-only and looks for the next one", () => {
    const same = measurementOf({ calibration: 0.5 })
    const rescued = decide(same, same, { ...warnOnly, streak: 1 })
    expect(rescued).toMatchObject({ _tag: "Rescue", kind: "plateau", streak: 0 })
    expect(decide(same, same, { ...warnOnly, rescues: 0, streak: 1 })).toMatchObject({
      _tag: "Halt",
      reason: "2 consecutive iterations below epsilon 0.01 (warn-only budget exhausted)"
    })
  })

  it("is degraded, or a commit that warns under warn-only, if nothing could be compared by reviews, and counts no plateau", () => {
    for (const nothing of [measurementOf({}), measurementOf({ evidence_integrity: 1, non_redundancy: 1 })]) {
      expect(decide(nothing, nothing, { ...strict, streak: 0 })).toMatchObject({ _tag: "Degraded", reason: unmeasured })
      expect(decide(nothing, nothing, { ...warnOnly, streak: 0 })).toMatchObject({ _tag: "Commit", isUnmeasured: true })
    }
    const none = measurementOf({})
    expect(decide(none, none, { ...warnOnly, streak: 1 })).toMatchObject({ _tag: "Commit", delta: 0, streak: 1 })
    expect(decide(measurementOf({ calibration: 0.5 }), measurementOf({ calibration: 0.6 }), strict)).toMatchObject({
      ...{ _tag: "Commit", isUnmeasured: false }
    })
  })

  const Score = Schema.NullOr(Schema.Literals([0, 0.3, 0.5, 0.52, 0.9]))
  const Fitness = Schema.Struct({ suppression_precision: Score, retrieval_recall: Score, calibration: Score })
  const Case = Schema.Struct({
    before: Fitness,
    after: Fitness,
    vetoes: Schema.Array(Schema.Literals(["a", "b"])).check(Schema.isMaxLength(2)),
    rescues: Schema.Literals([0, 1]),
    streak: Schema.Literals([0, 1])
  })
  const from = (fitness: typeof Fitness.Type): Measurement =>
    measurementOf(
      Object.fromEntries(Object.entries(fitness).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
      100
    )

  it.prop("commits the same in both modes, halts or rescues the rest, and never loses a metric", Case, (each) => {
    const before = from(each.before)
    const after = vetoed(from(each.after), ...each.vetoes)
    const inStrict = decide(before, after, { ...strict, streak: each.streak })
    const inWarnOnly = decide(before, after, { ...warnOnly, streak: each.streak, rescues: each.rescues })
    expect(inWarnOnly.delta).toBe(inStrict.delta)
    if (each.vetoes.length > 0) {
      expect([inStrict._tag, inWarnOnly._tag]).toEqual(["Halt", "Halt"])
      return
    }
    if (inStrict._tag === "Halt") {
      expect(inWarnOnly._tag).toBe(each.rescues > 0 ? "Rescue" : "Halt")
      expect(reasonOf(inWarnOnly)).toStartWith(reasonOf(inStrict))
    } else if (reasonOf(inStrict) === unmeasured)
      expect(inWarnOnly).toMatchObject({ _tag: "Commit", isUnmeasured: true })
    else expect(inWarnOnly).toEqual(inStrict)
    const [earlier, later] = [measurable(before.metrics), measurable(after.metrics)]
    const isLost = earlier.some((name) => !later.includes(name))
    const isCompared = earlier.some((name) => later.includes(name))
    expect(inStrict._tag === "Degraded").toBe(isLost || (!isCompared && inStrict._tag !== "Halt"))
    expect(decide(before, before, strict)._tag).toBe(earlier.length === 0 ? "Degraded" : "Commit")
  })
})
