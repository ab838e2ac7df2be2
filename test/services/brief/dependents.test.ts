import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { definitionsOf } from "../../../src/services/brief/definitions.ts"
import { dependentsOf } from "../../../src/services/brief/dependents.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const found = (texts: Texts, others: Readonly<Record<string, string>>, depth = 1) =>
  parsing.runPromise(
    Effect.gen(function* () {
      const change = changeOf(texts)
      const { definitions, values } = (yield* definitionsOf(change)).found
      return yield* dependentsOf(change, definitions, values, { depth })
    }).pipe(
      Effect.provide(
        CodeLive.namesAndTypes.pipe(
          Layer.provideMerge(SymbolIndex.layer),
          Layer.provideMerge(SyntaxTrees.layer),
          Layer.provideMerge(sourcesOf(texts, others)),
          Layer.provide(NoFacts.layer)
        )
      )
    )
  )

const said = async (texts: Texts, others: Readonly<Record<string, string>>, depth?: number) =>
  (await found(texts, others, depth)).found.flatMap(
    ({ callers, files, importers, name, nearest, overriders, possible, subtypes, touched }) => [
      `${name}: ${callers} calls, ${importers} importers, ${overriders} overriders, ${subtypes} subtypes, ${possible} possible, ${touched} of ${files} files touched`,
      ...nearest.map(
        ({ certain, depth, file, kind, line, name }) =>
          `${depth} ${kind} ${file}:${line} ${name ?? ""}${certain ? "" : " possible"}`
      )
    ]
  )

const total: Texts = {
  "shop/cart.py": ["def total(items):\n    return 1\n", "def total(items, tax):\n    return 1\n"]
}

