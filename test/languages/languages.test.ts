import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import { signatureText } from "../../src/domain/code/brokenUses.ts"
import { grammarOf, languageOf } from "../../src/languages/languages.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { occurrencesIn } from "../support/symbols.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const rootOf = <A>(path: string, text: string, ask: (root: never) => A): Promise<A> =>
  parsing.runPromise(
    SyntaxParser.use((parser) => parser.parse(grammarOf(path) ?? "python", text)).pipe(
      Effect.map(({ root }) => ask(root as never)),
      Effect.scoped
    )
  )

const symbolsOf = (path: string, text: string) => rootOf(path, text, (root) => languageOf(path)!.symbols(root, path))

/** `Container.name(parameters)` of each definition; `?` behind a name whose parameters are not known. */
const definitions = async (path: string, text: string) =>
  (await symbolsOf(path, text)).definitions.map(({ container, kind, name, signature }) => {
    const full = container === null ? name : `${container}.${name}`
    return signature === null
      ? `${kind} ${full}`
      : `${kind} ${signature.async ? "async " : ""}${signatureText(full, signature)}`
  })

/** `line kind receiver(positional keywords) value` of each place of the word. */
const places = (path: string, text: string, word: string) =>
  rootOf(path, text, (root) =>
    occurrencesIn(languageOf(path)!, root, text, word).map(
      ({ call, kind, line, receiver, value }) =>
        `${line} ${kind}${receiver === null ? "" : ` ${receiver}`}${
          call === null
            ? ""
            : ` (${[call.positional, ...call.keywords, ...(call.spread ? ["..."] : [])].join(" ")}) ${value}`
        }`
    )
  )

describe("Python", () => {
  test("shows each kind of parameter", async () => {
    expect(await definitions("a.py", "async def f(a, /, b: int, c=1, d: int = 2, *args, k, e=3, **kw): ...\n")).toEqual(
      ["function async f(a, b, c?, d?, *args, *, k, *, e?, **kw)"]
    )
  })
  test("leaves out what the language fills in, and does not guess what a decorator does", async () => {
    const text =
      "class C:\n  def __init__(self, a): ...\n  @staticmethod\n  def s(a): ...\n  @classmethod\n  def c(cls, a): ...\n  @cached\n  def d(self): ...\n"
    expect(await definitions("a.py", text)).toEqual([
      "class C(a)",
      "method C.__init__(a)",
      "method C.s(a)",
      "method C.c(a)",
      "method C.d"
    ])
  })
  test("does not derive the constructor from __init__ in a class with a metaclass, a decorator or __new__", async () => {
    for (const text of [
      "class C(metaclass=M):\n  def __init__(self): ...\n",
      "@d\nclass C:\n  def __init__(self): ...\n",
      "class C:\n  def __new__(cls): ...\n  def __init__(self): ...\n"
    ]) {
      expect((await definitions("a.py", text))[0]).toBe("class C")
    }
  })
  test("reads what runs as part of the module, in whatever block, and nothing inside functions", async () => {
    const text =
      "if a:\n  def f(): ...\nelse:\n  x = y = 1\ntry:\n  import m\nexcept E:\n  m = None\nfor i, j in k: pass\nwith o() as p: pass\ndef g():\n  def inner(): ...\n  global late\n"
    const symbols = await symbolsOf("a.py", text)
    expect(symbols.definitions.map(({ name }) => name)).toEqual(["f", "x", "y", "m", "g"])
    expect([...symbols.bound].sort()).toEqual(["i", "j", "late", "p"])
    expect(symbols.imports).toEqual([{ module: "m", name: null, local: "m", line: 6, guarded: false }])
  })
  test("is open where names come from nowhere, and only there", async () => {
    for (const text of [
      "def __getattr__(n): ...\n",
      "globals()['x'] = 1\n",
      "sys.modules[__name__] = X()\n",
      "def f(:\n"
    ]) {
      expect((await symbolsOf("a.py", text)).open).toBe(true)
    }
    for (const text of ["class A:\n  def __getattr__(self, n): ...\n", "x = sys.modules['a'].b\n", "f(**locals())\n"]) {
      expect((await symbolsOf("a.py", text)).open).toBe(false)
    }
  })
  test("distinguishes uses from bindings, members, keywords, strings and comments", async () => {
    const text =
      'import f\nf(1, *a, k=2)\no.f(2)\ng(f=1)\ndef h(f): ...\n# f\n"f"\nf = 1\nclass C:\n  def f(self): ...\n[f for f in x]\nawait f()\nf().b\n'
    expect(await places("a.py", text, "f")).toEqual([
      "1 import",
      "2 use (2 k ...) dropped",
      "3 member o (1) dropped",
      "5 binding",
      "8 binding",
      "11 use",
      "11 binding",
      "12 use (0) awaited",
      "13 use (0) read"
    ])
  })
})

