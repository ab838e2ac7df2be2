/** Colours for a terminal; without colour the text stays as it is. */
import type { TokenKind } from "../../domain/code/Highlight.ts"
import type { Severity } from "../../domain/finding/Finding.ts"

export interface Ink {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly warning: (text: string) => string
  readonly error: (text: string) => string
  readonly added: (text: string) => string
  readonly deleted: (text: string) => string
  /** Of a flag or a command. */
  readonly name: (text: string) => string
  /** The lines, arrows and numbers beside code. */
  readonly frame: (text: string) => string
  readonly severity: (severity: Severity, text: string) => string
  readonly token: (kind: TokenKind, text: string) => string
}

export const inkFor = (colour: boolean): Ink => {
  const paint = (codes: string) => (text: string) => (colour && text !== "" ? `\x1b[${codes}m${text}\x1b[0m` : text)
  const bySeverity = { high: paint("1;31"), medium: paint("1;33"), low: paint("1;36") }
  const byKind = {
    comment: paint("2"),
    string: paint("32"),
    number: paint("36"),
    keyword: paint("35"),
    type: paint("33")
  }
  return {
    bold: paint("1"),
    dim: paint("2"),
    warning: paint("33"),
    error: paint("31"),
    added: paint("32"),
    deleted: paint("31"),
    name: paint("32"),
    frame: paint("1;34"),
    severity: (severity, text) => bySeverity[severity](text),
    token: (kind, text) => byKind[kind](text)
  }
}
