/** The command lines that run test files, short enough to paste. */
import { folderOf } from "../../code/Repository.ts"
import { quoted } from "../../system/shellQuote.ts"
import { foldersAbove } from "../../text/foldersAbove.ts"
import type { TestRun } from "./TestRun.ts"

/** The longest line, unless it has only one file. */
const longest = 200
/** The most lines for one program, and for all. */
const mostLines = 3
const mostCommands = 8

/** One line for each program and folder, or several if one would be too long. In the order of the runs. */
export const testCommands = (runs: ReadonlyArray<TestRun>): ReadonlyArray<string> =>
  [...Map.groupBy(runs, ({ command, folder }) => `${folder}\n${command}`).values()]
    .flatMap((some) => {
      const lines = linesOf(some)
      return lines.length <= mostLines ? lines : foldersOf(some).slice(0, mostLines)
    })
    .slice(0, mostCommands)

const linesOf = (runs: ReadonlyArray<TestRun>): ReadonlyArray<string> => {
  const [first] = runs
  if (first === undefined) return []
  const wanted = [...new Set(runs.flatMap(({ argument }) => argument ?? []))]
  if (wanted.length === 0) return [lineOf(first, [])]
  const lines: Array<ReadonlyArray<string>> = []
  for (const argument of wanted) {
    const last = lines.at(-1)
    const longer = [...(last ?? []), argument]
    const fits = first.separator !== "\n" && lineOf(first, longer).length <= longest
    if (last === undefined || !fits) lines.push([argument])
    else lines[lines.length - 1] = longer
  }
  return lines.map((some) => lineOf(first, some))
}

/** Folders instead of files, where the program takes them and no other of these folders is inside. */
const foldersOf = (runs: ReadonlyArray<TestRun>): ReadonlyArray<string> => {
  const all = new Set(runs.map(({ argument }) => (argument === null ? "" : folderOf(argument))))
  const outer = new Set([...all].flatMap((folder) => foldersAbove(folder).slice(1)))
  return linesOf(
    runs.map((run) => {
      const folder = run.argument === null ? "" : folderOf(run.argument)
      return run.takesFolder && !outer.has(folder) ? { ...run, argument: folder } : run
    })
  )
}

const lineOf = ({ command, folder, option, separator }: TestRun, wanted: ReadonlyArray<string>): string => {
  const isOne = separator === "," || separator === "|"
  const words = isOne ? [quoted(wanted.join(separator))] : wanted.map(quoted)
  const joined = words.map((word) => (option === undefined ? word : `${option} ${word}`)).join(" ")
  const line = wanted.length === 0 ? command : `${command}${command.endsWith("=") ? "" : " "}${joined}`
  return folder === "" ? line : `(cd ${quoted(folder.replace(/\/$/, ""))} && ${line})`
}
