/** The results of queries about a repository's code: a `certain` one was resolved, any other only has the same name. */
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
  /** True if the place was resolved to the definition; else only the name matches, in a file that may use it. */
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
  /** The lines of the calls in the caller's file. */
  readonly lines: ReadonlyArray<number>
  readonly certain: boolean
}

/** A test file of a definition, and the reason: the file uses it, imports its file, or is named after that file. */
export interface TestOf {
  readonly path: string
  readonly by: "use" | "import" | "name"
}

export interface Answer<A> {
  readonly found: ReadonlyArray<A>
  /** What was not checked, for the reader. */
  readonly omitted: ReadonlyArray<string>
}

/** `Cart.total` */
export const qualifiedName = ({ container, name }: Pick<Definition, "container" | "name">): string =>
  container === null ? name : `${container}.${name}`

/** Splits `total`, `Cart.total`, `Cart::total` or `shop.cart.total` into the name and the words before it. */
export const nameParts = (written: string): { readonly name: string; readonly owner: ReadonlyArray<string> } => {
  const words = written
    .trim()
    .replace(/\(\)$/, "")
    .split(/\.|::|#|\\|\//)
    .filter((word) => word !== "")
  return { name: words.at(-1) ?? "", owner: words.slice(0, -1) }
}

/** Do these words name the container of the definition, its file, or both? */
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
