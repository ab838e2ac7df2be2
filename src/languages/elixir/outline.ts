/**
 * What an Elixir file defines and imports, and its occurrences.
 *
 * Definitions are calls of macros. Clauses of the same name and arity are one function.
 */
import type { ImportedName, Occurrence, Parameter } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { imported, statementsIn } from "../imported.ts"
import type { Found, Outline } from "../outline.ts"
import { childOf, enclosing, isField, parts, textOf } from "../tree.ts"

/** The maximum depth of nested modules. */
const deepest = 24

const moduleWords = /^def(?:module|protocol|impl)$/

const targetOf = (call: SyntaxNode): string => {
  const target = call.type === "call" ? call.childForFieldName("target") : null
  return target?.type === "identifier" ? target.text : ""
}

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = childOf(call, "arguments")
  return list === null ? [] : parts(list)
}

/** The value of the keyword `key:` in a list of arguments. */
const keyworded = (given: ReadonlyArray<SyntaxNode>, key: string): SyntaxNode | null => {
  const pairs = given.find(({ type }) => type === "keywords")?.namedChildren ?? []
  const pair = pairs.find((each) => each.childForFieldName("key")?.text.trim() === `${key}:`)
  return pair?.childForFieldName("value") ?? null
}

const nameOf = (module: SyntaxNode | undefined, outer: string | null): string => {
  const text = module?.text.replace(/\s+/g, "") ?? ""
  if (text.startsWith("__MODULE__")) return `${outer ?? ""}${text.slice("__MODULE__".length)}`
  return /^[A-Z][\w.]*$/.test(text) ? text : ""
}

/** The full name of a module that is defined in `outer`; "" if it is computed. */
const definedName = (call: SyntaxNode, outer: string | null): string => {
  const given = argumentsOf(call)
  const name = nameOf(given[0], outer)
  if (targetOf(call) === "defimpl") {
    const subject = nameOf(keyworded(given, "for") ?? undefined, outer)
    return name === "" || (subject === "" && outer === null) ? "" : `${name}.${subject === "" ? outer : subject}`
  }
  return name === "" || given[0]?.text.startsWith("__MODULE__") ? name : outer === null ? name : `${outer}.${name}`
}

const functionWords = /^def(?:p|macro|macrop|guard|guardp|delegate|n|np)?$/

const defined = (call: SyntaxNode): Found | null => {
  const word = targetOf(call)
  const [head] = argumentsOf(call)
  if (head === undefined) return null
  if (functionWords.test(word)) {
    const at = nameIn(head)
    // `def unquote(name)(...)`
    return at === null || at.text.startsWith("unquote") ? null : { kind: "function", at, parameters: parametersOf(at) }
  }
  if (word === "defstruct" || word === "defexception") {
    return { kind: "constant", at: call.childForFieldName("target") ?? call, name: word }
  }
  if (!moduleWords.test(word)) return null
  // Members of a module are listed under its qualified name.
  const isInner = !head.text.startsWith("__MODULE__") && word !== "defimpl"
  const name = definedName(call, isInner ? null : moduleAround(call))
  if (name === "") return null
  return { kind: word === "defprotocol" ? "type" : "class", at: head, name, isClass: false, isGlobal: !isInner }
}

const attribute = (operator: SyntaxNode): Found | null => {
  const call = isAttributeOf(operator) ? operator.childForFieldName("operand") : null
  const word = call === null ? "" : targetOf(call)
  const [given] = call === null ? [] : argumentsOf(call)
  if (call === null || given === undefined || directives.has(word) || word === "behaviour") return null
  if (!/^(?:typep?|opaque|(?:macro)?callback)$/.test(word)) return { kind: "constant", at: call, name: word }
  const at = nameIn(given)
  if (at === null) return null
  return word.endsWith("callback")
    ? { kind: "function", at, parameters: parametersOf(at) }
    : { kind: "type", at, isName: true }
}

/** Attributes that describe the next definition or instruct the compiler. */
const directives = new Set(
  `moduledoc doc typedoc spec impl since deprecated dialyzer derive enforce_keys before_compile after_compile on_load
  compile external_resource tag moduletag describetag on_definition optional_callbacks fallback_to_any nifs`.split(
    /\s+/
  )
)

