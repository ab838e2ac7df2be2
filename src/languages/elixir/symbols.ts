/**
 * What an Elixir file defines, takes in and calls. Pure.
 *
 * Modules are flat: each is a definition at the top under its whole name, with its functions inside. Clauses of one
 * name and arity are one function.
 */
import type {
  CallShape,
  Definition,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  called,
  type Draft,
  deepest,
  define,
  defineType,
  draftOf,
  finished,
  imported,
  nested,
  occurrenceAt,
  parameterOf,
  statementsIn
} from "../draft.ts"
import { childOf, enclosing, parts } from "../tree.ts"

export const elixirSymbols = (root: SyntaxNode): FileSymbols => {
  const draft = draftOf(root, elixirImports(root))
  for (const statement of root.namedChildren) readModule(statement, null, draft, 0)
  return finished({ ...draft, definitions: withClausesJoined(draft.definitions) })
}

const moduleWords = /^def(?:module|protocol|impl)$/

const targetOf = (call: SyntaxNode): string => {
  const target = call.type === "call" ? call.childForFieldName("target") : null
  return target?.type === "identifier" ? target.text : ""
}

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = childOf(call, "arguments")
  return list === null ? [] : parts(list)
}

/** The value of `key:` among the keywords of a list of arguments. */
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

/** The whole name of a module that is defined inside of `outer`; "" when it is computed. */
const definedName = (call: SyntaxNode, outer: string | null): string => {
  const given = argumentsOf(call)
  const name = nameOf(given[0], outer)
  if (targetOf(call) === "defimpl") {
    const subject = nameOf(keyworded(given, "for") ?? undefined, outer)
    return name === "" || (subject === "" && outer === null) ? "" : `${name}.${subject === "" ? outer : subject}`
  }
  return name === "" || given[0]?.text.startsWith("__MODULE__") ? name : nested(outer, name, ".")
}

const bodyOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => childOf(call, "do_block")?.namedChildren ?? []

const readModule = (statement: SyntaxNode, outer: string | null, draft: Draft, depth: number): void => {
  if (statement.type === "ERROR") for (const inner of statement.namedChildren) readModule(inner, outer, draft, deepest)
  const target = targetOf(statement)
  if (!moduleWords.test(target) || depth > deepest) return
  const name = definedName(statement, outer)
  const given = argumentsOf(statement)
  define(draft, statement, { name, kind: target === "defprotocol" ? "type" : "class", container: null })
  const module: Module = { name, fields: [], parents: [], attributes: new Set(), open: false }
  if (target === "defimpl") module.parents.push(nameOf(given[0], outer))
  for (const member of bodyOf(statement)) readMember(member, module, draft, depth)
  // `use` runs a macro that may define anything.
  if (module.open) draft.open = true
  defineType(
    draft,
    name,
    module.open,
    module.fields,
    module.parents.filter((parent) => parent !== "")
  )
}

interface Module {
  readonly name: string
  readonly fields: Array<string>
  readonly parents: Array<string>
  readonly attributes: Set<string>
  open: boolean
}

const functionWords = /^def(?:p|macro|macrop|guard|guardp|delegate|n|np)?$/

const readMember = (member: SyntaxNode, module: Module, draft: Draft, depth: number): void => {
  const target = targetOf(member)
  if (member.type === "unary_operator") readAttribute(member, module, draft)
  else if (functionWords.test(target)) readFunction(member, target, module, draft)
  else if (moduleWords.test(target)) readModule(member, module.name, draft, depth + 1)
  else if (target === "use") {
    module.open = true
    module.parents.push(nameOf(argumentsOf(member)[0], module.name))
  } else if (target === "defstruct" || target === "defexception") {
    for (const given of argumentsOf(member)) module.fields.push(...fieldNames(given))
  } else if (target === "quote") {
    // What is quoted belongs to whoever uses the macro.
    module.open = true
  } else if (/^(?:if|unless|for)$/.test(target)) {
    // Definitions that depend on something are there or not.
    module.open = true
    readMembers(bodyOf(member), module, draft, depth)
  } else if (target === "describe") readMembers(bodyOf(member), module, draft, depth)
  else if (member.type === "ERROR" || member.type === "else_block")
    readMembers(member.namedChildren, module, draft, depth)
}

const readMembers = (members: ReadonlyArray<SyntaxNode>, module: Module, draft: Draft, depth: number): void => {
  if (depth > deepest) return
  for (const member of members) readMember(member, module, draft, depth + 1)
}

