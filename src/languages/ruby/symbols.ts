/**
 * What a Ruby file defines, requires and calls. Pure.
 *
 * Classes may be opened again and given methods at run time: what inherits, mixes in or answers for any name is open.
 */
import type {
  CallShape,
  Definition,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  Visibility
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
  isIn,
  nested,
  occurrenceAt,
  onlyOne,
  parameterOf,
  plainPath,
  statementsIn,
  textOf
} from "../draft.ts"
import { childOf, enclosing, parts } from "../tree.ts"

export const rubySymbols = (root: SyntaxNode): FileSymbols => {
  const draft = draftOf(root, rubyImports(root))
  readBody(root, topScope(), draft, 0)
  return finished(draft)
}

/** The class or module whose body is read. */
interface Scope {
  readonly path: string | null
  readonly fields: Set<string>
  readonly parents: Array<string>
  /** What `private` alone on a line makes of the methods below it. */
  visibility: Visibility
  open: boolean
}

const topScope = (): Scope => scopeOf(null)
const scopeOf = (path: string | null): Scope => ({
  path,
  fields: new Set(),
  parents: [],
  visibility: "public",
  open: false
})

const readBody = (body: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  if (depth > deepest) return
  for (const statement of body.namedChildren) readStatement(statement, scope, draft, depth)
}

/** Statements whose own statements run as part of the class body. */
const transparent = /^(?:body_statement|block_body|begin|begin_block|then|else|elsif|if|unless|rescue|ensure|ERROR)$/

const readStatement = (statement: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  switch (statement.type) {
    case "module":
    case "class":
      readClass(statement, scope, draft, depth)
      break
    case "singleton_class": {
      const inner: Scope = { ...scopeOf(scope.path), open: true }
      const body = statement.childForFieldName("body")
      if (body !== null) readBody(body, inner, draft, depth + 1)
      break
    }
    case "method":
    case "singleton_method":
      readMethod(statement, scope, draft, statement.type === "method" ? scope.visibility : "public")
      break
    case "assignment":
      readAssignment(statement, scope, draft, depth)
      break
    case "alias":
      defineMethod(statement, textOf(statement, "name"), null, scope, draft)
      break
    case "identifier":
      if (/^(?:private|protected|public)$/.test(statement.text)) scope.visibility = visibilityOf(statement.text)
      break
    case "call":
      readCall(statement, scope, draft, depth)
      break
    default:
      if (transparent.test(statement.type)) readBody(statement, scope, draft, depth + 1)
  }
}

const visibilityOf = (word: string): Visibility =>
  word === "private" ? "private" : word === "protected" ? "protected" : "public"

const readClass = (node: SyntaxNode, outer: Scope, draft: Draft, depth: number): void => {
  const written = textOf(node, "name").replace(/\s+/g, "").replace(/^::/, "")
  const parent = node.childForFieldName("superclass")?.namedChildren[0]
  defineClass(node, written, parent == null ? [] : [parent], node.childForFieldName("body"), outer, draft, depth)
}

const defineClass = (
  node: SyntaxNode,
  written: string,
  parents: ReadonlyArray<SyntaxNode>,
  body: SyntaxNode | null,
  outer: Scope,
  draft: Draft,
  depth: number
): void => {
  const path = nested(outer.path, written, "::")
  const cut = path.lastIndexOf("::")
  const scope: Scope = scopeOf(path)
  const before = draft.definitions.length
  if (body !== null) readBody(body, scope, draft, depth + 1)
  const initializers = draft.definitions
    .slice(before)
    .filter(({ container, name }) => container === path && name === "initialize")
  const name = cut < 0 ? path : path.slice(cut + 2)
  const container = cut < 0 ? null : path.slice(0, cut)
  const signature = node.type === "class" ? onlyOne(initializers.map((each) => each.signature)) : null
  define(draft, node, { name, kind: "class", container, signature })
  const named = [...parents.map(nameOf), ...scope.parents]
  defineType(draft, path, scope.open || named.length > 0, scope.fields, named)
}

