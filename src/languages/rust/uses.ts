/** The occurrences in a Rust file, and the origins of the objects of methods. */
import type { CallShape, Occurrence, Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { followed, named, typed } from "../origins.ts"
import type { Scopes } from "../scopes.ts"
import { ancestors, enclosing, isField, lineOf, parts, partsOf, spelled, squeezed, textOf } from "../tree.ts"
import { inlineModules, typeText } from "./symbols.ts"

const wordTypes = ["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"]

/** Null if it is not a name of an item or a method. */
export const rustOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || !wordTypes.includes(node.type)) return null
  const within = inlineModules(node)
  const at = {
    line: lineOf(node),
    receiver: null,
    call: null,
    value: "passed",
    self: null,
    ...(within.length === 0 ? {} : { within })
  } as const
  const is = (field: string) => isField(parent, field, node)
  if (parent.type === "token_tree") return inMacro(node, parent, at)
  if (enclosing(node, ["attribute_item", "inner_attribute_item", "macro_definition", "token_tree"]) !== null)
    return null
  if (enclosing(node, ["use_declaration"]) !== null) return { ...at, kind: "import" }
  if (parent.type === "field_expression" && is("field")) {
    const object = parent.childForFieldName("value")
    const receiver = object !== null && /^(?:self|identifier)$/.test(object.type) ? object.text : null
    const origin = originOf(object)
    const self = receiver === "self" ? implementedBy(node) : null
    return { ...at, kind: "member", receiver, self, ...(origin === null ? {} : { origin }), ...usageOf(parent) }
  }
  if (node.type === "field_identifier") return null
  if (/^scoped_(?:type_)?identifier$/.test(parent.type) && is("name")) {
    const path = pathOf(parent.childForFieldName("path"))
    return { ...at, kind: "member", path: path === "Self" ? (implementedBy(node) ?? "") : path, ...usageOf(parent) }
  }
  if (items.test(parent.type) && is("name")) {
    const holder = parent.parent?.type ?? ""
    if (holder === "source_file") return { ...at, kind: "definition" }
    const isMember = /^(?:impl|trait)_item$/.test(parent.parent?.parent?.type ?? "")
    if (isMember || /^(?:enum_variant|macro_definition)$/.test(parent.type)) return null
    return { ...at, kind: within.length > 0 && holder === "declaration_list" ? "definition" : "binding" }
  }
  if (parent.type === "macro_invocation" && is("macro")) return null
  if (node.type === "shorthand_field_identifier" || isBinding(node)) return { ...at, kind: "binding" }
  return { ...at, kind: "use", ...usageOf(node) }
}

const items =
  /^(?:function_(?:signature_)?item|struct_item|union_item|enum_item|enum_variant|trait_item|type_item|const_item|static_item|mod_item|associated_type|macro_definition)$/

