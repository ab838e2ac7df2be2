/** Outputs as the tools print them. The exit code is hidden by a pipe, or not told by the host. */
import { describe, expect, test } from "bun:test"
import { outputVerdict } from "../../../src/domain/dream/outputVerdict.ts"

type Cases = ReadonlyArray<readonly [command: string, output: string]>

const all = (verdict: "failed" | "passed" | "unknown", cases: Cases) => {
  for (const [command, output] of cases) {
    const shown = `${command}: ${output.trim().split("\n").at(-1)}`
    test(shown, () => expect(outputVerdict(command, output, false)).toBe(verdict))
  }
}

const jest = (summary: string) =>
  `> shop@1.0.0 test\n> jest\n\nPASS src/cart.test.js\n  ● Console\n\n    console.error\n      Error: boom failed\n\n${summary}`
const warnings = "\n/x/src/a.ts\n  3:5  warning  Unexpected console statement  no-console\n\n"
const rust = "   Compiling shop v0.1.0 (/x)\n"

describe("a summary of passes decides over errors that are printed before it", () => {
  all("passed", [
    ["npm test", jest("Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\nTime:  0.5 s")],
    ["npm test", '✓ shows "1 failed" badge (3 ms)\nTests: 4 passed, 4 total'],
    ["npx vitest run", "stderr | a.test.ts\nerror: no price\n\n Test Files  4 passed (4)\n      Tests  32 passed (32)"],
    ["deno test", "ok | 3 passed | 0 failed (12ms)"],
    ["npm test", "✔ a (1ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\nℹ cancelled 0"],
    ["npx eslint .", `${warnings}✖ 1 problem (0 errors, 1 warning)\n`],
    ["bundle exec rspec", "rails: command not found\n5 examples, 0 failures"],
    ["mvn test", "[ERROR] a log line\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS"],
    ["dotnet test", "Passed!  - Failed:     0, Passed:     4, Skipped:     0, Total:     4"],
    ["ctest", "100% tests passed, 0 tests failed out of 4"],
    ["python -m unittest", "error: logged\n....\nRan 4 tests in 0.001s\n\nOK"],
    ["go test ./...", "?   \tx/a\t[no test files]\nok  \tx/b\t0.003s"],
    [
      "cargo test",
      "running 0 tests\ntest result: ok. 0 passed; 0 failed\nrunning 2 tests\ntest result: ok. 2 passed; 0 failed"
    ],
    [
      "cargo clippy",
      "warning: `shop` (lib) generated 1 warning\n    Finished `dev` profile [unoptimized] target(s) in 0.5s"
    ],
    ["cargo build", `${rust}    Finished dev [unoptimized + debuginfo] target(s) in 0.52s`],
    ["npm run build", "vite v5.0.0 building for production...\n✓ built in 1.32s"],
    ["npx webpack", "webpack 5.88.0 compiled successfully in 500 ms"]
  ])
})

