import { describe, expect } from "bun:test"
import { Effect, Exit, Schema } from "effect"
import { type Grammar, grammars } from "../../../../src/domain/change/Grammar.ts"
import type { SyntaxNode } from "../../../../src/domain/code/Syntax.ts"
import { currentRuntime } from "../../../../src/layers/code/syntax/Runtime.ts"
import * as TreeSitter from "../../../../src/layers/code/syntax/TreeSitter.ts"
import {
  deadlineMs,
  fileReadMs,
  type LineEdit,
  maxBytes,
  maxDepth,
  type NotParsed,
  queryAllowanceMs,
  readMs,
  SyntaxParser
} from "../../../../src/services/code/SyntaxParser.ts"
import { counterexample, it } from "../../../support/effect.ts"

const parse = (grammar: Grammar, text: string) =>
  SyntaxParser.pipe(Effect.flatMap((parser) => parser.parse(grammar, text)))

/** Parses Python with a clock of the processor on which every reading takes `step` milliseconds. */
const timed = Effect.fnUntraced(function* (text: string) {
  const clock = { now: 0, step: 0 }
  const reading = () => (clock.now += clock.step)
  const parsed = yield* Effect.provideService(parse("python", text), TreeSitter.ProcessorTime, reading)
  return { clock, parsed }
})

const outline = (node: SyntaxNode): string =>
  `${node.type}${node.startIndex}-${node.endIndex}@${node.endPosition.row}:${node.endPosition.column}(${node.children.map(outline).join("")})`

/** Lines that mean something in Python in most orders. */
const lines = Schema.Array(
  Schema.Literals(["import a", "x = 1", "def f(é):", "    return f(1)", "    if x:", "        y = '🦊'", "", "# c"])
)
const edited = Schema.Struct({
  parts: Schema.Array(Schema.Struct({ same: lines, removed: lines, added: lines })),
  ends: Schema.Boolean
})

const rootOf: Readonly<Record<Grammar, readonly [source: string, root: string]>> = {
  python: ["def f(): pass\n", "module"],
  typescript: ["const a: number = 1\n", "program"],
  tsx: ["const a = <b>c</b>\n", "program"],
  javascript: ["const a = 1\n", "program"],
  go: ["package a\n", "source_file"],
  rust: ["fn main() {}\n", "source_file"],
  elixir: ["defmodule A do\nend\n", "source"],
  java: ["class A {}\n", "program"],
  swift: ["let a = 1\n", "source_file"],
  ruby: ["def a; end\n", "program"],
  kotlin: ["fun a() = 1\n", "source_file"],
  c: ["int a(void);\n", "translation_unit"],
  cpp: ["namespace a { class B; }\n", "translation_unit"],
  csharp: ["class A { }\n", "compilation_unit"],
  php: ["<?php\nfunction a() {}\n", "program"]
}

