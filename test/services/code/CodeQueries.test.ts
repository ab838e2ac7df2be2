import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { type DefinitionPlace, qualifiedName } from "../../../src/domain/code/CodeQuery.ts"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { CodeQueries } from "../../../src/services/code/CodeQueries.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { it } from "../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../support/repository.ts"

const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))

/** Asks of the last commit of a repository. */
const asking = <A>(repository: TestRepository, ask: (queries: CodeQueries["Service"]) => Effect.Effect<A>) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    return yield* CodeQueries.use(ask).pipe(
      Effect.provide(
        CodeLive.codeQueries.pipe(
          Layer.provide(SymbolIndex.layer),
          Layer.provide(SyntaxTrees.layer),
          Layer.provide([SourcesGit.layer(opened, change), TreeSitter.layer]),
          Layer.provide(NoFacts.layer)
        )
      )
    )
  }).pipe(Effect.provide(live))

const asked = <A>(
  files: Readonly<Record<string, string>>,
  ask: (queries: CodeQueries["Service"]) => Effect.Effect<A>
) =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    repository.commit("one", files)
    return yield* asking(repository, ask)
  })

/** The one definition of a name. */
const the = (queries: CodeQueries["Service"], name: string): Effect.Effect<DefinitionPlace> =>
  Effect.map(queries.definitionsOf(name), ({ found }) => {
    const [first] = found
    if (first === undefined || found.length > 1) throw new Error(`${found.length} definitions of ${name}`)
    return first
  })

const shownPlace = ({ definition, path }: DefinitionPlace) => `${path}:${definition.line} ${qualifiedName(definition)}`

/** `path:line kind`, with `?` for what only has the name. */
const referencesTo = (name: string) => (queries: CodeQueries["Service"]) =>
  Effect.gen(function* () {
    const { found } = yield* queries.referencesTo(yield* the(queries, name))
    return found.map(({ certain, kind, line, path }) => `${path}:${line} ${kind}${certain ? "" : "?"}`)
  })

const callersOf = (name: string) => (queries: CodeQueries["Service"]) =>
  Effect.gen(function* () {
    const { found } = yield* queries.callersOf(yield* the(queries, name))
    return found.map(
      ({ certain, definition, lines, path }) =>
        `${path} ${definition === null ? "-" : qualifiedName(definition)} ${lines.join(",")}${certain ? "" : "?"}`
    )
  })

const calleesOf = (name: string) => (queries: CodeQueries["Service"]) =>
  Effect.gen(function* () {
    const { found } = yield* queries.calleesOf(yield* the(queries, name))
    return found.map((each) => `${shownPlace(each)} ${each.lines.join(",")}${each.certain ? "" : "?"}`)
  })

const shop = {
  "shop/__init__.py": "from .cart import total\n",
  "shop/tax.py": "def rate(of):\n    return of\n",
  "shop/cart.py":
    "from .tax import rate\n\n\nclass Cart:\n    def total(self):\n        return self.sum() + rate(1)\n\n    def sum(self):\n        return 1\n\n\ndef total(cart: Cart):\n    return cart.total()\n",
  "app.py":
    "from shop.cart import Cart, total as t\nimport shop.cart as c\n\n\ndef main(cart: Cart, other):\n    t(cart)\n    other.total()\n    return c.total\n\n\nt(None)\n",
  "words.py": '# total of it all\ntext = "total"\n\n\ndef total():\n    return 1\n',
  "test_cart.py": "from shop.cart import Cart\n\n\ndef test():\n    assert Cart().total() == 1\n"
}