/** The parameters of a function by its name: `a` and `b` in `f(a, b \\\\ 1)` and in `a + b`. */
const parametersOf = (name: SyntaxNode): ReadonlyArray<Parameter> => {
  const head = name.parent
  const given =
    head?.type === "call" && isField(head, "target", name)
      ? argumentsOf(head)
      : name.type === "identifier"
        ? []
        : (head?.namedChildren ?? [])
  return given.map((each) => {
    const isDefault = each.type === "binary_operator" && each.childForFieldName("operator")?.text === "\\\\"
    const pattern = isDefault ? (each.childForFieldName("left") ?? each) : each
    return { name: bindingName(pattern), kind: "positional", required: !isDefault }
  })
}

/** The name of a pattern's whole value: `item` in `%Item{} = item`. Empty if there is none. */
const bindingName = (pattern: SyntaxNode): string => {
  if (pattern.type === "identifier") return pattern.text
  if (pattern.type !== "binary_operator") return ""
  const sides = [pattern.childForFieldName("left"), pattern.childForFieldName("right")]
  return sides.find((side) => side?.type === "identifier")?.text ?? ""
}

/** The name in `f(a, b) when c`, `f(a) :: t` or `a + b`, or a name alone. */
const nameIn = (head: SyntaxNode): SyntaxNode | null => {
  if (head.type === "identifier") return head
  if (head.type === "call") return head.childForFieldName("target")
  if (head.type === "unary_operator") return head.childForFieldName("operator")
  if (head.type !== "binary_operator") return null
  const [left, operator] = ["left", "operator"].map((field) => head.childForFieldName(field))
  return left != null && /^(?:when|::)$/.test(operator?.text ?? "") ? nameIn(left) : (operator ?? null)
}

/** `alias`, `import`, `require` and `use`, anywhere in the file. */
export const elixirImports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: line, index } of statementsIn(root, /^[ \t]*(?:alias|import|require|use)\b/gm)) {
    const at = root.startIndex + index + line.length - line.trimStart().length
    const word = root.descendantForIndex(at, at)
    const call = word?.parent ?? null
    if (word === null || call === null || !isField(call, "target", word)) continue
    found.push(...importsIn(call))
  }
  return found
}

const importsIn = (call: SyntaxNode): ReadonlyArray<ImportedName> => {
  const given = argumentsOf(call)
  const [module] = given
  if (module === undefined) return []
  const word = targetOf(call)
  const outer = module.text.startsWith("__MODULE__") ? moduleAround(call) : null
  const group = module.type === "dot" ? module.childForFieldName("right") : null
  if (group?.type === "tuple") {
    const prefix = nameOf(module.childForFieldName("left") ?? undefined, outer)
    return group.namedChildren.flatMap((each) =>
      prefix === "" || nameOf(each, null) === "" ? [] : taken(each, word, `${prefix}.${nameOf(each, null)}`, null)
    )
  }
  const name = nameOf(module, outer)
  if (name === "") return []
  const only = word === "import" ? keyworded(given, "only") : null
  const names = only?.descendantsOfType("keyword") ?? []
  if (names.length > 0) return names.map((each) => functionTaken(each, name))
  return taken(call, word, name, nameOf(keyworded(given, "as") ?? undefined, null))
}

const functionTaken = (keyword: SyntaxNode, module: string): ImportedName => {
  const name = keyword.text.replace(/:\s*$/, "")
  return imported(keyword, module, name, name)
}

/** An alias has the last part as its name; the others keep the full name. */
const taken = (node: SyntaxNode, word: string, module: string, as: string | null): ReadonlyArray<ImportedName> => {
  const last = module.slice(module.lastIndexOf(".") + 1)
  const local = as !== null && as !== "" ? as : word === "alias" ? last : word === "require" ? module : ""
  return [imported(node, module, null, local)]
}

/** The full name of the module around the node; null if there is none. */
const moduleAround = (node: SyntaxNode): string | null => {
  const calls: Array<SyntaxNode> = []
  for (let at = node.parent; at !== null && calls.length <= deepest; at = at.parent) {
    if (moduleWords.test(targetOf(at))) calls.unshift(at)
  }
  return calls.reduce<string | null>((outer, call) => definedName(call, outer) || outer, null)
}

