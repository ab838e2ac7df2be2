/**
 * References from one call's arguments to the result of an earlier call of the same turn: a string that is nothing but
 * `{{calls[n].path}}`.
 *
 * The grammar is closed (`calls`, an index, then `.name` and `[index]`), only own properties are looked at, and nothing
 * is evaluated. Source: reference agent-lifecycle §3.6.
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

const whole = /^\{\{\s*calls\[(\d{1,4})\]((?:\.[A-Za-z_$][\w$-]*|\[\d{1,9}\])*)\s*\}\}$/
/** Looks like one, so it was meant as one; `{{ user.name }}` is a text that somebody looks for. */
const meant = /^\{\{\s*calls\b[\s\S]*\}\}$/
const segment = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]/g

/** What the arguments refer to; a string that looks like a reference and is none is a fault. */
export const referencesIn = (value: Schema.Json): Result.Result<ReadonlyArray<CallReference>, ReferenceUnresolved> => {
  const found: Array<CallReference> = []
  for (const text of stringsIn(value)) {
    if (!meant.test(text)) continue
    const reference = parse(text)
    if (reference === null) return Result.fail(new ReferenceUnresolved(text, "it is not of the form {{calls[n].path}}"))
    found.push(reference)
  }
  return Result.succeed(found)
}

/** The arguments with every reference replaced by what it names. `outcomes` are results by the number of their call. */
export const resolveReferences = (
  value: Schema.Json,
  outcomes: ReadonlyMap<number, Schema.Json>
): Result.Result<Schema.Json, ReferenceUnresolved> => {
  if (Predicate.isString(value)) {
    const reference = meant.test(value) ? parse(value) : null
    return reference === null ? Result.succeed(value) : lookUp(reference, outcomes)
  }
  if (isList(value)) {
    const items: Array<Schema.Json> = []
    for (const item of value) {
      const resolved = resolveReferences(item, outcomes)
      if (Result.isFailure(resolved)) return resolved
      items.push(resolved.success)
    }
    return Result.succeed(items)
  }
  if (!isRecord(value)) return Result.succeed(value)
  const entries: Array<readonly [string, Schema.Json]> = []
  for (const [name, item] of Object.entries(value)) {
    const resolved = resolveReferences(item, outcomes)
    if (Result.isFailure(resolved)) return resolved
    entries.push([name, resolved.success])
  }
  return Result.succeed(Object.fromEntries(entries))
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
  const match = whole.exec(text)
  if (match === null) return null
  const path = [...(match[2] ?? "").matchAll(segment)].map(([, name, index]) => name ?? index ?? "")
  return { text, call: Number(match[1]), path }
}

function* stringsIn(value: Schema.Json): Generator<string> {
  if (Predicate.isString(value)) yield value
  else if (isList(value)) for (const item of value) yield* stringsIn(item)
  else if (isRecord(value)) for (const item of Object.values(value)) yield* stringsIn(item)
}
