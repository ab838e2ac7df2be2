/**
 * Delimits untrusted text in a prompt.
 *
 * The fence has a word that was unpredictable when the text was written. Fences, control tokens of chat formats and
 * invisible characters in the text are escaped visibly. Escaping keeps lines and is idempotent.
 */

import { escapedForModels } from "../domain/text/escapedForModels.ts"

export interface Fence {
  /** `kind`: the kind of text, such as `diff`. `from`: its source, such as a path. */
  readonly around: (kind: string, text: string, from?: string) => string
}

/** `nonce`: lower-case letters and digits, random for each run. */
export const fenceOf = (nonce: string): Fence => ({
  around: (kind, text, from) => {
    const name = `untrusted-${nonce}`
    const about = `kind="${attribute(kind)}"${from === undefined ? "" : ` from="${attribute(escapeUntrusted(from, nonce))}"`}`
    return `<${name} ${about}>\n${escapeUntrusted(text, nonce)}\n</${name}>`
  }
})

export const escapeUntrusted = (text: string, nonce: string): string =>
  // An earlier answer of the model may contain the word.
  escapedForModels(text.toWellFormed().replaceAll(nonce, "[fence]"))

const attribute = (text: string): string => text.replace(/[\s"<>]+/g, " ").slice(0, 200)
