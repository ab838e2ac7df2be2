import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime, Schema } from "effect"
import type { Grammar, SyntaxNode } from "../../src/domain/Syntax.ts"
import * as TreeSitter from "../../src/layers/syntax/TreeSitter.ts"
import {
  after,
  before,
  beginningOf,
  childOf,
  enclosing,
  fieldOf,
  mentions,
  parts,
  quotesIntoSql,
  rootOf,
  squeezed,
  within
} from "../../src/rules/tree.ts"
import { SyntaxParser } from "../../src/services/SyntaxParser.ts"
import { it } from "../support/effect.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

/** The tree lives as long as the question does. */
const asked = <A>(grammar: Grammar, text: string, ask: (root: SyntaxNode) => A): Promise<A> =>
  parsing.runPromise(
    SyntaxParser.pipe(
      Effect.flatMap((parser) => parser.parse(grammar, text)),
      Effect.map(({ root }) => ask(root)),
      Effect.scoped
    )
  )

const go = `package p

func outer() {
	// first
	one()
	// between
	go func() {
		two( x )
	}()
}
`

const callTo = (root: SyntaxNode, name: string): SyntaxNode => {
  const call = root.descendantsOfType("call_expression").find((one) => one.text.startsWith(`${name}(`))
  if (call === undefined) throw new Error(`no call of ${name}`)
  return call
}

describe("enclosing", () => {
  test("finds the nearest ancestor and stops where it is told to", async () => {
    await asked("go", go, (root) => {
      const two = callTo(root, "two")
      expect(enclosing(two, ["func_literal", "function_declaration"])?.type).toBe("func_literal")
      expect(enclosing(two, ["function_declaration"])?.type).toBe("function_declaration")
      expect(enclosing(two, ["function_declaration"], ["func_literal"])).toBeNull()
      expect(enclosing(root, ["source_file"])).toBeNull()
    })
  })
})

describe("within", () => {
  test("does not look inside what it is told is closed, but finds the closed node itself", async () => {
    await asked("go", go, (root) => {
      const called = within(root, ["call_expression"], ["func_literal"]).map((call) => call.text.slice(0, 4))
      expect(called).toEqual(["one(", "func"])
      expect(within(root, ["func_literal"], ["func_literal"])).toHaveLength(1)
      expect(within(root, ["call_expression"])).toHaveLength(3)
    })
  })
})

describe("childOf and fieldOf", () => {
  test("answer with a child of the type asked for, never with a grandchild or another type", async () => {
    await asked("go", go, (root) => {
      const outer = root.descendantsOfType("function_declaration")[0]
      if (outer === undefined) throw new Error("the example has a function")
      expect(childOf(outer, "block", "identifier")?.text).toBe("outer")
      expect(childOf(outer, "call_expression")).toBeNull()
      expect(fieldOf(outer, "body", "block")?.type).toBe("block")
      expect(fieldOf(outer, "body", "identifier")).toBeNull()
      expect(fieldOf(outer, "receiver", "parameter_list")).toBeNull()
    })
  })
})

describe("before and after", () => {
  test("step over comments", async () => {
    await asked("go", go, (root) => {
      const one = callTo(root, "one").parent
      const started = root.descendantsOfType("go_statement")[0]
      if (one === null || started === undefined) throw new Error("the example has both")
      expect(after(one)?.id).toBe(started.id)
      expect(before(started)?.id).toBe(one.id)
      expect(before(one)).toBeNull()
      expect(after(started)).toBeNull()
    })
  })

  test("parts leave comments out", async () => {
    await asked("go", go, (root) => {
      const list = callTo(root, "one").parent?.parent
      if (!list) throw new Error("a statement has a list")
      expect(parts(list).map((one) => one.type)).toEqual(["expression_statement", "go_statement"])
    })
  })
})

test("a word is mentioned whole or not at all", async () => {
  await asked("go", "package p\n\nfunc f() { g(errors, a.err) }\n", (root) => {
    expect(mentions(root, "errors")).toBe(true)
    expect(mentions(root, "err")).toBe(true)
    expect(mentions(root, "error")).toBe(false)
  })
})

test("a long node begins on its first line, and squeezing leaves only what counts", async () => {
  await asked("go", go, (root) => {
    const two = callTo(root, "two")
    expect(beginningOf(two)).toEqual({ line: 8 })
    expect(squeezed(two)).toBe("two(x)")
    expect(rootOf(two).id).toBe(root.id)
  })
})

describe("quotesIntoSql", () => {
  const hole = /\{\w*\}/

  test("sees a value between quotes in each kind of statement", () => {
    for (const text of [
      "SELECT * FROM t WHERE a = '{}'",
      "select a\n  from t\n where a like '%{q}%'",
      "INSERT INTO t (a, b) VALUES ('{}', 1)",
      "insert into t values (1, '{b}')",
      "UPDATE t SET a = '{a}' WHERE id = 1",
      "  DELETE FROM t WHERE a <> '{a}'"
    ])
      expect([text, quotesIntoSql(text, hole)]).toEqual([text, true])
  })

  test("leaves names of tables, bound values and plain sentences alone", () => {
    for (const text of [
      "SELECT * FROM {table} WHERE a = ?",
      "SELECT * FROM t WHERE a = {}",
      "SELECT * FROM t WHERE a = 'x' AND b = ?",
      "select another one than '{}'",
      "update: a = '{}'",
      "the row was deleted from t where a = '{}'",
      ""
    ])
      expect([text, quotesIntoSql(text, hole)]).toEqual([text, false])
  })

  it.prop("never claims a statement without the hole", Schema.String, (text) => {
    const bare = text.replaceAll("\u0000", "")
    expect(quotesIntoSql(`select a from t where a = '${bare}'`, /\u0000/)).toBe(false)
  })
})
