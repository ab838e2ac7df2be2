/**
 * What a JSON parser passes over and others do not agree on: keys that an object has twice. The path of each.
 *
 * `text` is JSON, as a parser has found before. Linear; nothing is recursive.
 */
import { Option, Schema } from "effect"

/** Strings first, so that their content is not taken for structure. */
const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]/g

const parseString = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

interface Open {
  /** Of an object; null in a list. */
  readonly keys: Set<string> | null
  /** Where in it the next value stands. */
  at: string | number
}

export const repeatedKeys = (text: string): ReadonlyArray<ReadonlyArray<string | number>> => {
  const found: Array<ReadonlyArray<string | number>> = []
  const open: Array<Open> = []
  let last = ""
  for (const [word] of text.matchAll(token)) {
    const inside = open.at(-1)
    if (word === "{" || word === "[") open.push({ keys: word === "{" ? new Set() : null, at: 0 })
    else if (word === "}" || word === "]") open.pop()
    else if (word === "," && typeof inside?.at === "number") inside.at++
    else if (word === ":" && inside?.keys) {
      const key = Option.getOrElse(parseString(last), () => last)
      inside.at = key
      if (inside.keys.has(key)) found.push(open.map(({ at }) => at))
      inside.keys.add(key)
    }
    last = word
  }
  return found
}
