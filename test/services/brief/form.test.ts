import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as BlobFactsNone from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { formOf } from "../../../src/services/brief/form.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/changeOf.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const read = (texts: Texts, change = changeOf(texts)) => {
  const layers = SymbolIndex.layer.pipe(
    Layer.provideMerge(SyntaxTrees.layer),
    Layer.provideMerge(BlobFactsNone.layer),
    Layer.provideMerge(sourcesOf(texts))
  )
  return parsing.runPromise(Effect.provide(formOf(change), layers))
}

/** `form file -base+line` of each formal hunk, with the number of lines. */
const formsOf = async (texts: Texts): Promise<ReadonlyArray<string>> => {
  const { found } = await read(texts)
  return found.hunks.map(({ added, base, deleted, file, form, line }) => {
    const [before, after] = [deleted === 0 ? "" : ` -${base}x${deleted}`, added === 0 ? "" : ` +${line}x${added}`]
    return `${form} ${file}${before}${after}`
  })
}

const python = (base: string, head: string) => formsOf({ "a.py": [base, head] })
const script = (base: string, head: string) => formsOf({ "a.ts": [base, head] })

describe("layout", () => {
  test("line breaks, quotes, semicolons and trailing commas are layout", async () => {
    expect(await script("f(a, 'b');\n", 'f(\n  a,\n  "b",\n)\n')).toEqual(["reformatted a.ts -1x1 +1x4"])
  })

  test("a line break that ends a statement is not", async () => {
    const base = "function f() {\n  return x\n}\n"
    expect(await script(base, "function f() {\n  return\n  x\n}\n")).toEqual([])
  })

  test("a removed semicolon that joins two statements is not", async () => {
    expect(await script("a = b;\n(c)()\n", "a = b\n(c)()\n")).toEqual([])
  })

  test("brackets that group nothing are layout, others are not", async () => {
    expect(await script("x = a * b + c\n", "x = (a * b) + c\n")).toEqual(["reformatted a.ts -1x1 +1x1"])
    expect(await script("x = (a + b) * c\n", "x = a + b * c\n")).toEqual([])
    expect(await script("x = (a?.b).c\n", "x = a?.b.c\n")).toEqual([])
    expect(await python("x = (a < b) < c\n", "x = a < b < c\n")).toEqual([])
  })

  test("white space between the parts of a template or an element is not", async () => {
    expect(await script("x = `${a} ${b}`\n", "x = `${a}  ${b}`\n")).toEqual([])
    expect(await formsOf({ "a.tsx": ["x = <a>{b} {c}</a>\n", "x = <a>{b}{c}</a>\n"] })).toEqual([])
    expect(await formsOf({ "a.tsx": ["x = <a>{b} {c}</a>\n", "x = <a>\n  {b} {c}\n</a>\n"] })).toEqual([
      "reformatted a.tsx -1x1 +1x3"
    ])
  })

  test("a line break that removes the space before an element is not", async () => {
    const element = (text: string) => `x = (\n  <p>\n${text}  </p>\n)\n`
    const base = element("    a <b>c</b>\n")
    expect(await formsOf({ "a.tsx": [base, element("    a\n    <b>c</b>\n")] })).toEqual([])
    expect(await formsOf({ "a.tsx": [base, element('    a{" "}\n    <b>c</b>\n')] })).toEqual([
      "reformatted a.tsx -3x1 +3x2"
    ])
  })

  test("a removed semicolon that makes a member a getter is not", async () => {
    const members = (first: string) => `class A {\n  ${first}\n  foo() {}\n}\n`
    for (const word of ["get", "set", "static"]) {
      expect(await script(members(`${word};`), members(word))).toEqual([])
    }
    expect(await script(members("x = 1;"), members("x = 1"))).toEqual(["reformatted a.ts -2x1 +2x1"])
  })

  test("empty statements, leading signs of unions and quotes of keys are", async () => {
    expect(await script("if (a) {\n  ;(b).c()\n}\n", "if (a) {\n  (b).c();\n}\n")).toHaveLength(1)
    expect(await script("type A = 'a' | 'b'\n", "type A =\n  | 'a'\n  | 'b'\n")).toHaveLength(1)
    expect(await script("x = { 'a': 1 }\n", "x = { a: 1 }\n")).toHaveLength(1)
    expect(await script("if (a) ;\nb()\n", "if (a)\nb()\n")).toEqual([])
  })

  test("a comma before a comment and the closing bracket is", async () => {
    expect(await script("x = {\n  a: 1, // b\n}\n", "x = {\n  a: 1 // b\n}\n")).toHaveLength(1)
    expect(await script("x = [1, , // b\n]\n", "x = [1, // b\n]\n")).toEqual([])
  })

  test("a Rust block around one expression is, around a statement it is not", async () => {
    const arm = (body: string) =>
      ["a.rs", `fn f() {\n    match a {\n        A => ${body}\n        B => 1,\n    }\n}\n`] as const
    const forms = (base: string, head: string) => formsOf({ [arm(base)[0]]: [arm(base)[1], arm(head)[1]] })
    expect(await forms("{ g() }", "g(),")).toHaveLength(1)
    expect(await forms("{ g(); }", "g(),")).toEqual([])
  })

  test("another quote around a Python string with code is, another expression in it is not", async () => {
    expect(await python("x = f('{a}')\ny = f'{a} b'\n", 'x = f("{a}")\ny = f"{a} b"\n')).toHaveLength(1)
    expect(await python("y = f'{a} b'\n", "y = f'{c} b'\n")).toEqual([])
  })

  test("the comma of a Python tuple is not", async () => {
    expect(await python("x = (1)\n", "x = (1,)\n")).toEqual([])
  })

  test("indentation that moves a statement out of a block is not", async () => {
    expect(await python("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n")).toEqual([])
  })

  test("white space in a string is not", async () => {
    expect(await script("x = `a  b`\n", "x = `a b`\n")).toEqual([])
    expect(await python('x = """\n  a\n"""\n', 'x = """\n    a\n"""\n')).toEqual([])
  })

  test("Markdown is never reformatted", async () => {
    expect(await formsOf({ "a.md": ["a\nb\n", "a\n\nb\n"] })).toEqual([])
  })

  test("JSON is", async () => {
    expect(await formsOf({ "a.json": ['{"a": 1}\n', '{\n  "a": 1\n}\n'] })).toEqual(["reformatted a.json -1x1 +1x3"])
  })
})

