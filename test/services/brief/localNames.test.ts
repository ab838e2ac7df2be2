/** A local name, a label or a text is no use of a changed definition, in any language. */
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { definitionsOf } from "../../../src/services/brief/definitions.ts"
import { dependentsOf } from "../../../src/services/brief/dependents.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

interface Sample {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly other: string
  /** Around the uses. */
  readonly file: (body: string) => string
  /** Each of these has the word and does not use the definition. */
  readonly none: ReadonlyArray<string>
  readonly call: string
}

const samples: Readonly<Record<string, Sample>> = {
  python: {
    path: "a.py",
    before: "def total(items):\n    return items\n",
    after: "def total(items, tax):\n    return items\n",
    other: "u.py",
    file: (body) => `from a import total\n\n\n${body}\n`,
    none: [
      "def f(total): return total",
      "def f():\n    total = 1\n    return total",
      "for x in y:\n    x.total",
      "def f():\n    for total in y:\n        total",
      "f(total=1)",
      "[total for total in y]",
      "lambda total: total",
      "def f():\n    from b import total\n    return total(1)",
      "class C:\n    def m(self): return self.total()",
      "def f():\n    (total, x) = y\n    return total",
      "re.compile('total')"
    ],
    call: "total(1)"
  },
  typescript: {
    path: "a.ts",
    before: "export function total(items: number) {\n  return items\n}\n",
    after: "export function total(items: number, tax: number) {\n  return items\n}\n",
    other: "u.tsx",
    file: (body) => `import { total } from "./a"\n\n${body}\n`,
    none: [
      "export const f = (total: number) => total",
      "export function f({ total }: any) { return total }",
      "export function f(o: any) { const { x: total } = o; return total }",
      "export const f = { total: 1 }",
      "export const f = <div>total</div>",
      "export const f = <div total={1} />",
      "export const f = /total/.test(x)",
      "class C { m() { return this.total() } }",
      "interface I { total: number }",
      "for (const total of xs) { g(total) }",
      "export const f = o.total",
      "try { g() } catch (total) { g(total) }"
    ],
    call: "total(1)"
  },
  go: {
    path: "p/a.go",
    before: "package p\n\nfunc Total(items int) int {\n\treturn items\n}\n",
    after: "package p\n\nfunc Total(items int, tax int) int {\n\treturn items\n}\n",
    other: "p/u.go",
    file: (body) => `package p\n\n${body}\n`,
    none: [
      "func f(Total int) int { return Total }",
      "func f() int {\n\tTotal := 1\n\treturn Total\n}",
      "type S struct {\n\tTotal int\n}",
      "var s = S{Total: 1}",
      "func f(s S) int { return s.Total }",
      "func f() {\n\tfor _, Total := range xs {\n\t\tg(Total)\n\t}\n}"
    ],
    call: "var x = Total(1)"
  },
  rust: {
    path: "src/a.rs",
    before: "pub fn total(items: u8) -> u8 {\n    items\n}\n",
    after: "pub fn total(items: u8, tax: u8) -> u8 {\n    items\n}\n",
    other: "src/u.rs",
    file: (body) => `use crate::a::total;\n\n${body}\n`,
    none: [
      "fn f(total: u8) -> u8 { total }",
      "fn f() -> u8 { let total = 1; total }",
      "struct S { total: u8 }",
      "fn f(s: S) -> u8 { s.total }",
      "fn f(s: S) -> u8 { s.total() }",
      "fn f() -> S { S { total: 1 } }",
      "fn f(s: S) -> u8 { let S { total } = s; total }",
      "fn f(s: S) -> u8 { match s { Some(total) => total, _ => 1 } }",
      "fn f() { g(|total| total) }",
      "fn f() -> u8 { use other::total; total(1) }"
    ],
    call: "fn f() -> u8 { total(1) }"
  },
  java: {
    path: "p/Total.java",
    before: "package p;\n\npublic class Total {\n  public Total(int items) {\n  }\n}\n",
    after: "package p;\n\npublic class Total {\n  public Total(int items, int tax) {\n  }\n}\n",
    other: "p/U.java",
    file: (body) => `package p;\n\nclass U {\n  ${body}\n}\n`,
    none: [
      "<Total> void f(Total x) {}",
      "void f() { class Total {} new Total(); }",
      'String s = "Total";',
      "int f(int Total) { return Total; }"
    ],
    call: "Object o = new Total(1);"
  },
  kotlin: {
    path: "p/a.kt",
    before: "package p\n\nfun total(items: Int): Int {\n    return items\n}\n",
    after: "package p\n\nfun total(items: Int, tax: Int): Int {\n    return items\n}\n",
    other: "p/u.kt",
    file: (body) => `package p\n\n${body}\n`,
    none: [
      "fun f(total: Int) = total",
      "fun f(): Int {\n    val total = 1\n    return total\n}",
      "val x = g(total = 1)",
      "fun f(s: S) = s.total",
      "fun f() = xs.map { total -> total }",
      "fun f() {\n    for (total in xs) g(total)\n}",
      "fun f() {\n    val (total, b) = p\n    g(total)\n}",
      'val x = "total".toRegex()'
    ],
    call: "val x = total(1)"
  },
  swift: {
    path: "a.swift",
    before: "public func total(items: Int) -> Int {\n    return items\n}\n",
    after: "public func total(items: Int, tax: Int) -> Int {\n    return items\n}\n",
    other: "u.swift",
    file: (body) => `${body}\n`,
    none: [
      "func f(total: Int) -> Int { return total }",
      "func f() -> Int {\n    let total = 1\n    return total\n}",
      "let x = g(total: 1)",
      "func f(s: S) -> Int { return s.total }",
      "func f() {\n    for total in xs { g(total) }\n}",
      "func f() { xs.map { total in total } }",
      "func f(o: Int?) {\n    if let total = o { g(total) }\n}",
      "func f(o: Int?) {\n    guard let total = o else { return }\n    g(total)\n}",
      "func f(o: E) {\n    switch o { case .a(let total): g(total) }\n}"
    ],
    call: "let x = total(items: 1)"
  },
  ruby: {
    path: "lib/a.rb",
    before: "def total(items)\n  items\nend\n",
    after: "def total(items, tax)\n  items\nend\n",
    other: "lib/u.rb",
    file: (body) => `require_relative "a"\n\n${body}\n`,
    none: [
      "def f(total)\n  total\nend",
      "def f\n  total = 1\n  total\nend",
      "x = { total: 1 }",
      "xs.each { |total| total }",
      "x = s.total",
      "x = /total/",
      "x = :total",
      "def f\n  total, b = g\n  total\nend",
      "case h\nin { total: }\n  g total\nend"
    ],
    call: "x = total(1)"
  },
  c: {
    path: "a.c",
    before: "int total(int items) {\n  return items;\n}\n",
    after: "int total(int items, int tax) {\n  return items;\n}\n",
    other: "u.c",
    file: (body) => `#include "a.c"\n\n${body}\n`,
    none: [
      "int f(int total) { return total; }",
      "int f(void) { int total = 1; return total; }",
      "int f(struct s *p) { return p->total; }",
      "int f(struct s p) { return p.total; }",
      "struct s { int total; };",
      "struct s x = { .total = 1 };",
      "int f(void) { for (int total = 0; total < 2; total++) g(total); }"
    ],
    call: "int f(void) { return total(1); }"
  },
  csharp: {
    path: "Total.cs",
    before: "public class Total {\n  public Total(int items) {\n  }\n}\n",
    after: "public class Total {\n  public Total(int items, int tax) {\n  }\n}\n",
    other: "U.cs",
    file: (body) => `class U {\n  ${body}\n}\n`,
    none: [
      "int F(int Total) { return Total; }",
      "int F() { var Total = 1; return Total; }",
      "object o = new S { Total = 1 };",
      "object o = G(Total: 1);",
      "int F() { foreach (var Total in xs) { G(Total); } }",
      "object o = xs.Map(Total => Total);",
      "int F() { if (o is S Total) { G(Total); } }"
    ],
    call: "object o = new Total(1);"
  },
  php: {
    path: "a.php",
    before: "<?php\n\nfunction total($items)\n{\n    return $items;\n}\n",
    after: "<?php\n\nfunction total($items, $tax)\n{\n    return $items;\n}\n",
    other: "u.php",
    file: (body) => `<?php\n\nrequire 'a.php';\n\n${body}\n`,
    none: [
      "function f($total) { return $total; }",
      "$total = 1;\ng($total);",
      "$x = ['total' => 1];",
      "$x = $s->total;",
      "$x = $s->total();",
      "$x = g(total: 1);",
      "class C { function m() { return $this->total(); } }"
    ],
    call: "$x = total(1);"
  },
  elixir: {
    path: "lib/a.ex",
    before: "defmodule Total do\n  def run(items) do\n    items\n  end\nend\n",
    after: "defmodule Total do\n  def run(items, tax) do\n    items\n  end\nend\n",
    other: "lib/u.ex",
    file: (body) => `defmodule U do\n  alias Total\n\n  ${body}\nend\n`,
    none: [
      "def f(run), do: run",
      "def f do\n    run = 1\n    run\n  end",
      "def f, do: %{run: 1}",
      "def f, do: fn run -> run end",
      "def f(s), do: s.run",
      "def f({:ok, run}), do: run"
    ],
    call: "def f, do: Total.run(1)"
  }
}

