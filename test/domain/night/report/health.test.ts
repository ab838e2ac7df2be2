import { describe, expect, test } from "bun:test"
import {
  briefingOf,
  isEmptyBriefing,
  metricsHealth,
  retrievalLive
} from "../../../../src/domain/night/report/health.ts"
import {
  conventionOf,
  generationOf,
  labelledReview,
  measuredAt,
  playbookOf,
  suppressionOf
} from "../../../support/night/labelled.ts"
import { measurementOf } from "../../../support/night/measurements.ts"

const day = 86_400_000
const { metrics } = measurementOf({})
const evidence = (session: string) => [{ session, finding: 1 }]

describe("the health of what was learned", () => {
  test("counts the active suppressions that hid something in the last 30 days", () => {
    const generation = generationOf({
      suppressions: [
        suppressionOf("a", "", { id: "sup-a" }),
        suppressionOf("b", "", { id: "sup-b" }),
        suppressionOf("c", "", { id: "sup-c", expires: measuredAt })
      ]
    })
    const hiding = (id: string, days: number) =>
      labelledReview(`${id}-${days}`, [], { at: measuredAt - days * day, hiddenBy: [id] })
    const reviews = [hiding("sup-b", 31), hiding("sup-c", 1), hiding("sup-a", 30)]
    expect(metricsHealth(generation, reviews, metrics, measuredAt).sigma).toBe(1 / 2)
  })

  test("is as old as the newest label of the item in the middle; labels that are gone have no age", () => {
    const generation = generationOf({
      suppressions: [suppressionOf("a", "", { evidence: [...evidence("old"), ...evidence("new")] })],
      conventions: [
        conventionOf("b", "", { evidence: evidence("old") }),
        conventionOf("c", "", { evidence: evidence("gone") })
      ]
    })
    const reviews = [
      labelledReview("old", [{ judgedAt: measuredAt - 9 * day }]),
      labelledReview("new", [{ judgedAt: measuredAt - 2 * day }])
    ]
    expect(metricsHealth(generation, reviews, metrics, measuredAt).delta).toBe(9)
  })

  test("says nothing of what cannot be known", () => {
    expect(metricsHealth(generationOf({}), [], metrics, measuredAt)).toEqual({
      metric_namespace: "dd",
      knowledge_stock: { suppressions: 0, conventions: 0, playbooks: 0, calibrated_rules: 0, total: 0 },
      metrics
    })
    expect(retrievalLive(generationOf({}), [])).not.toHaveProperty("coverage")
  })
})

test("the share of the ten newest changes for which something was learned", () => {
  const generation = generationOf({
    conventions: [conventionOf("a", "src/"), conventionOf("b", "src/", { maturity: "contested" })],
    suppressions: [suppressionOf("c", "gen/")]
  })
  const review = (session: string, ...changedFiles: ReadonlyArray<string>) =>
    labelledReview(session, [], { changedFiles })
  const reviews = [
    review("too old", "src/z.py"),
    ...Array.from({ length: 7 }, (_, index) => review(`other-${index}`, "lib/a.py")),
    ...[
      review("0123456789", "src/a.py", "gen/b.py"),
      review("generated", "gen/b.py"),
      review("nothing"),
      review("docs", "docs/a")
    ]
  ]
  const live = retrievalLive(generation, reviews)
  expect(live).toMatchObject({ queries: 10, queries_with_hits: 2, coverage: 0.2, total_learnings: 3 })
  expect(live.results[7]).toEqual({
    ...{ query: "the files of review 01234567", count: 2, top_ids: ["con-a-src/", "sup-c-gen/"] }
  })
})

test("a briefing has what is known of the words of a goal, whatever their case, and is empty else", () => {
  const generation = generationOf({
    conventions: [conventionOf("py/bare-except", "src/")],
    playbooks: [playbookOf("go/error-swallowed")],
    suppressions: [suppressionOf("ts/floating-promise", "test/unit/")]
  })
  const kinds = (goal: string) => {
    const { conventions, playbooks, suppressions } = briefingOf(generation, goal, [])
    return [conventions.length, playbooks.length, suppressions.length]
  }
  expect(kinds("Look at PY/bare-except, please")).toEqual([1, 0, 0])
  expect(kinds("swallowed errors in test/unit")).toEqual([0, 1, 1])
  expect(kinds("a of in")).toEqual([0, 0, 0])
  expect(isEmptyBriefing(briefingOf(generation, "java", []))).toBe(true)
})