/** `[:id, total: 0]` */
const fieldNames = (given: SyntaxNode): ReadonlyArray<string> =>
  given.descendantsOfType(["atom", "keyword"]).map(({ text }) => text.replace(/[:\s]/g, ""))

/** Attributes that say something of what stands below them, or to the compiler. */
const directives = new Set(
  `moduledoc doc typedoc spec impl since deprecated dialyzer derive enforce_keys before_compile after_compile on_load
  compile external_resource tag moduletag describetag on_definition optional_callbacks fallback_to_any nifs`.split(
    /\s+/
  )
)

const readAttribute = (member: SyntaxNode, module: Module, draft: Draft): void => {
  const call = member.childForFieldName("operand")
  const word = call === null ? "" : targetOf(call)
  const [given] = call === null ? [] : argumentsOf(call)
  if (call === null || given === undefined || directives.has(word)) return
  if (word === "behaviour") module.parents.push(nameOf(given, module.name))
  else if (/^(?:type|typep|opaque)$/.test(word)) {
    const head = headOf(given)
    const visibility = word === "typep" ? "private" : "public"
    define(draft, member, { name: head.name, kind: "type", container: module.name, visibility })
  } else if (/^(?:macro)?callback$/.test(word)) {
    const { name, given: types } = headOf(given)
    const signature = called(types.map((type) => parameterOf(bindingName(type), "positional-only", true)))
    define(draft, member, { name, kind: "method", container: module.name, signature })
  } else if (!module.attributes.has(word)) {
    // Given again, it is another value under the same name.
    module.attributes.add(word)
    define(draft, member, { name: word, kind: "constant", container: module.name, visibility: "private" })
  }
}

interface Head {
  readonly name: string
  readonly given: ReadonlyArray<SyntaxNode>
}

/** `f(a, b) when c`, `f(a) :: t`, `a + b`, or a name alone. */
const headOf = (head: SyntaxNode): Head => {
  if (head.type === "identifier") return { name: head.text, given: [] }
  if (head.type === "call") return { name: targetOf(head), given: argumentsOf(head) }
  if (head.type === "unary_operator") {
    const operand = head.childForFieldName("operand")
    return { name: head.childForFieldName("operator")?.text ?? "", given: operand === null ? [] : [operand] }
  }
  if (head.type !== "binary_operator") return { name: "", given: [] }
  const [left, operator, right] = ["left", "operator", "right"].map((field) => head.childForFieldName(field))
  if (left == null || right == null || operator == null) return { name: "", given: [] }
  if (/^(?:when|::)$/.test(operator.text))
    return left.type === "binary_operator" && operator.text === "::" ? headOf(left) : callHead(left)
  return { name: operator.text, given: [left, right] }
}

/** Below `when` there is another head, and never another `when`. */
const callHead = (left: SyntaxNode): Head => {
  const isOperator = left.type === "binary_operator" || left.type === "unary_operator"
  if (!isOperator) return headOf(left)
  const operator = left.childForFieldName("operator")?.text ?? ""
  return operator === "when" || operator === "::" ? { name: "", given: [] } : headOf(left)
}

const readFunction = (member: SyntaxNode, word: string, module: Module, draft: Draft): void => {
  const [head] = argumentsOf(member)
  if (head === undefined) return
  const { given, name } = headOf(head)
  // `def unquote(name)(...)`
  if (name === "" || name === "unquote") {
    module.open = true
    return
  }
  const signature = called(given.map(parameterIn))
  const visibility = /(?:p|macrop|guardp|np)$/.test(word) && word !== "def" ? "private" : "public"
  define(draft, member, { name, kind: "function", container: module.name, signature, visibility })
}

const parameterIn = (given: SyntaxNode): Parameter => {
  const isDefault = given.type === "binary_operator" && given.childForFieldName("operator")?.text === "\\\\"
  const pattern = isDefault ? (given.childForFieldName("left") ?? given) : given
  return parameterOf(bindingName(pattern), "positional-only", !isDefault)
}

/** What a pattern calls its whole value: `item` in `%Item{} = item`. Empty when it gives it no name. */
const bindingName = (pattern: SyntaxNode): string => {
  if (pattern.type === "identifier") return pattern.text
  if (pattern.type !== "binary_operator") return ""
  const sides = [pattern.childForFieldName("left"), pattern.childForFieldName("right")]
  return sides.find((side) => side?.type === "identifier")?.text ?? ""
}

