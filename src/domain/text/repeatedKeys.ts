/**
 * The path of each key that an object has twice: a JSON parser keeps the last one, and others may keep the first.
 *
 * `text` is JSON that a parser has accepted. Linear; nothing is recursive.
 */
import { Option, Schema } from "effect"
import { closingOf } from "./closingQuote.ts"

const parseString = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

interface Open {
  /** Of an object; null in a list. */
  readonly keys: Set<string> | null
  /** The key or the index of the next value in it. */
  at: string | number
}

export const repeatedKeys = (text: string): ReadonlyArray<ReadonlyArray<string | number>> => {
  const found: Array<ReadonlyArray<string | number>> = []
  const open: Array<Open> = []
  let last = ""
  for (let place = 0; place < text.length; place++) {
    const sign = text[place]
    const inside = open.at(-1)
    if (sign === '"') {
      const { end } = closingOf(text, place + 1, sign)
      last = text.slice(place, end + 1)
      place = end
    } else if (sign === "{" || sign === "[") open.push({ keys: sign === "{" ? new Set() : null, at: 0 })
    else if (sign === "}" || sign === "]") open.pop()
    else if (sign === "," && typeof inside?.at === "number") inside.at++
    else if (sign === ":" && inside?.keys) {
      const key = Option.getOrElse(parseString(last), () => last)
      inside.at = key
      if (inside.keys.has(key)) found.push(open.map(({ at }) => at))
      inside.keys.add(key)
    }
  }
  return found
}
