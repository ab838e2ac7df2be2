/** Small changes of code: which ones are made, and that a file with all of them does what it did. */
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { mutantsIn } from "../../src/domain/prove/mutantsIn.ts"
import { switched } from "../../src/domain/prove/switched.ts"
import { languages } from "../../src/languages/languages.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

/** The changes of the lines (all by default), and the text that holds them. */
const madeOf = (grammar: Grammar, text: string, isAdded: (line: number) => boolean = () => true) =>
  parsing.runPromise(
    Effect.gen(function* () {
      const parser = yield* SyntaxParser
      const { mutations } = languages[grammar]
      if (mutations === null) throw new Error(`no mutants of ${grammar}`)
      const { root } = yield* parser.parse(grammar, text)
      const mutants = mutantsIn(root, mutations, isAdded).map((mutant, at) => ({ ...mutant, id: at + 1 }))
      const whole = switched(root, text, mutants, mutations)
      const again = yield* parser.parse(grammar, whole.text)
      return { mutants, whole, isBroken: again.root.hasError }
    }).pipe(Effect.scoped)
  )

const changesOf = async (grammar: Grammar, text: string) =>
  (await madeOf(grammar, text)).mutants.map(({ before, instead, operator }) => `${operator}: ${before} -> ${instead}`)

describe("small changes of a line", () => {
  for (const [name, script, python, expected] of [
    ["a condition", "if (a) b = 1", "if a: b = 1", ["condition-negated: a -> !(a)", "condition-negated: a -> not (a)"]],
    ["an operand", "x = f(a && b)", "x = f(a and b)", ["operand-dropped: a && -> ", "operand-dropped: && b -> "]],
    ["a boundary", "while (i < n) i = 2", "while i < n: i = 2", ["boundary-moved: < -> <="]],
    ["a comparison", "x = a === b", "x = a == b", ["comparison-swapped: === -> !==", "comparison-swapped: == -> !="]],
    ["an index", "x = a[i - 1]", "x = a[i - 1]", ["off-by-one: 1 -> 2"]],
    ["a call", "save(a)", "save(a)", ["call-deleted: save(a) -> "]],
    ["an error", "throw new Error(a)", "raise ValueError(a)", ["exception-swallowed: throw new Error(a) -> "]],
    [
      "a wrapping call",
      "x = a.trim()",
      "x = a.strip()",
      ["wrapping-removed: .trim() -> ", "wrapping-removed: .strip() -> "]
    ],
    ["an argument", "x = f(a, b)", "x = f(a, b)", ["argument-dropped: b -> "]],
    [
      "a default",
      "const f = (a = true) => a",
      "def f(a=True): pass",
      ["default-flipped: true -> false", "default-flipped: True -> False"]
    ]
  ] as const) {
    test(`${name}: in TypeScript and Python`, async () => {
      const found = [...(await changesOf("typescript", script)), ...(await changesOf("python", python))]
      for (const each of expected) expect(found).toContain(each)
    })
  }

  for (const [name, code, expected] of [
    ["the end of a pattern", "x = /^a$/.test(b)", "pattern-weakened: $ -> "],
    ["a repetition in a pattern", "x = /ab+/.test(b)", "pattern-weakened: + -> *"],
    ["an access", "x = a?.b.c", "optional-removed: ?. -> ."],
    ["a wait", "x = await a", "await-removed: await -> "],
    ["a case", "switch (a) { case 1: x = 1 }", "case-dropped: case 1 -> "],
    ["a result", "function f() { return g }", "result-replaced: g -> undefined"]
  ] as const) {
    test(`${name}: in TypeScript`, async () => expect(await changesOf("typescript", code)).toContain(expected))
  }

  test("are made of added lines alone", async () => {
    const { mutants } = await madeOf("typescript", "save(a)\nsave(b)\nsave(c)\n", (line) => line === 2)
    expect(mutants.map(({ before, line }) => [before, line])).toEqual([["save(b)", 2]])
  })

  for (const [grammar, code] of [
    ["typescript", "console.log(a && b)"],
    ["typescript", "logger.info(a ? 1 : 2, b)"],
    ["typescript", "throw new TypeError(`${a && b} is wrong`, { cause: c })"],
    ["typescript", 'x = process.env.NODE_ENV === "test" && a'],
    ["typescript", "type A = B extends C ? D : E"],
    ["typescript", "enum A { B = 1 + 2 }"],
    ["typescript", "setTimeout(retry, 1 + 2)"],
    ["python", "if TYPE_CHECKING: import a"],
    ["python", 'T = TypeVar("T", bound=str)'],
    ["python", "@overload\ndef f(a: int = True) -> int: ..."],
    ["python", "log.debug(a and b)"],
    ["python", "assert a and b, c"]
  ] as const) {
    test(`are not made of ${JSON.stringify(code)}`, async () => {
      const made = (await changesOf(grammar, code)).filter((each) => !each.startsWith("exception-swallowed"))
      expect(made).toEqual([])
    })
  }
})

