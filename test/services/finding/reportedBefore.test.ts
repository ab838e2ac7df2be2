/** What a change moves, indents, renames or edits was there before it; only what is new is reported. */
import { describe, expect, test } from "bun:test"
import type { Texts } from "../../support/change.ts"
import { reviewBy, shipped } from "../../support/rules.ts"

/** Path and line of each claim of these rules. */
const reported = async (texts: Texts): Promise<ReadonlyArray<string>> => {
  const { problems, records } = await reviewBy(
    shipped(
      "ts/empty-catch",
      "go/defer-in-loop",
      "py/breakpoint-left",
      "py/mutable-default",
      "debug/dbg-macro",
      "secret/provider-token"
    ),
    texts
  )
  expect(problems).toEqual([])
  return records.map(({ file, line }) => `${file}:${line}`)
}

const read = `export function read() {
  try {
    open("a")
  } catch (e) {}
}
`
const indented = read.replace(/^(?=.)/gm, "  ")
const write = read.replace("read", "write").replace('open("a")', 'save("b", 1)')

const attempt =
  '  try {\n    const text = open("a", { flags: "r" })\n    store(text, keyOf("a"))\n    notify(text)\n  } catch (e) {}\n'
const long = `export function read() {\n  start()\n${attempt}}\n`
const moved = `export function read() {\n  start()\n}\nexport function all() {\n  count()\n${attempt}}\n`

const collect = "def collect(items=[]):\n    items.append(1)\n    return items\n"

describe("not reported", () => {
  const cases: ReadonlyArray<readonly [name: string, texts: Texts]> = [
    ["code that is indented", { "a.ts": [read, `namespace A {\n${indented}}\n`] }],
    ["code that is formatted", { "a.ts": [read, read.replace("{}", "{\n  }")] }],
    ["an old statement with another form", { "a.ts": [read, read.replace("catch (e) {}", "catch {}")] }],
    ["an option of an old call", { "a.ts": [write, write.replace('"b", 1', '"b", 2')] }],
    ["a renamed function", { "a.ts": [read, read.replace("read", "load")] }],
    ["a renamed function that has it in its head", { "a.py": [collect, collect.replace("collect", "gather")] }],
    [
      "a function that moves within the file",
      { "a.ts": [`${read}\nexport const n = 1\n`, `export const n = 1\n\n${read}`] }
    ],
    ["a function that moves to another file", { "a.ts": [`${read}${write}`, read], "b.ts": [null, write] }],
    ["a file that is split in two", { "a.ts": [`${read}${write}`, null], "b.ts": [null, read], "c.ts": [null, write] }],
    [
      "a statement that moves to a function of its own",
      {
        "a.ts": [
          read,
          'function inner() {\n  try {\n    open("a")\n  } catch (e) {}\n}\nexport function read() {\n  inner()\n}\n'
        ]
      }
    ],
    [
      "a function that becomes a part of another one",
      {
        "a.ts": [
          `${read}export function all() {\n  read()\n}\n`,
          'export function all() {\n  count()\n  try {\n    open("a")\n  } catch (e) {}\n}\n'
        ]
      }
    ],
    [
      "several statements that move to another function",
      { "a.ts": [`${long}export function all() {\n  count()\n}\n`, moved] }
    ],
    ["a line with another indentation", { "a.py": ["breakpoint()\nx = 1\n", "x = 1\nif x:\n    breakpoint()\n"] }],
    [
      "a line whose variable is renamed",
      { "src/a.rs": ["fn f(x: u8) {\n    dbg!(x);\n}\n", "fn f(y: u8) {\n    dbg!(y);\n}\n"] }
    ],
    [
      "a line that moves to another file",
      {
        "a.py": ["def f():\n    breakpoint()\n", "x = 1\n"],
        "b.py": ["y = 1\n", "y = 1\ndef f():\n    breakpoint()\n"]
      }
    ]
  ]
  for (const [name, texts] of cases) test(name, async () => expect(await reported(texts)).toEqual([]))
})

