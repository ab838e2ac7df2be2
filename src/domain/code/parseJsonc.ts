/** JSON in configuration files. */
/** Parses JSON with comments and trailing commas; null if it is not valid. */
export const parseJsonc = (text: string): unknown => {
  const strict = parsed(text)
  return strict === undefined ? (parsed(withoutComments(text)) ?? null) : strict
}

/** Undefined if it is not valid. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Also without trailing commas. */
const withoutComments = (text: string): string => {
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
  return tokens.join("")
}
