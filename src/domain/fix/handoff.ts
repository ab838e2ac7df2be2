/** The text of `handoff.md`: what a person needs to know who takes over fixes with failing tests. */
import { oneLine, visiblePath } from "../text/Printable.ts"
import type { FixReport } from "./FixReport.ts"
import { isFixed, type Outcome } from "./Outcome.ts"
import { commandText } from "./TestCommand.ts"

interface Handoff {
  readonly report: FixReport
  /** The titles of findings, by their numbers. */
  readonly titles: ReadonlyMap<number, string>
  /** Where the patch with the fixes is, relative to the root of the repository. */
  readonly patch: string
}

/** Of the output, at the end. */
const linesShown = 100
const testsShown = 50

export const handoffText = ({ patch, report, titles }: Handoff): string => {
  const { files, outcomes, tests } = report
  const after = tests?.after ?? null
  const baseline = tests?.baseline ?? null
  const command = tests?.command ?? null
  const known = new Set(baseline?.failing)
  const failing = after?.failing ?? []
  const lineOf = ({ detail, id, path, status }: Outcome): string => {
    const parts = [visiblePath(path), titles.get(id) ?? "", status]
    const line = parts.filter((part) => part !== "").join(": ")
    return oneLine(detail === "" ? line : `${line} (${detail})`)
  }
  return [
    "# Fixes with failing tests",
    summaryOf(tests),
    section("Fixed", outcomes.filter(isFixed).map(lineOf)),
    section("Not fixed", outcomes.filter((outcome) => !isFixed(outcome)).map(lineOf)),
    section("Changed files", files.map(visiblePath)),
    section(
      baseline === null ? "Failing tests" : "Tests that fail since the fixes",
      failing.filter((name) => !known.has(name))
    ),
    section(
      "Tests that failed before the fixes",
      failing.filter((name) => known.has(name))
    ),
    command === null ? "" : `## Command\n\n${fenced(commandText(command))}\n\nFrom ${command.from}.`,
    after === null || after.output.trim() === "" ? "" : `## End of the output\n\n${fenced(endOf(after.output))}`,
    `## What to do\n\n1. ${causeOf(tests)}\n2. Apply the fixes with \`git apply ${patch}\`, or discard them.\n`
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

const summaryOf = (tests: FixReport["tests"]): string => {
  if (tests === null || tests.after === null) return "The tests did not run."
  const { after, baseline, comparison } = tests
  const before =
    baseline === null ? "They did not run before the fixes." : `Before the fixes: ${baseline.reason || "they passed"}.`
  const worse = comparison === "worse" ? " The fixes make the tests worse." : ""
  return `After the fixes: ${after.reason || "the tests passed"}. ${before}${worse}`
}

const causeOf = (tests: FixReport["tests"]): string => {
  if (tests?.after?.outcome === "environment") return `Make the tests run: ${tests.after.reason}.`
  return tests?.comparison === "worse"
    ? "Find the fix that breaks the tests: apply the patch, run the command, and undo one file after the other."
    : "Run the command without the patch, to see whether its failures have another cause."
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
