/**
 * An upper estimate of the number of tokens of a text, without a tokenizer. English and code have about four characters per
 * token; other scripts have one or more tokens per character.
 */
export const tokensAtMost = (text: string): number => {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) wide++
  return Math.ceil((text.length - wide) / asciiAToken) + wide
}

/** The number of characters from `from` that take at most this many tokens. */
export const charactersWithin = (text: string, from: number, tokens: number): number => {
  let ascii = 0
  let wide = 0
  for (let at = from; at < text.length; at++) {
    if (text.charCodeAt(at) > 127) wide++
    else ascii++
    if (Math.ceil(ascii / asciiAToken) + wide > tokens) return at - from
  }
  return text.length - from
}

const asciiAToken = 3.5
