/**
 * `.daydreamignore`: the findings that a repository does not want to see, one entry per line.
 *
 * A line is a fingerprint, a rule or an area (`py/*`), a path pattern, or a rule and a path pattern; the reason follows
 * after ` # `. One word of the form `area/name` is a rule: such a path is written `/area/name`. A pattern with blanks is in
 * quotes, as git writes paths: `"my file.py"`.
 */
import { Result } from "effect"
import { globFault, pathGlob } from "../text/PathGlob.ts"
import { gitWords } from "../text/quotePath.ts"
import type { Finding } from "./Finding.ts"
import { isFingerprint, isRulePattern, namesFinding } from "./RulePattern.ts"
import { noReason } from "./Suppression.ts"

export const ignoreFileName = ".daydreamignore"

export interface IgnoreEntry {
  readonly line: number
  readonly reason: string
  /** A rule, an area or a fingerprint; null for a path alone. */
  readonly pattern: string | null
  readonly covers: (finding: Finding) => boolean
}

export interface IgnoreFault {
  readonly line: number
  readonly problem: string
}

/** The entries in order, or the first invalid line. */
export const readIgnoreFile = (
  lines: ReadonlyArray<string>
): Result.Result<ReadonlyArray<IgnoreEntry>, IgnoreFault> => {
  const entries: Array<IgnoreEntry> = []
  for (const [index, text] of lines.entries()) {
    const all = gitWords(text)
    const mark = all.find(({ word }) => word === "#")
    const words = all.slice(0, mark === undefined ? all.length : all.indexOf(mark)).map(({ word }) => word)
    if (words.length === 0 || text.slice(all[0]!.start).startsWith("#")) continue
    const covers = coverOf(words)
    if (typeof covers === "string") return Result.fail({ line: index + 1, problem: covers })
    const pattern = isName(words[0]!) ? words[0]! : null
    entries.push({ line: index + 1, reason: text.slice(mark?.end ?? text.length).trim() || noReason, pattern, covers })
  }
  return Result.succeed(entries)
}

const isName = (text: string): boolean => isRulePattern(text) || isFingerprint(text)

const coverOf = ([first = "", second, ...more]: ReadonlyArray<string>): IgnoreEntry["covers"] | string => {
  if (more.length > 0) return "write a rule, a path pattern, or a rule and a path pattern"
  if (second === undefined && isName(first)) return (finding) => namesFinding(first, finding)
  if (second !== undefined && !isName(first)) return `"${first}" is not a rule, an area or a fingerprint`
  const fault = globFault(second ?? first)
  if (fault !== null) return fault
  const covers = pathGlob(second ?? first)
  return second === undefined
    ? (finding) => covers(finding.file)
    : (finding) => namesFinding(first, finding) && covers(finding.file)
}