const script = `
"use strict"
const out = []
const f = (a, b = true, ...c) => {
  if (a && (b || c.length > 0)) out.push(a)
  else if (!a) out.push("none")
  for (let i = 0; i < 3; i++) out.push(i)
  switch (a) {
    case 1: out.push("one"); break
    default: out.push(typeof a)
  }
  delete out.extra?.part
  label: for (const x of c) { if (x === 2) continue label; out.push(x) }
  return a?.toString().trim()
}
class A { static n = 1 + 2; get m() { return this.n ?? A.n } }
out.push(f(1), f(0, false, 2, 3), f(" x "), new A().m)
;(function () { out.push(this === undefined) })()
const g = async () => { await null; try { throw new Error("x") } catch (e) { return e.message } }
out.push(/^a+[^b]$/.test("aac") ? "yes" : "no")
out.push(\`\${out.length > 2 ? "many" : "few"}\`)
result(out, g)
`

const python = `"""Doc."""
from __future__ import annotations
import re

out = []


def f(a, b=True, *c):
    if a and (b or len(c) > 0):
        out.append(a)
    elif not a:
        out.append("none")
    else: out.append("else")
    total = sum(x for x in c if x != 2)
    total += 1
    out.append(total if total >= 1 else -total)
    try:
        if a == 0: raise ValueError(a)
    except ValueError as e: out.append(str(e))
    return str(a).strip()


class A:
    n = 1 + 2

    def m(self):
        return self.n or None


out.append([f(1), f(0, False, 2, 3), A().m()])
print(out)
`

describe("a file with all of its small changes", () => {
  test("parses, keeps its lines, and does what it did: JavaScript", async () => {
    const { isBroken, mutants, whole } = await madeOf("javascript", script)
    expect({ isBroken, lines: whole.text.split("\n").length }).toEqual({
      isBroken: false,
      lines: script.split("\n").length
    })
    expect(whole.ids.size).toBe(mutants.length)
    expect(mutants.length).toBeGreaterThan(35)
    const outcome = (text: string) => {
      let said: unknown
      new Function("result", text)((log: unknown) => {
        said = log
      })
      return said
    }
    expect(outcome(whole.text)).toEqual(outcome(script))
  })

  test("parses and does what it did: Python", async () => {
    const { isBroken, mutants, whole } = await madeOf("python", python)
    expect({ isBroken, lines: whole.text.split("\n").length }).toEqual({
      isBroken: false,
      lines: python.split("\n").length
    })
    expect(mutants.length).toBeGreaterThan(25)
    if (Bun.which("python3") === null) return
    const outcome = (text: string, env: Record<string, string> = {}) => {
      const ended = Bun.spawnSync(["python3", "-c", text], { env: { PATH: process.env.PATH ?? "", ...env } })
      return `${ended.stdout}${ended.stderr}`
    }
    expect(outcome(whole.text)).toBe(outcome(python))
    const append = mutants.find(({ before }) => before === "out.append(a)")
    expect(outcome(whole.text, { DD_MUTANT: String(append?.id) })).not.toBe(outcome(python))
  })

  for (const [grammar, text] of [
    ["python", "def f(a):\n    save(a)\n"],
    ["python", "import a\nsave(a)\n"],
    ["python", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nfrom __future__ import annotations\nsave(a)\n"],
    ["javascript", "#!/usr/bin/env node\nsave(a)"],
    ["typescript", "export {}\nsave(a)\n// end"],
    ["javascript", "a\n(b && c).d()\n"],
    ["tsx", "export const A = () => <p>{a && <b>{c ?? d}</b>}</p>\n"]
  ] as const) {
    test(`parses: ${JSON.stringify(text)}`, async () => {
      const { isBroken, mutants, whole } = await madeOf(grammar, text)
      expect([isBroken, mutants.length > 0, whole.ids.size]).toEqual([false, true, mutants.length])
    })
  }
})
