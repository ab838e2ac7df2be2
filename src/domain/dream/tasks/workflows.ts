/**
 * Workflows of a session that ended well: what was done between two milestones, if the last checks succeeded, no error was left
 * and trust rose.
 *
 * Trust starts at its maximum, so its gain is counted from the lowest point of the workflow: one that never lowered trust
 * shows nothing.
 */
import type { Contribution } from "../Artifact.ts"
import type { SessionStep, SessionView } from "../SessionView.ts"
import { roleOf, runWords } from "./stepWords.ts"

export interface Workflow {
  readonly steps: ReadonlyArray<string>
  readonly trustDelta: number
}

const fewestSteps = 3
const mostSteps = 8

/** In order. Linear in steps. */
export const workflowsOf = ({
  milestones,
  samples,
  steps
}: Pick<SessionView, "milestones" | "samples" | "steps">): ReadonlyArray<Workflow> => {
  const reached = new Map(milestones.map(({ step, what }) => [step, what]))
  const workflows: Array<Workflow> = []
  const counted = steps.filter((step) => reached.has(step.step) || !isPartOfAll(workflowWords(step)))
  const next = new Map(counted.map(({ step }, at) => [step, counted[at + 1]?.step ?? 0]))
  let start = 0
  for (let index = 0; index < steps.length; index++) {
    const what = reached.get(index + 1)
    if (what === undefined) continue
    if (isCheck(what)) {
      // Checks that succeed one after the other end one workflow.
      if (isCheck(reached.get(next.get(index + 1) ?? 0))) continue
      const words = wordsOf(steps.slice(start, index + 1))
      const after = samples.slice(start, index + 2)
      const end = after.at(-1)!
      const trustDelta = end.trust - after.reduce((lowest, { trust }) => Math.min(lowest, trust), end.trust)
      const isLong = words.length >= fewestSteps && words.length <= mostSteps
      if (isLong && end.errors === 0 && trustDelta > 0) workflows.push({ steps: words, trustDelta })
    }
    start = index + 1
  }
  return workflows
}

/** Reading source is part of any work. */
const isPartOfAll = (words: string | null): boolean => words === null || words === "read the source"

const isCheck = (what: SessionView["milestones"][number]["what"] | undefined): boolean =>
  what === "build" || what === "test" || what === "check"

/**
 * Each step once. Between two checks the order is preparations, then edits, by name: in which order files are opened is
 * chance. After a failed check, edits fix failures and runs are repeated.
 */
const wordsOf = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<string> => {
  const failed = new Set<string>()
  const words = new Set<string>()
  let reads = new Set<string>()
  let edits = new Set<string>()
  for (const step of steps) {
    const plain = workflowWords(step)
    if (plain === null || isPartOfAll(plain)) continue
    if (step.action === "edit") edits.add(failed.size > 0 ? "fix the failures" : plain)
    else if (step.action !== "run" || step.purpose === "install") reads.add(plain)
    else {
      for (const each of [...[...reads].toSorted(), ...[...edits].toSorted()]) words.add(each)
      reads = new Set()
      edits = new Set()
      const check = `${step.folder}\n${step.family}`
      words.add(failed.has(check) ? `${plain} again` : plain)
      if (step.result === "failed") failed.add(check)
    }
  }
  return [...words]
}

/** A step of a workflow, by the role of its file or the purpose of its command; null for steps that are part of any work. */
export const workflowWords = (step: SessionStep): string | null => {
  const { action, family, files, purpose, result } = step
  if (result !== "ok" && (action !== "run" || result !== "failed")) return null
  switch (action) {
    case "read":
    case "search":
      return `read the ${files[0] === undefined ? "source" : nouns[roleOf(files[0])]}`
    case "edit":
      return files[0] === undefined ? null : `edit the ${nouns[roleOf(files[0])]}`
    case "run":
      return purpose === "install" ? "install dependencies" : isWork.has(purpose ?? "") ? runWords(family) : null
    case "other":
      return null
  }
}

const isWork = new Set(["build", "test", "check", "format"])

const nouns = {
  test: "tests",
  document: "documentation",
  settings: "settings",
  types: "type definitions",
  source: "source"
} as const

/** The kind of work that the goal of a session names. */
export const labelOf = (goal: string): string => labels.find(([, verbs]) => verbs.test(goal))?.[0] ?? "change"

const labels: ReadonlyArray<readonly [string, RegExp]> = [
  ["bug fix", /\b(?:fix|repair|debug|resolve|correct|bug)\b/i],
  ["refactoring", /\b(?:refactor|rename|move|extract|simplify|clean|split|restructure)\b/i],
  ["test writing", /\b(?:test|tests|coverage|spec)\b/i],
  ["documentation", /\b(?:document|documentation|docs|readme)\b/i],
  ["dependency update", /\b(?:upgrade|bump|update|migrate)\b/i],
  ["feature implementation", /\b(?:add|implement|create|build|write|make|support|introduce)\b/i]
]

const mostWorkflows = 20

/** What the session adds to each sequence: how often it succeeded, and the mean gain of trust. */
export const sequenceContributions = (
  workflows: ReadonlyArray<Workflow>,
  goal: string
): ReadonlyArray<Contribution> => {
  const label = labelOf(goal)
  return [...Map.groupBy(workflows, ({ steps }) => steps.join("\n"))]
    .map(([key, same]) => ({
      key,
      body: { type: "SuccessfulSequence" as const, label, steps: same[0]!.steps },
      s: same.length,
      f: 0,
      trustDelta: same.reduce((sum, { trustDelta }) => sum + trustDelta, 0) / same.length
    }))
    .toSorted((a, b) => b.s - a.s)
    .slice(0, mostWorkflows)
}
