import { describe, expect } from "bun:test"
import { Effect, Schema } from "effect"
import {
  decodeReply,
  faultsIn,
  fittingReply,
  modelReplies,
  normalizedReply,
  replyShape,
  strictSchema,
  submissionSchema,
  withoutDescriptions
} from "../../../src/domain/agent/ModelReply.ts"
import { replies, type TaskTag } from "../../../src/domain/agent/Task.ts"
import { it } from "../../support/effect.ts"
import { breachesOf } from "../../support/jsonSchema.ts"

const restOf = (task: TaskTag, given: unknown) => {
  const normalized = normalizedReply(task, given)
  return fittingReply(task, normalized, Effect.runSync(Effect.flip(decodeReply(task, normalized))))
}

const tags = Object.keys(modelReplies) as ReadonlyArray<TaskTag>

/** Every object inside a JSON Schema. */
const objectsIn = (schema: unknown): ReadonlyArray<Record<string, unknown>> =>
  typeof schema !== "object" || schema === null
    ? []
    : Array.isArray(schema)
      ? schema.flatMap(objectsIn)
      : [schema as Record<string, unknown>, ...Object.values(schema).flatMap(objectsIn)]

const claim = {
  title: "The handle is never closed",
  description: "It leaks.",
  file: "src/a.py",
  line: 2,
  endLine: null,
  severity: "medium",
  confidence: "HIGH",
  quote: "f = open(p)",
  rationale: "Nothing closes it.",
  evidence: "src/a.py:2",
  suggestion: null
}

describe("the shape requested from a model", () => {
  for (const tag of tags) {
    it(`is closed, names every property and needs no reference: ${tag}`, () => {
      const text = JSON.stringify(replyShape(tag))
      expect(text).not.toContain("$ref")
      expect(text).not.toMatch(/"(?:minLength|minimum|maximum|pattern|allOf|\$defs|const)":/)
      const objects = objectsIn(replyShape(tag)).filter((each) => each.type === "object")
      expect(objects.length).toBeGreaterThan(0)
      for (const each of objects) {
        expect(each.additionalProperties).toBe(false)
        expect(each.required).toEqual(Object.keys(each.properties as object))
      }
    })

    it(`has what is found and why before how it is judged: ${tag}`, () => {
      const judged = ["confidence", "severity", "keep", "verdict", "status", "lens", "notAReview"]
      for (const { properties } of objectsIn(replyShape(tag))) {
        const names = Object.keys(properties ?? {})
        const first = names.findIndex((name) => judged.includes(name))
        if (first !== -1) expect(names.slice(first).filter((name) => !judged.includes(name))).toEqual([])
      }
    })

    it(`means the same without its words: ${tag}`, () => {
      const bare = withoutDescriptions(replyShape(tag))
      const names = (schema: unknown) => objectsIn(schema).flatMap((each) => each.required ?? [])
      expect(names(bare)).toEqual(names(replyShape(tag)))
      // A property may be called so; no schema has the keyword.
      const keywords = objectsIn(bare).filter((each) => typeof each.description === "string")
      expect(keywords).toEqual([])
    })

    it.prop(`is taken by the task, whatever fits it: ${tag}`, modelReplies[tag] as Schema.Codec<unknown>, (value) => {
      const given = normalizedReply(tag, JSON.parse(JSON.stringify(value)))
      const schema: Schema.Codec<unknown, unknown> = replies[tag]
      const decoded = Schema.decodeUnknownResult(schema)(given)
      // A text that must not be empty is all that a shape without lengths cannot say.
      if (decoded._tag === "Failure") expect(String(decoded.failure)).toMatch(/length of at least 1/)
    })
  }

  it("accepts null for an absent value", () => {
    const breaches = breachesOf(replyShape("StackReview"))
    const reply = { review: "", issues: [claim], coverage: [] }
    expect(breaches(reply)).toEqual([])
    expect(breaches({ ...reply, extra: 1 })).not.toEqual([])
    const { issues } = Effect.runSync(decodeReply("StackReview", normalizedReply("StackReview", reply)))
    expect(issues).toMatchObject([{ id: 1, title: claim.title, quote: claim.quote }])
    expect(Object.keys(issues?.[0] ?? {})).not.toContain("endLine")
  })

  it("reads checks, unions and nested optional values of any schema", () => {
    const schema = Schema.Struct({
      a: Schema.Int.check(Schema.isGreaterThan(0)),
      b: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ c: Schema.optionalKey(Schema.Boolean) })))),
      d: Schema.Literals(["x", "y"])
    })
    const breaches = breachesOf(strictSchema(schema))
    expect(breaches({ a: 1, b: null, d: "x" })).toEqual([])
    expect(breaches({ a: 1, b: [{ c: null }], d: "y" })).toEqual([])
    expect(breaches({ a: 1, b: [{}], d: "y" })).not.toEqual([])
  })
})

