import { expect, test } from "bun:test"
import { Effect } from "effect"
import { textAfter } from "../../../src/domain/code/Replacement.ts"
import type { SyntaxNode } from "../../../src/domain/code/Syntax.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { splitLines } from "../../../src/services/change/Sources.ts"
import { SyntaxParser } from "../../../src/services/code/SyntaxParser.ts"

/** The text of the lines, with each call `from` replaced by `to`. */
const suggested = (
  text: string,
  [line, endLine]: readonly [number, number],
  ...replaced: ReadonlyArray<readonly [from: string, to: string]>
) =>
  SyntaxParser.pipe(
    Effect.flatMap((parser) => parser.parse("python", text)),
    Effect.map(({ root }) => {
      const nodes: ReadonlyArray<SyntaxNode> = root.descendantsOfType(["call", "expression_statement"])
      const replacements = replaced.map(([from, to]) => ({ node: nodes.find((node) => node.text === from)!, text: to }))
      return textAfter(replacements, { line, endLine }, splitLines(text))
    }),
    Effect.scoped,
    Effect.provide(TreeSitter.layer),
    Effect.runPromise
  )

test("has the whole lines of the claim, with every replacement in them", async () => {
  expect(await suggested("  x = f(1) + g(2)  # why\n", [1, 1], ["f(1)", "a"], ["g(2)", "b"])).toBe("  x = a + b  # why")
  expect(await suggested("x = f(\n  1\n)\ny = 2\n", [1, 3], ["f(\n  1\n)", "g(\n  1\n)"])).toBe("x = g(\n  1\n)")
  expect(await suggested("x = 'é😀' + f(1)\n", [1, 1], ["f(1)", "g(1)"])).toBe("x = 'é😀' + g(1)")
})

test("has no carriage return, and is of the right place after lines that end with one", async () => {
  expect(await suggested("a = 1\r\nx = f(\r\n  1)\r\n", [2, 3], ["f(\r\n  1)", "g(\r\n  1)"])).toBe("x = g(\n  1)")
})

test("deletes the line of a deleted statement, and keeps what else is on it", async () => {
  expect(await suggested("a = 1\n  f()\nb = 2\n", [2, 2], ["f()", ""])).toBe("")
  expect(await suggested("f()  # why\n", [1, 1], ["f()", ""])).toBe("  # why")
  expect(await suggested("f()\ng()\n", [1, 2], ["f()", ""])).toBe("g()")
  expect(await suggested("g()\nf()\n", [1, 2], ["f()", ""])).toBe("g()")
})

test("may add lines", async () => {
  expect(await suggested("f()\ng()\n", [1, 1], ["f()", "f()\nreturn"])).toBe("f()\nreturn")
})

test("is of a node with more lines than the claim if only claimed lines change", async () => {
  expect(await suggested("x = f(\n  1)\n", [1, 1], ["f(\n  1)", "g(\n  1)"])).toBe("x = g(")
  expect(await suggested("x = f(\n  1)\n", [1, 1], ["f(\n  1)", "f(\n  2)"])).toBeUndefined()
  expect(await suggested("x = f(\n  1)\n", [2, 2], ["f(\n  1)", "g(\n  1)"])).toBeUndefined()
})

test("has changes of nested nodes that do not overlap, and is absent for those that do", async () => {
  expect(await suggested("f(g(1))\n", [1, 1], ["f(g(1))", "h(g(1))"], ["g(1)", "g(2)"])).toBe("h(g(2))")
  expect(await suggested("f(g(1))\n", [1, 1], ["f(g(1))", "x"], ["g(1)", "y"])).toBeUndefined()
  expect(await suggested("f()\n", [1, 1])).toBeUndefined()
})
