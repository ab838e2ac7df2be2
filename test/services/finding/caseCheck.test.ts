import { afterAll, describe, expect, test } from "bun:test"
import { ManagedRuntime } from "effect"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import type { Texts } from "../../support/change.ts"
import { structureSaid } from "../../support/structural.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())
const said = structureSaid(parsing)

const speaks = (
  title: string,
  texts: Texts,
  others: Readonly<Record<string, string>>,
  expected: ReadonlyArray<string>
) => test(title, async () => expect(await said(texts, others)).toEqual([...expected]))
const silent = (title: string, texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  speaks(`is silent about ${title}`, texts, others, [])

describe("Python", () => {
  const color = "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n    GREY = 3\n"
  const more: Texts = { "shop/colors.py": [color, `${color}    GREEN = 4\n`] }
  const table = "from shop import colors as c\n\nnames = {c.Color.RED: 1, c.Color.BLUE: 2, c.Color.GREY: 3}\n"
  const package_ = { "shop/__init__.py": "" }
  speaks("finds a table that named every member, through a module's other name", more, { ...package_, "a.py": table }, [
    "case-misses-new-member shop/colors.py:8 <- shop/colors.py:8; a.py:3"
  ])
  speaks(
    "finds a match whose last branch asserts that nothing is left",
    more,
    {
      ...package_,
      "a.py":
        "from shop.colors import Color\n\n\ndef f(x):\n    match x:\n        case Color.RED | Color.BLUE | Color.GREY:\n            return 1\n        case _ as never:\n            assert_never(never)\n"
    },
    ["match-no-longer-complete shop/colors.py:8 <- shop/colors.py:8; a.py:5"]
  )
  silent("a table that never named every member", more, { ...package_, "a.py": table.replace("c.Color.RED: 1, ", "") })
  silent("a table that takes in another one", more, { ...package_, "a.py": table.replace("}", ", **others}") })
  silent("a table in a test", more, { ...package_, "tests/test_a.py": table })
  silent(
    "a second name for a value",
    { "shop/colors.py": [color, `${color}    CRIMSON = 1\n`] },
    { ...package_, "a.py": table }
  )
  silent(
    "flags, of which any sum is a value",
    { "shop/colors.py": [color.replaceAll("Enum", "Flag"), `${color.replaceAll("Enum", "Flag")}    GREEN = 4\n`] },
    { ...package_, "a.py": table }
  )
  silent(
    "a renamed member, which is said elsewhere",
    { "shop/colors.py": [color, color.replace("GREY", "GRAY")] },
    { ...package_, "a.py": table }
  )
  silent("another type of the same name", more, {
    ...package_,
    "other/colors.py": color,
    "a.py": table.replace("from shop", "from other")
  })
})

describe("TypeScript", () => {
  const kind = 'export type Kind =\n  | "in" \n  | "out"\n  | "none"\n'
  const more: Texts = { "src/kind.ts": [kind, `${kind}  | "both"\n`] }
  const choose = (type: string, rest = "") =>
    `import type { Kind } from "./kind"\nexport const f = (kind${type}) => {\n  switch (kind) {\n    case "in":\n      return 1\n    case "out":\n      return 2\n    case "none":\n      return 3\n${rest}  }\n}\n`
  speaks("finds a switch on a parameter of the type", more, { "src/a.ts": choose(": Kind") }, [
    "case-misses-new-member src/kind.ts:5 <- src/kind.ts:5; src/a.ts:3"
  ])
  speaks("finds a switch that names exactly the members of a type it imports", more, { "src/a.ts": choose("") }, [
    "case-misses-new-member src/kind.ts:5 <- src/kind.ts:5; src/a.ts:3"
  ])
  speaks(
    "tells what the compiler refuses from what it lets through",
    more,
    {
      "src/a.ts": choose(": Kind"),
      "src/b.ts": choose(": Kind", "    default:\n      return assertNever(kind)\n"),
      "src/c.ts":
        'import { Kind as K } from "./kind"\nexport const t = { in: 1, out: 2, none: 3 } satisfies Record<K, number>\n'
    },
    [
      "match-no-longer-complete src/kind.ts:5 <- src/kind.ts:5; src/b.ts:3; src/c.ts:2",
      "case-misses-new-member src/kind.ts:5 <- src/kind.ts:5; src/a.ts:3"
    ]
  )
  speaks(
    "goes by the property that tells objects apart",
    {
      "src/shape.ts": [
        'export type Shape = { kind: "a" } | { kind: "b" } | { kind: "c" }\n',
        'export type Shape =\n  { kind: "a" } | { kind: "b" } | { kind: "c" } |\n  { kind: "d" }\n'
      ]
    },
    {
      "src/a.ts":
        'import { Shape } from "./shape"\nexport function f(s: Shape) {\n  switch (s.kind) {\n    case "a": return 1\n    case "b": return 2\n    case "c": return 3\n  }\n}\n'
    },
    ["case-misses-new-member src/shape.ts:3 <- src/shape.ts:3; src/a.ts:3"]
  )
  speaks(
    "finds a case for a literal that is gone",
    { "src/kind.ts": [kind, kind.replace('  | "none"\n', "")] },
    { "src/a.ts": choose(": Kind") },
    ["case-of-removed-member src/kind.ts:2 <- src/kind.ts:2; src/a.ts:3"]
  )
  silent("a member that the change handles before the switch", {
    ...more,
    "src/a.ts": [choose(": Kind"), choose(": Kind").replace("  switch", '  if (kind === "both") return 0\n  switch')]
  })
  silent("a parameter of another type", more, { "src/a.ts": choose(": Direction") })
  silent("a last branch for anything else", more, { "src/a.ts": choose(": Kind", "    default:\n      return 4\n") })
  silent("a switch that the change touched", {
    ...more,
    "src/a.ts": [choose(": Kind"), choose(": Kind").replace("return 3", "return 4")]
  })
  silent(
    "members in another order",
    { "src/kind.ts": [kind, 'export type Kind = "none" | "out" | "in"\n'] },
    { "src/a.ts": choose(": Kind") }
  )
})

describe("Go", () => {
  const color = "package color\n\ntype Color int\n\nconst (\n\tRed Color = iota\n\tBlue\n\tGrey\n)\n"
  const more: Texts = { "color/color.go": [color, color.replace("\tGrey\n", "\tGrey\n\tGreen\n")] }
  const module = { "go.mod": "module example.com/shop\n" }
  const name = (prefix: string, rest = "") =>
    `package main\n\nimport "example.com/shop/color"\n\nfunc name(c color.Color) string {\n\tswitch c {\n\tcase ${prefix}Red, ${prefix}Blue:\n\t\treturn "r"\n\tcase ${prefix}Grey:\n\t\treturn "g"\n${rest}\t}\n\treturn ""\n}\n`
  speaks("finds a switch in another package", more, { ...module, "main.go": name("color.") }, [
    "case-misses-new-member color/color.go:9 <- color/color.go:9; main.go:6"
  ])
  speaks(
    "finds a map in the same package",
    more,
    { ...module, "color/names.go": 'package color\n\nvar names = map[Color]string{Red: "r", Blue: "b", Grey: "g"}\n' },
    ["case-misses-new-member color/color.go:9 <- color/color.go:9; color/names.go:3"]
  )
  silent("a default", more, { ...module, "main.go": name("color.", '\tdefault:\n\t\treturn "?"\n') })
  silent(
    "a constant that moves to another file of its package",
    {
      "color/color.go": [color, color.replace("\tGrey\n", "")],
      "color/grey.go": [null, "package color\n\nconst Grey Color = 2\n"]
    },
    { ...module, "main.go": name("color.") }
  )
  silent(
    "a bound of the list",
    { "color/color.go": [color, color.replace("\tGrey\n", "\tGrey\n\tcolorCount\n")] },
    { ...module, "main.go": name("color.") }
  )
})

describe("Rust and Java", () => {
  const color = "pub enum Color {\n    Red,\n    Blue(u8),\n}\n"
  const more: Texts = { "src/color.rs": [color, color.replace("}\n", "    Green { x: u8 },\n}\n")] }
  const arms = (blue: string, rest = "") =>
    `use crate::color::Color;\n\nfn f(c: &Color) -> u8 {\n    match c {\n        Color::Red => 1,\n        ${blue} => 2,\n${rest}    }\n}\n`
  speaks("finds a match that has to be complete", more, { "src/a.rs": arms("Color::Blue(_)") }, [
    "match-no-longer-complete src/color.rs:4 <- src/color.rs:4; src/a.rs:4"
  ])
  silent("a variant that is matched only in part", more, {
    "src/a.rs": arms("Color::Blue(1)", "        other => 3,\n")
  })
  silent("an arm for anything else", more, { "src/a.rs": arms("Color::Blue(_)", "        other => 3,\n") })
  silent("two enums of one name", more, { "src/a.rs": arms("Color::Blue(_)"), "src/b.rs": "enum Color { X }\n" })
  silent("a new enum", { "src/color.rs": [null, color] }, { "src/a.rs": arms("Color::Blue(_)") })
})
