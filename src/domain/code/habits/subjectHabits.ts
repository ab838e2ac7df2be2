/** The habits that the subject of one commit shows. Merges, reverts, releases and updates by bots show none. */
import type { Habit } from "./Habit.ts"

export const subjectHabits = (subject: string): ReadonlyArray<Habit> => {
  if (notWritten.test(subject)) return []
  const own = subject.replace(/(?: \(#\d+\))+$/, "")
  const prefix = conventional.exec(own) ?? area.exec(own)
  const words = prefix === null ? own : own.slice(prefix[0].length)
  const letter = /^\p{L}/u.exec(words)?.[0]
  return [
    {
      slot: "commits:prefix",
      value: conventional.test(own) ? "conventional" : prefix === null ? "none" : "area"
    },
    ...(letter === undefined
      ? []
      : [{ slot: "commits:case", value: letter === letter.toLowerCase() ? "lower" : "upper" }]),
    { slot: "commits:length", value: [...own].length <= longest ? String(longest) : "longer" }
  ]
}

const longest = 72

const notWritten =
  /^(?:Merge\b|Revert\b|revert\b|Bump |[Uu]pdate dependency|[\w()-]+: (?:bump|release|update (?:dependency|all))\b|\w+\(deps|v?\d+\.\d+|[Rr]elease\b|\[bot\]|.*\bpre-commit autoupdate\b|fixup!|squash!|$)/

const conventional =
  /^(?:feat|fix|docs?|style|refactor|perf|tests?|build|ci|chore|types|dx|deps|release|wip|workflow|examples?)(?:\([^)\s]{1,60}\))?!?: /
const area = /^[\w./@*-]{1,40}(?:, ?[\w./@*-]{1,40}){0,3}: /
