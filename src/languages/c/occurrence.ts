/** What a word of C or C++ is to the code around it. Pure. */
import type { CallShape, Occurrence } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { deepest, isIn, occurrenceAt, plainPath, textOf } from "../draft.ts"
import { enclosing, parts } from "../tree.ts"
import { apart, declaredBy, declares, withoutArguments } from "./declarator.ts"

const specifiers = /^(?:class|struct|union|enum)_specifier$/

const names = /^(?:identifier|field_identifier|type_identifier|namespace_identifier)$/

/** What the word at this node is to the code around it; null for what is no name at all. */
export const cOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || !names.test(node.type)) return null
  if (parent.type === "using_declaration" || outermost(parent).parent?.type === "using_declaration")
    return occurrenceAt(node, "import")
  if (
    /^(?:preproc_def|preproc_function_def|enumerator|alias_declaration|concept_definition|namespace_definition)$/.test(
      parent.type
    ) &&
    isIn(node, "name")
  ) {
    return occurrenceAt(node, "definition")
  }
  if (parent.type === "preproc_params") return occurrenceAt(node, "binding")
  if (specifiers.test(parent.type) && isIn(node, "name")) {
    return occurrenceAt(node, parent.childForFieldName("body") === null ? "use" : "definition")
  }
  if (parent.type === "field_expression" && isIn(node, "field")) {
    const receiver = plainPath(parent.childForFieldName("argument"))
    return occurrenceAt(node, "member", {
      receiver,
      self: receiver === "this" ? classAround(node) : null,
      ...usageOf(parent)
    })
  }
  const declared = declarationOf(node)
  if (declared !== null) return occurrenceAt(node, declared)
  return used(node, parent)
}

const used = (node: SyntaxNode, parent: SyntaxNode): Occurrence => {
  const isQualified = parent.type === "qualified_identifier" && isIn(node, "name")
  const isGeneric = /^template_(?:function|type|method)$/.test(parent.type) && isIn(node, "name")
  if (isGeneric && parent.parent?.type === "field_expression") {
    return occurrenceAt(node, "member", {
      receiver: plainPath(parent.parent.childForFieldName("argument")),
      ...usageOf(parent.parent)
    })
  }
  if (isGeneric && parent.parent?.type === "qualified_identifier" && isIn(parent, "name")) {
    return occurrenceAt(node, "member", { receiver: scopeText(parent.parent), ...usageOf(outermost(parent.parent)) })
  }
  if (isQualified) return occurrenceAt(node, "member", { receiver: scopeText(parent), ...usageOf(outermost(parent)) })
  return occurrenceAt(node, "use", usageOf(isGeneric ? parent : node))
}

/** Everything before the last name: `a::b` in `a::b::c`, of which the syntax makes `a::(b::c)`. */
const scopeText = (qualified: SyntaxNode): string | null => {
  const whole = outermost(qualified)
  const name = qualified.childForFieldName("name")
  if (name === null) return null
  const text = withoutArguments(whole.text.slice(0, name.startIndex - whole.startIndex))
  return text.length > 200 ? null : text.replace(/::$/, "")
}

const outermost = (qualified: SyntaxNode): SyntaxNode => {
  let at = qualified
  for (let steps = 0; at.parent?.type === "qualified_identifier" && steps < deepest; steps++) at = at.parent
  return at
}

/** When the node is the name that a declaration gives. */
const declarationOf = (node: SyntaxNode): "definition" | "binding" | null => {
  let at = node
  for (let steps = 0; at.parent !== null && steps < 40; steps++, at = at.parent) {
    const { parent } = at
    if (parent.type === "qualified_identifier" && parent.childForFieldName("name")?.id !== at.id) return null
    if (/^(?:pointer|function|init|array)_declarator$/.test(parent.type)) {
      if (parent.childForFieldName("declarator")?.id !== at.id) return null
      continue
    }
    if (
      /^(?:reference|parenthesized|attributed)_declarator$|^(?:qualified_identifier|destructor_name)$/.test(parent.type)
    )
      continue
    if (/^(?:function_definition|field_declaration|type_definition)$/.test(parent.type)) {
      return declares(at, parent) ? "definition" : null
    }
    if (parent.type === "declaration") {
      if (!declares(at, parent)) return null
      return enclosing(parent, ["compound_statement"], ["field_declaration_list"]) === null ? "definition" : "binding"
    }
    if (/parameter_declaration$/.test(parent.type)) {
      return /^type_parameter/.test(parent.type) || parent.childForFieldName("declarator")?.id === at.id
        ? "binding"
        : null
    }
    return parent.type === "for_range_loop" && parent.childForFieldName("declarator")?.id === at.id ? "binding" : null
  }
  return null
}

/** The class whose object `this` is: around the method, or before its name. */
const classAround = (node: SyntaxNode): string | null => {
  const body = enclosing(node, ["function_definition"])
  const declarator = body?.childForFieldName("declarator") ?? null
  const written = declarator === null ? null : (declaredBy(declarator)?.name ?? null)
  const own = written === null ? null : apart(written).container
  const around: Array<string> = own === null ? [] : [own]
  for (let at = node.parent; at !== null && around.length <= deepest; at = at.parent) {
    if (!/^(?:class|struct|union)_specifier$|^namespace_definition$/.test(at.type)) continue
    const name = withoutArguments(textOf(at, "name"))
    if (name !== "") around.unshift(name)
  }
  return around.length === 0 ? null : around.join("::")
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const call = callee.parent
  const isCall = call?.type === "call_expression" && call.childForFieldName("function")?.id === callee.id
  const isNew = call?.type === "new_expression" && call.childForFieldName("type")?.id === callee.id
  if (call == null || (!isCall && !isNew)) return { call: null, value: "passed" }
  return { call: callShape(call.childForFieldName("arguments")), value: fateOf(call) }
}

const callShape = (list: SyntaxNode | null): CallShape | null => {
  if (list !== null && list.type !== "argument_list") return null
  const given = list === null ? [] : parts(list)
  const spread = given.some(({ type }) => type === "parameter_pack_expansion" || type === "ERROR")
  return { positional: given.length, keywords: [], spread }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "expression_statement") return "dropped"
  if (holder?.type === "init_declarator") return "stored"
  return holder?.type === "field_expression" ? "read" : "passed"
}