describe("a summary of failures, and an error that nothing passed after, decide over passes", () => {
  all("failed", [
    ["npm test", jest("Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 3 passed, 4 total")],
    ["pytest tests/a.py; pytest tests/b.py", "1 failed, 2 passed in 1s\n3 passed in 0.2s"],
    ["pytest", "=========== 3 passed, 1 error in 0.10s ==========="],
    ["npm test", 'Tests: 4 passed, 4 total\nJest: "global" coverage threshold for lines (80%) not met: 70%'],
    ["npm run lint; npm test", "✖ 3 problems (3 errors, 0 warnings)\nTests: 4 passed, 4 total"],
    ["npm test; npx tsc", "Tests: 4 passed, 4 total\nsrc/a.ts(3,4): error TS2345: no"],
    ["deno test", "FAILED | 3 passed | 1 failed (12ms)\n\nerror: Test failed"],
    ["npm test", "✖ b (1ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ cancelled 0"],
    ["bun test", " 3 pass\n 1 fail\nRan 4 tests across 1 files."],
    ["npx mocha", "  3 passing (12ms)\n  1 failing\n\n  1) x"],
    ["mvn test", "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE"],
    ["sbt test", "[error] Failed: Total 4, Failed 1, Errors 0, Passed 3"],
    ["ctest", "75% tests passed, 1 tests failed out of 4"],
    ["cargo test", "test result: ok. 3 passed; 0 failed\n   Doc-tests shop\ntest result: FAILED. 0 passed; 1 failed"],
    ["cargo build", `${rust}error[E0425]: cannot find value\nerror: could not compile due to 1 previous error`],
    ["go build ./...", "# x/a\n./a.go:3:2: undefined: foo"],
    ["make", "gcc -c a.c\na.c:3:1: error: expected ;\nmake: *** [Makefile:2: a.o] Error 1"],
    ["npm run build", "error during build:\nRollupError: no"],
    ["pytest", "bash: pytest: command not found"],
    ["npm test", 'npm error Missing script: "test"\nnpm error'],
    ["cd nowhere && npx tsc", "bash: cd: nowhere: No such file or directory"]
  ])
})

describe("a tool that names its errors, and names none, passed", () => {
  all("passed", [
    ["npx tsc --noEmit", ""],
    ["cd web && npx tsc --noEmit 2>&1 | head -20", ""],
    ["npx tsc --noEmit && echo 'Types OK'", "Types OK\n"],
    ["npx tsc --noEmit || true", ""],
    ["npx eslint .", ""],
    ["npm run lint", "\n> shop@1.0.0 lint\n> eslint .\n\n"],
    ["go build ./...", "go: downloading golang.org/x/text v0.3.0\n"],
    ["cargo check -q", ""],
    ["make", "gcc -c a.c\na.c:3:1: warning: unused\ngcc -o a a.o"]
  ])

  describe("but not if its output is hidden, or something before it may fail without a word", () => {
    all("unknown", [
      ["npx tsc --noEmit > types.log", ""],
      ["npx tsc --noEmit 2>&1 | grep src/a.ts", ""],
      ["npx tsc --noEmit &", ""],
      ["test -f a.ts && npx tsc", ""],
      ["npx tsc || echo broken", "broken"],
      ["npm test", ""],
      ["npm test", "\n> shop@1.0.0 test\n> jest\n\n"],
      ["npm run build", "something else"],
      ["npx tsc", "The types are described here."]
    ])
  })
})

describe("a run of no tests is no success, whatever its exit code", () => {
  const runs: Cases = [
    ["cargo test nothing", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 12 filtered out"],
    ["go test ./...", "?   \tx/a\t[no test files]"],
    ["go test -run Nope ./...", "testing: warning: no tests to run\nPASS\nok  \tx/a\t0.002s [no tests to run]"],
    ["npx jest nothing --passWithNoTests", "No tests found, exiting with code 0"],
    ["npx vitest run nothing --passWithNoTests", "No test files found, exiting with code 0"],
    ["python -m unittest", "Ran 0 tests in 0.000s\n\nOK"],
    ["npm test", "Tests:       3 skipped, 3 total"],
    ["pytest -q", "no tests ran in 0.01s"],
    ["npx mocha", "  0 passing (2ms)"],
    ["npm test", "ℹ tests 0\nℹ pass 0\nℹ fail 0"],
    ["bundle exec rspec", "No examples found.\n\n0 examples, 0 failures"],
    ["mix test", "There are no tests to run"],
    ["vendor/bin/phpunit", "No tests executed!"]
  ]
  all("unknown", runs)
  for (const [command, output] of runs) {
    test(`${command}, with exit code 0`, () => expect(outputVerdict(command, output)).toBe("unknown"))
  }

  test("a run of some tests is", () => {
    const some = "?   \tx/a\t[no test files]\nok  \tx/b\t0.003s"
    expect([outputVerdict("go test ./...", some), outputVerdict("ls", "no tests found")]).toEqual([
      undefined,
      undefined
    ])
  })
})
