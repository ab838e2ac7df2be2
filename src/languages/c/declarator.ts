/** Finds the declared name in a C declarator: inside of pointers, arrays, parameter lists and qualifiers. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { parts, textOf } from "../tree.ts"

/** All declarators of a declaration: they have the same field name. */
export const declaratorsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const first = node.childForFieldName("declarator")
  if (first === null) return []
  if (/^(?:function|inline_method)_definition$/.test(node.type)) return [first]
  return node.namedChildren.filter((child) => child.startIndex >= first.startIndex && isDeclarator(child))
}

const isDeclarator = ({ type }: SyntaxNode): boolean =>
  /declarator$|^(?:type_|field_|qualified_)?identifier$|^operator_/.test(type)

export interface Declared {
  /** The qualified name: `ns::Box::draw`. */
  readonly name: string
  /** The node of the name. */
  readonly at: SyntaxNode
  readonly isFunction: boolean
  /** Neither a pointer nor an array nor a function. */
  readonly isPlain: boolean
  readonly initialized: boolean
}

/** Nodes around a name: the properties that each adds, and the index or the field of the inner node. */
const wrappers: Readonly<Record<string, Partial<Omit<Declared, "name" | "at">> & { readonly inside?: number }>> = {
  init_declarator: { initialized: true },
  function_declarator: { isFunction: true, isPlain: false },
  pointer_declarator: { isFunction: false, isPlain: false },
  array_declarator: { isFunction: false, isPlain: false },
  reference_declarator: { isFunction: false, inside: -1 },
  parenthesized_declarator: { inside: 0 },
  attributed_declarator: { inside: 0 }
}

const named =
  /^(?:identifier|field_identifier|type_identifier|qualified_identifier|operator_name|destructor_name|template_function)$/

/** Unwraps `*(f[3])(int)` to its name; the wrapper nearest to the name decides the kind. */
export const declaredBy = (declarator: SyntaxNode): Declared | null => {
  let at: SyntaxNode | null = declarator
  let found = { isFunction: false, isPlain: true, initialized: false }
  for (let steps = 0; at !== null && steps < 40; steps++) {
    if (named.test(at.type)) return { ...found, name: withoutArguments(at.text), at }
    if (at.type === "operator_cast") {
      return { ...found, name: `operator ${textOf(at, "type")}`, at, isFunction: true, isPlain: false }
    }
    if (!Object.hasOwn(wrappers, at.type)) return null
    const { inside, ...about }: (typeof wrappers)[string] = wrappers[at.type] ?? {}
    found = { ...found, ...about }
    at = inside === undefined ? at.childForFieldName("declarator") : (parts(at).at(inside) ?? null)
  }
  return null
}

/** `ns::Box<std::pair<int, int>>::draw` is ns::Box::draw. */
export const withoutArguments = (text: string): string => {
  const squeezed = text.replace(/\s+/g, "").replace(/^::/, "")
  if (!squeezed.includes("<") || squeezed.includes("operator")) return squeezed
  let depth = 0
  let bare = ""
  for (const char of squeezed) {
    if (char === "<") depth++
    else if (char === ">") depth--
    else if (depth === 0) bare += char
  }
  return bare
}
