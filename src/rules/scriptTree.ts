/** Questions the TypeScript, JavaScript and React rules ask about a tree, and the words all of them share. */
import type { SyntaxRule } from "../domain/Rule.ts"
import type { SyntaxNode } from "../domain/Syntax.ts"
import { parts } from "./tree.ts"

type Draft = Omit<SyntaxRule, "_tag" | "stack" | "grammars" | "inTests"> & { readonly inTests?: boolean }

/** One rule for the three grammars: they agree on everything these rules ask. Most rules hold in tests as well. */
export const script = (draft: Draft): SyntaxRule => ({
  _tag: "Syntax",
  stack: "typescript",
  grammars: ["typescript", "tsx", "javascript"],
  inTests: true,
  ...draft
})

export const functions = [
  "function_declaration",
  "function_expression",
  "arrow_function",
  "method_definition",
  "generator_function_declaration",
  "generator_function"
]

/** What ends a search for the statements that run with a node: functions and class bodies. */
export const scopes = [...functions, "class_body"]

export const isAsync = (definition: SyntaxNode): boolean => definition.children.some((child) => child.type === "async")

/** The expression without parentheses and type assertions around it. */
export const bare = (node: SyntaxNode): SyntaxNode => {
  let at = node
  while (/^(parenthesized_expression|as_expression|satisfies_expression|non_null_expression)$/.test(at.type)) {
    const inner = parts(at)[0]
    if (inner === undefined) return at
    at = inner
  }
  return at
}

/** A string literal's text between its quotes; null for anything else. */
export const plainString = (node: SyntaxNode | null): string | null =>
  node?.type === "string" ? node.text.slice(1, -1) : null

/** The value does not depend on anything: a literal, or text without a hole. */
export const isConstant = (node: SyntaxNode): boolean =>
  /^(string|number|true|false|null|undefined|regex)$/.test(node.type) ||
  (node.type === "template_string" && !node.namedChildren.some(({ type }) => type === "template_substitution"))

/** `xs.map` in `xs.map(f)`: the method's name; null when a plain function is called. */
export const methodOf = (call: SyntaxNode): string | null =>
  call.childForFieldName("function")?.childForFieldName("property")?.text ?? null

/** Every plain identifier in the node, itself included; property names are not among them. */
export const identifiers = (node: SyntaxNode | null): ReadonlyArray<SyntaxNode> => {
  if (node === null) return []
  const kinds = ["identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"]
  return kinds.includes(node.type) ? [node] : node.descendantsOfType(kinds)
}
