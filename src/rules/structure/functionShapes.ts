/**
 * The shapes of the functions in a file, without names, to find functions that repeat each other.
 *
 * Two shapes are equal if the syntax trees without comments and quotes are equal after a consistent renaming of names and
 * literals. Linear in the tree.
 */

import type { Grammar } from "../../domain/change/Grammar.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { isComment, isField, reachingInto, runsOf } from "../../languages/tree.ts"

/** A name or a literal; `shared` if it has a meaning outside of the function, such as a called function or a text. */
export interface ShapeName {
  readonly text: string
  readonly shared: boolean
}

export interface FunctionShape {
  readonly statements: number
  readonly shape: string
  /** In order of first occurrence: names at the same index of two equal shapes correspond. */
  readonly names: ReadonlyArray<ShapeName>
}

interface Layout {
  /** Nodes that are functions with a name of their own. */
  readonly functions: ReadonlyArray<string>
  /** Nodes whose children are statements, one after the other. */
  readonly sequences: RegExp
  /** Children of such nodes that are not statements. */
  readonly clauses: RegExp
}

const script: Layout = {
  functions: ["function_declaration", "generator_function_declaration", "method_definition", "variable_declarator"],
  sequences: /^(?:statement_block|switch_case|switch_default)$/,
  clauses: /(?<!_statement|_declaration)$/
}

const layouts: Readonly<Partial<Record<Grammar, Layout>>> = {
  python: { functions: ["function_definition"], sequences: /^block$/, clauses: /^pass_statement$/ },
  typescript: script,
  tsx: script,
  javascript: script,
  go: {
    functions: ["function_declaration", "method_declaration"],
    sequences: /^(?:block|statement_list|expression_case|type_case|communication_case|default_case)$/,
    clauses: /(?<!_statement|_declaration)$/
  },
  rust: { functions: ["function_item"], sequences: /^block$/, clauses: /^(?:empty_statement|attribute_item)$/ },
  java: {
    functions: ["method_declaration"],
    sequences: /^(?:block|switch_block_statement_group)$/,
    clauses: /(?<!_statement|_declaration)$/
  },
  ruby: {
    functions: ["method", "singleton_method"],
    sequences: /^(?:body_statement|then|else|ensure|block_body|do|begin)$/,
    clauses: /^(?:rescue|else|ensure)$/
  },
  elixir: {
    functions: ["call"],
    sequences: /^(?:do_block|else_block|rescue_block|after_block|catch_block|body)$/,
    clauses: /^(?:stab_clause|else_block|rescue_block|after_block|catch_block)$/
  },
  swift: { functions: ["function_declaration"], sequences: /^statements$/, clauses: /^$/ }
}

/** Are functions of this grammar compared? */
export const hasShapes = (grammar: Grammar): boolean => layouts[grammar] !== undefined

/** A function with a body and a name. */
export interface NamedFunction {
  readonly name: string
  readonly node: SyntaxNode
}

/** The functions that begin in one of the rows, in source order, including nested ones. `rows` are ascending. */
export const functionsOf = (
  root: SyntaxNode,
  grammar: Grammar,
  rows: ReadonlySet<number>
): ReadonlyArray<NamedFunction> => {
  const layout = layouts[grammar]
  if (layout === undefined) return []
  return reachingInto(root, layout.functions, runsOf(rows)).flatMap((node): ReadonlyArray<NamedFunction> => {
    if (!rows.has(node.startPosition.row)) return []
    const name = grammar === "elixir" ? elixirName(node) : nameOf(node)
    return name === null ? [] : [{ name, node }]
  })
}

const nameOf = (node: SyntaxNode): string | null => {
  const name = node.childForFieldName("name")?.text ?? null
  if (node.type !== "variable_declarator") return name
  const value = node.childForFieldName("value")?.type ?? ""
  return /^(?:arrow_function|function_expression|function)$/.test(value) ? name : null
}

const elixirName = (node: SyntaxNode): string | null => {
  const [target, list] = node.namedChildren
  if (target?.type !== "identifier" || !/^defp?$/.test(target.text)) return null
  if (!node.namedChildren.some(({ type }) => type === "do_block")) return null
  const head = list?.namedChildren[0]
  // `name(args) when guard` is an operator whose left side is the head.
  const call = head?.type === "binary_operator" ? head.namedChildren[0] : head
  return call?.type === "call" ? (call.namedChildren[0]?.text ?? null) : call?.type === "identifier" ? call.text : null
}

/**
 * Does it contain a parse error, or does its language require similar functions (Rust's trait implementations, Elixir's
 * callbacks, Java's and Swift's overrides)?
 */