describe("definitions of a name", () => {
  it.live("are certain for a name that a function imports", () =>
    Effect.gen(function* () {
      const files = {
        "b.py": "def total(a):\n    return a\n",
        "c.py": "def other(a):\n    return a\n",
        "u.py": "def f():\n    from b import total\n    return total(1)\n",
        "v.py": "from b import total\n\n\ndef f():\n    from c import other as total\n    return total(1)\n"
      }
      expect(yield* asked(files, referencesTo("total"))).toEqual(["u.py:2 import", "u.py:3 call", "v.py:1 import"])
    })
  )
  it.live("are found by the name alone, by its class, and by its file", () =>
    Effect.gen(function* () {
      const of = (written: string) =>
        asked(shop, (queries) => Effect.map(queries.definitionsOf(written), ({ found }) => found.map(shownPlace)))
      expect(yield* of("total")).toEqual(["shop/cart.py:5 Cart.total", "shop/cart.py:12 total", "words.py:5 total"])
      expect(yield* of("Cart.total")).toEqual(["shop/cart.py:5 Cart.total"])
      expect(yield* of("shop.cart.total")).toEqual(["shop/cart.py:12 total"])
      expect(yield* of("words::total()")).toEqual(["words.py:5 total"])
      for (const nothing of ["", "nowhere", "Nobody.total", "."]) expect(yield* of(nothing)).toEqual([])
    })
  )
  it.live("are found as each language writes a name: with its package, crate, receiver or number of arguments", () =>
    Effect.gen(function* () {
      const files = {
        "go.mod": "module shop\n",
        "pay/till.go":
          "package pay\n\ntype Till struct{}\n\nfunc (t *Till) Total() int { return 1 }\n\nfunc Open() {}\n",
        "src/main/java/com/shop/Cart.java": "package com.shop;\n\nclass Cart {\n  int sum() { return 1; }\n}\n",
        "shop/src/tax/rate.rs": "pub fn rate() {}\n",
        "lib/shop.ex": "defmodule Shop.Order do\n  def place(a, b), do: a + b\nend\n",
        "web/cart.js": "export class Basket {\n  #weigh() {\n    return 1\n  }\n}\n"
      }
      const of = (written: string) =>
        asked(files, (queries) => Effect.map(queries.definitionsOf(written), ({ found }) => found.map(shownPlace)))
      expect(yield* of("pay.Open")).toEqual(["pay/till.go:7 Open"])
      expect(yield* of("(*Till).Total()")).toEqual(["pay/till.go:5 Till.Total"])
      expect(yield* of("Till.Total(rate)")).toEqual(["pay/till.go:5 Till.Total"])
      expect(yield* of("com.shop.Cart")).toEqual(["src/main/java/com/shop/Cart.java:3 Cart"])
      expect(yield* of("com.shop.Cart#sum")).toEqual(["src/main/java/com/shop/Cart.java:4 Cart.sum"])
      expect(yield* of("shop::tax::rate")).toEqual(["shop/src/tax/rate.rs:1 rate"])
      expect(yield* of("crate::tax::rate::rate")).toEqual(["shop/src/tax/rate.rs:1 rate"])
      expect(yield* of("Shop.Order.place/2")).toEqual(["lib/shop.ex:2 Shop.Order.place"])
      expect(yield* of("Basket.#weigh")).toEqual(["web/cart.js:2 Basket.#weigh"])
      for (const nothing of ["tax::shop::rate", "com.Shop.Cart", "till.Total"]) expect(yield* of(nothing)).toEqual([])
    })
  )
  it.live("are found in functions, objects, namespaces and inline modules, and so are macros", () =>
    Effect.gen(function* () {
      const files = {
        "lib.rs":
          "macro_rules! square {\n  ($x:expr) => { $x * $x };\n}\n\nmod shapes {\n  pub struct Circle;\n  impl Circle {\n    pub fn grow(&self) {}\n  }\n}\n\nfn area() -> u32 {\n  square!(2)\n}\n",
        "api.js":
          "const api = {\n  get() {},\n  post: (x) => x,\n  size: 3,\n  deep: { inner() {} }\n}\nres.send = function () {}\nFoo.prototype.bar = function () {}\nbuild(() => {\n  function helper() {}\n  helper()\n})\nfunction helper() {}\nhelper()\n",
        "shop.ts":
          "export namespace Shop {\n  export function total() {}\n  export const limit = 3\n  export class Cart {\n    add() {}\n  }\n}\n",
        "nest.py":
          "def outer():\n    def nested():\n        return 1\n    return nested()\n\n\nclass Cart:\n    def add(self):\n        def check():\n            pass\n"
      }
      const of = (written: string) =>
        asked(files, (queries) =>
          Effect.map(queries.definitionsOf(written), ({ found }) =>
            found.map((place) => `${shownPlace(place)} ${place.definition.kind}`)
          )
        )
      for (const [written, ...found] of [
        ["square", "lib.rs:1 square function"],
        ["shapes::Circle", "lib.rs:6 shapes.Circle type"],
        ["Circle::grow", "lib.rs:8 shapes.Circle.grow method"],
        ["api.get", "api.js:2 api.get method"],
        ["post", "api.js:3 api.post method"],
        ["api.deep.inner", "api.js:5 api.deep.inner method"],
        ["res.send", "api.js:7 res.send method"],
        ["Foo.bar", "api.js:8 Foo.bar method"],
        ["Shop.total", "shop.ts:2 Shop.total function"],
        ["Shop.limit", "shop.ts:3 Shop.limit constant"],
        ["Cart.add", "nest.py:8 Cart.add method", "shop.ts:5 Shop.Cart.add method"],
        ["outer.nested", "nest.py:2 outer.nested function"],
        ["check", "nest.py:9 Cart.add.check function"]
      ] as const) {
        expect([written, ...(yield* of(written))]).toEqual([written, ...found])
      }
      expect(yield* of("size")).toEqual([])
      const macro = yield* asked(files, (queries) => queries.definitionsOf("square"))
      expect(macro.omitted).toEqual(["uses of the macro square"])
    })
  )
  it.live("do not take the certain references of another definition of the name", () =>
    Effect.gen(function* () {
      const files = {
        "a.js": "build(() => {\n  function helper() {}\n})\nexport function helper() {}\n",
        "b.js": 'import { helper } from "./a.js"\nhelper()\n'
      }
      const certain = yield* asked(files, (queries) =>
        Effect.gen(function* () {
          const { found } = yield* queries.definitionsOf("helper")
          const references = yield* Effect.forEach(found, queries.referencesTo)
          return references.map(({ found }) => found.some(({ certain }) => certain))
        })
      )
      expect(certain).toEqual([false, true])
    })
  )
  it.live("are limited to the wanted files", () =>
    Effect.gen(function* () {
      const found = yield* asked(shop, (queries) => queries.definitionsOf("total", (path) => path === "words.py"))
      expect(found.found.map(shownPlace)).toEqual(["words.py:5 total"])
    })
  )
})