/** `Base::Thing`, and `ActiveRecord::Migration` for `ActiveRecord::Migration[7.0]`. */
const nameOf = (node: SyntaxNode): string => node.text.replace(/[[({][\s\S]*$/, "").replace(/\s+/g, "")

const readMethod = (node: SyntaxNode, scope: Scope, draft: Draft, visibility: Visibility): void => {
  const owner = node.childForFieldName("object")
  const name = textOf(node, "name").replace(/\s+/g, "")
  if (owner !== null && owner.type !== "self" && owner.type !== "constant") return
  if (/^(?:method_missing|respond_to_missing\?)$/.test(name)) scope.open = true
  const container =
    owner?.type === "constant" && owner.text !== scope.path ? nested(scope.path, owner.text, "::") : scope.path
  define(draft, node, {
    name,
    kind: container === null ? "function" : "method",
    container,
    signature: signatureOf(node),
    visibility
  })
}

/** `Point = Struct.new(:x) do ... end` is a class; any other constant a constant. */
const readAssignment = (node: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  const left = node.childForFieldName("left")
  const right = node.childForFieldName("right")
  if (left?.type !== "constant" && left?.type !== "scope_resolution") {
    if (left?.type === "instance_variable") scope.fields.add(left.text)
    return
  }
  const maker = right?.type === "call" ? textOf(right, "receiver") : ""
  const method = right?.type === "call" ? textOf(right, "method") : ""
  const isMade = /^(?:Struct|Class|Module)$/.test(maker) ? method === "new" : maker === "Data" && method === "define"
  if (right !== null && isMade) {
    const block = right.childForFieldName("block")
    const parents = maker === "Class" ? argumentsOf(right).slice(0, 1) : []
    defineClass(node, left.text, parents, block?.childForFieldName("body") ?? null, scope, draft, depth)
    const path = nested(scope.path, left.text, "::")
    for (const field of maker === "Class" ? [] : argumentsOf(right)) {
      const name = symbolOf(field)
      if (name !== null) define(draft, field, { name, kind: "method", container: path })
    }
    return
  }
  define(draft, node, { name: left.text.replace(/^.*::/, ""), kind: "constant", container: scope.path })
}

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = call.childForFieldName("arguments")
  return list === null ? [] : parts(list)
}

const symbolOf = (node: SyntaxNode | undefined): string | null =>
  node?.type === "simple_symbol"
    ? node.text.slice(1)
    : node?.type === "string" && node.namedChildren.length === 1
      ? (node.namedChildren[0]?.text ?? null)
      : null

const defineMethod = (
  node: SyntaxNode,
  name: string | null,
  signature: Signature | null,
  scope: Scope,
  draft: Draft
): void => {
  if (name === null || name === "") return
  const kind = scope.path === null ? "function" : "method"
  define(draft, node, { name, kind, container: scope.path, signature, visibility: scope.visibility })
}

/** Calls in a class body that define something themselves; any other call may do so, which only its own code tells. */
const readCall = (call: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  const word = call.childForFieldName("receiver") === null ? textOf(call, "method") : ""
  const given = argumentsOf(call)
  const block = call.childForFieldName("block")?.childForFieldName("body") ?? null
  switch (word) {
    case "include":
    case "extend":
    case "prepend":
      scope.parents.push(...given.map(nameOf))
      return
    case "private":
    case "protected":
    case "public":
    case "module_function":
    case "private_class_method":
      changeVisibility(given, word.startsWith("private") ? "private" : visibilityOf(word), scope, draft, depth)
      return
    case "attr_reader":
    case "attr_accessor":
    case "attr_writer":
    case "attr":
    case "mattr_reader":
    case "mattr_accessor":
    case "cattr_accessor":
    case "class_attribute":
      for (const each of given) defineMethod(each, symbolOf(each), called([]), scope, draft)
      return
    case "alias_method":
    case "define_method":
    case "define_singleton_method":
    case "scope":
    case "helper_method":
      if (word !== "helper_method") defineMethod(call, symbolOf(given[0]), null, scope, draft)
      return
    case "delegate":
    case "def_delegators":
    case "def_delegator":
      for (const each of given) defineMethod(each, symbolOf(each), null, scope, draft)
      return
    case "class_methods":
    case "included":
    case "class_eval":
      if (block !== null) readBody(block, scope, draft, depth + 1)
      return
    case "require":
    case "require_relative":
    case "autoload":
    case "private_constant":
      return
    default:
      if (scope.path !== null) scope.open ||= word !== ""
      // A block at the top may be run, or handed on: the classes in it have their names either way.
      else if (block !== null && depth <= deepest) {
        for (const each of block.namedChildren)
          if (/^(?:class|module|call)$/.test(each.type)) readStatement(each, scope, draft, depth + 1)
      }
  }
}

/** `private def x`, `private :a, :b`, `private attr_reader :c`. */
const changeVisibility = (
  given: ReadonlyArray<SyntaxNode>,
  visibility: Visibility,
  scope: Scope,
  draft: Draft,
  depth: number
): void => {
  const before = scope.visibility
  for (const each of given) {
    const name = symbolOf(each)
    if (name === null) {
      scope.visibility = visibility
      readStatement(each, scope, draft, depth + 1)
      scope.visibility = before
      continue
    }
    const at = draft.definitions.findLastIndex((known) => known.name === name && known.container === scope.path)
    const known: Definition | undefined = draft.definitions[at]
    if (known !== undefined) draft.definitions[at] = { ...known, visibility }
  }
}

const signatureOf = (node: SyntaxNode): Signature => {
  const list = node.childForFieldName("parameters")
  const parameters: Array<Parameter> = []
  for (const part of list === null ? [] : parts(list)) {
    const name = textOf(part, "name")
    if (part.type === "identifier") parameters.push(parameterOf(part.text, "positional-only", true))
    else if (part.type === "optional_parameter") parameters.push(parameterOf(name, "positional-only", false))
    else if (part.type === "destructured_parameter") parameters.push(parameterOf("", "positional-only", true))
    else if (part.type === "splat_parameter") parameters.push(parameterOf(name, "rest", false))
    else if (part.type === "hash_splat_parameter") parameters.push(parameterOf(name, "keywords", false))
    else if (part.type === "keyword_parameter") {
      parameters.push(parameterOf(name, "keyword", part.childForFieldName("value") === null))
    } else if (part.type === "forward_parameter") {
      parameters.push(parameterOf("", "rest", false), parameterOf("", "keywords", false))
    }
  }
  return called(parameters)
}

/** `require`, `require_relative`, `load` and `autoload` of paths that are written out, wherever they stand. */
export const rubyImports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: word, index } of statementsIn(root, /\b(?:require_relative|require|load|autoload)\b/g)) {
    const at = root.startIndex + index
    const node = root.descendantForIndex(at, at + word.length)
    const call = node?.type === "identifier" ? node.parent : null
    if (call?.type !== "call" || call.childForFieldName("method")?.id !== node?.id) continue
    const given = argumentsOf(call)
    const path = given.at(word === "autoload" ? 1 : 0)
    const module = path?.type === "string" ? symbolOf(path) : null
    if (module === null || call.childForFieldName("receiver") !== null) continue
    const isRelative = word === "require_relative" && !module.startsWith(".")
    const name = word === "autoload" ? symbolOf(given[0]) : null
    found.push(imported(call, isRelative ? `./${module}` : module, name, name ?? "", isGuarded(call)))
  }
  return found
}

