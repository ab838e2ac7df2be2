/** Functions on syntax trees for the React checks. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { RuleFile } from "../../domain/finding/Rule.ts"
import { ancestors, enclosing, isField, lineOf, parts, textOf, within } from "../../languages/tree.ts"
import { bare, functions, scopes } from "../ts/scriptTree.ts"

const otherLibrary =
  /\b(from|require\(|@jsxImportSource)\s*['"]?[^'"]*\b(solid|qwik|vue|svelte|hono|astro|stencil|lit|voby|inferno|angular)\b/

/** Does the file use another library with JSX, which has other rules? */
export const namesOtherLibrary = ({ head }: RuleFile): boolean =>
  (head ?? []).some((line) => line.length < 500 && otherLibrary.test(line))

export const hookName = /^use[A-Z]/

export const builtIn =
  /^(React\.)?use(State|Effect|LayoutEffect|InsertionEffect|Memo|Callback|Ref|Context|Reducer|Id|Transition|DeferredValue|ImperativeHandle|SyncExternalStore)$/

export const effect = /^(React\.)?use(Layout|Insertion)?Effect$/

/** The name of a function: its own, or that of its variable. */
export const nameOf = (definition: SyntaxNode): string => {
  const own = definition.childForFieldName("name")?.text
  if (own !== undefined) return own
  const { parent } = definition
  if (parent?.type === "variable_declarator") return textOf(parent, "name")
  // `memo(function ...)` and `forwardRef((props, ref) => ...)` are components, too.
  const call = parent?.type === "arguments" ? parent.parent : null
  const wraps = /^(React\.)?(memo|forwardRef)$/.test(textOf(call, "function"))
  return wraps ? "Component" : ""
}

export const isComponent = (definition: SyntaxNode): boolean =>
  definition.type !== "method_definition" && /^([A-Z]|use[A-Z])/.test(nameOf(definition))

const branches = [
  "if_statement",
  "ternary_expression",
  "binary_expression",
  "switch_case",
  "switch_default",
  "catch_clause"
]

const loops = ["for_statement", "for_in_statement", "while_statement", "do_statement"]

/** Why a call does not run in every render, in words, and the code that decides. */
interface Condition {
  readonly words: string
  readonly node: SyntaxNode
}

/** Null if the call runs in every render of its component. */
export const condition = (call: SyntaxNode, component: SyntaxNode): Condition | null => {
  let below = call
  for (let at = call.parent; at !== null && at.id !== component.id; below = at, at = at.parent) {
    if (loops.includes(at.type) && isField(at, "body", below)) return { words: "inside a loop", node: at }
    if (!branches.includes(at.type)) continue
    const tested = at.childForFieldName(at.type === "binary_expression" ? "left" : "condition")
    if (tested?.id === below.id || isField(at, "value", below)) continue
    if (at.type !== "binary_expression") return { words: "inside a branch", node: tested ?? at }
    if (/^(&&|\|\||\?\?)$/.test(textOf(at, "operator"))) return { words: "behind a condition", node: tested ?? at }
  }
  return returnsBefore(call, component)
}

/** Does a statement before the call return on some path? */
const returnsBefore = (call: SyntaxNode, component: SyntaxNode): Condition | null => {
  const body = component.childForFieldName("body")
  for (const statement of body?.type === "statement_block" ? parts(body) : []) {
    if (statement.endIndex >= call.startIndex) return null
    if (!/^(if|switch|for|for_in|while|try)_statement$/.test(statement.type)) continue
    const [leave] = within(statement, ["return_statement"], scopes)
    if (leave !== undefined) return { words: `after the return on line ${lineOf(leave)}`, node: leave }
  }
  return null
}

/** The state variables of the component around the node: name to the name of its setter. */
export const stateOf = (component: SyntaxNode): ReadonlyMap<string, string> => {
  const states = new Map<string, string>()
  for (const declarator of within(
    component,
    ["variable_declarator"],
    scopes.filter((type) => type !== "arrow_function")
  )) {
    const pattern = declarator.childForFieldName("name")
    const value = declarator.childForFieldName("value")
    if (pattern?.type !== "array_pattern" || value?.type !== "call_expression") continue
    if (!/^(React\.)?useState$/.test(textOf(value, "function"))) continue
    const [state, setter] = parts(pattern)
    if (state !== undefined && setter !== undefined) states.set(state.text, setter.text)
  }
  return states
}

export const componentOf = (node: SyntaxNode): SyntaxNode | null => {
  for (const around of ancestors(node, functions)) if (isComponent(around)) return around
  return null
}

/** The result of the function: its expression, or the value of its only return. */
export const resultOf = (definition: SyntaxNode): SyntaxNode | null => {
  const body = definition.childForFieldName("body")
  if (body === null) return null
  if (body.type !== "statement_block") return bare(body)
  const returns = within(body, ["return_statement"], scopes)
  const value = returns.length === 1 ? returns[0]?.namedChildren[0] : undefined
  return value === undefined ? null : bare(value)
}

/** Attributes of a JSX element. */
export const attributesOf = (element: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const tag = element.type === "jsx_element" ? element.childForFieldName("open_tag") : element
  return tag === null
    ? []
    : tag.namedChildren.filter(({ type }) => type === "jsx_attribute" || type === "jsx_expression")
}

/** Is the node in a class that extends a class of React? */
export const extendsReact = (node: SyntaxNode): boolean => {
  const heritage = enclosing(node, ["class_body"])?.parent?.namedChildren.find(({ type }) => type === "class_heritage")
  return /\b(Pure)?Component\b/.test(heritage?.text ?? "")
}