describe("references to a definition", () => {
  it.live("are imports, calls and other uses, under whatever name a file gives it, through packages too", () =>
    Effect.gen(function* () {
      expect(yield* asked(shop, referencesTo("shop.cart.total"))).toEqual([
        "app.py:1 import",
        "app.py:6 call",
        "app.py:8 use",
        "app.py:11 call",
        "shop/__init__.py:1 import"
      ])
    })
  )
  it.live("are found through re-exports: of a package, a module and a crate", () =>
    Effect.gen(function* () {
      const python = {
        "shop/__init__.py": "from .cart import total as total\n",
        "shop/cart.py": "def total():\n    return 1\n",
        "app.py": "import shop\nfrom shop import total\n\nshop.total()\ntotal()\n"
      }
      expect(yield* asked(python, referencesTo("cart.total"))).toEqual([
        "app.py:2 import",
        "app.py:4 call",
        "app.py:5 call",
        "shop/__init__.py:1 import"
      ])
      const script = {
        "cart.ts": "export const total = (): number => 1\n",
        "index.ts": 'export { total } from "./cart"\n',
        "app.ts": 'import { total } from "./index"\n\ntotal()\n'
      }
      expect(yield* asked(script, referencesTo("total"))).toEqual([
        "app.ts:1 import",
        "app.ts:3 call",
        "index.ts:1 import"
      ])
      const rust = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod cart;\npub use cart::Cart;\n",
        "src/cart.rs": "pub struct Cart;\n",
        "src/main.rs": "use shop::Cart;\n\nfn main() {\n    let cart = Cart;\n}\n"
      }
      expect(yield* asked(rust, referencesTo("Cart"))).toEqual([
        "src/lib.rs:2 import",
        "src/main.rs:1 import",
        "src/main.rs:4 use"
      ])
    })
  )
  it.live("are found through a module that is re-exported as a name", () =>
    Effect.gen(function* () {
      const files = {
        "cart.ts": "export const total = (): number => 1\n",
        "tax.ts": "export const rate = (): number => 1\n",
        "index.ts": 'import * as tax from "./tax"\n\nexport * as cart from "./cart"\nexport { tax }\n',
        "app.ts": 'import { cart, tax } from "./index"\n\ncart.total()\ntax.rate()\n'
      }
      expect(yield* asked(files, referencesTo("total"))).toEqual(["app.ts:3 call"])
      expect(yield* asked(files, referencesTo("rate"))).toEqual(["app.ts:4 call"])
    })
  )
  it.live("are possible as members of the module, if it may export names that its syntax does not show", () =>
    Effect.gen(function* () {
      const files = {
        "cart.js": "function total() {\n  return 1\n}\n\nmodule.exports = { total }\n",
        "app.js": 'const cart = require("./cart")\n\ncart.total()\nother.total()\n'
      }
      expect(yield* asked(files, referencesTo("total"))).toEqual(["app.js:3 call?", "cart.js:5 use?"])
    })
  )
  it.live("of Rust are possible where a path has the module's name, if a macro declares the module", () =>
    Effect.gen(function* () {
      const files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "with_features! { pub mod pay; }\n",
        "src/pay/mod.rs": "mod till;\npub use till::open;\n",
        "src/pay/till.rs": "pub fn open() {}\n",
        "src/main.rs": "use shop::pay;\n\nfn main() {\n    pay::open();\n    door::open();\n}\n"
      }
      expect(yield* asked(files, referencesTo("till::open"))).toEqual([
        "src/main.rs:4 call?",
        "src/pay/mod.rs:2 import"
      ])
    })
  )
  it.live("of a method are those on objects of its class; on an undeclared object they are only possible", () =>
    Effect.gen(function* () {
      expect(yield* asked(shop, referencesTo("Cart.total"))).toEqual([
        "app.py:7 call?",
        "app.py:8 use?",
        "shop/cart.py:13 call",
        "test_cart.py:5 call"
      ])
    })
  )
  it.live("of a method are no words without an object, in languages that require one", () =>
    Effect.gen(function* () {
      const files = {
        "go.mod": "module shop\n",
        "till.go": "package shop\n\ntype Till struct{}\n\nfunc (t *Till) total() int { return 1 }\n",
        "use.go": "package shop\n\nfunc use(t *Till) int {\n\ttotal := t.total()\n\treturn total\n}\n"
      }
      expect(yield* asked(files, referencesTo("Till.total"))).toEqual(["use.go:4 call"])
    })
  )
  it.live("leave alone what only shares the name: comments, strings, other definitions", () =>
    Effect.gen(function* () {
      expect(yield* asked(shop, referencesTo("words.total"))).toEqual([])
    })
  )
})

