/** The names of failing tests in the output of a runner. */

/** The most names that are kept. */
const mostNames = 200
const longestName = 300
const longestLine = 2_000

interface Runner {
  /** In the output of this runner, and of few others. */
  readonly sign: RegExp
  /** In one line; its first group is the name. */
  readonly failing: RegExp
}

/** In order: a more specific sign comes first. */
const runners: ReadonlyArray<Runner> = [
  // pytest: the short summary.
  {
    sign: /^=+ (?:test session starts|short test summary info|FAILURES|ERRORS) =+$|^\d+ (?:failed|passed|error)\b.* in \d+\.\d+s/m,
    failing: /^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$/
  },
  // unittest, and Django.
  { sign: /^Ran \d+ tests? in [\d.]+s$/m, failing: /^(?:FAIL|ERROR): (\S+ \([^)]*\))/ },
  // go test. A package that does not compile has no other name.
  {
    sign: /^(?:--- FAIL: |ok {2}\t|FAIL\t|FAIL$)/m,
    failing: /^(?:\s*--- FAIL: (\S+) \(|FAIL\t(\S+) \[(?:build|setup) failed\]$)/
  },
  // cargo test.
  { sign: /^test result: (?:ok|FAILED)\./m, failing: /^test (\S.*?) \.\.\. FAILED$/ },
  // vitest, before jest: both have `FAIL  file`.
  { sign: /^ ?Test Files {2}\S/m, failing: /^\s*FAIL {2}(\S.* > .*\S)\s*$|^\s*FAIL {2}(\S+)(?: \[.*\])?\s*$/ },
  // jest.
  { sign: /^Test Suites: /m, failing: /^ {2}● (?!Console$)(\S.*\S)$/ },
  // bun test.
  { sign: /^Ran \d+ tests? across \d+ files?\./m, failing: /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/ },
  // node --test with its reporter for terminals.
  { sign: /^ℹ tests \d+$/m, failing: /^\s*✖ (.+?) \([\d.]+ms\)$/ },
  // node --test and others that print TAP.
  { sign: /^TAP version \d+$/m, failing: /^\s*not ok \d+ -? ?(.+?)(?: # .*)?$/ },
  // mocha: the numbered list at the end.
  { sign: /^ {2}\d+ passing \(/m, failing: /^ {2}\d+\) (\S.*)$/ },
  // mix test.
  { sign: /^\d+ (?:doctests?, \d+ )?tests?, \d+ failures?/m, failing: /^\s+\d+\) (test .*\(.*\))$/ },
  // rspec.
  { sign: /^\d+ examples?, \d+ failures?/m, failing: /^rspec (\S+(?: # .*)?)$/ },
  // minitest.
  {
    sign: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures/m,
    failing: /^\s*(?:\d+\) )?(?:Failure|Error):?\s*$|^(\w[\w:]*#\w+)/
  },
  // PHPUnit.
  { sign: /^(?:FAILURES!|ERRORS!|Tests: \d+, Assertions: \d+)/m, failing: /^\d+\) (\S+::\S.*)$/ },
  // JUnit by Maven.
  {
    sign: /^\[(?:INFO|ERROR|WARNING)\] +Tests run: \d+/m,
    failing: /^\[ERROR\] +([\w.$]+(?:\.|:)\w+):?(?:\d+.*| {2}Time elapsed.*<<< .*)$/
  },
  // Gradle.
  { sign: /^> Task :.*[tT]est/m, failing: /^(\S+ > .+\S) FAILED$/ },
  // dotnet test.
  { sign: /^(?:Failed|Passed)!\s+- Failed:/m, failing: /^\s+Failed (\S+(?: ?\(.*\))?) \[/ },
  // swift test.
  { sign: /^Test Suite '/m, failing: /^Test Case '(?:-\[)?(.*?)\]?' failed/ }
]

/**
 * Sorted, without duplicates. Null if the output is of no known runner, or if it names no failing test: a suite that
 * does not compile fails without one.
 */
export const failingTests = (output: string): ReadonlyArray<string> | null => {
  const names = new Set<string>()
  const lines = output.split("\n").filter((line) => line.length <= longestLine)
  for (const { failing, sign } of runners) {
    // A project may run several runners.
    if (!sign.test(output)) continue
    for (const line of lines) {
      const name = failing
        .exec(line)
        ?.slice(1)
        .find((group) => group !== undefined)
      if (name !== undefined && name.length <= longestName) names.add(name)
      if (names.size === mostNames) return [...names].toSorted()
    }
  }
  return names.size === 0 ? null : [...names].toSorted()
}
