/** How C writes a declared name: inside of pointers, arrays, parameter lists and qualifiers. Pure. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { textOf } from "../draft.ts"
import { childOf, parts } from "../tree.ts"

/** All of a declaration's declarators: they share one field name. */
export const declaratorsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const first = node.childForFieldName("declarator")
  if (first === null) return []
  if (/^(?:function|inline_method)_definition$/.test(node.type)) return [first]
  return node.namedChildren.filter((child) => child.startIndex >= first.startIndex && isDeclarator(child))
}

const isDeclarator = ({ type }: SyntaxNode): boolean =>
  /declarator$|^(?:type_|field_|qualified_)?identifier$|^operator_/.test(type)

/** Is this child of a declaration one of its declarators? */
export const declares = (node: SyntaxNode, declaration: SyntaxNode): boolean => {
  const first = declaration.childForFieldName("declarator")
  return first !== null && (first.id === node.id || (node.startIndex > first.startIndex && isDeclarator(node)))
}

export interface Declared {
  /** Whole, with its qualifiers: `ns::Box::draw`. */
  readonly name: string
  /** The parameters, when it is a function. */
  readonly parameters: SyntaxNode | null
  /** Neither a pointer nor an array nor a function. */
  readonly isPlain: boolean
  readonly initialized: boolean
}

/** Unwraps `*(f[3])(int)` down to its name; what is nearest to the name says what it is. */
export const declaredBy = (declarator: SyntaxNode): Declared | null => {
  let at: SyntaxNode | null = declarator
  let parameters: SyntaxNode | null = null
  let isPlain = true
  let initialized = false
  for (let steps = 0; at !== null && steps < 40; steps++) {
    switch (at.type) {
      case "init_declarator":
        initialized = true
        at = at.childForFieldName("declarator")
        break
      case "function_declarator":
        parameters = at.childForFieldName("parameters")
        isPlain = false
        at = at.childForFieldName("declarator")
        break
      case "pointer_declarator":
      case "array_declarator":
        parameters = null
        isPlain = false
        at = at.childForFieldName("declarator")
        break
      case "reference_declarator":
        parameters = null
        at = parts(at).at(-1) ?? null
        break
      case "parenthesized_declarator":
      case "attributed_declarator":
        at = parts(at)[0] ?? null
        break
      case "operator_cast":
        return {
          name: `operator ${textOf(at, "type")}`,
          parameters: childOf(at, "abstract_function_declarator")?.childForFieldName("parameters") ?? null,
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
        return { name: withoutArguments(at.text), parameters, isPlain, initialized }
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

/** The last part of a qualified name, and what stands before it. */
export const apart = (path: string): { readonly container: string | null; readonly name: string } => {
  const operator = path.indexOf("operator")
  const cut = path.lastIndexOf("::", operator < 0 ? undefined : operator)
  return cut < 0 ? { container: null, name: path } : { container: path.slice(0, cut), name: path.slice(cut + 2) }
}
