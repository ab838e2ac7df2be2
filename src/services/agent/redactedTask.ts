import type { Task } from "../../domain/agent/Task.ts"
import { redactedValue } from "../secret/Redactor.ts"

/** What no prompt shows as it is: the diff is redacted where it is shown, and of trees nothing is. */
const unshown: ReadonlySet<string> = new Set(["_tag", "after", "change", "exploration", "remaining", "tree"])

/** The task with every text that its prompt shows redacted. */
export const redactedTask = (task: Task, redact: (text: string) => string): Task => {
  const shown = Object.entries(task).map(([key, value]) => {
    if (key === "stack" && task._tag === "StackReview") return [key, value]
    return [key, unshown.has(key) ? value : redactedValue(value, redact, null)]
  })
  // The same shape: only texts differ.
  return Object.fromEntries(shown) as Task
}