describe("comments", () => {
  test("an edited comment is form", async () => {
    expect(await python("x = 1  # old\n", "x = 1  # new\n")).toEqual(["comments a.py -1x1 +1x1"])
  })

  test("a comment that a tool reads is not", async () => {
    expect(await python("x = 1\n", "x = 1  # noqa\n")).toEqual([])
    expect(await formsOf({ "a.go": ["//go:build linux\n\npackage a\n", "//go:build windows\n\npackage a\n"] })).toEqual(
      []
    )
  })

  test("a comment that makes code a comment is not", async () => {
    expect(await script("a()\nb()\n// */\nc()\n", "/*\na()\nb()\n// */\nc()\n")).toEqual([])
    expect(await script("a()\nb()\n", "a()\n// b()\n")).toEqual([])
  })

  test("a hidden character is not", async () => {
    expect(await script("a() // x\n", "a() // x\u202e\n")).toEqual([])
  })
})

describe("imports", () => {
  test("another order of imports and of their names is form", async () => {
    const base = 'import { b, a } from "x"\nimport y from "y"\nf()\n'
    expect(await script(base, 'import y from "y"\nimport { a, b } from "x"\nf()\n')).toEqual(["imports a.ts -1x2 +1x2"])
  })

  test("an import that crosses a side effect is not", async () => {
    expect(await script('import "x"\nimport y from "y"\n', 'import y from "y"\nimport "x"\n')).toEqual([])
  })

  test("another name is not", async () => {
    expect(await python("import a\nimport b\n", "import b\nimport c\n")).toEqual([])
  })
})

