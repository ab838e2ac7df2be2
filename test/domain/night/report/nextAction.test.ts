import { describe, expect, test } from "bun:test"
import { emptyGeneration, Generation } from "../../../../src/domain/night/Generation.ts"
import { closeLoopOf, freshLabelsNote, isStalled, refusalNote } from "../../../../src/domain/night/report/closeLoop.ts"
import { type Morning, nextAction, recommendedCommands } from "../../../../src/domain/night/report/nextAction.ts"
import { onDay, reviewOn } from "../../../support/night/labels.ts"
import { goodNight } from "../../../support/night/nights.ts"
import vectors from "../../../support/night/vectors.json"

const morning = (given: Partial<Morning> = {}): Morning => ({
  failure: null,
  flagged: null,
  isUnsure: false,
  packets: [],
  council: null,
  reviews: 10,
  hasLearned: false,
  unlabelled: 0,
  labels: 5,
  coverage: null,
  escapeVelocity: null,
  goal: "",
  ...given
})
const packets = goodNight.morning_packets!
const flagged = { generation: 5, fault: "x" }
const council = { requested_runners: [], consensus_policy: "majority", recommended_first_action: "Read the rule." }

describe("the first move", () => {
  for (const [name, given, words] of [
    ["a failure before all else", { failure: "x", packets }, "Read what failed"],
    ["a check of what counts unchecked, before all", { packets, failure: "x", flagged }, "Check generation 5"],
    ["the first packet before the council", { packets, council }, "Start with packet 1"],
    ["the advice of the council if there is no packet", { council }, "Read the rule."],
    ["a review if none is archived", { reviews: 0, labels: 0 }, "Review a change"],
    ["the archive if dd learned from reviews that are gone", { reviews: 0, hasLearned: true }, "Restore the archive"],
    ["a label if there is none", { labels: 0, unlabelled: 3 }, "Label a few findings"],
    ["a look at what was kept with a warning", { isUnsure: true, coverage: 0.4 }, "Check what dd learned tonight"],
    ["more labels if little was found for recent changes", { coverage: 0.4 }, "Label more findings"],
    ["a look at what was learned if it does not help", { escapeVelocity: false }, "Look at what dd learned"],
    ["nothing if all is well", { coverage: 0.9, escapeVelocity: true }, "Nothing needs you"]
  ] as const) {
    test(`is ${name}`, () => expect(nextAction(morning(given))).toStartWith(words))
  }
})

describe("the recommended commands", () => {
  test("are each named once, the packets first", () => {
    expect(recommendedCommands(morning({ packets: [...packets, packets[0]!], unlabelled: 2 }))).toEqual([
      "dd dream do dream-0d9fa4d5f2e0d7a1",
      "dd dream do dream-8fb20ef63ced4145",
      "dd archive label --next"
    ])
  })

  test("quote the goal for the shell", () => {
    expect(recommendedCommands(morning({ failure: "x", goal: "it's $(here)" }))[0]).toBe(
      "dd dream start --goal='it'\\''s $(here)'"
    )
  })
})

