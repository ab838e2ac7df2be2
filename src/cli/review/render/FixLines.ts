/** What the fix half did, as lines for people: what is fixed, what the tests say, and where the fixes are. */
import { type FixReport, fixedIds, type TestReport } from "../../../domain/fix/FixReport.ts"
import { isFixed, type Outcome } from "../../../domain/fix/Outcome.ts"
import { commandText } from "../../../domain/fix/TestCommand.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { plural } from "../../../domain/text/plural.ts"
import { listed } from "../../text/Tally.ts"
import { placeOf } from "./Explanation.ts"
import type { RenderContext } from "./RenderContext.ts"

export const statusWords: Record<Outcome["status"], string> = {
  resolved: "fixed",
  changed: "changed; nothing proves the result",
  unresolved: "not fixed",
  "wrong-target": "not fixed",
  regressed: "not fixed: the fix was taken back",
  blocked: "not fixed: the verdict is against it",
  "off-limits": "not fixed",
  "no-fix": "not fixed",
  failed: "not fixed: the agent failed"
}

/** Null if the fix half did not run. */
export const fixLines = (
  { findings, fix }: ReviewResult,
  context: Pick<RenderContext, "here">
): { readonly title: string; readonly lines: ReadonlyArray<string> } | null => {
  // A clean review has nothing to fix, and says so.
  if (fix === null || (findings.length === 0 && fix.outcomes.length === 0)) return null
  const byId = new Map(findings.map((finding) => [finding.id, finding]))
  const outcomes = fix.outcomes.map(({ detail, id, path, status }) => {
    const finding = byId.get(id)
    const place = finding === undefined ? path : `${placeOf(finding, context)} ${finding.rule}`
    return `${place}: ${statusWords[status]}${detail === "" ? "" : ` (${detail})`}`
  })
  return {
    title: fixTitle(fix.outcomes),
    lines: [...outcomes, ...qualityLines(fix), ...testLines(fix.tests), ...placeLines(fix)]
  }
}

export const fixTitle = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.length === 0
    ? "Fixes (none)"
    : `Fixes (${outcomes.filter(isFixed).length} of ${plural(outcomes.length, "finding")})`

const qualityLines = ({ outside, quality }: FixReport): ReadonlyArray<string> => [
  ...quality.map(({ after, before, fixed, measure, path }) => {
    const findings = plural(fixed, "finding")
    return measure === "complexity"
      ? `Warning: ${path}: its complexity rises from ${before} to ${after} for ${findings} fixed`
      : `Warning: ${path}: ${plural(after, "line")} added and ${before} removed for ${findings} fixed`
  }),
  ...(outside.length === 0 ? [] : [`Not taken: what agents changed in ${named(outside)}`])
]

const testLines = (tests: TestReport | null): ReadonlyArray<string> => {
  if (tests === null) return []
  const { after, baseline, command, comparison, heals, reason } = tests
  if (command === null || after === null) {
    const isRed = baseline !== null && baseline.outcome !== "passed" && baseline.outcome !== "environment"
    return [
      `Tests: not run after the fixes${reason === "" ? (isRed ? `: ${baseline.outcome} before them` : "") : `: ${reason}`}`
    ]
  }
  const before = baseline === null ? "" : `, ${baseline.outcome} before them`
  const again = heals === 0 ? "" : `, after ${plural(heals, "repeated fix", "repeated fixes")}`
  const names =
    after.failing === null || after.failing.length === 0
      ? ""
      : `; failing: ${listed(after.failing.slice(0, mostNamed))}`
  const judged = comparison === "not-worse" ? " (not worse)" : comparison === "worse" ? " (worse)" : ""
  return [
    `Tests: ${commandText(command)} (${command.from}): ${after.outcome} after the fixes${before}${judged}${again}${names}`,
    `Sandbox of the tests: ${after.sandbox}`
  ]
}

const mostNamed = 5
const named = (files: ReadonlyArray<string>): string =>
  `${plural(files.length, "file")}: ${listed(files.slice(0, mostNamed))}${files.length > mostNamed ? ", …" : ""}`

const placeLines = ({ commit, detail, files, isStored, patch }: FixReport): ReadonlyArray<string> => {
  const why = detail === "" ? "" : ` (${detail})`
  const names = named(files)
  switch (patch) {
    case "applied":
      if (files.length === 0) return [`Nothing was changed: the working tree has these fixes already${why}`]
      return [`Applied to ${names}${commit === null ? "" : `, and committed as ${commit.slice(0, 12)}`}${why}`]
    case "recommended":
      return [`Not applied${why}. ${isStored ? "To apply: git apply .daydream/recommended.patch" : notStored}`]
    case "refused":
      return [`Not applied${why}. ${isStored ? "The patch is .daydream/recommended.patch" : notStored}`]
    case "none":
      return [`Nothing was changed${why}`]
  }
}

const notStored = "The patch could not be written"

/** For the headline; "" if nothing is fixed in the working tree. */
export const fixSentence = ({ fix }: ReviewResult): string => {
  const fixed = fixedIds(fix).size
  if (fixed > 0) return `${fixed} ${fixed === 1 ? "is" : "are"} fixed in the working tree.`
  const ready = fix?.patch === "recommended" ? fix.outcomes.filter(isFixed).length : 0
  return ready === 0 ? "" : `Fixes for ${ready} are in a patch.`
}