const isAttributeOf = (operator: SyntaxNode): boolean => operator.childForFieldName("operator")?.text === "@"

const kindOf = (node: SyntaxNode, parent: SyntaxNode): Occurrence["kind"] | null | undefined => {
  const isTarget = parent.type === "call" && isField(parent, "target", node)
  if (node.type === "alias") {
    const call = enclosing(node, ["call"])
    const word = call === null ? "" : targetOf(call)
    return importWords.test(word) ? "import" : word === "defimpl" ? "use" : undefined
  }
  if (isTarget && importWords.test(node.text)) return null
  if (isTarget && parent.parent?.type === "unary_operator" && isAttributeOf(parent.parent)) return null
  const head = isTarget ? parent : node
  if (headAround(head) !== null || isSpecified(head)) return "definition"
  return parent.type !== "dot" && isBinding(node) ? "binding" : undefined
}

const importWords = /^(?:alias|import|require|use)$/

/** The `def` of which this name or call is the head; null if there is none. */
const headAround = (node: SyntaxNode): SyntaxNode | null => {
  const holder = node.parent
  const isGuarded = holder?.type === "binary_operator" && holder.childForFieldName("operator")?.text === "when"
  if (isGuarded && !isField(holder, "left", node)) return null
  const head = isGuarded ? holder : node
  const definition = head.parent?.type === "arguments" ? head.parent.parent : null
  if (definition == null || !functionWords.test(targetOf(definition))) return null
  return argumentsOf(definition)[0]?.id === head.id ? definition : null
}

/** `f(t)` in `@spec f(t) :: t` describes the function and is not a call. */
const isSpecified = (head: SyntaxNode): boolean => {
  const typed = head.parent
  if (typed?.type !== "binary_operator" || !isField(typed, "left", head)) return false
  const call = typed.parent?.type === "arguments" ? typed.parent.parent : null
  return call?.parent?.type === "unary_operator" && isAttributeOf(call.parent)
}

/** Is it in a pattern: left of `=`, `<-` or `->`, or in the head of a function? */
const isBinding = (node: SyntaxNode): boolean => {
  let at = node
  for (let parent = at.parent; parent !== null; at = parent, parent = parent.parent) {
    if (parent.type === "stab_clause") return isField(parent, "left", at)
    if (parent.type === "do_block" || parent.type === "source") return false
    if (parent.type === "binary_operator") {
      const operator = textOf(parent, "operator")
      const isLeft = isField(parent, "left", at)
      // On the right of `=` there is a pattern, too, if the whole is one.
      if (isLeft && (operator === "=" || operator === "<-")) return true
      if (operator === "<-" || operator === "\\\\") return isLeft
    } else if (parent.type === "call") return headAround(parent) !== null
  }
  return false
}

/** Is it called by a pipe, or captured with its arity: `a |> f`, `&f/1`? */
const isCalled = (node: SyntaxNode): boolean => {
  const { parent } = node
  const operator = parent?.type === "binary_operator" ? parent.childForFieldName("operator")?.text : undefined
  if (operator === "|>") return isField(parent, "right", node)
  const capture = parent?.parent
  return operator === "/" && capture?.type === "unary_operator" && capture.childForFieldName("operator")?.text === "&"
}

/** A function, or a call with a block; the names of a module are not limited to it. */
const isLimit = (node: SyntaxNode): boolean => {
  const word = targetOf(node)
  return (
    node.type === "stab_clause" ||
    functionWords.test(word) ||
    /^(?:for|with)$/.test(word) ||
    (node.type === "do_block" && !moduleWords.test(targetOf(node.parent ?? node)))
  )
}

export const elixirOutline: Outline = {
  definitions: { call: defined, unary_operator: attribute },
  through: (node) =>
    /^(?:do_block|else_block|ERROR)$/.test(node.type) || /^(?:if|unless|for|describe)$/.test(targetOf(node)),
  joins: true,
  parameters: [],
  packages: [],
  words: ["identifier", "alias"],
  labels: {},
  imports: [],
  bindings: {},
  members: { dot: ["left", "right"] },
  calls: { call: "target" },
  isCalled,
  wrappers: [],
  self: ["__MODULE__"],
  scopes: { limits: isLimit, after: ["binary_operator =", "binary_operator <-"], hidesNoCalls: true },
  kindOf
}
