/** A statement that stops the program for a debugger. */
import { matchOf, type RuleFile } from "../../domain/finding/Rule.ts"
import type { LineChecks, LineSuggestions } from "../page/Checks.ts"
import { deletedLine } from "./deletedLine.ts"

/** The line checks of an area: the files, and the lines with a breakpoint. */
const breakpointLeft = (paths: RegExp, breakpoint: RegExp): LineChecks => ({
  "breakpoint-left": (text, line, file) => {
    const found = text.length < 500 && paths.test(file.path) ? breakpoint.exec(text) : null
    return found !== null && !isOfferedAs(file, line) && matchOf(line, found)
  }
})

/** Is it the whole body of a function for breakpoints, such as `debugger() { debugger }`? */
const isOfferedAs = (file: RuleFile, line: number): boolean =>
  /\b(?:debugger|breakpoint|set_trace)\s*\([^()]*\)\s*(?:=>\s*)?[{:]\s*$/.test(file.head?.[line - 2] ?? "")

export const pythonBreakpoints = breakpointLeft(
  /\.py$/,
  /^\s*(?:breakpoint\(\)|(?:import i?pdb\s*;\s*)?(?:i?pdb|pudb|wdb|web_pdb)\.set_trace\(\)|import pudb\s*;.*)\s*(?:#.*)?$/
)

export const scriptBreakpoints = breakpointLeft(/\.(?:[cm]?[jt]sx?|vue|svelte)$/, /^\s*debugger\s*;?\s*(?:\/\/.*)?$/)

export const elixirBreakpoints = breakpointLeft(/\.exs?$/, /^\s*(?:(?:require IEx\s*;\s*)?IEx\.(?:pry|break!)\b.*)$/)

export const rubyBreakpoints = breakpointLeft(
  /\.(?:rb|rake|erb)$/,
  /^\s*(?:binding\.(?:pry|irb|break|b)|byebug|debugger)(?:\s*(?:#.*|(?:if|unless)\s.*))?$/
)

export const withoutBreakpoints: LineSuggestions = { "breakpoint-left": deletedLine }
