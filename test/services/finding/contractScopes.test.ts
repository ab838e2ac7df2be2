/** A call of another function of the same name is not a call of the changed one. */
import { describe } from "bun:test"
import { contractReviews } from "../../support/contracts.ts"

const { silent, speaks } = contractReviews()

describe("Python", () => {
  const changed = {
    "a.py": ["def total(items):\n    return items\n", "def total(items, tax):\n    return [tax]\n"]
  } as const
  const other = { "b.py": "def total(items):\n    return items\n" }
  const own = (title: string, body: string) => silent(`${title}, in Python`, changed, { ...other, "u.py": body })
  const file = "from a import total\n\n\n"

  own(
    "a name that a function imports from elsewhere",
    `${file}def f():\n    from b import total\n    return total(1)\n`
  )
  own("a module that a function imports under the name", `${file}def f():\n    import total\n    return total(1)\n`)
  own("a function in a function", `${file}def f():\n    def total(x):\n        return x\n    return total(1)\n`)
  own("a class in a function", `${file}def f():\n    class total:\n        pass\n    return total(1)\n`)
  own(
    "a name in a list that a pattern captures",
    `${file}def f(p):\n    match p:\n        case [total]:\n            return total(1)\n`
  )
  own(
    "a name that a pattern captures",
    `${file}def f(p):\n    match p:\n        case {"k": total, **rest}:\n            return total(1)\n`
  )
  own(
    "a name that an attribute's pattern captures",
    `${file}def f(p):\n    match p:\n        case C(x=total):\n            return total(1)\n`
  )
  own(
    "a function in place of a missing import",
    "try:\n    from a import total\nexcept ImportError:\n    def total(x):\n        return x\n\ntotal(1)\n"
  )
  own(
    "one of two imports of a name",
    "import sys\n\nif sys.argv:\n    from a import total\nelse:\n    from b import total\n\ntotal(1)\n"
  )
  own("a parameter", `${file}def f(total):\n    return total(1)\n`)
  own("a variable", `${file}def f():\n    total = g()\n    return total(1)\n`)
  own("the variable of a loop", `${file}def f(xs):\n    for total in xs:\n        total(1)\n`)
  own("the variable of a comprehension", `${file}xs = [total(1) for total in ys]\n`)
  own("the variable of a with", `${file}def f():\n    with open() as total:\n        total(1)\n`)
  own("a module that is a parameter", "import a\n\n\ndef f(a):\n    return a.total(1)\n")
  own(
    "a module that a function imports from elsewhere",
    "import a\n\n\ndef f():\n    from q import b as a\n    return a.total(1)\n"
  )
  own(
    "a method in the body of its class",
    `${file}class C:\n    def total(self, x):\n        return x\n\n    r = total(1)\n`
  )
  own("an attribute in the body of its class", `${file}class C:\n    total = g\n    r = total(1)\n`)
  own("a parameter for a type", `${file}def f[total, *T](x: total):\n    return total(1)\n`)
  own("a parameter for a type of a class", `${file}class C[total: g]:\n    def f(self):\n        return total(1)\n`)
  own("a global that a function assigns", `${file}def f():\n    global total\n    total = g()\n\n\ntotal(1)\n`)

  silent(
    "a function in place of a missing import that another parameter joins, in Python",
    {
      "u.py": [
        "try:\n    from b import total\nexcept ImportError:\n    def total(x):\n        return x\n\ntotal(1)\n",
        "try:\n    from b import total\nexcept ImportError:\n    def total(x, y):\n        return [x]\n\ntotal(1)\n"
      ]
    },
    other
  )
  const call = ["call-no-longer-fits a.py:1 <- a.py:1; u.py:"]
  const found = (title: string, body: string, line: number) =>
    speaks(title, changed, { ...other, "u.py": body }, [`${call}${line}`])
  found(
    "reads the calls of the file beside a local of the same name",
    `${file}def f(total):\n    return total\n\n\ntotal(1)\n`,
    8
  )
  found(
    "reads the calls of the function that imports it",
    "def f():\n    from a import total\n    return total(1)\n\n\ndef g(total):\n    return total(1)\n",
    3
  )
  found(
    "reads the calls of a module that the function imports",
    "def f():\n    import a\n    return a.total(1)\n\n\ndef g(a):\n    return a.total(1)\n",
    3
  )
  found("reads a default value of a parameter of the same name", `${file}def f(total=total(1)):\n    return total\n`, 4)
  found("reads an annotation beside a parameter of the same name", `${file}def f(total: total(1)): ...\n`, 4)
  found("reads a default value of a lambda", `${file}f = lambda total=total(1): total\n`, 4)
  found("reads what the first loop of a comprehension goes through", `${file}r = [total for total in [total(1)]]\n`, 4)
  found(
    "reads a class before its method of the same name",
    `${file}class C:\n    r = total(1)\n    def total(self): ...\n`,
    5
  )
  found("reads the value of an attribute of the same name", `${file}class C:\n    total = total(1)\n`, 5)
  found(
    "reads the default value of a method of the same name",
    `${file}class C:\n    def total(self, x=total(1)): ...\n`,
    5
  )
  found(
    "does not take an attribute of a class for the name in its methods",
    `${file}class C:\n    total = 1\n\n    def m(self):\n        return total(1)\n`,
    8
  )
})

