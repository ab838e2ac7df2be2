import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Schema } from "effect"
import { grammarFor, languageOf } from "../../src/languages/languages.ts"
import { counterexample } from "../support/effect.ts"
import { samples } from "../support/symbolSamples.ts"
import { symbolReader } from "../support/symbols.ts"

const { ask, definitions, dispose, imports, places, symbolsOf } = symbolReader()
afterAll(dispose)

type Sample = keyof typeof samples

const paths = Object.keys(samples) as ReadonlyArray<Sample>

interface Expected {
  readonly definitions: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
}

const expected: Readonly<Record<Sample, Expected>> = {
  "cart.ex": {
    definitions: [
      "1 class Shop.Cart",
      "7 constant Shop.Cart.timeout",
      "9 constant Shop.Cart.defstruct",
      "10 type Shop.Cart.t",
      "11 function Shop.Cart.open(id, opts)",
      "13 function Shop.Cart.add(cart, item, opts?)",
      "15 function Shop.Cart.empty?()",
      "16 function Shop.Cart.total(_)",
      "17 function Shop.Cart.with_cart(_)",
      "18 function Shop.Cart.+(a, b)",
      "20 function Shop.Cart.seed(n)",
      "22 class Shop.Cart.Line",
      "23 constant Shop.Cart.Line.defexception",
      "24 function Shop.Cart.Line.cost(line)",
      "28 class Enumerable.Shop.Cart",
      "29 function Enumerable.Shop.Cart.count(cart)",
      "32 type Shop.Priced",
      "33 function Shop.Priced.price(thing)"
    ],
    imports: ["Ecto.Schema", "Shop.Item as Item", "Shop.Order as Order", "Shop.Repo as R", "Ecto.Query from as from"]
  },
  "cart.rb": {
    definitions: [
      "4 class Shop",
      "5 class Shop.Cart",
      "7 constant Shop.Cart.LIMIT",
      "8 method Shop.Cart.items()",
      "9 method Shop.Cart.initialize(owner, limit?, *rest, key, opt?, *more)",
      "14 method Shop.Cart.build(...)",
      "16 method Shop.Cart.meta()",
      "19 method Shop.Cart.secret()",
      "20 method Shop.Cart.kin(a)",
      "22 method Shop.Cart.shown()",
      "24 method Shop.Cart.size()",
      "26 class Shop.Point",
      "26 method Shop.Point.x()",
      "27 method Shop.Point.dist(other)",
      "30 function top(a)"
    ],
    imports: ["json", "./line", "shop/order Order as Order"]
  },
  "Cart.swift": {
    definitions: [
      "3 type Shape",
      "4 constant Shape.area",
      "5 method Shape.draw(at, scale)",
      "7 class Circle",
      "8 constant Circle.radius",
      "8 constant Circle.y",
      "9 method Circle.init(radius, n?, *names)",
      "10 method Circle.grow(by)",
      "11 type Circle.State",
      "11 constant Circle.State.on",
      "11 constant Circle.State.off",
      "11 constant Circle.State.idle",
      "12 class Circle.Inner",
      "12 type Circle.Inner.K",
      "14 method Circle.default()",
      "15 function top(a, b?)",
      "16 constant g"
    ],
    imports: ["Foundation as Foundation", "Shop as Shop"]
  },
  "Cart.kt": {
    definitions: [
      "7 constant LIMIT",
      "8 type Handler",
      "10 type Shape",
      "11 method Shape.area()",
      "14 class Cart(id, total?, *xs)",
      "14 constant Cart.id",
      "14 constant Cart.total",
      "15 constant Cart.size",
      "16 method Cart.add(item, count?, more)",
      "21 method Cart.create()",
      "24 class Cart.State(v)",
      "24 constant Cart.State.v",
      "25 constant Cart.State.ON",
      "26 constant Cart.State.OFF",
      "30 function shout(times)",
      "32 class Single"
    ],
    imports: ["com.shop.Item Item as Item", "com.shop.util.*", "com.shop.Order Order as O"]
  },
  "cart.c": {
    definitions: [
      "6 constant LIMIT",
      "7 function SUM(x, ...)",
      "8 type line_t",
      "8 class line",
      "8 constant line.cost",
      "8 constant line.next",
      "9 class cart_t",
      "9 constant cart_t.id",
      "9 constant cart_t.cmp",
      "10 type handler",
      "11 type color",
      "11 constant color.RED",
      "11 constant color.GREEN",
      "12 constant counter",
      "13 constant limit",
      "13 constant p",
      "15 function proto()",
      "16 function add(a, b, ...)",
      "20 function any()",
      "22 function one(cart)",
      "24 function other(cart)"
    ],
    imports: ["<stdio.h>", "shop/line.h"]
  },
  "cart.hpp": {
    definitions: [
      "5 class shop.inner.Box",
      "6 constant shop.inner.Box.hidden",
      "8 method shop.inner.Box.Box(a?, b?)",
      "9 method shop.inner.Box.~Box()",
      "11 method shop.inner.Box.operator==(o)",
      "12 type shop.inner.Box.Kind",
      "12 constant shop.inner.Box.Kind.A",
      "12 constant shop.inner.Box.Kind.B",
      "13 type shop.inner.Box.value_type",
      "14 method shop.inner.Box.trail()",
      "16 function shop.inner.largest(a, b)",
      "17 function shop.inner.own(a)",
      "19 method shop.inner.Box.draw(x)",
      "23 function late.reached(a)",
      "25 class Shown",
      "27 method Shown.go(a)"
    ],
    imports: ["a/b.h", "std vector as vector", "shop"]
  },
  "Cart.cs": {
    definitions: [
      "5 type IShape",
      "5 method IShape.Area(x)",
      "5 constant IShape.P",
      "6 class Cart",
      "7 constant Cart.Limit",
      "7 constant Cart.Other",
      "8 constant Cart._id",
      "9 constant Cart.Total",
      "11 method Cart.Add(item, count, z?)",
      "12 method Cart.Twice(item, x)",
      "13 method Cart.Over",
      "14 method Cart.Over",
      "15 type Cart.State",
      "15 constant Cart.State.On",
      "15 constant Cart.State.Off",
      "16 class Cart.Inner",
      "16 constant Cart.Inner.A",
      "18 class Person(Name, Age?)",
      "20 class Conditional"
    ],
    imports: ["System", "System.Math", "Newtonsoft.Json as J"]
  },
  "Cart.php": {
    definitions: [
      "7 constant LIMIT",
      "8 constant OLD",
      "9 type Shape",
      "9 method Shape.area()",
      "9 constant Shape.K",
      "10 type Suit",
      "10 constant Suit.Hearts",
      "11 class Cart",
      "13 constant Cart.count",
      "13 constant Cart.o",
      "14 method Cart.__construct(id, name?, *rest)",
      "15 method Cart.make(a)",
      "16 method Cart.go()",
      "17 method Cart.plain()",
      "19 function late(a, b?)"
    ],
    imports: ["Foo\\Bar Bar as Bar", "Foo\\A A as A", "Foo\\B B as C", "Foo\\helper helper as helper", "./x.php"]
  }
}