describe("TreeSitter", () => {
  for (const grammar of grammars) {
    const [source, root] = rootOf[grammar]
    it.effect(`reads ${grammar}`, () =>
      Effect.gen(function* () {
        const file = yield* parse(grammar, source)
        expect(file.root.type).toBe(root)
        expect(file.root.hasError).toBe(false)
      }).pipe(Effect.provide(TreeSitter.layer))
    )
  }

  it.effect("serves many who ask for the same grammar at once", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const files = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => `x${i} = ${i}\n`),
        (text) => parser.parse("python", text),
        { concurrency: "unbounded" }
      )
      expect(files.map((file) => file.root.text.trim())).toEqual(Array.from({ length: 20 }, (_, i) => `x${i} = ${i}`))
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("parses a text again from a previous to the same tree", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const holds = Effect.fnUntraced(function* ({ ends, parts }: typeof edited.Type) {
        const last = ends ? "\n" : ""
        const edits: Array<LineEdit> = []
        let row = 0
        for (const { added, removed, same } of parts) {
          row += same.length
          edits.push({ row, removed: removed.length, added: added.length })
          row += removed.length
        }
        const old = parts.flatMap(({ removed, same }) => [...same, ...removed]).join("\n") + last
        const text = parts.flatMap(({ added, same }) => [...same, ...added]).join("\n") + last
        yield* parser.parse("python", old)
        const quick = outline((yield* parser.parse("python", text, { text: old, edits })).root)
        const whole = yield* Effect.scoped(
          parse("python", text).pipe(
            Effect.map(({ root }) => outline(root)),
            Effect.provide(TreeSitter.layer, { local: true })
          )
        )
        return quick === whole
      }, Effect.scoped)
      expect(yield* counterexample(edited, holds)).toBeUndefined()
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("parses the entire text when the previous text is not the stated one", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      yield* parser.parse("python", "a = 1\n")
      const edits = [{ row: 0, removed: 1, added: 3 }]
      const file = yield* parser.parse("python", "b = 2\nc = 3\n", { text: "a = 1\n", edits })
      expect(file.root.text).toBe("b = 2\nc = 3\n")
      expect(file.root.hasError).toBe(false)
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("keeps a tree readable while it is in use, whatever else is parsed", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const held = yield* parser.parse("python", "held = 1\n")
      const filler = "x = 1\n".repeat(120_000)
      for (const n of [1, 2, 3]) yield* Effect.scoped(parser.parse("python", `y = ${n}\n${filler}`))
      yield* Effect.scoped(parser.parse("python", "held = 1\n"))
      expect(outline(held.root)).toContain("identifier0-4")
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("counts columns in UTF-16 units, whatever is before", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", 'a = "🦊é"; b = 1\n')
      const [match] = yield* file.query('((identifier) @name (#eq? @name "b"))', "dd")
      expect(match?.name?.[0]?.startPosition).toEqual({ row: 0, column: 11 })
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("finds the named nodes of several types in one walk, and none of a type the grammar does not have", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "f(lambda: g(lambda x: x))\nassert (await h(), 1)\n")
      const places = (yield* file.nodes(["lambda", "tuple", "jsx_element"])).map(({ type, text }) => [type, text])
      expect(places).toEqual([
        ["lambda", "lambda: g(lambda x: x)"],
        ["lambda", "lambda x: x"],
        ["tuple", "(await h(), 1)"]
      ])
      expect((yield* file.nodes(["await"])).map(({ text }) => text)).toEqual(["await h()"])
      expect(yield* file.nodes([])).toEqual([])
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("leaves out what touches none of the rows, and keeps what reaches into them", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "a()\nb(\n  1\n)\nc()\nd()\n")
      const query = "(call function: (identifier) @f) @c"
      const rows = [{ first: 2, last: 4 }]
      expect((yield* file.nodes(["call"], rows)).map(({ text }) => text[0])).toEqual(["b", "c"])
      expect((yield* file.query(query, "dd", rows)).map(({ c }) => c?.[0]?.text[0])).toEqual(["b", "c"])
      expect([yield* file.nodes(["call"], []), yield* file.query(query, "dd", [])]).toEqual([[], []])
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("finds what is around several runs of rows once, and the rest in order", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "a(\n  b(),\n  c(),\n  d(\n    e()\n  )\n)\nf()\n")
      const rows = (...runs: ReadonlyArray<number>) => runs.map((row) => ({ first: row, last: row }))
      const named = (runs: ReturnType<typeof rows>) =>
        Effect.map(file.nodes(["call"], runs), (found) => found.map(({ text }) => text[0]).join(""))
      expect(yield* named(rows(1, 4, 7))).toBe("abdef")
      expect(yield* named(rows(2))).toBe("ac")
      expect(yield* named(rows(...Array.from({ length: 8 }, (_, row) => row)))).toBe("abcdef")
      // More runs than are looked at one by one.
      expect(yield* named(Array.from({ length: 200 }, () => ({ first: 7, last: 7 })))).toBe("f")
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("puts a match that begins first before one that ends first", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "g(f(1), 2)\n")
      const matches = yield* file.query(
        "(call function: (identifier) @f arguments: (argument_list (integer) @n .))",
        "dd"
      )
      expect(matches.map((match) => match.f?.[0]?.text)).toEqual(["g", "f"])
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("groups the nodes of a repeated capture", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "a\nb\nc\n")
      const [match] = yield* file.query("(module (expression_statement)+ @n)", "dd")
      expect(match?.n?.map((node) => node.text)).toEqual(["a", "b", "c"])
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("refuses a query that does not fit the grammar, and names which grammar", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "a = 1\n")
      const failure = yield* Effect.flip(file.query("(no_such_node) @a", "dd"))
      expect(failure._tag).toBe("QueryInvalid")
      expect(failure.message).toContain("python")
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("refuses a text over the limit instead of reading a part of it", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(parse("python", "#".repeat(maxBytes + 1)))
      expect(failure.reason).toBe("too large")
      yield* parse("python", "#".repeat(maxBytes))
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("stops a parse over its deadline and reads the next text from its beginning", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      yield* parser.parse("javascript", "warm()\n")
      let now = 0
      const hurried = () => (now += deadlineMs)
      const late = parser.parse("javascript", "f(a, [b], {c});\n".repeat(20_000))
      const failure = yield* Effect.flip(Effect.provideService(late, TreeSitter.ProcessorTime, hurried))
      expect(failure.reason).toBe("took too long")
      const next = yield* parser.parse("javascript", "let a\n")
      expect(next.root.text).toBe("let a\n")
      expect(next.root.hasError).toBe(false)
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("asks a user's query in the time allowed to its owner, and then no more; others are still asked", () =>
    Effect.gen(function* () {
      const { clock, parsed } = yield* timed("f(a, b)\ng(c)\n".repeat(5_000))
      const ask = (query: string, owner: string) => parsed.query(query, owner, [{ first: 0, last: 1 }])
      expect((yield* ask("(call function: (identifier) @f) @claim", "repo")).length).toBe(2)
      expect(yield* Effect.flip(ask("(no_such_node) @claim", "repo"))).toMatchObject({ _tag: "QueryInvalid" })
      clock.step = 300
      const slow = parsed.query("(_ (_ (_)) (_ (_))) @claim", "repo")
      expect(yield* Effect.flip(slow)).toMatchObject({ _tag: "QueriesTooSlow" })
      clock.step = 0
      expect((yield* ask("(call) @claim", "user")).length).toBe(2)
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("asks nothing more for an owner whose time is used up", () =>
    Effect.gen(function* () {
      const { clock, parsed } = yield* timed("f(a)\n")
      clock.step = queryAllowanceMs
      yield* Effect.exit(parsed.query("(call) @claim", "repo"))
      expect((yield* Effect.flip(parsed.query("(identifier) @claim", "repo"))).message).toContain("more than 2000 ms")
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("marks what it could not read, and reads the rest", () =>
    Effect.gen(function* () {
      const file = yield* parse("python", "def broken(:\n\nx = 1\n")
      expect(file.root.hasError).toBe(true)
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("survives bytes no language has", () =>
    Effect.gen(function* () {
      for (const text of ["", "\u0000\u0000", "\ud800", "\ufeffx = 1", "(".repeat(5_000)]) {
        const exit = yield* Effect.exit(parse("python", text))
        expect(Exit.isSuccess(exit)).toBe(true)
      }
    }).pipe(Effect.provide(TreeSitter.layer))
  )
})

/** Texts that exceed a limit of the parser: its memory, its stack, the depth of the tree. */
const hostile: ReadonlyArray<readonly [what: string, grammar: Grammar, text: string, reason: NotParsed["reason"]]> = [
  [
    "many ways to read it",
    "python",
    Array.from({ length: 125 }, () => "/*".repeat(20)).join("\n"),
    "needs too much memory"
  ],
  ["a stack that is freed by recursion", "typescript", "{a:".repeat(100_000), "nested too deeply"],
  [
    "functions in functions",
    "javascript",
    `${"function f(){\n".repeat(20_000)}${"}".repeat(20_000)}`,
    "nested too deeply"
  ],
  ["operators before operators", "javascript", "await ".repeat(20_000), "nested too deeply"],
  ["else if after else if", "javascript", `if (a) {}${"\nelse if (a) {}".repeat(20_000)}`, "nested too deeply"],
  ["functions that return functions", "python", `x = ${"lambda: ".repeat(20_000)}1`, "nested too deeply"],
  ["closures in closures", "rust", `fn f() { ${"|a| ".repeat(20_000)}1 }`, "nested too deeply"],
  ["choices in choices", "javascript", `x = ${"a ? b : ".repeat(20_000)}1`, "nested too deeply"]
]

describe("a text that exceeds a limit of the parser", () => {
  for (const [what, grammar, text, reason] of hostile) {
    it.effect(`is refused with the reason, and the next text is parsed: ${what}`, () =>
      Effect.gen(function* () {
        const parser = yield* SyntaxParser
        const held = yield* parser.parse("python", "held = 1\n")
        const failures = yield* Effect.forEach([1, 2], () => Effect.flip(parser.parse(grammar, text)), {
          concurrency: "unbounded"
        })
        expect(failures.map((failure) => failure.reason)).toEqual([reason, reason])
        const next = yield* parser.parse("python", "f(a)\n")
        expect(yield* next.query("(call) @call", "dd")).toHaveLength(1)
        expect(yield* held.query("(identifier) @name", "dd")).toHaveLength(1)
        expect(outline(held.root)).toContain("identifier0-4")
      }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
    )
  }

  it.effect("does not affect texts that are parsed at the same time", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const texts = hostile.flatMap(([, grammar, text]) => [
        [grammar, text] as const,
        ...Array.from({ length: 5 }, (_, n) => [grammar, `a${n}\n`] as const)
      ])
      const parsed = yield* Effect.forEach(
        texts,
        ([grammar, text]) =>
          Effect.scoped(Effect.match(parser.parse(grammar, text), { onFailure: () => 0, onSuccess: () => 1 })),
        { concurrency: "unbounded" }
      )
      expect(parsed.filter((each) => each === 1)).toHaveLength(5 * hostile.length)
    }).pipe(Effect.provide(TreeSitter.layer))
  )

  it.effect("is one that is nested deeper than maxDepth", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const nested = (depth: number) => parser.parse("python", `${"(".repeat(depth)}1${")".repeat(depth)}\n`)
      // The module, the statement, and the number in the innermost.
      const deepest = yield* nested(maxDepth - 3)
      expect(outline(deepest.root)).toContain("integer")
      expect((yield* Effect.flip(nested(2 * maxDepth))).reason).toBe("nested too deeply")
    }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
  )
})

describe("the runtime of the parser", () => {
  it.live("starts again after a failed start, which is reported with its cause", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.promise(currentRuntime)
      runtime.retire()
      const { Memory } = WebAssembly
      const replaceMemory = (by: typeof Memory) =>
        Effect.sync(() => {
          WebAssembly.Memory = by
        })
      const refusing = function refuse() {
        throw new RangeError("no address space")
      } as unknown as typeof Memory
      const failed = yield* Effect.acquireUseRelease(
        replaceMemory(refusing),
        () => Effect.flip(parse("python", "a\n")),
        () => replaceMemory(Memory)
      )
      expect(failed.message).toBe("not parsed as python: grammar could not be loaded (no address space)")
      expect((yield* parse("python", "a\n")).root.type).toBe("module")
    }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
  )
})

describe("a reader of a tree", () => {
  it.effect("is stopped after its time, and others run until the file's time is over", () =>
    Effect.gen(function* () {
      const { clock, parsed } = yield* timed("f(a)\n")
      const count = (root: SyntaxNode) => Array.from({ length: 1_000 }, () => root.descendantsOfType("call")).length
      expect(yield* parsed.read(count)).toBe(1_000)
      clock.step = readMs
      expect((yield* Effect.flip(parsed.read(count))).reason).toBe("took too long")
      clock.step = 0
      clock.now += 1
      expect(yield* parsed.read((root) => root.type)).toBe("module")
      clock.step = fileReadMs
      yield* Effect.exit(parsed.read(count))
      clock.step = 1
      expect((yield* Effect.flip(parsed.read(count))).reason).toBe("took too long")
    }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
  )

  it.effect("that throws is a defect, not a timeout", () =>
    Effect.gen(function* () {
      const parsed = yield* parse("python", "f(a)\n")
      const exit = yield* Effect.exit(
        parsed.read(() => {
          throw new TypeError("a bug")
        })
      )
      expect(String(exit)).toContain("Die")
    }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
  )
})

describe("syntax that a grammar lacks", () => {
  const texts: ReadonlyArray<readonly [Grammar, string]> = [
    ["tsx", "const Path = styled(Text)<{ wide: boolean; on: () => void }>`\n  padding: 2px;\n`\n"],
    ["tsx", 'const a = <a href="https://example.com/?a=1&b=2">b</a>\n'],
    ["typescript", 'export type * from "./a"\nimport defer * as ns from "x"\n'],
    ["typescript", 'export * as q from "./q" with { type: "json" }\n'],
    ["typescript", "interface A<in out T> { x: T }\ntype B<in T, out U extends T> = [T, U]\n"],
    ["typescript", "class C { static accessor x = 1; accessor = 2; get accessor() { return 1 } }\n"],
    ["go", "package a\n\nvar x = T{A: new(int64(42)), B: new([]int), C: new(T)}\n"],
    ["rust", 'fn main() { check(str![[r#"a"#]]); }\n']
  ]
  for (const [grammar, text] of texts) {
    it.live(`is parsed: ${text.trim().slice(0, 60)}`, () =>
      Effect.gen(function* () {
        const { root } = yield* (yield* SyntaxParser).parse(grammar, text)
        expect(root.hasError).toBe(false)
        // The nodes have the text as it is written.
        expect(root.text).toBe(text)
      }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
    )
  }

  it.live("stays an error if it is none of these", () =>
    Effect.gen(function* () {
      const { root } = yield* (yield* SyntaxParser).parse("typescript", "class C { accessor = 1; x = ( }\n")
      expect(root.hasError).toBe(true)
    }).pipe(Effect.scoped, Effect.provide(TreeSitter.layer))
  )
})

describe("the Swift grammar", () => {
  it.live("parses a text the same whatever was parsed before it", () =>
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const selector = "button.addTarget(self, action: #selector(tapped), for: .touchUpInside)\n"
      const others = ["#if DEBUG\nlet a = 1\n#endif\n", 'let s = #"raw"#\n', "if #available(iOS 15, *) { run() }\n"]
      const clean: Array<boolean> = []
      for (let round = 0; round < 6; round++) {
        for (const text of [selector, ...others]) {
          const parsed = yield* Effect.scoped(Effect.map(parser.parse("swift", text), ({ root }) => !root.hasError))
          if (text === selector) clean.push(parsed)
        }
      }
      expect(clean).toEqual(clean.map(() => true))
    }).pipe(Effect.provide(TreeSitter.layer))
  )
})