describe("TypeScript", () => {
  const changed = {
    "a.ts": [
      "export function total(items: number) {\n  return items\n}\n",
      "export function total(items: number, tax: number) {\n  return [tax]\n}\n"
    ]
  } as const
  const file = 'import { total } from "./a"\n\n'
  const own = (title: string, body: string) => silent(`${title}, in TypeScript`, changed, { "u.ts": body })
  own("a parameter", `${file}export const f = (total: any) => total(1)\n`)
  own("a destructured parameter", `${file}export const f = ({ total }: any) => total(1)\n`)
  own(
    "a renamed destructured name",
    `${file}export function f(o: any) {\n  const { x: total } = o\n  return total(1)\n}\n`
  )
  own(
    "a destructured name with a default",
    `${file}export function f(o: any) {\n  const [{ total = 1 }] = o\n  return total(1)\n}\n`
  )
  own(
    "a function in a function",
    `${file}export function f() {\n  return total(1)\n  function total(x: number) {}\n}\n`
  )
  own("a variable in a block", `${file}export function f() {\n  {\n    var total = g()\n  }\n  return total(1)\n}\n`)
  own("the variable of a loop", `${file}for (const total of xs) total(1)\n`)
  own("what is caught", `${file}try {\n} catch (total) {\n  total(1)\n}\n`)
  own(
    "a function expression of that name",
    `${file}export const f = function total(x: number): any {\n  return total(1)\n}\n`
  )
  own("a class in a function", `${file}export function f() {\n  class total {}\n  return new total(1)\n}\n`)
  own(
    "a local beside a loaded name",
    'async function f(total: any) {\n  {\n    const { total } = await import("./a")\n  }\n  total(1)\n}\n'
  )
  own(
    "a name that another module gives",
    'async function f() {\n  const { total } = await import("./b")\n  total(1)\n}\n'
  )
  speaks(
    "reads the calls of what import() gives, in TypeScript",
    changed,
    {
      "b.ts": "export const total = (x: number) => x\n",
      "u.ts":
        'export async function f() {\n  const { total, x: y } = await import("./a")\n  return total(1)\n}\nexport const g = async () => {\n  const { total: sum } = await import("./a")\n  return sum(1)\n}\n',
      "v.ts":
        'export const f = async () => (await import("./a")).total(1)\nexport const g = async () => (await import("./b")).total(1)\n',
      "w.ts": 'const a = await import("./a")\na.total(1)\nconst f = (a: any) => a.total(1)\n'
    },
    ["call-no-longer-fits a.ts:1 <- a.ts:1; u.ts:3; u.ts:7; v.ts:1; w.ts:2"]
  )
  own("a module that is a parameter", 'import * as a from "./a"\n\nexport const f = (a: any) => a.total(1)\n')
  speaks(
    "reads the calls of the file beside a local of the same name, in TypeScript",
    changed,
    {
      "u.ts": `${file}export const f = (total: any) => total(1)\ntotal(1)\n{\n  const total = (x: number) => x\n  total(1)\n}\n`
    },
    ["call-no-longer-fits a.ts:1 <- a.ts:1; u.ts:4"]
  )
})

describe("Go", () => {
  const changed = {
    "p/a.go": [
      "package p\n\nfunc Total(items int) int { return items }\n",
      "package p\n\nfunc Total(items int, tax int) int { return items + tax }\n"
    ]
  } as const
  const others = { "go.mod": "module m\n" }
  const own = (title: string, body: string) =>
    silent(`${title}, in Go`, changed, { ...others, "p/u.go": `package p\n\n${body}` })
  own("a parameter", "func f(Total func(int) int) int { return Total(1) }\n")
  own("a variable", "func f() int {\n\tTotal := g()\n\treturn Total(1)\n}\n")
  own("a variable of an if", "func f() int {\n\tif Total := g(); true {\n\t\treturn Total(1)\n\t}\n\treturn 0\n}\n")
  own("a variable of a range", "func f() {\n\tfor _, Total := range xs {\n\t\tTotal(1)\n\t}\n}\n")
  own("a type in a function", "func f() {\n\ttype Total int\n\t_ = Total(1)\n}\n")
  own("a type parameter", "func f[Total any](x int) {\n\t_ = Total(1)\n}\n")
  own("a named result", "func f() (Total func(int) int) {\n\treturn g(Total(1))\n}\n")
  const dot = 'package q\n\nimport . "m/p"\n\n'
  silent("a parameter beside names of a package, in Go", changed, {
    ...others,
    "q/u.go": `${dot}func f(Total func(int) int) { Total(1) }\n`
  })
  speaks(
    "reads the calls of names that an import takes from a package",
    changed,
    { ...others, "q/u.go": `${dot}func f() int { return Total(1) }\n` },
    ["call-no-longer-fits p/a.go:3 <- p/a.go:3; q/u.go:5"]
  )
  silent("a variable in place of a package, in Go", changed, {
    ...others,
    "q/u.go": 'package q\n\nimport "m/p"\n\nfunc f(p T) { p.Total(1) }\n'
  })
  speaks(
    "reads the value of a variable of the same name, and calls beside its function",
    changed,
    {
      ...others,
      "p/u.go":
        "package p\n\nfunc f() int {\n\tTotal := Total(1)\n\treturn Total\n}\n\nfunc g() int { return Total(1) }\n"
    },
    ["call-no-longer-fits p/a.go:3 <- p/a.go:3; p/u.go:4; p/u.go:8"]
  )
})

