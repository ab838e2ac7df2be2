import { describe, expect, test } from "bun:test"
import { contractReviews } from "../../support/contracts.ts"

const { reviewOf, silent, speaks } = contractReviews()

describe("Python's attributes", () => {
  const cart = "class Cart:\n    def __init__(self, owner):\n        self.owner = owner\n        self.size = 0\n"
  const renamed = cart.replaceAll("self.owner", "self.owner_name")
  speaks(
    "finds a renamed attribute on an object of the class",
    { "cart.py": [cart, renamed] },
    { "a.py": "from cart import Cart\n\n\ndef show(cart: Cart):\n    print(cart.owner)\n" },
    ["removed-definition-still-used a.py:5 <- cart.py:3; a.py:5"]
  )
  const method = "\n    def show(self):\n        print(self.owner)\n"
  speaks("finds it in the class itself", { "cart.py": [cart + method, renamed + method] }, {}, [
    "removed-definition-still-used cart.py:7 <- cart.py:3; cart.py:7"
  ])
  const reading = `${method}\n    def clear(self):\n        self.__dict__["items"].count = 0\n`
  speaks(
    "finds it in a class that reads an attribute by its name",
    { "cart.py": [cart + reading, renamed + reading] },
    {},
    ["removed-definition-still-used cart.py:7 <- cart.py:3; cart.py:7"]
  )
  speaks(
    "finds it in a module that may have other names",
    {
      "cart.py": [cart, renamed].map((text) => `${text}\n\ndef __getattr__(name):\n    return 1\n`) as [string, string]
    },
    { "a.py": "from cart import Cart\n\n\ndef show(cart: Cart):\n    print(cart.owner)\n" },
    ["removed-definition-still-used a.py:5 <- cart.py:3; a.py:5"]
  )
  const filled =
    "class Cart:\n    def __init__(self):\n        self.items = {}\n\n    def fill(self):\n        self.items[1] = 2\n"
  speaks(
    "does not take an assignment to an element for the attribute's own",
    { "cart.py": [filled, filled.replace("self.items = {}", "pass")] },
    {},
    ["removed-definition-still-used cart.py:6 <- cart.py:2; cart.py:6"]
  )
  silent("an attribute that is a property now", {
    "cart.py": [cart + method, `class Cart:\n    @property\n    def owner(self):\n        return 1\n${method}`]
  })
  silent("an attribute that a subclass sets", {
    "cart.py": [cart + method, `${renamed + method}\n\nclass Box(Cart):\n    def fill(self):\n        self.owner = 1\n`]
  })
  silent("an attribute of another object that the class no longer sets", {
    "cart.py": [
      `class Cart:\n    def fill(self, other):\n        other.owner = 1\n${method}`,
      `class Cart:\n    def fill(self, other):\n        pass\n${method}`
    ]
  })
  silent("attributes that are set by their names", {
    "cart.py": [
      cart + method,
      `class Cart:\n    def __init__(self, **all):\n        self.__dict__.update(all)\n${method}`
    ]
  })
})

describe("TypeScript's properties", () => {
  speaks(
    "finds a property that an interface no longer has",
    {
      "cart.ts": [
        "export interface Cart {\n  owner: string\n  size: number\n}\n",
        "export interface Cart {\n  size: number\n}\n"
      ]
    },
    { "a.ts": 'import type { Cart } from "./cart"\n\nexport const show = (cart: Cart) => cart.owner\n' },
    ["removed-definition-still-used a.ts:3 <- cart.ts:1; a.ts:3"]
  )
  speaks(
    "finds a renamed field of a class",
    {
      "cart.ts": [
        "export class Cart {\n  ownerName = 1\n  show() {\n    return this.ownerName\n  }\n}\n",
        "export class Cart {\n  ownerLabel = 1\n  show() {\n    return this.ownerName\n  }\n}\n"
      ]
    },
    { "a.ts": 'import { Cart } from "./cart"\n\nexport const show = () => new Cart().ownerName\n' },
    ["removed-definition-still-used cart.ts:4 <- cart.ts:2; a.ts:3; cart.ts:4"]
  )
})

