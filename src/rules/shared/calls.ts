/** Reads calls in languages whose grammars have the same fields for the parts of a call. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { parts } from "../../languages/tree.ts"
import { rememberedFor } from "./rememberedFor.ts"

interface Call {
  /** The name or path of names that is called; "" if it is something else. */
  readonly called: string
  /** `append` in `xs.append(x)`. */
  readonly method: string | null
  readonly object: SyntaxNode | null
  readonly list: SyntaxNode | null
  readonly args: ReadonlyArray<SyntaxNode>
}

interface Language {
  /** The node of a member access, and the field of the member. */
  readonly member: string
  readonly field: string
  /** The node of a list of arguments. */
  readonly list: string
}

/** Reads a call, or a `new`. */
export const callReader = ({ field, list, member }: Language): ((node: SyntaxNode) => Call) =>
  rememberedFor((node) => {
    const called = node.childForFieldName("function") ?? node.childForFieldName("constructor")
    const given = node.childForFieldName("arguments")
    return {
      called: called !== null && ["identifier", member].includes(called.type) ? called.text : "",
      method: called?.childForFieldName(field)?.text ?? null,
      object: called?.childForFieldName("object") ?? null,
      list: given,
      args: given?.type === list ? parts(given) : []
    }
  })
