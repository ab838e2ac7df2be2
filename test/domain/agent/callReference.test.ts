import { describe, expect, test } from "bun:test"
import { Result, type Schema } from "effect"
import { referencesIn, resolveReferences } from "../../../src/domain/agent/callReference.ts"

const outcomes = new Map<number, Schema.Json>([
  [0, { items: [{ name: "a.ts" }, { name: "b.ts" }], total: 2, "dash-ed": 1 }],
  [1, "plain text"]
])

const resolved = (value: Schema.Json): Schema.Json => {
  const found = referencesIn(value)
  if (Result.isFailure(found)) return `fault: ${found.failure.reason}`
  const result = resolveReferences(value, outcomes)
  return Result.isSuccess(result) ? result.success : `fault: ${result.failure.reason}`
}

describe("references to calls", () => {
  test("are replaced by a result or a part of it, wherever they are", () => {
    expect(resolved({ path: "{{calls[0].items[1].name}}", more: ["{{ calls[0].total }}", "{{calls[1]}}"] })).toEqual({
      path: "b.ts",
      more: [2, "plain text"]
    })
    expect(resolved("{{calls[0].dash-ed}}")).toBe(1)
  })

  test("are only strings that contain nothing else", () => {
    expect(resolved("see {{calls[0].total}}")).toBe("see {{calls[0].total}}")
    expect(resolved("{{calls[0].total}}{{calls[1]}}")).toStartWith("fault")
  })

  test("F16 evaluate nothing and see only what the result itself has", () => {
    for (const path of [
      "{{calls[0].constructor}}",
      "{{calls[0].__proto__}}",
      "{{calls[0].items.length}}",
      "{{calls[0].items[9]}}",
      "{{calls[1].length}}",
      "{{calls[0]['total']}}",
      "{{calls[0].(1+1)}}",
      "{{calls[0][?(@.name)]}}",
      "{{calls[-1]}}",
      "{{calls.length}}",
      "{{calls[2]}}",
      "{{calls[0]..total}}"
    ]) {
      expect(resolved(path)).toStartWith("fault")
    }
  })

  test("are no references where they name something else: a template is a text that may be searched for", () => {
    for (const text of ["{{ user.name }}", "{{shortTermMemory.x}}", "{{callsign}}", "{{}}", "calls[0]"]) {
      expect(resolved(text)).toBe(text)
    }
  })
})