export const isRequired = ({ node }: NamedFunction): boolean => {
  if (node.hasError) return true
  if (node.type === "function_item") {
    const item = node.parent?.parent
    return item?.type === "impl_item" && item.childForFieldName("trait") !== null
  }
  if (node.type === "call") return /^@impl\b/.test(node.previousNamedSibling?.text ?? "")
  const modifiers = node.namedChildren.find(({ type }) => type === "modifiers")?.text ?? ""
  return /@Override\b|\boverride\b/.test(modifiers)
}

export const shapeOf = ({ name, node }: NamedFunction, grammar: Grammar): FunctionShape => {
  const layout = layouts[grammar]
  const names: Array<ShapeName> = []
  const indices = new Map<string, number>()
  const parts: Array<string> = []
  let statements = 0
  const isTelling = (text: string): boolean => text !== name && !elixirForms.has(text)

  const addName = (kind: string, text: string, shared: boolean): void => {
    const key = `${kind}${text}`
    const known = indices.get(key)
    const index = known ?? names.length
    if (known === undefined) {
      indices.set(key, index)
      names.push({ text, shared: shared && isTelling(text) })
    } else if (shared && names[known]?.shared === false && isTelling(text)) names[known] = { text, shared }
    parts.push(`${kind}${index}`)
  }

  const leaf = (node: SyntaxNode, parent: SyntaxNode | null): void => {
    if (!node.isNamed) {
      if (!/^[,;"'`]*$|^\n/.test(node.type)) parts.push(node.type)
      return
    }
    const { type } = node
    if (/identifier$|^(?:constant|instance_variable|alias|label_name|lifetime)$/.test(type)) {
      const role = roleOf(node, parent)
      addName(role === "member" ? "." : "$", node.text, role !== "plain")
    } else if (
      /content|fragment|literal|str_text|^(?:integer|float|number|char|atom|simple_symbol|keyword)$|symbol$|escape_sequence|^string$|sigil/.test(
        type
      )
    ) {
      const { text } = node
      addName("#", text, /[A-Za-z_]{3}/.test(text))
    } else if (/^string_(?:start|end)$|^heredoc/.test(type)) parts.push(type)
    else parts.push(`${type}:${node.text}`)
  }

  const visit = (node: SyntaxNode, parent: SyntaxNode | null): void => {
    if (isComment(node) || isDocstring(node)) return
    const { children } = node
    if (children.length === 0) {
      leaf(node, parent)
      return
    }
    if (node.isNamed) parts.push("(", node.type)
    const isSequence = layout?.sequences.test(node.type) === true
    for (const child of children) {
      if (isSequence && child.isNamed && !isComment(child) && !isDocstring(child) && !layout.clauses.test(child.type)) {
        statements++
      }
      visit(child, node)
    }
    if (node.isNamed) parts.push(")")
  }

  visit(node, node.parent)
  return { statements, shape: parts.join(" "), names }
}

/** Macros that are keywords in other languages. */
const elixirForms = new Set([
  "def",
  "defp",
  "case",
  "cond",
  "if",
  "unless",
  "with",
  "for",
  "fn",
  "do",
  "receive",
  "try"
])

/** Is it a docstring of Python? */
const isDocstring = (node: SyntaxNode): boolean =>
  node.type === "expression_statement" && node.namedChildren.length === 1 && node.namedChildren[0]?.type === "string"

/** The role of a word: called or used from outside, a member, or a name that may be local. */
export const roleOf = (node: SyntaxNode, parent: SyntaxNode | null): "member" | "outside" | "plain" => {
  const { type } = node
  if (parent === null) return "plain"
  if (/^(?:property|field|shorthand_property|private_property)_identifier/.test(type)) return "member"
  if (/^(?:type_identifier|constant|instance_variable|alias|package_identifier)$/.test(type)) return "outside"
  switch (parent.type) {
    case "attribute":
    case "field_access":
    case "keyword_argument":
    case "navigation_suffix":
    case "value_argument_label":
    case "dot":
      return parent.namedChildren[0]?.id === node.id && parent.namedChildren.length > 1 ? "plain" : "member"
    case "method_invocation":
      return isField(parent, "name", node) ? "member" : "plain"
    case "call": {
      const method = parent.childForFieldName("method")
      if (method !== null) return method.id === node.id ? "member" : "plain"
      return parent.namedChildren[0]?.id === node.id ? "outside" : "plain"
    }
    case "call_expression":
    case "macro_invocation":
      return parent.namedChildren[0]?.id === node.id ? "outside" : "plain"
    case "scoped_identifier":
    case "scoped_type_identifier":
    case "type":
      return "outside"
    default:
      return "plain"
  }
}
