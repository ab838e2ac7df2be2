/** JSON in configuration files. */
import { Result } from "effect"

/** Parses JSON with comments and trailing commas; null if it is not valid. */
export const parseJsonc = (text: string): unknown => {
  const strict = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(strict) ? strict.success : parseLoosely(text)
}

const parseLoosely = (text: string): unknown => {
  const tokens: Array<string> = []
  let comma = false
  for (let i = text.startsWith("\ufeff") ? 1 : 0; i < text.length; i++) {
    const char = text[i]!
    const start = i
    if (char === "/" && text[i + 1] === "/") {
      const end = text.indexOf("\n", i)
      i = end < 0 ? text.length : end
      continue
    }
    if (char === "/" && text[i + 1] === "*") {
      const end = text.indexOf("*/", i + 2)
      i = end < 0 ? text.length : end + 1
      continue
    }
    if (char === "," || /\s/.test(char)) {
      comma ||= char === ","
      continue
    }
    // A comma counts only when something other than a closing bracket follows it.
    if (comma && char !== "}" && char !== "]") tokens.push(",")
    comma = false
    if (char === '"') {
      i++
      while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1
    }
    tokens.push(text.slice(start, i + 1))
  }
  return Result.getOrNull(Result.try((): unknown => JSON.parse(tokens.join(""))))
}