const dependents = ({ after, before, file, other, path }: Sample, body: string) =>
  parsing.runPromise(
    Effect.gen(function* () {
      const change = changeOf({ [path]: [before, after] })
      const { definitions, values } = (yield* definitionsOf(change)).found
      const { found } = yield* dependentsOf(change, definitions, values)
      return found.map(({ callers, files, possible, uses }) => ({ callers, uses, possible, files }))
    }).pipe(
      Effect.provide(
        CodeLive.namesAndTypes.pipe(
          Layer.provideMerge(SymbolIndex.layer),
          Layer.provideMerge(SyntaxTrees.layer),
          Layer.provideMerge(
            sourcesOf(
              { [path]: [before, after] },
              { [other]: file(body), "go.mod": "module m\n", "Cargo.toml": "", "src/lib.rs": "mod a;\nmod u;\n" }
            )
          ),
          Layer.provide(NoFacts.layer)
        )
      )
    )
  )

for (const [language, sample] of Object.entries(samples)) {
  describe(`dependents in ${language}`, () => {
    test("has the call", async () => {
      const [found] = await dependents(sample, sample.call)
      expect((found?.callers ?? 0) + (found?.possible ?? 0)).toBe(1)
    })
    test.each(sample.none.map((body) => [body]))("leaves out %s", async (body) => {
      expect(
        (await dependents(sample, body)).filter(({ callers, possible, uses }) => callers + possible + uses > 0)
      ).toEqual([])
    })
  })
}
