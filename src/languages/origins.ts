/** Determines where an object comes from; shared by the readers of all languages. Pure. */
import type { Origin } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"

/** An object of a declared type. */
export const typed = (type: string): Origin => ({ root: { _tag: "Type", type }, steps: [] })

/** The value of a name, or the result of calling it. */
export const named = (name: string): Origin => ({ root: { _tag: "Value", name }, steps: [] })

/** The origin with further member accesses; null if the origin is unknown. */
export const followed = (origin: Origin | null, ...steps: ReadonlyArray<string>): Origin | null =>
  origin === null ? null : { root: origin.root, steps: [...origin.steps, ...steps] }

/** The origin they all share; null if they differ or there is none. */
export const sharedOrigin = ([first = null, ...others]: ReadonlyArray<Origin | null>): Origin | null =>
  others.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : null

/** Limits on one search. */
export interface Trail {
  /** How many more names may be looked up. */
  left: number
  /** Names that are being looked up: a value derived from itself has no origin. */
  readonly names: Set<string>
}

export const newTrail = (): Trail => ({ left: 24, names: new Set() })

/** The common origin of all bindings of the name; the name itself if it has none. */
export const lookedUp = (
  { text }: SyntaxNode,
  trail: Trail,
  origins: () => ReadonlyArray<Origin | null>
): Origin | null => {
  if (trail.names.has(text) || trail.left-- <= 0) return null
  trail.names.add(text)
  const found = origins()
  trail.names.delete(text)
  return found.length === 0 ? named(text) : sharedOrigin(found)
}

/** A function with more returns than this has no common origin. */
const mostReturns = 4

/** The common origin of all `return` statements of a function. */
export const returnedOrigin = (
  returns: ReadonlyArray<SyntaxNode>,
  originOf: (value: SyntaxNode | null) => Origin | null
): Origin | null =>
  returns.length > mostReturns
    ? null
    : sharedOrigin(returns.map(({ namedChildren: [value = null] }) => originOf(value)))
