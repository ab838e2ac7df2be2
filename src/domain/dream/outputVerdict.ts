/**
 * What the output of a build, test or check says of its result, where the exit code does not: `npm test | tail -5` always
 * succeeds, `! npm test` succeeds when the tests fail, and Codex reports no exit code. Knows the summaries of common tools;
 * anything else is `unknown`.
 */
import { readCommand } from "./commandFamily.ts"
import type { CommandPurpose } from "./SessionView.ts"

// In functions, like all patterns of files that `dd hook event` loads: it needs none of them for most events.
const hasFailed = (output: string): boolean =>
  /^\s*(?:FAIL(?:ED)?\b|✗|✖ \d+ problems?|error(?:\[E\d+\])?:|npm ERR!|Traceback \(most recent|panicked at|--- FAIL:|Build failed|BUILD FAILED|.*\berror TS\d+:)|\b[1-9]\d* (?:fail(?:ed|ures?|ing)?|errors?)\b|\bFAILED \(/im.test(
    output
  )
const hasPassed = (output: string): boolean =>
  /\b[1-9]\d* (?:pass(?:ed|ing)?|tests? passed|examples?, 0 failures)\b|\btest result: ok\b|^ok\s+\S+|^PASS\b|^Ran \d+ tests? in [\s\S]*^OK\b|^OK \(\d|\bAll checks passed\b|\bBUILD SUCCESS(?:FUL)?\b|\b0 errors?\b|\bFound 0 errors|\bno issues found\b|^\[[^\]\n]+ [0-9a-f]{7,}\] /im.test(
    output
  )

/** The version of a program and nothing else: `-v` asks one program for it, and tells another one to write more. */
const isVersion = (output: string): boolean =>
  output.length < 200 &&
  /^\s*(?:[\w@-]+[ /]){0,3}v?\d+\.\d+\.\d+[\w.+-]*(?: (?:\(|built |on |linux|darwin|win32)[^\n]*)?\s*$/i.test(output)

/**
 * Undefined if the exit code of the command can be trusted, or the command has no purpose. `isExitKnown`: false for a host that does not
 * report failures.
 */
export const outputVerdict = (
  command: string,
  output: string,
  isExitKnown = true
): "passed" | "failed" | "unknown" | undefined => {
  // Nothing else hides an exit code, and most commands have none of these.
  const mayHide = /[|&;\n!]/.test(command)
  if (isExitKnown && !mayHide && !isVersion(output)) return undefined
  const read = readCommand(command)
  if (read === null || !milestones.includes(read.purpose)) return undefined
  if (isVersion(output)) return "unknown"
  if (isExitKnown && !read.hidesExit) return undefined
  return hasFailed(output) ? "failed" : hasPassed(output) ? "passed" : "unknown"
}

const milestones: ReadonlyArray<CommandPurpose> = ["build", "test", "check", "commit", "deploy"]
