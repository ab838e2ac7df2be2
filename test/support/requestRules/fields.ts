/** JSON of a request, read without trust: what is missing is empty. */
import { createHash } from "node:crypto"

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fields = (value: unknown): Fields => (isFields(value) ? value : {})
export const list = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fields) : [])
export const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16)

/** Values that are there more than once. */
export const repeated = (values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at))
]

const toolName = /^[a-zA-Z0-9_-]{1,64}$/

/** What is wrong with the names of tools; `named`: the one that must be called. */
export const toolNameFaults = (names: ReadonlyArray<string>, named: string | null): ReadonlyArray<string> => [
  ...names.filter((name) => !toolName.test(name)).map((name) => `tools: the name "${name}" does not match ${toolName}`),
  ...repeated(names).map((name) => `tools: Tool names must be unique: ${name}`),
  ...(named === null || names.includes(named) ? [] : [`tool_choice: Tool '${named}' not found in provided tools`])
]

/** Keys that the request may not have. */
export const unknownKeys = (value: Fields, known: ReadonlySet<string>, place = ""): ReadonlyArray<string> =>
  Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `${place}${key}: Extra inputs are not permitted`)
