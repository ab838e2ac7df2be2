/**
 * Estimates the number of tokens of a text: dd contains no tokenizer, and budgets do not need one.
 *
 * Words count by length, digits in groups of three, signs one each, and white space only if it is long, which is similar in
 * the tokenizers of current models. `docs/prompts.md` has the measured deviation. Linear.
 */

export const tokenEstimate = (text: string): number => {
  let tokens = 0
  for (const [piece] of text.matchAll(pieces)) {
    const first = piece.charCodeAt(0)
    if (isLetter(first)) tokens += piece.length <= 7 ? 1 : Math.ceil(piece.length / 5)
    else if (first >= 48 && first <= 57) tokens += Math.ceil(piece.length / 3)
    else if (piece.trim() === "") tokens += piece.includes("\n") ? 1 : piece.length > 1 ? 1 : 0
    else if (first > 127) tokens += piece.length
    else tokens += Math.ceil(piece.length / 2)
  }
  return tokens
}

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

// A capital starts a word inside a name, as in most tokenizers.
const pieces = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|\s+|[^\x00-\x7f]+|[^\sA-Za-z0-9]+/g
