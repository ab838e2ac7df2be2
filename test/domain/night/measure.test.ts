import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { conventionsFor } from "../../../src/domain/night/conventionsFor.ts"
import { type MetricName, metricNames } from "../../../src/domain/night/Fitness.ts"
import { emptyGeneration, type Generation } from "../../../src/domain/night/Generation.ts"
import type { LabelledFinding, LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { measure } from "../../../src/domain/night/measure.ts"
import { mustShow } from "../../../src/domain/night/mustShow.ts"
import { wilson } from "../../../src/domain/night/statistics.ts"
import { it } from "../../support/effect.ts"
import {
  calibrationOf,
  conventionOf,
  generationOf,
  labelledReview,
  measuredAt,
  playbookOf,
  suppressionOf
} from "../../support/night/labelled.ts"

const context = { now: measuredAt, resolves: () => true, hasFolder: () => true, mustShow: [] }

const metric = (generation: Generation, reviews: ReadonlyArray<LabelledReview>, name: MetricName) =>
  measure(generation, reviews, context).metrics[name]

/** One review for each finding. */
const reviewsOf = (count: number, finding: (at: number) => Partial<LabelledFinding>): ReadonlyArray<LabelledReview> =>
  Array.from({ length: count }, (_, at) => labelledReview(`s${at}`, [finding(at)]))

const rejected = (rule: string): Partial<LabelledFinding> => ({ rule, judgement: "rejected" })

describe("measure", () => {
  it("finds every metric dormant without labels and without a corpus", () => {
    const { items, metrics, vetoes } = measure(emptyGeneration("shop"), [], context)
    for (const name of metricNames) {
      expect(metrics[name]).toEqual({ value: null, n: 0, lo: 0, hi: 1, state: "dormant" })
      expect(items[name]?.size).toBe(0)
    }
    expect(vetoes).toEqual([])
  })

  it("needs 20 items", () => {
    const suppresses = generationOf({ suppressions: [suppressionOf("noise")] })
    const [few, enough] = [19, 20].map((count) =>
      metric(
        suppresses,
        reviewsOf(count, () => rejected("noise")),
        "suppression_recall"
      )
    )
    expect(few).toEqual({ value: null, n: 19, ...wilson(19, 19), state: "insufficient" })
    expect(enough).toEqual({ value: 1, n: 20, ...wilson(20, 20), state: "ok" })
  })

  it("does not count weak and contested labels", () => {
    const reviews = reviewsOf(60, (at) => ({
      rule: "noise",
      severity: "high",
      judgement: at % 2 === 0 ? null : "contested",
      weak: "accepted"
    }))
    const { metrics, vetoes } = measure(generationOf({ suppressions: [suppressionOf("noise")] }), reviews, context)
    expect(metrics.suppression_precision.n).toBe(0)
    expect(metrics.suppression_recall.state).toBe("dormant")
    expect(metrics.retrieval_recall.state).toBe("dormant")
    expect(metrics.ranking_ap.state).toBe("dormant")
    expect(vetoes).toEqual([])
  })

  it("does not count a suppression that has expired", () => {
    const expired = generationOf({ suppressions: [suppressionOf("noise", "", { expires: measuredAt })] })
    const reviews = reviewsOf(40, (at) => ({
      ...{ rule: "noise", severity: "high", judgement: at < 20 ? "accepted" : "rejected" }
    }))
    const { metrics, vetoes } = measure(expired, reviews, { ...context, mustShow: mustShow(reviews) })
    expect(metrics.suppression_precision.state).toBe("dormant")
    expect(metrics.suppression_recall).toMatchObject({ value: 0, n: 20, state: "ok" })
    expect(vetoes).toEqual([])
  })

  it("values the precision of suppressions by its lower bound", () => {
    const reviews = reviewsOf(40, (at) => ({ rule: "noise", judgement: at < 4 ? "accepted" : "rejected" }))
    const { lo } = wilson(36, 40)
    expect(metric(generationOf({ suppressions: [suppressionOf("noise")] }), reviews, "suppression_precision")).toEqual({
      ...wilson(36, 40),
      value: lo,
      n: 40,
      state: "ok"
    })
  })

  it("gains nothing by forgetting a convention", () => {
    const reviews = reviewsOf(40, (at) => ({ rule: at < 30 ? "a" : "b", file: at < 20 ? "src/x.py" : "lib/y.py" }))
    const recall = (...conventions: ReadonlyArray<ReturnType<typeof conventionOf>>) =>
      metric(generationOf({ conventions }), reviews, "retrieval_recall").value
    expect(recall()).toBe(0)
    expect(recall(conventionOf("a", "src/"))).toBe(0.5)
    expect(recall(conventionOf("a"))).toBe(0.75)
    expect(recall(conventionOf("a"), conventionOf("b", "lib/"))).toBe(1)
  })

  it("measures the precision of retrieval in reviews with an accepted finding", () => {
    const accepted = reviewsOf(20, () => ({ rule: "a" }))
    const others = Array.from({ length: 50 }, (_, at) => labelledReview(`r${at}`, [rejected("a")]))
    const corpus = generationOf({ conventions: ["a", "b", "c", "d"].map((rule) => conventionOf(rule)) })
    expect(metric(corpus, [...accepted, ...others], "retrieval_precision")).toMatchObject({ value: 0.25, n: 20 })
  })

  it("ranks by the calibration of rule and model", () => {
    const reviews = reviewsOf(40, (at) => ({
      rule: "r",
      by: at < 20 ? "good" : "bad",
      judgement: at < 20 ? "accepted" : "rejected"
    }))
    const ranking = (...calibration: ReadonlyArray<ReturnType<typeof calibrationOf>>) =>
      metric(generationOf({ calibration }), reviews, "ranking_ap").value
    expect(ranking()).toBe(0.5)
    expect(ranking(calibrationOf("r", 0.9, "good"), calibrationOf("r", 0.1, "bad"))).toBe(1)
    expect(ranking(calibrationOf("r", 0.1, "good"), calibrationOf("r", 0.9, "bad"))).toBe(0.5)
    // What has no calibration has the base rate, here 0.5.
    expect(ranking(calibrationOf("r", 0.7, "good"))).toBe(1)
    expect(ranking(calibrationOf("r", 0.3, "good"))).toBe(0.5)
  })

  it("has no skill if predictions are as good as the base rate, all if they are right, and never less than none", () => {
    const reviews = reviewsOf(40, (at) => ({
      rule: at < 20 ? "good" : "bad",
      judgement: at < 20 ? "accepted" : "rejected"
    }))
    const skill = (good: number, bad: number) =>
      metric(
        generationOf({ calibration: [calibrationOf("good", good), calibrationOf("bad", bad)] }),
        reviews,
        "calibration"
      )
    expect(skill(0.5, 0.5)).toMatchObject({ value: 0, n: 40, state: "ok" })
    expect(skill(1, 0).value).toBe(1)
    expect(skill(0, 1).value).toBe(0)
    expect(skill(0.8, 0.2).value).toBeCloseTo(1 - 0.04 / 0.25, 9)
    expect(metric(emptyGeneration("shop"), reviews, "calibration").value).toBe(0)
  })

  it("measures a calibration by findings of one kind, without blaming it for rules that it does not have", () => {
    const reviews = reviewsOf(24, () => rejected("r"))
    const measured = (...calibration: ReadonlyArray<ReturnType<typeof calibrationOf>>) =>
      measure(generationOf({ calibration }), reviews, context)
    const error = (of: ReturnType<typeof measured>) => 1 - Math.min(...(of.items.calibration?.values() ?? []))
    expect(measured().metrics.calibration).toMatchObject({ value: 0, n: 24, state: "ok" })
    expect(measured(calibrationOf("r", 0)).metrics.calibration.value).toBe(1)
    expect(error(measured(calibrationOf("r", 1)))).toBe(1)
    expect(error(measured(calibrationOf("other", 1)))).toBeLessThan(0.01)
    expect(measured(calibrationOf("r", 0)).metrics.ranking_ap.state).toBe("dormant")
  })

  it("counts the checked fixes of rules with a playbook", () => {
    const reviews = reviewsOf(60, (at) => ({
      rule: at < 40 ? "a" : "b",
      fixed: at % 4 === 0 ? "failed" : "passed",
      judgement: null
    }))
    const corpus = generationOf({ playbooks: [playbookOf("a")] })
    expect(metric(corpus, reviews, "playbook_success")).toMatchObject({ value: 0.75, n: 40, state: "ok" })
    expect(
      metric(
        corpus,
        reviewsOf(30, () => ({ rule: "a", fixed: null })),
        "playbook_success"
      ).state
    ).toBe("dormant")
  })

  it("finds items whose evidence or folder is gone, or that have no evidence", () => {
    const conventions = Array.from({ length: 17 }, (_, at) => conventionOf(`r${at}`))
    const corpus = generationOf({
      suppressions: [suppressionOf("a", "gone/"), suppressionOf("b", "src/")],
      conventions: [...conventions, conventionOf("c", "", { evidence: [] })],
      playbooks: [
        playbookOf("d", {
          evidence: [
            { session: "kept", finding: 1 },
            { session: "lost", finding: 2 }
          ]
        })
      ]
    })
    const { items, metrics } = measure(corpus, [], {
      now: measuredAt,
      resolves: ({ session }) => session !== "lost",
      hasFolder: (folder) => folder === "src/",
      mustShow: []
    })
    const broken = [...(items.evidence_integrity ?? [])].filter(([, score]) => score === 0).map(([id]) => id)
    expect(broken).toEqual(["sup-a-gone/", "con-c-", "pbk-d"])
    expect(metrics.evidence_integrity).toMatchObject({ value: 18 / 21, n: 21, state: "ok" })
  })

  it("finds items that another one covers", () => {
    const corpus = generationOf({
      suppressions: [suppressionOf("a"), suppressionOf("a", "src/"), suppressionOf("b", "src/")],
      conventions: [
        conventionOf("a", "src/"),
        conventionOf("a", "src/api/"),
        conventionOf("a", "srcs/"),
        conventionOf("b")
      ]
    })
    const covered = [...(measure(corpus, [], context).items.non_redundancy ?? [])].filter(([, score]) => score === 0)
    expect(covered.map(([id]) => id)).toEqual(["sup-a-src/", "con-a-src/api/"])
  })

  const rule = Schema.Literals(["a", "b", "c"])
  const folder = Schema.Literals(["", "x/", "x/y/"])
  const Finding = Schema.Struct({
    rule,
    file: Schema.Literals(["f", "x/f", "x/y/f", "z/f"]),
    severity: Schema.Literals(["high", "low"]),
    judgement: Schema.NullOr(Schema.Literals(["accepted", "rejected", "contested"]))
  })
  const Item = Schema.Struct({ rule, folder })
  const World = Schema.Struct({
    reviews: Schema.Array(Schema.Array(Finding).check(Schema.isMaxLength(5))).check(Schema.isMaxLength(20)),
    suppressions: Schema.Array(Item).check(Schema.isMaxLength(3)),
    conventions: Schema.Array(Item).check(Schema.isMaxLength(7))
  })

  it.prop("agrees with counting by the definitions, and stays between 0 and 1", World, (world) => {
    const generation = generationOf({
      suppressions: world.suppressions.map((each, at) => suppressionOf(each.rule, each.folder, { id: `s${at}` })),
      conventions: world.conventions.map((each, at) => conventionOf(each.rule, each.folder, { id: `c${at}` }))
    })
    const reviews = world.reviews.map((findings, at) => labelledReview(`s${at}`, findings))
    const { items, metrics, vetoes } = measure(generation, reviews, context)

    const findings = reviews.flatMap((review) => review.findings.map((finding) => ({ ...finding, review })))
    const isHidden = (finding: LabelledFinding) =>
      world.suppressions.some((each) => each.rule === finding.rule && finding.file.startsWith(each.folder))
    const judged = findings.filter(({ judgement }) => judgement === "accepted" || judgement === "rejected")
    const hidden = judged.filter(isHidden)
    const accepted = judged.filter(({ judgement }) => judgement === "accepted")
    const dismissed = judged.filter(({ judgement }) => judgement === "rejected")
    const found = accepted.filter((finding) =>
      conventionsFor(finding.review.changedFiles, generation.conventions).some((each) => each.rule === finding.rule)
    )
    const counted = (name: MetricName, right: number, all: number) => {
      expect(metrics[name].n).toBe(all)
      if (all === 0) return
      expect(metrics[name].lo).toBeCloseTo(wilson(right, all).lo, 9)
      expect(metrics[name].hi).toBeCloseTo(wilson(right, all).hi, 9)
    }
    counted("suppression_precision", hidden.filter(({ judgement }) => judgement === "rejected").length, hidden.length)
    counted("suppression_recall", dismissed.filter(isHidden).length, dismissed.length)
    counted("retrieval_recall", found.length, accepted.length)
    // The measured reviews are not all: what must be shown is given.
    expect(vetoes).toEqual([])
    for (const name of metricNames) {
      const { hi, lo, n, state, value } = metrics[name]
      for (const figure of [value ?? 0, lo, hi, ...(items[name]?.values() ?? [])]) {
        expect(figure).toBeGreaterThanOrEqual(0)
        expect(figure).toBeLessThanOrEqual(1)
      }
      expect(lo).toBeLessThanOrEqual(hi)
      expect(state === "ok").toBe(n >= 20)
      if (state === "ok") expect(value).toBeGreaterThanOrEqual(lo - 1e-9)
    }
  })
})