const wordsIn: Readonly<Record<Sample, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  "cart.ex": {
    add: ["12 definition", "13 definition", "14 definition", "15 member __MODULE__ (0 ...) in Cart"],
    insert: ["14 member R (0 ...)"],
    total: ["14 member Order (0 ...)", "16 definition"],
    item: ["13 binding", "14 binding", "14 use"],
    is_list: ["14 use (0 ...)"],
    R: ["4 import", "14 use"]
  },
  "cart.rb": {
    total: ["10 member self (0 ...) in Cart"],
    Order: ["11 use (0 ...)"],
    helper: ["12 use (0 ...)"],
    a: ["20 binding", "30 binding", "30 use"],
    size: []
  },
  "Cart.swift": {
    shrink: ["10 member self (0 ...) in Circle"],
    make: ["10 member Circle (0 ...)"],
    Circle: ["7 definition", "10 use", "14 use"],
    radius: ["8 definition"],
    by: []
  },
  "Cart.kt": {
    count: ["16 binding", "17 member this (0 ...) in Cart"],
    Cart: ["14 definition", "21 use (0 ...)"],
    Base: ["10 use", "14 use (0 ...)", "32 use (0 ...)"],
    run: ["30 member O (0 ...)"],
    k: []
  },
  "cart.c": {
    add: ["14 definition", "16 definition", "22 use (0 ...)"],
    cmp: ["9 definition", "22 member cart (0 ...)"],
    cart_t: ["9 use", "22 use", "24 use"],
    sub: ["18 use (0 ...)"],
    cart: ["22 binding", "22 use", "24 binding"]
  },
  "cart.hpp": {
    draw: ["10 definition", "14 member this (0 ...) in Box", "19 definition"],
    make: ["14 member Box (0 ...)"],
    run: ["19 use (0 ...)"],
    vector: ["2 import"],
    x: ["10 binding", "19 binding"]
  },
  "Cart.cs": {
    Go: ["11 member this (0 ...) in Cart"],
    Cart: ["6 definition", "11 use (0 ...)"],
    Total: ["9 definition", "11 member"],
    item: ["11 binding", "11 use", "12 binding"],
    Math: ["2 import"]
  },
  "Cart.php": {
    make: [
      "15 definition",
      "17 member $this (0 ...) in Cart",
      "17 member self (0 ...) in Cart",
      "17 member Cart (0 ...)"
    ],
    Bar: ["3 import", "15 use (0 ...)"],
    helper: ["5 import", "17 use (0 ...)"],
    go: ["16 definition", "17 member $this (0 ...) in Cart"],
    SoftDeletes: ["12 use"]
  }
}

