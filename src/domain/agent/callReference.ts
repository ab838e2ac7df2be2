/**
 * References from the arguments of a call to the result of an earlier call of the same turn: strings of the form
 * `{{calls[n].path}}`. Only own properties are read, and nothing is evaluated.
 */
import { Predicate, Result, type Schema } from "effect"

export interface CallReference {
  readonly text: string
  readonly call: number
  readonly path: ReadonlyArray<string>
}

export class ReferenceUnresolved {
  readonly reference: string
  readonly reason: string
  constructor(reference: string, reason: string) {
    this.reference = reference
    this.reason = reason
  }
}

const form = /^\{\{\s*calls\[(\d{1,4})\]((?:\.[A-Za-z_$][\w$-]*|\[\d{1,9}\])*)\s*\}\}$/
/** Looks like a reference; `{{ user.name }}` is ordinary text. */
const looksLikeReference = /^\{\{\s*calls\b[\s\S]*\}\}$/
const segment = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]/g

/** The references in arguments. Fails for a string that looks like a reference and is not valid. */
export const referencesIn = (value: Schema.Json): Result.Result<ReadonlyArray<CallReference>, ReferenceUnresolved> => {
  const found: Array<CallReference> = []
  for (const text of stringsIn(value)) {
    if (!looksLikeReference.test(text)) continue
    const reference = parse(text)
    if (reference === null) return Result.fail(new ReferenceUnresolved(text, "it is not of the form {{calls[n].path}}"))
    found.push(reference)
  }
  return Result.succeed(found)
}

/** Replaces every reference by its value. `outcomes`: results by the number of their call. */
export const resolveReferences = (
  value: Schema.Json,
  outcomes: ReadonlyMap<number, Schema.Json>
): Result.Result<Schema.Json, ReferenceUnresolved> => {
  if (Predicate.isString(value)) {
    const reference = looksLikeReference.test(value) ? parse(value) : null
    return reference === null ? Result.succeed(value) : lookUp(reference, outcomes)
  }
  if (isList(value)) return Result.all(value.map((item) => resolveReferences(item, outcomes)))
  if (!isRecord(value)) return Result.succeed(value)
  const entries = Object.entries(value).map(([name, item]) =>
    Result.map(resolveReferences(item, outcomes), (resolved) => [name, resolved] as const)
  )
  return Result.map(Result.all(entries), (resolved) => Object.fromEntries(resolved))
}

const lookUp = (
  { call, path, text }: CallReference,
  outcomes: ReadonlyMap<number, Schema.Json>
): Result.Result<Schema.Json, ReferenceUnresolved> => {
  let at = outcomes.get(call)
  if (at === undefined) return Result.fail(new ReferenceUnresolved(text, `call ${call} has no result to take it from`))
  for (const name of path) {
    const next: Schema.Json | undefined = own(at, name)
    if (next === undefined) return Result.fail(new ReferenceUnresolved(text, `the result has no ${name} there`))
    at = next
  }
  return Result.succeed(at)
}

const own = (value: Schema.Json, name: string): Schema.Json | undefined => {
  if (isList(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)
const isRecord = (value: Schema.Json): value is { readonly [name: string]: Schema.Json } => Predicate.isObject(value)

const parse = (text: string): CallReference | null => {
  const match = form.exec(text)
  if (match === null) return null
  const path = [...(match[2] ?? "").matchAll(segment)].map(([, name, index]) => name ?? index ?? "")
  return { text, call: Number(match[1]), path }
}

function* stringsIn(value: Schema.Json): Generator<string> {
  if (Predicate.isString(value)) yield value
  else if (isList(value)) for (const item of value) yield* stringsIn(item)
  else if (isRecord(value)) for (const item of Object.values(value)) yield* stringsIn(item)
}
