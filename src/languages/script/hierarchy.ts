/** TypeScript's classes and interfaces with their parents. */
import type { HierarchyType, MethodShape } from "../../domain/code/Hierarchy.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { lineOf, squeezed, textOf } from "../tree.ts"
import { signatureOf } from "./symbols.ts"

export const scriptTypes = (root: SyntaxNode): ReadonlyArray<HierarchyType> => {
  const declared = root.namedChildren.flatMap((statement) => {
    const inner = statement.type === "export_statement" ? statement.childForFieldName("declaration") : statement
    return inner !== null && /^(?:(?:abstract_)?class_declaration|interface_declaration)$/.test(inner.type)
      ? [typeOf(inner, statement)]
      : []
  })
  // The compiler merges declarations of the same name.
  return declared.filter(({ name }) => declared.filter((each) => each.name === name).length === 1)
}

const words = (node: SyntaxNode): ReadonlySet<string> => new Set(node.children.map(({ type }) => type))

const typeOf = (node: SyntaxNode, statement: SyntaxNode): HierarchyType => {
  const isInterface = node.type === "interface_declaration"
  const members = node.childForFieldName("body")?.namedChildren ?? []
  const heritage = node.namedChildren
    .filter(({ type }) => /heritage|extends/.test(type))
    .flatMap((each) => (each.type === "class_heritage" ? each.namedChildren : [each]))
  const extended = heritage.filter(({ type }) => /extends/.test(type)).flatMap(namesIn)
  const implemented = heritage.filter(({ type }) => type === "implements_clause").flatMap(namesIn)
  const found = members.flatMap((member) => methodOf(member, isInterface))
  // Several signatures of one name: only the type checker can select one.
  const methods = found.map((method) =>
    found.filter(({ name }) => name === method.name).length > 1 ? { ...method, signature: null, awaited: null } : method
  )
  const given = members
    .filter((member) => member.childForFieldName("name")?.text === "constructor")
    .flatMap((member) => member.descendantsOfType("required_parameter"))
    .filter(
      (parameter) =>
        parameter.namedChildren.some(({ type }) => /accessibility_modifier|override_modifier/.test(type)) ||
        words(parameter).has("readonly")
    )
    .map((parameter) => textOf(parameter, "pattern"))
  const decorated = [...node.namedChildren, ...statement.namedChildren].some(({ type }) => type === "decorator")
  return {
    name: textOf(node, "name"),
    line: lineOf(node),
    kind: isInterface ? "interface" : "class",
    abstract: node.type === "abstract_class_declaration",
    open: decorated || members.some(({ type }) => type === "index_signature") || extended.includes(""),
    parents: isInterface ? [] : extended,
    interfaces: isInterface ? extended : implemented,
    methods,
    others: new Set([
      ...given,
      ...members
        .filter(({ type }) => !/method/.test(type) || type === "method_definition")
        .map((member) => textOf(member, "name"))
        .filter((name) => !methods.some((method) => method.name === name))
    ])
  }
}

/** `P<T>` is P; "" stands for an expression. */
const namesIn = (clause: SyntaxNode): ReadonlyArray<string> =>
  clause.namedChildren.flatMap((child) => {
    if (child.type === "type_arguments" || child.type.includes("comment")) return []
    const name =
      child.type === "generic_type" ? (child.childForFieldName("name") ?? child.namedChildren[0] ?? child) : child
    return [/^[\w$.]+$/.test(name.text) ? name.text : ""]
  })

const methodOf = (member: SyntaxNode, isInterface: boolean): ReadonlyArray<MethodShape> => {
  const name = textOf(member, "name")
  const has = words(member)
  if (name === "constructor" || has.has("static") || has.has("get") || has.has("set")) return []
  const isOptional = has.has("?")
  const modifiers = member.namedChildren.map(({ type }) => type)
  if (modifiers.includes("accessibility_modifier") && /^private\b/.test(member.text)) return []
  const shared = {
    name,
    ...linesOf(member),
    exact: null,
    callsParent: false,
    shape: squeezed(member).replace(name, "")
  }
  const isMarkedOverride = modifiers.includes("override_modifier")
  switch (member.type) {
    case "method_definition":
      return [
        { ...shared, isMarkedOverride, required: false, signature: signatureOf(member, true), awaited: awaited(member) }
      ]
    case "abstract_method_signature":
    case "method_signature":
      return [
        {
          ...shared,
          isMarkedOverride,
          required: !isOptional && (isInterface || member.type === "abstract_method_signature"),
          signature: signatureOf(member, true),
          awaited: awaited(member)
        }
      ]
    case "property_signature": {
      const type = member.childForFieldName("type")?.namedChildren[0]
      const called = type?.type === "function_type" ? type : null
      return [
        {
          ...shared,
          isMarkedOverride: false,
          required: !isOptional,
          signature: called === null ? null : signatureOf(called, true),
          awaited: called === null ? null : resultAwaited(textOf(called, "return_type"), false)
        }
      ]
    }
    case "public_field_definition": {
      const value = member.childForFieldName("value")
      if (value?.type !== "arrow_function" || has.has("abstract")) return []
      return [
        { ...shared, isMarkedOverride, required: false, signature: signatureOf(value, true), awaited: awaited(value) }
      ]
    }
    default:
      return []
  }
}

const awaited = (node: SyntaxNode): boolean | null => {
  const isAsync = words(node).has("async")
  const type = node.childForFieldName("return_type")?.text.replace(/^:\s*/, "") ?? ""
  return words(node).has("*") ? null : resultAwaited(type, isAsync)
}

/** Null for a type that may or may not be a promise, and without a type. */
const resultAwaited = (type: string, isAsync: boolean): boolean | null => {
  if (isAsync || /^Promise(?:Like)?</.test(type)) return true
  return /^(?:string|number|boolean|bigint|Date|null|undefined|\w+\[\]|Array<|Map<|Set<|Record<)/.test(type) &&
    !/Promise|any|unknown|void/.test(type)
    ? false
    : null
}
