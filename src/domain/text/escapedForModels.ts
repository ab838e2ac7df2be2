/** Foreign text as models see it: what could end a fence, take another role or hide is escaped visibly. Idempotent; keeps lines. */
export const escapedForModels = (text: string): string =>
  text
    .replace(/<(\/?)\s*untrusted-/gi, "<$1untrusted_")
    .replace(controlTokens, (token) => `\\${token}`)
    .replace(hidden, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/** Turn boundaries for servers of open models: `<|im_end|>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`. */
const controlTokens =
  /(?<=<)(?:\|[a-z0-9_▁｜]{2,40}\|>|｜[^\s｜]{2,40}｜>|\/?(?:start_of_turn|end_of_turn|bos|eos)>|<\/?SYS>>)|(?<=\[)\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/gi

/** Control, bidirectional, tag and zero-width characters, without joiners, which some scripts need. */
const hidden =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
