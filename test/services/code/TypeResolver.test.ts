import { describe } from "bun:test"
import { contractReviews } from "../../support/contracts.ts"

const { silent, speaks } = contractReviews()

describe("TypeScript objects", () => {
  const cart = "export default class Cart {\n  total() { return 1 }\n  size() { return 1 }\n}\n"
  const lighter = cart.replace("  total() { return 1 }\n", "")
  const texts = { "src/cart.ts": [cart, lighter] } as const
  const store =
    'import type Root from "./root"\n\nexport default abstract class Store<T> {\n  root: Root\n  all: T[]\n  table: Map<string, T> = new Map()\n  get first(): T { return this.all[0] }\n  get(id: string): T | undefined { return this.table.get(id) }\n  fetch = async (id: string): Promise<T> => this.get(id)!\n  self() { return this }\n}\n'
  const around = {
    "src/store.ts": store,
    "src/carts.ts":
      'import Store from "./store"\nimport Cart from "./cart"\n\nexport default class Carts extends Store<Cart> {\n  newest() { return this.all.filter((one) => one.size()) }\n}\n',
    "src/root.ts": 'import Carts from "./carts"\n\nexport default class Root {\n  carts: Carts\n}\n',
    "src/useRoot.ts":
      'import type Root from "./root"\n\nexport default function useRoot(): Root {\n  return found()\n}\n'
  }
  const found = (...lines: ReadonlyArray<number>) => [
    `removed-definition-still-used src/a.ts:${lines[0]} <- src/cart.ts:1; ${lines.map((line) => `src/a.ts:${line}`).join("; ")}`
  ]
  speaks(
    "finds what an object lacks that a hook's result holds, taken out of it by name",
    texts,
    {
      ...around,
      "src/a.ts":
        'import useRoot from "./useRoot"\n\nexport function A() {\n  const { carts } = useRoot()\n  const { carts: other } = useRoot()\n  const mine = carts.first\n  mine.total()\n  carts.get("a")?.total()\n  other.all[0].total()\n  carts.self().first.total()\n}\nexport async function b() {\n  const { carts } = useRoot()\n  const one = await carts.fetch("a")\n  one.total()\n}\n'
    },
    found(7, 8, 9, 10, 15)
  )
  speaks(
    "finds what is lacking in what a component is given, by an interface, a type of its own or several together",
    texts,
    {
      ...around,
      "src/a.ts":
        'import type Cart from "./cart"\n\ninterface Given { cart: Cart; make(): Cart }\ntype Props = { cart: Cart | null } & More\ntype More = Given & { extra: number }\n\nexport const A = ({ cart, make }: Given) => cart.total()\nexport function B({ cart: it }: Props) { it.total() }\nexport const c = (props: Props) => props.make().total()\n'
    },
    found(7, 8, 9)
  )
  speaks(
    "follows a list to the function that is called with each element",
    texts,
    {
      ...around,
      "src/a.ts":
        'import useRoot from "./useRoot"\n\nexport const a = () => {\n  const { carts } = useRoot()\n  carts.newest().forEach((cart) => cart.total())\n  const some = carts.all.filter((each) => each.total() > 1)\n  carts.all.map((each, at) => at.total())\n  carts.all.reduce((sum) => sum.total())\n  return some.find(({ size }) => size())?.total()\n}\n'
    },
    found(5, 6, 9)
  )
  silent("what a default may replace, another class's parameter, and a class whose parent cannot be seen", texts, {
    ...around,
    "src/a.ts":
      'import useRoot from "./useRoot"\nimport Store from "./store"\nimport Outside from "outside"\nimport Cart from "./cart"\n\nclass Others extends Store<Other> {}\nclass Far extends Outside<Cart> { cart }\n\nexport const a = (others: Others, far: Far, { cart = other() } = useRoot()) => {\n  others.first.total()\n  far.cart.total()\n  cart.total()\n}\n'
  })
  silent("a result that is another one at another end of the function", texts, {
    ...around,
    "src/a.ts":
      'import Cart from "./cart"\n\nfunction one(x) {\n  if (x) return other()\n  return new Cart()\n}\nfunction two(x) {\n  if (x) return new Cart()\n}\nasync function three() {\n  return new Cart()\n}\none(1).total()\ntwo(1).total()\nthree().total()\n'
  })
})

describe("Python objects", () => {
  const cart =
    "class Cart:\n    def __enter__(self):\n        return self\n\n    def size(self):\n        return 1\n\n    def total(self):\n        return 1\n"
  const texts = {
    "cart.py": [cart, cart.replace("    def total(self):\n        return 1\n", "    other = 1\n")]
  } as const
  speaks(
    "finds what an object lacks that a manager, a property, a parent or an undeclared function gives",
    texts,
    {
      "a.py":
        "from cart import Cart\n\n\nclass Base:\n    def make(self):\n        made = Cart()\n        made.size()\n        return made\n\n    @property\n    def kept(self) -> Cart:\n        return self._kept\n\n\nclass Shop(Base):\n    def again(self):\n        return self.make()\n\n    def run(self):\n        self.again().total()\n        self.kept.total()\n        kept = self.kept\n        kept.total()\n\n\ndef run(shop: Shop):\n    with Cart() as cart:\n        cart.total()\n    with shop.make() as one:\n        one.total()\n"
    },
    ["removed-definition-still-used a.py:20 <- cart.py:8; a.py:20; a.py:21; a.py:23; a.py:28; a.py:30"]
  )
  silent("what a generator, a decorator, a parent from outside or a second end may make something else", texts, {
    "a.py":
      "from cart import Cart\nfrom outside import Outside, wrapped\n\n\ndef many():\n    yield 1\n    return Cart()\n\n\n@wrapped\ndef one():\n    return Cart()\n\n\ndef two(x):\n    if x:\n        return None\n    return Cart()\n\n\nclass Far(Outside, Base):\n    def run(self):\n        self.make().total()\n\n\nmany().total()\none().total()\ntwo(1).total()\n"
  })
})

