/**
 * What a PHP file declares, uses and calls. Pure.
 *
 * A namespace is the file's package; which file a class lives in, composer.json tells. Functions take more arguments
 * than they name.
 */
import type {
  CallShape,
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
  occurrenceAt,
  onlyOne,
  parameterOf,
  statementsIn,
  textOf,
  withoutOverloads
} from "../draft.ts"
import { childOf, parts } from "../tree.ts"

export const phpSymbols = (root: SyntaxNode): FileSymbols => {
  const draft = draftOf(root, phpImports(root))
  readBody(root, draft, 0)
  const found = finished(draft)
  return { ...found, definitions: withoutOverloads(found.definitions) }
}

/** Statements whose own statements run as part of the file. */
const transparent =
  /^(?:namespace_definition|compound_statement|if_statement|else_clause|else_if_clause|colon_block|try_statement|ERROR)$/

const classes = /^(?:class|interface|trait|enum)_declaration$/

const readBody = (body: SyntaxNode, draft: Draft, depth: number): void => {
  if (depth > deepest) return
  for (const statement of body.namedChildren) {
    if (statement.type === "namespace_definition" && draft.package === "") {
      draft.package = textOf(statement, "name").replace(/\s+/g, "")
    }
    if (classes.test(statement.type)) readClass(statement, draft)
    else if (statement.type === "function_definition") {
      define(draft, statement, {
        name: textOf(statement, "name"),
        kind: "function",
        container: null,
        signature: signatureOf(statement)
      })
    } else if (statement.type === "const_declaration") readConstants(statement, null, draft)
    else if (statement.type === "expression_statement") readDefine(statement, draft)
    else if (transparent.test(statement.type)) readBody(statement, draft, depth + 1)
  }
}

/** `define('NAME', value)` */
const readDefine = (statement: SyntaxNode, draft: Draft): void => {
  const call = childOf(statement, "function_call_expression")
  if (call === null || textOf(call, "function") !== "define") return
  const name = literal(call.childForFieldName("arguments")?.namedChildren[0]?.namedChildren[0] ?? null)
  if (name !== null) define(draft, call, { name, kind: "constant", container: null })
}

/** The text of a string without variables; null for any other node. */
const literal = (node: SyntaxNode | null): string | null => {
  if (node?.type !== "string" && node?.type !== "encapsed_string") return null
  const [content, ...others] = node.namedChildren
  return others.length === 0 && content?.type === "string_content" ? content.text : null
}

const readConstants = (declaration: SyntaxNode, container: string | null, draft: Draft): ReadonlyArray<string> =>
  declaration.namedChildren
    .filter(({ type }) => type === "const_element")
    .map((element) => {
      const name = element.namedChildren[0]?.text ?? ""
      const visibility = container === null ? null : visibilityOf(declaration)
      define(draft, element, { name, kind: "constant", container, visibility })
      return name
    })

const visibilityOf = (node: SyntaxNode): Visibility => {
  const word = childOf(node, "visibility_modifier")?.text ?? ""
  return word.startsWith("private") ? "private" : word.startsWith("protected") ? "protected" : "public"
}

const readClass = (node: SyntaxNode, draft: Draft): void => {
  const name = textOf(node, "name")
  const fields = new Set<string>()
  const parents: Array<string> = []
  const constructors: Array<Signature> = []
  let magic = false
  for (const clause of node.namedChildren) {
    if (clause.type === "base_clause" || clause.type === "class_interface_clause")
      parents.push(...parts(clause).map(namedBy))
  }
  for (const member of membersOf(node.childForFieldName("body"))) {
    const visibility = visibilityOf(member)
    switch (member.type) {
      case "method_declaration": {
        const own = textOf(member, "name")
        const signature = signatureOf(member)
        if (own === "__construct") constructors.push(signature)
        magic ||= /^__(?:call|callStatic|get)$/.test(own)
        define(draft, member, { name: own, kind: "method", container: name, signature, visibility })
        if (own === "__construct") readPromoted(member, name, fields, draft)
        break
      }
      case "property_declaration":
        for (const element of member.namedChildren) {
          if (element.type !== "property_element") continue
          const own = propertyName(element)
          fields.add(own)
          define(draft, element, { name: own, kind: "constant", container: name, visibility })
        }
        break
      case "const_declaration":
        for (const own of readConstants(member, name, draft)) fields.add(own)
        break
      case "enum_case":
        fields.add(textOf(member, "name"))
        define(draft, member, { name: textOf(member, "name"), kind: "constant", container: name, visibility: "public" })
        break
      case "use_declaration":
        parents.push(...member.namedChildren.filter(({ type }) => /name$/.test(type)).map(namedBy))
        break
      default:
    }
  }
  const isClass = node.type === "class_declaration"
  define(draft, node, {
    name,
    kind: isClass ? "class" : "type",
    container: null,
    signature: isClass ? onlyOne(constructors) : null
  })
  defineType(draft, name, magic || parents.length > 0, fields, parents)
}

