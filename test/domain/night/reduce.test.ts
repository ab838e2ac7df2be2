import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { emptyGeneration, Generation } from "../../../src/domain/night/Generation.ts"
import type { Proposal } from "../../../src/domain/night/Proposal.ts"
import { applied, batchesOf, reducerOn } from "../../../src/domain/night/reduce.ts"
import { it } from "../../support/effect.ts"
import { calibrationOf, conventionOf, generationOf, suppressionOf } from "../../support/night/labelled.ts"
import { judged, onDay, reviewOn, SomeReviews, SomeTurn, someReviews } from "../../support/night/labels.ts"
import { learning } from "../../support/night/learning.ts"

const now = onDay(150)
const maker = { run: "20260601T000000Z", iteration: 2, now }

const proposal = (put: Proposal["put"], given: Partial<Proposal> = {}): Proposal => ({
  ...{ kind: "suppress", id: "x", basis: "b", evidence: [], expected: 1, risk: 0.5, corrects: false, put, end: [] },
  ...given
})
const hiding = (rule: string, folder: string, given = {}) => suppressionOf(rule, folder, { expires: now + 1, ...given })
const refs = (...sessions: ReadonlyArray<string>) => sessions.map((session) => ({ session, finding: 1 }))

describe("a batch", () => {
  it("has ten proposals, after one with all that correct", () => {
    const corrections = Array.from({ length: 12 }, () => proposal({}, { corrects: true }))
    const additions = Array.from({ length: 25 }, () => proposal({}))
    expect(batchesOf([...corrections, ...additions]).map(({ length }) => length)).toEqual([12, 10, 10, 5])
    expect(batchesOf([])).toEqual([])
  })

  it("makes the next generation, and leaves the earlier one as it was", () => {
    const base = Generation.make({ ...generationOf({ suppressions: [hiding("a", "src/")] }), number: 6 })
    const before = structuredClone({ ...base })
    const next = applied(base, [proposal({ suppressions: [hiding("b", "")] })], maker)
    expect(next).toMatchObject({ project: "shop", number: 7, base: 6, at: now, run: maker.run, iteration: 2 })
    expect(next.suppressions.map(({ rule }) => rule)).toEqual(["a", "b"])
    expect({ ...base }).toEqual(before)
  })

  it("replaces items by their ids, ends others, and replaces the calibration as a whole", () => {
    const base = generationOf({
      suppressions: [hiding("a", ""), hiding("b", "")],
      conventions: [conventionOf("c")],
      calibration: [calibrationOf("a", 0.1)]
    })
    const next = applied(
      base,
      [
        proposal({ suppressions: [hiding("a", "", { rejected: 9 })] }),
        proposal({}, { end: ["sup-b-", "con-c-"] }),
        proposal({ calibration: [calibrationOf("z", 0.5)] })
      ],
      maker
    )
    expect(next.suppressions.map(({ id, rejected }) => `${id} ${rejected}`)).toEqual(["sup-a- 9"])
    expect(next.conventions).toEqual([])
    expect(next.calibration.map(({ rule }) => rule)).toEqual(["z"])
  })

  it("merges a folder into the one above, with the evidence of both", () => {
    const put = {
      suppressions: [
        hiding("a", "src/old/x/", { evidence: refs("s1", "s3"), since: 1, accepted: 2 }),
        hiding("a", "src/", { evidence: refs("s2", "s3"), since: 5, expires: 9 }),
        hiding("b", "src/old/", { evidence: refs("s4") })
      ],
      conventions: [
        conventionOf("c", "src/api/", { evidence: refs("s6") }),
        conventionOf("c", "", { evidence: refs("s5") })
      ]
    }
    const { draft, merged } = reducerOn([])(emptyGeneration("p"), [proposal(put)], maker)
    expect(merged).toBe(2)
    expect(draft.suppressions).toEqual([
      hiding("a", "src/", { evidence: refs("s1", "s2", "s3"), rejected: 3, accepted: 2, since: 1, expires: now + 1 }),
      hiding("b", "src/old/", { evidence: refs("s4") })
    ])
    expect(draft.conventions).toMatchObject([{ folder: "", evidence: refs("s5", "s6") }])
  })

  it("keeps at most 200 suppressions, those with the most evidence", () => {
    const many = Array.from({ length: 250 }, (_, rejected) => hiding(`rule${rejected}`, "", { rejected }))
    const { suppressions } = applied(emptyGeneration("p"), [proposal({ suppressions: many })], maker)
    expect(suppressions).toHaveLength(200)
    expect(Math.min(...suppressions.map(({ rejected }) => rejected))).toBe(50)
  })
})

describe("the try on the build set", () => {
  const rule = "py/loop-closure"
  const early = judged(Array.from({ length: 40 }, () => "rejected" as const))
  const later = (judgement: "accepted" | "rejected", count: number) =>
    reviewOn(
      "later",
      149,
      Array.from({ length: count }, () => ({ judgement }))
    )
  const suppress = proposal({ suppressions: [hiding(rule, "src/")] })

  it("drops a suppression of what people accept by now", () => {
    const { draft, dropped, kept } = reducerOn([...early, later("accepted", 3)])(
      emptyGeneration("p"),
      [suppress],
      maker
    )
    expect({ dropped, kept, suppressions: draft.suppressions }).toEqual({
      dropped: [suppress],
      kept: [],
      suppressions: []
    })
    expect(reducerOn([...early, later("rejected", 3)])(emptyGeneration("p"), [suppress], maker).kept).toEqual([
      suppress
    ])
  })

  it("drops a convention that people no longer follow, and keeps one that says it is contested", () => {
    const reduce = reducerOn([
      ...early,
      later("accepted", 3),
      reviewOn(
        "now",
        149,
        [...Array(5)].map(() => ({ judgement: "rejected" }))
      )
    ])
    const certain = proposal({ conventions: [conventionOf(rule)] })
    const contested = proposal({ conventions: [conventionOf(rule, "", { maturity: "contested" })] })
    expect(reduce(emptyGeneration("p"), [certain, contested], maker)).toMatchObject({
      dropped: [certain],
      kept: [contested]
    })
  })

  it("drops a calibration that predicts the newest labels worse", () => {
    const base = generationOf({ calibration: [calibrationOf(rule, 0.9)] })
    const worse = proposal({ calibration: [calibrationOf(rule, 0.1)] })
    expect(reducerOn([...early, later("accepted", 3)])(base, [worse], maker).dropped).toEqual([worse])
    const better = proposal({ calibration: [calibrationOf(rule, 1)] })
    expect(reducerOn([...early, later("accepted", 3)])(base, [better], maker).dropped).toEqual([])
  })

  it("never drops what corrects", () => {
    const correction = { ...suppress, corrects: true }
    expect(reducerOn([...early, later("accepted", 3)])(emptyGeneration("p"), [correction], maker).dropped).toEqual([])
  })

  const Twice = Schema.Struct({ reviews: SomeReviews, before: SomeTurn })

  it.prop("remembers what it drops: nights on the same labels soon propose nothing", Twice, ({ before, reviews }) => {
    const given = someReviews(reviews)
    let night = learning(given.slice(0, before), now)
    for (let nights = 0; nights < 4; nights++) night = learning(given, now, night)
    expect(night.proposals).toEqual([])
  })
})