describe("callers and callees", () => {
  it.live("name the functions that call, and files that call at their top", () =>
    Effect.gen(function* () {
      expect(yield* asked(shop, callersOf("shop.cart.total"))).toEqual(["app.py main 6", "app.py - 11"])
      expect(yield* asked(shop, callersOf("tax.rate"))).toEqual(["shop/cart.py Cart.total 6"])
    })
  )
  it.live("are each other's reverse: what a function calls has it for a caller", () =>
    Effect.gen(function* () {
      expect(yield* asked(shop, calleesOf("Cart.total"))).toEqual(["shop/cart.py:8 Cart.sum 6", "shop/tax.py:1 rate 6"])
      expect(yield* asked(shop, calleesOf("tax.rate"))).toEqual([])
      expect(yield* asked(shop, callersOf("Cart.sum"))).toEqual(["shop/cart.py Cart.total 6"])
    })
  )
})

describe("importers of a file", () => {
  it.live("are the files whose imports lead to it, and no others", () =>
    Effect.gen(function* () {
      const importers = (path: string) => (queries: CodeQueries["Service"]) =>
        Effect.map(queries.importersOf(path), ({ found }) => found)
      expect(yield* asked(shop, importers("shop/cart.py"))).toEqual(["app.py", "shop/__init__.py", "test_cart.py"])
      expect(yield* asked(shop, importers("shop/tax.py"))).toEqual(["shop/cart.py"])
      expect(yield* asked(shop, importers("words.py"))).toEqual([])
      expect(yield* asked(shop, importers("no/such/file.py"))).toEqual([])
    })
  )
  it.live("are known of a C header, a PHP class and a Kotlin package as well", () =>
    Effect.gen(function* () {
      const files = {
        "src/cart.h": "int total(int a);\n",
        "src/main.c": '#include "cart.h"\n\nint main(void) { return total(1); }\n',
        "src/other.c": "int other(void) { return 1; }\n",
        "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "php/"}}}',
        "php/Cart.php": "<?php\nnamespace Shop;\n\nclass Cart {\n  function total() { return 1; }\n}\n",
        "php/App.php": "<?php\nnamespace Shop\\Web;\n\nuse Shop\\Cart;\n\n$cart = new Cart();\n",
        "kt/shop/Cart.kt": "package shop\n\nclass Cart\n",
        "kt/app/App.kt": "package app\n\nimport shop.Cart\n\nval cart = Cart()\n"
      }
      const importers = (path: string) => (queries: CodeQueries["Service"]) =>
        Effect.map(queries.importersOf(path), ({ found }) => found)
      expect(yield* asked(files, importers("src/cart.h"))).toEqual(["src/main.c"])
      expect(yield* asked(files, importers("php/Cart.php"))).toEqual(["php/App.php"])
      expect(yield* asked(files, importers("kt/shop/Cart.kt"))).toEqual(["kt/app/App.kt"])
    })
  )
})

