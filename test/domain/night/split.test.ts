import { describe, expect } from "bun:test"
import { Schema } from "effect"
import type { Split } from "../../../src/domain/night/LabelledReview.ts"
import { identityOf, newestTime, splitByTime } from "../../../src/domain/night/split.ts"
import { it } from "../../support/effect.ts"
import { generationOf, playbookOf } from "../../support/night/labelled.ts"
import { judged, onDay, reviewOn, SomeReviews, SomeTurn, someReviews } from "../../support/night/labels.ts"

const sizes = ({ build, gate, sealed }: Split) => [build.length, gate.length, sealed.length]
const sessions = ({ build, gate, sealed }: Split) => [...build, ...gate, ...sealed].map(({ session }) => session)
const rejected = (count: number) => judged(Array.from({ length: count }, () => "rejected" as const))

describe("the split of reviews", () => {
  it("is 60, 25 and 15 per cent by time", () => {
    expect(sizes(splitByTime(rejected(100)))).toEqual([60, 25, 15])
    expect(sizes(splitByTime(rejected(20)))).toEqual([12, 5, 3])
  })

  it("has all of very few reviews in build, for want of others", () => {
    expect(sizes(splitByTime([]))).toEqual([0, 0, 0])
    expect(sizes(splitByTime(rejected(1)))).toEqual([1, 0, 0])
  })

  it("counts only reviews with a label, and puts the others where their time is", () => {
    const between = rejected(10).map(({ at, session }, index) => ({
      ...reviewOn(`${session}b`, 0, [{}]),
      at: at + index
    }))
    const split = splitByTime([...rejected(10), ...between])
    expect(split.build.filter(({ findings }) => findings[0]?.judgement === "rejected").length).toBe(6)
    expect(split.build.length).toBe(12)
  })

  it("breaks ties by session", () => {
    const same = ["b", "a", "c"].map((session) => reviewOn(session, 1, [{ judgement: "accepted" }]))
    expect(sessions(splitByTime(same))).toEqual(["a", "b", "c"])
  })

  it("gives a repeated label only to the earliest set", () => {
    const repeat = {
      fingerprint: "dd1:x",
      judgement: "rejected" as const,
      judgedAt: onDay(1),
      fixed: "passed" as const
    }
    const reviews = rejected(20).map((review, index) =>
      index === 2 || index === 13 || index === 19 ? reviewOn(review.session, index, [repeat]) : review
    )
    const { build, gate, sealed } = splitByTime(reviews)
    expect(build[2]?.findings[0]).toMatchObject({ judgement: "rejected", fixed: "passed" })
    for (const later of [gate[1], sealed[2]]) {
      expect(later?.findings[0]).toMatchObject({ fingerprint: "dd1:x", judgement: null, judgedAt: null, fixed: null })
    }
  })

  it("takes findings without a fingerprint for different ones", () => {
    const { gate, sealed } = splitByTime(
      judged(
        Array.from({ length: 20 }, () => "rejected" as const),
        { fingerprint: "" }
      )
    )
    expect([...gate, ...sealed].filter(({ findings }) => findings[0]?.judgement === "rejected")).toHaveLength(8)
  })

  it("keeps a later label that contradicts an earlier one", () => {
    const reviews = rejected(20).map((review, index) =>
      index === 2 || index === 19
        ? reviewOn(review.session, index, [{ fingerprint: "dd1:x", judgement: index === 2 ? "rejected" : "accepted" }])
        : review
    )
    expect(splitByTime(reviews).sealed.at(-1)?.findings[0]?.judgement).toBe("accepted")
  })

  it("keeps what the corpus was learned from in build when labels of older reviews are added", () => {
    const reviews = rejected(10)
    const learned = generationOf({ playbooks: [playbookOf("r", { evidence: [{ session: "s5", finding: 1 }] })] })
    const older = judged(["rejected", "rejected", "rejected", "rejected"], {}, "old").map((each) => ({
      ...each,
      at: onDay(-9)
    }))
    const build = (split: Split) => split.build.map(({ session }) => session)
    expect(build(splitByTime([...reviews, ...older]))).not.toContain("s5")
    const split = splitByTime([...reviews, ...older], learned)
    expect(build(split)).toContain("s5")
    expect(sizes(split)).toEqual([10, 3, 1])
    const late = generationOf({ playbooks: [playbookOf("r", { evidence: [{ session: "s15", finding: 1 }] })] })
    expect(sizes(splitByTime(rejected(20), late))).toEqual([16, 3, 1])
  })

  it("names a set by its labels", () => {
    const { gate } = splitByTime(rejected(20))
    expect(identityOf(gate)).toContain('["s12",[[1,"rejected"]]]')
    const changed = gate.map((review) => ({
      ...review,
      findings: review.findings.map((f) => ({ ...f, judgement: "accepted" as const }))
    }))
    expect(identityOf(changed)).not.toBe(identityOf(gate))
    expect(identityOf(splitByTime(rejected(20).toReversed()).gate)).toBe(identityOf(gate))
  })

  it("is as new as its newest label or review", () => {
    expect(newestTime(splitByTime(rejected(20)))).toBe(onDay(19))
    const late = reviewOn("late", 1, [{ judgement: "accepted", judgedAt: onDay(40) }])
    expect(newestTime(splitByTime([...rejected(20), late]))).toBe(onDay(40))
  })

  const Shuffled = Schema.Struct({ reviews: SomeReviews, turn: SomeTurn })

  it.prop("does not depend on the order of the reviews", Shuffled, ({ reviews, turn }) => {
    const given = someReviews(reviews)
    const turned = [...given.slice(turn), ...given.slice(0, turn)].reverse()
    expect(splitByTime(turned)).toEqual(splitByTime(given))
  })

  it.prop("has each review in one set, and none before an older set", SomeReviews, (reviews) => {
    const given = someReviews(reviews)
    const split = splitByTime(given)
    expect(sessions(split).toSorted()).toEqual(given.map(({ session }) => session).toSorted())
    const times = [...split.build, ...split.gate, ...split.sealed].map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  it.prop("never gives a label of one finding to two sets", SomeReviews, (reviews) => {
    const { build, gate, sealed } = splitByTime(someReviews(reviews))
    const labels = [build, gate, sealed].map(
      (set) =>
        new Set(
          set
            .flatMap(({ findings }) => findings)
            .flatMap((f) => (f.judgement === null ? [] : [`${f.fingerprint} ${f.judgement}`]))
        )
    )
    expect(labels[0]!.intersection(labels[1]!).size + labels[0]!.intersection(labels[2]!).size).toBe(0)
    expect(labels[1]!.intersection(labels[2]!).size).toBe(0)
  })
})