/** The words before `::`; "" if it is not a plain path. */
const pathOf = (path: SyntaxNode | null): string => {
  if (path === null) return ""
  const text = squeezed(path).replace(/(?:::)?<[\w:,&'<>()[\]]*>/g, "")
  return /^\w+(?:::\w+)*$/.test(text) ? text : ""
}

/** Patterns bind the words in them, except constants and names of types. */
const isBinding = (node: SyntaxNode): boolean => {
  for (let at = node, parent = node.parent; parent !== null; at = parent, parent = parent.parent) {
    if (/^(?:let_declaration|let_condition|for_expression|parameter)$/.test(parent.type)) {
      return isField(parent, "pattern", at) && !isConstant(node)
    }
    if (parent.type === "closure_parameters") return true
    if (parent.type === "match_pattern") {
      return !isField(parent, "condition", at) && !isConstant(node)
    }
    if (/^(?:type_parameter|const_parameter)$/.test(parent.type)) return isField(parent, "name", at)
    if (parent.type === "type_parameters") return true
    if (!/_pattern$/.test(parent.type)) return false
    if (isField(parent, "type", at)) return false
  }
  return false
}

const isConstant = (node: SyntaxNode): boolean => /^[A-Z]/.test(node.text)

/** Common macros whose arguments are expressions. */
const expressionMacros =
  /^(?:(?:debug_)?assert(?:_eq|_ne|_matches)?|matches|vec|format|format_args|e?print(?:ln)?|write(?:ln)?|panic|dbg|todo|unreachable|unimplemented|anyhow|bail|ensure|info|warn|error|debug|trace|log|try_join|join|(?:serde_json::)?json|log::\w+|tracing::\w+)$/

type Place = Pick<Occurrence, "line" | "receiver" | "call" | "value" | "self" | "within">

/** A macro has only tokens: reads a word, the tokens before it, and the arguments after it. */
const inMacro = (node: SyntaxNode, parent: SyntaxNode, at: Place): Occurrence | null => {
  const invocation = enclosing(node, ["macro_invocation"])
  const macro = invocation?.childForFieldName("macro")?.text
  if (invocation === null || macro === undefined || !expressionMacros.test(macro) || node.type !== "identifier")
    return null
  if (bindsInMacro(node.text).test(invocation.text)) return { ...at, kind: "use", inner: "local" }
  const tokens = parent.children
  const place = tokens.findIndex(({ id }) => id === node.id)
  const text = (index: number) => tokens[index]?.text ?? ""
  if (text(place + 1) === "!") return null
  const call = callInMacro(tokens[place + 1])
  if (text(place - 1) === ".") {
    const isSelf = text(place - 2) === "self" && text(place - 3) !== "."
    const origin = originInMacro(tokens, place - 1)
    const self = isSelf ? implementedBy(node) : null
    return { ...at, kind: "member", call, self, ...(origin === null ? {} : { origin }) }
  }
  if (text(place - 1) !== "::") return text(place + 1) === ":" ? null : { ...at, kind: "use", call }
  const path: Array<string> = []
  let index = place - 1
  while (text(index) === "::" && /^\w+$/.test(text(index - 1))) {
    path.unshift(text(index - 1))
    index -= 2
  }
  const words = text(index) === "::" ? "" : path.join("::")
  return { ...at, kind: "member", path: words === "Self" ? (implementedBy(node) ?? "") : words, call }
}

/** A parameter of a closure, or a variable, in a macro. */
const bindsInMacro = (word: string): RegExp =>
  new RegExp(`(?<!\\|)\\|(?!\\|)[^|;]*\\b${word}\\b[^|;]*\\|(?!\\|)|\\b(?:let|fn)\\b[^=;]*\\b${word}\\b`)

/** The tokens before a dot: a variable or `self`, followed by members. */
const originInMacro = (tokens: ReadonlyArray<SyntaxNode>, dot: number): Origin | null => {
  const steps: Array<string> = []
  for (let at = dot - 1; steps.length <= longestPath; ) {
    if (tokens[at]?.text === "?") {
      steps.unshift("?")
      at--
      continue
    }
    const isCalled = tokens[at]?.type === "token_tree"
    const [before, word] = [tokens[isCalled ? at - 2 : at - 1]?.text, tokens[isCalled ? at - 1 : at]]
    if (word === undefined || (isCalled && !tokens[at]?.text.startsWith("("))) return null
    if (before === ".") {
      steps.unshift(...(isCalled ? stepOf(word.text) : [word.text]))
      at -= isCalled ? 3 : 2
      continue
    }
    const isPlain = !isCalled && before !== "::" && /^(?:identifier|self)$/.test(word.type)
    return isPlain ? followed(originOf(word), ...steps) : null
  }
  return null
}

/** The step for a call of a method. */
const stepOf = (method: string): ReadonlyArray<string> =>
  sameObject.test(method) ? [] : [unwrapping.test(method) ? "?" : `${method}()`]

/** Methods whose result is treated like the object itself. */
const sameObject = /^(?:clone|to_owned|as_ref|as_mut|iter|iter_mut|into_iter)$/
const unwrapping = /^(?:unwrap|expect|unwrap_or_default|unwrap_or|unwrap_or_else)$/

/** Counts the parts between commas; unknown if something may contain a comma. */
const callInMacro = (list: SyntaxNode | undefined): CallShape | null => {
  if (list?.type !== "token_tree" || !list.text.startsWith("(")) return null
  const inner = list.children.slice(1, -1)
  const isUnclear = inner.some(({ text }) => /^[|<>]|^\.\.$/.test(text))
  const commas = inner.filter(({ text }) => text === ",").length - (inner.at(-1)?.text === "," ? 1 : 0)
  const lastLine = list.endPosition.row + 1
  return { positional: inner.length === 0 ? 0 : commas + 1, keywords: [], spread: isUnclear, lastLine }
}

/** The type of the method around the node; null in a trait. */
const implementedBy = (node: SyntaxNode): string | null => {
  const type = enclosing(node, ["impl_item"], ["trait_item"])?.childForFieldName("type")
  return type == null ? null : (/^\w+/.exec(type.text)?.[0] ?? null)
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value" | "taken"> => {
  const called = callee.parent?.type === "generic_function" ? callee.parent : callee
  const call = called.parent
  if (call?.type !== "call_expression" || !isField(call, "function", called)) {
    return { call: null, value: "passed" }
  }
  const given = partsOf(call, "arguments").filter(({ type }) => type !== "attribute_item")
  const value = valueUseOf(call)
  return {
    call: { positional: given.length, keywords: [], spread: false, lastLine: call.endPosition.row + 1 },
    value,
    ...(value === "read" || (value === "stored" && !isDiscarded(call)) ? { taken: 1 } : {})
  }
}

const readers = /^(?:field_expression|try_expression|index_expression|binary_expression|unary_expression)$/

const valueUseOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "await_expression") return "awaited"
  if (holder?.type === "expression_statement") return holder.text.endsWith(";") ? "dropped" : "passed"
  if (holder?.type === "let_declaration") return "stored"
  return readers.test(holder?.type ?? "") ? "read" : "passed"
}

