/**
 * Sets text of others apart from what dd itself says, so that neither a model nor a tokenizer can take one for the other.
 *
 * The fence holds a word that nobody could know when the text was written. What looks like a fence, like the control
 * tokens of a chat format, or hides from readers is made harmless and stays visible. Lines stay lines; doing it twice
 * changes nothing. Pure.
 */

export interface Fence {
  /** The fenced text, with what it is: `diff`, `commit messages`. `from` names where it stands, such as a path. */
  readonly around: (kind: string, text: string, from?: string) => string
}

/** `nonce`: lower-case letters and digits, chosen anew for each run, in none of the texts. */
export const fenceOf = (nonce: string): Fence => ({
  around: (kind, text, from) => {
    const name = `untrusted-${nonce}`
    const about = `kind="${attribute(kind)}"${from === undefined ? "" : ` from="${attribute(escapeUntrusted(from, nonce))}"`}`
    return `<${name} ${about}>\n${escapeUntrusted(text, nonce)}\n</${name}>`
  }
})

/** The text as it may stand inside a fence. */
export const escapeUntrusted = (text: string, nonce: string): string =>
  text
    .toWellFormed()
    // An earlier answer may hold the word: whoever was asked has seen it.
    .replaceAll(nonce, "[fence]")
    .replace(/<(\/?)\s*untrusted-/gi, "<$1untrusted_")
    .replace(controlTokens, (token) => `\\${token}`)
    .replace(hidden, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/**
 * What servers of open models read as the end of a turn or the begin of another, wherever it stands in a text:
 * `<|im_end|>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`.
 */
const controlTokens =
  /(?<=<)(?:\|[a-z0-9_▁｜]{2,40}\|>|｜[^\s｜]{2,40}｜>|\/?(?:start_of_turn|end_of_turn|bos|eos)>|<\/?SYS>>)|(?<=\[)\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/gi

/** Controls, bidirectional controls, tag characters and zero-width ones that spell nothing. Joiners belong to scripts. */
const hidden =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const attribute = (text: string): string => text.replace(/[\s"<>]+/g, " ").slice(0, 200)
