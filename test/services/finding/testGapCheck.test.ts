import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { RuleSet } from "../../../src/services/finding/RuleSet.ts"
import { testGapCheck } from "../../../src/services/finding/testGapCheck.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { shipped } from "../../support/rules.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const reviewOf = (texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  parsing.runPromise(
    testGapCheck(changeOf(texts)).pipe(
      Effect.provide(SymbolIndex.layer.pipe(Layer.provide([SyntaxTrees.layer, NoFacts.layer]))),
      Effect.provide([sourcesOf(texts, others), RuleSet.layerOf(shipped("test/*"))])
    )
  )

const said = async (texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  (await reviewOf(texts, others)).records.map(({ evidence, rule }) => `${rule?.slice(5)}: ${evidence}`)

const cart = (parameters: string) => `class Cart:\n    def add_line(self, ${parameters}):\n        return 1\n`
const calling = (call: string, more = "") =>
  `from shop.cart import Cart\n${more}\n\ndef test_adds():\n    cart = Cart()\n    ${call}\n`
const grown: Texts = { "shop/cart.py": [cart("item"), cart("item, quantity")] }

describe("a changed contract", () => {
  test("is held against each test that still calls by the old one", async () => {
    const { records } = await reviewOf(grown, { "tests/test_cart.py": calling('cart.add_line("pen")') })
    expect(records.map(({ description }) => description)).toEqual([
      "`Cart.add_line` takes other arguments now, but unchanged tests still use the old ones. It was add_line(item) and is add_line(item, quantity). Called at tests/test_cart.py:6."
    ])
  })
  test("of a method is found in Go's and TypeScript's tests too", async () => {
    const go = (more: string) =>
      `package cart\n\ntype Cart struct{}\n\nfunc (c *Cart) AddLine(a int${more}) int { return a }\n`
    const ts = (more: string) => `export class Cart {\n  addLine(a: number${more}) {\n    return a\n  }\n}\n`
    expect(
      await said(
        { "cart/cart.go": [go(""), go(", b int")], "src/cart.ts": [ts(""), ts(", b: number")] },
        {
          "cart/cart_test.go": "package cart\n\nfunc TestCart(t *testing.T) {\n\tc := &Cart{}\n\tc.AddLine(1)\n}\n",
          "src/cart.test.ts":
            'import { Cart } from "./cart"\n\ntest("x", () => expect(new Cart().addLine(1)).toBe(1))\n'
        }
      )
    ).toEqual([
      "old-contract-in-tests: cart/cart.go:5; cart/cart_test.go:5",
      "old-contract-in-tests: src/cart.ts:2; src/cart.test.ts:3"
    ])
  })

  const silent = (title: string, texts: Texts, others: Readonly<Record<string, string>> = {}) =>
    test(`is nothing ${title}`, async () => expect(await said(texts, others)).toEqual([]))
  const old = calling('cart.add_line("pen")')
  silent("to tests that were touched", { ...grown, "tests/test_cart.py": [old, `${old}# more\n`] })
  silent(
    "when one of its tests was touched",
    { ...grown, "tests/test_more.py": [null, calling("cart.add_line(1, 2)")] },
    {
      "tests/test_cart.py": old
    }
  )
  silent("to a call whose arguments cannot be counted", grown, {
    "tests/test_cart.py": calling("cart.add_line(*given)")
  })
  silent("to a test of something else with such a method", grown, {
    "tests/test_other.py": "def test_other(basket):\n    basket.add_line(1)\n"
  })
  silent("where another class has one of that name", grown, {
    "shop/order.py": "class Order:\n    def add_line(self, item):\n        return 1\n",
    "tests/test_cart.py": old
  })
  silent("where the test defines one itself", grown, {
    "tests/test_cart.py": calling('cart.add_line("pen")', "\ndef add_line(x):\n    return x\n")
  })
  silent(
    "when only what is optional came",
    { "shop/cart.py": [cart("item"), cart("item, *, note=None")] },
    {
      "tests/test_cart.py": old
    }
  )
  silent(
    "to JavaScript, where an argument may be missing",
    {
      "src/a.js": ["export function addLine(a) {\n  return a\n}\n", "export function addLine(a, b) {\n  return b\n}\n"]
    },
    { "src/a.test.js": 'import { addLine } from "./a.js"\n\ntest("x", () => addLine(1))\n' }
  )
  silent("to a complete rename", {
    "shop/cart.py": [cart("item"), cart("item").replace("add_line", "append_line")],
    "tests/test_cart.py": [old, old.replace("add_line", "append_line")]
  })
})

describe("a new exported function", () => {
  const rows = (...names: ReadonlyArray<string>) =>
    names.map((name) => `def ${name}(items):\n    a = 1\n    b = 2\n    return items\n`).join("\n\n")
  const tests = { "tests/test_rows.py": "from shop.rows import first_rows, last_rows\nfirst_rows([])\nlast_rows([])\n" }
  const added: Texts = {
    "shop/rows.py": [rows("first_rows", "last_rows"), rows("first_rows", "last_rows", "every_row")]
  }

  test("without a test is reported with the tests of its neighbours", async () => {
    const { records } = await reviewOf(added, tests)
    expect(records.map(({ description, line, severity }) => [line, severity, description])).toEqual([
      [
        13,
        "low",
        "No test mentions the new function `every_row`, although tests mention 2 of the 2 exported functions beside it."
      ]
    ])
  })
  test("is nothing when it moved here under its name", async () =>
    expect(await said({ ...added, "shop/old.py": [rows("every_row"), "x = 1\n"] }, tests)).toEqual([]))
  test("is nothing when its test comes with it", async () =>
    expect(await said({ ...added, "tests/test_more.py": [null, "from shop.rows import every_row\n"] }, tests)).toEqual(
      []
    ))
  test("is nothing of three lines", async () =>
    expect(
      await said(
        {
          "shop/rows.py": [
            rows("first_rows", "last_rows"),
            `${rows("first_rows", "last_rows")}\n\ndef every_row(x):\n    return x\n`
          ]
        },
        tests
      )
    ).toEqual([]))
})

test("asks nothing of a change without code", async () =>
  expect(await reviewOf({ "README.md": ["a\n", "b\n"] })).toEqual({ records: [], rulesApplied: [], omitted: [] }))