describe("TypeScript", () => {
  test("shows what is exported under which name", async () => {
    const text =
      'export const a = 1, [b] = c\nfunction d() {}\nexport { d as e }\nexport { f } from "./f"\nexport * as g from "./g"\nexport * from "./h"\nexport default class I {}\nexport type J = 1\nexport abstract class K {}\nexport declare function l(): void\n'
    const { exports, stars, open } = await symbolsOf("a.ts", text)
    expect(exports?.map(({ name }) => name)).toEqual(["a", "b", "e", "f", "g", "default", "J", "K", "l"])
    expect({ stars, open }).toEqual({ stars: ["./h"], open: false })
  })
  test("recognises parameters that may be left out, and reports nothing about overloads, wrapped or typed functions", async () => {
    const text =
      "export function f(this: X, a: string, b?: number, c = 1, d: void, ...e: any[]) {}\nconst g = async (a: string) => a\nconst h: H = (a) => a\nconst i = memo((a) => a)\nfunction j(a: 1): 1\nfunction j(a: 2): 2\nfunction j(a: any) {}\n"
    expect(await definitions("a.ts", text)).toEqual([
      "function f(a, b?, c?, d?, ...e)",
      "function async g(a)",
      "function h",
      "constant i",
      "function j",
      "function j",
      "function j"
    ])
  })
  test("requires nothing in plain JavaScript", async () => {
    expect(await definitions("a.jsx", "function f(a, b) {}\n")).toEqual(["function f(a?, b?)"])
  })
  test("finds every import", async () => {
    const text =
      'import a, { b as c, type d } from "m"\nimport * as n from "k"\nimport "side"\nexport { e } from "l"\nimport q = require("q")\nconst x = await import("./dyn")\n'
    const { imports } = await symbolsOf("a.ts", text)
    expect(imports.map(({ local, module, name }) => `${module} ${name} ${local}`)).toEqual([
      "m default a",
      "m b c",
      "m d d",
      "k null n",
      "side null ",
      "l e ",
      "q null ",
      "./dyn null x"
    ])
  })
  test("distinguishes uses from bindings, members, keys and other modules' names", async () => {
    const text =
      'import { f } from "m"\nf(1, ...a)\no.f(2)\nconst p = { f, f: 1 }\nfunction g(f: X) {}\nconst { f: r, q: f } = p\nnew f()\nf`x`\nlet t: f\nlet u: ns.f\nexport { f }\nexport { f } from "z"\nf().then()\n'
    expect(await places("a.ts", text, "f")).toEqual([
      "1 import",
      "2 use (2 ...) dropped",
      "3 member o (1) dropped",
      "4 use",
      "5 binding",
      "6 definition",
      "7 use (0) dropped",
      "8 use",
      "9 use",
      "10 member ns",
      "11 use",
      "12 import",
      "13 use (0) awaited"
    ])
  })
})

