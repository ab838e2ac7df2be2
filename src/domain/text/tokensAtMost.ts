/**
 * About how many tokens a text takes, without a tokenizer: rather too many than too few, so that what is counted to fit
 * fits. Source: words of English and code take some four characters a token; other scripts take one or more a character.
 */
export const tokensAtMost = (text: string): number => {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) wide++
  return Math.ceil((text.length - wide) / asciiAToken) + wide
}

/** How many characters from `from` on take at most so many tokens. */
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
