import { describe, expect } from "bun:test"
import { failingTests } from "../../../src/domain/fix/failingTests.ts"
import { it } from "../../support/effect.ts"

/** Outputs of real runs with one or two failing tests, shortened. */
const outputs: Readonly<Record<string, readonly [output: string, failing: ReadonlyArray<string>]>> = {
  pytest: [
    `============================= test session starts ==============================
collected 5 items

test_a.py F.F.E                                                          [100%]

=================================== FAILURES ===================================
______________________________ TestCart.test_adds ______________________________
------------------------------ Captured log call -------------------------------
ERROR    root:test_a.py:3 not a test
ERROR not a test
E   AssertionError: 1 != 2
=========================== short test summary info ============================
FAILED test_a.py::TestCart::test_adds - AssertionError: 1 != 2
FAILED test_a.py::test_p[a - b] - AssertionError: assert 'a - b' == 'c'
  
  - c
  + a - b
ERROR test_a.py::test_fix - RuntimeError: no
===================== 2 failed, 2 passed, 1 error in 1.60s =====================
`,
    ["test_a.py::TestCart::test_adds", "test_a.py::test_fix", "test_a.py::test_p[a - b]"]
  ],
  "pytest with a module that cannot be imported": [
    `=========================== short test summary info ============================
ERROR test_broken.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 1.55s ===============================
`,
    ["test_broken.py"]
  ],
  unittest: [
    `F.E
======================================================================
ERROR: test_broken (unittest.loader._FailedTest.test_broken)
----------------------------------------------------------------------
ModuleNotFoundError: No module named 'nothing_here'

======================================================================
FAIL: test_adds (test_a.TestCart.test_adds)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, errors=1)
`,
    ["test_adds (test_a.TestCart.test_adds)", "test_broken (unittest.loader._FailedTest.test_broken)"]
  ],
  "go test": [
    `# a/sub [a/sub.test]
sub/s.go:2:12: x declared but not used
--- FAIL: TestAdds (0.00s)
    --- FAIL: TestAdds/inner_one (0.00s)
        a_test.go:3: no
FAIL
FAIL\ta\t0.003s
ok  \ta/fine\t0.003s
--- FAIL: TestAdds (0.00s)
FAIL
FAIL\ta/other\t0.003s
FAIL\ta/sub [build failed]
FAIL
`,
    ["a/other: TestAdds", "a/sub: [build failed]", "a: TestAdds", "a: TestAdds/inner_one"]
  ],
  "cargo test": [
    `   Compiling a v0.1.0 (rs)
     Running unittests src/lib.rs (target/debug/deps/a-de22c1bda0609b20)

running 3 tests
test tests::ok ... ok
test tests::panics - should panic ... FAILED
test tests::adds ... FAILED

failures:
    tests::adds
    tests::panics

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.33s

error: test failed, to rerun pass \`--lib\`
   Doc-tests a

running 1 test
test src/lib.rs - f (line 1) ... FAILED

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.33s
`,
    ["a: src/lib.rs - f (line 1)", "a: tests::adds", "a: tests::panics - should panic"]
  ],
  jest: [
    `FAIL ./a.test.js
  ● Console

    console.log
      x

  ● cart › adds

    expect(received).toBe(expected) // Object.is equality

  ● cart › inner › sums up

    no

FAIL ./broken.test.js
  ● Test suite failed to run

    Cannot find module './missing-file' from 'broken.test.js'

Test Suites: 2 failed, 2 total
Tests:       2 failed, 1 passed, 3 total
`,
    ["./a.test.js: cart › adds", "./a.test.js: cart › inner › sums up", "./broken.test.js: Test suite failed to run"]
  ],
  vitest: [
    ` RUN  v4.1.12

 ❯ a.test.js (3 tests | 2 failed) 25ms
     × adds 22ms
     ✓ ok 0ms

 FAIL  broken.test.js [ broken.test.js ]
Error: Cannot find module './missing-file' imported from broken.test.js

 FAIL  a.test.js > cart > adds
AssertionError: expected 1 to be 2 // Object.is equality

 FAIL  a.test.js > cart > inner > sums up
Error: no

 Test Files  2 failed (2)
      Tests  2 failed | 1 passed (3)
`,
    ["a.test.js > cart > adds", "a.test.js > cart > inner > sums up", "broken.test.js"]
  ],
  mocha: [
    `  cart
    1) adds
    ✔ ok
    inner
      2) sums up


  1 passing (12ms)
  2 failing

  1) cart
       adds:
     Error: no
      at Context.<anonymous> (a.spec.cjs:1:51)

  2) cart
       inner
         sums up:
     Error: no
      at Context.<anonymous> (a.spec.cjs:1:145)

`,
    ["cart > adds", "cart > inner > sums up"]
  ],
  "node --test as TAP": [
    `TAP version 13
# Subtest: cart
    # Subtest: adds
    not ok 1 - adds
      ---
      duration_ms: 1.216158
      error: 'no'
      ...
    ok 2 - ok
    1..2
not ok 1 - cart
  ---
  failureType: 'subtestsFailed'
  ...
1..1
# tests 3
`,
    ["adds", "cart"]
  ],
  "node --test": [
    `▶ cart
  ✖ adds (1.193953ms)
    Error: no
  ✔ ok (0.178543ms)
✖ cart (7.578797ms)
ℹ tests 3
ℹ fail 2

✖ failing tests:

test at a.test.mjs:2:26
✖ adds (1.193953ms)
  Error: no

test at a.test.mjs:2:121
✖ sums up (0.214469ms)
  Error: no
`,
    ["a.test.mjs: adds", "a.test.mjs: sums up"]
  ],
  "bun test": [
    `bun test v1.4.5 (a7733435c)

a.test.ts:
error: expect(received).toBe(expected)
(fail) cart > adds [0.20ms]
(pass) cart > ok [0.01ms]
(fail) cart > inner > sums up [0.08ms]

 1 pass
 2 fail
Ran 3 tests across 1 file. [10.00ms]
`,
    ["a.test.ts: cart > adds", "a.test.ts: cart > inner > sums up"]
  ]
}