describe("renames", () => {
  const named = (name: string) => `function f(a) {\n  const ${name} = g(a)\n  return ${name} + h(${name})\n}\n`

  test("a variable with all its uses is a rename", async () => {
    expect(await script(named("x"), named("y"))).toEqual(["renamed a.ts -2x2 +2x2"])
  })

  test("a name that the function already has is not", async () => {
    expect(await script(named("x"), named("a"))).toEqual([])
  })

  test("a declaration is not, if a use of it is edited", async () => {
    const code = (name: string, use: string) => `function f(a, ${name}) {\n  a()\n  b()\n  return ${use}\n}\n`
    expect(await script(code("x", "x + 1"), code("y", "y + 2"))).toEqual([])
  })

  test("a parameter without a use is not", async () => {
    expect(
      await formsOf({ "A.java": ["interface A { void f(int x); }\n", "interface A { void f(int y); }\n"] })
    ).toEqual([])
  })

  test("one use of another name is not", async () => {
    expect(await script(named("x"), named("y").replace("h(y)", "h(z)"))).toEqual([])
  })

  test("another function or method to call is not", async () => {
    expect(await script("list.push(x)\n", "list.unshift(x)\n")).toEqual([])
    expect(await script("check(x)\n", "checkLoosely(x)\n")).toEqual([])
  })

  test("two exchanged names are not", async () => {
    const code = (a: string, b: string) => `function f() {\n  let a = 1\n  let b = 2\n  return ${a} - ${b}\n}\n`
    expect(await script(code("a", "b"), code("b", "a"))).toEqual([])
  })

  test("a destructured property is not", async () => {
    const code = (name: string) => `function f(o) {\n  const { ${name} } = o\n  return ${name}\n}\n`
    expect(await script(code("x"), code("y"))).toEqual([])
  })

  test("a name in a string with code is renamed with the others", async () => {
    const code = (name: string, inside: string) =>
      `def f(a):\n    ${name} = g(a)\n    return ${name} + f"{${inside}}"\n`
    expect(await python(code("x", "x"), code("y", "y"))).toHaveLength(1)
    expect(await python(code("x", "x"), code("y", "x"))).toEqual([])
    expect(await python(code("x", "x = "), code("y", "y = "))).toEqual([])
    const rust = (name: string) => `fn f() {\n    let ${name} = g();\n    h(${name});\n    println!("{x}");\n}\n`
    expect(await formsOf({ "a.rs": [rust("x"), rust("y")] })).toEqual([])
  })

  test("a variable that may be looked up by name is not", async () => {
    for (const call of ["eval(s)", "locals()", "exec(s)"]) {
      const code = (name: string) => `def f(a):\n    ${name} = g(a)\n    h(${call})\n    return ${name}\n`
      expect(await python(code("x"), code("y"))).toEqual([])
    }
  })

  test("a component whose first letter changes its case is not", async () => {
    const code = (name: string) => `function f(a) {\n  const ${name} = a()\n  return <${name} />\n}\n`
    expect(await formsOf({ "a.tsx": [code("item"), code("Item")] })).toEqual([])
    expect(await formsOf({ "a.tsx": [code("Item"), code("Row")] })).toEqual(["renamed a.tsx -2x2 +2x2"])
  })

  test("a function with its uses in another file is a rename", async () => {
    const library = (name: string) => `export function ${name}(a) {\n  return a\n}\n`
    const user = (name: string) => `import { ${name} } from "./a"\n${name}(1)\n`
    expect(await formsOf({ "a.ts": [library("f"), library("g")], "b.ts": [user("f"), user("g")] })).toEqual([
      "renamed a.ts -1x1 +1x1",
      "renamed b.ts -1x2 +1x2"
    ])
  })

  test("a definition without a use is not: a framework may call it", async () => {
    expect(await python("def setup():\n    pass\n", "def set_up():\n    pass\n")).toEqual([])
  })
})