describe("wellFormed", () => {
  it("corrects small errors that do not change the meaning", () => {
    const given = {
      issues: [{ ...claim, line: "2", end_line: 3, severity: "Medium", confidence: "high" }]
    }
    expect(normalizedReply("ParseReview", given)).toMatchObject({
      issues: [{ id: 1, line: 2, endLine: 3, severity: "medium", confidence: "HIGH" }]
    })
  })

  it("reads a low confidence in any case, for the evidence gate to drop", () => {
    const given = { review: "", issues: [{ ...claim, confidence: " low" }], coverage: [] }
    const { issues } = Effect.runSync(decodeReply("StackReview", normalizedReply("StackReview", given)))
    expect(issues?.[0]?.confidence).toBe("LOW")
  })

  it("takes verdicts and outcomes as a bare list, in any case of letters", () => {
    const verdict = { issue_id: "1", evidence: "a.py:2", unverified_assumptions: [], verdict: "Contradicts" }
    expect(normalizedReply("Verify", [verdict])).toEqual({
      verdicts: [{ ...verdict, issue_id: 1, verdict: "contradicts" }]
    })
    const outcome = { issue_id: 1, note: "", status: "NOT_FIXED" }
    expect(normalizedReply("Fix", [outcome])).toEqual({ outcomes: [{ ...outcome, status: "not_fixed" }] })
    const odd = Effect.runSync(
      Effect.flip(decodeReply("Verify", normalizedReply("Verify", [{ ...verdict, verdict: "yes" }])))
    )
    expect(odd._tag).toBe("SchemaError")
  })

  it("guesses nothing else", () => {
    const given = { issues: [{ ...claim, severity: "critical", line: "about 2" }] }
    expect(normalizedReply("ParseReview", given)).toMatchObject({ issues: [{ severity: "critical", line: "about 2" }] })
  })

  it("takes a bare list as the task's only list, an empty one only if there is no other text", () => {
    expect(normalizedReply("StackReview", [claim])).toMatchObject({ review: "", issues: [{ id: 1 }] })
    expect(normalizedReply("Alternatives", [], true)).toEqual({ issues: [] })
    expect(normalizedReply("StackReview", [], true)).toEqual([])
    expect(normalizedReply("Alternatives", [], false)).toEqual([])
  })

  it("keeps numbers that were given", () => {
    expect(normalizedReply("ParseReview", { issues: [{ ...claim, id: 7 }, claim] })).toMatchObject({
      issues: [{ id: 7 }, { id: 2 }]
    })
  })

  it.prop("is total, and doing it twice changes nothing", Schema.Json, (value) => {
    for (const tag of tags) {
      const once = normalizedReply(tag, value)
      expect(normalizedReply(tag, once)).toEqual(once)
    }
  })
})

describe("handedIn", () => {
  it("takes what has the shape that was requested, nulls and all, and leaves it as it came", () => {
    const given = { review: "", issues: [claim], coverage: [] }
    expect(Schema.decodeSync(submissionSchema("StackReview"))(given)).toEqual(given)
  })

  it("takes an answer of which some entries fit, and keeps these", () => {
    const broken = { ...claim, title: "" }
    const given = {
      review: "",
      issues: [claim, broken, claim],
      coverage: [{ path: "a.py", status: "read", reason: "" }]
    }
    expect(Schema.decodeSync(submissionSchema("StackReview"))(given)).toEqual(given)
    const rest = restOf("StackReview", given)
    expect(rest).toMatchObject({ refused: 2, entries: 4, given: { issues: [{ id: 1 }, { id: 3 }], coverage: [] } })
    const verdict = { issue_id: 1, evidence: "a.py:1", unverified_assumptions: [], verdict: "consistent" }
    expect(restOf("Verify", { verdicts: [verdict, { ...verdict, verdict: "maybe" }] })).toMatchObject({ refused: 1 })
    // Nothing to keep, or a fault that is in no entry.
    expect(restOf("StackReview", { review: "", issues: [broken] })).toBeNull()
    expect(restOf("StackReview", { review: 1, issues: [claim, broken] })).toBeNull()
    expect(restOf("Verify", { verdicts: "none" })).toBeNull()
  })

  it("refuses what the task cannot use, and reports what does not fit", () => {
    const given = { review: "", issues: [{ ...claim, severity: "critical" }] }
    expect(() => Schema.decodeSync(submissionSchema("StackReview"))(given)).toThrow("- issues.0.severity: Expected")
  })
})

describe("faultsIn", () => {
  it.effect("reports what is missing and where, and never the text of the answer", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        decodeReply("ParseReview", { issues: [{ ...claim, id: 1, line: "hunter2", endLine: 3, suggestion: "" }, 3] })
      )
      expect(faultsIn(error)).toBe("- issues.0.line: Expected number\n- issues.1: Expected object")
    })
  )

  it.effect("is limited in length", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(decodeReply("ParseReview", { issues: Array.from({ length: 50 }, () => 1) }))
      expect(faultsIn(error).split("\n")).toHaveLength(13)
      expect(faultsIn(error)).toEndWith("- and 38 more")
    })
  )
})
