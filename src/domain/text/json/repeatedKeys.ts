/**
 * The paths of repeated keys in objects: JSON parsers keep different ones.
 *
 * `text` must be valid JSON. Linear, without recursion.
 */
import { Option, Schema } from "effect"
import { closingOf } from "../closingQuote.ts"

const parseString = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

interface Open {
  /** The keys of an object; null in a list. */
  readonly keys: Set<string> | null
  /** The key or the index of the next value. */
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
