/** Edits of more lines than a rule marks: only on lines of the change, and nothing else is changed. */
import { describe, expect, test } from "bun:test"
import { reviewBy, shipped } from "../../support/rules.ts"

const mutable = (docstring: string) => `import os

def add(item, items=[]):${docstring}
    items.append(item)
    return items
`

describe("an edit of other lines than the marked ones", () => {
  test("widens the claim to these lines, and what was marked is a related place", async () => {
    const text = mutable('\n    """Adds it."""')
    const { records } = await reviewBy(shipped("py/mutable-default"), { "a.py": [null, text] })
    expect(records).toMatchObject([{ line: 3, endLine: 4, related: [{ line: 3, column: 15, endColumn: 23 }] }])
    expect(records[0]?.suggestion).toBe(
      'def add(item, items=None):\n    """Adds it."""\n    if items is None:\n        items = []'
    )
  })

  test("is not suggested if the change does not add all of them", async () => {
    const before = mutable('\n    """Adds it."""').replace("items=[]", "items")
    const after = mutable('\n    """Adds it."""')
    const { records } = await reviewBy(shipped("py/mutable-default"), { "a.py": [before, after] })
    expect(records).toMatchObject([{ line: 3, column: 15, endColumn: 23 }])
    expect(records[0]?.suggestion).toBeUndefined()
  })

  test("is not suggested if it has more than twenty lines", async () => {
    const middle = Array.from({ length: 20 }, (_, at) => `    step(${at})\n`).join("")
    const text = `for x in xs:\n${middle}    if x.done:\n        xs.remove(x)\n`
    const { records } = await reviewBy(shipped("py/changed-while-iterated"), { "a.py": [null, text] })
    expect(records.map(({ line, suggestion }) => [line, suggestion])).toEqual([[23, undefined]])
  })

  const quiet: ReadonlyArray<readonly [rule: string, path: string, text: string]> = [
    [
      "ts/loop-closure",
      "a.ts",
      "function f() {\n  for (var i = 0; i < 3; i++) {\n    setTimeout(() => show(i), 1)\n  }\n  return i\n}\n"
    ],
    ["swift/strong-delegate", "a.swift", "class Player {\n  var delegate: PlayerDelegate?\n}\n"],
    [
      "java/result-of-immutable-ignored",
      "A.java",
      "class A {\n  void f(final String name) {\n    name.trim();\n    use(name);\n  }\n}\n"
    ],
    [
      "go/response-body-not-closed",
      "a.go",
      "package a\n\nfunc f(urls []string) {\n\tfor _, u := range urls {\n\t\tr, err := http.Get(u)\n\t\tif err != nil {\n\t\t\treturn\n\t\t}\n\t\tuse(r.StatusCode)\n\t}\n}\n"
    ]
  ]
  for (const [rule, path, text] of quiet) {
    test(`is not suggested where it may be wrong: ${rule}`, async () => {
      const { records } = await reviewBy(shipped(rule), { [path]: [null, text] })
      expect(records.map(({ suggestion }) => suggestion)).toEqual([undefined])
    })
  }
})
