import { describe, expect, test } from "bun:test"
import { isWithinFixtures } from "../../../src/domain/change/PathKind.ts"

const repository = [
  "package.json",
  "src/a.ts",
  "playground/css/package.json",
  "playground/css/a.ts",
  "playground/css/b.ts",
  "playground/js/package.json",
  "playground/js/c.ts",
  "playground/run.ts",
  "tests/unit/__init__.py",
  "tests/unit/helper.py",
  "tests/slow/__init__.py",
  "examples/shop/package.json",
  "examples/shop/a.ts",
  "docs/example_scripts/one/__init__.py",
  "docs/example_scripts/one/a.py",
  "docs/example_scripts/two/__init__.py",
  "go/testdata/a/a.go",
  "test/test-fixtures/a.ts"
]

describe("isWithinFixtures", () => {
  const within = (...files: ReadonlyArray<string>) => isWithinFixtures(files, repository)

  test("recognises several packages below a playground or examples", () => {
    expect(within("playground/css/a.ts", "playground/css/b.ts")).toBe(true)
    expect(within("playground/css/a.ts", "playground/js/c.ts")).toBe(true)
    expect(within("docs/example_scripts/one/a.py")).toBe(true)
  })
  test("recognises folders of fixtures", () => {
    expect(within("go/testdata/a/a.go")).toBe(true)
    expect(within("test/test-fixtures/a.ts")).toBe(true)
  })
  test("does not accept a place outside of the tree", () => {
    expect(within("playground/css/a.ts", "src/a.ts")).toBe(false)
    expect(within("playground/css/a.ts", "playground/run.ts")).toBe(false)
    expect(within("go/testdata/a/a.go", "go/a_test.go")).toBe(false)
  })
  test("does not accept one example, ordinary tests, or no file", () => {
    expect(within("examples/shop/a.ts")).toBe(false)
    expect(within("tests/unit/helper.py")).toBe(false)
    expect(within("src/a.ts")).toBe(false)
    expect(within()).toBe(false)
  })

  test("includes folders of data below tests", () => {
    expect(within("tests/data/cases/a.py")).toBe(true)
    expect(within("src/test/resources/A.java")).toBe(true)
    expect(within("src/data/a.py")).toBe(false)
  })
})