describe("a file of each language", () => {
  for (const path of paths) {
    const text = samples[path]
    test(`shows what ${path} defines, on which line, and how it is called`, async () => {
      expect(await definitions(path, text)).toEqual([...expected[path].definitions])
    })
    test(`shows what ${path} takes in`, async () => {
      expect(await imports(path, text)).toEqual([...expected[path].imports])
    })
    for (const [word, found] of Object.entries(wordsIn[path])) {
      test(`finds what ${word} is wherever it is in ${path}`, async () => {
        expect(await places(path, text, word)).toEqual([...found])
      })
    }
  }
})

describe("what the syntax does not show", () => {
  test("has no signature for a name that is defined more than once", async () => {
    expect(await definitions("a.kt", "fun f(a: Int) {}\nfun f(a: String) {}\n")).toEqual([
      "1 function f",
      "2 function f"
    ])
    expect(await definitions("a.php", "<?php\nif ($a) { function f($a) {} } else { function f() {} }\n")).toEqual([
      "2 function f",
      "2 function f"
    ])
    expect(
      await definitions("a.c", "#ifdef A\nint f(int a) { return 1; }\n#else\nint f(void) { return 1; }\n#endif\n")
    ).toEqual(["2 function f", "4 function f"])
  })
  test("puts a definition on the line of its name, below its decorators and comments", async () => {
    expect(await definitions("a.cs", "class A {\n  [Test]\n  [Slow]\n  public void B() { }\n}\n")).toContain(
      "4 method A.B()"
    )
    expect(await definitions("a.kt", '@Deprecated(\n  "x"\n)\nfun `two words`() {}\n')).toEqual([
      "4 function two words()"
    ])
    expect(await definitions("a.php", "<?php\n#[Pure]\nfunction f() {}\n")).toEqual(["3 function f()"])
  })
  test("keeps Elixir's functions of one name apart by their arity, and joins their clauses", async () => {
    const text =
      "defmodule A do\n  def f(1), do: 1\n  def f(a), do: a\n  def f(a, b), do: b\n  def unquote(name)(a), do: a\nend\n"
    expect((await definitions("a.ex", text)).slice(1)).toEqual(["2 function A.f(_)", "4 function A.f(a, b)"])
    const { definitions: found } = await symbolsOf("a.ex", text)
    expect(found[1]?.endLine).toBe(3)
  })
  test("leaves out C's declarations that the file itself defines, and no others", async () => {
    const text = "static int f(int a);\nint g(int a);\nextern int h;\nstatic int f(int b) { return b; }\nint h = 1;\n"
    expect(await definitions("a.c", text)).toEqual(["2 function g(a)", "4 function f(b)", "5 constant h"])
  })
  test("reads a header as C or C++ by its text", async () => {
    const [found] = (await symbolsOf("a.h", "namespace a { int f(); }\n")).definitions
    expect(found?.container).toBe("a")
  })
  test("takes a call with a block for a call", async () => {
    expect(await places("a.swift", "f(1) { $0 }\nf { $0 }\nf(1)\n", "f")).toEqual([
      "1 use (0 ...)",
      "2 use (0 ...)",
      "3 use (0 ...)"
    ])
    expect(await places("a.kt", "val x = f(1) { it }\nval y = f { it }\nval z = f(1)\n", "f")).toEqual([
      "1 use (0 ...)",
      "2 use (0 ...)",
      "3 use (0 ...)"
    ])
  })
  test("takes Elixir's pipes, captures and blocks for calls", async () => {
    const text =
      "defmodule A do\n  def g do\n    x |> f(1)\n    x |> f\n    &f/3\n    f 1 do\n      2\n    end\n  end\nend\n"
    expect(await places("a.ex", text, "f")).toEqual([
      "3 use (0 ...)",
      "4 use (0 ...)",
      "5 use (0 ...)",
      "6 use (0 ...)"
    ])
  })
  test("follows __MODULE__ to the module around it", async () => {
    const text =
      "defmodule A.B do\n  alias __MODULE__.C\n  alias __MODULE__.{D, E}\n  defmodule F do\n    alias __MODULE__.G\n  end\nend\n"
    expect(await imports("a.ex", text)).toEqual(["A.B.C as C", "A.B.D as D", "A.B.E as E", "A.B.F.G as G"])
  })
  test("expects a library to be missing where Ruby rescues that", async () => {
    expect(await imports("a.rb", 'begin\n  require "x"\nrescue LoadError\nend\nrequire "y"\n')).toEqual(["x ?", "y"])
  })
  test("finds no names in strings and comments", async () => {
    const texts: Readonly<Record<string, string>> = {
      "a.ex": 'defmodule A do\n  # gone\n  def f, do: "gone"\nend\n',
      "a.rb": '# gone\nx = "gone"\n',
      "a.swift": '// gone\nlet x = "gone"\n',
      "a.kt": '// gone\nval x = "gone"\n',
      "a.c": '// gone\nchar *x = "gone";\n',
      "a.cs": 'class A { // gone\n  string x = "gone"; }\n',
      "a.php": "<?php\n// gone\n$x = 'gone'; $gone = 1;\n"
    }
    for (const [path, text] of Object.entries(texts)) expect(await places(path, text, "gone")).toEqual([])
  })
})

