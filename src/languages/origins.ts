/** What the readers of all languages share in finding out where an object comes from. Pure. */
import type { Origin } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"

/** An object of a type that is written down. */
export const typed = (type: string): Origin => ({ root: { _tag: "Typed", type }, steps: [] })

/** What a name holds, or what a call of it returns. */
export const named = (name: string): Origin => ({ root: { _tag: "Value", name }, steps: [] })

/** Members further on; null where the beginning is unknown. */
export const followed = (origin: Origin | null, ...steps: ReadonlyArray<string>): Origin | null =>
  origin === null ? null : { root: origin.root, steps: [...origin.steps, ...steps] }

/** The origin that all of them have; null where they differ or there is none. */
export const sharedOrigin = ([first = null, ...others]: ReadonlyArray<Origin | null>): Origin | null =>
  others.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : null

/** Limits on one search. */
export interface Trail {
  /** How many more names may be looked up. */
  left: number
  /** Names that are being looked up: a value that is made from itself has no origin. */
  readonly names: Set<string>
}

export const newTrail = (): Trail => ({ left: 24, names: new Set() })

/** What the places that bind the name have in common; `unbound` where there is none. */
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

/** A function with more returns than this is not asked what they have in common. */
const mostReturns = 4

/** What all `return` statements of a function have in common. */
export const returnedOrigin = (
  returns: ReadonlyArray<SyntaxNode>,
  originOf: (value: SyntaxNode | null) => Origin | null
): Origin | null =>
  returns.length > mostReturns
    ? null
    : sharedOrigin(returns.map(({ namedChildren: [value = null] }) => originOf(value)))