describe("constructors that Python generates from fields", () => {
  const user = { "a.py": "from cart import Cart\n\nCart(1, 2)\nCart(owner=1, size=2)\n" }
  const both = ["call-no-longer-fits cart.py:", " <- cart.py:", "; a.py:3; a.py:4"]
  const at = (line: number) => [both.join("~").replace(/~/, `${line}`).replace(/~/, `${line}`)]
  const head = "from dataclasses import KW_ONLY, dataclass, field\nfrom typing import ClassVar\n\n\n"
  const plain = `${head}@dataclass\nclass Cart:\n    owner: int\n    size: int\n`
  for (const [what, first] of [
    ["a data class", "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Cart:\n"],
    ["a data class by its module", "import dataclasses\n\n\n@dataclasses.dataclass\nclass Cart:\n"],
    ["a named tuple", "from typing import NamedTuple\n\n\n\nclass Cart(NamedTuple):\n"],
    ["a class of attrs", "import attr\n\n\n@attr.s(auto_attribs=True)\nclass Cart:\n"],
    ["a class of attrs with its own names", "from attrs import define\n\n\n@define\nclass Cart:\n"]
  ] as const) {
    const before = `${first}    owner: int\n    size: int\n`
    speaks(
      `finds the calls that lack a new field of ${what}`,
      { "cart.py": [before, `${before}    tax: int\n`] },
      user,
      at(8)
    )
    silent(`a new field of ${what} with a default`, { "cart.py": [before, `${before}    tax: int = 0\n`] }, user)
  }
  speaks(
    "finds the calls that lack a new field made by attr.ib",
    {
      "cart.py": [
        "import attr\n\n\n@attr.s\nclass Cart:\n    owner = attr.ib()\n    size = attr.ib()\n",
        "import attr\n\n\n@attr.s\nclass Cart:\n    owner = attr.ib()\n    size = attr.ib()\n    tax = attr.ib()\n"
      ]
    },
    user,
    at(8)
  )
  const model = "from pydantic import BaseModel\n\n\nclass Cart(BaseModel):\n    owner: int\n    size: int\n"
  speaks(
    "finds the calls that lack a new field of a pydantic model",
    { "cart.py": [model, `${model}    tax: int\n`] },
    { "a.py": "from cart import Cart\n\nCart(owner=1, size=2)\nCart(owner=1, size=2, tax=3)\n" },
    ["call-no-longer-fits cart.py:7 <- cart.py:7; a.py:3"]
  )
  silent(
    "a removed field of a pydantic model, which ignores other keywords",
    { "cart.py": [model, model.replace("    size: int\n", "")] },
    { "a.py": "from cart import Cart\n\nCart(owner=1, size=2)\n" }
  )
  silent(
    "an optional field of a pydantic model",
    { "cart.py": [model, `${model}    tax: int | None\n`] },
    { "a.py": "from cart import Cart\n\nCart(owner=1, size=2)\n" }
  )
  speaks(
    "finds calls with the old order of two fields",
    { "cart.py": [plain, plain.replace("    owner: int\n    size: int\n", "    size: int\n    owner: int\n")] },
    user,
    ["parameters-changed-places cart.py:8 <- cart.py:8; a.py:3"]
  )
  speaks(
    "finds the old name of a renamed field in calls and accesses",
    { "cart.py": [plain, plain.replace("size", "size_in_kg")] },
    { "a.py": "from cart import Cart\n\nCart(owner=1, size=2)\nprint(Cart(1, 2).size)\n" },
    ["removed-definition-still-used a.py:4 <- cart.py:8; a.py:4", "call-no-longer-fits cart.py:8 <- cart.py:8; a.py:3"]
  )
  for (const [what, line] of [
    ["with a factory", "    tax: list[int] = field(default_factory=list)\n"],
    ["that is not a parameter", "    tax: int = field(init=False)\n"],
    ["of the class", "    tax: ClassVar[int]\n"],
    ["without a type", "    tax = 0\n"]
  ] as const) {
    silent(`a new field ${what}`, { "cart.py": [plain, plain + line] }, user)
  }
  speaks(
    "tells keyword-only fields from the others",
    { "cart.py": [plain, plain.replace("    size", "    _: KW_ONLY\n    size")] },
    user,
    ["call-no-longer-fits cart.py:6 <- cart.py:6; a.py:3"]
  )
  silent(
    "fields of a class with an unknown parent",
    {
      "cart.py": [plain, `${plain}    tax: int\n`].map((text) => text.replace("Cart:", "Cart(Base):")) as [
        string,
        string
      ]
    },
    user
  )
  silent(
    "a decorator of another library",
    {
      "cart.py": [plain, `${plain}    tax: int\n`].map((text) => text.replace("from dataclasses", "from mine")) as [
        string,
        string
      ]
    },
    user
  )
})

describe("the values that a Python function returns", () => {
  const load = (...returns: ReadonlyArray<string>) =>
    `def load(key):\n    if key:\n        return ${returns[0]}\n    return ${returns[1] ?? returns[0]}\n`
  const user = { "a.py": "from cart import load\n\nfirst, second = load(1)\nboth = load(1)\n(x, (y, z)) = load(2)\n" }
  for (const [what, after] of [
    ["three values", "1, 2, 3"],
    ["nothing", "None"],
    ["a number", "1"]
  ] as const) {
    speaks(`finds callers that unpack two values and get ${what}`, { "cart.py": [load("1, 2"), load(after)] }, user, [
      "result-no-longer-fits cart.py:3 <- cart.py:3; a.py:3; a.py:5"
    ])
  }
  test("says what a call returned and what it returns now", async () => {
    const { records } = await reviewOf({ "cart.py": [load("1, 2"), load("1, 2, 3")] }, user)
    expect(records[0]?.description).toContain("It returned 2 values and returns 3 values now.")
  })
  silent("a list of as many values", { "cart.py": [load("1, 2"), load("[1, 2]")] }, user)
  silent("a value that is not written down", { "cart.py": [load("1, 2"), load("pair(key)")] }, user)
  silent("returns that differ", { "cart.py": [load("1, 2"), load("1, 2", "1, 2, 3")] }, user)
  silent("returns that differed before", { "cart.py": [load("1, 2", "[]"), load("1, 2, 3")] }, user)
  silent("a generator", { "cart.py": [load("1, 2"), `${load("1, 2, 3")}    yield 1\n`] }, user)
  silent(
    "a body that is still to be written",
    { "cart.py": [load("1, 2"), "def load(key):\n    raise KeyError\n"] },
    user
  )
  silent(
    "an unpacking with a rest",
    { "cart.py": [load("1, 2"), load("1, 2, 3")] },
    {
      "a.py": "from cart import load\n\nfirst, *second = load(1)\n"
    }
  )
})
