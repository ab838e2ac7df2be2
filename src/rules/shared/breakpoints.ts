/** A statement on its own that stops the program and waits for a debugger. */
import type { LineCheck, RuleFile } from "../../domain/finding/Rule.ts"
import { isMovedLine } from "./movedLine.ts"

/** The check for a language: which files, and which lines in them. */
export const breakpointLeft =
  (paths: RegExp, breakpoint: RegExp): LineCheck =>
  (text, line, file) =>
    text.length < 500 &&
    paths.test(file.path) &&
    breakpoint.test(text) &&
    !isOfferedAs(file, line) &&
    !isMovedLine(file, text)

/** The whole body of a function that is named for it, as in `debugger() { debugger }`: a breakpoint for others to call. */
const isOfferedAs = (file: RuleFile, line: number): boolean =>
  /\b(?:debugger|breakpoint|set_trace)\s*\([^()]*\)\s*(?:=>\s*)?[{:]\s*$/.test(file.head?.[line - 2] ?? "")