/** The clauses of one function as one definition, from the first to the last. */
const withClausesJoined = (definitions: ReadonlyArray<Definition>): Array<Definition> => {
  const joined = new Map<string, Definition>()
  for (const each of definitions) {
    const { container, kind, name, signature } = each
    const key = `${kind} ${container} ${name} ${signature?.parameters.length}`
    const first = kind === "function" ? joined.get(key) : undefined
    if (first === undefined) joined.set(joined.has(key) ? `${key} ${each.line}` : key, each)
    else joined.set(key, { ...first, endLine: each.endLine, shape: first.shape + each.shape })
  }
  return [...joined.values()]
}

/** `alias`, `import`, `require` and `use`, wherever they stand. */
export const elixirImports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: line, index } of statementsIn(root, /^[ \t]*(?:alias|import|require|use)\b/gm)) {
    const at = root.startIndex + index + line.length - line.trimStart().length
    const word = root.descendantForIndex(at, at)
    const call = word?.parent ?? null
    if (word === null || call === null || call.childForFieldName("target")?.id !== word.id) continue
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

/** An alias goes by its last part; the others leave the whole name as it is. */
const taken = (node: SyntaxNode, word: string, module: string, as: string | null): ReadonlyArray<ImportedName> => {
  const last = module.slice(module.lastIndexOf(".") + 1)
  const local = as !== null && as !== "" ? as : word === "alias" ? last : word === "require" ? module : ""
  return [imported(node, module, null, local)]
}

/** The whole name of the module that the node stands in; null outside of any. */
const moduleAround = (node: SyntaxNode): string | null => {
  const calls: Array<SyntaxNode> = []
  for (let at = node.parent; at !== null && calls.length <= deepest; at = at.parent) {
    if (moduleWords.test(targetOf(at))) calls.unshift(at)
  }
  return calls.reduce<string | null>((outer, call) => definedName(call, outer) || outer, null)
}

/** What the word at this node is to the code around it; null for what is no name at all. */
export const elixirOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || (node.type !== "identifier" && node.type !== "alias")) return null
  if (node.type === "alias") return aliasOccurrence(node)
  if (parent.type === "dot" && parent.childForFieldName("right")?.id === node.id) {
    const left = parent.childForFieldName("left")
    const receiver = left?.type === "alias" || left?.type === "identifier" ? left.text : null
    const self = receiver === "__MODULE__" ? moduleAround(node) : null
    return occurrenceAt(node, "member", { receiver, self, ...usageOf(parent) })
  }
  const isTarget = parent.type === "call" && parent.childForFieldName("target")?.id === node.id
  if (isTarget && /^(?:alias|import|require|use)$/.test(node.text)) return null
  if (isTarget && parent.parent?.type === "unary_operator" && isAttributeOf(parent.parent)) return null
  const head = isTarget ? parent : node
  if (headAround(head) !== null || isSpecified(head)) return occurrenceAt(node, "definition")
  return isBinding(node) ? occurrenceAt(node, "binding") : occurrenceAt(node, "use", usageOf(node))
}

const isAttributeOf = (operator: SyntaxNode): boolean => operator.childForFieldName("operator")?.text === "@"

const aliasOccurrence = (node: SyntaxNode): Occurrence => {
  const call = enclosing(node, ["call"])
  const word = call === null ? "" : targetOf(call)
  if (/^(?:alias|import|require|use)$/.test(word)) return occurrenceAt(node, "import")
  const isNamed = moduleWords.test(word) && call !== null && argumentsOf(call)[0]?.id === node.id
  return occurrenceAt(node, isNamed && word !== "defimpl" ? "definition" : "use")
}

/** The `def` whose head this name or call is; null when it is none. */
const headAround = (node: SyntaxNode): SyntaxNode | null => {
  const holder = node.parent
  const isGuarded = holder?.type === "binary_operator" && holder.childForFieldName("operator")?.text === "when"
  if (isGuarded && holder.childForFieldName("left")?.id !== node.id) return null
  const head = isGuarded ? holder : node
  const definition = head.parent?.type === "arguments" ? head.parent.parent : null
  if (definition == null || !functionWords.test(targetOf(definition))) return null
  return argumentsOf(definition)[0]?.id === head.id ? definition : null
}

