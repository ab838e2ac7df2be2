/** Go's interfaces, the methods of its types, and statements that require a type to implement an interface. */
import type { HierarchyType, MethodShape } from "../../domain/code/Hierarchy.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { lineOf, marked, nameOf, parts, squeezed, textOf } from "../tree.ts"
import { declaredNames, receiverType } from "./names.ts"
import { signatureOf } from "./symbols.ts"

/** Without the methods of a struct in other files of its package, which the caller adds. */
export const goTypes = (root: SyntaxNode): ReadonlyArray<HierarchyType> => {
  const specs = root.namedChildren
    .filter(({ type }) => type === "type_declaration")
    .flatMap(({ namedChildren }) => namedChildren)
  const ofReceiver = Map.groupBy(
    root.namedChildren.filter(({ type }) => type === "method_declaration"),
    receiverType
  )
  const methods = new Map([...ofReceiver].map(([name, some]) => [name, some.map((each) => methodOf(each, false))]))
  const known = new Set<string>()
  const declared = specs.flatMap((spec): ReadonlyArray<HierarchyType> => {
    const name = nameOf(spec)
    const type = spec.childForFieldName("type")
    // A valid file declares a name once. With n declarations of n methods, there would be n * n methods.
    if (name === "" || type === null || spec.type !== "type_spec" || known.has(name)) return []
    known.add(name)
    const line = lineOf(spec)
    if (type.type === "interface_type") return [interfaceOf(name, line, type, spec)]
    const fields = type.type === "struct_type" ? type.descendantsOfType("field_declaration") : []
    // An embedded field has methods of its own; `type A B` has none of B's methods.
    const open = fields.some((field) => field.childForFieldName("name") === null)
    return [{ ...typeNamed(name, line, methods.get(name) ?? []), open }]
  })
  const elsewhere = [...methods].filter(([name]) => !known.has(name) && name !== "")
  return [...declared, ...elsewhere.map(([name, some]) => typeNamed(name, some[0]?.line ?? 1, some))]
}

const typeNamed = (name: string, line: number, methods: ReadonlyArray<MethodShape>): HierarchyType => ({
  name,
  line,
  kind: "class",
  abstract: false,
  open: false,
  parents: [],
  interfaces: [],
  methods,
  others: new Set()
})

const interfaceOf = (name: string, line: number, type: SyntaxNode, spec: SyntaxNode): HierarchyType => {
  const embedded = type.namedChildren.filter((each) => each.type === "type_elem")
  const methods = type.namedChildren.filter((each) => each.type === "method_elem").map((each) => methodOf(each, true))
  const open = embedded.length > 0 || spec.childForFieldName("type_parameters") !== null
  return { ...typeNamed(name, line, methods), kind: "interface", abstract: true, open }
}

const methodOf = (node: SyntaxNode, required: boolean): MethodShape => {
  const name = textOf(node, "name")
  const result = node.childForFieldName("result")
  const types = [
    typesIn(node.childForFieldName("parameters")),
    result?.type === "parameter_list" ? typesIn(result) : squeezedType(result)
  ]
  const exact = types.join(" → ")
  return {
    name,
    ...linesOf(node),
    signature: signatureOf(node),
    // The names of parameters in a function type are part of the text, but have no meaning.
    exact: exact.includes("func(") ? null : exact,
    awaited: null,
    required,
    isMarkedOverride: false,
    callsParent: false,
    shape: squeezed(node)
      .replace(/^func\([^)]*\)/, "")
      .replace(name, "")
  }
}

/** The types of a parameter list, one for each name; the name of a type is the same with and without its package. */
const typesIn = (list: SyntaxNode | null): string =>
  (list === null ? [] : parts(list))
    .flatMap((part) => {
      const rest = part.type === "variadic_parameter_declaration" ? "..." : ""
      const text = `${rest}${squeezedType(part.childForFieldName("type"))}`
      return Array.from({ length: Math.max(1, declaredNames(part).length) }, () => text)
    })
    .join(",")

const squeezedType = (type: SyntaxNode | null): string =>
  type === null
    ? ""
    : squeezed(type)
        .replace(/\binterface\{\}/g, "any")
        .replace(/\bbyte\b/g, "uint8")
        .replace(/\brune\b/g, "int32")
        .replace(/\b\w+\./g, "")

/** `var _ Store = (*memory)(nil)`, or a function that returns a `&memory{}` as a Store. */
export interface GoClaim {
  readonly type: string
  /** As in the file: `Store` or `pkg.Store`. */
  readonly contract: string
  readonly line: number
}

export const goClaims = (root: SyntaxNode): ReadonlyArray<GoClaim> => {
  const asserted = root.namedChildren
    .filter(({ type }) => type === "var_declaration")
    .flatMap((declaration) => declaration.descendantsOfType("var_spec"))
    .flatMap((spec) => {
      const contract = spec.childForFieldName("type")?.text
      const value = spec.childForFieldName("value")?.namedChildren[0]
      const type = spec.childForFieldName("name")?.text === "_" && value !== undefined ? madeType(value) : null
      return contract === undefined || type === null ? [] : [{ type, contract, line: lineOf(spec) }]
    })
  const returned = root.namedChildren
    .filter(({ type }) => type === "function_declaration")
    .flatMap((declaration) => {
      const result = declaration.childForFieldName("result")
      const first = result?.type === "parameter_list" ? result.namedChildren[0]?.childForFieldName("type") : result
      const body = declaration.childForFieldName("body")
      if (first == null || body === null || !/^(?:type_identifier|qualified_type)$/.test(first.type)) return []
      return marked(body, ["return_statement"], /\breturn\b/g).flatMap((statement) => {
        // Skip returns of inner functions.
        for (let at = statement.parent; at !== null && at.id !== body.id; at = at.parent) {
          if (at.type === "func_literal") return []
        }
        const value = statement.namedChildren[0]?.namedChildren[0]
        const type = value === undefined ? null : madeType(value)
        return type === null ? [] : [{ type, contract: first.text, line: lineOf(statement) }]
      })
    })
  return [...asserted, ...returned]
}

/** `(*T)(nil)`, `&T{}`, `T{}` and `new(T)` make a T. */
const madeType = (value: SyntaxNode): string | null =>
  /^\(\*(\w+)\)\(nil\)$/.exec(squeezed(value))?.[1] ??
  /^new\((\w+)\)$/.exec(squeezed(value))?.[1] ??
  (/^(?:unary_expression|composite_literal)$/.test(value.type)
    ? (/^&?(\w+)\{/.exec(squeezed(value))?.[1] ?? null)
    : null)