describe("moves", () => {
  const moved = "def moved(a):\n    b = a + 1\n    if b:\n        return b\n    return a\n"

  test("a definition in another file is a move", async () => {
    const { found } = await read({ "a.py": [`x = 1\n\n\n${moved}`, "x = 1\n"], "b.py": [null, moved] })
    expect(found.hunks).toEqual([
      {
        form: "moved",
        file: "a.py",
        line: 1,
        added: 0,
        base: 2,
        deleted: 7,
        from: null,
        to: { file: "b.py", line: 1 },
        differs: []
      },
      {
        form: "moved",
        file: "b.py",
        line: 1,
        added: 5,
        base: 0,
        deleted: 0,
        from: { file: "a.py", line: 4 },
        to: null,
        differs: []
      }
    ])
    expect(found).toMatchObject({ lines: 12, formal: 12 })
  })

  test("a definition keeps the meaning of its names, by import or from its old file", async () => {
    const code = "def wait(a):\n    b = os.path(a) + TIMEOUT\n    c = b\n    return c\n"
    const base = `import os\nTIMEOUT = 10\n\n\n${code}`
    const head = "import os\nTIMEOUT = 10\n"
    const into = async (imports: string) =>
      (await read({ "x/a.py": [base, head], "x/b.py": [null, `${imports}\n\n${code}`] })).found.formal
    expect(await into("import os\nfrom .a import TIMEOUT\n")).toBeGreaterThanOrEqual(8)
    expect(await into("import os\nfrom x.a import TIMEOUT\n")).toBeGreaterThanOrEqual(8)
    expect(await into("import os\nfrom .c import TIMEOUT\n")).toBe(0)
    expect(await into("import os\n")).toBe(0)
    expect(await into("import posix as os\nfrom .a import TIMEOUT\n")).toBe(0)
  })

  test("definitions that move together still use each other", async () => {
    const helper = "def helper(a):\n    b = a\n    c = b\n    return c\n"
    const user = "def user(a):\n    b = helper(a)\n    c = b\n    return c\n"
    const both = await read({
      "a.py": [`x = 1\n\n${helper}\n\n${user}`, "x = 1\n"],
      "b.py": [null, `${helper}\n\n${user}`]
    })
    expect(both.found.formal).toBe(both.found.lines)
    const edited = helper.replace("c = b", "c = -b")
    const other = await read({
      "a.py": [`x = 1\n\n${helper}\n\n${user}`, "x = 1\n"],
      "b.py": [null, `${edited}\n\n${user}`]
    })
    expect(other.found.hunks.filter(({ added }) => added > 1)).toEqual([])
  })

  test("a long chain of moved definitions is not followed to its end", async () => {
    const chain = (last: string) =>
      Array.from({ length: 30 }, (_, at) => {
        const value = at === 29 ? last : `call${at + 1}(a)`
        return `def call${at}(a):\n    b = ${value}\n    c = b\n    return c\n`
      }).join("\n\n")
    const moved = (last: string) => read({ "a.py": [`x = 1\n\n${chain("a")}`, "x = 1\n"], "b.py": [null, chain(last)] })
    const same = await moved("a")
    expect(same.found.formal).toBe(same.found.lines)
    // The edit at the end reaches the first definition only after 29 steps.
    expect((await moved("-a")).found.formal).toBe(0)
  })

  test("names of the same Go package need no import, those of another package differ", async () => {
    const code = "func Wait(a int) int {\n\tb := a + timeout\n\tc := b\n\treturn c\n}\n"
    const texts = (path: string, name: string): Texts => ({
      "x/a.go": [`package x\n\nconst timeout = 1\n\n${code}`, "package x\n\nconst timeout = 1\n"],
      [path]: [null, `package ${name}\n\n${code}`]
    })
    expect((await read(texts("x/b.go", "x"))).found.formal).toBeGreaterThanOrEqual(12)
    expect((await read(texts("y/b.go", "y"))).found.formal).toBe(0)
    expect((await read(texts("x/b_test.go", "x_test"))).found.formal).toBe(0)
  })

  test("a method that moves to another class is not", async () => {
    const method = "    def get(self):\n        a = self.x\n        b = a\n        return b\n"
    const classes = (first: string, second: string) => `class A:\n    x = 1\n${first}\n\nclass B:\n    x = 2\n${second}`
    expect(await python(classes(method, ""), classes("", method))).toEqual([])
  })

  test("a definition that moves across its own use or what it needs is not", async () => {
    const used = "def used(a):\n    b = a\n    c = b\n    return c\n"
    expect(await python(`${used}x = used(1)\n`, `x = used(1)\n${used}`)).toEqual([])
    const needs = used.replace("(a)", "(a=LIMIT)")
    expect(await python(`LIMIT = 1\n${needs}`, `${needs}LIMIT = 1\n`)).toEqual([])
  })

  test("code that depends on the name or the folder of its file is not", async () => {
    const code = (value: string) => `def f():\n    a = ${value}\n    b = a\n    return b\n`
    for (const value of ["__file__", "globals()"]) {
      expect(await formsOf({ "a.py": [`x = 1\n${code(value)}`, "x = 1\n"], "b.py": [null, code(value)] })).toEqual([])
    }
    const load = 'export function f() {\n  const a = load("./x")\n  const b = a\n  return b\n}\n'
    expect(await formsOf({ "a.ts": [`x()\n${load}`, "x()\n"], "y/b.ts": [null, load] })).toEqual([])
  })

  test("a Rust function that leaves its attribute behind is not", async () => {
    const code = "fn a() {\n    b();\n    c();\n    d();\n}\n"
    expect(await formsOf({ "a.rs": [`#[inline]\n${code}fn e() {}\n`, `#[inline]\nfn e() {}\n${code}`] })).toEqual([])
  })

  test("an edited line in it is not form", async () => {
    const edited = moved.replace("a + 1", "a + 2")
    const { found } = await read({ "a.py": [`x = 1\n${moved}`, "x = 1\n"], "b.py": [null, edited] })
    expect(found.hunks.flatMap(({ differs }) => differs)).toContainEqual({ file: "b.py", line: 2 })
    expect(found).toMatchObject({ lines: 10, formal: 8 })
  })

  test("a statement that leaves a block in it is not form", async () => {
    const edited = moved.replace("        return b", "    return b").replace("if b:", "print(b)")
    expect((await read({ "a.py": [moved, ""], "b.py": [null, edited] })).found.formal).toBe(0)
  })

  test("statements that change their order in a function are not", async () => {
    const [first, second] = ["    a()\n    b()\n    c()\n", "    d()\n    e()\n    g()\n"]
    expect(await python(`def f():\n${first}${second}`, `def f():\n${second}${first}`)).toEqual([])
  })

  test("statements of a function with a new name that change their order are not both moves", async () => {
    const [first, second] = ["    a()\n    b()\n    c()\n", "    d()\n    e()\n    g()\n"]
    const { found } = await read({
      "a.py": [`x = 1\ndef f():\n${first}${second}y = 1\n`, `x = 1\ndef h():\n${second}${first}y = 1\n`]
    })
    expect(found.formal).toBeLessThanOrEqual(6)
  })

  test("a block that moves below a condition is not", async () => {
    const block = "    a()\n    b()\n    c()\n"
    const below = block.replace(/^/gm, "    ").trimEnd()
    expect(
      await formsOf({
        "a.py": [`def f():\n${block}    return 1\n`, "def f():\n    return 1\n"],
        "b.py": ["def g():\n    return 2\n", `def g():\n    if x:\n${below}\n    return 2\n`]
      })
    ).toEqual([])
  })

  test("a definition that moves below a condition is not", async () => {
    const below = `if x:\n${moved.replace(/^/gm, "    ").trimEnd()}\n`
    expect(await python(`${moved}y = 1\n`, `y = 1\n${below}`)).toEqual([])
  })
})

