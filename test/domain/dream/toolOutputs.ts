/** What tools print when they fail, with headings, summaries, tests that pass and code beside the error, and what its signature is. */

export interface ToolOutput {
  readonly tool: string
  /** Of the command. */
  readonly family: string
  readonly output: string
  readonly masked: string
  readonly trigger: string | null
}

export const toolOutputs: ReadonlyArray<ToolOutput> = [
  {
    tool: "a failed assertion of pytest",
    family: "pytest",
    output: `Exit code 1
============================= test session starts ==============================
platform linux -- Python 3.11.4, pytest-8.2.0, pluggy-1.5.0
rootdir: /home/ann/shop
plugins: anyio-4.3.0, failed-first-0.1
collected 3 items

tests/test_cart.py .F.                                                   [100%]

=================================== FAILURES ===================================
_________________________________ test_total ___________________________________

    def test_total():
        cart = Cart()
        assert cart.total([]) == 0
>       assert cart.total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_cart.py:8: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 2 passed in 0.03s ==========================`,
    masked: "assert <n> == <n>",
    trigger: null
  },
  {
    tool: "pytest that cannot collect",
    family: "pytest",
    output: `Exit code 2
==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_cart.py ______________________
ImportError while importing test module '/home/ann/shop/tests/test_cart.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
tests/test_cart.py:1: in <module>
    from shop.cart import Cart
E   ModuleNotFoundError: No module named 'shop'
=========================== short test summary info ============================
ERROR tests/test_cart.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.10s ===============================`,
    masked: "ModuleNotFoundError: No module named <q>",
    trigger: "error:python:ModuleNotFoundError"
  },
  {
    tool: "a traceback of Python",
    family: "python run.py",
    output: `Exit code 1
Traceback (most recent call last):
  File "/home/ann/shop/run.py", line 9, in <module>
    handle_error(load("x"))
  File "/home/ann/shop/load.py", line 3, in load
    return prices["missing"]
KeyError: 'missing'`,
    masked: "KeyError: <q>",
    trigger: "error:python:KeyError"
  },
  {
    tool: "a failed expectation of jest",
    family: "jest",
    output: `Exit code 1
FAIL src/errorBoundary.test.ts
  ● Console

    console.error
      Warning: something failed to load

  ● cart › shows an error when the price is missing

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

       6 |   test("total", () => {
    >  7 |     expect(total([1, 2])).toBe(4)
         |                           ^
      at Object.toBe (src/errorBoundary.test.ts:7:27)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 2 passed, 3 total
Snapshots:   0 total
Time:        0.512 s`,
    masked: "expect(received).toBe(expected) <path> Object.is equality",
    trigger: null
  },
  {
    tool: "an exception in jest",
    family: "npm test",
    output: `Exit code 1
> shop@1.0.0 test
> jest

FAIL src/cart.test.ts
  ● cart › total

    TypeError: Cannot read properties of undefined (reading 'price')

      3 | export const total = (items) =>
    > 4 |   items.reduce((sum, item) => sum + item.product.price, 0)
        |                                                  ^

      at price (src/cart.ts:4:50)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 total`,
    masked: "TypeError: Cannot read properties of undefined (reading <q>)",
    trigger: "error:javascript:TypeError"
  },
  {
    tool: "vitest",
    family: "vitest",
    output: `Exit code 1
 RUN  v1.6.0 /home/ann/shop

 ✓ src/error.test.ts (3 tests) 4ms
 ❯ src/cart.test.ts (2 tests | 1 failed) 6ms
   × cart > handles missing prices 5ms
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > cart > handles missing prices
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ src/cart.test.ts:7:27

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 4 passed (5)`,
    masked: "AssertionError: expected <n> to be <n> <path> Object.is equality",
    trigger: "error:javascript:AssertionError"
  },
  {
    tool: "bun test",
    family: "bun test",
    output: `Exit code 1
bun test v1.1.8 (89d25807)

src/cart.test.ts:
(pass) cart > an error page [0.10ms]
3 | 
4 | test("total", () => {
5 |   expect(total([1, 2])).toBe(4)
                            ^
error: expect(received).toBe(expected)

Expected: 4
Received: 3

      at <anonymous> (/home/ann/shop/src/cart.test.ts:5:25)
(fail) cart > total [0.35ms]

 1 pass
 1 fail
Ran 2 tests across 1 files. [12.00ms]`,
    masked: "error: expect(received).toBe(expected)",
    trigger: null
  },
  {
    tool: "cargo build",
    family: "cargo build",
    output: `Exit code 101
   Compiling thiserror v1.0.58
   Compiling anyhow-error v1.0.0
   Compiling shop v0.1.0 (/home/ann/shop)
warning: unused import: \`std::io::Error\`
 --> src/main.rs:1:5
  |
1 | use std::io::Error;
  |     ^^^^^^^^^^^^^^
error[E0308]: mismatched types
 --> src/main.rs:4:18
  |
4 |     let x: u32 = "a";
  |            ---   ^^^ expected \`u32\`, found \`&str\`

error: aborting due to 1 previous error; 1 warning emitted

For more information about this error, try \`rustc --explain E0308\`.
error: could not compile \`shop\` (bin "shop") due to 1 previous error`,
    masked: "error[E0308]: mismatched types",
    trigger: "error:rust:E0308"
  },
  {
    tool: "a panic in cargo test",
    family: "cargo test",
    output: `Exit code 101
   Compiling shop v0.1.0 (/home/ann/shop)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.42s
     Running unittests src/lib.rs (target/debug/deps/shop-1a2b3c4d5e6f7a8b)

running 2 tests
test cart::tests::missing_price ... ok
test cart::tests::total ... FAILED

failures:

---- cart::tests::total stdout ----
thread 'cart::tests::total' panicked at src/cart.rs:12:9:
assertion \`left == right\` failed
  left: 3
 right: 4
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

failures:
    cart::tests::total

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass \`--lib\``,
    masked: "assertion <q> failed",
    trigger: null
  },
  {
    tool: "go test",
    family: "go test",
    output: `Exit code 1
=== RUN   TestErrorPage
--- PASS: TestErrorPage (0.00s)
=== RUN   TestTotal
    cart_test.go:9: total of [1 2]: got 3, want 4
--- FAIL: TestTotal (0.00s)
FAIL
FAIL	example.com/shop/cart	0.002s
FAIL`,
    masked: "<path> total of [<n> <n>]: got <n>, want <n>",
    trigger: null
  },
  {
    tool: "go test that does not compile",
    family: "go test",
    output: `Exit code 1
# example.com/shop/cart [example.com/shop/cart.test]
cart/cart_test.go:9:7: undefined: Totel
FAIL	example.com/shop/cart [build failed]
FAIL`,
    masked: "<path>: undefined: Totel",
    trigger: null
  },
  {
    tool: "a panic in go test",
    family: "go test",
    output: `Exit code 1
--- FAIL: TestTotal (0.00s)
panic: runtime error: index out of range [3] with length 2 [recovered]
	panic: runtime error: index out of range [3] with length 2

goroutine 7 [running]:
testing.tRunner.func1.2({0x5040e0, 0xc00001a0f0})
FAIL	example.com/shop/cart	0.004s`,
    masked: "panic: runtime error: index out of range [<n>] with length <n> [recovered]",
    trigger: null
  },
  {
    tool: "tsc",
    family: "tsc",
    output: `Exit code 2
src/errors/cart.ts(3,4): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
src/b.ts(1,1): error TS2304: Cannot find name 'x'.`,
    masked: "<path>(<n>,<n>): error TS2345: Argument of type <q> is not assignable to parameter of type <q>.",
    trigger: "error:typescript:TS2345"
  },
  {
    tool: "tsc for people, in npm",
    family: "npm run typecheck",
    output: `Exit code 2
> shop@1.0.0 typecheck
> tsc --noEmit

src/cart.ts:3:4 - error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.

3   total("a")
          ~~~

Found 1 error in src/cart.ts:3`,
    masked: "<path> - error TS2345: Argument of type <q> is not assignable to parameter of type <q>.",
    trigger: "error:typescript:TS2345"
  },
  {
    tool: "eslint",
    family: "eslint",
    output: `Exit code 1

/home/ann/shop/src/errorPage.ts
  1:10  warning  'invalid' is defined but never used  @typescript-eslint/no-unused-vars
  3:7   error    'total' is assigned a value but never used  @typescript-eslint/no-unused-vars
  9:1   error    Unexpected console statement  no-console

✖ 3 problems (2 errors, 1 warning)`,
    masked: "<n> error <q> is assigned a value but never used <path>",
    trigger: "error:eslint:@typescript-eslint/no-unused-vars"
  },
  {
    tool: "a test of gradle",
    family: "gradlew test",
    output: `Exit code 1
> Task :compileJava
> Task :test FAILED

CartTest > total() FAILED
    org.opentest4j.AssertionFailedError at CartTest.java:12

3 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///home/ann/shop/build/reports/tests/test/index.html

* Try:
> Run with --stacktrace option to get the stack trace.

BUILD FAILED in 3s`,
    masked: "org.opentest4j.AssertionFailedError at <path>",
    trigger: "error:AssertionFailedError"
  },
  {
    tool: "gradle that does not compile",
    family: "gradlew build",
    output: `Exit code 1
> Task :compileJava FAILED
/home/ann/shop/src/main/java/Cart.java:7: error: cannot find symbol
    int x = totel(1);
            ^
  symbol:   method totel(int)
  location: class Cart
1 error

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler error output for details.

BUILD FAILED in 1s`,
    masked: "<path>: error: cannot find symbol",
    trigger: null
  },
  {
    tool: "maven",
    family: "mvn test",
    output: `Exit code 1
[INFO] Scanning for projects...
[INFO] Building error-pages 1.0
[INFO] Running CartTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in CartTest
[ERROR] CartTest.total:12 expected: <4> but was: <3>
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project shop: There are test failures.`,
    masked: "CartTest.total:<n> expected: <<n>> but was: <<n>>",
    trigger: null
  },
  {
    tool: "make and a C compiler",
    family: "make",
    output: `Exit code 2
cc -Wall -Werror -c -o error.o error.c
cc -Wall -Werror -c -o cart.o cart.c
cart.c: In function 'total':
cart.c:4:12: error: 'sun' undeclared (first use in this function); did you mean 'sum'?
    4 |     return sun;
      |            ^~~
make: *** [Makefile:5: cart.o] Error 1`,
    masked: "<path>: error: <q> undeclared (first use in this function); did you mean <q>?",
    trigger: null
  },
  {
    tool: "make without a rule",
    family: "make deploy",
    output: `Exit code 2
make: *** No rule to make target 'deploy'.  Stop.`,
    masked: "make: *** No rule to make target <q>. Stop.",
    trigger: null
  },
  {
    tool: "make in folders",
    family: "make test",
    output: `Exit code 2
make[1]: Entering directory '/home/ann/shop/sub'
sh: 1: protoc: not found
make[1]: *** [Makefile:3: gen] Error 127
make[1]: Leaving directory '/home/ann/shop/sub'
make: *** [Makefile:9: all] Error 2`,
    masked: "sh: <n>: protoc: not found",
    trigger: null
  },
  {
    tool: "npm install",
    family: "npm install",
    output: `Exit code 1
npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR! 
npm ERR! Found: react@18.2.0`,
    masked: "npm ERR! code ERESOLVE",
    trigger: "error:npm:ERESOLVE"
  },
  {
    tool: "eslint in npm",
    family: "npm run lint",
    output: `Exit code 1
> shop@1.0.0 lint
> eslint . --max-warnings 0 --report-unused-disable-directives error

/home/ann/shop/src/cart.ts
  3:7  error  'total' is assigned a value but never used  no-unused-vars

✖ 1 problem (1 error, 0 warnings)

npm ERR! Lifecycle script \`lint\` failed with error:`,
    masked: "<n> error <q> is assigned a value but never used no-unused-vars",
    trigger: "error:eslint:no-unused-vars"
  },
  {
    tool: "mypy",
    family: "mypy",
    output: `Exit code 1
src/cart.py:4: error: Incompatible return value type (got "str", expected "int")  [return-value]
src/cart.py:2: note: "x" defined here
Found 1 error in 1 file (checked 3 source files)`,
    masked: "<path>: error: Incompatible return value type (got <q>, expected <q>) [return-value]",
    trigger: null
  },
  {
    tool: "ruff",
    family: "ruff check",
    output: `Exit code 1
src/cart.py:1:8: F401 [*] \`os\` imported but unused
Found 1 error.
[*] 1 fixable with the \`--fix\` option.`,
    masked: "<path>: F401 [*] <q> imported but unused",
    trigger: "error:ruff:F401"
  },
  {
    tool: "rspec",
    family: "rspec",
    output: `Exit code 1
.F

Failures:

  1) Cart handles errors
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4
            got: 3
     # ./spec/cart_spec.rb:5:in \`block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
2 examples, 1 failure

Failed examples:

rspec ./spec/cart_spec.rb:4 # Cart handles errors`,
    masked: "<path>: expect(cart.total).to eq(<n>)",
    trigger: null
  },
  {
    tool: "node",
    family: "node a.js",
    output: `Exit code 1
/home/ann/shop/a.js:3
  throw new InvalidStateError("missing")
  ^

Error: Cannot find module './priceTable'
Require stack:
- /home/ann/shop/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)`,
    masked: "Error: Cannot find module <q>",
    trigger: null
  },
  {
    tool: "mocha",
    family: "mocha",
    output: `Exit code 1

  cart
    ✔ fails on an invalid price
    1) total

  1 passing (5ms)
  1 failing

  1) cart
       total:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

3 !== 4

      at Context.<anonymous> (test/cart.test.js:5:12)`,
    masked: "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
    trigger: "error:javascript:AssertionError"
  },
  {
    tool: "unittest",
    family: "python -m unittest",
    output: `Exit code 1
.F
======================================================================
FAIL: test_missing_price (tests.test_cart.CartTest.test_missing_price)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/ann/shop/tests/test_cart.py", line 7, in test_missing_price
    self.assertEqual(total([1, 2]), 4)
AssertionError: 3 != 4

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)`,
    masked: "AssertionError: <n> != <n>",
    trigger: "error:python:AssertionError"
  }
]
