import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime, Schema } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import type { SyntaxNode } from "../../src/domain/code/Syntax.ts"
import {
  after,
  before,
  childOf,
  enclosing,
  fieldOf,
  firstLineOf,
  marked,
  mentions,
  parts,
  quotesIntoSql,
  reachingInto,
  rootOf,
  runsOf,
  spelled,
  squeezed,
  within
} from "../../src/languages/tree.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
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
  test("finds the nearest ancestor and stops at the given types", async () => {
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
  test("does not enter closed nodes, but finds the closed node itself", async () => {
    await asked("go", go, (root) => {
      const called = within(root, ["call_expression"], ["func_literal"]).map((call) => call.text.slice(0, 4))
      expect(called).toEqual(["one(", "func"])
      expect(within(root, ["func_literal"], ["func_literal"])).toHaveLength(1)
      expect(within(root, ["call_expression"])).toHaveLength(3)
    })
  })
})

describe("childOf and fieldOf", () => {
  test("answer with a child of the requested type, never with a grandchild or another type", async () => {
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

  test("a backslash at the end of a line is no argument", async () => {
    await asked("python", "f(a, \\\n  b)\n", (root) => {
      const [list] = within(root, ["argument_list"])
      expect(list === undefined ? [] : parts(list).map(({ text }) => text)).toEqual(["a", "b"])
    })
  })
})

test("only complete words are mentions", async () => {
  await asked("go", "package p\n\nfunc f() { g(errors, a.err) }\n", (root) => {
    expect(mentions(root, "errors")).toBe(true)
    expect(mentions(root, "err")).toBe(true)
    expect(mentions(root, "error")).toBe(false)
  })
})

test("a long node begins on its first line, and squeezing leaves only what counts", async () => {
  await asked("go", go, (root) => {
    const two = callTo(root, "two")
    expect(firstLineOf(two)).toEqual({ line: 8, endLine: 8, column: 3, endColumn: 11 })
    expect(squeezed(two)).toBe("two(x)")
    expect(rootOf(two).id).toBe(root.id)
  })
})

test("the first line of a node ends before its comment and its block", async () => {
  const markedIn = (code: string) =>
    asked("python", code, (root) => {
      const { column, endColumn } = firstLineOf(within(root, ["except_clause"])[0]!)
      return code.split("\n")[1]?.slice(column - 1, endColumn - 1)
    })
  expect(await markedIn("try: f()\nexcept: return 2  # why\n")).toBe("except:")
  expect(await markedIn("try: f()\nexcept:  # why\n  pass\n")).toBe("except:")
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

/** Pieces of a text, the nodes that are looked for in it, and the word without which there is none. */
const searches: ReadonlyArray<{
  readonly grammar: Grammar
  readonly types: ReadonlyArray<string>
  readonly mark: RegExp
  readonly pieces: ReadonlyArray<string>
}> = [
  {
    grammar: "python",
    types: ["import_statement", "import_from_statement"],
    mark: /\bimport\b/g,
    pieces: [
      "import a\n",
      "from b \\\n    import (\n    c,\n    d,\n)\n",
      "def f():\n    import e; x = 1\n    return x\n",
      "# import nothing\n",
      's = """\nimport in a text\n"""\n',
      "try:\n    import g\nexcept ImportError:\n    g = None\n",
      "y = 2\n\n\n"
    ]
  },
  {
    grammar: "rust",
    types: ["impl_item", "enum_item"],
    mark: /\b(?:impl|enum)\b/g,
    pieces: [
      "pub\nenum A { B, C }\n",
      "impl X for Y {\n    fn f(&self) -> impl Z {\n        enum Inner { D }\n        0\n    }\n}\n",
      'fn g() {\n    let s = "impl";\n}\n',
      "// enum of nothing\n",
      "mod m {\n    impl Q {}\n}\n",
      `impl Long {\n${"    fn f() {}\n".repeat(14)}    fn g() { enum E { A } }\n${"    fn h() {}\n".repeat(14)}}\n`,
      "\n\n\n\n\n\n\n\n\n\n\n\n"
    ]
  },
  {
    grammar: "typescript",
    types: ["return_statement", "switch_statement"],
    mark: /\b(?:return|switch)\b/g,
    pieces: [
      "function f(a) { return a }\n",
      "const g = () => {\n  switch (x) {\n    case 1:\n      return () => { return 2 }\n  }\n}\n",
      "const é = `return ${switcher}`\r\n",
      "/* return */ const h = 1\n",
      "class A {\n  m() {\n    return\n  }\n}\n",
      "const n = 1\n"
    ]
  }
]

describe("looking for nodes only where their word occurs", () => {
  const places = (nodes: ReadonlyArray<SyntaxNode>) =>
    nodes.map(({ id, startIndex, type }) => ({ id, startIndex, type }))

  /** Texts of 1 to 60 pieces in an order that the number decides. */
  const textOf = (pieces: ReadonlyArray<string>, seed: number): string => {
    let state = seed
    const next = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    return Array.from({ length: 1 + next(60) }, () => pieces[next(pieces.length)]).join("")
  }

  test.each(searches)("finds in $grammar what a walk of the entire tree finds, in the same order", async (search) => {
    const { grammar, mark, pieces, types } = search
    for (let seed = 1; seed <= 60; seed++) {
      const [found, all, inside] = await asked(grammar, textOf(pieces, seed), (root) => {
        const one = root.namedChildren.at(-1) ?? root
        return [
          places(marked(root, types, mark)),
          places(root.descendantsOfType([...types])),
          [places(marked(one, types, mark)), places(one.descendantsOfType([...types]))]
        ] as const
      })
      expect({ seed, found }).toEqual({ seed, found: all })
      expect({ seed, found: inside[0] }).toEqual({ seed, found: inside[1] })
    }
  })

  test("finds the places of a word, and no longer or other one", async () => {
    const text = "const a = 1\nfunction f(ab, $a) {\n  return a + ab.a + $a\n}\n"
    const found = await asked("typescript", text, (root) =>
      ["a", "$a", "nothing", ""].map((word) => spelled(root, ["identifier"], word).map(({ startIndex }) => startIndex))
    )
    expect(found).toEqual([[6, 42], [27, 53], [], []])
  })

  test("joins rows that are near to each other, and walks many runs as one", async () => {
    expect(runsOf([3, 4, 14, 25, 26])).toEqual([
      { first: 3, last: 14 },
      { first: 25, last: 26 }
    ])
    expect(runsOf([])).toEqual([])
    const text = Array.from({ length: 900 }, (_, at) => `x${at} = f(${at})\n`).join("")
    const rows = Array.from({ length: 60 }, (_, at) => at * 15)
    const found = await asked("python", text, (root) =>
      reachingInto(root, ["call"], runsOf(rows)).map(({ startPosition }) => startPosition.row)
    )
    expect(rows.every((row) => found.includes(row))).toBe(true)
    expect(found).toEqual(found.toSorted((a, b) => a - b))
  })
})
