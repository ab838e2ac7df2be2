import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { LabelledFinding } from "../../../src/domain/night/LabelledReview.ts"
import { labelRequests } from "../../../src/domain/night/labelRequests.ts"
import { it } from "../../support/effect.ts"
import { labelledReview } from "../../support/night/labelled.ts"

/** Different findings of a rule. */
const findings = (rule: string, count: number, fields: Partial<LabelledFinding> = {}) =>
  Array.from({ length: count }, (_, at) => ({
    rule,
    fingerprint: `${rule} ${fields.judgement ?? ""} ${at}`,
    judgement: null,
    ...fields
  }))

const rulesOf = (requests: ReturnType<typeof labelRequests>) => requests.map(({ rule }) => rule)

describe("the findings whose labels teach most", () => {
  test("are, without labels, those of the most frequent rules, one of each before a second of any", () => {
    const reviews = [
      labelledReview("a", [...findings("x/rare", 1), ...findings("x/often", 4), ...findings("x/some", 2)])
    ]
    expect(rulesOf(labelRequests(reviews, 5))).toEqual(["x/often", "x/some", "x/rare", "x/often", "x/some"])
    expect(labelRequests(reviews, 1)).toMatchObject([{ session: "a", reported: 4, judged: 0 }])
  })

  test("are, with labels, those of rules that are uncertain, frequent and severe", () => {
    const labelled = [
      ...findings("x/known", 20, { judgement: "accepted" }),
      ...findings("x/divided", 5, { judgement: "accepted" }),
      ...findings("x/divided", 5, { judgement: "rejected" })
    ]
    const open = [...findings("x/known", 10), ...findings("x/divided", 10)]
    const reviews = [labelledReview("a", [...labelled, ...open])]
    expect(rulesOf(labelRequests(reviews, 1))).toEqual(["x/divided"])
    const severe = [labelledReview("a", [...labelled, ...open, ...findings("x/severe", 10, { severity: "high" })])]
    expect(rulesOf(labelRequests(severe, 1))).toEqual(["x/severe"])
    const rare = [labelledReview("a", [...labelled, ...open, ...findings("x/severe", 1, { severity: "high" })])]
    expect(rulesOf(labelRequests(rare, 1))).toEqual(["x/divided"])
  })

  test("change the rule when enough is asked of one", () => {
    const labelled = findings("x/known", 20, { judgement: "accepted" })
    const reviews = [labelledReview("a", [...labelled, ...findings("x/one", 12), ...findings("x/two", 9)])]
    const asked = rulesOf(labelRequests(reviews))
    expect(asked[0]).toBe("x/one")
    expect(new Set(asked)).toEqual(new Set(["x/one", "x/two"]))
  })

  test("are none that a person has labelled, also in another review of the same finding; the newest repeat is shown", () => {
    const older = labelledReview("old", [{ fingerprint: "same", judgement: null }, { fingerprint: "known" }], { at: 1 })
    const newer = labelledReview("new", [
      { fingerprint: "same", judgement: null },
      { fingerprint: "known", judgement: null }
    ])
    expect(labelRequests([older, newer])).toMatchObject([{ session: "new", finding: 1, reported: 2, judged: 1 }])
    expect(labelRequests([])).toEqual([])
  })

  const Judgement = Schema.Literals(["accepted", "rejected", "contested", "open"])
  const Some = Schema.Array(Schema.Struct({ rule: Schema.Literals(["a", "b", "c"]), judgement: Judgement }))
  it.prop("never repeat one, and are as many as there are, up to the number asked for", Some, (given) => {
    const made = given.map(({ judgement, rule }, at) => ({
      rule,
      fingerprint: String(at),
      judgement: judgement === "open" ? null : judgement
    }))
    const asked = labelRequests([labelledReview("a", made)], 4)
    const open = made.filter(({ judgement }) => judgement === null).length
    expect(asked).toHaveLength(Math.min(4, open))
    expect(new Set(asked.map(({ finding }) => finding)).size).toBe(asked.length)
  })
})
