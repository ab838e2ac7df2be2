/**
 * What the output of a build, test or check says of its result, where the exit code does not: `npm test | tail -5` always
 * succeeds, `! npm test` succeeds when the tests fail, and Codex reports no exit code.
 *
 * A summary of failures decides, then a summary of passes, then errors that nothing passed after: a test that passes may print
 * an error. A tool that always names its errors, and named none, passed, if nothing hid its output. Anything else is `unknown`, and
 * so is a run of no tests, whatever its exit code.
 */
import { isMilestone, type ReadCommand, readCommand } from "./commandFamily.ts"

type Verdict = "passed" | "failed" | "unknown"

// In functions, like all patterns of files that `dd hook event` loads: it needs none of them for most events.

/** A count of failures at the beginning of a line or phrase, or the line with which a tool ends a run that failed. */
const failedSummary = (): RegExp =>
  /(?:^[^\w"'`✓✔√\n]*|[,|/;(.] *|\b(?:with|due to|Found|Tests?|Suites?|Files?|Summary|Errors):? +)[1-9]\d* (?:(?:tests?|examples?|specs?|previous|of \d+) )?(?:fail(?:s|ed|ures?|ing)?|errors?)\b|(?:^[^\w"'`\n]*|[,(] *|- )(?:fail(?:ed|ures?)?|errors?)(?:[:=] *| +)[1-9]\d*\b|^\s*(?:FAIL(?:ED)?\b|FAILURES!|--- FAIL:|(?:\[\w+\] )?BUILD FAIL|Build failed|Failed to compile|make(?:\[\d+\])?: \*\*\* |npm (?:ERR!|error) |ELIFECYCLE\b|error:? .*(?:failed|exited) with (?:exit )?code )|\btest result: FAILED|\bSome tests failed|\bcoverage threshold .* not met|^nox > .* failed|^\s*\S+: FAIL\b/im

/** A count of tests that passed. */
const passedTests = (): RegExp =>
  /\b[1-9]\d* (?:tests? )?(?:pass(?:ed|ing|es)?|successes)\b|\bpass(?:ed:)? +[1-9]\d*\b|\b[1-9]\d* (?:examples?|tests?|runs), (?:\d+ \w+, )*(?:with )?0 failures\b|\bTests run: [1-9]|\b100% tests passed|^Ran [1-9]\d* tests? in |^OK \([1-9]|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*no tests)|^\s*ok [1-9]|^PASS\b(?! *$)|\+[1-9]\d*: All tests passed/im

/** The line with which a tool ends a run that passed. */
const passedSummary = (): RegExp =>
  /\btest result: ok\b|\bAll (?:checks|tests) passed\b|\bBUILD SUCCESS(?:FUL)?\b|\b(?:0 errors?\b|Found 0 errors|no issues found|no offenses detected)|\[OK\] No errors|\b0 issues\.|\bBuild (?:succeeded|complete)|\bbuilt in [\d.]+ ?m?s|\bcompiled (?:successfully|with \d+ warnings?)|\bNo fixes applied|^\[[^\]\n]+ [0-9a-f]{7,}\] |\b([1-9]\d*) successful, \1 total/i

/** cargo names it before it runs the tests. */
const finishedBuild = (): RegExp => /^\s*Finished .*(?:profile|target\(s\))/

const errorLine = (): RegExp =>
  /^\s*(?:✗|error(?:\[E\d+\])?:|error during |fatal: |Traceback \(most recent|panicked at|\d+:\d+ +error |Type error:|\[!\] )|\berror TS\d+:|\bcommand not found$|: not found$|No such file or directory|^# \S+\/\S+$|^\S+\.go:\d+:\d+: /i

const noTests = (): RegExp =>
  /\b(?:no (?:test (?:files|cases|suites?)|tests?|specs?) (?:were )?(?:found|ran|run|to run|executed|files)|no test(?:s| files?| is available)?\b(?=.*(?:found|\]|ran|executed|available))|(?:ran|running|executed|found|collected) 0 (?:tests?|items)|0 (?:passing|pass|passed|tests?|examples|specs|total)\b|(?:tests?|pass) 0\b|tests: +(?:\d+ (?:skipped|todo), )+\d+ total)/i

/** Tools that print each error, and nothing without one. */
const namesItsErrors = (family: string): boolean =>
  /^(?:(?:vue-)?tsc|eslint|oxlint|flake8|ruff check|shellcheck|golangci-lint run|go (?:build|vet)|cargo (?:build|check|clippy))$/.test(
    family
  )

/** What a runner of scripts prints before the output: `> eslint .`, `$ eslint .`. */
const echoed = (): RegExp => /^(?:> \S+@\S+ .*\n)?[>$] (.+)$/m

/** The version of a program and nothing else: `-v` asks one program for it, and tells another one to write more. */
const isVersion = (output: string): boolean =>
  output.length < 200 &&
  /^\s*(?:[\w@-]+[ /]){0,3}v?\d+\.\d+\.\d+[\w.+-]*(?: (?:\(|built |on |linux|darwin|win32)[^\n]*)?\s*$/i.test(output)

/**
 * Undefined if the exit code of the command can be trusted, or the command has no purpose. `isExitKnown`: false for a host that does not
 * report failures.
 */
export const outputVerdict = (command: string, output: string, isExitKnown = true): Verdict | undefined => {
  // Nothing else hides an exit code, and most commands have none of these.
  const mayHide = /[|&;\n!]/.test(command)
  const isEmptyRun = isVersion(output) || (noTests().test(output) && !passedTests().test(output))
  if (isExitKnown && !mayHide && !isEmptyRun) return undefined
  const read = readCommand(command)
  if (read === null || !isMilestone(read.purpose)) return undefined
  const isHidden = !isExitKnown || read.hidesExit
  if (isHidden && failedSummary().test(output)) return "failed"
  if (isVersion(output) || (isEmptyRun && read.purpose === "test")) return "unknown"
  if (!isHidden) return undefined
  const lines = output.split(/\r?\n/)
  const hasPassed = (line: string): boolean =>
    passedTests().test(line) || passedSummary().test(line) || (read.purpose !== "test" && finishedBuild().test(line))
  const passed = lines.findLastIndex(hasPassed)
  if (lines.slice(passed + 1).some((line) => errorLine().test(line))) return "failed"
  return passed >= 0 || isClean(read, command, output) ? "passed" : "unknown"
}

/** Did a tool that names its errors name none, and print nothing else but progress and what the command lets `echo` print? */
const isClean = (read: ReadCommand, command: string, output: string): boolean => {
  if (!read.isWhole) return false
  const [heading, script] = echoed().exec(output) ?? []
  const run = script === undefined ? null : readCommand(script)
  if (heading !== undefined && run !== null) return isClean(run, "", output.replace(heading, ""))
  if (/^make(?: \w+)?$/.test(read.family)) return true
  const isEcho = (line: string): boolean => !command.includes("||") && command.includes(line)
  return (
    namesItsErrors(read.family) &&
    output.split("\n").every((line) => line.trim() === "" || line.startsWith("go: downloading ") || isEcho(line.trim()))
  )
}
