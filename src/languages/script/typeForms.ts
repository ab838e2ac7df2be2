/** The syntax of types in TypeScript. */
import type { TypeForms } from "../Language.ts"
import { typeArguments, unwrapped } from "../typeArguments.ts"

const stepInto = (type: string, step: string): string | null => {
  if (step === "?") return unwrapped(type)
  if (step === "[]") return elementOf(type)
  if (/^\[\d*\]$/.test(step)) return entryType(type, step)
  const plain = withoutNothing(type)
  if (/^(?:find|findLast|at|pop|shift)\(\)$/.test(step)) return elementOf(plain)
  if (/^(?:filter|slice|concat|reverse|sort|toReversed|toSorted)\(\)$/.test(step)) {
    return elementOf(plain) === null ? null : plain
  }
  if (step === "get()") return entryType(plain, "[1]")
  return step === "values()" && entryType(plain, "[1]") !== null ? `Array<${entryType(plain, "[1]")}>` : null
}

/** `A | undefined` is treated as A. */
const withoutNothing = (type: string): string =>
  type.replace(/^(?:undefined\||null\|)+/, "").replace(/(?:\|undefined|\|null)+$/, "")

/** The key or the value of TypeScript's `Map<K, V>`. */
const entryType = (written: string, step: string): string | null => {
  const table = /^(?:Map|ReadonlyMap)<(.*)>$/s.exec(written)?.[1]
  const key = table === undefined ? null : unwrapped(`Promise<${table}>`)
  if (table === undefined || key === null) return null
  return step === "[0]" ? key : step === "[1]" ? table.slice(key.length + 1) : null
}

const elementOf = (type: string): string | null =>
  /^(?:readonly)?([A-Za-z_$][\w$.]*(?:<.*>)?)\[\]$/s.exec(type)?.[1] ??
  /^(?:Array|ReadonlyArray|Set|ReadonlySet|Iterable)<(.*)>$/s.exec(type)?.[1] ??
  null

export const scriptTypeForms: TypeForms = {
  plain: (type) =>
    /^(?:undefined\||null\|)*([A-Za-z_$][\w$]*(?:\.[\w$]+)?)(?:<.*>)?(?:\|undefined|\|null)*$/s.exec(type)?.[1] ?? null,
  step: stepInto,
  given: typeArguments
}
