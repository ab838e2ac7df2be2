import { expect, test } from "bun:test"
import { likelyTests } from "../../../src/domain/brief/tests/likelyTests.ts"

const tests = likelyTests([
  ...["src/cart/price.ts", "src/cart/price.test.ts", "src/mail/price.ts", "test/mail/price.test.ts"],
  ...["app/models/user.rb", "spec/models/user_spec.rb", "shop/price.py", "tests/test_price.py"],
  ...["src/main/java/shop/Cart.java", "src/test/java/shop/CartTest.java", "pkg/a.go", "pkg/a_test.go", "docs/price.md"]
])

test("the tests of files have their names, the nearest first", () => {
  expect(tests(["src/cart/price.ts"])[0]).toBe("src/cart/price.test.ts")
  expect(tests(["app/models/user.rb"])).toEqual(["spec/models/user_spec.rb"])
  expect(tests(["src/main/java/shop/Cart.java", "pkg/a.go"])).toEqual([
    "src/test/java/shop/CartTest.java",
    "pkg/a_test.go"
  ])
})

test("a test is its own, and a file without one has none", () => {
  expect(tests(["tests/test_price.py", "src/other.ts"])).toEqual(["tests/test_price.py"])
})