describe("reported", () => {
  test("a copy of a function under another name", async () => {
    expect(await reported({ "a.py": [collect, `${collect}\n\n${collect.replace("collect", "gather")}`] })).toEqual([
      "a.py:6"
    ])
  })

  test("a file with CRLF", async () => {
    const crlf = (text: string) => text.replaceAll("\n", "\r\n")
    expect(await reported({ "a.ts": [crlf(read), crlf(`${read}${write}`)] })).toEqual(["a.ts:9"])
  })

  test("what a rule finds that fails on the text before the change", async () => {
    const [rule] = shipped("ts/empty-catch")
    if (rule?._tag !== "Syntax") throw new Error("ts/empty-catch is a rule for nodes")
    const check: typeof rule.check = (node, file, captures) => {
      if (file.head?.includes("old()")) throw new Error("fails")
      return rule.check(node, file, captures)
    }
    const { records } = await reviewBy([{ ...rule, check }], {
      "a.ts": [`old()\n${read}`, read.replace("catch (e)", "catch")]
    })
    expect(records.map(({ line }) => line)).toEqual([4])
  })

  test("what the parser can only read after the change", async () => {
    expect(await reported({ "a.ts": ["(".repeat(5000), read] })).toEqual(["a.ts:4"])
  })

  const cases: ReadonlyArray<readonly [name: string, texts: Texts, places: ReadonlyArray<string>]> = [
    ["new code", { "a.ts": [null, read] }, ["a.ts:4"]],
    ["new code beside the same old code", { "a.ts": [read, `${read}${write}`] }, ["a.ts:9"]],
    [
      "a copy of old code in the same function",
      {
        "a.ts": [
          read,
          read
            .replace("}\n}\n", '}\n  try {\n    open("a")\n  } catch (e) {}\n}\n')
            .replace("catch (e) {}\n  }", "catch (e) {}")
        ]
      },
      ["a.ts:7"]
    ],
    [
      "new code in another function than the code that goes",
      {
        "a.ts": [
          `${read}export function write() {\n  save()\n}\n`,
          `export function read() {\n  open("a")\n}\n${write}`
        ]
      },
      ["a.ts:7"]
    ],
    [
      "a statement that is corrected in one function and written in another",
      {
        "a.ts": [
          `${read}export function all() {\n  count()\n}\n`,
          'export function read() {\n  open("a")\n}\nexport function all() {\n  count()\n  try {\n    open("a")\n  } catch (e) {}\n}\n'
        ]
      },
      ["a.ts:8"]
    ],
    [
      "an old statement in a new loop",
      {
        "a.go": [
          "package a\n\nfunc f(names []string) {\n\tx := open(names[0])\n\tdefer x.Close()\n}\n",
          "package a\n\nfunc f(names []string) {\n\tfor _, name := range names {\n\t\tx := open(name)\n\t\tdefer x.Close()\n\t}\n}\n"
        ]
      },
      ["a.go:6"]
    ],
    [
      "a second line beside an edited one",
      { "src/a.rs": ["fn f(x: u8) {\n    dbg!(x);\n}\n", "fn f(y: u8) {\n    dbg!(y);\n    dbg!(&y);\n}\n"] },
      ["src/a.rs:3"]
    ],
    [
      "another token in a line",
      {
        "a.py": [`token = "ghp_${"a1B2c3D4e5".repeat(3)}f6G7h8"\n`, `token = "ghp_${"b1A2d3C4f5".repeat(3)}e6H7g8"\n`]
      },
      ["a.py:1"]
    ],
    ["a copy of a line", { "a.py": ["breakpoint()\nx = 1\n", "breakpoint()\nx = 1\nbreakpoint()\n"] }, ["a.py:3"]],
    [
      "another line than the one that goes",
      {
        "a.py": ["breakpoint()\nx = 1\n", "x = 1\nimport pdb; pdb.set_trace()\n"]
      },
      ["a.py:2"]
    ]
  ]
  for (const [name, texts, places] of cases) test(name, async () => expect(await reported(texts)).toEqual(places))
})
