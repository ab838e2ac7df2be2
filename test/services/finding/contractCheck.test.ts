import { describe, expect, test } from "bun:test"
import { filesSearched } from "../../../src/services/code/ContractScenes.ts"
import type { Texts } from "../../support/change.ts"
import { contractReviews } from "../../support/contracts.ts"

const { reviewOf, said, silent, speaks } = contractReviews()

describe("Python", () => {
  const total = "def total(items):\n    return sum(items)\n"
  const user = "from shop.cart import total\n\nprint(total([1]))\n"
  const packageFile = { "shop/__init__.py": "" }

  speaks(
    "names the new name of a renamed function and every file that still imports the old one",
    { "shop/cart.py": [total, total.replace("total", "sum_up")] },
    { ...packageFile, "shop/a.py": user, "tests/test_a.py": user },
    [
      "removed-definition-still-used shop/a.py:1 <- shop/cart.py:1; shop/a.py:1; shop/a.py:3; tests/test_a.py:1; tests/test_a.py:3"
    ]
  )

  test("names the definition and each broken use with their columns and what is there", async () => {
    const before = { "shop/cart.py": [total, "def total(items, tax):\n    return tax\n"] } as const
    const { records } = await reviewOf(before, { ...packageFile, "shop/a.py": user, "shop/b.py": user })
    expect(records).toMatchObject([
      {
        file: "shop/cart.py",
        line: 1,
        column: 5,
        endColumn: 10,
        label: "now total(items, tax)",
        related: [
          { file: "shop/a.py", line: 3, column: 7, endColumn: 12, message: "called with the old parameters" },
          { file: "shop/b.py", line: 3, column: 7, endColumn: 12, message: "called with the old parameters" }
        ]
      }
    ])
  })

  for (const [path, before, after, marked] of [
    [
      "a.ts",
      "export function load(\n  id: string,\n) {\n",
      "export function load(\n  id: string,\n  opts: number,\n) {\n",
      "opts"
    ],
    ["a.py", "def load(\n    id,\n):\n", "def load(\n    id,\n    opts,\n):\n", "opts"],
    ["a.py", "def load(\n    id,\n    opts,\n):\n", "def load(\n    id,\n):\n", "load"]
  ] as const) {
    test(`marks ${marked} where a signature of several lines changes, in ${path}`, async () => {
      const text = (head: string) => `${head}    return id${path.endsWith(".ts") ? "\n}" : ""}\n`
      const call = marked === "load" ? "load(1, 2)" : "load(1)"
      const others: Record<string, string> = path.endsWith(".ts")
        ? { "b.ts": `import { load } from "./a"\n\nexport const b = ${call}\n` }
        : { "b.py": `from a import load\n\n${call}\n` }
      const { records } = await reviewOf(
        { [path]: [text(before), text(after).replace("return id", "return [id]")] },
        others
      )
      expect(records).toHaveLength(1)
      const { column = 0, endColumn = 0, line = 0 } = records[0] ?? {}
      expect((after.split("\n")[line - 1] ?? "").slice(column - 1, endColumn - 1)).toBe(marked)
    })
  }

  test("shows the line of a removed definition, and every other use, beside the first use", async () => {
    const others = { ...packageFile, "shop/a.py": user, "shop/b.py": user }
    const { records } = await reviewOf({ "shop/cart.py": [`x = 1\n\n${total}`, "x = 1\n"] }, others)
    expect(records).toMatchObject([
      {
        title: "`total` is removed, but 4 places still use it",
        file: "shop/a.py",
        line: 1,
        column: 23,
        endColumn: 28,
        label: "still used here",
        related: [
          {
            file: "shop/cart.py",
            line: 3,
            column: 5,
            endColumn: 10,
            message: "removed here",
            deleted: "def total(items):"
          },
          { file: "shop/a.py", line: 3, column: 7, endColumn: 12, message: "still used here" },
          { file: "shop/b.py", line: 1, column: 23, endColumn: 28 },
          { file: "shop/b.py", line: 3, column: 7, endColumn: 12 }
        ]
      }
    ])
  })

  test("shows the definition and every call of one line, each with its own columns", async () => {
    const line = (parameters: string) => `export const add = (${parameters}) => a; export const z = [add(1), add(2)]\n`
    const { records } = await reviewOf({ "a.ts": [line("a: number"), line("a: number, b: number")] }, {})
    expect(records).toMatchObject([
      {
        title: "`add` has different parameters now, but 2 places still call it with the old ones",
        column: 67,
        label: "called with the old parameters",
        related: [
          { line: 1, column: 14, message: "now add(a, b)" },
          { line: 1, column: 75, message: "called with the old parameters" }
        ]
      }
    ])
  })

  test("shows a removed definition at the line of its file where it is still used", async () => {
    const { records } = await reviewOf({ "a.py": [`${total}print(total([]))\n`, "print(total([]))\n"] }, {})
    expect(records).toMatchObject([
      { file: "a.py", line: 1, related: [{ file: "a.py", deleted: "def total(items):" }] }
    ])
  })

  test("names a deleted file as a whole", async () => {
    const { records } = await reviewOf(
      { "shop/tax.py": ["RATE = 1\n", null] },
      { ...packageFile, "shop/a.py": "from .tax import RATE\n" }
    )
    expect(records).toMatchObject([
      {
        file: "shop/a.py",
        line: 1,
        column: 7,
        endColumn: 10,
        related: [{ file: "shop/tax.py", line: 0, column: null, endColumn: null, message: "deleted" }]
      }
    ])
  })

  const one = "class Cart:\n    def total(self):\n        return 1\n"
  const left = "class Cart:\n    pass\n"
  const typedUser = "from shop.cart import Cart\n\n\ndef f(cart: Cart):\n    return cart.total()\n"
  for (const [what, added] of [
    ["assigned to its class", "\n\nCart.total = make()\n"],
    ["set on its class by name", "\n\nfor name in names:\n    setattr(Cart, name, make(name))\n"]
  ] as const) {
    silent(
      `a method that is ${what}`,
      { "shop/cart.py": [one, left + added] },
      { ...packageFile, "shop/a.py": typedUser }
    )
  }
  const base = "class Base:\n    def __init__(self, kind, text):\n        self.kind = kind\n"
  const baseCall = (call: string) =>
    `from shop.cart import Base\n\n\nclass Own(Base):\n    def __init__(self):\n        ${call}\n`
  silent(
    "a call of a base class that passes the object itself",
    { "shop/cart.py": [base, base.replace(", text", "")] },
    { ...packageFile, "shop/a.py": baseCall("Base.__init__(self, 1)") }
  )
  speaks(
    "finds a call of a base class that passes too much",
    { "shop/cart.py": [base, base.replace(", text", "")] },
    { ...packageFile, "shop/a.py": baseCall("Base.__init__(self, 1, 2)") },
    ["call-no-longer-fits shop/cart.py:2 <- shop/cart.py:2; shop/a.py:6"]
  )
  silent(
    "a module of the standard library with the name of a folder",
    { "src/shop/json/__init__.py": ["def dumps(x):\n    return x\n", "x = 1\n"] },
    { "src/shop/a.py": "from json import dumps\n\ndumps(1)\n" }
  )
  silent(
    "a method that another parent of a subclass has",
    {
      "shop/cart.py": [
        `${one}    def run(self):\n        return self.total()\n`,
        "class Cart:\n    def run(self):\n        return self.total()\n"
      ]
    },
    {
      ...packageFile,
      "shop/a.py":
        "from shop.cart import Cart\n\n\nclass Other:\n    def total(self):\n        return 2\n\n\nclass Both(Cart, Other):\n    pass\n"
    }
  )
  test("reports the old name, the new name and the uses", async () => {
    const texts: Texts = { "shop/cart.py": [total, total.replace("total", "sum_up")] }
    const { records } = await reviewOf(texts, { "shop/a.py": user })
    expect(records[0]?.description).toBe(
      "`total` is now `sum_up`, but 2 places still use the old name. Used at shop/a.py:1, shop/a.py:3."
    )
  })
  const before = `${total}\n\ndef mean(items):\n    return sum(items) / len(items)\n`
  const after = (changed: string) => `${changed}\n\ndef mean(items):\n    return sum(items) / len(items)\n`
  for (const [how, changed] of [
    ["with another parameter", "def sum_up(items, tax):\n    return sum(items) * tax\n"],
    ["with a longer body", "def sum_up(items):\n    found = sum(items)\n    print(found)\n    return found\n"]
  ] as const) {
    test(`recognises a renamed function ${how}`, async () => {
      const { records } = await reviewOf({ "shop/cart.py": [before, after(changed)] }, { "shop/a.py": user })
      expect(records.map(({ file, line, title }) => ({ file, line, title }))).toEqual([
        { file: "shop/a.py", line: 1, title: "`total` is now `sum_up`, but 2 places still use the old name" }
      ])
    })
  }
  test("recognises a renamed function by the uses that the change renames", async () => {
    const rewritten =
      "def add_everything(values, start):\n    for value in values:\n        start += value\n    return start\n"
    const { records } = await reviewOf(
      {
        "shop/cart.py": [before, after(rewritten)],
        "shop/b.py": [user, "from shop.cart import add_everything\n\nprint(add_everything([1], 0))\n"]
      },
      { "shop/a.py": user }
    )
    expect(records.map(({ description }) => description)).toEqual([
      "`total` is now `add_everything`, but 2 places still use the old name. It was total(items) and is add_everything(values, start). Used at shop/a.py:1, shop/a.py:3."
    ])
  })
  test("marks a line with text when the definition's place is an empty line", async () => {
    const texts: Texts = { "shop/cart.py": [`one = 1\n\n\n${total}\n\ntwo = 2\n`, "one = 1\n\n\n\n\ntwo = 2\n"] }
    const { records } = await reviewOf(texts, { "shop/a.py": user })
    expect(records.map(({ line }) => texts["shop/cart.py"]?.[1]?.toString().split("\n")[line - 1])).toEqual(["one = 1"])
  })
  for (const [what, left] of [
    ["empty", ""],
    ["blank", "\n\n\n"]
  ] as const) {
    test(`marks the use when the changed file is ${what}`, async () => {
      const { records } = await reviewOf({ "shop/cart.py": [total, left] }, { "shop/a.py": user })
      expect(records.map(({ file, line, evidence }) => `${file}:${line} <- ${evidence}`)).toEqual([
        "shop/a.py:1 <- shop/cart.py:1; shop/a.py:1; shop/a.py:3"
      ])
    })
  }
  test("takes no unrelated function for a renamed one", async () => {
    const other = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
    const { records } = await reviewOf({ "shop/cart.py": [before, after(other)] }, { "shop/a.py": user })
    expect(records.map(({ title }) => title)).toEqual(["`total` is removed, but 2 places still use it"])
  })
  test("names the new file of a definition that was moved and changed", async () => {
    const { records } = await reviewOf(
      {
        "shop/cart.py": [before, after("")],
        "shop/sums.py": [null, "def total(items, tax):\n    return sum(items) * tax\n"]
      },
      { "shop/a.py": user }
    )
    expect(records.map(({ description }) => description)).toEqual([
      "`total` is moved, but 2 places still use it from its old place. It is now in shop/sums.py. Used at shop/a.py:1, shop/a.py:3."
    ])
  })
  test("takes no unrelated function of the same name for the one that is gone", async () => {
    const other = "def total(path):\n    with open(path) as file:\n        return len(file.read())\n"
    const { records } = await reviewOf(
      { "shop/cart.py": [before, after("")], "shop/files.py": [null, other] },
      { "shop/a.py": user }
    )
    expect(records.map(({ title }) => title)).toEqual(["`total` is removed, but 2 places still use it"])
  })
  speaks(
    "finds a use through a module and through an alias",
    { "shop/cart.py": [total, "other = 1\n"] },
    {
      ...packageFile,
      "a.py": "from shop import cart as c\nc.total(1)\n",
      "b.py": "import shop.cart\nshop.cart.total(1)\n"
    },
    ["removed-definition-still-used a.py:2 <- shop/cart.py:1; a.py:2; b.py:2"]
  )
  speaks(
    "finds what a package passes on, where it does so",
    { "shop/cart.py": [total, "other = 1\n"] },
    { "shop/__init__.py": "from .cart import total\n", "a.py": "from shop import total\n" },
    ["removed-definition-still-used shop/__init__.py:1 <- shop/cart.py:1; shop/__init__.py:1"]
  )
  speaks(
    "finds a name that a package offers through a star import",
    { "shop/cart.py": [total, "other = 1\n"] },
    { "shop/__init__.py": "from .cart import *\n", "a.py": "from shop import total\n" },
    ["removed-definition-still-used a.py:1 <- shop/cart.py:1; a.py:1"]
  )
  speaks(
    "follows a changed signature through a package to the call",
    { "shop/cart.py": [total, total.replace("items)", "items, tax)")] },
    { "shop/__init__.py": "from .cart import total\n", "a.py": "from shop import total as t\nt([1])\n" },
    ["call-no-longer-fits shop/cart.py:1 <- shop/cart.py:1; a.py:2"]
  )
  speaks(
    "finds a call of a removed function in its own file",
    { "a.py": [`${total}\n\nprint(total([]))\n`, "print(total([]))\n"] },
    {},
    ["removed-definition-still-used a.py:1 <- a.py:1"]
  )
  speaks(
    "finds a renamed parameter that callers name",
    { "shop/cart.py": ["def total(items, tax=0):\n    return 1\n", "def total(items, rate=0):\n    return 1\n"] },
    { "a.py": "from shop.cart import total\ntotal([], tax=2)\ntotal([], 2)\n" },
    ["call-no-longer-fits shop/cart.py:1 <- shop/cart.py:1; a.py:2"]
  )
  speaks(
    "holds a constructor's parameters against those who make one",
    {
      "cart.py": [
        "class Cart:\n    def __init__(self):\n        pass\n",
        "class Cart:\n    def __init__(self, owner):\n        pass\n"
      ]
    },
    { "a.py": "import cart\ncart.Cart()\n" },
    ["call-no-longer-fits cart.py:2 <- cart.py:2; a.py:2"]
  )
  speaks(
    "finds a method that is gone and still called on the object itself",
    {
      "cart.py": [
        "class Cart:\n    def total(self):\n        return 1\n\n    def show(self):\n        return self.total()\n",
        "class Cart:\n    def show(self):\n        return self.total()\n"
      ]
    },
    {},
    ["removed-definition-still-used cart.py:3 <- cart.py:1; cart.py:3"]
  )
  speaks(
    "finds a coroutine that nobody waits for",
    { "cart.py": ["def save():\n    pass\n", "async def save():\n    pass\n"] },
    { "a.py": "from cart import save\n\n\ndef run():\n    save()\n    found = save()\n    return found.id\n" },
    ["now-async-not-awaited cart.py:1 <- cart.py:1; a.py:5; a.py:6"]
  )

  speaks(
    "finds a name that `__all__` no longer offers, where a star import was to bring it",
    {
      "shop/cart.py": [`__all__ = ["total", "other"]\nother = 1\n${total}`, `__all__ = ["other"]\nother = 1\n${total}`]
    },
    {
      "shop/__init__.py": "from .cart import *\n",
      "a.py": "from shop import total\n",
      "b.py": "from shop.cart import *\n\nprint(total([]), other)\n",
      "c.py": "from shop.cart import total\n"
    },
    ["export-dropped-still-imported a.py:1 <- shop/cart.py:3; a.py:1; b.py:3"]
  )
  speaks(
    "finds methods on objects whose class is written down: made here, annotated, kept in the object, given back",
    {
      "cart.py": [
        "class Cart:\n    def total(self, tax):\n        return 1\n",
        "class Cart:\n    def sum_up(self, tax):\n        return 1\n"
      ]
    },
    {
      "shop.py": "from cart import Cart\n\n\ndef open_cart() -> Cart:\n    return Cart()\n",
      "a.py":
        "import cart as c\nfrom cart import Cart\nfrom shop import open_cart\n\nmain = Cart()\n\n\nclass Order:\n    def __init__(self, cart: Cart):\n        self.cart = cart\n        self.mine = c.Cart()\n\n    def a(self):\n        return self.cart.total(1) + self.mine.total(1)\n\n\ndef b(given: 'Cart | None'):\n    own = Cart()\n    own.total(1)\n    given.total(1)\n    main.total(1)\n    open_cart().total(1)\n"
    },
    ["removed-definition-still-used a.py:14 <- cart.py:2; a.py:14; a.py:19; a.py:20; a.py:21; a.py:22"]
  )
  speaks(
    "says where a moved definition is now",
    { "shop/cart.py": [`${total}other = 1\n`, "other = 1\n"], "shop/sums.py": ["", total] },
    { ...packageFile, "a.py": user },
    ["removed-definition-still-used a.py:1 <- shop/cart.py:1; a.py:1; a.py:3"]
  )
  test("names the new place of a moved definition", async () => {
    const texts: Texts = { "shop/cart.py": [`${total}other = 1\n`, "other = 1\n"], "shop/sums.py": [null, total] }
    const { records } = await reviewOf(texts, { ...packageFile, "a.py": user })
    expect(records[0]?.description).toBe(
      "`total` is moved, but 2 places still use it from its old place. It is now in shop/sums.py. Used at a.py:1, a.py:3."
    )
  })

  const color = "from enum import Enum\n\n\nclass Color(str, Enum):\n    RED = 1\n    BLUE = 2\n"
  const red = "from colors import Color as C\n\nprint(C.RED, C.BLUE)\n"
  speaks(
    "finds a member that an enumeration lost",
    { "colors.py": [color, color.replace("    RED = 1\n", "")] },
    { "a.py": red },
    ["removed-definition-still-used a.py:3 <- colors.py:4; a.py:3"]
  )
  silent(
    "a member of a class whose parent may have it",
    {
      "colors.py": [color.replace("str, Enum", "Base"), color.replace("str, Enum", "Base").replace("    RED = 1\n", "")]
    },
    { "a.py": red }
  )
  silent(
    "a member that somebody sets from outside",
    { "colors.py": [color, color.replace("    RED = 1\n", "")] },
    { "a.py": `${red}C.RED = 3\n` }
  )
  silent(
    "a complete rename",
    {
      "shop/cart.py": [total, total.replace("total", "sum_up")],
      "shop/a.py": [user, user.replaceAll("total", "sum_up")]
    },
    packageFile
  )
  silent(
    "an added optional parameter",
    { "cart.py": [total, total.replace("items)", "items, tax=0)")] },
    { "a.py": "from cart import total\ntotal([])\n" }
  )
  silent(
    "a body-only change",
    { "cart.py": [total, total.replace("sum(items)", "len(items)")] },
    { "a.py": "from cart import total\ntotal([])\n" }
  )
  silent(
    "a comment change",
    { "cart.py": [total, `# about totals\n${total}`] },
    { "a.py": "from cart import total\ntotal([])\n" }
  )
  silent(
    "the same name from somewhere else",
    { "shop/cart.py": [total, "x = 1\n"] },
    { ...packageFile, "a.py": "from other.cart import total\ntotal(1)\n" }
  )
  silent(
    "a name that the module still takes in",
    { "cart.py": [total, "from sums import total\n"], "sums.py": [null, total] },
    { "a.py": "from cart import total\n" }
  )
  silent(
    "a module that answers for any name",
    { "cart.py": [total, "def __getattr__(name):\n    return name\n"] },
    { "a.py": "from cart import total\n" }
  )
  silent(
    "a module that takes in everything of another one",
    { "cart.py": [total, "from elsewhere import *\n"] },
    { "a.py": "from cart import total\n" }
  )
  silent(
    "an import that may fail",
    { "cart.py": [total, "x = 1\n"] },
    { "a.py": "try:\n    from cart import total\nexcept ImportError:\n    total = None\n" }
  )
  silent(
    "a local variable of the same name",
    { "cart.py": [total, total.replace("items)", "items, tax)")] },
    { "a.py": "from cart import total\n\n\ndef f(total):\n    return total(1)\n" }
  )
  silent(
    "a decorated function",
    { "cart.py": [`@wraps\n${total}`, `@wraps\n${total.replace("items)", "items, tax)")}`] },
    { "a.py": "from cart import total\ntotal(1)\n" }
  )
  silent(
    "a call that spreads its arguments",
    { "cart.py": [total, total.replace("items)", "items, tax)")] },
    { "a.py": "from cart import total\ntotal(*all)\ntotal(**all)\n" }
  )
  silent(
    "a call that did not fit before either",
    { "cart.py": [total, total.replace("items)", "items, tax)")] },
    { "a.py": "from cart import total\ntotal()\n" }
  )
  silent(
    "a definition that two branches give",
    {
      "cart.py": [total, `if fast:\n    ${total.replaceAll("\n", "\n    ")}\nelse:\n    total = None\n`]
    },
    { "a.py": "from cart import total\n" }
  )
  silent("a method that a parent may have", {
    "cart.py": [
      "class Cart(Base):\n    def total(self):\n        return 1\n\n    def show(self):\n        return self.total()\n",
      "class Cart(Base):\n    def show(self):\n        return self.total()\n"
    ]
  })
  speaks(
    "finds what the elements of a list lack",
    {
      "cart.py": [
        "class Cart:\n    def total(self):\n        return 1\n",
        "class Cart:\n    def sum_up(self):\n        return 1\n"
      ]
    },
    {
      "a.py":
        "from cart import Cart\n\n\ndef a(carts: list[Cart], named: dict[str, Cart]):\n    for cart in carts:\n        cart.total()\n    for name in named:\n        name.total()\n    return [each.total() for each in carts]\n"
    },
    ["removed-definition-still-used a.py:6 <- cart.py:2; a.py:6; a.py:9"]
  )
  const table = (head: string, method: string) =>
    `${head}    def ${method}(self):\n        return 1\n\n    def show(self):\n        return self.${method}()\n`
  const without = (head: string, method: string) => `${head}    def show(self):\n        return self.${method}()\n`
  for (const [words, head] of [
    ["a dictionary", "class Cart(dict):\n"],
    ["an exception", "class Cart(ValueError):\n"],
    ["an abstract class of one type", "import abc\nimport typing as t\n\nclass Cart(t.Generic[T], abc.ABC):\n"],
    ["a handler of the log", "import logging\n\nclass Cart(logging.Handler):\n"],
    ["a sequence", "import collections.abc\n\nclass Cart(collections.abc.Sequence):\n"],
    ["a class with the usual metaclass", "from abc import ABCMeta\n\nclass Cart(metaclass=ABCMeta):\n"]
  ] as const) {
    test(`finds a method that ${words} lost, which brings none of that name`, async () => {
      const line = head.split("\n").length
      expect(await said({ "cart.py": [table(head, "total"), without(head, "total")] })).toEqual([
        `removed-definition-still-used cart.py:${line + 1} <- cart.py:${line - 1}; cart.py:${line + 1}`
      ])
    })
  }
  silent("a method that a dictionary has anyway", {
    "cart.py": [table("class Cart(dict):\n", "values"), without("class Cart(dict):\n", "values")]
  })
  silent("a class of the file that is called like one of the language", {
    "cart.py": [
      table("class dict(Base):\n    pass\n\n\nclass Cart(dict):\n", "total"),
      without("class dict(Base):\n    pass\n\n\nclass Cart(dict):\n", "total")
    ]
  })
  silent("a protocol that is not the one of types", {
    "cart.py": [
      table("from asyncio import Protocol\n\nclass Cart(Protocol):\n", "total"),
      without("from asyncio import Protocol\n\nclass Cart(Protocol):\n", "total")
    ]
  })
  silent("a builtin's name", { "a.py": ["def input(x):\n    return x\n\n\nprint(input(1))\n", "print(input(1))\n"] })
  silent(
    "a file that the change tells git to ignore",
    { "pkg/_version.py": ["v = 1\n", null], ".gitignore": ["", "_version.py\n"] },
    { "pkg/__init__.py": "from ._version import v\n" }
  )
  silent(
    "a module that became a package",
    { "shop/cart.py": [total, null], "shop/cart/__init__.py": [null, total] },
    { ...packageFile, "a.py": user }
  )
})

