/**
 * A text of a model that arrives in pieces, without secrets and control characters.
 *
 * Returns whole lines, because an escape sequence or a secret may continue in the next piece.
 */
import { printable } from "../../domain/text/Printable.ts"
import type { Redactor } from "./Redactor.ts"

export interface SafeText {
  /** The text that cannot change any more, which may be empty. */
  readonly push: (piece: string) => string
  /** The rest; "" if it was returned before. */
  readonly end: () => string
}

export const safeText = (redactor: Redactor["Service"]): SafeText => {
  const redacted = redactor.inPieces()
  let line = ""
  return {
    push: (piece) => {
      line += piece
      if (!piece.includes("\n")) return ""
      const end = line.lastIndexOf("\n") + 1
      const lines = line.slice(0, end)
      line = line.slice(end)
      return redacted.push(cleanText(lines, redactor))
    },
    end: () => {
      const last = line
      line = ""
      return redacted.push(cleanText(last, redactor)) + redacted.end()
    }
  }
}

/**
 * Without control characters. Where there are any, secrets are hidden before: an escape sequence before a secret is a word
 * boundary.
 */
export const cleanText = (text: string, redactor: Redactor["Service"]): string =>
  printable(text) === text ? text : printable(redactor.text(text))