describe("failingTests", () => {
  for (const [runner, [output, failing]] of Object.entries(outputs)) {
    it(`reads the names in the output of ${runner}`, () => {
      expect(failingTests(output)).toEqual(failing)
    })
  }

  // By the documentation of these runners; they were not run.
  it("reads the names of runners by their documented output", () => {
    const named = (output: string) => failingTests(output)?.join(" | ") ?? null
    expect(named("\n  1) test adds (CartTest)\n     test/cart_test.exs:4\n\n2 tests, 1 failure\n")).toBe(
      "test adds (CartTest)"
    )
    expect(named("2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:3 # Cart adds\n")).toBe(
      "./spec/a_spec.rb:3 # Cart adds"
    )
    expect(named("1) CartTest::testAdds\nFailed asserting\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n")).toBe(
      "CartTest::testAdds"
    )
    expect(named("> Task :test FAILED\n\nCartTest > adds() FAILED\n    AssertionError\n")).toBe("CartTest > adds()")
    expect(named("[ERROR] Tests run: 2, Failures: 1\n[ERROR]   CartTest.adds:12 expected: <1>\n")).toBe("CartTest.adds")
    expect(named("  Failed Shop.CartTest.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     1\n")).toBe(
      "Shop.CartTest.Adds"
    )
    expect(named("Test Suite 'All' started\nTest Case '-[A.CartTests testAdds]' failed (0.1 seconds).\n")).toBe(
      "A.CartTests testAdds"
    )
    expect(named("Failure:\nCartTest#test_adds [test/a.rb:3]:\n\n2 runs, 2 assertions, 1 failures, 0 errors\n")).toBe(
      "CartTest#test_adds"
    )
  })

  it("is null for an output without names", () => {
    expect(failingTests("")).toBeNull()
    expect(failingTests("2 failed\nFAILED everything\n")).toBeNull()
    expect(failingTests("error[E0425]: cannot find value\nerror: could not compile `a`\n")).toBeNull()
  })

  it("keeps a bounded number of names of bounded length", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `(fail) test ${index} [1ms]`)
    const found = failingTests(
      `${lines.join("\n")}\n(fail) ${"x".repeat(1_000)} [1ms]\nRan 5000 tests across 1 file.\n`
    )
    expect(found).toHaveLength(200)
    expect(found?.every((name) => name.length <= 300)).toBe(true)
  })

  // Work that grows with the square of the length takes longer than the runner waits.
  it("finds the same tests after a million characters of hostile output", () => {
    const real = Object.values(outputs)
      .map(([output]) => output)
      .join("\n")
    for (const piece of ["FAILED a[", "(fail) ", " Running -", "--- FAIL: ", "  1) ", " > ", " - "]) {
      expect(failingTests(`${piece.repeat(1_000_000 / piece.length)}\n${real}`)).toEqual(failingTests(real))
    }
  })
})
