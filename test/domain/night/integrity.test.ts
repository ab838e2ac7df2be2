import { describe, expect } from "bun:test"
import { emptyGeneration } from "../../../src/domain/night/Generation.ts"
import { integrityFaults } from "../../../src/domain/night/integrity.ts"
import type { LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { proposalsOf } from "../../../src/domain/night/proposals.ts"
import { batchesOf, reducerOn } from "../../../src/domain/night/reduce.ts"
import { newestTime, splitByTime } from "../../../src/domain/night/split.ts"
import { it } from "../../support/effect.ts"
import { conventionOf, generationOf, playbookOf, suppressionOf } from "../../support/night/labelled.ts"
import { judged, onDay, reviewOn, SomeReviews, someReviews } from "../../support/night/labels.ts"
import { digest, isProtected, learning, nothing } from "../../support/night/learning.ts"
import { Random } from "../../support/plantedSessions.ts"

const rule = "py/loop-closure"
const log = { before: "same", after: "same" }
/** s0 to s2 are build, s3 gate, s4 sealed. */
const split = splitByTime(judged(["rejected", "rejected", "accepted", "rejected", "rejected"]))
const refs = (...sessions: ReadonlyArray<string>) => sessions.map((session) => ({ session, finding: 1 }))
const hiding = (evidence: ReturnType<typeof refs>, folder = "") => suppressionOf(rule, folder, { evidence })
const faults = (draft: Parameters<typeof generationOf>[0], base: Parameters<typeof generationOf>[0] = {}) =>
  integrityFaults(generationOf(base), generationOf(draft), split, log).map(({ detail, kind }) => `${kind} ${detail}`)

describe("the integrity of a draft", () => {
  it("is sound if all evidence is in the build set", () => {
    expect(
      faults({
        suppressions: [hiding(refs("s0", "s1"))],
        conventions: [conventionOf(rule, "", { evidence: refs("s2") })]
      })
    ).toEqual([])
  })

  it("is broken by evidence of held-out reviews", () => {
    const suppressions = [hiding(refs("s0", "s3", "s4"))]
    expect(faults({ suppressions })).toEqual([
      "holdout-leak sup-py/loop-closure-: s3#1",
      "holdout-leak sup-py/loop-closure-: s4#1"
    ])
  })

  it("is broken by evidence that does not exist, or is not of its kind", () => {
    expect(faults({ suppressions: [hiding(refs("gone"))] })).toEqual([
      "unresolved-evidence sup-py/loop-closure-: gone#1"
    ])
    expect(faults({ suppressions: [hiding(refs("s2"))] })).toEqual(["unresolved-evidence sup-py/loop-closure-: s2#1"])
    expect(faults({ playbooks: [playbookOf(rule, { evidence: refs("s0") })] })).toEqual([
      "unresolved-evidence pbk-py/loop-closure: s0#1"
    ])
  })

  it("is broken by evidence that is lost, also when an item is merged", () => {
    const base = { suppressions: [hiding(refs("s0", "s1"), "src/")] }
    expect(faults({ suppressions: [hiding(refs("s0"), "src/")] }, base)).toEqual([
      "lost-evidence sup-py/loop-closure-src/: s1#1"
    ])
    expect(faults({ suppressions: [hiding(refs("s0"))] }, base)).toEqual([
      "lost-evidence sup-py/loop-closure-src/: s1#1"
    ])
  })

  it("allows that an item ends, and that a label is gone", () => {
    expect(faults({}, { suppressions: [hiding(refs("s0", "s1"))] })).toEqual([])
    expect(faults({ suppressions: [hiding(refs("s0"))] }, { suppressions: [hiding(refs("s0", "gone"))] })).toEqual([])
  })

  it("is broken by an id that is there twice", () => {
    expect(faults({ suppressions: [hiding(refs("s0")), hiding(refs("s0"))] })).toEqual([
      "duplicate-id sup-py/loop-closure-: is there twice"
    ])
  })

  it("is broken by a change of the log of labels", () => {
    const [fault] = integrityFaults(emptyGeneration("p"), emptyGeneration("p"), split, { before: "a", after: "b" })
    expect(fault?.kind).toBe("lost-label")
  })

  it.prop(
    "is sound for each draft of a night, also after labels were added, changed and removed",
    SomeReviews,
    (given) => {
      const now = onDay(150)
      const reviews = someReviews(given)
      const base = learning(reviews.slice(0, -5), now).generation
      const random = new Random(given.seed)
      const relabelled = (review: LabelledReview): LabelledReview => ({
        ...review,
        findings: review.findings.map((finding) =>
          random.chance(0.3)
            ? {
                ...finding,
                judgement: random.pick(["accepted", "rejected", null]),
                fixed: random.pick(["passed", null])
              }
            : finding
        )
      })
      const changed = splitByTime(reviews.slice(1).map(relabelled), base)
      const lesson = {
        ...{
          build: changed.build,
          later: [...changed.gate, ...changed.sealed],
          newest: newestTime(changed),
          now,
          digest,
          isProtected
        },
        mustShow: []
      }
      const reduce = reducerOn(changed.build)
      let generation = base
      for (const batch of batchesOf(proposalsOf(lesson, base, []))) {
        const { draft } = reduce(generation, batch, { run: "r", iteration: 1, now })
        expect(integrityFaults(generation, draft, changed, log)).toEqual([])
        generation = draft
      }
    }
  )

  it.prop("has no evidence of held-out reviews while an archive grows", SomeReviews, (given) => {
    const reviews = someReviews(given).toSorted((a, b) => a.at - b.at)
    let before = nothing
    for (const count of [0.4, 0.7, 1]) {
      const known = reviews.slice(0, Math.ceil(reviews.length * count))
      const { gate, sealed } = splitByTime(known, before.generation)
      const heldOut = new Set([...gate, ...sealed].map(({ session }) => session))
      before = learning(known, onDay(150), before)
      expect(
        before.proposals.flatMap(({ evidence }) => evidence).filter(({ session }) => heldOut.has(session))
      ).toEqual([])
    }
  })
})

describe("evidence of repeated labels", () => {
  it("stays when an older review is labelled later", () => {
    const repeat = { fingerprint: "dd1:x", judgement: "rejected" as const }
    const reviews = [
      ...judged(["rejected", "rejected", "rejected"]),
      reviewOn("first", 5, [{ ...repeat, judgedAt: onDay(6) }])
    ]
    const before = learning(reviews, onDay(10)).generation.suppressions[0]
    const older = reviewOn("older", 1, [{ ...repeat, judgedAt: onDay(9) }])
    const after = learning([...reviews, older], onDay(10)).generation.suppressions[0]
    expect(after?.evidence ?? []).toEqual(before?.evidence ?? [])
  })
})
