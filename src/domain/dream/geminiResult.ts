/**
 * What Gemini CLI tells its model of a command: its output between labels, then lines of how it ended. Older versions write every
 * label, with `(none)` and `(empty)`; newer ones write only those that say something, and no exit code 0.
 */
import type { CodexResult } from "./codexResult.ts"

/** Null for a text of another shape: the command was stopped, goes on in the background, or its output was summarised. */
export const geminiResult = (text: string): CodexResult | null => {
  const lines = text.trimEnd().split("\n")
  const told = new Map<string, string>()
  for (;;) {
    const [, label, value] =
      /^(Exit Code|Signal|Background PIDs|Process Group PGID): (.+)$/.exec(lines.at(-1) ?? "") ?? []
    if (label === undefined || value === undefined || told.has(label)) break
    told.set(label, value)
    lines.pop()
  }
  const begin = lines.findIndex((line) => /^(?:Stdout|Output): /.test(line))
  if (told.size === 0 || begin < 0 || (begin > 0 && !lines[0]!.startsWith("Command: "))) return null
  const error = /^Error: (.+)$/.exec(lines.at(-1)!)?.[1]
  if (error === "(none)") lines.pop()
  const output = lines
    .slice(begin)
    .join("\n")
    .replaceAll(/^(?:Stdout|Stderr|Output): (?:\(empty\)$)?/gm, "")
    .trim()
  const exit = told.get("Exit Code")
  if (exit !== undefined && exit !== "(none)") return { output, exit: Number(exit) }
  const signal = told.get("Signal") ?? "(none)"
  const hasEnded = signal === "(none)" && (error === undefined || error === "(none)")
  return hasEnded ? { output, exit: 0 } : { output, stopped: "failed" }
}
