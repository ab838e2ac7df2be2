/** Builds definitions; shared by the readers of all languages. */
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

/** The type as written, if any. */
export const typeFrom = (node: SyntaxNode | null): { readonly type?: string } =>
  node === null ? {} : { type: squeezed(node) }

type Result = Pick<Definition, "type" | "valueOrigin">

/** The declared type of a result, or else its origin. */
export const resultFrom = (type: string | null, origin: () => Definition["valueOrigin"] | null): Result => {
  if (type !== null) return { type }
  const valueOrigin = origin()
  return valueOrigin == null ? {} : { valueOrigin }
}

/** The result of a method that returns its own object has the type `self`. */
export const ofItself = (result: Result, className: string, self: string): Result => {
  const { root, steps } = result.valueOrigin ?? {}
  return root?._tag === "Type" && root.type === className && steps?.length === 0 ? { type: self } : result
}
