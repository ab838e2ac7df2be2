/** The text of `handoff.md`: what a person needs to know who takes over fixes with failing tests. */
import { visiblePath } from "../text/Printable.ts"
import type { Comparison } from "./Heal.ts"
import { commandText, type TestCommand } from "./TestCommand.ts"
import type { TestResult } from "./TestResult.ts"

export interface Handoff {
  /** For each finding that was fixed, a line. */
  readonly fixed: ReadonlyArray<string>
  /** For each finding that was not fixed, a line with the reason. */
  readonly open: ReadonlyArray<string>
  /** Where the patch with the fixes is, relative to the root of the repository. */
  readonly patch: string
  readonly files: ReadonlyArray<string>
  readonly command: TestCommand | null
  readonly baseline: TestResult | null
  readonly after: TestResult | null
  readonly comparison: Comparison
}

/** Of the output, at the end. */
const linesShown = 100
const testsShown = 50

export const handoffText = (handoff: Handoff): string => {
  const { after, baseline, command, files, fixed, open, patch } = handoff
  const known = new Set(baseline?.failing)
  const failing = after?.failing ?? []
  const fresh = failing.filter((name) => !known.has(name))
  const old = failing.filter((name) => known.has(name))
  return [
    "# Fixes with failing tests",
    summaryOf(handoff),
    section("Fixed", fixed),
    section("Not fixed", open),
    section("Changed files", files.map(visiblePath)),
    section(baseline === null ? "Failing tests" : "Tests that fail since the fixes", fresh),
    section("Tests that failed before the fixes", old),
    ...(command === null ? [] : [`## Command\n\n${fenced(commandText(command))}\n\nFrom ${command.from}.`]),
    ...(after === null || after.output.trim() === "" ? [] : [`## End of the output\n\n${fenced(endOf(after.output))}`]),
    `## What to do\n\n${nextSteps(handoff, patch).join("\n")}`
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n")
}

const summaryOf = ({ after, baseline, comparison }: Handoff): string => {
  if (after === null) return "The tests did not run."
  const before =
    baseline === null ? "They did not run before the fixes." : `Before the fixes: ${baseline.reason || "they passed"}.`
  const worse = comparison === "worse" ? " The fixes make the tests worse." : ""
  return `After the fixes: ${after.reason || "the tests passed"}. ${before}${worse}`
}

const section = (title: string, lines: ReadonlyArray<string>): string => {
  if (lines.length === 0) return ""
  const more = lines.length > testsShown ? [`- and ${lines.length - testsShown} more`] : []
  return [`## ${title}`, "", ...lines.slice(0, testsShown).map((line) => `- ${line}`), ...more].join("\n")
}

const endOf = (output: string): string => output.trimEnd().split("\n").slice(-linesShown).join("\n")

/** The fence is longer than any in the text. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

const nextSteps = ({ after, comparison }: Handoff, patch: string): ReadonlyArray<string> => {
  const cause =
    after?.outcome === "environment"
      ? `Make the tests run: ${after.reason}.`
      : comparison === "worse"
        ? "Find the fix that breaks the tests: apply the patch, run the command, and undo one file after the other."
        : "Run the command without the patch, to see whether its failures have another cause."
  return [`1. ${cause}`, `2. Apply the fixes with \`git apply ${patch}\`, or discard them.`]
}