describe("what is not read", () => {
  test("generated and vendored files are form", async () => {
    expect(await formsOf({ "yarn.lock": ["a\n", "b\n"], "vendor/a.go": ["a\n", "b\n"] })).toEqual([
      "generated yarn.lock -1x1 +1x1",
      "vendored vendor/a.go -1x1 +1x1"
    ])
  })

  test("a mark that the change adds does not make a file generated", async () => {
    expect(await python("x = 1\n", "# @generated\nx = 2\n")).toEqual([])
  })

  test("a mark counts only in the first comment of a file, or in .gitattributes", async () => {
    expect(await python("# @generated\nx = 1\n", "# @generated\nx = 2\n")).toEqual(["generated a.py -2x1 +2x1"])
    expect(await python("y = 1\n# @generated\nx = 1\n", "y = 1\n# @generated\nx = 2\n")).toEqual([])
    expect(await formsOf({ "a.py": [null, "# @generated\nx = 1\n"] })).toEqual([])
    const attributes = { ".gitattributes": ["a.py linguist-generated\n", "a.py linguist-generated\n"] } as const
    expect(await formsOf({ ...attributes, "a.py": ["x = 1\n", "x = 2\n"] })).toEqual(["generated a.py -1x1 +1x1"])
  })

  test("a file that only moves has nothing to read", async () => {
    const texts: Texts = { "b.py": [null, "x = 1\n"] }
    const [file] = changeOf(texts).diff.files
    const moved = { ...file!, status: "renamed" as const, oldPath: "a.py", oldMode: "100644", hunks: [] }
    const { found } = await read(texts, { ...changeOf(texts), diff: { files: [moved] } })
    expect(found).toMatchObject({ movedFiles: [{ from: "a.py", to: "b.py" }], order: [] })
    const executable = { ...moved, newMode: "100755" }
    const other = await read(texts, { ...changeOf(texts), diff: { files: [executable] } })
    expect(other.found.movedFiles).toEqual([])
  })

  test("a file with a syntax error is omitted", async () => {
    const { found, omitted } = await read({ "a.ts": ["f(a)\n", "f( a\n"] })
    expect(found.hunks).toEqual([])
    expect(omitted).toEqual(["a.ts: it has a syntax error"])
  })
})

