import { describe, expect } from "bun:test"
import { testFilesIn } from "../../../../src/domain/brief/tests/testFilesIn.ts"
import { it } from "../../../support/effect.ts"

describe("testFilesIn", () => {
  it("finds the test files of each language by their names", () => {
    const tests = [
      "a/b_test.go",
      "apps/a/test/a_test.exs",
      "crates/a/tests/it.rs",
      "src/a.test.ts",
      "src/__tests__/a.tsx",
      "src/jvmTest/kotlin/a/BTest.kt",
      "src/test/java/a/TestB.java",
      "spec/a_spec.rb",
      "t/unit/test_a.py",
      "tests/a_test.py"
    ]
    expect(testFilesIn(tests)).toEqual(tests)
  })

  it("leaves out helpers, fixtures and sources with a similar name", () => {
    const others = [
      "src/main/java/a/ConnectionSpec.java",
      "test/fixtures/a.js",
      "tests/common/mod.rs",
      "tests/conftest.py",
      "tests/helpers.ts",
      "pkg/testdata/a_test.go",
      "vendor/a/a_test.go"
    ]
    expect(testFilesIn(others)).toEqual([])
  })

  it("takes a script without a test's name only where no other script has one", () => {
    expect(testFilesIn(["test/app.js", "test/router.js"])).toEqual(["test/app.js", "test/router.js"])
    expect(testFilesIn(["test/app.test.js", "test/server.js"])).toEqual(["test/app.test.js"])
  })

  it("takes a name with a hyphen only in a folder of tests, or where no script has one with a dot", () => {
    expect(testFilesIn(["src/cart-test.js"])).toEqual(["src/cart-test.js"])
    expect(testFilesIn(["scripts/create-test.js", "src/a.test.ts", "test/cart-test.js"])).toEqual([
      "src/a.test.ts",
      "test/cart-test.js"
    ])
  })

  it("leaves out benchmarks beside tests", () => {
    expect(testFilesIn(["tests/bench/cart.js", "tests/cart.js"])).toEqual(["tests/cart.js"])
  })

  it("leaves out the Rust files that another test compiles", () => {
    expect(testFilesIn(["tests/all/main.rs", "tests/all/part.rs", "tests/ui.rs", "tests/ui/case.rs"])).toEqual([
      "tests/all/part.rs",
      "tests/ui.rs"
    ])
  })
})
