/** The report of `dd doctor`: for each area its checks, one line each. */
import { areas, type Check } from "../../domain/doctor/Check.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { presentable } from "../system/failure.ts"
import type { Ink } from "../text/Ink.ts"
import { plural } from "../text/Tally.ts"

const titles: Readonly<Record<Check["area"], string>> = {
  name: "Name",
  git: "Git",
  home: "Home directory of dd",
  settings: "Settings",
  backends: "Backends",
  archive: "Archive",
  extensions: "Extensions"
}

const marks: Readonly<Record<Check["state"], string>> = { ok: "ok", note: "-", problem: "!!" }

export const doctorText = (
  { checks, version }: { readonly checks: ReadonlyArray<Check>; readonly version: string },
  ink: Ink,
  redact: (text: string) => string
): string => {
  const width = Math.max(...checks.map(({ subject }) => oneLine(subject).length))
  const line = ({ state, subject, words }: Check): string => {
    const text = presentable(words, redact)
    const mark = marks[state].padEnd(2)
    const shown = state === "problem" ? ink.warning(mark) : state === "note" ? ink.dim(mark) : mark
    return `  ${shown}  ${oneLine(subject).padEnd(width)}  ${state === "note" ? ink.dim(text) : text}`
  }
  const blocks = areas.flatMap((area) => {
    const own = checks.filter((check) => check.area === area)
    return own.length === 0 ? [] : [[ink.bold(titles[area]), ...own.map(line)].join("\n")]
  })
  const problems = checks.filter(({ state }) => state === "problem").length
  const verdict = problems === 0 ? "No problems found." : `${plural(problems, "problem")} found, marked with !!.`
  return [`dd ${version}`, ...blocks, verdict].join("\n\n")
}