/** Broken members are looked into, once. */
const membersOf = (body: SyntaxNode | null): ReadonlyArray<SyntaxNode> =>
  (body?.namedChildren ?? []).flatMap((member) => (member.type === "ERROR" ? member.namedChildren : [member]))

const namedBy = (node: SyntaxNode): string => node.text.replace(/\s+/g, "").replace(/^\\/, "")

const propertyName = (element: SyntaxNode): string =>
  (element.childForFieldName("name") ?? element.namedChildren[0])?.text.replace(/^\$/, "") ?? ""

/** `__construct(private int $id)` gives the class a property. */
const readPromoted = (method: SyntaxNode, container: string, fields: Set<string>, draft: Draft): void => {
  for (const each of method.childForFieldName("parameters")?.namedChildren ?? []) {
    if (each.type !== "property_promotion_parameter") continue
    const name = propertyName(each)
    fields.add(name)
    define(draft, each, { name, kind: "constant", container, visibility: visibilityOf(each) })
  }
}

const signatureOf = (node: SyntaxNode): Signature => {
  const list = node.childForFieldName("parameters")
  const parameters = (list === null ? [] : parts(list)).flatMap((part): ReadonlyArray<Parameter> => {
    if (!/parameter$/.test(part.type)) return []
    const isRest = part.type === "variadic_parameter"
    const hasDefault = part.childForFieldName("default_value") !== null
    return [parameterOf(propertyName(part), isRest ? "rest" : "positional", !hasDefault)]
  })
  return called(parameters, { strict: false })
}

/** `use` of classes, functions and constants, and the files that `include` and `require` name. */
export const phpImports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: word, index } of statementsIn(root, /\b(?:use|(?:include|require)(?:_once)?)\b/g)) {
    const at = root.startIndex + index
    const leaf = root.descendantForIndex(at, at + word.length)
    const node = leaf?.parent ?? null
    if (node === null || leaf?.startIndex !== at || leaf.endIndex !== at + word.length) continue
    if (node.type === "namespace_use_declaration" && node.startIndex === at) found.push(...namesTaken(node))
    else if (/^(?:include|require)(?:_once)?_expression$/.test(node.type)) {
      const path = pathOf(node.namedChildren[0] ?? null)
      if (path !== null) found.push(imported(node, path, null, ""))
    }
  }
  return found
}

/** `'a.php'`, and `__DIR__ . '/a.php'` as `./a.php`. */
const pathOf = (given: SyntaxNode | null): string | null => {
  if (given?.type === "parenthesized_expression") return pathOf(given.namedChildren[0] ?? null)
  if (given?.type !== "binary_expression") return literal(given)
  const isHere = /^(?:__DIR__|dirname\(__FILE__\))$/.test(textOf(given, "left"))
  const rest = literal(given.childForFieldName("right"))
  return isHere && rest !== null ? `.${rest.startsWith("/") ? "" : "/"}${rest}` : null
}

