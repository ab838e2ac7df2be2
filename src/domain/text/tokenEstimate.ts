/**
 * How many tokens a text will take, about: dd holds no model's own tokenizer, and budgets need none.
 *
 * Words count by their length, runs of digits by three, signs one each and white space only where it is long: what the
 * tokenizers of today's models have in common. `docs/prompts.md` has how far it was off. Linear.
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

// A capital begins a word within a name, as tokenizers mostly cut it.
const pieces = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|\s+|[^\x00-\x7f]+|[^\sA-Za-z0-9]+/g
