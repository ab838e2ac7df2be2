/** The checks of the rules about debugging output. */

import { isTestFile } from "../../domain/change/TestFile.ts"
import { type LineSuggestion, matchOf, type RuleFile } from "../../domain/finding/Rule.ts"
import type { LineChecks, LineSuggestions } from "../page/Checks.ts"
import { deletedLine } from "../shared/deletedLine.ts"

/** A print of a word that is typed only to see whether a line is reached. */
const noisyPrint =
  /^\s*(?:console\.(?:log|debug|info|warn|error)|print|println!?|eprintln!?|puts|p|pp|NSLog|fmt\.Print(?:ln|f)?|log\.Print(?:ln|f)?|System\.(?:out|err)\.println|IO\.puts|IO\.inspect|os\.Stderr\.WriteString)\s*[( ]\s*[@bf]?(["'`])\s*(?:here+|(?:got|i'?m|we are|reached) here|asdf+|qwe(?:rty)?|x{3,}|a{3,}|[!?]{3,}|>{3,}|debug(?:ging)?|wtf+|lol|foo|bar|test(?:ing)?(?: ?\d+)?|ping|hello|\d{1,4}|[>=*#-]+ ?(?:here|debug|test) ?[<=*#-]*)\s*[!.:]*\s*\1\s*\)?\s*;?\s*$/i

const isCode = (file: RuleFile): boolean =>
  !isTestFile(file.path) &&
  !/\.(?:md|livemd|rst|txt|adoc|ipynb)$/.test(file.path) &&
  !/(?:^|\/)(?:scripts?|bin|examples?|demos?|docs?|playground|__\w*fixtures__|bench(?:marks?)?)\//.test(file.path)

/** Is it under a condition that the user controls, such as `if debugging {`? */
const isAskedFor = (file: RuleFile, line: number): boolean => {
  const indent = (text: string) => text.length - text.trimStart().length
  const own = indent(file.head?.[line - 1] ?? "")
  for (let at = line - 2; at >= Math.max(0, line - 10); at--) {
    const text = file.head?.[at] ?? ""
    if (text.trim() !== "" && indent(text) < own) return /\bif\b.*(?:debug|verbose|trace)/i.test(text)
  }
  return false
}

export const lineChecks: LineChecks = {
  "dbg-macro": (text, line, file) => {
    const found = /(?<=^|[\s(=,{])dbg!(?=\()/.exec(text)
    return (
      found !== null &&
      !/^\s*\/\/|["'].*dbg!\(/.test(text) &&
      !isAskedFor(file, line) &&
      !/(?:^|\/)test\w*\.rs$/.test(file.path) &&
      isCode(file) &&
      matchOf(line, found)
    )
  },
  inspect: (text, line, file) => {
    const found = !/\.exs$/i.test(file.path)
      ? /^\s*(?:(?:\|>\s*)?IO\.inspect(?=\()|\|>\s*dbg\(\)|dbg\(\w*\)\s*$)/.exec(text)
      : null
    return (
      found !== null &&
      !/(?:^|\/)(?:mix\/tasks|priv)\//.test(file.path) &&
      !/:stderr|device/.test(text) &&
      isCode(file) &&
      matchOf(line, found)
    )
  },
  "noise-print": (text, line, file) => {
    const found = text.length < 200 ? noisyPrint.exec(text) : null
    return found !== null && isCode(file) && matchOf(line, found)
  },
  "console-in-component": (text, line, file) => {
    const found = /^\s*console\.log(?=\()/.exec(text)
    return (
      found !== null &&
      // A message with a tag is a log.
      !/^\s*console\.log\(\s*["'`]\[/.test(text) &&
      // The rule above is more specific for such a line.
      !noisyPrint.test(text) &&
      isCode(file) &&
      !/logg(?:er|ing)/i.test(file.path) &&
      matchOf(line, found)
    )
  }
}

/** A statement on one line whose arguments call nothing. */
const isWhole = (text: string): boolean => /^[^()]*\([^()]*\)\s*;?\s*$/.test(text)

/** Go does not compile an import that is not used any more. */
const keepsImport = (text: string, { head, path }: RuleFile): boolean => {
  const used = path.endsWith(".go") ? /^\s*(\w+)\./.exec(text)?.[1] : undefined
  return used === undefined || (head ?? []).filter((line) => line.includes(`${used}.`)).length > 1
}

/** Programs for a terminal print what their users read. */
const commandLine =
  /(?:^|\/)(?:cli|cmd|commands?|tasks?|tools?|toolkit|migrations?|db|src\/bin)\/|(?:^|\/)(?:cli|main|manage|setup)\.\w+$/

const mayBeMeant = (file: RuleFile, line: number): boolean =>
  isAskedFor(file, line) || commandLine.test(file.path) || file.head?.[0]?.startsWith("#!") === true

const deletedPrint: LineSuggestion = (text, line, file) =>
  isWhole(text) && keepsImport(text, file) && !mayBeMeant(file, line) ? deletedLine(text, line, file) : null

/** `dbg!(x)` is `x`; a statement of its own is deleted. */
const withoutDbg: LineSuggestion = (text, line, file) => {
  const [, before = "", inner = "", after = ""] = /^(.*?)\bdbg!\(((?:[^()"',]|\([^()"']*\))+)\)(.*)$/.exec(text) ?? []
  if (inner === "") return null
  if (before.trim() === "" && after.trim() === ";" && !/[(?]/.test(inner)) {
    return mayBeMeant(file, line) ? null : deletedLine(text, line, file)
  }
  const isOperand =
    /\s/.test(inner) && !(/(?:^|=|[(,]|\b(?:return|if|while|match))\s*$/.test(before) && /^\s*(?:[;),{]|$)/.test(after))
  return `${before}${isOperand ? `(${inner})` : inner}${after}`
}

/** A step of a pipeline returns what it is given; a statement is only deleted if its value is not that of the function. */
const withoutInspect: LineSuggestion = (text, line, file) => {
  const below = file.head?.slice(line).find((each) => each.trim() !== "") ?? ""
  if (!isWhole(text)) return null
  if (/^\s*\|>/.test(text)) return ""
  const indent = /^\s*/.exec(text)?.[0] ?? ""
  const isFollowed =
    below.startsWith(indent) && /^(?!\||end\b|else\b|rescue\b|after\b|catch\b)\S/.test(below.slice(indent.length))
  return isFollowed ? "" : null
}

export const lineSuggestions: LineSuggestions = {
  "noise-print": deletedPrint,
  "console-in-component": deletedPrint,
  "dbg-macro": withoutDbg,
  inspect: withoutInspect
}
