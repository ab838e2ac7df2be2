/** A statement that stops the program for a debugger. */
import { codeOnly, lexicons } from "../../domain/code/Comment.ts"
import { matchOf, type RuleFile } from "../../domain/finding/Rule.ts"
import type { LineChecks, LineSuggestions } from "../page/Checks.ts"
import { deletedLine } from "./deletedLine.ts"

type CodeOf = (text: string, line: number, file: RuleFile) => string

/** The line checks of an area: the lines with a breakpoint, and what of a line is code, if it matters. */
const breakpointLeft = (breakpoint: RegExp, codeOf: CodeOf = (text) => text): LineChecks => ({
  "breakpoint-left": (text, line, file) => {
    if (text.length >= 500) return false
    const code = codeOf(text, line, file)
    const found = breakpoint.exec(code)
    return found !== null && !isOffered(code.slice(0, found.index), line, file) && matchOf(line, found)
  }
})

/** Is it the whole body of a function for breakpoints, such as `debugger() { debugger }`? */
const isOffered = (before: string, line: number, { head }: RuleFile): boolean =>
  /\b(?:debugger|breakpoint|set_trace)\s*(?:[:=]\s*(?:function\s*)?)?\([^()]*\)\s*(?:=>\s*)?[{:]\s*$/.test(
    before.trim() === "" ? (head?.[line - 2] ?? "") : before
  )

export const pythonBreakpoints = breakpointLeft(
  /^\s*(?:breakpoint\(\)|(?:import i?pdb\s*;\s*)?(?:i?pdb|pudb|wdb|web_pdb)\.set_trace\(\)|import pudb\s*;.*)\s*(?:#.*)?$/
)

const scriptCode: CodeOf = (text, line, { head }) =>
  text.includes("debugger")
    ? (codeOnly(head ?? [text], lexicons.c, (each) => each === line)[head === null ? 0 : line - 1] ?? text)
    : text

/** Where a statement can begin and end. Prose in markup and members of types have no such places, or are excluded. */
const scriptBreakpoint = new RegExp(
  [
    String.raw`\bdebugger(?=\s*(?:[;}]|/\s*$|/\*|$))`,
    String.raw`(?<=(?:^|(?<!\{)\{|\b(?:if|for|while)\s*\(.*\)|^\s*\}?\s*else\s|^\s*(?:case\s.*|default\s*):|[;}](?=\s*debugger\s*[;}]))\s*debugger)`,
    String.raw`(?<!(?:\b(?:class|enum|interface|type)\s[^{}]*\{[^{}]*|<\w[^<>]*>[^<>{}]*)debugger)`
  ].join("")
)

export const scriptBreakpoints = breakpointLeft(scriptBreakpoint, scriptCode)

export const elixirBreakpoints = breakpointLeft(/^\s*(?:(?:require IEx\s*;\s*)?IEx\.(?:pry|break!)\b.*)$/)

export const rubyBreakpoints = breakpointLeft(
  // In a template, other tags may be on the line.
  /^(?:[^#]*;)?\s*(?:binding\.(?:pry|irb|break|b)|byebug|debugger)(?=[\s;#]|$)\s*(?:;.*|#.*|(?:if|unless)\s.*)?$/
)

/** Only a line of its own is deleted. */
export const withoutBreakpoints: LineSuggestions = {
  "breakpoint-left": (text, line, file) =>
    /;.*\b(?:binding|byebug|debugger)\b/.test(text) ? null : deletedLine(text, line, file)
}

/** Only a line of its own is deleted. */
export const withoutScriptBreakpoints: LineSuggestions = {
  "breakpoint-left": (text, line, file) =>
    /^\s*debugger\s*;?\s*(?:\/[/*].*)?$/.test(text) ? deletedLine(text, line, file) : null
}
