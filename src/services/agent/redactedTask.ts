/** Redacts the texts of a task. */
import type { Task } from "../../domain/agent/Task.ts"
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import { Verdict } from "../../domain/finding/Verdict.ts"

/** Without the diff, which is redacted where it is shown. */
export const redactedTask = (task: Task, redact: (text: string) => string): Task => {
  const record = (given: ReviewRecord): ReviewRecord =>
    ReviewRecord.make({
      ...given,
      file: redact(given.file),
      description: redact(given.description),
      rationale: redact(given.rationale),
      evidence: redact(given.evidence),
      ...(given.title === undefined ? {} : { title: redact(given.title) }),
      ...(given.label === undefined ? {} : { label: redact(given.label) }),
      ...(given.related === undefined
        ? {}
        : {
            related: given.related.map((each) => ({
              ...each,
              file: redact(each.file),
              message: redact(each.message)
            }))
          }),
      ...(given.suggestion === undefined ? {} : { suggestion: redact(given.suggestion) })
    })
  const verdict = (given: Verdict): Verdict =>
    Verdict.make({
      ...given,
      evidence: redact(given.evidence),
      unverified_assumptions: given.unverified_assumptions.map(redact),
      ...(given.suggestion_fault === undefined ? {} : { suggestion_fault: redact(given.suggestion_fault) })
    })
  switch (task._tag) {
    case "Intent":
      return task
    case "Alternatives":
    case "StackReview":
      return { ...task, intent: redact(task.intent) }
    case "ParseReview":
      return { ...task, stack: { ...task.stack, files: task.stack.files.map(redact) }, review: redact(task.review) }
    case "Arbitrate": {
      const contested = task.contested.map((each) => ({ ...each, record: record(each.record) }))
      return { ...task, intent: redact(task.intent), contested }
    }
    case "Merge": {
      const items = task.items.map((item) => ({ ...item, record: record(item.record) }))
      const failures = Object.fromEntries(Object.entries(task.failures).map(([stack, why]) => [stack, redact(why)]))
      return { ...task, intent: redact(task.intent), items, failures }
    }
    case "Verify": {
      const claims = task.claims.map((each) => ({ ...each, record: record(each.record) }))
      const { fixed } = task
      const shown =
        fixed === undefined ? {} : { fixed: { ...fixed, path: redact(fixed.path), diff: redact(fixed.diff) } }
      return { ...task, ...shown, intent: redact(task.intent), claims }
    }
    case "Fix": {
      const findings = task.findings.map((each) => ({
        ...each,
        record: record(each.record),
        verdict: each.verdict === null ? null : verdict(each.verdict)
      }))
      const { intent, path, trouble } = task
      return { ...task, intent: redact(intent), path: redact(path), findings, trouble: redact(trouble) }
    }
  }
}