describe("the grammar of a header", () => {
  test("is C++ if its text is C++, and C otherwise", () => {
    expect(grammarFor("a.h", "struct a { int b; };\nint class_of(int namespace_id);\n")).toBe("c")
    expect(grammarFor("a.h", "/* a class of its own */\nint a;\n")).toBe("c")
    for (const text of [
      "namespace a {\n}\n",
      "  class A;\n",
      "template <typename T>\nT a();\n",
      "struct A {\n public:\n};\n"
    ]) {
      expect(grammarFor("a.H", text)).toBe("cpp")
    }
    expect(grammarFor("a.c", "class A;\n")).toBe("c")
  })
})

const nestings = [
  "module A\n",
  "class A {",
  "namespace A {",
  "defmodule A do\n",
  "enum A { ",
  "if (a) {",
  "f(",
  "{",
  "#if A\n"
]

/** Everything that a reader answers, with the laws that hold for any text. */
const holds = (path: string, text: string): Promise<boolean> =>
  ask(path, text, (root) => {
    const language = languageOf(path)
    if (language === null) return false
    const { definitions: found, imports: taken } = language.symbols(root, path)
    const lines = text.split("\n").length
    for (const { 0: word, index } of text.matchAll(/[A-Za-z_]\w*/g).take(500)) {
      const node = root.descendantForIndex(index, index + word.length)
      if (node !== null) language.occurrence(node)
    }
    const isInside = found.every(({ endLine, line }) => line >= 1 && endLine >= line && endLine <= lines)
    const isAscending = found.every(({ line }, at) => at === 0 || line >= (found[at - 1]?.line ?? 0))
    const isNamed = found.every(({ name }) => name !== "")
    return isInside && isAscending && isNamed && taken.every(({ line }) => line >= 1 && line <= lines)
  })

describe("reading any text", () => {
  for (const path of paths) {
    const whole = samples[path]
    test(`is valid for every prefix of ${path}`, async () => {
      for (let end = 0; end <= whole.length; end += 11) expect(await holds(path, whole.slice(0, end))).toBe(true)
    })
    const tokens = [...new Set(whole.match(/\w+|[^\w\s]|\s+/g) ?? [])]
    test(`is valid for the words of ${path} in any order`, async () => {
      const soup = Schema.Array(Schema.Literals(["é🦊", ...tokens]))
      const isHeld = (parts: ReadonlyArray<string>) => Effect.promise(() => holds(path, parts.join("")))
      expect(await Effect.runPromise(counterexample(soup, isHeld))).toBeUndefined()
    })
    test(`is not overwhelmed by what is nested without end, as ${path}`, async () => {
      for (const piece of nestings) expect(await holds(path, piece.repeat(400))).toBe(true)
    })
  }
})
