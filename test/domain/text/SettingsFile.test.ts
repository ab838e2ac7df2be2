import { describe, expect } from "bun:test"
import { Result } from "effect"
import { readSettingsFile } from "../../../src/domain/text/SettingsFile.ts"
import { it } from "../../support/effect.ts"

const read = (text: string, table = "") => Result.getOrThrow(readSettingsFile(text, table))

describe("readSettingsFile", () => {
  it("finds the line of each key, whatever is around it", () => {
    const text = [
      "# settings",
      'fail_on = "high" # not = this',
      "ignore_paths = [",
      '  "a = b", # x = 1',
      "  'c',",
      "]",
      'note = """',
      "fanout = 9",
      '"""',
      "",
      "[rules]",
      '"disable" = []',
      "[ phases . review ]",
      "model = { a = 1 }",
      "phases2.x = 1"
    ].join("\n")
    expect(read(text)!.map(({ key, line }) => [key, line])).toEqual([
      ["fail_on", 2],
      ["ignore_paths", 3],
      ["note", 7],
      ["rules.disable", 12],
      ["phases.review.model.a", 14],
      ["phases.review.phases2.x", 15]
    ])
  })

  it("reads only the requested table", () => {
    const text =
      '[project]\nname = "x"\n\n[tool.daydream]\nfail_on = "low"\n[tool.daydream.rules]\ndisable = []\n[tool.other]\na = 1\n'
    expect(read(text, "tool.daydream")!.map(({ key, line }) => [key, line])).toEqual([
      ["fail_on", 5],
      ["rules.disable", 7]
    ])
    expect(read("[tool.other]\na = 1\n", "tool.daydream")).toBeNull()
  })

  it("reports where a file is not TOML, and at which key", () => {
    const broken = (text: string) => {
      const result = readSettingsFile(text, "")
      return Result.isFailure(result) ? [result.failure.line, result.failure.key] : null
    }
    expect(broken('a = 1\nfail_on = "high\n')).toEqual([2, "fail_on"])
    expect(broken("a = 1\na = 2\n")).toEqual([2, "a"])
    expect(broken("[x\n")).toEqual([1, ""])
    expect(broken("fail_on = \n")?.[1]).toBe("fail_on")
  })

  it("reads an empty file, Windows line ends and keys like __proto__ as nothing special", () => {
    expect(read("")).toEqual([])
    expect(read('a = 1\r\nb = "x"\r\n')).toEqual([
      { key: "a", value: 1, line: 1 },
      { key: "b", value: "x", line: 2 }
    ])
    expect(read("__proto__ = 1\n")).toEqual([{ key: "__proto__", value: 1, line: 1 }])
  })

  it("is not slowed by lines that are made to be", () => {
    const blank = " ".repeat(20_000)
    expect(read(`${blank}\n${blank}# x\na${blank}.${blank}b${blank}=${blank}1\n`)).toEqual([
      { key: "a.b", value: 1, line: 3 }
    ])
  })

  it("takes a dotted key for the table it names", () => {
    expect(read('rules.disable = ["py/x"]\n')).toEqual([{ key: "rules.disable", value: ["py/x"], line: 1 }])
  })
})
