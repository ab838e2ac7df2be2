/**
 * The files that an agent has read, derived from its tool calls: file tools, searches, and shell commands that print files,
 * both dd's tools and those of coding CLIs.
 */

import { isReadTool } from "../agent/toolKind.ts"
import type { TrajectoryStep } from "../record/Trajectory.ts"
import { shownLines } from "../run/AgentEvent.ts"
import { quoted } from "../system/shellQuote.ts"
import { shellCommands } from "../system/shellWords.ts"
import { failedToolCalls } from "./Trajectory.ts"

/** The paths in the arguments, in order. Failed calls do not count. */
export const pathsRead = (steps: ReadonlyArray<TrajectoryStep>): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const step of steps) {
    const failed = failedToolCalls(step)
    for (const { arguments: given, function_name, tool_call_id } of step.tool_calls ?? []) {
      if (failed.has(tool_call_id)) continue
      const name = function_name.toLowerCase()
      if (shells.test(name)) {
        const commands = [given.command, given.cmd, given.script].flatMap(words)
        for (const path of commands.flatMap(shellReads)) found.add(path)
      } else if (isReadTool(name)) {
        for (const path of [given.file_path, given.path, given.filePath, given.filename]) {
          if (typeof path === "string") found.add(path)
        }
      }
    }
  }
  return found
}

/** Paths with lines in the agent's prompt. */
export const pathsShown = (steps: ReadonlyArray<TrajectoryStep>): ReadonlySet<string> =>
  new Set(steps.flatMap(({ extra }) => (shownLines(extra?.shown_lines) ?? []).map(({ path }) => path)))

const shells = /^(?:.*[._])?(?:bash|shell|exec|exec_command|run_command|local_shell|terminal)$/
const words = (given: unknown): ReadonlyArray<string> =>
  typeof given === "string"
    ? [given]
    : Array.isArray(given) && given.every((part) => typeof part === "string")
      ? [given.map(quoted).join(" ")]
      : []

const printing = /^(?:sed|nl|cat|rg|grep|head|tail|awk|wc|bat|less)$/

/** Arguments of printing commands that look like paths. */
const shellReads = (command: string): ReadonlyArray<string> =>
  shellCommands(command.slice(0, longestCommand)).flatMap(({ words: [program = "", ...rest] }) =>
    printing.test(program) ? rest.filter((word) => /[/.]/.test(word) && !word.startsWith("-")) : []
  )

const longestCommand = 10_000

/** Is one of the paths the file? An absolute path may end with it. */
export const hasRead = (read: Iterable<string>, file: string): boolean => {
  for (const path of read) {
    const plain = path.replace(/^\.\//, "")
    if (plain === file || plain.endsWith(`/${file}`)) return true
  }
  return false
}
