import { describe, expect } from "bun:test"
import { Effect } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { repositoryOf } from "../../src/domain/code/Repository.ts"
import { resolveImport } from "../../src/languages/imports.ts"
import { importsIn } from "../../src/languages/languages.ts"
import { expandUse } from "../../src/languages/rust/paths.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { it } from "../support/effect.ts"

const modulesIn = (grammar: Grammar, text: string) =>
  Effect.gen(function* () {
    const parser = yield* SyntaxParser
    const parsed = yield* parser.parse(grammar, text)
    const imports = importsIn(grammar, parsed.root)
    const modules = Map.groupBy(imports, ({ module }) => module)
    return [...modules].map(([module, some]) => [module, some.flatMap(({ name }) => name ?? [])].flat().join(" "))
  }).pipe(Effect.provide(TreeSitter.layer))

describe("imports", () => {
  const cases: ReadonlyArray<readonly [Grammar, string, ReadonlyArray<string>]> = [
    [
      "python",
      "import os, a.b as c\nfrom . import x\nfrom ..p.q import (r as s,\n  t)\nfrom m import *\nif 1:\n    import late\n",
      ["os", "a.b", ". x", "..p.q r t", "m", "late"]
    ],
    [
      "typescript",
      `import a, { b } from "./a"\nimport type { T } from './t'\nexport * from "../e"\nimport "./side"\nconst x = require("./r")\nconst y = await import("./d")\nconst z = other("./no")\nimport(\`./\${x}\`)\n`,
      ["./a default b", "./t T", "../e", "./side", "./r", "./d"]
    ],
    ["tsx", `import { A } from "@acme/ui"\nexport const B = () => <A />\n`, ["@acme/ui A"]],
    [
      "javascript",
      `import a from "./a.js"\nexport { b } from "./b.js"\nconst c = require('./c')\n`,
      ["./a.js default", "./b.js b", "./c"]
    ],
    ["go", 'package a\n\nimport "fmt"\n\nimport (\n\tx "m.io/a/b"\n\t_ "m.io/c"\n)\n', ["fmt", "m.io/a/b", "m.io/c"]],
    [
      "rust",
      "mod foo;\nmod inline { }\nuse crate::a::{b, c::{self, d as e}};\npub use super::x::Y;\nuse std::io::*;\n",
      ["self::foo", "crate::a::b", "crate::a::c", "crate::a::c::d", "super::x::Y", "std::io"]
    ],
    [
      "elixir",
      "defmodule Shop.Cart do\n  alias Shop.{Order, Item}\n  import Ecto.Query\n  use ShopWeb, :live\n  alias Shop.Repo, as: R\nend\n",
      ["Shop.Order", "Shop.Item", "Ecto.Query", "ShopWeb", "Shop.Repo"]
    ],
    [
      "java",
      "package a;\nimport com.acme.Cart;\nimport static com.acme.Sums.total;\nimport com.acme.items.*;\n",
      ["com.acme.Cart", "com.acme.Sums.total", "com.acme.items.*"]
    ],
    [
      "ruby",
      'require "json"\nrequire_relative "cart"\nrequire_relative "../order"\nfoo.require "x"\n',
      ["json", "./cart", "../order"]
    ]
  ]
  for (const [grammar, text, expected] of cases) {
    it.live(`reads what ${grammar} names`, () =>
      Effect.map(modulesIn(grammar, text), (modules) => expect([...modules].sort()).toEqual([...expected].sort()))
    )
  }

  it.live("reads Swift's modules, which lead to no file", () =>
    Effect.gen(function* () {
      expect(yield* modulesIn("swift", "import UIKit\n@testable import Shop\n")).toEqual(["UIKit", "Shop"])
      const repository = repositoryOf(["Shop/Cart.swift", "UIKit.swift"], new Map())
      expect(resolveImport("a.swift", { module: "UIKit", names: [] }, repository)).toEqual([])
    })
  )
})

describe("expandUse", () => {
  it("expands nested groups, renames, self and globs", () => {
    expect(expandUse("a::{b, c::{self, d as e}, f::*}")).toEqual(["a::b", "a::c", "a::c::d", "a::f"])
    expect(expandUse("a::b as c")).toEqual(["a::b"])
    expect(expandUse("{a, b::c}")).toEqual(["a", "b::c"])
    expect(expandUse("*")).toEqual([])
  })
})
