/** Whether the settings of a manager call dd. */
import type { Manager } from "./hookPlan.ts"
import type { HookName } from "./hookScript.ts"

/** `Unfed`: dd would not get the refs of a push. */
export type SettingsCall = "None" | "Unfed" | "Complete"

/** Comments do not count. The lines beside the call belong to it as far as they are indented like it. */
export const settingsCall = (text: string, manager: Manager, hook: HookName): SettingsCall => {
  const lines = text.split("\n").map((line) => line.replace(/(?:^|\s)(?:#|\/\/).*$/, ""))
  const at = lines.findIndex((line) => line.includes(`hook ${hook}`) || line.includes(`dd-${hook}`))
  if (at < 0) return "None"
  if (manager !== "lefthook" || hook !== "pre-push") return "Complete"
  const depth = columnOf(lines[at]!)
  const isBeside = (line: string) => line.trim() === "" || columnOf(line) >= depth
  const opens = (line: string) => /^\s*- /.test(line) && columnOf(line) <= depth
  let first = at
  while (first > 0 && !opens(lines[first]!) && isBeside(lines[first - 1]!)) first--
  const after = lines.slice(at + 1)
  const end = after.findIndex((line) => !isBeside(line) || opens(line))
  const block = [...lines.slice(first, at + 1), ...(end < 0 ? after : after.slice(0, end))]
  return block.some((line) => /\buse_stdin"?\s*[:=]\s*true\b/.test(line)) ? "Complete" : "Unfed"
}

/** Of the first key or value; that of an item of a list is after its dash. */
const columnOf = (line: string): number => /^[\s-]*/.exec(line)![0].length
