/** Calls taken apart, in the languages whose grammars name the parts of a call alike. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { parts } from "../../languages/tree.ts"
import { rememberedFor } from "./rememberedFor.ts"

interface Call {
  /** What is called, as text; "" when it is not a name or a path of names. */
  readonly called: string
  /** `append` in `xs.append(x)`. */
  readonly method: string | null
  readonly object: SyntaxNode | null
  readonly list: SyntaxNode | null
  readonly args: ReadonlyArray<SyntaxNode>
}

interface Language {
  /** The node that takes a member, and the field of the member. */
  readonly member: string
  readonly field: string
  /** The node of a list of arguments. */
  readonly list: string
}

/** Takes apart a call, or a `new`. */
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
