import { describe, expect } from "bun:test"
import { Effect } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { complexityOf } from "../../src/languages/complexity.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { it } from "../support/effect.ts"

const complexity = (grammar: Grammar, text: string) =>
  SyntaxParser.use((parser) => parser.parse(grammar, text)).pipe(
    Effect.map(({ root }) => complexityOf(root)),
    Effect.scoped
  )

describe("the complexity of a text", () => {
  // An if in a loop, with an else branch: 1 for the loop, 2 for the if, 2 for the else-if, 1 for the and.
  const loops: Partial<Record<Grammar, string>> = {
    python: "def f(xs):\n  for x in xs:\n    if x and 1:\n      g()\n    elif x:\n      h()\n",
    typescript: "for (const x of xs) { if (x && y) { g() } else if (x) { h() } }",
    tsx: "for (const x of xs) { if (x && y) { g() } else if (x) { h() } }",
    javascript: "for (const x of xs) { if (x && y) { g() } else if (x) { h() } }",
    go: "package a\nfunc f() { for _, x := range xs { if x && y { g() } else if x { h() } } }\n",
    rust: "fn f() { for x in xs { if x && y { g() } else if x { h() } } }",
    java: "class A { void f() { for (int x : xs) { if (x && y) { g(); } else if (x) { h(); } } } }",
    swift: "func f() { for x in xs { if x && y { g() } else if x { h() } } }",
    ruby: "for x in xs\n  if x && y\n    g\n  elsif x\n    h\n  end\nend\n",
    kotlin: "fun f() { for (x in xs) { if (x && y) { g() } else if (x) { h() } } }",
    c: "void f() { for (;;) { if (x && y) { g(); } else if (x) { h(); } } }",
    cpp: "void f() { for (auto x : xs) { if (x && y) { g(); } else if (x) { h(); } } }",
    csharp: "class A { void f() { foreach (var x in xs) { if (x && y) { g(); } else if (x) { h(); } } } }",
    php: "<?php foreach ($xs as $x) { if ($x && $y) { g(); } elseif ($x) { h(); } }"
  }
  for (const [grammar, text] of Object.entries(loops) as ReadonlyArray<[Grammar, string]>) {
    it.effect(`is the same in ${grammar} as in other languages`, () =>
      Effect.gen(function* () {
        expect(yield* complexity(grammar, text)).toBe(6)
      }).pipe(Effect.provide(TreeSitter.layer))
    )
  }

  it.effect("is 0 without branches, and grows with their depth", () =>
    Effect.gen(function* () {
      const nested = (depth: number) => `${"if (a) { ".repeat(depth)}f()${" }".repeat(depth)}`
      const all = yield* Effect.forEach([0, 1, 2, 3], (depth) => complexity("javascript", nested(depth)))
      expect(all).toEqual([0, 1, 3, 6])
    }).pipe(Effect.provide(TreeSitter.layer))
  )
})
