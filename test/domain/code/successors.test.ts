import { describe, expect, test } from "bun:test"
import type { Definition, FileSymbols } from "../../../src/domain/code/Symbol.ts"
import { changedUses, type FileSide, successorIn } from "../../../src/domain/code/successors.ts"
import { changeOf } from "../../support/change.ts"
import { countedReads } from "../../support/countedReads.ts"

/** One side of a file whose functions and classes are blocks of lines with empty lines between them. */
const sideOf = (text: string): FileSide => {
  const lines = text.split("\n")
  const definitions = lines.flatMap((line, at): ReadonlyArray<Definition> => {
    const [, kind, name = ""] = /^(def|class) (\w+)/.exec(line) ?? []
    const end = lines.indexOf("", at)
    return kind === undefined
      ? []
      : [
          {
            name,
            kind: kind === "def" ? "function" : "class",
            container: null,
            signature: null,
            line: at + 1,
            endLine: end < 0 ? lines.length : end,
            shape: line
          }
        ]
  })
  const symbols: FileSymbols = {
    definitions,
    types: [],
    imports: [],
    stars: [],
    exports: null,
    bound: new Set(),
    open: false,
    package: ""
  }
  return { symbols, lines }
}

/** What `total` is called after the change. */
const nowCalled = (before: string, after: string, others: Parameters<typeof changeOf>[0] = {}) => {
  const { diff } = changeOf({ "a.py": [before, after], ...others })
  const base = sideOf(before)
  const gone = base.symbols.definitions.find(({ name }) => name === "total")!
  const file = diff.files.find(({ path }) => path === "a.py")!
  const head = sideOf(after)
  const names = [...base.symbols.definitions, ...head.symbols.definitions].map(({ name }) => name)
  return successorIn(file, base, head, changedUses(diff, names))(gone)?.name ?? null
}

const total = "def total(items, tax):\n    found = sum(items)\n    return found * tax\n"
/** Has two thirds of its words in common with `total`: a little less than enough. */
const related = "def charge(items, tax):\n    found = prices(items)\n    return rounded(prices) + fee\n"
const first = "def first(items):\n    return items[0]\n"
const last = "def last(items):\n    return items[-1]\n"

describe("the new name of a definition that was changed with it", () => {
  test("is that of what replaces it", () => {
    expect(nowCalled(`${first}\n${total}\n${last}`, `${first}\n${related}\n${last}`)).toBe("charge")
    expect(nowCalled(`${first}\n${total}\n${last}`, `${first}\n${last}\n${related}`)).toBeNull()
  })

  test("is not known where two new ones are as much like it", () => {
    const twin = (name: string) => total.replace("total", name)
    expect(nowCalled(total, twin("sum_up"))).toBe("sum_up")
    expect(nowCalled(total, `${twin("sum_up")}\n${twin("add_up")}`)).toBeNull()
  })

  test("is not known where it replaces another one as well", () => {
    const after = total.replace("total", "sum_up")
    const same = total.replace("total", "charge")
    expect(nowCalled(`${total}\n${same}`, after)).toBeNull()
    expect(nowCalled(`${total}\n${same.replace("sum", "count")}`, after)).toBe("sum_up")
  })

  test("is that of another to which all uses were moved, and not only some", () => {
    const renamed = {
      "b.py": ["x = total(1, 2)\n", "x = charge(1, 2)\n"],
      "c.py": ["y = total(3, 4)\n", "y = 0\n"]
    } as const
    const before = `${total}\n${first}`
    const after = `${first}\n${related}`
    expect(nowCalled(before, after, { "b.py": renamed["b.py"] })).toBe("charge")
    expect(nowCalled(before, after, renamed)).toBeNull()
  })

  test("is that of one of its kind that was not there before", () => {
    expect(nowCalled(total, total.replace("def total", "class Total"))).toBeNull()
    expect(nowCalled(`${total}\n${total.replace("total", "sum_up")}`, total.replace("total", "sum_up"))).toBeNull()
  })

  test("is looked for without reading a definition again for each new one that it is compared with", () => {
    const file = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, at) => `def ${prefix}${at}(a, b):\n    x = a + ${at}\n    return b * x\n`).join(
        "\n"
      )
    const readsOf = (added: number) => {
      const [before, after] = [file("old", 40), file("fresh", added)]
      const base = sideOf(before)
      const lines = countedReads(base.lines)
      const { files } = changeOf({ "a.py": [before, after] }).diff
      const successor = successorIn(files[0]!, { ...base, lines: lines.value }, sideOf(after), new Map())
      for (const each of base.symbols.definitions) successor(each)
      return lines.reads()
    }
    expect(readsOf(40)).toBe(readsOf(10))
  })
})
