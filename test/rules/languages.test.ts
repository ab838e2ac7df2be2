/** Promises of the rules for Go, Rust, Elixir, Swift, Java and Ruby that no single example can show. */
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { SyntaxRule } from "../../src/domain/finding/Rule.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../src/services/finding/StaticReviewer.ts"
import { changeOf, sourcesOf, type Texts } from "../support/change.ts"
import { codeOf, shipped } from "../support/rules.ts"

const syntaxRules = (...areas: ReadonlyArray<string>): ReadonlyArray<SyntaxRule> =>
  shipped(...areas).filter((rule) => rule._tag === "Syntax")

const languages: ReadonlyArray<readonly [extension: string, rules: ReadonlyArray<SyntaxRule>]> = [
  ["go", syntaxRules("go/*")],
  ["rs", syntaxRules("rust/*")],
  ["ex", syntaxRules("elixir/*")],
  ["swift", syntaxRules("swift/*")],
  ["java", syntaxRules("java/*")],
  ["rb", syntaxRules("ruby/*")]
]

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const review = (rules: ReadonlyArray<SyntaxRule>, texts: Texts) =>
  parsing.runPromise(
    StaticReviewer.pipe(
      Effect.flatMap((reviewer) => reviewer.review(changeOf(texts), Object.keys(texts))),
      Effect.provide(StaticReviewer.layer.pipe(Layer.provide(Layer.mergeAll(RuleSet.layerOf(rules), sourcesOf(texts)))))
    )
  )

const fileOf = (extension: string, texts: ReadonlyArray<string>): Texts =>
  Object.fromEntries(texts.map((text, at) => [`src/f${at}.${extension}`, [null, text]]))

for (const [extension, rules] of languages) {
  const examples = rules.flatMap((rule) => codeOf(rule))

  describe(`rules for .${extension}`, () => {
    test("are at least six, and four are sure to matter", () => {
      expect(rules.length).toBeGreaterThanOrEqual(6)
      expect(rules.filter((rule) => rule.severity === "high").length).toBeGreaterThanOrEqual(4)
    })

    test("do not fail on code that is cut off or turned around", async () => {
      const broken = examples.flatMap((text) => [
        text.slice(0, text.length / 3),
        text.slice(0, (text.length * 3) / 4),
        text.slice(text.length / 2),
        text.split("\n").reverse().join("\n")
      ])
      expect((await review(rules, fileOf(extension, broken))).problems).toEqual([])
    })

    test("claim nothing about lines the change left alone", async () => {
      const texts = examples.map((text): readonly [string, string] => [text, `${text}\n\n`])
      const change = Object.fromEntries(texts.map((sides, at) => [`src/f${at}.${extension}`, sides]))
      expect((await review(rules, change)).records.map((record) => record.rule)).toEqual([])
    })

    test("claim only the line that was added to code that was wrong before", async () => {
      for (const rule of rules) {
        const text = codeOf(rule, true)[0] ?? ""
        const whole = await review([rule], { [`src/a.${extension}`]: [null, text] })
        const [first] = whole.records
        // A claim is widened to the lines of its edit only where all of them are added.
        const isWidened = first?.label === "what the edit changes"
        const line = (isWidened ? first?.related?.[0]?.line : null) ?? first?.line ?? 0
        const before = text
          .split("\n")
          .toSpliced(line - 1, 1)
          .join("\n")
        const again = await review([rule], { [`src/a.${extension}`]: [before, text] })
        expect(again.records.map((record) => record.line)).toContain(line)
      }
    })

    test("report nothing in tests where a defect is harmless", async () => {
      const texts = rules
        .filter((rule) => !rule.inTests)
        .map((rule, at) => [`test/f${at}.${extension}`, [null, codeOf(rule, true)[0] ?? ""]] as const)
      const quiet = rules.filter((rule) => !rule.inTests)
      expect((await review(quiet, Object.fromEntries(texts))).records).toEqual([])
    })
  })
}

test("a comment in front of what is looked for does not hide it", async () => {
  const commented: Texts = {
    "src/a.go": [
      null,
      "package p\n\nfunc f(n string) string {\n\treturn fmt.Sprintf(/* by name */ \"SELECT * FROM t WHERE n = '%s'\", n)\n}\n"
    ],
    "src/a.rs": [
      null,
      "fn f(n: &str) -> String {\n    format!(/* by name */ \"SELECT * FROM t WHERE n = '{}'\", n)\n}\n"
    ],
    "src/a.java": [
      null,
      'class A {\n  void f(String n) throws IOException {\n    Runtime.getRuntime().exec(/* one host */ "ping " + n);\n  }\n}\n'
    ],
    "src/a.rb": [null, "def f(n)\n  T.where( # by name\n    \"n = '#{n}'\"\n  )\nend\n"],
    "src/a.ex": [
      null,
      "defmodule A do\n  def f do\n    GenServer.call(\n      # the server itself\n      self(),\n      :f\n    )\n  end\nend\n"
    ]
  }
  const found = await review(syntaxRules("go/*", "rust/*", "java/*", "ruby/*", "elixir/*"), commented)
  expect(found.records.map(({ file }) => file)).toEqual(Object.keys(commented).sort())
})

describe("linters' exceptions", () => {
  test("a nolint comment silences a Go rule on its own line only", async () => {
    const code = (note: string) =>
      `package p\n\nfunc f() {\n\tctx, _ := context.WithCancel(base)${note}\n\tcall(ctx)\n}\n`
    const found = (text: string) => review(syntaxRules("go/*"), { "src/a.go": [null, text] })
    expect((await found(code(""))).records.map((record) => record.line)).toEqual([4])
    expect((await found(code(" //nolint:govet // kept for the process's life"))).records).toEqual([])
    expect((await found(`//nolint\n${code("")}`)).records.map((record) => record.line)).toEqual([5])
  })

  test("a swiftlint comment silences a Swift rule on its line and the next", async () => {
    const code = (note: string) => `func load() -> Data {\n  ${note}\n  return try! Data(contentsOf: file)\n}\n`
    const found = (text: string) => review(syntaxRules("swift/*"), { "Sources/A.swift": [null, text] })
    expect((await found(code(""))).records.map((record) => record.line)).toEqual([3])
    expect((await found(code("// swiftlint:disable:next force_try"))).records).toEqual([])
  })
})
