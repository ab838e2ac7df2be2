/** The names that trajectories use for flows, phases and siblings. */

/** Lower case, `a-z 0-9 -`, no two hyphens in a row, none at either end; "agent" when nothing is left. */
export const slugOf = (descriptor: string): string =>
  descriptor
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 100)
    .replaceAll(/^-+|-+$/g, "") || "agent"

/** Model names that are only the name of a backend. */
export const genericModels: ReadonlySet<string> = new Set(["claude", "codex", "pi", "static"])

/** The field in `extra` of a step in which dd ran the project's tests. */
export const testsField = "daydream_tests"

/** Labels of flows and phases are those of the original program, for its readers. */
const flowLabels = new Map([
  ["shallow", "normal"],
  ["review", "ttt"],
  ["pr-feedback", "pr"]
])
export const flowLabel = (flow: string): string => flowLabels.get(flow) ?? "deep"

const phaseLabels = new Map([
  ["per-stack-reviews", "deep"],
  ["per-stack-parse", "parse"],
  ["arbiter", "deep"],
  ["merge", "deep"]
])
export const phaseLabel = (phase: string): string => phaseLabels.get(phase) ?? phase
