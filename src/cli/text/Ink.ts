/** Colours for a terminal; without colour the text stays as it is. */
import type { Severity } from "../../domain/finding/Finding.ts"

export interface Ink {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly warning: (text: string) => string
  readonly added: (text: string) => string
  readonly deleted: (text: string) => string
  readonly severity: (severity: Severity, text: string) => string
}

export const inkFor = (colour: boolean): Ink => {
  const paint = (codes: string) => (text: string) => (colour && text !== "" ? `\x1b[${codes}m${text}\x1b[0m` : text)
  const bySeverity = { high: paint("1;31"), medium: paint("1;33"), low: paint("1;36") }
  return {
    bold: paint("1"),
    dim: paint("2"),
    warning: paint("33"),
    added: paint("32"),
    deleted: paint("31"),
    severity: (severity, text) => bySeverity[severity](text)
  }
}
