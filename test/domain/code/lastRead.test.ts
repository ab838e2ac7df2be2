import { describe, expect, test } from "bun:test"
import { deletedReads, namingOf } from "../../../src/domain/code/lastRead.ts"
import { changeOf } from "../../support/change.ts"

describe("namingOf", () => {
  const lines: ReadonlyArray<readonly [text: string, naming: string]> = [
    ["        self.limit = limit_of(x)", "set"],
    ["  limit?: number", "set"],
    ["  readonly limit: number", "set"],
    ["\tlimit int", "set"],
    ["    private final int limit;", "set"],
    ["    Client(url, limit=3)", "mention"],
    ["        limit=3,", "mention"],
    ["    limit = 3", "set"],
    ["  start({ limit: 3 })", "set"],
    ["# limit is the most", "mention"],
    ["  // limit = 3", "mention"],
    ["        return self.limit", "read"],
    ["        if self.limit:", "read"],
    ["  const { limit } = options", "read"],
    ["  if (limit == 3) {", "read"],
    ['getattr(self, "limit")', "read"],
    ["        self.limit = other.limit", "read"],
    ["  limit()", "read"]
  ]
  for (const [text, naming] of lines)
    test(`${text.trim()} is a ${naming}`, () => expect(namingOf(text, "limit")).toBe(naming as never))
})

describe("deletedReads", () => {
  const namesOf = (before: string, after: string) =>
    deletedReads(changeOf({ "a.py": [before, after] }).diff).map(({ name }) => name)

  test("has the members that a deleted line reads", () => {
    expect(namesOf("use(self.limit, other.count)\n", "use()\n")).toEqual(["limit", "count"])
  })

  test("has the number of the line before the change", () => {
    const linesOf = (before: string, after: string) =>
      deletedReads(changeOf({ "a.py": [before, after] }).diff).map(({ line }) => line)
    expect(linesOf("a = 1\nb = 2\nuse(self.limit)\n", "a = 1\nb = 2\nuse()\n")).toEqual([3])
    expect(linesOf("a = 1\nuse(self.limit)\n", "a = 1\n")).toEqual([2])
  })

  test("has no member that an added line names", () => {
    expect(namesOf("use(self.limit)\n", "limit = self.options['limit']\n")).toEqual([])
  })

  test("has no member that a deleted accessor of the same name forwards", () => {
    expect(namesOf("  get limit() {\n    return this.raw.limit\n  }\n", "x\n")).toEqual([])
  })

  test("has no call, no assignment and no import", () => {
    expect(namesOf("import a.limit\nself.limit = 3\nself.limit()\n", "x = 1\n")).toEqual([])
  })
})
