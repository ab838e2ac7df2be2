/**
 * Damaged source texts, each made from its number: nested, repeated, cut off, and random tokens of the language.
 *
 * Fragments are the examples of the rules, so that every rule has something to check.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Grammar, grammars } from "../../src/domain/change/Grammar.ts"
import { usualEnding } from "../../src/languages/fileKinds.ts"
import { catalogue } from "../../src/rules/catalogue.ts"
import { seeded } from "./damagedReplies.ts"
import { codeOf } from "./rules.ts"

export interface DamagedSource {
  readonly grammar: Grammar
  readonly path: string
  readonly kind: string
  readonly base: string | null
  readonly head: string
}

/** Where each grammar's package lists its nodes; Swift's does not, and Kotlin's tokens are near to its own. */
const nodeTypes: Readonly<Record<Grammar, string>> = {
  python: "tree-sitter-python/src",
  typescript: "tree-sitter-typescript/typescript/src",
  tsx: "tree-sitter-typescript/tsx/src",
  javascript: "tree-sitter-javascript/src",
  go: "tree-sitter-go/src",
  rust: "tree-sitter-rust/src",
  elixir: "tree-sitter-elixir/src",
  java: "tree-sitter-java/src",
  swift: "@tree-sitter-grammars/tree-sitter-kotlin/src",
  ruby: "tree-sitter-ruby/src",
  kotlin: "@tree-sitter-grammars/tree-sitter-kotlin/src",
  c: "tree-sitter-c/src",
  cpp: "tree-sitter-cpp/src",
  csharp: "tree-sitter-c-sharp/src",
  php: "tree-sitter-php/php/src"
}

const tokensOf = new Map<Grammar, ReadonlyArray<string>>()

/** Keywords and signs of the grammar, and a few names, literals and spaces. */
const tokens = (grammar: Grammar): ReadonlyArray<string> => {
  const known = tokensOf.get(grammar)
  if (known !== undefined) return known
  const file = join(import.meta.dir, "../../node_modules", nodeTypes[grammar], "node-types.json")
  const types: ReadonlyArray<{ readonly type: string; readonly named: boolean }> = JSON.parse(
    readFileSync(file, "utf8")
  )
  const signs = types.filter(({ named, type }) => !named && type.trim() !== "").map(({ type }) => type)
  const found = [
    ...signs,
    "a",
    "b",
    "f",
    "x1",
    "1",
    '"s"',
    "'c'",
    "\n",
    "\n",
    "    ",
    "/*",
    "//",
    "#",
    "`",
    "${",
    "<<EOF\n"
  ]
  tokensOf.set(grammar, found)
  return found
}

/** What opens, and what closes it again. */
const pairs: ReadonlyArray<readonly [open: string, close: string]> = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["<", ">"],
  ["f(", ")"],
  ["a[", "]"],
  ["{a:", "}"],
  ["<a>", "</a>"],
  ["if (a) {\n", "}\n"],
  ["if (a) {} else ", ""],
  ["else if (a) {}\n", ""],
  ["elif a:\n  pass\n", ""],
  ["function f() {\n", "}\n"],
  ["fn f() {\n", "}\n"],
  ["func f() {\n", "}\n"],
  ["def f():\n", ""],
  ["def f\n", "end\n"],
  ["do\n", "end\n"],
  ["class A {\n", "}\n"],
  ["() => ", ""],
  ["fn -> ", " end"],
  ["lambda: ", ""],
  ["|a| ", ""],
  ["a ? b : ", ""],
  ["await ", ""],
  ["not ", ""],
  ["!", ""],
  ["-", ""],
  ["*", ""],
  ["&", ""],
  ["a.", ""],
  ["a + ", ""],
  ["a = ", ""],
  ["a, ", ""],
  ["a | ", ""],
  ["a => ", ""],
  ["/*", ""],
  ["'", ""],
  ['"', ""],
  ['f"{', '}"'],
  ["`${", "}`"],
  ["#if a\n", "#endif\n"],
  ["switch (a) { case 1: ", "}"],
  ["try {\n", "} catch (e) {}\n"],
  ["try:\n", "except:\n"],
  ["Option<", ">"],
  ["import a\n", ""],
  ["@a\n", ""]
]

const fragmentsOf = (grammar: Grammar): ReadonlyArray<string> =>
  catalogue.flatMap((rule) => (rule._tag === "Syntax" && rule.grammars.includes(grammar) ? codeOf(rule) : []))

const fragments = new Map(grammars.map((grammar) => [grammar, fragmentsOf(grammar)] as const))

/** The greatest length of a source. */
const longest = 400_000

/** The source of this number; one in ten is large. */
export const damagedSource = (seed: number): DamagedSource => {
  const random = seeded(seed)
  const below = (count: number) => Math.floor(random() * count)
  const pick = <A>(from: ReadonlyArray<A>): A | undefined => from[below(from.length)]
  const grammar = grammars[seed % grammars.length] ?? "python"
  const isLarge = below(10) === 0
  const count = () => 2 + below(isLarge ? 30_000 : (pick([10, 100, 1_000]) ?? 10))
  const token = () => pick(tokens(grammar)) ?? ""
  const some = (most: number) => Array.from({ length: 1 + below(most) }, token).join(" ")
  const fragment = () => pick(fragments.get(grammar) ?? []) ?? some(20)
  const cut = (text: string) => text.slice(0, below(text.length + 1))
  const repeated = (text: string, times: number) => text.repeat(Math.min(times, Math.ceil(longest / (text.length + 1))))

  const nested = (): string => {
    const [open, close] = pick(pairs) ?? ["(", ")"]
    const [most, gap, inner] = [count(), pick(["", " ", "\n"]) ?? "", pick(["", "1", "a", fragment()]) ?? ""]
    const before = pick(["", "x = ", fragment()]) ?? ""
    const isClosed = below(2) === 0
    return `${before}${repeated(open + gap, most)}${inner}${isClosed ? repeated(close + gap, most) : ""}\n`
  }
  const kinds: Readonly<Record<string, () => string>> = {
    nested,
    "nested tokens": () => {
      const [most, open, close] = [count(), some(3), some(2)]
      return `${repeated(`${open}\n`, most)}${fragment()}${repeated(`${close}\n`, below(2) * most)}`
    },
    repeated: () => repeated(`${fragment()}\n`, count()),
    "repeated tokens": () => repeated(`${some(4)}${pick([" ", "\n"])}`, count()),
    "cut off": () => `${cut(fragment())}${cut(fragment())}\n${fragment()}`,
    "random tokens": () => Array.from({ length: Math.min(count() * 3, 60_000) }, token).join(pick([" ", ""]) ?? " "),
    mixed: () =>
      Array.from({ length: 2 + below(4) }, () => cut(pick([nested(), fragment(), some(30)]) ?? "")).join("\n")
  }
  const kind = pick(Object.keys(kinds)) ?? "nested"
  const opening = grammar === "php" ? "<?php\n" : ""
  const head = `${opening}${kinds[kind]?.() ?? ""}`.slice(0, longest)
  const lines = head.split("\n")
  const gap = below(lines.length)
  const base = pick([
    null,
    head.slice(0, below(head.length)),
    [...lines.slice(0, gap), ...lines.slice(gap + 1 + below(9))].join("\n")
  ])
  return { grammar, kind, path: `src/a.${usualEnding(grammar)}`, base: base ?? null, head }
}