describe("Rust", () => {
  const changed = {
    "src/a.rs": [
      "pub fn total(items: u8) -> u8 { items }\n",
      "pub fn total(items: u8, tax: u8) -> u8 { items + tax }\n"
    ]
  } as const
  const others = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "mod a;\nmod other;\nmod u;\nmod v;\n",
    "src/other.rs": "pub fn total(items: u8) -> u8 { items }\n"
  }
  const own = (title: string, body: string) =>
    silent(`${title}, in Rust`, changed, { ...others, "src/u.rs": `use crate::a::total;\n\n${body}` })
  own(
    "a name that a function imports from elsewhere",
    "fn f() -> u8 {\n    use crate::other::total;\n    total(1)\n}\n"
  )
  own("a name that a block imports", "fn f() -> u8 {\n    {\n        use other::total;\n        total(1)\n    }\n}\n")
  own("a function in a function", "fn f() -> u8 {\n    fn total(x: u8) -> u8 { x }\n    total(1)\n}\n")
  own("a parameter", "fn f(total: fn(u8) -> u8) -> u8 { total(1) }\n")
  own("a variable", "fn f() -> u8 {\n    let total = |x| x;\n    total(1)\n}\n")
  own("a parameter of a closure", "fn f() { g(|total| total(1)) }\n")
  own("a name in a pattern", "fn f(o: O) -> u8 {\n    if let Some(total) = o { total(1) } else { 1 }\n}\n")
  own("a name of a match", "fn f(o: O) -> u8 {\n    match o { P { total, .. } => total(1), Q(total) => total(1) }\n}\n")
  own("a name of a loop", "fn f(o: O) {\n    for (i, total) in o { total(i); }\n}\n")
  own("a parameter of a closure in a macro", 'fn f() { println!("{}", g(|total, _| total(1))) }\n')
  own("a variable in a macro", 'fn f() { println!("{}", { let total = g; total(1) }) }\n')
  own("another function of a name that an import gives it", "use crate::other::total as t;\nfn f() { t(1) }\n")
  own("a local of a name that an import gives it", "use crate::a::total as t;\nfn f(t: T) { t(1) }\n")
  speaks(
    "reads the calls of a name that an import gives it, and those in macros",
    changed,
    {
      ...others,
      "src/u.rs": 'use crate::a::total as t;\n\nfn f() -> u8 { t(1) }\nfn g() { println!("{}", t(1)) }\n',
      "src/v.rs": 'use crate::a::total;\n\nfn g() { println!("{}", total(1)) }\n'
    },
    ["call-no-longer-fits src/a.rs:1 <- src/a.rs:1; src/u.rs:3; src/u.rs:4; src/v.rs:3"]
  )
  own("a name that a glob of a function may bring", "fn f() -> u8 {\n    use crate::other::*;\n    total(1)\n}\n")
  speaks(
    "reads the calls of the function that imports it, and those beside a local of the same name",
    changed,
    {
      ...others,
      "src/u.rs":
        "fn f() -> u8 {\n    use crate::a::total;\n    total(1)\n}\n\nfn g() -> u8 {\n    use crate::other::total;\n    total(1)\n}\n",
      "src/v.rs":
        "use crate::a::total;\n\nfn h(total: u8) -> u8 { total }\n\nfn g() -> u8 {\n    let total = total(1);\n    total\n}\n"
    },
    ["call-no-longer-fits src/a.rs:1 <- src/a.rs:1; src/u.rs:3; src/v.rs:6"]
  )
})

describe("Java", () => {
  const changed = {
    "p/A.java": [
      "package p;\n\npublic class A {\n  public A(int items) {}\n  public static int total(int items) { return items; }\n}\n",
      "package p;\n\npublic class A {\n  public A(int items, int tax) {}\n  public static int total(int items, int tax) { return tax; }\n}\n"
    ]
  } as const
  const own = (title: string, body: string) =>
    silent(`${title}, in Java`, changed, { "p/U.java": `package p;\n\nclass U {\n${body}}\n` })
  own("a class in a method", "  Object f() {\n    class A { A(int x) {} }\n    return new A(1);\n  }\n")
  own("a class in the class", "  static class A { A(int x) {} }\n  Object f() { return new A(1); }\n")
  own("a method of the class", "  int total(int x) { return x; }\n  int f() { return total(1); }\n")
  own("an object of that name", "  int f(B A) { return A.total(1); }\n")
  own("a type parameter", "  <A> void f(A a) { a.total(1); }\n")
})
