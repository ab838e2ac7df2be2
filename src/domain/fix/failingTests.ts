/** The names of failing tests in the output of a runner. */
import { compareText } from "../text/compareText.ts"

/** The most names that are kept. */
const mostNames = 200
const longestName = 300
const longestLine = 2_000

interface Runner {
  /** In the output of this runner, and of few others. */
  readonly sign: RegExp
  /** In one line; its first group is the name. */
  readonly failing: RegExp
  /** Names are only in the lines after this one, if there is such a line. */
  readonly start?: RegExp
  /** A line with the file or package of the names after it, which is a part of them. */
  readonly container?: RegExp
  /** The container comes after its names. */
  readonly isAfter?: true
  /** Lines after a name that continue it. */
  readonly continued?: RegExp
}

const runners: ReadonlyArray<Runner> = [
  {
    // pytest
    sign: /^=* ?short test summary info ?=*$/m,
    start: /^=* ?short test summary info ?=*$/,
    failing: /^(?:FAILED|ERROR) (\S.*?(?:\[.*\])?)(?: - .*)?$/
  },
  // unittest and Django
  { sign: /^Ran \d+ tests? in [\d.]+s$/m, failing: /^(?:FAIL|ERROR): (\S+ \([^)]*\)(?: .*)?)$/ },
  {
    // go test; a package that does not compile has no other name
    sign: /^(?:--- FAIL: |FAIL\t|FAIL$)/m,
    failing: /^(?:\s*--- FAIL: (\S+) \(|FAIL\t\S+ (\[(?:build|setup) failed\])$)/,
    container: /^(?:FAIL|ok {2})\t(\S+)/,
    isAfter: true
  },
  {
    // cargo test
    sign: /^test result: (?:ok|FAILED)\./m,
    failing: /^test (\S.*?) \.\.\. FAILED$/,
    container: /^ +(?:Running .*?([\w-]+)-[\da-f]{16}(?:\.exe)?\)|Doc-tests (\S+))$/
  },
  // vitest
  { sign: /^ *Test Files {2}\S/m, failing: /^ *FAIL {2}(\S.* > .*?)\s*$|^ *FAIL {2}(\S+)(?: \[.*\])?\s*$/ },
  {
    // jest
    sign: /^Test Suites: /m,
    failing: /^ {2}● (?!Console$)(\S.*)$/,
    container: /^(?:FAIL|PASS) (\S+)/
  },
  {
    // bun test
    sign: /^Ran \d+ tests? across \d+ files?\./m,
    failing: /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/,
    container: /^(\S+\.[cm]?[jt]sx?):$/
  },
  {
    // node --test with its reporter for people
    sign: /^✖ failing tests:$/m,
    start: /^✖ failing tests:$/,
    failing: /^✖ (.+?) \([\d.]+ms\)$/,
    container: /^test at (\S+?):\d+:\d+$/
  },
  // node --test and others that print TAP
  { sign: /^TAP version \d+$/m, failing: /^\s*not ok \d+ -? ?(.+?)(?: # (?:time|duration).*)?$/ },
  {
    // mocha
    sign: /^ {2}\d+ failing$/m,
    start: /^ {2}\d+ failing$/,
    failing: /^ {2}\d+\) (.+?):?$/,
    continued: /^ {7,}(\S.*?):?$/
  },
  // mix test
  { sign: /^(?:\d+ doctests?, )?\d+ tests?, \d+ failures?/m, failing: /^ +\d+\) ((?:test|doctest) .*\(.*\))$/ },
  // rspec
  { sign: /^\d+ examples?, \d+ failures?/m, failing: /^rspec (\S+(?: # .*)?)$/ },
  // minitest and Rails
  {
    sign: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures/m,
    failing: /^(?:(?:Failure|Error): *)?(\w[\w:]*#test_\S+?)(?: \[.*\])?:?$/
  },
  // PHPUnit
  { sign: /^(?:FAILURES!|ERRORS!|Tests: \d+, Assertions: \d+)/m, failing: /^\d+\) (\S+::\S.*)$/ },
  // Maven
  {
    sign: /^\[(?:INFO|ERROR|WARNING)\] +Tests run: \d+/m,
    failing: /^\[ERROR\] +([\w.$]+[.#]\w+)(?::\d+.*| +(?:--|Time elapsed).*<<<.*)$/
  },
  // Gradle
  { sign: /^> Task :\S*[tT]est/m, failing: /^(\S+ > .*?) FAILED$/ },
  // dotnet test
  { sign: /^(?:Failed|Passed)! +- Failed:/m, failing: /^ +Failed (\S+(?: ?\(.*\))?) \[/ },
  // swift test
  { sign: /^Test Suite '/m, failing: /^Test Case '(?:-\[)?(.*?)\]?' failed/ }
]

/**
 * Sorted, without duplicates. Null if the output is of no known runner, or if it names no failing test: a suite that
 * does not compile fails without one.
 */
export const failingTests = (output: string): ReadonlyArray<string> | null => {
  const lines = output.split("\n").filter((line) => line.length <= longestLine)
  // A project may run several runners.
  const names = runners.filter(({ sign }) => sign.test(output)).flatMap((runner) => namesOf(runner, lines))
  const found = [...new Set(names)].filter((name) => name.length <= longestName).toSorted(compareText)
  return found.length === 0 ? null : found.slice(0, mostNames)
}

const namesOf = (
  { container, continued, failing, isAfter, start }: Runner,
  lines: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const names: Array<string> = []
  const started = start === undefined ? 0 : lines.findLastIndex((line) => start.test(line)) + 1
  let around = ""
  /** Names before this one have their container. */
  let complete = 0
  let isOpen = false
  const closed = (name: string): string => (around === "" ? name : `${around}: ${name}`)
  for (const line of lines.slice(started)) {
    const more: string | undefined = isOpen ? continued?.exec(line)?.[1] : undefined
    if (more !== undefined) names[names.length - 1] += ` > ${more}`
    isOpen = more !== undefined
    const name = firstGroup(failing, line)
    if (name !== undefined) {
      names.push(isAfter === true ? name : closed(name))
      isOpen = continued !== undefined
    }
    const found = container === undefined ? undefined : firstGroup(container, line)
    if (found === undefined) continue
    around = found
    if (isAfter === true) for (; complete < names.length; complete++) names[complete] = closed(names[complete]!)
  }
  return names
}

const firstGroup = (form: RegExp, line: string): string | undefined =>
  form
    .exec(line)
    ?.slice(1)
    .find((group) => group !== undefined)
