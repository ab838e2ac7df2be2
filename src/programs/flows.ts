/**
 * The four flows that every run starts from, and descriptions of their steps.
 */
import { Result } from "effect"
import { entryName, type Flow, insertBefore } from "../domain/run/Flow.ts"
import { type Outline, type Step, type StepBody, step, type Unavailable } from "../domain/run/Step.ts"
import type { Registry } from "../services/run/Registry.ts"

const freshRun = "unless --start-at is per-stack, merge or fix"
const notFixOnly = "unless --start-at is fix"

const withFix = "with --fix"
const withLoop = "with --loop"
const posting = "findings are posted after the flow, with --comment or dd post"
const inFeedback = "in dd feedback"

interface Known {
  readonly phase?: string
  readonly when?: string
  /** Why the step is not in this build. */
  readonly missing?: string
}

const catalogue = {
  exploration: {},
  intent: { when: freshRun },
  alternatives: { phase: "wonder", when: freshRun },
  "per-stack-reviews": { phase: "per_stack_review" },
  prove: { phase: "test", when: "with --run, and in dd prove" },
  "per-stack-parse": { phase: "parse", when: notFixOnly },
  arbiter: { when: `${notFixOnly}, when the change has more than one stack to merge` },
  "cross-stack-merge": { phase: "merge", when: `${notFixOnly}, when the change has more than one stack to merge` },
  "single-stack-merge": { when: `${notFixOnly}, when the change is small enough for one stack` },
  "load-items": {},
  "findings-out": { when: "with --findings-out" },
  "post-review": { when: notFixOnly, missing: posting },
  verify: { when: "after the claims of a model, and with --fix" },
  "fix-gate": { phase: "verify", when: withFix },
  fix: { when: withFix },
  test: { when: withFix },
  commit: { phase: "fix", when: withFix },

  "shallow-exploration": { phase: "exploration" },
  "loop-preflight": { when: withLoop },
  review: {},
  parse: {},
  "shallow-fix": { phase: "fix", when: withFix },
  "shallow-test": { phase: "test", when: withFix },
  "commit-iteration": { phase: "fix", when: withLoop },
  "loop-exhausted": { when: "with --loop, if no pass follows" },
  summary: {},
  "commit-gate": { phase: "review", when: "with --fix, without --loop" },

  "review-exploration": { phase: "exploration" },
  "review-intent": { phase: "review" },
  "review-alternatives": { phase: "review" },
  "emit-findings": { when: "with --review and --findings-out" },
  "no-issues-exit": {},
  "post-comments": { when: "with --comment", missing: posting },

  "fetch-feedback": { phase: "pr_feedback", when: inFeedback },
  "parse-feedback": { phase: "parse", when: inFeedback },
  "fix-items": { phase: "fix", when: `${inFeedback}, if there are findings` },
  "commit-push": { phase: "review", when: `${inFeedback}, if there are fixes` },
  "respond-feedback": { phase: "pr_feedback", when: inFeedback }
} as const satisfies Record<string, Known>

type Catalogue = typeof catalogue

/** The steps that this build must provide; a missing one is a type error at `seedRegistry`. */
export type AvailableStep = {
  [Name in keyof Catalogue]: Catalogue[Name] extends { readonly missing: string } ? never : Name
}[keyof Catalogue]

export const flows: ReadonlyArray<Flow> = [
  {
    name: "deep",
    description: "Full review: explore, understand, review each stack, arbitrate, merge; then fix accepted findings",
    entries: [
      "exploration",
      "intent",
      "alternatives",
      "per-stack-reviews",
      "per-stack-parse",
      "arbiter",
      "cross-stack-merge",
      "single-stack-merge",
      "load-items",
      "verify",
      "findings-out",
      "post-review",
      "fix-gate",
      "fix",
      "test",
      "commit"
    ]
  },
  {
    name: "shallow",
    description: "One reviewer for the whole change; then fix its findings, with --loop until none are left",
    entries: [
      "shallow-exploration",
      "loop-preflight",
      {
        name: "iterate",
        steps: ["review", "parse", "shallow-fix", "shallow-test", "commit-iteration"],
        maxIterations: "loop"
      },
      "loop-exhausted",
      "summary",
      "commit-gate"
    ]
  },
  {
    name: "review",
    description: "Findings only; with --comment, post them to the pull request",
    entries: [
      "review-exploration",
      "review-intent",
      "review-alternatives",
      "emit-findings",
      "no-issues-exit",
      "post-comments"
    ]
  },
  {
    name: "prove",
    description: "No review: run the project's tests on small changes of the added lines",
    entries: ["prove", "load-items"]
  },
  {
    name: "pr-feedback",
    description: "Fix the comments of a bot on a pull request, push, and reply",
    entries: ["fetch-feedback", "parse-feedback", "fix-items", "commit-push", "respond-feedback"]
  }
]

/** With the step that runs the project's tests before claims are merged; unchanged if the flow has no such place. */
export const withProof = (flow: Flow): Flow => {
  const names = flow.entries.map(entryName)
  const anchor = ["per-stack-parse", "iterate", "review-alternatives"].find((name) => names.includes(name))
  if (anchor === undefined || names.includes("prove")) return flow
  return Result.getOrElse(insertBefore(flow, anchor, "prove"), () => flow)
}

const describe = (name: string, known: Known): Outline => {
  const outline = { name, phase: known.phase ?? name, when: known.when ?? "", origin: "dd" }
  return known.missing === undefined
    ? { ...outline, _tag: "Step" }
    : { ...outline, _tag: "Unavailable", reason: known.missing }
}

const outlines: ReadonlyArray<Outline> = Object.entries<Known>(catalogue).map(([name, known]) => describe(name, known))

const seeded = <T extends Outline>(steps: ReadonlyArray<T>): Registry<T> => ({
  steps: new Map(steps.map((step) => [step.name, step])),
  flows: new Map(flows.map((flow) => [flow.name, flow])),
  prompts: new Map(),
  stackRules: []
})

/** Enough to list, show and validate; its steps cannot run. */
export const outlineRegistry: Registry<Outline> = seeded(outlines)

/**
 * The registry that a run starts from: dd's flows, the given implementations of this build's steps, and placeholders
 * for the others.
 */
export const seedRegistry = <S, E, R>(
  bodies: Readonly<Record<AvailableStep, StepBody<S, E, R>>>
): Registry<Step<S, E, R> | Unavailable> => {
  const byName: Readonly<Record<string, StepBody<S, E, R>>> = bodies
  return seeded(
    outlines.map((outline) => (outline._tag === "Unavailable" ? outline : step(outline, byName[outline.name]!)))
  )
}