/** `f(t)` in `@spec f(t) :: t`: it says something of the function, and calls nothing. */
const isSpecified = (head: SyntaxNode): boolean => {
  const typed = head.parent
  if (typed?.type !== "binary_operator" || typed.childForFieldName("left")?.id !== head.id) return false
  const call = typed.parent?.type === "arguments" ? typed.parent.parent : null
  return call?.parent?.type === "unary_operator" && isAttributeOf(call.parent)
}

/** In a pattern: left of `=`, `<-` or `->`, or in the head of a function. */
const isBinding = (node: SyntaxNode): boolean => {
  let at = node
  for (let parent = at.parent; parent !== null; at = parent, parent = parent.parent) {
    if (parent.type === "stab_clause") return parent.childForFieldName("left")?.id === at.id
    if (parent.type === "do_block" || parent.type === "source") return false
    if (parent.type === "binary_operator") {
      const operator = parent.childForFieldName("operator")?.text ?? ""
      const isLeft = parent.childForFieldName("left")?.id === at.id
      if (operator === "=" || operator === "<-") return isLeft || isInHead(parent)
      if (operator === "\\\\") return isLeft
    } else if (parent.type === "call") return headAround(parent) !== null
  }
  return false
}

const isInHead = (node: SyntaxNode): boolean => {
  const call = node.parent?.type === "arguments" ? node.parent.parent : null
  return call != null && headAround(call) !== null
}

/** Called, piped into, or captured with its arity: `f(a)`, `a |> f()`, `&f/1`. */
const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const holder = callee.parent
  const isCall = holder?.type === "call" && holder.childForFieldName("target")?.id === callee.id
  const call = isCall ? holder : callee
  const shape = isCall ? callShape(call) : null
  const outer = call.parent
  if (outer?.type === "binary_operator") {
    const operator = outer.childForFieldName("operator")?.text
    if (operator === "|>" && outer.childForFieldName("right")?.id === call.id) {
      const positional = (shape?.positional ?? 0) + 1
      return { call: { positional, keywords: [], spread: false }, value: fateOf(outer) }
    }
    if (operator === "/" && captures(outer.parent)) {
      const arity = Number(outer.childForFieldName("right")?.text)
      return {
        call: Number.isInteger(arity) ? { positional: arity, keywords: [], spread: false } : null,
        value: "passed"
      }
    }
  }
  return { call: shape, value: shape === null ? "passed" : fateOf(call) }
}

const captures = (node: SyntaxNode | null): boolean =>
  node?.type === "unary_operator" && node.childForFieldName("operator")?.text === "&"

/** Keywords at the end and a `do` block are one argument together. */
const callShape = (call: SyntaxNode): CallShape => {
  const given = argumentsOf(call)
  const block = childOf(call, "do_block") !== null && given.at(-1)?.type !== "keywords" ? 1 : 0
  return { positional: given.length + block, keywords: [], spread: false }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "do_block" || holder?.type === "body") {
    return holder.namedChildren.at(-1)?.id === call.id ? "passed" : "dropped"
  }
  const isStored = holder?.type === "binary_operator" && holder.childForFieldName("operator")?.text === "="
  return isStored ? "stored" : "passed"
}

/** Names of `Kernel` and `Kernel.SpecialForms` that every module has without asking, and what ExUnit gives to tests. */
export const elixirBuiltins: ReadonlySet<string> = new Set(
  `abs alias and apply assert assert_raise assert_receive assert_received binary_part binding bit_size byte_size case
  ceil cond dbg def defdelegate defexception defguard defguardp defimpl defmacro defmacrop defmodule defoverridable defp
  defprotocol defstruct describe destructure div elem exit floor flunk fn for function_exported? get_and_update_in get_in
  hd if import in inspect is_atom is_binary is_bitstring is_boolean is_exception is_float is_function is_integer is_list
  is_map is_map_key is_nil is_number is_pid is_port is_reference is_struct is_tuple length macro_exported? make_ref
  map_size match? max min node not on_exit or pop_in put_elem put_in quote raise receive refute refute_receive
  refute_received rem require reraise round self send setup setup_all sigil_c sigil_r sigil_s sigil_w spawn spawn_link
  spawn_monitor start_supervised start_supervised! struct struct! super tap test then throw tl to_charlist to_string
  trunc try tuple_size unless unquote unquote_splicing update_in use var! with`.split(/\s+/)
)