describe("Go", () => {
  test("shows functions, methods with their receivers, types and constants", async () => {
    const text =
      "package a\n\nfunc F(x, y int, z ...string) (int, error) { return 0, nil }\nfunc G(int, string) {}\nfunc (t *T[K]) M(a int) {}\nfunc init() {}\ntype T[K any] struct{ n int }\nconst (\n\tA = iota\n\tB\n)\nvar C, D int = 1, 2\n"
    expect(await definitions("a.go", text)).toEqual([
      "function F(x, y, *z)",
      "function G(_, _)",
      "method T.M(a)",
      "type T",
      "constant A",
      "constant B",
      "constant C",
      "constant D"
    ])
  })
  test("recognises what a type embeds", async () => {
    const { types } = await symbolsOf(
      "a.go",
      "package a\n\ntype A struct{ B }\ntype C struct{ d func() }\ntype E interface{ F() }\n"
    )
    expect(types.map(({ fields, name, open }) => `${name} ${open} ${[...fields.keys()]}`)).toEqual([
      "A true ",
      "C false d",
      "E true "
    ])
  })
  test("distinguishes uses from bindings, fields and packages", async () => {
    const text =
      "package a\n\nfunc g(f int) { f := 1; for f := range x {}; y.f(1); p.f(h()); _ = S{f: 1}; f(a...) }\n\nvar z p.f = f[int](1)\n"
    expect(await places("a.go", text, "f")).toEqual([
      "3 binding",
      "3 binding",
      "3 binding",
      "3 member y (1) passed",
      "3 member p (1 ...) passed",
      "3 use (1 ...) passed",
      "5 member p",
      // The grammar takes it for a conversion to the type f[int], which has no arguments to count.
      "5 use"
    ])
  })
})

describe("Rust", () => {
  test("shows items, methods with their types, variants, and what makes a definition no plain one", async () => {
    const text =
      "pub fn f(a: u8, (b, c): (u8, u8)) -> u8 { 1 }\nasync fn g() {}\n#[proc]\nfn h(a: u8) {}\npub struct S { a: u8 }\nstruct Pair(u8, pub String);\npub enum E { A, B(u8), C { x: u8 } }\nconst K: u8 = 1;\nmod file;\nmod inline { fn hidden() {} }\nimpl S { pub fn new(x: u8) -> Self { S { a: x } } fn m(&mut self, y: u8) {} }\nimpl Tr for S { fn t(&self) {} }\ntrait Tr { fn t(&self); }\n"
    expect(await definitions("a.rs", text)).toEqual([
      "function f(a, (b, c))",
      "function async g()",
      "function h",
      "type S",
      "type Pair(_, _)",
      "type E",
      "constant E.A",
      "constant E.B(_)",
      "constant E.C",
      "constant K",
      "module file",
      "method S.new(x)",
      "method S.m(y)",
      "method S.t()",
      "type Tr",
      "method Tr.t()"
    ])
    const symbols = await symbolsOf("a.rs", text)
    const inherited = symbols.definitions.filter((each) => each.inherited === true).map(({ container }) => container)
    expect({ bound: [...symbols.bound], inherited, open: symbols.open }).toEqual({
      bound: ["inline"],
      inherited: ["S", "Tr"],
      open: false
    })
  })
  test("takes each word of a macro that defines items for a name, and is open where a file is included", async () => {
    const symbols = await symbolsOf("a.rs", "make! { pub static ref RATE: u8 = 1; }\n")
    expect(symbols.bound.has("RATE")).toBe(true)
    expect((await symbolsOf("a.rs", 'include!("b.rs");\n')).open).toBe(true)
    // The macro is called after the attribute, not after the function.
    expect((await symbolsOf("a.rs", "#[proc_macro_derive(Wish)]\npub fn derive(input: T) -> T { input }\n")).open).toBe(
      true
    )
  })
  test("writes every `use` as the file's own module would, inline modules among them", async () => {
    const text =
      "use a::b::{self, C as D, e::*};\nuse super::x;\nextern crate z as y;\nmod tests {\n  use super::*;\n  use super::super::q;\n  use crate::r;\n  use w::v;\n}\n"
    const found = await rootOf("a.rs", text, (root) => languageOf("a.rs")!.imports(root))
    expect(
      found.map(({ line, local, module, name, within }) => `${line} ${module} ${name} ${local} ${within}`)
    ).toEqual([
      "1 a b b undefined",
      "1 a::b C D undefined",
      "1 a::b::e *  undefined",
      "2 super x x undefined",
      "3 :: z y undefined",
      "5 self *  tests",
      "6 super q q tests",
      "7 crate r r tests",
      "8 ::w v v tests"
    ])
  })
  test("distinguishes uses from bindings, paths, members, fields and macros", async () => {
    const text =
      "use a::f;\nfn f() {}\nfn g(f: u8) {\n  f(1, x);\n  a::f::<T>(2);\n  s.f(3)?;\n  let y = f().await;\n  S { f: 1 };\n  f!();\n  assert_eq!(f(1, b(2, 3)), s.f(4));\n  own!(f(1));\n}\n"
    expect(await places("a.rs", text, "f")).toEqual([
      "1 import",
      "2 definition",
      "3 binding",
      "4 use (2) dropped",
      "5 member (1) dropped",
      "6 member s (1) read",
      "7 use (0) awaited",
      "10 use (2) passed",
      "10 member (1) passed"
    ])
  })
})