/** A missing library is expected where it is rescued. */
const isGuarded = (call: SyntaxNode): boolean => {
  const around = enclosing(call, ["begin", "body_statement", "rescue_modifier"], ["method", "class", "module"])
  return around !== null && (around.type === "rescue_modifier" || childOf(around, "rescue") !== null)
}

/** What the word at this node is to the code around it; null for what is no name at all. */
export const rubyOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || (node.type !== "identifier" && node.type !== "constant")) return null
  if (/^(?:method|singleton_method|class|module|alias|setter)$/.test(parent.type) && isIn(node, "name")) {
    return occurrenceAt(node, "definition")
  }
  if (parent.type === "call" && isIn(node, "method")) {
    const receiver = parent.childForFieldName("receiver")
    const given = { call: callShape(parent), value: fateOf(parent) }
    if (receiver === null) return occurrenceAt(node, "use", given)
    const isSet = parent.parent?.type === "assignment" && isIn(parent, "left")
    const path = plainPath(receiver)
    const more = { receiver: path, self: path === "self" ? classAround(node) : null }
    return occurrenceAt(node, "member", { ...more, ...(isSet ? { call: one, value: "passed" } : given) })
  }
  if (node.type === "constant") return constantOccurrence(node, parent)
  if (/^(?:optional|splat|hash_splat|keyword|block)_parameter$/.test(parent.type)) {
    return isIn(node, "name") ? occurrenceAt(node, "binding") : occurrenceAt(node, "use")
  }
  if (isBinding(node, parent)) return occurrenceAt(node, "binding")
  return occurrenceAt(node, "use")
}

