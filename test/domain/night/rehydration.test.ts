import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { defaultPlateau, observed } from "../../../src/domain/night/plateau.ts"
import { baselineOf, rehydrated, streakOf } from "../../../src/domain/night/rehydration.ts"
import {
  encodeIteration,
  IterationStatus,
  type IterationSummary,
  isCommitted
} from "../../../src/domain/night/Summary.ts"
import { it } from "../../support/effect.ts"
import vectors from "../../support/night/vectors.json" with { type: "json" }

const run = "20260131T013000Z"

const iteration = (index: number, given: Partial<IterationSummary> = {}): IterationSummary => ({
  id: `${run}-iter-${index}`,
  index,
  started_at: "2026-01-31T01:30:00Z",
  finished_at: "2026-01-31T01:31:00Z",
  duration: "1m0s",
  status: "done",
  fitness_delta: 0,
  ...given
})

const fileOf = (given: IterationSummary, index = given.index) => ({
  name: `iter-${index}.json`,
  text: encodeIteration(given)
})

const indices = (iterations: ReadonlyArray<IterationSummary>) => iterations.map(({ index }) => index)

describe("the vectors of rehydration", () => {
  for (const { accepted, files, id_run, rejected } of vectors.rehydration) {
    if (files === undefined) continue
    it(`take ${accepted.join(" and ") || "none"} of ${files.join(", ")}${id_run === undefined ? "" : " of another run"}`, () => {
      const given = files.map((file) =>
        typeof file === "string"
          ? { name: `iter-${file.split(" ")[0]}.json`, text: "{" }
          : fileOf(iteration(file, id_run === undefined ? {} : { id: `${id_run}-iter-${file}` }))
      )
      const { iterations, notes } = rehydrated(run, given)
      expect(indices(iterations)).toEqual(accepted)
      expect(notes.length).toBe(rejected)
      for (const note of notes) expect(note).toStartWith("rehydrate rejected: iter-")
    })
  }

  for (const { history, next_fitness_before } of vectors.rehydration) {
    if (history === undefined) continue
    it(`compare with ${next_fitness_before} after ${history.map(([status]) => status).join(", ")}`, () => {
      const iterations = history.map(([status, composite], at) =>
        iteration(at + 1, {
          status: Schema.decodeUnknownSync(IterationStatus)(status),
          ...(typeof composite === "number" ? { fitness_after: { composite } } : {})
        })
      )
      const read = rehydrated(
        run,
        iterations.map((each) => fileOf(each))
      ).iterations
      expect(baselineOf(read)).toEqual({ composite: next_fitness_before })
    })
  }

  for (const { crash_after_iteration, indices: expected, max_iterations, resume_total } of vectors.rehydration) {
    if (crash_after_iteration === undefined) continue
    it(`go on after iteration ${crash_after_iteration} up to ${max_iterations} in all`, () => {
      const recorded = Array.from({ length: crash_after_iteration }, (_, at) => fileOf(iteration(at + 1)))
      const iterations = [...rehydrated(run, recorded).iterations]
      while (iterations.length < max_iterations) iterations.push(iteration(iterations.length + 1))
      const again = rehydrated(
        run,
        iterations.map((each) => fileOf(each))
      )
      expect(indices(again.iterations)).toEqual(expected)
      expect(again.iterations.length).toBe(resume_total)
    })
  }
})

describe("the vectors of statuses", () => {
  it("hold", () => {
    for (const { compounded, status, valid } of vectors.statuses) {
      expect(Schema.is(IterationStatus)(status)).toBe(valid)
      expect(isCommitted(status)).toBe(compounded)
    }
  })
})

describe("rehydrated", () => {
  it("takes them by their number and passes over other files", () => {
    const later = Array.from({ length: 11 }, (_, at) => fileOf(iteration(11 - at)))
    const others = ["iter-0.json", "iter-01.json", "iter-2.json.tmp", "committed-but-flagged.iter-3.marker"]
    const { iterations, notes } = rehydrated(run, [...later, ...others.map((name) => ({ name, text: "" }))])
    expect(indices(iterations)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(notes).toEqual([])
  })

  it("says why a file, and each one after it, is not taken", () => {
    const { iterations, notes } = rehydrated(run, [
      fileOf(iteration(1)),
      { name: "iter-2.json", text: null },
      fileOf(iteration(3)),
      fileOf(iteration(3), 4)
    ])
    expect(indices(iterations)).toEqual([1])
    expect(notes).toEqual([
      "rehydrate rejected: iter-2.json: it could not be read",
      "rehydrate rejected: iter-3.json: iteration 2 is missing",
      `rehydrate rejected: iter-4.json: it is iteration 3 of ${run}-iter-3`
    ])
  })

  const Files = Schema.Array(
    Schema.Struct({
      index: Schema.Literals([1, 2, 3, 4]),
      kind: Schema.Literals(["good", "good", "good", "corrupt", "foreign", "misplaced"])
    })
  )

  it.prop("takes the longest run of good files from 1 on, and one note for each other", Files, (given) => {
    const kinds = new Map(given.map(({ index, kind }) => [index as number, kind]))
    const files = [...kinds].map(([index, kind]) =>
      kind === "corrupt"
        ? { name: `iter-${index}.json`, text: "{}" }
        : fileOf(
            iteration(kind === "misplaced" ? index + 1 : index, {
              id: `${kind === "foreign" ? "x" : run}-iter-${index}`
            }),
            index
          )
    )
    let length = 0
    while (kinds.get(length + 1) === "good") length++
    const { iterations, notes } = rehydrated(run, files)
    expect(indices(iterations)).toEqual(Array.from({ length }, (_, at) => at + 1))
    expect(notes.length).toBe(files.length - length)
  })
})

describe("baselineOf", () => {
  it("is nothing if the newest committed iteration could not be measured", () => {
    expect(baselineOf([iteration(1, { fitness_after: { composite: 0.5 } }), iteration(2)])).toBeNull()
    expect(baselineOf([])).toBeNull()
  })
})

describe("streakOf", () => {
  const measured = (index: number, fitness_delta: number, status: IterationSummary["status"] = "done") =>
    iteration(index, { fitness_before: { composite: 0.5 }, fitness_delta, status })

  it("is what the run had counted when it was interrupted", () => {
    const deltas = [0.2, 0.001, 0, 0.3, 0.002]
    let streak = 0
    for (const delta of deltas) streak = observed(streak, delta, defaultPlateau).streak
    expect(
      streakOf(
        deltas.map((delta, at) => measured(at + 1, delta)),
        defaultPlateau
      )
    ).toBe(streak)
    expect(streak).toBe(1)
  })

  it("counts neither what was not committed nor what was not compared", () => {
    expect(streakOf([measured(1, 0), iteration(2), measured(3, 0.5, "degraded")], defaultPlateau)).toBe(1)
  })
})