const namesTaken = (declaration: SyntaxNode): ReadonlyArray<ImportedName> => {
  const group = declaration.childForFieldName("body")
  const prefix = group === null ? "" : `${childOf(declaration, "namespace_name")?.text ?? ""}\\`
  return (group ?? declaration).namedChildren
    .filter(({ type }) => type === "namespace_use_clause")
    .map((clause) => {
      const alias = clause.childForFieldName("alias")
      const path = parts(clause).find(({ id }) => id !== alias?.id)
      const module = `${prefix}${path?.text ?? ""}`.replace(/\s+/g, "").replace(/^\\/, "")
      const name = module.slice(module.lastIndexOf("\\") + 1)
      return imported(clause, module, name, alias?.text ?? name)
    })
}

/** What the word at this node is to the code around it; null for an argument's name, a variable, and what is no name. */
export const phpOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || node.type !== "name" || parent.type === "variable_name") return null
  if (
    /^(?:class|interface|trait|enum|method)_declaration$|^(?:function_definition|enum_case)$/.test(parent.type) &&
    isIn(node, "name")
  ) {
    return occurrenceAt(node, "definition")
  }
  if (parent.type === "const_element" && parent.namedChildren[0]?.id === node.id)
    return occurrenceAt(node, "definition")
  if (parent.type === "namespace_name")
    return parent.parent?.type === "namespace_definition" ? null : occurrenceAt(node, "use")
  if (parent.type === "argument" && isIn(node, "name")) return null
  const whole = parent.type === "qualified_name" ? parent : node
  const holder = whole.parent
  if (holder?.type === "namespace_use_clause") return occurrenceAt(node, "import")
  if (holder === null) return null
  const isMember = /^(?:nullsafe_)?member_(?:call|access)_expression$/.test(holder.type)
  if (isMember && holder.childForFieldName("name")?.id === whole.id) {
    const receiver = pathTo(holder.childForFieldName("object"))
    return occurrenceAt(node, "member", {
      receiver,
      self: receiver === "$this" ? classAround(node) : null,
      ...usageOf(holder)
    })
  }
  if (
    /^(?:scoped_call|class_constant_access|scoped_property_access)_expression$/.test(holder.type) &&
    holder.namedChildren[0]?.id !== whole.id
  ) {
    const receiver = pathTo(holder.namedChildren[0] ?? null)
    const isOwn = receiver === "self" || receiver === "static"
    return occurrenceAt(node, "member", { receiver, self: isOwn ? classAround(node) : null, ...usageOf(holder) })
  }
  const receiver = whole.id === node.id ? null : namedBy(whole).replace(/\\?[^\\]*$/, "")
  const isCall = holder.type === "function_call_expression" || holder.type === "object_creation_expression"
  const usage = isCall ? usageOf(holder) : {}
  return occurrenceAt(node, receiver === null || receiver === "" ? "use" : "member", {
    receiver: receiver === "" ? null : receiver,
    ...usage
  })
}

const pathTo = (node: SyntaxNode | null): string | null => {
  const text = node === null || node.endIndex - node.startIndex > 200 ? "" : node.text
  return /^\$?\w+(?:->\w+)*$|^\\?\w+(?:\\\w+)*$/.test(text) ? text : null
}

/** The class whose object `$this` is. */
const classAround = (node: SyntaxNode): string | null => {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.type === "anonymous_class") return null
    if (classes.test(at.type)) return textOf(at, "name")
  }
  return null
}

const usageOf = (call: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const list = call.childForFieldName("arguments") ?? childOf(call, "arguments")
  const isCall = /call_expression$|^object_creation_expression$/.test(call.type)
  return isCall ? { call: callShape(list), value: fateOf(call) } : { call: null, value: "passed" }
}

const callShape = (list: SyntaxNode | null): CallShape | null => {
  const given = list === null ? [] : parts(list)
  // `f(...)` makes a closure and calls nothing.
  if (given.some(({ type }) => type === "variadic_placeholder")) return null
  const keywords = given.flatMap((each) => each.childForFieldName("name")?.text ?? [])
  const spread = given.some((each) => childOf(each, "variadic_unpacking") !== null)
  return { positional: given.length - keywords.length, keywords, spread }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "expression_statement") return "dropped"
  if (holder?.type === "assignment_expression") return "stored"
  return /^(?:nullsafe_)?member_/.test(holder?.type ?? "") ? "read" : "passed"
}