describe("Rust objects", () => {
  const cart = (method: string) =>
    `pub struct Cart;\n\nimpl Cart {\n    pub fn open() -> Cart {\n        Cart\n    }\n    pub fn ${method}(&self) -> u8 {\n        1\n    }\n}\n`
  speaks(
    "finds what the value of a branch lacks: all branches are of one type",
    { "src/cart.rs": [cart("total"), cart("sum_up")] },
    {
      "Cargo.toml": '[package]\nname = "shop"\n',
      "src/lib.rs":
        "mod cart;\nuse cart::Cart;\n\nfn a(x: bool) -> u8 {\n    let one = if x { return 1 } else { log(1); Cart::open() };\n    let two = match x {\n        true => return 1,\n        false => Cart::open(),\n    };\n    let three = if x { Cart::open(); } else { };\n    three.total();\n    one.total()\n        + two.total()\n}\n"
    },
    ["removed-definition-still-used src/lib.rs:12 <- src/cart.rs:7; src/lib.rs:12; src/lib.rs:13"]
  )
  const shop = {
    "Cargo.toml": '[workspace]\nmembers = ["shop", "till"]\n',
    "shop/Cargo.toml": '[package]\nname = "shop"\n',
    "shop/src/lib.rs": "pub mod cart;\npub mod held;\npub use outside::*;\n",
    "till/Cargo.toml": '[package]\nname = "till"\n'
  }
  speaks(
    "follows references with lifetimes, and a crate of the workspace beside a glob from elsewhere",
    { "shop/src/cart.rs": [cart("total"), cart("sum_up")] },
    {
      ...shop,
      "shop/src/held.rs":
        "use crate::cart::Cart;\n\npub struct Held<'i, 't> {\n    pub cart: &'i Cart,\n    pub mine: &'t mut crate::cart::Cart,\n}\n",
      "till/src/lib.rs":
        "use outside::*;\nuse shop::held::Held;\n\nfn a<'a>(held: &mut Held<'a, 'a>) -> u8 {\n    held.cart.total()\n        + held.mine.total()\n}\n",
      "till/tests/all.rs": "mod sums;\nmod given;\n",
      "till/tests/given/mod.rs": "use shop::cart::Cart;\n\npub fn given() -> Cart {\n    Cart::open()\n}\n",
      "till/tests/sums/mod.rs": "use crate::given::given;\n\nfn b() -> u8 {\n    given().total()\n}\n"
    },
    [
      "removed-definition-still-used till/src/lib.rs:5 <- shop/src/cart.rs:7; till/src/lib.rs:5; till/src/lib.rs:6; till/tests/sums/mod.rs:4"
    ]
  )
})

describe("Go objects", () => {
  const cart = (method: string) =>
    `package cart\n\nimport "net/http"\n\ntype Cart struct {\n\t*http.Client\n}\n\nfunc (c *Cart) ${method}() int {\n\treturn 1\n}\n`
  const mod = { "go.mod": "module example.com/shop\n" }
  const main = (method: string) =>
    `package main\n\nimport "example.com/shop/cart"\n\nfunc run(c *cart.Cart) {\n\tc.${method}()\n}\n`
  speaks(
    "finds what a type lacks that embeds one of the standard library, which does not have it either",
    { "cart/cart.go": [cart("Total"), cart("SumUp")] },
    { ...mod, "main.go": main("Total") },
    ["removed-definition-still-used main.go:6 <- cart/cart.go:9; main.go:6"]
  )
  silent(
    "what the embedded type of the standard library brings",
    { "cart/cart.go": [cart("Get"), cart("SumUp")] },
    { ...mod, "main.go": main("Get") }
  )
})

describe("names that are made of each other", () => {
  const names = "abcdefghijkl".split("")
  const cart = (method: string) => `class Cart:\n    def ${method}(self):\n        return 1\n`
  silent(
    "them, and does not follow every way from one to the other",
    { "cart.py": [cart("total"), cart("sum_up")] },
    {
      "a.py": `from cart import Cart\n\n\ndef run():\n${names.flatMap((name) => names.map((other) => `    ${name} = ${other}.next()\n`)).join("")}    a.total()\n`
    }
  )
  const box = (method: string) => `export class Box {\n  ${method}() { return 1 }\n}\n`
  silent(
    "them in TypeScript either",
    { "src/box.ts": [box("total"), box("sum")] },
    {
      "src/a.ts": `import { Box } from "./box"\n\nexport function run() {\n  if (Box) {\n${names.flatMap((name) => names.map((other) => `    var ${name} = ${other}.next()\n`)).join("")}    a.total()\n  }\n}\n`
    }
  )
})