describe("Java", () => {
  test("shows types by their path, members, and classes by what their constructors ask for", async () => {
    const text =
      "package a.b;\npublic class A {\n  int x, y;\n  public A(int a, String... rest) {}\n  static int m(final int a, List<String> b) { return 1; }\n  @Override public String toString() { return null; }\n  enum E { ONE, TWO(1) { int z() { return 1; } }; int z() { return 0; } }\n  record R(int p, String q) {}\n  interface I { int q(); }\n  static class Plain {}\n}\n@Data class Made { int v; }\n"
    expect(await definitions("A.java", text)).toEqual([
      "class A(a, ...rest)",
      "constant A.x",
      "constant A.y",
      "method A.m(a, b)",
      "method A.toString()",
      "class A.E",
      "constant A.E.ONE",
      "constant A.E.TWO",
      "method A.E.z()",
      "class A.R(p, q)",
      "method A.R.p()",
      "method A.R.q()",
      "type A.I",
      "method A.I.q()",
      "class A.Plain()",
      "class Made",
      "constant Made.v"
    ])
    const symbols = await symbolsOf("A.java", text)
    const seen = symbols.definitions.map(({ name, visibility }) => `${name} ${visibility}`)
    expect({
      open: symbols.types.filter(({ open }) => open).map(({ name }) => name),
      package: symbols.package
    }).toEqual({
      open: ["Made"],
      package: "a.b"
    })
    expect(seen).toContain("q public")
    expect(seen).toContain("m internal")
    expect(seen).toContain("toString public")
  })
  test("distinguishes imports of types, of members and of everything", async () => {
    const text = "import a.B;\nimport static a.C.d;\nimport e.*;\nimport static a.F.*;\nclass X {}\n"
    const { imports, stars } = await symbolsOf("X.java", text)
    expect(imports.map(({ local, member, module }) => `${module} ${local} ${member}`)).toEqual([
      "a B undefined",
      "a.C d true"
    ])
    expect(stars).toEqual(["e", "static a.F"])
  })
  test("distinguishes uses from bindings, members, labels and declarations", async () => {
    const text =
      "import a.f;\nclass f {\n  f f = new f(1);\n  void f(int f) {\n    f(1, 2);\n    o.f(3);\n    int n = C.f();\n    run(f -> f.g());\n    C::f;\n    switch (o) { case f: break; }\n  }\n}\n"
    expect(await places("f.java", text, "f")).toEqual([
      "1 import",
      "2 definition",
      "3 use",
      "3 definition",
      "3 use (1) passed",
      "4 definition",
      "4 binding",
      "5 use (2) dropped",
      "6 member o (1) dropped",
      "7 member C (0) stored",
      "8 binding",
      "8 use",
      "9 member C"
    ])
  })
})
