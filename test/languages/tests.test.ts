import { describe, expect } from "bun:test"
import { isTestFile } from "../../src/domain/change/TestFile.ts"
import { testCases, testNamesOf } from "../../src/languages/tests.ts"
import { it } from "../support/effect.ts"

const found = (path: string, text: string) =>
  testCases(path, text.split("\n")).map(
    ({ name, line, endLine, body }) => `${name} ${line}-${endLine} (${body.length})`
  )

describe("testCases", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    [
      "t.py",
      "class T:\n    def test_a(self):\n        x = 1\n\n        assert x\n\n    def helper(self):\n        pass\n",
      ["test_a 2-5 (2)"]
    ],
    ["t.py", "def test_a(\n    x,\n):\n    assert x\n", ["test_a 1-4 (3)"]],
    [
      "a.test.ts",
      'describe("x", () => {\n  it("adds", async () => {\n    expect(1)\n  })\n  test.only(`b`, () => {\n    f()\n  })\n})\n',
      ["adds 2-3 (1)", "b 5-6 (1)"]
    ],
    ["a_test.go", "func TestA(t *testing.T) {\n\tt.Log()\n}\n\nfunc helper() {\n}\n", ["TestA 1-2 (1)"]],
    ["a.rs", "#[test]\n#[should_panic]\nfn a() {\n    b();\n}\n\nfn c() {\n}\n", ["a 3-4 (1)"]],
    ["a_test.exs", '  test "adds", %{x: x} do\n    assert x\n  end\n', ["adds 1-2 (1)"]],
    ["ATest.java", "  @Test\n  public void adds() {\n    a();\n  }\n  void no() {\n  }\n", ["adds 2-3 (1)"]],
    ["a_spec.rb", 'it "adds" do\n  a\nend\n', ["adds 1-2 (1)"]],
    ["ATests.swift", "    func testA() {\n    #if DEBUG\n        a()\n    #endif\n    }\n", ["testA 1-3 (1)"]],
    ["a.css", "it('x', () => {})", []],
    ["empty.py", "", []]
  ]
  for (const [path, text, expected] of cases) {
    it(`finds ${expected.length === 0 ? "nothing" : expected.join(", ")} in ${path}`, () => {
      expect(found(path, text)).toEqual([...expected])
    })
  }
})

describe("isTestFile", () => {
  it("recognises tests by their names and folders", () => {
    for (const path of [
      "a_test.go",
      "tests/x.py",
      "src/__tests__/a.ts",
      "a.spec.tsx",
      "test_a.py",
      "FooTest.java",
      "SourceTests/A.swift"
    ]) {
      expect([path, isTestFile(path)]).toEqual([path, true])
    }
    for (const path of ["src/contest.py", "latest.ts", "testing.go", "examples/a.py", "attest/a.rs"]) {
      expect([path, isTestFile(path)]).toEqual([path, false])
    }
  })
})

describe("testNamesOf", () => {
  it("returns the possible names of a file's tests, and none for a test", () => {
    expect(testNamesOf("src/cart.py")).toEqual(["test_cart.py", "cart_test.py"])
    expect(testNamesOf("src/cart.ts")).toContain("cart.test.ts")
    expect(testNamesOf("a/Cart.java")).toContain("CartTest.java")
    expect(testNamesOf("lib/cart.ex")).toEqual(["cart_test.exs"])
    expect(testNamesOf("cart.swift")).toContain("cartTests.swift")
    expect(testNamesOf("test_cart.py")).toEqual([])
    expect(testNamesOf("Makefile")).toEqual([])
  })
})