describe("TypeScript and JavaScript", () => {
  const total = "export function total(items: number[]) {\n  return items.length\n}\n"
  const box =
    "export class Box<T> {\n  size() { return 1 }\n  total() { return 1 }\n}\nexport type Crate = Box<number>\n"
  const lighter = box.replace("  total() { return 1 }\n", "")
  speaks(
    "finds what an object lacks whose type has a second name, or that a function makes on the spot",
    { "src/box.ts": [box, lighter] },
    {
      "src/a.ts": 'import type { Crate } from "./box"\n\nexport const f = (crate: Crate) => crate.total()\n',
      "src/make.ts": 'import { Box } from "./box"\n\nexport const make = () => new Box<number>()\n',
      "src/b.ts": 'import { make } from "./make"\n\nexport const g = () => make().total()\n',
      "src/b.test.ts":
        'import { Box } from "./box"\n\ndescribe("box", () => {\n  const fresh = () => new Box<number>()\n  const drain = (box: Box<number>) => box.size()\n  it("a", () => {\n    const box = fresh()\n    box.total()\n  })\n})\n'
    },
    ["removed-definition-still-used src/a.ts:3 <- src/box.ts:2; src/a.ts:3; src/b.test.ts:8; src/b.ts:3"]
  )
  speaks(
    "finds what a module no longer exports that declares something for all files",
    {
      "src/net.ts": [
        `declare global {\n  interface Window { crypto: Crypto }\n}\n${total}`,
        `declare global {\n  interface Window { crypto: Crypto }\n}\n${total.replace("total", "sum")}`
      ]
    },
    { "src/a.ts": 'import { total } from "./net"\n\ntotal([])\n' },
    ["removed-definition-still-used src/a.ts:1 <- src/net.ts:4; src/a.ts:1; src/a.ts:3"]
  )
  silent(
    "a name that the module gives to all files",
    {
      "src/net.ts": [
        `${total}total([])\n`,
        "export {}\ndeclare global {\n  function total(items: number[]): number\n}\ntotal([])\n"
      ]
    },
    { "src/a.ts": "total([])\n" }
  )
  silent(
    "an object of another type in a function beside it",
    { "src/box.ts": [box, lighter] },
    {
      "src/a.ts":
        'import { Box } from "./box"\n\nexport function f() {\n  const it = new Box()\n  return it.size()\n}\nexport function g(it: Other) {\n  return it.total()\n}\nexport const h = () => { const it = other(); return it.total() }\n'
    }
  )
  speaks(
    "finds what the elements of a list lack",
    { "src/box.ts": [box, lighter] },
    {
      "src/a.ts":
        'import { Box } from "./box"\n\nexport function f(all: ReadonlyArray<Box<number>>, few: Box<string>[]) {\n  for (const one of all) one.total()\n  for (const one in all) one.total()\n  few[0].total()\n}\n'
    },
    ["removed-definition-still-used src/a.ts:4 <- src/box.ts:2; src/a.ts:4; src/a.ts:6"]
  )
  speaks(
    "finds what a variable lacks that has a type and gets its value later, and one that a block declares",
    { "src/box.ts": [box, lighter] },
    {
      "src/a.test.ts":
        'import { Box } from "./box"\n\ndescribe("a", () => {\n  let box: Box<number>\n  beforeEach(() => {\n    box = fresh()\n  })\n  it("b", () => {\n    box.total()\n    if (box) {\n      const other = new Box()\n      other.total()\n    } else {\n      const other = 1\n      other.total()\n    }\n  })\n})\n'
    },
    ["removed-definition-still-used src/a.test.ts:9 <- src/box.ts:2; src/a.test.ts:9; src/a.test.ts:12"]
  )
  const view = (method: string) =>
    `import React from "react"\n\nexport class View extends React.Component<Props> {\n  ${method}() { return 1 }\n}\nexport class Late extends Error {\n  ${method}() { return 1 }\n}\n`
  speaks(
    "finds what a component or an error lost, and what the values of a table lack",
    { "src/view.ts": [view("total"), view("sumUp")] },
    {
      "src/a.ts":
        'import { Late, View } from "./view"\n\nclass Shop {\n  private views = new Map<string, View>()\n  run(late: Late, other: Other) {\n    late.total()\n    for (const [name, view] of this.views) {\n      name.total()\n      view.total()\n    }\n    for (const [one] of other) one.total()\n  }\n}\n'
    },
    [
      "removed-definition-still-used src/a.ts:6 <- src/view.ts:7; src/a.ts:6",
      "removed-definition-still-used src/a.ts:9 <- src/view.ts:4; src/a.ts:9"
    ]
  )
  const styled = 'import styled from "styled"\n\nconst Row = styled.div<{ $wide: boolean }>`\n  color: red;\n`\n'
  const button = (name: string) => `${styled}export const ${name} = () => <Row $wide />\n`
  speaks(
    "reads a component whose styles take types",
    { "src/button.tsx": [button("Button"), button("Knob")] },
    { "src/page.tsx": `import { Button } from "./button"\n${styled}export const Page = () => <Button />\n` },
    ["removed-definition-still-used src/page.tsx:1 <- src/button.tsx:6; src/page.tsx:1; src/page.tsx:7"]
  )
  silent(
    "a file that cannot be read as a whole",
    { "src/button.tsx": [button("Button"), `${button("Knob")}const = ;\n`] },
    { "src/page.tsx": 'import { Button } from "./button"\nexport const Page = () => <Button />\n' }
  )
  silent(
    "what a component or an error has anyway, and a parent that is only called so",
    {
      "src/view.ts": [view("setState"), view("show")],
      "src/own.ts": [view("total").replace('"react"', '"./react"'), view("show").replace('"react"', '"./react"')]
    },
    {
      "src/a.ts":
        'import { View } from "./view"\nimport { View as Own } from "./own"\n\nexport const f = (view: View, own: Own) => view.setState() + own.total()\n'
    }
  )
  silent(
    "a variable that a script gives something else later",
    {
      "src/box.js": [
        lighter.replace(/.*Crate.*\n|<T>/g, "").replace("}\n", "  total() { return 1 }\n}\n"),
        lighter.replace(/.*Crate.*\n|<T>/g, "")
      ]
    },
    {
      "src/a.js":
        'import { Box } from "./box.js"\n\nexport function f(a) {\n  let box = new Box()\n  if (a) box = other()\n  return box.total()\n}\nlet it = new Box()\nexport function g() {\n  it = other()\n  return it.total()\n}\n'
    }
  )
  silent(
    "what a function makes that may make something else",
    { "src/box.ts": [box, lighter] },
    {
      "src/a.ts":
        'import { Box } from "./box"\n\nconst make = (a: boolean) => {\n  if (a) return other()\n  return new Box()\n}\nconst later = async () => new Box()\nexport const g = () => make(true).total() + later().total()\n'
    }
  )
  speaks(
    "finds imports, re-exports and namespaces of a removed export",
    { "src/cart.ts": [total, "export const other = 1\n"] },
    {
      "src/a.ts": 'import { total as t } from "./cart"\nt([])\n',
      "src/b.ts": 'export { total } from "./cart"\n',
      "src/c.ts": 'import * as cart from "./cart.js"\ncart.total([])\ncart.other\n'
    },
    ["removed-definition-still-used src/a.ts:1 <- src/cart.ts:1; src/a.ts:1; src/a.ts:2; src/b.ts:1; src/c.ts:2"]
  )
  speaks(
    "finds a name behind a barrel file",
    { "src/cart.ts": [total, "export const other = 1\n"] },
    { "src/index.ts": 'export * from "./cart"\n', "app/a.ts": 'import { total } from "../src"\ntotal([])\n' },
    ["removed-definition-still-used app/a.ts:1 <- src/cart.ts:1; app/a.ts:1; app/a.ts:2"]
  )
  speaks(
    "finds calls behind a default export",
    {
      "src/cart.ts": [
        "export default function total(a: string) {}\n",
        "export default function total(a: string, b: string) {}\n"
      ]
    },
    { "src/a.ts": 'import sum from "./cart"\nsum("x")\n' },
    ["call-no-longer-fits src/cart.ts:1 <- src/cart.ts:1; src/a.ts:2"]
  )
  speaks(
    "finds what a tsconfig alias leads to",
    { "src/cart.ts": [total, null] },
    {
      "tsconfig.json": '{"compilerOptions":{"baseUrl":".","paths":{"~/*":["src/*"]}}}',
      "src/a.ts": 'import { total } from "~/cart"\n'
    },
    ["import-of-deleted-file src/a.ts:1 <- src/cart.ts:1; src/a.ts:1"]
  )
  speaks(
    "finds a method that takes more, called on this",
    {
      "a.ts": [
        "export class A {\n  one(x: string) {}\n  two() {\n    this.one('x')\n  }\n}\n",
        "export class A {\n  one(x: string, y: string) {}\n  two() {\n    this.one('x')\n  }\n}\n"
      ]
    },
    {},
    ["call-no-longer-fits a.ts:4 <- a.ts:2; a.ts:4"]
  )

  speaks(
    "finds methods on objects whose class is written down",
    {
      "src/cart.ts": [
        "export class Cart {\n  total(tax: number) {\n    return tax\n  }\n}\nexport const main = new Cart()\nexport const open = (): Cart => main\n",
        "export class Cart {\n  sumUp(tax: number) {\n    return tax\n  }\n}\nexport const main = new Cart()\nexport const open = (): Cart => main\n"
      ]
    },
    {
      "src/a.ts":
        'import { Cart, main, open } from "./cart"\nclass Order {\n  mine = new Cart()\n  constructor(private readonly cart: Cart) {}\n  run() {\n    return this.mine.total(1) + this.cart.total(1)\n  }\n}\nexport const f = (given: Cart | null, any: any) => {\n  const own = new Cart()\n  own.total(1)\n  given?.total(1)\n  main.total(1)\n  open().total(1)\n  any.total(1)\n}\n'
    },
    [
      "removed-definition-still-used src/a.ts:6 <- src/cart.ts:2; src/a.ts:6; src/a.ts:11; src/a.ts:12; src/a.ts:13; src/a.ts:14"
    ]
  )
  speaks(
    "finds users that may no longer see a method",
    {
      "src/cart.ts": [
        "export class Cart {\n  total() {\n    return 1\n  }\n  twice() {\n    return this.total()\n  }\n}\n",
        "export class Cart {\n  private total() {\n    return 1\n  }\n  twice() {\n    return this.total()\n  }\n}\n"
      ]
    },
    { "src/a.ts": 'import { Cart } from "./cart"\nnew Cart().total()\n' },
    ["export-dropped-still-imported src/a.ts:2 <- src/cart.ts:2; src/a.ts:2"]
  )
  speaks(
    "finds members that an enumeration or a class lost",
    {
      "src/a.ts": [
        "export enum Color {\n  Red,\n  Blue = 2\n}\nexport class K {\n  static one() {}\n}\n",
        "export enum Color {\n  Blue = 2\n}\nexport class K {\n}\n"
      ]
    },
    { "src/b.ts": 'import { Color, K } from "./a"\nexport const x = [Color.Red, Color.Blue]\nK.one()\n' },
    [
      "removed-definition-still-used src/b.ts:2 <- src/a.ts:1; src/b.ts:2",
      "removed-definition-still-used src/b.ts:3 <- src/a.ts:4; src/b.ts:3"
    ]
  )

  const uses = { "src/a.ts": 'import { total } from "./cart"\ntotal([])\n' }
  silent("a complete rename", {
    "src/cart.ts": [total, total.replace("total", "sum")],
    "src/a.ts": [uses["src/a.ts"], 'import { sum } from "./cart"\nsum([])\n']
  })
  silent(
    "an added optional parameter",
    { "src/cart.ts": [total, total.replace("[])", "[], tax?: number, rate = 1)")] },
    uses
  )
  silent("a body-only change", { "src/cart.ts": [total, total.replace("items.length", "1")] }, uses)
  silent(
    "a name exported another way",
    { "src/cart.ts": [total, `${total.replace("export ", "")}export { total }\n`] },
    uses
  )
  silent(
    "overloads",
    {
      "src/cart.ts": [
        `export function total(a: number[]): void\n${total}`,
        `export function total(a: number[], b: 1): void\n${total}`
      ]
    },
    uses
  )
  silent(
    "more parameters in plain JavaScript",
    { "src/cart.js": ["export function total(a) {}\n", "export function total(a, b) {}\n"] },
    { "src/a.js": 'import { total } from "./cart"\ntotal(1)\n' }
  )
  const method = "export class Cart { total() { return 1 } }\n"
  const typedUser = { "src/a.ts": 'import { Cart } from "./cart"\nexport const f = (cart: Cart) => cart.total()\n' }
  for (const [what, head] of [
    ["became a parameter of the constructor", "export class Cart { constructor(readonly total: () => 1) {} }\n"],
    ["is assigned to the prototype", "export class Cart {}\nCart.prototype.total = () => 1\n"],
    ["is mixed in", "export class Cart {}\nObject.assign(Cart.prototype, totals)\n"]
  ] as const) {
    silent(`a method that ${what}`, { "src/cart.ts": [method, head] }, typedUser)
  }
  const two = { "src/x.ts": "export const a = 1\nexport const b = 2\n" }
  const reader = { "src/u.ts": 'import { a } from "./index"\na\n' }
  speaks(
    "finds a name of an `export *` that the change removes or replaces",
    { "src/index.ts": ['export * from "./x"\n', 'export { b } from "./x"\n'] },
    { ...two, ...reader },
    ["removed-definition-still-used src/u.ts:1 <- src/index.ts:1; src/u.ts:1; src/u.ts:2"]
  )
  silent(
    "an `export *` from another file that has the name",
    { "src/index.ts": ['export * from "./x"\n', 'export * from "./y"\n'] },
    { ...two, ...reader, "src/y.ts": 'export * from "./x"\n' }
  )
  silent(
    "names instead of an `export *`",
    { "src/index.ts": ['export * from "./x"\n', 'export { a, b } from "./x"\n'] },
    { ...two, ...reader }
  )
  silent(
    "an `export *` instead of names",
    { "src/index.ts": ['export { a, b } from "./x"\n', 'export * from "./x"\n'] },
    { ...two, ...reader }
  )
  silent(
    "an `export *` of a package beside the removed one",
    { "src/index.ts": ['export * from "./x"\nexport * from "y"\n', 'export * from "y"\n'] },
    { ...two, ...reader }
  )
  silent(
    "a CommonJS module",
    { "src/cart.js": ["export const total = 1\n", "module.exports = make()\n"] },
    { "src/a.js": 'import { total } from "./cart"\n' }
  )
  silent(
    "a package of the same name",
    { "src/cart.ts": [total, "export const x = 1\n"] },
    { "src/a.ts": 'import { total } from "cart"\ntotal([])\n' }
  )
  silent(
    "a value passed on as a type of function",
    { "src/cart.ts": ["export const total: F = (a: 1) => a\n", "export const total: F = (a: 1, b: 2) => a\n"] },
    uses
  )
  silent(
    "an interface that is merged with a class",
    { "src/cart.ts": ["export interface Total {}\nexport class Total {}\n", "export class Total {}\n"] },
    { "src/a.ts": 'import { Total } from "./cart"\n' }
  )
  silent(
    "a promise that is handed on",
    { "src/cart.ts": [total, total.replace("function", "async function")] },
    { "src/a.ts": 'import { total } from "./cart"\nexport const f = () => total([])\n' }
  )
})

