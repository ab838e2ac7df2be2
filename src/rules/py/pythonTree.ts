/** Functions on syntax trees for the Python checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { identifiers, parts } from "../../languages/tree.ts"
import { callReader } from "../shared/calls.ts"

/** The nodes at which a search for the surrounding statement or function ends. */
export const scopes = ["function_definition", "lambda", "class_definition"]

export const isAsync = (definition: SyntaxNode): boolean => definition.children[0]?.type === "async"

/** The names that the function binds: its parameters, and all assigned names. */
export const boundIn = (definition: SyntaxNode): ReadonlySet<string> => {
  const targets = definition
    .descendantsOfType(["assignment", "for_statement", "for_in_clause", "as_pattern", "named_expression"])
    .map((node) => node.childForFieldName("left") ?? node.childForFieldName("name") ?? node.childForFieldName("alias"))
  const names = [definition.childForFieldName("parameters"), ...targets].flatMap(identifiers)
  return new Set(names.map(({ text }) => text))
}

/** The text of a string literal; null if it is interpolated, or bytes. */
export const plainString = (node: SyntaxNode): string | null => {
  if (node.type !== "string" || /^[a-z]*[bf]/i.test(node.text)) return null
  return node.namedChildren
    .filter((child) => child.type === "string_content")
    .map((child) => child.text)
    .join("")
}

/** Is it a number, or a text that is not empty? */
export const isLiteral = (node: SyntaxNode | null): boolean =>
  node !== null &&
  (node.type === "string" ? !/^f/i.test(node.text) && node.text.length > 2 : /^(integer|float)$/.test(node.type))

/** The positional arguments of a call, or the values of a tuple. */
export const positional = (list: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  parts(list).filter(({ type }) => type !== "keyword_argument" && type !== "dictionary_splat")

/** The value of the argument of that name. */
export const keyword = (list: SyntaxNode, name: string): SyntaxNode | null =>
  parts(list)
    .find((part) => part.type === "keyword_argument" && part.childForFieldName("name")?.text === name)
    ?.childForFieldName("value") ?? null

/** The names in the block that are only bound by an `async def` without a decorator. */
export const asyncDefs = (block: SyntaxNode): ReadonlySet<string> => {
  const asynchronous = new Set<string>()
  const other = new Set<string>()
  for (const child of parts(block)) {
    // A decorator may replace it, for example by a function that starts a task.
    const definition = child.childForFieldName("definition") ?? child
    const name = definition.childForFieldName("name")?.text
    if (name === undefined) continue
    if (child.type === "function_definition" && isAsync(child)) asynchronous.add(name)
    else other.add(name)
  }
  return new Set([...asynchronous].filter((name) => !other.has(name)))
}

export const callOf = callReader({ member: "attribute", field: "attribute", list: "argument_list" })

/** A statement's only expression. */
export const expressionOf = (statement: SyntaxNode): SyntaxNode | null => {
  const [first, ...others] = parts(statement)
  return others.length === 0 ? (first ?? null) : null
}
