import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { nearestFirst } from "../../src/domain/code/nearestFirst.ts"
import { asText, dataFiles, importStatements, importWord } from "../../src/languages/imports.ts"
import { it } from "../support/effect.ts"

const statements = (path: string, text: string) =>
  asText(importStatements(path, text.split("\n")))
    .trimEnd()
    .split("\n")

describe("importStatements", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    [
      "a.py",
      'import a\n"""\nimport not_me\n"""\ndef f():\n    from b import (\n        c,\n    )\n    x = 1\nimportant = 1\n',
      ["import a", "from b import (", "c,", ")"]
    ],
    [
      "a.ts",
      'import {\n  a,\n  b\n} from "./x"\nconst y = require("./y")\nexport * from "./z"\nexport const w = 1\n',
      ["import {", "a,", "b", '} from "./x"', 'const y = require("./y")', 'export * from "./z"']
    ],
    ["a.go", 'package a\n\nimport (\n\t"fmt"\n)\n\nfunc f() {\n\tx := "fmt"\n}\n', ["import (", '"fmt"', ")"]],
    ["a.rs", "use a::{\n  b,\n};\nmod c;\nmod d {\n}\nfn e() {}\n", ["use a::{", "b,", "};", "mod c;"]],
    ["a.swift", "import Foundation\n", [""]],
    ["a.py", "", [""]]
  ]
  for (const [path, text, expected] of cases) {
    it(`keeps only the import statements of ${path}: ${JSON.stringify(expected.join(" "))}`, () => {
      expect(statements(path, text)).toEqual([...expected])
    })
  }

  it("reads a statement on a long line, and none on a line that is data", () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `name_${i}`).join(", ")
    expect(statements("a.py", `from a import ${names(500)}\n`)).toEqual([`from a import ${names(500)}`])
    expect(statements("a.py", `from a import ${names(5_000)}\n`)).toEqual([""])
  })

  it("does not follow a statement without an end through the entire file", () => {
    const text = asText(importStatements("a.py", ["from a import (", ...new Array<string>(10_000).fill("x,")]))
    expect(text.length).toBeLessThan(1_000)
  })
})

describe("importWord", () => {
  it("is the word an import of the file must contain", () => {
    expect(importWord("shop/cart.py")).toBe("cart")
    expect(importWord("shop/__init__.py")).toBe("shop")
    expect(importWord("ui/index.tsx")).toBe("ui")
    expect(importWord("packages/core/src/index.ts")).toBe("core")
    expect(importWord("types.d.ts")).toBe("types")
    expect(importWord("cart/sum.go")).toBe("cart")
    expect(importWord("src/net/mod.rs")).toBe("net")
    expect(importWord("lib/shop/cart_item.ex")).toBe("CartItem")
    expect(importWord("src/main.rs")).toBeNull()
    expect(importWord("README.md")).toBeNull()
  })
})

describe("nearestFirst", () => {
  it("puts the nearest folder first, and the same names in the same order", () => {
    expect(nearestFirst(["a/b/x.py"], ["z.py", "a/c/d/y.py", "a/c/y.py", "a/b/c/y.py", "a/b/y.py", "a/y.py"])).toEqual([
      "a/b/y.py",
      "a/b/c/y.py",
      "a/y.py",
      "a/c/y.py",
      "a/c/d/y.py",
      "z.py"
    ])
  })

  const Paths = Schema.Array(Schema.Literals(["a.py", "b/c.py", "b/d/e.py", "f/g.py", "b/h.py"]))

  it.prop("loses and invents nothing, in whatever order the candidates come", Paths, (paths) => {
    const once = nearestFirst(["b/x.py"], paths)
    expect([...once].sort()).toEqual([...paths].sort())
    expect(nearestFirst(["b/x.py"], [...paths].reverse())).toEqual(once)
  })
})

describe("dataFiles", () => {
  it("names what the languages of the change need to resolve imports", () => {
    const paths = [
      "go.mod",
      "Cargo.toml",
      "package.json",
      "examples/a/package.json",
      "web/tsconfig.json",
      "api/tsconfig.json"
    ]
    expect([...dataFiles(["web/a.ts"], paths)].sort()).toEqual(["package.json", "web/tsconfig.json"])
    expect(dataFiles(["a.go"], paths)).toEqual(["go.mod"])
    expect(dataFiles(["a.py"], paths)).toEqual([])
  })
})