describe("dependents of a brief", () => {
  const usersOf = async (texts: Texts, others: Readonly<Record<string, string>>) => (await said(texts, others)).slice(1)

  test("takes members that a static import or a parent brings, in Java and C#", async () => {
    const before = "package p;\n\npublic class B {\n  public static int total(int a) { return a; }\n}\n"
    const java: Texts = { "src/p/B.java": [before, before.replace("int a)", "int a, int b)")] }
    expect(
      await usersOf(java, {
        "src/p/C.java": "package p;\n\nclass C extends B {\n  int f() { return total(1); }\n}\n",
        "src/p/D.java":
          "package p;\n\nclass D extends B {\n  int total(int a) { return a; }\n  int f() { return total(1); }\n}\n",
        "src/p/E.java": "package p;\n\nclass E {\n  B b;\n  int f() { return total(1); }\n}\n",
        "src/q/F.java": "package q;\n\nimport static p.B.total;\n\nclass F {\n  int f() { return total(1); }\n}\n"
      })
    ).toEqual(["1 call src/p/C.java:4 C.f", "1 override src/p/D.java:4 D.total", "1 call src/q/F.java:6 F.f"])
    const sharp = "namespace N;\n\npublic static class B {\n  public static int Total(int a) { return a; }\n}\n"
    expect(
      await usersOf(
        { "B.cs": [sharp, sharp.replace("int a)", "int a, int b)")] },
        { "R.cs": "using static N.B;\nclass R { int F() => Total(1); }\n" }
      )
    ).toEqual(["1 call R.cs:2 R.F possible"])
  })

  test("does not take a function of a type, of a module's glob or of an alias for another one", async () => {
    const rust: Texts = {
      "src/b.rs": ["pub fn total(a: u8) -> u8 { a }\n", "pub fn total(a: u8, b: u8) -> u8 { a }\n"]
    }
    expect(
      await usersOf(rust, {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "pub mod b;\npub mod o;\npub mod s;\npub mod t;\npub mod u;\n",
        "src/o.rs": "pub fn total(a: u8) -> u8 { a }\n",
        "src/s.rs":
          "use crate::b::*;\npub struct S;\nimpl S {\n    pub fn total(a: u8) -> u8 { a }\n    pub fn f() -> u8 { Self::total(1) + S::total(1) }\n}\n",
        "src/t.rs": "use crate::b;\npub mod inner {\n    use crate::o::*;\n    pub fn f() -> u8 { total(1) }\n}\n",
        "src/u.rs": "use crate::b::*;\npub fn f() -> u8 { total(1) }\n"
      })
    ).toEqual(["1 call src/u.rs:2 f"])
    const elixir: Texts = {
      "lib/b.ex": [
        "defmodule B do\n  def total(a), do: a\nend\n",
        "defmodule B do\n  def total(a, b), do: a + b\nend\n"
      ]
    }
    expect(
      await usersOf(elixir, {
        "lib/o.ex": "defmodule O do\n  def total(a), do: a\nend\n",
        "lib/s.ex": "defmodule S do\n  alias O, as: B\n  def f, do: B.total(1)\nend\n",
        "lib/t.ex": "defmodule T do\n  def f, do: B.total(1)\nend\n",
        "lib/u.ex": "defmodule U do\n  import B\n  def f, do: total(1)\nend\n"
      })
    ).toEqual(["1 call lib/t.ex:2 T.f", "1 call lib/u.ex:3 U.f possible"])
    const php: Texts = { "b.php": ["<?php\nfunction total($a) {}\n", "<?php\nfunction total($a, $b) {}\n"] }
    expect(
      await usersOf(php, {
        "s.php":
          "<?php\nclass A {\n  static function total($x) {}\n  function m() { return self::total(2) + A::total(3); }\n}\n",
        "t.php": "<?php\nnamespace o;\nfunction total($x) {}\ntotal(1);\n",
        "u.php": "<?php\nuse function o\\total;\ntotal(1);\n",
        "v.php": "<?php\nO::total(1);\ntotal(1);\n"
      })
    ).toEqual(["1 call v.php:3 ", "1 call t.php:4  possible", "1 call u.php:3  possible"])
  })

  test("counts the users of a changed function through imports and re-exports", async () => {
    expect(
      await said(total, {
        "shop/__init__.py": "from .cart import total\n",
        "app.py": "from shop import total\n\ndef pay(items):\n    # total is computed here\n    return total(items)\n",
        "web.py": "import shop.cart\n\nx = shop.cart.total([])\n",
        "other.py": "from numbers import total\n\nprint(total([]))\n"
      })
    ).toEqual([
      "total: 2 calls, 2 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 3 files touched",
      "1 call app.py:5 pay",
      "1 call web.py:3 "
    ])
  })

  test("counts no use in a part that the parser does not understand", async () => {
    const user = "from shop.cart import total\n\ndef pay(items):\n    return total(items)\n"
    const broken = "\n\ndef other(:\n    return = total(items) total(1)\n"
    const users = await said(total, { "app.py": `${user}${broken}` })
    expect(users[0]).toBe("total: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched")
  })

  test("follows an import of Go, which does not name its package", async () => {
    expect(
      await said(
        {
          "cart/cart.go": [
            "package cart\n\nfunc Total() int {\n\treturn 1\n}\n",
            "package cart\n\nfunc Total() int {\n\treturn 2\n}\n"
          ]
        },
        {
          "go.mod": "module acme.io/shop\n",
          "web/web.go": 'package web\n\nimport "acme.io/shop/cart"\n\nfunc Pay() int {\n\treturn cart.Total()\n}\n',
          "web/other.go": 'package web\n\nimport "elsewhere.io/cart"\n\nvar x = cart.Total()\n'
        }
      )
    ).toEqual([
      "Total: 1 calls, 0 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call web/web.go:6 Pay"
    ])
  })

  test("counts the tests of a Java or Kotlin package, which are in another source root", async () => {
    const test = (name: string) =>
      `package shop;\n\nclass ${name} {\n    int runs() {\n        return Pay.total(3);\n    }\n}\n`
    const pay = (type: string) =>
      `package shop;\n\npublic class Pay {\n    public static int total(${type} a) {\n        return 1;\n    }\n}\n`
    expect(
      await said(
        { "app/src/main/java/shop/Pay.java": [pay("int"), pay("long")] },
        {
          "app/src/test/java/shop/PayTest.java": test("PayTest"),
          "app/src/test/java/other/PayTest.java": test("OtherTest"),
          "examples/src/main/java/shop/Shop.java": test("Shop")
        }
      )
    ).toEqual([
      "Pay.total: 1 calls, 0 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call app/src/test/java/shop/PayTest.java:5 PayTest.runs"
    ])
    const kotlin = "package shop\n\nfun payOrder(a: Int): Int {\n    return a\n}\n"
    expect(
      await said(
        { "src/commonMain/kotlin/shop/Pay.kt": [kotlin, kotlin.replace("a: Int", "a: Long")] },
        { "src/commonTest/kotlin/shop/RunTest.kt": "package shop\n\nfun runs(): Int {\n    return payOrder(1)\n}\n" }
      )
    ).toContain("1 call src/commonTest/kotlin/shop/RunTest.kt:4 runs")
  })

  test("counts the users of a CommonJS module, and those of `import()`", async () => {
    const pay =
      "function pay(a) {\n  return a\n}\n\nmodule.exports = pay\nmodule.exports.total = function (a) {\n  return a\n}\n"
    expect(
      await said(
        { "lib/pay.js": [pay, pay.replaceAll("(a)", "(a, b)")] },
        {
          "package.json": '{ "main": "lib/pay.js" }',
          "lib/pay.d.ts": "export function pay(a: number): number\n",
          "use.js": "const {\n  total: sum\n} = require('./lib/pay')\n\nsum(1)\n",
          "whole.js":
            "const Pay = require('./lib/pay.js')\n\nconst pay = Pay(1) + Pay.total(2)\nconst other = require('./lib/pay')(3)\n",
          "test/main.js":
            "const pay = require('..')\n\nit('pays', async () => {\n  pay(1)\n  const lib = await import('../lib/pay')\n  lib.total(2)\n})\n",
          "elsewhere.js": "const pay = require('pay')\n\npay(1)\n"
        }
      )
    ).toEqual([
      "pay: 2 calls, 2 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 3 files touched",
      "1 use lib/pay.js:5 ",
      "1 call whole.js:3 ",
      "1 call test/main.js:4 ",
      "total: 3 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 3 files touched",
      "1 call use.js:5 ",
      "1 call whole.js:3 ",
      "1 call test/main.js:6 "
    ])
  })

  test("counts a name that is exported again by another one, and a module below an imported package", async () => {
    expect(
      await said(
        {
          "src/a.ts": [
            "export function run(a: string) {\n  return a\n}\n",
            "export function run(a: number) {\n  return a\n}\n"
          ]
        },
        { "src/d.ts": 'export { run as start } from "./a"\n', "src/e.ts": 'export { run } from "./b"\n' }
      )
    ).toEqual([
      "run: 0 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 import src/d.ts:1 "
    ])
    expect(
      await said(total, {
        "use.py": "import shop\n\nshop.cart.total([])\nshop.other.total([])\n",
        "shop/__init__.py": ""
      })
    ).toContain("1 call use.py:3 ")
  })

  test("counts constructors and static calls of PHP and Ruby, and imported names of Kotlin", async () => {
    const php =
      "<?php\n\nnamespace Shop;\n\nclass Pay\n{\n    public function __construct(int $a)\n    {\n    }\n\n    public static function total($a)\n    {\n        return $a;\n    }\n}\n"
    const user = (use: string, name: string) =>
      `<?php\n\nnamespace Web;\n\nuse ${use};\n\nfunction run() {\n    $pay = new ${name}(1);\n    return ${name}::total(3);\n}\n`
    expect(
      await said(
        { "src/Pay.php": [php, php.replace("int $a", "string $a").replace("total($a)", "total($a, $b)")] },
        {
          "composer.json": '{ "autoload": { "psr-4": { "Shop\\\\": "src/" } } }',
          "web/a.php": user("Shop\\Pay", "Pay"),
          "web/b.php": user("Shop\\{Cart, Pay as Payment}", "Payment"),
          "web/c.php": user("Other\\Pay", "Pay")
        }
      )
    ).toEqual([
      "Pay.__construct: 2 calls, 2 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 2 files touched",
      "1 call web/a.php:8 run",
      "1 call web/b.php:8 run",
      "1 use web/a.php:9 run",
      "1 use web/b.php:9 run",
      "Pay.total: 1 calls, 0 importers, 0 overriders, 0 subtypes, 1 possible, 0 of 2 files touched",
      "1 call web/a.php:9 run",
      "1 call web/b.php:9 run possible"
    ])
    const ruby = "class Cart\n  def initialize(a)\n    @a = a\n  end\nend\n"
    expect(
      await said({ "lib/cart.rb": [ruby, ruby.replace("(a)", "(a, b)")] }, { "bin/run.rb": "cart = Cart.new(1)\n" })
    ).toContain("1 call bin/run.rb:1 ")
    const kotlin = "package shop\n\nfun pay(a: Int): Int {\n    return a\n}\n"
    const imports = (name: string) => `package web\n\nimport ${name}\n\nval a = pay(1)\n`
    expect(
      await said(
        { "src/main/kotlin/shop/Functions.kt": [kotlin, kotlin.replace("a: Int", "a: Long")] },
        {
          "src/main/kotlin/shop/Other.kt": "package shop\n",
          "src/main/kotlin/web/A.kt": imports("shop.pay"),
          "src/main/kotlin/web/B.kt": imports("shop.*"),
          "src/main/kotlin/web/C.kt": imports("shop.other"),
          "src/main/kotlin/web/D.kt": imports("bank.pay")
        }
      )
    ).toEqual([
      "pay: 2 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 2 files touched",
      "1 call src/main/kotlin/web/A.kt:5 ",
      "1 call src/main/kotlin/web/B.kt:5 "
    ])
  })

  test("is not certain of a method that extends a type of another library", async () => {
    const extension = (type: string) =>
      `extension ${type} {\n  func popover(a: Int) {\n  }\n\n  func show() {\n    self.popover(item: 1)\n  }\n}\n`
    const change = (type: string): Texts => ({
      "Sources/a.swift": [extension(type), extension(type).replace("a: Int", "a: Int, b: Int")]
    })
    const others = { "Sources/b.swift": "struct Sheet {\n}\n" }
    expect(await said(change("View"), others)).toContain("1 call Sources/a.swift:6 View.show possible")
    expect(await said(change("Sheet"), others)).toContain("1 call Sources/a.swift:6 Sheet.show")
  })

  test("names users first that the change does not edit", async () => {
    const edited = "from cart import total\n\ny = total(2)\n"
    expect(
      await said(
        {
          "cart.py": ["def total(items):\n    return 1\n", "def total(items):\n    return 2\n"],
          "a.py": ["", edited]
        },
        { "z.py": "from cart import total\n\nx = total([])\n" }
      )
    ).toEqual([
      "total: 2 calls, 2 importers, 0 overriders, 0 subtypes, 0 possible, 1 of 2 files touched",
      "1 call z.py:3 ",
      "1 call a.py:3 "
    ])
  })

  test("names the users of an old name or an old file, unless the name is still there", async () => {
    const pay = (name: string) => `def ${name}(a):\n    x = a + 1\n    return x * 2\n`
    const other = "def other():\n    return 1\n"
    const use = "from a import pay\n\npay(1)\n"
    expect(
      await said(
        { "a.py": [pay("pay"), pay("charge")], "new.py": [use, use.replaceAll("pay", "charge")] },
        { "old.py": use }
      )
    ).toEqual([
      "pay: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call old.py:3 ",
      "charge: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 1 of 1 files touched",
      "1 call new.py:3 "
    ])
    const moved = (left: string): Texts => ({ "a.py": [pay("pay") + other, left + other], "b.py": ["", pay("pay")] })
    expect(await said(moved(""), { "old.py": use })).toEqual([
      "pay: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call old.py:3 "
    ])
    expect((await found(moved("from b import pay\n\n"), { "old.py": use })).found.map(({ file }) => file)).toEqual([
      "b.py"
    ])
  })

  test("does not count a file that only has another path as edited", async () => {
    const use = "from cart import total\n\ntotal(1)\n"
    const cart: Texts[string] = ["def total(a):\n    return 1\n", "def total(a, b):\n    return 1\n"]
    // The same text on both sides, as after a move.
    expect(await said({ "cart.py": cart, "moved.py": [use, use] }, {})).toEqual([
      "total: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call moved.py:3 "
    ])
  })

  test("knows methods by the types that a file names", async () => {
    expect(
      await said(
        {
          "src/cart.ts": [
            "export class Cart {\n  total(): number {\n    return this.sum()\n  }\n  sum(): number {\n    return 1\n  }\n}\n",
            "export class Cart {\n  total(): number {\n    return this.sum(2)\n  }\n  sum(rate: number): number {\n    return rate\n  }\n}\n"
          ]
        },
        {
          "src/pay.ts": 'import { Cart } from "./cart"\n\nexport const pay = (cart: Cart) => cart.sum()\n',
          "src/big.ts":
            'import { Cart } from "./cart"\n\nexport class BigCart extends Cart {\n  override sum(): number {\n    return 2\n  }\n}\n',
          "src/list.ts": "export const all = (list: List) => list.sum()\n"
        }
      )
    ).toEqual([
      "Cart.sum: 1 calls, 0 importers, 1 overriders, 0 subtypes, 1 possible, 1 of 3 files touched",
      "1 override src/big.ts:4 BigCart.sum",
      "1 call src/cart.ts:3 Cart.total",
      "1 call src/pay.ts:3 pay possible"
    ])
  })

  test("finds the objects of a type in files that do not name it, by what declares them", async () => {
    const cart = (rate: number) =>
      `package cart\n\ntype Cart struct{}\n\nfunc (c *Cart) Total() int {\n\treturn ${rate}\n}\n`
    expect(
      await said(
        { "cart/cart.go": [cart(1), cart(2)] },
        {
          "go.mod": "module acme.io/shop\n",
          "shop/shop.go":
            'package shop\n\nimport "acme.io/shop/cart"\n\ntype Shop struct {\n\tbasket *cart.Cart\n}\n\nfunc (s *Shop) Cart() *cart.Cart {\n\treturn s.basket\n}\n',
          "list/list.go": "package list\n\nfunc (l *List) Total() int {\n\treturn 0\n}\n",
          "web/web.go":
            "package web\n\nfunc pay(s *shop.Shop, l *list.List) int {\n\tx := `\nTotal\n`\n\tc := s.Cart()\n\treturn c.Total() + s.Cart().Total() + s.basket.Total() + l.Total()\n}\n"
        }
      )
    ).toEqual([
      "Cart.Total: 0 calls, 0 importers, 0 overriders, 0 subtypes, 3 possible, 0 of 1 files touched",
      "1 call web/web.go:8 pay possible"
    ])
  })

  test("counts calls of a function with several declarations, and each place once", async () => {
    const cart = (last: string) =>
      `import typing as t\n\n\n@t.overload\ndef total(a: str) -> str: ...\n\n\ndef total(a=None${last}):\n    return a\n`
    expect(
      await said(
        { "shop/cart.py": [cart(""), cart(", b=None")] },
        {
          "shop/__init__.py": "from .cart import total as total\n",
          "app.py": "import shop\n\nshop.total(shop.total(1))\n"
        }
      )
    ).toEqual([
      "total: 2 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 2 files touched",
      "1 call app.py:3 "
    ])
  })

  test("counts a method of a subtype as an override, and a subtype of a type apart", async () => {
    const base = (rate: string) =>
      `export abstract class Cart {\n  constructor(${rate}) {}\n  abstract total(${rate}): number;\n}\n`
    expect(
      await said(
        { "src/cart.ts": [base(""), base("a: number")] },
        {
          "src/big.ts":
            'import * as shop from "./cart"\n\nclass Big extends shop.Cart {\n  total(): number { return 1 }\n}\nclass Other {\n  total(): number {\n    return 2\n  }\n}\n',
          "src/small.ts": 'import { Cart } from "./cart"\n\nclass Small extends Cart {}\n'
        }
      )
    ).toEqual([
      "Cart.constructor: 0 calls, 1 importers, 0 overriders, 2 subtypes, 0 possible, 0 of 2 files touched",
      "1 subtype src/big.ts:3 ",
      "1 subtype src/small.ts:3 ",
      "Cart.total: 0 calls, 0 importers, 1 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 override src/big.ts:4 Big.total"
    ])
  })

  test("leaves out objects that are constructed as another type", async () => {
    expect(
      await said(
        {
          "shop.py": [
            "class Cart:\n    def total(self):\n        return 1\n",
            "class Cart:\n    def total(self, a):\n        return 1\n"
          ]
        },
        {
          "app.py":
            "import shop\n\n\nclass Pay:\n    cart = shop.Cart\n\n    def open(self):\n        self.x = shop.List()\n\n    def b(self):\n        class Row:\n            pass\n\n    def pay(self):\n        if True:\n            return self.x.total()\n",
          "sub.py":
            "import shop\n\n\nclass Sub(shop.Cart):\n    pass\n\n\ndef pay():\n    y = Sub()\n    return y.total()\n",
          "web.py": "import shop\n\n\ndef pay(cart: shop.Cart):\n    return cart.total()\n"
        }
      )
    ).toEqual([
      "Cart.total: 0 calls, 0 importers, 0 overriders, 0 subtypes, 2 possible, 0 of 2 files touched",
      "1 call sub.py:10 pay possible",
      "1 call web.py:5 pay possible"
    ])
  })

  test("follows paths of Rust by their last module", async () => {
    const texts: Texts = {
      "src/pay.rs": ["pub fn total(a: u32) -> u32 {\n    a\n}\n", "pub fn total(a: u8) -> u32 {\n    a\n}\n"]
    }
    const users = {
      "src/web.rs": "pub fn run() {\n    crate::pay::total(1);\n    other::total(1);\n}\n",
      "tests/it.rs": "use shop::pay::total;\n\nfn it() {\n    total(1);\n}\n"
    }
    expect(await said(texts, users)).toEqual([
      "total: 2 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 2 files touched",
      "1 call src/web.rs:2 run",
      "1 call tests/it.rs:4 it"
    ])
    expect(await said(texts, { ...users, "lib/pay.rs": "pub fn total() {}\n" })).toEqual([])
  })

  test("names users of another default and of another constant", async () => {
    const cart = (value: string) => `LIMIT = ${value}\n\n\ndef total(a=${value}):\n    return a\n`
    expect(
      await said(
        { "cart.py": [cart("1"), cart("2")] },
        { "app.py": "from cart import LIMIT, total\n\ntotal()\nprint(LIMIT)\n" }
      )
    ).toEqual([
      "LIMIT: 0 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 use app.py:4 ",
      "total: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call app.py:3 "
    ])
  })

  test("follows users of users once, without going round in circles", async () => {
    expect(
      await said(
        total,
        {
          "app.py":
            "from shop.cart import total\n\ndef pay(items):\n    return total(items)\n\ndef again(items):\n    return pay(items) + again([])\n"
        },
        5
      )
    ).toEqual([
      "total: 1 calls, 1 importers, 0 overriders, 0 subtypes, 0 possible, 0 of 1 files touched",
      "1 call app.py:4 pay",
      "2 call app.py:7 again"
    ])
  })

  test("is silent about new definitions and fields", async () => {
    expect(
      await said(
        {
          "a.ts": [
            "export interface A {\n  x: number\n}\n",
            "export interface A {\n  x: string\n}\nexport const b = 1\n"
          ]
        },
        { "c.ts": 'import { b } from "./a"\n\nconsole.log(b)\n' }
      )
    ).toEqual([])
  })

  test("says that there is no repository", async () => {
    const gone: Texts = { "a.py": ["def one():\n    pass\n", null] }
    expect((await found(gone, {})).omitted).toEqual(["users of the changed definitions: there is no repository"])
  })
})
