/** What can be asked of a repository's code, and the answers. Pure: a `certain` answer was resolved, any other shares a name. */
import type { Definition } from "./Symbol.ts"

/** A definition and its file. */
export interface DefinitionPlace {
  readonly path: string
  readonly definition: Definition
}

export interface Reference {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly kind: "import" | "call" | "use"
  /** The place was followed to the definition; else it has the name, in a file that may mean it. */
  readonly certain: boolean
}

/** A function or method that calls another one; null for code at the top of a file. */
export interface Caller {
  readonly path: string
  readonly definition: Definition | null
  readonly lines: ReadonlyArray<number>
  readonly certain: boolean
}

export interface Callee extends DefinitionPlace {
  /** Where it is called, in the caller's file. */
  readonly lines: ReadonlyArray<number>
  readonly certain: boolean
}

/** A test file, and how it is known to test what was asked for: it uses it, it imports its file, or it is named after it. */
export interface TestOf {
  readonly path: string
  readonly by: "use" | "import" | "name"
}

export interface Answer<A> {
  readonly found: ReadonlyArray<A>
  /** What was not looked at, for the reader. */
  readonly omitted: ReadonlyArray<string>
}

/** `Cart.total`, as a reader would write it. */
export const qualifiedName = ({ container, name }: Pick<Definition, "container" | "name">): string =>
  container === null ? name : `${container}.${name}`

/** `total`, `Cart.total`, `Cart::total`, `shop.cart.total`: the name, and the words before it. */
export const nameParts = (written: string): { readonly name: string; readonly owner: ReadonlyArray<string> } => {
  const words = written
    .trim()
    .replace(/\(\)$/, "")
    .split(/\.|::|#|\\|\//)
    .filter((word) => word !== "")
  return { name: words.at(-1) ?? "", owner: words.slice(0, -1) }
}

/** Is it the one that is asked for by these words: those of its container, or of its file, or of both? */
export const isNamedBy = ({ definition, path }: DefinitionPlace, owner: ReadonlyArray<string>): boolean => {
  if (owner.length === 0) return true
  const folders = path
    .replace(/\.\w+$/, "")
    .replace(/\/(?:__init__|index|mod|lib)$/, "")
    .split("/")
  const around = [...folders, ...(definition.container?.split(".") ?? [])]
  return owner.every((word, at) => around[around.length - owner.length + at] === word)
}

/** The innermost function or method around a line. */
export const enclosingFunction = (definitions: ReadonlyArray<Definition>, line: number): Definition | null => {
  let found: Definition | null = null
  for (const each of definitions) {
    if (each.kind !== "function" && each.kind !== "method") continue
    if (each.line <= line && line <= each.endLine && (found === null || each.line >= found.line)) found = each
  }
  return found
}