describe("close_loop", () => {
  test("counts what a night added and removed", () => {
    const before = emptyGeneration("p")
    const item = { rule: "a/b", folder: "", rejected: 9, accepted: 0, evidence: [], since: 0, expires: 9 }
    const after = Generation.make({
      ...before,
      number: 1,
      suppressions: [
        { ...item, id: "sup-1" },
        { ...item, id: "sup-2" }
      ]
    })
    expect(closeLoopOf({ before, after, reviews: 4, labels: 30, newLabels: 4 })).toMatchObject({
      generation_before: 0,
      generation_after: 1,
      ingested: 30,
      promoted: 2,
      expired: 0,
      suppressions: 2,
      added: [
        "Findings of a/b in this repository are hidden: people rejected 9 of 9",
        "Findings of a/b in this repository are hidden: people rejected 9 of 9"
      ]
    })
    expect(closeLoopOf({ before: after, after: before, reviews: 4, labels: 30, newLabels: 4 })).toMatchObject({
      promoted: 0,
      expired: 2
    })
  })

  test("says what changed of an item that stays: its counts, until when it hides, how sure it is, what it does", () => {
    const sup = { id: "sup-1", rule: "a/b", folder: "src/", rejected: 5, accepted: 0, evidence: [], since: 0 }
    const con = { id: "con-1", rule: "a/c", folder: "", text: "Avoid it", accepted: 3, rejected: 0, evidence: [] }
    const pbk = { id: "pbk-1", rule: "a/d", text: "Fix it", check: null, passed: 2, failed: 0, evidence: [] }
    const cal = { id: "cal-1", rule: "a/e", by: "static", accepted: 3, rejected: 0, probability: 0.9 }
    const stays = { ...pbk, id: "pbk-2" }
    const before = Generation.make({
      ...emptyGeneration("p"),
      suppressions: [{ ...sup, expires: onDay(3) }],
      conventions: [{ ...con, maturity: "provisional" }],
      playbooks: [pbk, stays],
      calibration: [cal]
    })
    const after = Generation.make({
      ...before,
      number: 1,
      suppressions: [{ ...sup, rejected: 6, accepted: 1, expires: onDay(5) }],
      conventions: [{ ...con, maturity: "established" }],
      playbooks: [{ ...pbk, evidence: [{ session: "s", finding: 1 }] }, stays],
      calibration: [{ ...cal, accepted: 6 }]
    })
    const closed = closeLoopOf({ before, after, reviews: 4, labels: 30, newLabels: 4 })
    expect(closed).toMatchObject({ promoted: 0, expired: 0, updated: 4, throughput_stalled: false })
    expect(closed.changed).toEqual([
      "Findings of a/b in src/ are hidden: people rejected 6 of 7, until 2026-01-10 (before: people rejected 5 of 5, until 2026-01-08)",
      "A convention on a/c in this repository: established (before: provisional)",
      "How to fix a/d: 2 of 2 fixes passed, with other labels as evidence",
      "The confidence of a/e: HIGH, people accepted 6 of 6 (before: as reported, people accepted 3 of 3)"
    ])
  })

  test("is explained if new labels taught nothing: which of them are learned from, which decide, and which are sealed", () => {
    const at = (days: ReadonlyArray<number>) =>
      days.map((day) => reviewOn(`d${day}`, day, [{ judgement: "accepted", judgedAt: onDay(day) }]))
    const split = { build: at([1, 2]), gate: at([3, 4]), sealed: at([5]) }
    expect(freshLabelsNote(split, onDay(2), false)).toBe(
      "3 labels are new, and nothing was learned from them: 2 are of newer reviews, which decide, and 1 of the newest, which are sealed: they are learned from when reviews after them have labels."
    )
    expect(freshLabelsNote(split, onDay(0), false)).toContain("2 are of reviews that are learned from, and are too few")
    expect(freshLabelsNote(split, onDay(0), true)).toContain("what they suggest was not kept, as the iterations say")
    expect(freshLabelsNote(split, onDay(5), false)).toBeNull()
    const halted = { id: "n-iter-2", index: 2, started_at: "", finished_at: "", duration: "", fitness_delta: 0 }
    const batch = { reduce: { calibrate: 1, convention: 4, dropped: 1 } }
    expect(refusalNote([{ ...halted, ...batch, status: "halted-on-regression-pre-commit" }])).toStartWith(
      "Iteration 2 was not kept, and ended the night: 1 calibration, 4 conventions. Proposals after it"
    )
    expect(refusalNote([{ ...halted, ...batch, status: "done" }])).toBeNull()
  })

  for (const { ingested, promoted, stalled } of vectors.throughput_alarm) {
    test(`with ${ingested} new labels and ${promoted} new items is ${stalled ? "" : "not "}stalled`, () => {
      expect(isStalled(ingested, promoted)).toBe(stalled)
    })
  }
})