describe("Go", () => {
  const total = "package cart\n\nfunc Total(a int) int { return a }\n"
  const mod = { "go.mod": "module example.com/shop\n" }
  const user = 'package main\n\nimport "example.com/shop/cart"\n\nfunc main() { println(cart.Total(1)) }\n'
  speaks(
    "finds a function that lost its capital letter",
    { "cart/cart.go": [total, total.replace("Total", "total")] },
    { ...mod, "main.go": user },
    ["removed-definition-still-used main.go:5 <- cart/cart.go:3; main.go:5"]
  )
  const helper = "package cart\n\nfunc ptr() int { return 1 }\n"
  silent(
    "an imported package with the name of a removed function",
    { "cart/a_test.go": [helper, "package cart\n"] },
    { ...mod, "cart/cart.go": 'package cart\n\nimport "k8s.io/utils/ptr"\n\nvar x = ptr.To(1)\n' }
  )
  speaks(
    "finds calls in the same package and in others, tests among them",
    { "cart/cart.go": [total, total.replace("a int)", "a int, b string)")] },
    { ...mod, "main.go": user, "cart/cart_test.go": "package cart\n\nfunc f() { Total(2) }\n" },
    ["call-no-longer-fits cart/cart.go:3 <- cart/cart.go:3; cart/cart_test.go:3; main.go:5"]
  )
  speaks(
    "finds a method called on its own receiver from another file",
    { "cart/a.go": ["package cart\n\nfunc (c *Cart) one() {}\n", "package cart\n"] },
    { "cart/b.go": "package cart\n\ntype Cart struct{ n int }\n\nfunc (c *Cart) two() { c.one() }\n" },
    ["removed-definition-still-used cart/b.go:5 <- cart/a.go:1; cart/b.go:5"]
  )
  speaks(
    "finds methods on objects whose type is declared: parameters, fields, results, other packages",
    {
      "cart/a.go": [
        "package cart\n\ntype Cart struct{ n int }\n\nfunc New() (*Cart, error) { return nil, nil }\n\nfunc (c *Cart) Total(a int) int { return a }\n",
        "package cart\n\ntype Cart struct{ n int }\n\nfunc New() (*Cart, error) { return nil, nil }\n\nfunc (c *Cart) Total(a, b int) int { return a }\n"
      ]
    },
    {
      ...mod,
      "cart/b.go":
        "package cart\n\ntype Order struct{ cart *Cart }\n\nfunc (o *Order) sum() int { return o.cart.Total(1) }\n",
      "main.go":
        'package main\n\nimport "example.com/shop/cart"\n\nfunc run(given *cart.Cart) {\n\town, err := cart.New()\n\tprintln(own.Total(1), err)\n\tgiven.Total(1)\n\tother := &cart.Cart{}\n\tother.Total(1)\n\tvar list []cart.Cart\n\tlist[0].Total(1)\n}\n'
    },
    ["call-no-longer-fits cart/a.go:7 <- cart/a.go:7; cart/b.go:5; main.go:7; main.go:8; main.go:10; main.go:12"]
  )
  const locked = 'package cart\n\nimport "sync"\n\ntype Cart struct {\n\tsync.Mutex\n\tn int\n}\n'
  speaks(
    "finds methods on what a list, a table or a loop has, and on an object that can be locked",
    { "cart/a.go": [`${locked}\nfunc (c *Cart) Total() {}\n`, locked] },
    {
      ...mod,
      "main.go":
        'package main\n\nimport "example.com/shop/cart"\n\ntype shop struct{ carts []*cart.Cart }\n\nfunc run(s shop, named map[string]*cart.Cart) {\n\tfor _, each := range s.carts {\n\t\teach.Total()\n\t}\n\tfor name, each := range named {\n\t\tname.Total()\n\t\teach.Total()\n\t}\n\tnamed["a"].Total()\n\tfor i := range s.carts {\n\t\ti.Total()\n\t\ts.carts[i].Total()\n\t}\n}\n'
    },
    ["removed-definition-still-used main.go:9 <- cart/a.go:8; main.go:9; main.go:13; main.go:15; main.go:18"]
  )
  silent(
    "a method that a lock brings anyway",
    { "cart/a.go": [`${locked}\nfunc (c *Cart) Lock() {}\n`, locked] },
    { ...mod, "main.go": 'package main\n\nimport "example.com/shop/cart"\n\nfunc run(c *cart.Cart) { c.Lock() }\n' }
  )
  silent(
    "a variable of the same name in a function inside another",
    { "cart/a.go": [`${locked}\nfunc (c *Cart) Total() {}\n`, locked] },
    {
      ...mod,
      "main.go":
        'package main\n\nimport "example.com/shop/cart"\n\nfunc run(c *cart.Cart, other Other) {\n\tfunc(c Other) {\n\t\tc.Total()\n\t}(other)\n}\n'
    }
  )
  speaks(
    "finds callers that take as many results as there were",
    { "cart/cart.go": [total, total.replace("int {", "(int, error) {")] },
    {
      ...mod,
      "main.go":
        'package main\n\nimport "example.com/shop/cart"\n\nfunc main() {\n\ta := cart.Total(1)\n\tprintln(a)\n\tcart.Total(2)\n}\n'
    },
    ["result-no-longer-fits cart/cart.go:3 <- cart/cart.go:3; main.go:6"]
  )
  speaks(
    "finds users of a file that its package lost, as one thing",
    { "cart/cart.go": [`${total}\nfunc Other() {}\n`, null] },
    { ...mod, "main.go": user, "cart/b.go": "package cart\n\nfunc f() { Total(2); Other() }\n" },
    ["import-of-deleted-file cart/b.go:3 <- cart/cart.go:1; cart/b.go:3; main.go:5"]
  )
  speaks("finds the import of a package that is gone", { "cart/cart.go": [total, null] }, { ...mod, "main.go": user }, [
    "import-of-deleted-file main.go:3 <- cart/cart.go:1; main.go:3"
  ])
  silent(
    "a function that moved within its package",
    { "cart/a.go": [total, "package cart\n"], "cart/b.go": [null, total] },
    { ...mod, "main.go": user }
  )
  silent(
    "a function that another build of the package defines",
    { "cart/a_linux.go": [total, "package cart\n"] },
    { ...mod, "cart/a_darwin.go": total, "main.go": user }
  )
  silent(
    "a method that may be embedded",
    { "cart/a.go": ["package cart\n\nfunc (c *Cart) one() {}\n", "package cart\n"] },
    { "cart/b.go": "package cart\n\ntype Cart struct{ Base }\n\nfunc (c *Cart) two() { c.one() }\n" }
  )
  silent(
    "a builtin's name",
    { "a.go": ["package a\n\nfunc min(a, b int) int { return a }\n", "package a\n"] },
    { "b.go": "package a\n\nvar x = min(1, 2)\n" }
  )
  silent(
    "a variable that hides the package",
    { "cart/cart.go": [total, "package cart\n"] },
    {
      ...mod,
      "main.go": 'package main\n\nimport "example.com/shop/cart"\n\nfunc main() { cart := f(); cart.Total(1) }\n'
    }
  )
  silent(
    "a call that hands over what another returns",
    { "cart/cart.go": [total, total.replace("a int)", "a int, b string)")] },
    { ...mod, "main.go": user.replace("Total(1)", "Total(f())") }
  )
  silent(
    "another package in the same folder",
    { "cart/cart.go": [total, "package cart\n"] },
    { "cart/x.go": "package other\n\nfunc f() { Total(1) }\n" }
  )
})

