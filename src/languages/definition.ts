/** What the readers of all languages write down of a definition. Pure. */
import type { Definition, Signature } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { lineOf, squeezed } from "./tree.ts"

export const definitionOf = (
  name: string,
  kind: Definition["kind"],
  container: string | null,
  signature: Signature | null,
  node: SyntaxNode
): Definition => ({
  name,
  kind,
  container,
  signature,
  line: lineOf(node),
  endLine: node.endPosition.row + 1,
  shape: squeezed(node).replace(name, "")
})

/** The type as it is written; nothing where none is written. */
export const typeFrom = (node: SyntaxNode | null): { readonly type?: string } =>
  node === null ? {} : { type: squeezed(node) }

type Result = Pick<Definition, "type" | "gives">

/** The declared type of a result; without one, where the result comes from. */
export const resultFrom = (type: string | null, origin: () => Definition["gives"] | null): Result => {
  if (type !== null) return { type }
  const gives = origin()
  return gives == null ? {} : { gives }
}

/** A method that returns its own object returns one of whatever class the object has: its type is `self`. */
export const ofItself = (result: Result, className: string, self: string): Result => {
  const { root, steps } = result.gives ?? {}
  return root?._tag === "Typed" && root.type === className && steps?.length === 0 ? { type: self } : result
}
