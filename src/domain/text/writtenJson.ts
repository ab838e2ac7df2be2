/**
 * JSON that a model wrote, as a value: none where it is not JSON, or so deep that walking it is a danger. A code fence
 * around it is no part of it.
 */
import { Option, Schema } from "effect"

/** Levels of objects and lists. */
const deepest = 200

export const writtenJson = (text: string): Option.Option<Schema.Json> => {
  const body = withoutFence(text.trim())
  return isTooDeep(body) ? Option.none() : decode(body)
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const withoutFence = (text: string): string =>
  text.startsWith("```")
    ? text
        .replace(/^```[A-Za-z0-9]*\s*/, "")
        .replace(/```$/, "")
        .trim()
    : text

const isTooDeep = (text: string): boolean => {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === backslash) at++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === brace || code === bracket) depth++
    else if (code === closingBrace || code === closingBracket) depth--
    if (depth > deepest) return true
  }
  return false
}

const [quote, backslash, brace, closingBrace, bracket, closingBracket] = [34, 92, 123, 125, 91, 93]
