/** How C writes a declared name: inside of pointers, arrays, parameter lists and qualifiers. Pure. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { parts, textOf } from "../tree.ts"

/** All of a declaration's declarators: they share one field name. */
export const declaratorsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const first = node.childForFieldName("declarator")
  if (first === null) return []
  if (/^(?:function|inline_method)_definition$/.test(node.type)) return [first]
  return node.namedChildren.filter((child) => child.startIndex >= first.startIndex && isDeclarator(child))
}

const isDeclarator = ({ type }: SyntaxNode): boolean =>
  /declarator$|^(?:type_|field_|qualified_)?identifier$|^operator_/.test(type)

export interface Declared {
  /** Whole, with its qualifiers: `ns::Box::draw`. */
  readonly name: string
  /** The node of the name. */
  readonly at: SyntaxNode
  readonly isFunction: boolean
  /** Neither a pointer nor an array nor a function. */
  readonly isPlain: boolean
  readonly initialized: boolean
}

/** Unwraps `*(f[3])(int)` down to its name; what is nearest to the name decides what it is. */
export const declaredBy = (declarator: SyntaxNode): Declared | null => {
  let at: SyntaxNode | null = declarator
  let isFunction = false
  let isPlain = true
  let initialized = false
  for (let steps = 0; at !== null && steps < 40; steps++) {
    switch (at.type) {
      case "init_declarator":
        initialized = true
        at = at.childForFieldName("declarator")
        break
      case "function_declarator":
        isFunction = true
        isPlain = false
        at = at.childForFieldName("declarator")
        break
      case "pointer_declarator":
      case "array_declarator":
        isFunction = false
        isPlain = false
        at = at.childForFieldName("declarator")
        break
      case "reference_declarator":
        isFunction = false
        at = parts(at).at(-1) ?? null
        break
      case "parenthesized_declarator":
      case "attributed_declarator":
        at = parts(at)[0] ?? null
        break
      case "operator_cast":
        return {
          name: `operator ${textOf(at, "type")}`,
          at,
          isFunction: true,
          isPlain: false,
          initialized
        }
      case "identifier":
      case "field_identifier":
      case "type_identifier":
      case "qualified_identifier":
      case "operator_name":
      case "destructor_name":
      case "template_function":
        return { name: withoutArguments(at.text), at, isFunction, isPlain, initialized }
      default:
        return null
    }
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
