/** Turns settings of a configuration file into sentences. A file that cannot be parsed has none. */
import { Result } from "effect"
import { Toml } from "effect/encoding"

/** The name of a convention, and its description. */
type Stated = readonly [name: string, description: string]

export type Reader = (text: string) => ReadonlyArray<Stated>

type Table = Readonly<Record<string, unknown>>

export const table = (value: unknown): Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date) ? { ...value } : {}

export const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>((inner, key) => table(inner)[key], value)

export const toml = (text: string): Table => Result.getOrElse(Toml.parse(text), () => ({}))

export const scalar = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null

/** `key value` for each of the keys that are set, in the given order. */
export const settings = (from: unknown, keys: ReadonlyArray<string>): string =>
  keys
    .flatMap((key) => {
      const value = scalar(at(from, ...key.split(".")))
      return value === null ? [] : [`${key} ${value}`]
    })
    .join(", ")

export const sentence = (name: string, description: string): ReadonlyArray<Stated> =>
  description === "" ? [] : [[name, description]]

export const stated =
  (name: string, description: string): Reader =>
  () => [[name, description]]