describe("what is never only form", () => {
  const guard = "    if not user:\n        log('no user')\n        raise PermissionError\n"

  test("statements that leave one function for another", async () => {
    const [f, g] = ["def f(user):\n", "def g(user):\n"]
    const body = "    return user\n"
    expect(await python(`${f}${guard}${body}\n${g}${body}`, `${f}${body}\n${g}${guard}${body}`)).toEqual([])
  })

  test("a definition whose names mean something else in its new file", async () => {
    const definition = "def wait(a):\n    b = a + TIMEOUT\n    c = b\n    return c\n"
    const others = { "b.py": ["TIMEOUT = 1000\n", `TIMEOUT = 1000\n\n\n${definition}`] as const }
    expect(await formsOf({ "a.py": [`TIMEOUT = 10\n\n\n${definition}`, "TIMEOUT = 10\n"], ...others })).toEqual([])
  })

  test("an import that moves across other code, or shares its name with another one", async () => {
    expect(await python("import os\npatch()\nimport ssl\n", "import ssl\nimport os\npatch()\n")).toEqual([])
    expect(await python("from a import x\nfrom b import x\n", "from b import x\nfrom a import x\n")).toEqual([])
  })

  test("a comment that a tool reads", async () => {
    expect(await python("x = []  # type: List[int]\n", "x = []  # type: List[str]\n")).toEqual([])
    expect(await script("/** @param {number} a */\nf(a)\n", "/** @param {string} a */\nf(a)\n")).toEqual([])
    expect(await formsOf({ "a.rs": ["/// f(1)\nfn f() {}\n", "/// f(2)\nfn f() {}\n"] })).toEqual([])
  })

  test("white space where a line break ends a statement", async () => {
    expect(await formsOf({ "a.kt": ["val x = a +\n  b\n", "val x = a\n  + b\n"] })).toEqual([])
    expect(await formsOf({ "a.kt": ["fun f() {\n  a()\n}\n", "fun f() {\n    a()\n}\n"] })).toHaveLength(1)
  })
})