const one: CallShape = { positional: 1, keywords: [], spread: false }

/** `Foo.new(1)` calls the class. */
const constantOccurrence = (node: SyntaxNode, parent: SyntaxNode): Occurrence => {
  if (parent.type === "assignment" && isIn(node, "left")) return occurrenceAt(node, "definition")
  const isInner = parent.type === "scope_resolution" && isIn(node, "name")
  const whole = isInner ? parent : node
  const call = whole.parent
  const isMade = call?.type === "call" && isIn(whole, "receiver") && textOf(call, "method") === "new"
  const usage = isMade ? { call: callShape(call), value: fateOf(call) } : {}
  if (!isInner) return occurrenceAt(node, "use", usage)
  return occurrenceAt(node, "member", { receiver: plainPath(parent.childForFieldName("scope")), ...usage })
}

const isBinding = (node: SyntaxNode, parent: SyntaxNode): boolean => {
  if (/^(?:assignment|operator_assignment)$/.test(parent.type)) return isIn(node, "left")
  if (parent.type === "for") return isIn(node, "pattern")
  return /^(?:method_parameters|lambda_parameters|block_parameters|destructured_parameter|left_assignment_list|exception_variable|rest_assignment)$/.test(
    parent.type
  )
}

/** The class whose object `self` is. */
const classAround = (node: SyntaxNode): string | null => {
  const names: Array<string> = []
  for (let at = node.parent; at !== null && names.length <= deepest; at = at.parent) {
    if (at.type === "class" || at.type === "module") names.unshift(textOf(at, "name").replace(/\s+/g, ""))
  }
  return names.length === 0 ? null : names.join("::")
}

/** A block is no argument. A hash without braces is keywords to a method that has them. */
const callShape = (call: SyntaxNode): CallShape => {
  const given = argumentsOf(call).filter(({ type }) => type !== "block_argument")
  const pairs = given.filter(({ type }) => type === "pair")
  const keys = pairs.map((pair) => pair.childForFieldName("key"))
  const spreads = ["splat_argument", "hash_splat_argument", "forward_argument"]
  return {
    positional: given.length - pairs.length,
    keywords: keys.flatMap((key) => (key?.type === "hash_key_symbol" ? [key.text] : [])),
    // `"a" => 1` and `key => 1` name what only running tells.
    spread: given.some(({ type }) => spreads.includes(type)) || keys.some((key) => key?.type !== "hash_key_symbol")
  }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "body_statement") return holder.namedChildren.at(-1)?.id === call.id ? "passed" : "dropped"
  if (holder?.type === "assignment") return "stored"
  return holder?.type === "call" && isIn(call, "receiver") ? "read" : "passed"
}
