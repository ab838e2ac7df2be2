/** A function on both sides of a change, as the names that it uses, and what the change takes from it. Pure. */
import type { CallShape, Definition, Occurrence } from "./Symbol.ts"

export interface NamedOccurrence extends Occurrence {
  readonly name: string
}

export interface FunctionVersion {
  readonly definition: Definition
  /** Those in or near changed lines, in source order; none if the head version is not asynchronous. */
  readonly names: ReadonlyArray<NamedOccurrence>
  readonly text: string
}

export interface EditedFunction {
  readonly path: string
  readonly base: FunctionVersion
  readonly head: FunctionVersion
}

export interface Loss {
  readonly name: string
  /** Of the head side: where the function or the call begins. */
  readonly line: number
  /** Of the base side: where the name was read, or the call was. */
  readonly before: number
}

/** Parameters of both versions that only the base version reads. */
export const unreadParameters = ({ base, head }: EditedFunction): ReadonlyArray<Loss> => {
  // The parameters of an override are its parent's.
  if (head.definition.inherited === true || saysWhy.test(head.text)) return []
  const given = new Set(parametersOf(head))
  return parametersOf(base).flatMap((name) => {
    if (!given.has(name) || linesWith(head, name).length !== 1) return []
    const [, read] = linesWith(base, name)
    return read === undefined ? [] : [{ name, line: head.definition.line, before: read }]
  })
}

/** The line of each occurrence of the name in code; the first is the parameter itself. */
const linesWith = (version: FunctionVersion, name: string): ReadonlyArray<number> => {
  const { definition } = version
  const code = codeOf(version)
  return [...code.matchAll(new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${RegExp.escape(name)}(?![\\w$])`, "g"))].map(
    ({ index }) => definition.line + code.slice(0, index).split("\n").length - 1
  )
}

/** The function is not written yet, says that it ignores something, or reads its parameters without their names. */
const saysWhy =
  /NotImplemented|not (?:yet )?implemented|unimplemented|todo!|deprecat|unused|ignored|no longer|backwards?.compat|\blocals\(\)|\barguments\b|\beval\(/i

/** The text with comments replaced by spaces. */
const codeOf = ({ text }: FunctionVersion): string =>
  text.replaceAll(aside, (comment) => comment.replace(/[^\n]/g, " "))

/** Comments and documentation; what a macro or a template reads is not in the tree as a name. */
const aside = /(?<!\w)"""[\s\S]*?"""|\/\*[\s\S]*?\*\/|(?<!\S)(?:#|\/\/).*/g

const parametersOf = ({ definition }: FunctionVersion): ReadonlyArray<string> =>
  definition.signature?.parameters.map(({ name }) => name).filter((name) => !/^_|^(?:self|cls|this)$/.test(name)) ?? []

/** Calls that the base version awaits and whose result the head version drops. */
export const unawaitedCalls = ({ base, head }: EditedFunction): ReadonlyArray<Loss> =>
  pairsOf(base, head).flatMap(({ after, before, name }) => {
    const isLost = before.value === "awaited" && after.value === "dropped" && head.definition.signature?.async === true
    return isLost ? [{ name, line: after.line, before: before.line }] : []
  })

interface Call extends NamedOccurrence {
  readonly call: CallShape
}

/** The calls of one name on one object, in order, where both versions have as many. */
const pairsOf = (base: FunctionVersion, head: FunctionVersion) => {
  const before = Map.groupBy(callsOf(base), keyOf)
  return [...Map.groupBy(callsOf(head), keyOf)].flatMap(([key, calls]) => {
    const old = before.get(key) ?? []
    return old.length === calls.length ? calls.map((after, at) => ({ name: after.name, after, before: old[at]! })) : []
  })
}

const callsOf = ({ names }: FunctionVersion): ReadonlyArray<Call> =>
  names.filter((each): each is Call => each.call !== null && (each.kind === "use" || each.receiver !== null))

const keyOf = ({ name, receiver }: Call): string => `${receiver ?? ""}.${name}`