/** `let _ = f()` and `let () = f()` discard the result. */
const isDiscarded = (call: SyntaxNode): boolean => /^(?:_\w*|\(\))$/.test(textOf(call.parent, "pattern"))

/** The maximum depth of a resolved expression. */
const longestPath = 6

/** The origin of the object of a method, if its type is plain. */
const originOf = (node: SyntaxNode | null, depth = 0): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string) => followed(originOf(inner, depth + 1), name)
  switch (node.type) {
    case "self": {
      const type = implementedBy(node)
      return type === null ? null : typed(type)
    }
    case "identifier":
      return localOrigin(node, depth)
    case "scoped_identifier":
      return namedOrigin(node)
    case "field_expression":
      return step(node.childForFieldName("value"), textOf(node, "field"))
    case "parenthesized_expression":
    case "unary_expression":
    case "await_expression":
      return originOf(node.namedChildren[0] ?? null, depth + 1)
    case "reference_expression":
      return originOf(node.childForFieldName("value"), depth + 1)
    case "try_expression":
      return step(node.namedChildren[0] ?? null, "?")
    case "if_expression":
    case "match_expression":
    case "block":
      return branchOrigin(node, depth)
    case "struct_expression":
      return typed(squeezed(node.childForFieldName("name") ?? node))
    case "call_expression": {
      const callee = node.childForFieldName("function")
      if (callee?.type === "identifier" || callee?.type === "scoped_identifier") return namedOrigin(callee)
      if (callee?.type !== "field_expression") return null
      const method = textOf(callee, "field")
      const object = callee.childForFieldName("value")
      const [name] = stepOf(method)
      return name === undefined ? originOf(object, depth + 1) : step(object, name)
    }
    default:
      return null
  }
}

/** All branches have the same type or never return, so the first one with a known type decides. */
const branchOrigin = (node: SyntaxNode, depth: number): Origin | null => {
  for (const value of branchesOf(node).slice(0, mostBranches)) {
    const origin = originOf(value, depth + 1)
    if (origin !== null) return origin
  }
  return null
}

/** The number of branches that are examined. */
const mostBranches = 4

const branchesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  switch (node.type) {
    case "if_expression": {
      const otherwise = node.childForFieldName("alternative")?.namedChildren ?? []
      return [node.childForFieldName("consequence"), ...otherwise].filter((branch) => branch !== null)
    }
    case "match_expression":
      return (node.childForFieldName("body")?.namedChildren ?? []).flatMap(
        (arm) => arm.childForFieldName("value") ?? []
      )
    default: {
      const last = parts(node).at(-1)
      if (last?.type !== "expression_statement") return last === undefined ? [] : [last]
      return last.text.endsWith(";") ? [] : last.namedChildren
    }
  }
}

const namedOrigin = (path: SyntaxNode): Origin => {
  const own = implementedBy(path)
  const name = squeezed(path)
  return named(own === null ? name : name.replace(/^Self\b/, own))
}

/** The nodes that limit the scope of a name. */
const scopes = [
  "block",
  "function_item",
  "closure_expression",
  "for_expression",
  "match_arm",
  "if_expression",
  "while_expression"
]

const owners = ["impl_item", "trait_item", "struct_item", "enum_item", "union_item"]

export const rustScopes: Scopes = {
  limits: [...scopes, "function_signature_item", "type_item", "function_type"],
  owners,
  after: ["let_declaration", "let_condition"],
  only: { for_expression: "body" }
}

/** The last binding of the name before this node, in the nearest scope with one. */
const binderOf = (node: SyntaxNode, around: SyntaxNode): SyntaxNode | null => {
  const binders = spelled(around, ["identifier"], node.text).filter(isBinding)
  const isBefore = (binder: SyntaxNode) => {
    const whole = enclosing(binder, ["let_declaration"], scopes) ?? binder
    return whole.endIndex <= node.startIndex
  }
  for (const { id } of ancestors(node, scopes)) {
    const last = binders.filter((binder) => enclosing(binder, scopes)?.id === id && isBefore(binder)).at(-1)
    if (last !== undefined) return last
    if (id === around.id) break
  }
  return null
}

/** A parameter, an element of a loop, or a `let` with a type or a value with an origin. */
const localOrigin = (node: SyntaxNode, depth: number): Origin | null => {
  const around = enclosing(node, ["function_item"])
  if (around === null) return null
  const binder = binderOf(node, around)
  if (binder === null) return isConstant(node) ? namedOrigin(node) : null
  const holder = binder.parent?.type === "mut_pattern" ? binder.parent.parent : binder.parent
  if (holder?.type === "for_expression") {
    return followed(originOf(holder.childForFieldName("value"), depth + 1), "[]")
  }
  if (holder === null || !/^(?:parameter|let_declaration)$/.test(holder.type)) return null
  const type = holder.childForFieldName("type")
  if (type !== null) return typed(typeText(type))
  return originOf(holder.childForFieldName("value"), depth + 1)
}
