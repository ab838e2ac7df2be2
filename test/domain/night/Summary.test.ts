import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import {
  decodeIteration,
  decodeSummary,
  encodeIteration,
  encodeSummary,
  isCommitted,
  runIdOf,
  type Summary,
  toV1
} from "../../../src/domain/night/Summary.ts"
import { breachesOf } from "../../support/jsonSchema.ts"
import goldenV1 from "../../support/night/golden-v1.json"
import goldenV2 from "../../support/night/golden-v2.json"
import schema from "../../support/night/report.schema.json"
import { bedtime, extras, iteration, night } from "../../support/night/summaries.ts"
import vectors from "../../support/night/vectors.json"

const breaches = breachesOf(schema)
const read = (text: string): Summary => Result.getOrThrowWith(decodeSummary(text), (reason) => new Error(reason))
const written = (given: Parameters<typeof night>[0]) => JSON.parse(encodeSummary(night(given)))

describe("summary.json", () => {
  for (const [name, given] of [
    ["a night that has only begun", { status: "planned" }],
    ["a dry run", { status: "dry-run", dry_run: true }],
    ["a night without labels", { status: "done", morning_packets: [], dd: extras }],
    [
      "a night that learned",
      { iterations: [iteration(1, { fitness_delta: 0.02 })], fitness_delta: { composite: 0.02 }, dd: extras }
    ],
    [
      "a night that failed",
      { status: "failed", degraded: ["the archive could not be read"], failure_reason: "the archive could not be read" }
    ]
  ] as const) {
    test(`of ${name} fits the published schema`, () => {
      expect(breaches(written(given as Parameters<typeof night>[0]))).toEqual([])
    })
  }

  for (const [name, golden] of [
    ["version 1", goldenV1],
    ["version 2", goldenV2]
  ] as const) {
    test(`of ${name} is written as it was read`, () => {
      const text = JSON.stringify(golden)
      expect(JSON.parse(encodeSummary(read(text)))).toEqual(golden)
      expect(breaches(JSON.parse(encodeSummary(read(text))))).toEqual([])
    })
  }

  test("has every required field, also where there is nothing to say", () => {
    const { goal: _, ...withoutGoal } = night()
    const summary = JSON.parse(encodeSummary(withoutGoal))
    expect(summary).toMatchObject({ goal: "", recommended: [], steps: [], schema_version: 1 })
  })

  test("is of version 2 if a field of version 2 is in it, and of version 1 else", () => {
    for (const [given, version] of [
      [{}, 1],
      [{ degraded: ["x"], dd: extras }, 1],
      [{ morning_packets: [] }, 2],
      [{ iterations: [] }, 2],
      [{ fitness_delta: {} }, 2],
      [{ plateau_reason: "x" }, 2],
      [{ regression_reason: "x" }, 2],
      [{ yield: {} }, 2],
      [{ long_haul: { enabled: false, active: false } }, 2]
    ] as const) {
      expect(written(given).schema_version).toBe(version)
    }
  })

  test("has its keys in one order, however it was put together", () => {
    const summary = night({ dd: extras, iterations: [iteration(1)] })
    const turned = Object.fromEntries(Object.entries(summary).toReversed()) as typeof summary
    expect(encodeSummary(turned)).toBe(encodeSummary(summary))
  })

  test("keeps what a later version of dd wrote, at every depth", () => {
    const later = {
      ...goldenV2,
      weather_map: { a: [1] },
      runtime: { ...goldenV2.runtime, moon: "full" },
      iterations: goldenV2.iterations.map((each) => ({ ...each, mood: "calm" }))
    }
    expect(JSON.parse(encodeSummary(read(JSON.stringify(later))))).toEqual(later)
  })

  test("has times in UTC and durations in the form of Go", () => {
    expect(written({})).toMatchObject({
      started_at: "2026-01-31T01:30:00Z",
      finished_at: "2026-01-31T01:42:00Z",
      duration: "12m0s",
      duration_ms: 720_000
    })
    expect(runIdOf(bedtime + 250)).toBe("20260131T013000Z")
  })

  test("is refused with a reason if it is damaged", () => {
    const reasonOf = (text: string) =>
      Result.match(decodeSummary(text), { onSuccess: () => "", onFailure: (why) => why })
    expect(reasonOf("{")).toBe("it is not JSON")
    expect(reasonOf("[]")).not.toBe("")
    expect(reasonOf(JSON.stringify({ ...goldenV1, status: "completed" }))).toContain("status")
  })

  test("in version 1 has nothing that only version 2 has", () => {
    expect(JSON.parse(encodeSummary(toV1(read(JSON.stringify(goldenV2)))))).toEqual(goldenV1)
    const {
      dd,
      duration_ms,
      iterations,
      schema_version,
      yield: brought
    } = JSON.parse(
      encodeSummary(toV1(read(encodeSummary(night({ dd: extras, iterations: [iteration(1)], yield: {} })))))
    )
    expect({ dd, duration_ms, iterations, schema_version, brought }).toEqual({ schema_version: 1 } as never)
  })
})

describe("iter-N.json", () => {
  test("is written and read again", () => {
    const given = iteration(2, {
      status: "halted-on-regression-pre-commit",
      fitness_before: { composite: 0.7 },
      fitness_after: { composite: 0.6 },
      fitness_delta: -0.1
    })
    expect(decodeIteration(encodeIteration(given))).toEqual(Result.succeed(given))
  })

  for (const { compounded, status, valid } of vectors.statuses) {
    test(`${valid ? "may" : "may not"} have the status "${status}", which ${compounded ? "is" : "is not"} a baseline`, () => {
      const text = JSON.stringify(iteration(1, { status: status as "done" }))
      expect(Result.isSuccess(decodeIteration(text))).toBe(valid)
      expect(isCommitted(status)).toBe(compounded)
    })
  }

  test("is refused if its id has no index", () => {
    expect(Result.isFailure(decodeIteration(JSON.stringify({ ...iteration(1), id: "run" })))).toBe(true)
  })
})
