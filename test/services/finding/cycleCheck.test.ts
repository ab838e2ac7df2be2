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
  const shop = { "shop/__init__.py": "" }
  const order = "from shop.cart import total\n\n\ndef count():\n    return total()\n"
  speaks(
    "says that a module cannot be loaded any more, and where its loading fails",
    {
      "shop/cart.py": [
        "def total():\n    return 1\n",
        "from shop.order import count\n\n\ndef total():\n    return count()\n"
      ]
    },
    { ...shop, "shop/order.py": order },
    ["import-cycle-cannot-load shop/cart.py:1 <- shop/cart.py:1; shop/order.py:1"]
  )
  speaks(
    "calls a circle that can be loaded by its own name",
    {
      "shop/cart.py": ["def total():\n    return 1\n", "def total():\n    return 1\n\n\nimport shop.order\n"]
    },
    { ...shop, "shop/order.py": order },
    ["new-import-cycle shop/cart.py:5 <- shop/cart.py:5; shop/order.py:1"]
  )
  speaks(
    "follows a circle through several modules and a package",
    { "shop/cart.py": ["RATE = 1\n", "from shop.a import x\n\nRATE = x\n"] },
    {
      ...shop,
      "shop/a.py": "from shop.b import y\n\nx = y\n",
      "shop/b/__init__.py": "from shop.cart import RATE\n\ny = RATE\n"
    },
    ["import-cycle-cannot-load shop/cart.py:1 <- shop/cart.py:1; shop/a.py:1; shop/b/__init__.py:1"]
  )
  speaks(
    "does not say that loading fails where a package loads modules only sometimes",
    {
      "shop/cart.py": [
        "def total():\n    return 1\n",
        "from shop.order import count\n\n\ndef total():\n    return count()\n"
      ]
    },
    { "shop/__init__.py": "try:\n    import shop.fast\nexcept ImportError:\n    pass\n", "shop/order.py": order },
    ["new-import-cycle shop/cart.py:1 <- shop/cart.py:1; shop/order.py:1"]
  )
  silent(
    "an import inside a function",
    { "shop/cart.py": ["x = 1\n", "def total():\n    from shop.order import count\n"] },
    { ...shop, "shop/order.py": order }
  )
  silent(
    "an import for types alone",
    {
      "shop/cart.py": [
        "x = 1\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop.order import count\n"
      ]
    },
    { ...shop, "shop/order.py": order }
  )
  silent(
    "words in a docstring that read like an import",
    { "shop/cart.py": ["x = 1\n", '"""\nfrom shop.order import count\n"""\nx = 1\n'] },
    { ...shop, "shop/order.py": order }
  )
  silent(
    "a module that joins an old circle",
    {
      "shop/new.py": [null, "from shop.a import a\n\nn = a\n"],
      "shop/b.py": ["import shop.a\n\nb = 1\n", "import shop.a\nimport shop.new\n\nb = 1\n"]
    },
    { ...shop, "shop/a.py": "import shop.b\n\na = 1\n" }
  )
  silent(
    "a circle that was there before the import was written in another way",
    {
      "shop/cart.py": [
        "import shop.order\n\n\ndef total():\n    return 1\n",
        "from shop import order\n\n\ndef total():\n    return 1\n"
      ]
    },
    { ...shop, "shop/order.py": "import shop.cart\n" }
  )
})

describe("TypeScript", () => {
  const user = 'import { one } from "./a"\nexport const two = () => one\n'
  speaks(
    "finds a circle through an index that passes everything on",
    { "src/a.ts": ["export const one = 1\n", 'import { two } from "./index"\nexport const one = () => two\n'] },
    { "src/index.ts": 'export * from "./b"\n', "src/b.ts": user },
    ["new-import-cycle src/a.ts:1 <- src/a.ts:1; src/index.ts:1; src/b.ts:1"]
  )
  speaks(
    "finds a circle that a moved file closes, by its new import alone",
    { "src/a.ts": ["export const one = 1\n", 'import two, { three } from "./b.js"\nexport const one = three(two)\n'] },
    { "src/b.ts": `${user}export default 1\nexport const three = (x: number) => x\n` },
    ["new-import-cycle src/a.ts:1 <- src/a.ts:1; src/b.ts:1"]
  )
  silent(
    "an import whose names are used as types alone",
    {
      "src/a.ts": ["export const one = 1\n", 'import { Two } from "./b"\nexport const one = (x: Two): typeof x => x\n']
    },
    { "src/b.ts": 'import { one } from "./a"\nexport class Two { x = one }\n' }
  )
  silent(
    "a way back that loads only types",
    { "src/a.ts": ["export const one = 1\n", 'import { two } from "./b"\nexport const one = two\n'] },
    { "src/b.ts": 'import { type One } from "./a"\nexport const two = 1 as One\n' }
  )
  silent(
    "an import that waits until it is asked for",
    { "src/a.ts": ["export const one = 1\n", 'export const one = () => import("./b")\n'] },
    { "src/b.ts": user }
  )
})

describe("Go", () => {
  const module = { "go.mod": "module example.com/shop\n" }
  const order =
    'package order\n\nimport (\n\t"fmt"\n\n\tc "example.com/shop/cart"\n)\n\nfunc Count() { fmt.Println(c.Total()) }\n'
  const cart = (from: string) =>
    `package cart\n\nimport (\n\t"fmt"\n\t"example.com/shop/${from}"\n)\n\nfunc Total() { fmt.Println(${from}.X) }\n`
  speaks(
    "says that packages that import each other do not compile",
    { "cart/cart.go": [cart("tax"), cart("order")] },
    { ...module, "order/order.go": order, "tax/tax.go": "package tax\n\nvar X = 1\n" },
    ["import-cycle-cannot-load cart/cart.go:5 <- cart/cart.go:5; order/order.go:6"]
  )
  speaks(
    "counts a test that stands inside the package",
    { "cart/cart_test.go": [null, cart("order")] },
    { ...module, "cart/cart.go": "package cart\n\nfunc Total() {}\n", "order/order.go": order },
    ["import-cycle-cannot-load cart/cart_test.go:5 <- cart/cart_test.go:5; order/order.go:6"]
  )
  silent(
    "a file that is built only sometimes",
    { "cart/gen.go": [null, `//go:build ignore\n\n${cart("order")}`] },
    { ...module, "cart/cart.go": "package cart\n\nfunc Total() {}\n", "order/order.go": order }
  )
})