describe("tests of a definition", () => {
  it.live("use it, import its file or are named after it; the strongest reason is reported", () =>
    Effect.gen(function* () {
      const tests = (name: string) => (queries: CodeQueries["Service"]) =>
        Effect.gen(function* () {
          const { found } = yield* queries.testsOf(yield* the(queries, name))
          return found.map(({ by, path }) => `${path} ${by}`)
        })
      const files = { ...shop, "tests/test_tax.py": "x = 1\n" }
      expect(yield* asked(files, tests("Cart.total"))).toEqual(["test_cart.py use"])
      expect(yield* asked(files, tests("shop.cart.total"))).toEqual(["test_cart.py name"])
      expect(yield* asked(files, tests("tax.rate"))).toEqual(["tests/test_tax.py name"])
      expect(yield* asked(files, tests("words.total"))).toEqual([])
    })
  )
})

describe("in every language", () => {
  const languages: Readonly<Record<string, readonly [Readonly<Record<string, string>>, ReadonlyArray<string>]>> = {
    TypeScript: [
      {
        "src/cart.ts": "export function total(items: number[]) {\n  return items.length\n}\n",
        "src/app.ts": 'import { total } from "./cart"\n\nexport const main = () => total([])\n'
      },
      ["src/app.ts:1 import", "src/app.ts:3 call"]
    ],
    Go: [
      {
        "go.mod": "module example.com/shop\n",
        "cart/cart.go":
          "package cart\n\nfunc Total(a int) int {\n\treturn a\n}\n\nfunc own() int {\n\treturn Total(1)\n}\n",
        "main.go": 'package main\n\nimport "example.com/shop/cart"\n\nfunc main() {\n\tcart.Total(1)\n}\n'
      },
      ["cart/cart.go:8 call", "main.go:6 call"]
    ],
    Rust: [
      {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "pub mod cart;\nmod app;\n",
        "src/cart.rs": "pub fn total(a: u8) -> u8 {\n    a\n}\n",
        "src/app.rs": "use crate::cart::total;\n\nfn main() {\n    total(1);\n}\n"
      },
      ["src/app.rs:1 import", "src/app.rs:4 call"]
    ],
    Java: [
      {
        "src/shop/Cart.java":
          "package shop;\n\npublic class Cart {\n  public static int total(int a) {\n    return a;\n  }\n}\n",
        "src/app/App.java":
          "package app;\n\nimport shop.Cart;\n\nclass App {\n  int main() {\n    return Cart.total(1);\n  }\n}\n"
      },
      ["src/app/App.java:7 call"]
    ],
    Ruby: [
      {
        "lib/cart.rb": "class Cart\n  def total(a)\n    a\n  end\nend\n",
        "app.rb": 'require_relative "lib/cart"\n\nCart.new.total(1)\n'
      },
      ["app.rb:3 call?"]
    ],
    Elixir: [
      {
        "lib/shop/cart.ex": "defmodule Shop.Cart do\n  def total(a), do: a\nend\n",
        "lib/shop/app.ex": "defmodule Shop.App do\n  alias Shop.Cart\n\n  def main, do: Cart.total(1)\nend\n"
      },
      ["lib/shop/app.ex:4 call?"]
    ],
    Swift: [
      {
        "Sources/Cart.swift": "struct Cart {\n  func total(a: Int) -> Int { return a }\n}\n",
        "Sources/App.swift": "let cart = Cart()\nprint(cart.total(a: 1))\n"
      },
      ["Sources/App.swift:2 call?"]
    ],
    Kotlin: [
      {
        "shop/Cart.kt": "package shop\n\nfun total(a: Int): Int {\n  return a\n}\n",
        "app/App.kt": "package app\n\nimport shop.total\n\nfun main() {\n  total(1)\n}\n"
      },
      ["app/App.kt:3 import?", "app/App.kt:6 call?"]
    ],
    C: [
      {
        "cart.h": "static inline int total(int a) { return a; }\n",
        "main.c": '#include "cart.h"\n\nint main(void) {\n  return total(1);\n}\n'
      },
      ["main.c:4 call?"]
    ],
    "C++": [
      {
        "cart.hpp": "class Cart {\n public:\n  int total(int a) { return a; }\n};\n",
        "main.cpp": '#include "cart.hpp"\n\nint main() {\n  Cart cart;\n  return cart.total(1);\n}\n'
      },
      ["main.cpp:5 call?"]
    ],
    "C#": [
      {
        "Cart.cs": "namespace Shop;\n\npublic class Cart {\n  public int Total(int a) { return a; }\n}\n",
        "App.cs": "using Shop;\n\nclass App {\n  int Main() { return new Cart().Total(1); }\n}\n"
      },
      ["App.cs:4 call?"]
    ],
    PHP: [
      {
        "src/Cart.php": "<?php\nnamespace Shop;\n\nclass Cart {\n  function total($a) { return $a; }\n}\n",
        "src/App.php": "<?php\nnamespace Shop;\n\n$cart = new Cart();\n$cart->total(1);\n"
      },
      ["src/App.php:5 call?"]
    ]
  }
  for (const [name, [files, expected]] of Object.entries(languages)) {
    it.live(`${name}: finds who calls a function`, () =>
      Effect.gen(function* () {
        const written = name === "Go" || name === "C#" ? "Total" : "total"
        expect(yield* asked(files, referencesTo(written))).toEqual([...expected])
      })
    )
  }
})
