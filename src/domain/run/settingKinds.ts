/** The kinds of values of settings: which values are valid, and how the text of a flag or a variable is read. */
import { oneLine } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Suggestion.ts"
import { switches, switchWord } from "./switchWord.ts"

export interface Kind<A> {
  /** Completes "fail_on ..."; null for a value of this kind. */
  readonly fault: (value: unknown) => string | null
  readonly accepts: (value: unknown) => value is A
  /** An invalid value stays a text, and `fault` reports it. */
  readonly read: (text: string) => unknown
  /** The one form of a value that can be written in several. */
  readonly plain: (value: unknown) => unknown
  /** Are the values of all places joined, instead of using the first one? */
  readonly isList: boolean
}

const kind = <A>(fault: Kind<A>["fault"], read: Kind<A>["read"], isList = false): Kind<A> => ({
  fault,
  accepts: (value): value is A => fault(value) === null,
  read,
  plain: (value) => value,
  isList
})

const trimmed = (text: string): string => text.trim()

export const choice = <A extends string>(choices: ReadonlyArray<A>): Kind<A> =>
  kind((value) => {
    if (choices.some((each) => each === value)) return null
    const closest = typeof value === "string" ? nearest(value, choices) : null
    return `must be one of ${choices.join(", ")}, not ${shown(value)}${didYouMean(closest)}`
  }, trimmed)

/** On or off. */
export const onOff = {
  ...choice(switches),
  plain: (value: unknown): unknown => switchWord(value) ?? value
}

/** `unit`: what is counted, such as "seconds". */
export const count = (min: number, max: number, unit: string): Kind<number> =>
  kind(
    (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
        ? null
        : `must be a whole number of ${unit} from ${min} to ${max}, not ${shown(value)}`,
    (text) => (/^-?\d{1,9}$/.test(text.trim()) ? Number(text) : text)
  )

export const dollars: Kind<number> = kind(
  (value) =>
    typeof value === "number" && value >= 0 && value < 1e9
      ? null
      : `must be at least 0 dollars, as in 2.5, not ${shown(value)}`,
  (text) => (/^-?\d{1,9}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : text)
)

/** From 0 to 1. */
export const share: Kind<number> = kind(
  (value) =>
    typeof value === "number" && value >= 0 && value <= 1
      ? null
      : `must be a number from 0 to 1, as in 0.7, not ${shown(value)}`,
  (text) => (/^[01](\.\d{1,6})?$/.test(text.trim()) ? Number(text) : text)
)

/** `fault` describes what is wrong with a text. */
export const text = (what: string, fault: (text: string) => string | null): Kind<string> =>
  kind((value) => {
    if (typeof value !== "string") return `must be ${what}, not ${shown(value)}`
    const wrong = fault(value)
    return wrong === null ? null : `must be ${what}, not ${shown(value)}: ${wrong}`
  }, trimmed)

/** `fault` describes what is wrong with an item. */
export const list = (what: string, fault: (item: string) => string | null): Kind<ReadonlyArray<string>> =>
  kind(
    (value) => {
      if (!Array.isArray(value)) return `must be a list of ${what}, not ${shown(value)}`
      for (const item of value) {
        const wrong = typeof item === "string" ? fault(item) : `each of its ${what} must be text`
        if (wrong !== null) return `has ${shown(item)}: ${wrong}`
      }
      return null
    },
    (text) =>
      text
        .split(",")
        .map(trimmed)
        .filter((item) => item !== ""),
    true
  )

/** A value in an error: quoted, on one line, short. */
export const shown = (value: unknown): string => {
  const text = oneLine(JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
