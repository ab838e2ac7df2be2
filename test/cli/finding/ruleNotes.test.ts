import { describe, expect, it } from "bun:test"
import { ruleFileDegradations } from "../../../src/cli/finding/ruleNotes.ts"

const broken = (file: string) => ({ file, line: 2, key: "", problem: "not TOML: no value" })

describe("the warning about rule files that were not loaded", () => {
  it("is one for all files, and names each with its reason", () => {
    expect(ruleFileDegradations([])).toEqual([])
    expect(ruleFileDegradations(["a.toml", "b.toml", "c.toml"].map(broken)).map(({ detail }) => detail)).toEqual([
      "3 rule files were not loaded: a.toml:2: not TOML: no value; b.toml:2: not TOML: no value; c.toml:2: not TOML: no value"
    ])
  })

  it("names the first files of many", () => {
    const names = Array.from({ length: 30 }, (_, at) => `r${at}.toml`)
    const [{ detail } = { detail: "" }] = ruleFileDegradations(names.map(broken))
    expect(detail).toContain("30 rule files were not loaded: r0.toml:2")
    expect(detail).toEndWith("; and 20 more files; see dd rules check")
  })
})
