/** The results of queries about a repository's code: a `certain` one was resolved, any other only has the same name. */
import { compareText } from "../text/compareText.ts"
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

/** The same of a name that a person writes as the language does: `(*Cart).Total`, `total(items)`, `Cart.total/2`. */
export const askedParts = (written: string): ReturnType<typeof nameParts> =>
  nameParts(
    written
      .trim()
      .replace(/\([^()]*\)$|\/\d+$/, "")
      .replace(/^\([*&]?([^()]*)\)(?=\.)/, "$1")
  )

/**
 * Do these words name the container of the definition, its file, or both? Of a definition at the top of a file, the
 * folder is enough, because it is the package or the module in many languages. Words may be left out between them.
 */
export const isNamedBy = ({ definition, path }: DefinitionPlace, owner: ReadonlyArray<string>): boolean => {
  const words = owner.filter((word) => !relativeOwners.has(word))
  if (words.length === 0) return true
  const file = path.replace(/\.\w+$/, "").split("/")
  const container = definition.container?.split(".") ?? []
  const isAround = (around: ReadonlyArray<string>) => around.at(-1) === words.at(-1) && hasInOrder(around, words)
  return isAround([...file, ...container]) || (container.length === 0 && isAround(file.slice(0, -1)))
}

/** Words for the place where a path of names is written. */
const relativeOwners: ReadonlySet<string> = new Set(["crate", "self", "super", "this"])

const hasInOrder = (around: ReadonlyArray<string>, words: ReadonlyArray<string>): boolean => {
  let at = 0
  for (const word of around) if (word === words[at]) at++
  return at === words.length
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

/** By path, then line. */
export const byPlace = (a: DefinitionPlace, b: DefinitionPlace): number =>
  compareText(a.path, b.path) || a.definition.line - b.definition.line

/** A definition that is called on several lines is one callee; it is certain if one of the calls is. By place. */
export const mergedCallees = (callees: ReadonlyArray<Callee>): ReadonlyArray<Callee> =>
  [...Map.groupBy(callees, ({ definition, path }) => `${path}:${definition.line} ${definition.name}`).values()]
    .flatMap((same) => {
      const lines = [...new Set(same.flatMap((each) => each.lines))].toSorted((a, b) => a - b)
      return same.slice(0, 1).map((each) => ({ ...each, lines, certain: same.some(({ certain }) => certain) }))
    })
    .toSorted(byPlace)
