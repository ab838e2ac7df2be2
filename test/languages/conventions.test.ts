import { describe, expect } from "bun:test"
import { conventionsOf, isConventionFile } from "../../src/languages/conventions.ts"
import { it } from "../support/effect.ts"

const stated = (path: string, text: string) =>
  conventionsOf(path, text).map(({ name, description }) => `${name}: ${description}`)

describe("conventionsOf", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    [
      ".editorconfig",
      "root = true\n[*]\nindent_style = space\nindent_size = 2\n[Makefile]\nindent_style=tab\n",
      ["editor settings: [*] indent_style space, indent_size 2; [Makefile] indent_style tab"]
    ],
    [
      "pyproject.toml",
      '[project]\nrequires-python = ">=3.9"\n[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = ["E", "F"]\n[tool.mypy]\nstrict = true\n',
      ["Python version: requires Python >=3.9", "ruff: line-length 100, select E F", "mypy: strict true"]
    ],
    [
      "web/tsconfig.json",
      '{ /* x */ "compilerOptions": { "strict": true, "target": "ES2022", } }',
      ["TypeScript compiler options: strict true, target ES2022"]
    ],
    [
      "biome.json",
      '{"formatter": {"indentStyle": "space"}}',
      ["biome: formatted and linted with Biome: formatter.indentStyle space"]
    ],
    [".prettierrc", '{"semi": false}', ["prettier: formatted with Prettier: semi false"]],
    [
      "Cargo.toml",
      '[package]\nedition = "2024"\n[lints.clippy]\nunwrap_used = "deny"\n',
      ["Rust edition: edition 2024", "Rust lints: clippy::unwrap_used"]
    ],
    ["go.mod", "module m\n\ngo 1.24\n", ["Go version: language version 1.24"]],
    [".formatter.exs", "[line_length: 98]\n", ["mix format: formatted with mix format, line_length 98"]],
    ["AGENTS.md", "# Rules\n", ["agent instructions: states rules for contributors"]],
    ["pyproject.toml", "not [ toml", []],
    ["tsconfig.json", "{", []],
    ["AGENTS.md", "  \n", []],
    ["src/a.py", "x = 1\n", []]
  ]
  for (const [path, text, expected] of cases) {
    it(`${path} states ${expected.length === 0 ? "nothing" : expected.join("; ")}`, () => {
      expect(stated(path, text)).toEqual([...expected])
    })
  }

  it("reads an .editorconfig of any length, the last word on a key, and shows its first sections", () => {
    const entries = (key: string) => Array.from({ length: 200_000 }, (_, i) => `${key} = ${i}\n`).join("")
    const others = Array.from({ length: 20_000 }, (_, i) => `[${i}]\nindent_size = 2\n`).join("")
    const text = `[*]\n${entries("indent_size")}${entries("max_line_length")}${others}`
    expect(stated(".editorconfig", text)).toEqual([
      "editor settings: [*] indent_size 199999, max_line_length 199999; " +
        [0, 1, 2, 3, 4].map((i) => `[${i}] indent_size 2`).join("; ")
    ])
  })

  it("recognises configuration by its file name alone", () => {
    expect(isConventionFile("deep/.eslintrc.cjs")).toBe(true)
    expect(isConventionFile("CONTRIBUTING.md")).toBe(true)
    expect(isConventionFile("src/biome.ts")).toBe(false)
  })
})
