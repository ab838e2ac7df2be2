/**
 * Delimits untrusted text in a prompt.
 *
 * The fence has a word that was unpredictable when the text was written. Fences, control tokens of chat formats and
 * invisible characters in the text are escaped visibly. Escaping keeps lines and is idempotent.
 */

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
  text
    .toWellFormed()
    // An earlier answer of the model may contain the word.
    .replaceAll(nonce, "[fence]")
    .replace(/<(\/?)\s*untrusted-/gi, "<$1untrusted_")
    .replace(controlTokens, (token) => `\\${token}`)
    .replace(hidden, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/** Turn boundaries for servers of open models: `<|im_end|>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`. */
const controlTokens =
  /(?<=<)(?:\|[a-z0-9_▁｜]{2,40}\|>|｜[^\s｜]{2,40}｜>|\/?(?:start_of_turn|end_of_turn|bos|eos)>|<\/?SYS>>)|(?<=\[)\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/gi

/** Control, bidirectional, tag and zero-width characters, without joiners, which some scripts need. */
const hidden =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const attribute = (text: string): string => text.replace(/[\s"<>]+/g, " ").slice(0, 200)