describe("whatever the language", () => {
  test("names five places and counts the rest", async () => {
    const others = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`u${i}.py`, "from cart import total\n"]))
    const { records } = await reviewOf({ "cart.py": ["def total():\n    pass\n", "x = 1\n"] }, others)
    expect(records[0]?.description).toContain("u4.py:1, and 4 more.")
  })

  test("reports that more files mention what changed than it reads", async () => {
    const others = Object.fromEntries(
      Array.from({ length: filesSearched + 5 }, (_, i) => [`u${i}.py`, "from cart import total\n"])
    )
    const { omitted } = await reviewOf({ "cart.py": ["def total():\n    pass\n", "x = 1\n"] }, others)
    expect(omitted).toEqual([
      `uses in 6 of ${filesSearched + 6} python files that mention what changed, the farthest ones`
    ])
  })

  test("reports every renamed definition of a large file", async () => {
    const file = (renamed: string) =>
      Array.from({ length: 500 }, (_, at) => {
        const isRenamed = renamed === "fresh" && at < 100
        return `def ${isRenamed ? renamed : "old"}${at}(a, b):\n    x = a + ${at}\n    return b * x - ${isRenamed ? 2 : 1}\n`
      }).join("\n\n")
    const names = Array.from({ length: 100 }, (_, at) => `old${at}`)
    const others = { "use.py": `from lib import ${names.join(", ")}\n` }
    const { records } = await reviewOf({ "lib.py": [file("old"), file("fresh")] }, others)
    expect(records).toHaveLength(100)
  })

  test("returns the same answer whatever the order of the files", async () => {
    const texts: Texts = {
      "a.py": ["def one():\n    pass\n", "x = 1\n"],
      "b.py": ["def two():\n    pass\n", "x = 1\n"],
      "c.py": ["from a import one\nfrom b import two\n", "from a import one\nfrom b import two\nx = 1\n"]
    }
    const turned = Object.fromEntries(Object.entries(texts).reverse())
    expect(await said(turned)).toEqual(await said(texts))
    expect(await said(texts)).toHaveLength(2)
  })

  silent(
    "a file that does not parse",
    { "cart.py": ["def total():\n    pass\n", "def total(:\n"] },
    { "a.py": "from cart import total\n" }
  )
  silent("files of a language it does not know", { "a.rb": ["def one\nend\n", ""] }, { "b.rb": "one\n" })
  silent("an empty change", {})
})
