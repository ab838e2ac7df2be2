/** The names of steps in words: of progress, warnings and reports for people. */

/** The steps of the flows and of other commands; a step of an extension has its own name. */
export const stepWords = {
  change: "reading the change",
  "loop-preflight": "reading the change",
  exploration: "reading the change",
  "shallow-exploration": "reading the change",
  "review-exploration": "reading the change",
  intent: "reading the purpose of the change",
  "review-intent": "reading the purpose of the change",
  alternatives: "looking for alternatives",
  "per-stack-reviews": "checking rules",
  review: "checking rules",
  "review-alternatives": "checking rules",
  "per-stack-parse": "reading the reviews",
  parse: "reading the reviews",
  arbiter: "checking contested claims",
  "cross-stack-merge": "merging claims",
  "single-stack-merge": "merging claims",
  verify: "checking claims",
  "fix-gate": "choosing findings to fix",
  fix: "fixing findings",
  "shallow-fix": "fixing findings",
  "fix-items": "fixing findings",
  test: "running the project's tests",
  "shallow-test": "running the project's tests",
  commit: "committing fixes",
  "commit-iteration": "committing fixes",
  "commit-gate": "committing fixes",
  "findings-out": "writing findings",
  "emit-findings": "writing findings",
  "load-items": "preparing the report",
  summary: "preparing the report",
  "loop-exhausted": "preparing the report",
  "no-issues-exit": "preparing the report",
  "fetch-feedback": "reading comments",
  "parse-feedback": "reading comments",
  "commit-push": "pushing fixes",
  "respond-feedback": "answering comments",
  symbols: "searching symbols",
  brief: "reading the change",
  "pack: filter": "choosing files",
  "pack: core": "reading the change",
  "pack: recall": "finding related files",
  "pack: fit": "choosing excerpts",
  "pack: render": "writing the pack",
  waiting: "waiting for the model",
  thinking: "waiting for the model, which is thinking",
  answering: "reading the answer"
} satisfies Record<string, string>

export const stepInWords = (step: string): string =>
  Object.hasOwn(stepWords, step) ? stepWords[step as keyof typeof stepWords] : step

/** The words for a step that failed: `review` can fail with static checks and with a model, so it is not called checking rules. */
export const failedStepInWords = (step: string): string => {
  const words = stepInWords(step)
  return words === stepWords.review ? "reviewing files" : words
}
