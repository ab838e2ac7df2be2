/** Objects that are declared beside their type, read from a line alone. */
import { wordPlaces } from "../../code/Symbol.ts"

/** A longer line is part of a bundle, or data. */
const longestLine = 1_000

/**
 * The names of objects of a type that a line declares, or of the functions that return one: `cart` in `cart: Cart`,
 * `Cart cart`, `cart := &Cart{`, `cart = new Cart(`, `cart() Cart` and `def cart() -> Cart`.
 */
export const declaredBeside = (text: string, type: string): ReadonlyArray<string> =>
  text.length > longestLine
    ? []
    : wordPlaces(text, type).flatMap((at) => {
        const before = text.slice(Math.max(0, at - 120), at)
        const [, first] = nameBefore.exec(before) ?? []
        const [, second] =
          /^(?:<[^<>]*>)?[&*?!]?\s+([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(text.slice(at + type.length)) ?? []
        return [first ?? [], second ?? []].flat().filter((name) => !keywords.has(name))
      })

const nameBefore =
  /([\p{L}_$][\p{L}\p{N}_$]*)[?!]?(?:\([^()]*\))?\s*(?:->|:=|[:=]|\s)\s*(?:new\s+|await\s+|mut\s+|'\w+\s+|[&*]|\w+[<[.]|\w+::)*$/u
const keywords = new Set(
  "return new await type class struct interface enum trait impl for in of from import export extends implements as is instanceof const let var func fn def public private protected static final override and or not if else case throw throws raise yield".split(
    " "
  )
)
