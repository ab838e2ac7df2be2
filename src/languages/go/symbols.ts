/** What a Go file defines, imports and embeds. */
import type {
  CallShape,
  Definition,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  TypeShape
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { definitionOf, typeFrom } from "../definition.ts"
import { imported } from "../imported.ts"
import { enclosing, isField, lineOf, nameOf, parts, partsOf, squeezed, textOf } from "../tree.ts"
import { declaredNames, isBinding, receiverType } from "./names.ts"
import { goOrigin } from "./origins.ts"

export const goSymbols = (root: SyntaxNode): FileSymbols => {
  const clause = root.namedChildren.find(({ type }) => type === "package_clause")
  const imports = goImports(root)
  return {
    definitions: root.namedChildren.flatMap(definitionsIn),
    types: root.namedChildren.flatMap(typesIn),
    imports,
    stars: imports.filter(({ local }) => local === ".").map(({ module }) => module),
    exports: null,
    bound: new Set(),
    package: clause?.namedChildren[0]?.text ?? "",
    // Cgo names come from C.
    open: root.hasError || imports.some(({ module }) => module === "C")
  }
}

export const goImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  root.namedChildren
    .filter(({ type }) => type === "import_declaration")
    .flatMap((declaration) => declaration.descendantsOfType("import_spec"))
    // Without a name, the import has the name of the package, which only the files of the package show.
    .map((spec) => imported(spec, textOf(spec, "path").slice(1, -1), null, nameOf(spec)))

const definitionsIn = (declaration: SyntaxNode): ReadonlyArray<Definition> => {
  switch (declaration.type) {
    case "function_declaration": {
      const name = nameOf(declaration)
      // A package may have several of these, and code cannot refer to them.
      if (name === "init" || name === "_") return []
      const definition = definitionOf(name, "function", null, signatureOf(declaration), declaration)
      return [{ ...definition, ...resultOf(declaration) }]
    }
    case "method_declaration": {
      const definition = definitionOf(
        nameOf(declaration),
        "method",
        receiverType(declaration),
        signatureOf(declaration),
        declaration
      )
      return [{ ...definition, ...resultOf(declaration) }]
    }
    case "type_declaration":
      return declaration.namedChildren.flatMap((spec) => {
        const name = nameOf(spec)
        return name === "" ? [] : [definitionOf(name, "type", null, null, spec)]
      })
    case "const_declaration":
    case "var_declaration":
      return declaration
        .descendantsOfType(["const_spec", "var_spec"])
        .filter((spec) => enclosing(spec, ["block", "func_literal"]) === null)
        .flatMap((spec) =>
          declaredNames(spec)
            .filter(({ text }) => text !== "_")
            .map(({ text }) => ({
              ...definitionOf(text, "constant", null, null, spec),
              ...typeFrom(spec.childForFieldName("type"))
            }))
        )
    default:
      return []
  }
}

/** The result types; one for each name if the results have names. */
const resultTypes = (node: SyntaxNode): ReadonlyArray<string> => {
  const result = node.childForFieldName("result")
  if (result === null) return []
  if (result.type !== "parameter_list") return [squeezed(result)]
  return parts(result).flatMap((part) => {
    const { type = "" } = typeFrom(part.childForFieldName("type"))
    return Array.from({ length: Math.max(1, declaredNames(part).length) }, () => type)
  })
}

const resultOf = (node: SyntaxNode): { readonly type?: string } => {
  const [first] = resultTypes(node)
  return first === undefined ? {} : { type: first }
}

/** The members of frequently embedded standard types; any other external type may have any member. */
const standardMembers: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    "sync.Mutex": "Lock TryLock Unlock",
    "sync.RWMutex": "Lock RLock RLocker RUnlock TryLock TryRLock Unlock",
    "sync.WaitGroup": "Add Done Go Wait",
    "sync.Once": "Do",
    "context.Context": "Deadline Done Err Value",
    "io.Reader": "Read",
    "io.Writer": "Write",
    "io.Closer": "Close",
    "io.ReadCloser": "Close Read",
    "io.WriteCloser": "Close Write",
    "io.ReadWriter": "Read Write",
    "io.ReadWriteCloser": "Close Read Write",
    "fmt.Stringer": "String",
    "http.Client": "CheckRedirect CloseIdleConnections Do Get Head Jar Post PostForm Timeout Transport",
    "http.ResponseWriter": "Header Write WriteHeader",
    "http.Handler": "ServeHTTP",
    "http.RoundTripper": "RoundTrip",
    "http.Flusher": "Flush",
    "http.Hijacker": "Hijack",
    "http.CloseNotifier": "CloseNotify",
    "http.FileSystem": "Open",
    "url.URL":
      "AppendBinary EscapedFragment EscapedPath ForceQuery Fragment Host Hostname IsAbs JoinPath MarshalBinary OmitHost Opaque Parse Path Port Query RawFragment RawPath RawQuery Redacted RequestURI ResolveReference Scheme String UnmarshalBinary User",
    error: "Error"
  }).flatMap(([type, names]) => [[type, names.split(" ")] as const, [`*${type}`, names.split(" ")] as const])
)

const typesIn = (declaration: SyntaxNode): ReadonlyArray<TypeShape> => {
  if (declaration.type !== "type_declaration") return []
  return declaration.namedChildren.flatMap((spec) => {
    const name = nameOf(spec)
    const type = spec.childForFieldName("type")
    if (name === "" || type === null) return []
    const list = type.type === "struct_type" ? type.namedChildren[0] : undefined
    const fields = list?.namedChildren.filter((field) => field.type === "field_declaration") ?? []
    const namesOf = (field: SyntaxNode) => field.namedChildren.filter((child) => child.type === "field_identifier")
    const fieldTypes = fields.flatMap((field) =>
      namesOf(field).map((child) => [child.text, squeezed(field.childForFieldName("type") ?? field)] as const)
    )
    const embedded = fields.filter((field) => field.childForFieldName("name") === null)
    const all = embedded.map((field) => squeezed(field.childForFieldName("type") ?? field))
    const parents = all.filter((parent) => !standardMembers.has(parent))
    const lines = new Map([
      ...all.flatMap((parent) => standardMembers.get(parent) ?? []).map((member) => [member, 0] as const),
      ...fields.flatMap(namesOf).map((child) => [child.text, lineOf(child)] as const)
    ])
    // `type A B` has only its own methods; an interface or an alias may have others.
    const isDynamic = spec.type === "type_alias" || type.type === "interface_type"
    const open = parents.length > 0 || isDynamic
    return [{ name, open, fields: lines, fieldTypes, parents, marks: isDynamic ? "dynamic" : "" }]
  })
}

export const signatureOf = (node: SyntaxNode): Signature => {
  const parameters: Array<Parameter> = []
  for (const part of partsOf(node, "parameters")) {
    const names = declaredNames(part).map(({ text }) => text)
    const isRest = part.type === "variadic_parameter_declaration"
    const kind = isRest ? "rest" : "positional-only"
    for (const name of names.length === 0 ? [""] : names) {
      parameters.push({ name, kind, required: !isRest, ...typeFrom(part.childForFieldName("type")) })
    }
  }
  return { parameters, async: false, strict: true, results: resultTypes(node).length }
}

/** The occurrence at this node; null if it is not a name of a package or a method. */
export const goOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null) return null
  const at = { line: lineOf(node), receiver: null, call: null, value: "passed", self: null } as const
  const is = (field: string) => isField(parent, field, node)
  if (node.type === "field_identifier" && parent.type === "selector_expression") {
    const operand = parent.childForFieldName("operand")
    const receiver = operand?.type === "identifier" ? operand.text : null
    const origin = goOrigin(operand)
    const self = selfOf(node, receiver)
    return { ...at, kind: "member", receiver, self, ...(origin === null ? {} : { origin }), ...usageOf(parent) }
  }
  if (node.type === "type_identifier" && parent.type === "qualified_type") {
    return { ...at, kind: "member", receiver: parent.childForFieldName("package")?.text ?? null }
  }
  if (node.type === "package_identifier" && parent.type === "import_spec") return { ...at, kind: "import" }
  if (node.type !== "identifier" && node.type !== "type_identifier") return null
  if (/^(?:function_declaration|type_spec|type_alias)$/.test(parent.type) && is("name")) {
    return { ...at, kind: enclosing(parent, ["block"]) === null ? "definition" : "binding" }
  }
  if (isKey(node)) return null
  return isBinding(node) ? { ...at, kind: "binding" } : { ...at, kind: "use", ...usageOf(node) }
}

/** The name of a field in a struct literal, which may equal any other name. */
const isKey = (node: SyntaxNode): boolean => {
  const holder = node.parent?.type === "literal_element" ? node.parent : node
  const element = holder.parent
  return element?.type === "keyed_element" && element.namedChildren[0]?.id === holder.id
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "taken"> => {
  const called = callee.parent?.type === "type_instantiation_expression" ? callee.parent : callee
  const call = called.parent
  if (call?.type !== "call_expression" || !isField(call, "function", called)) return { call: null }
  const given = partsOf(call, "arguments")
  // `f(g())` passes all values that g returns.
  const many = given.length === 1 && given[0]?.type === "call_expression"
  const spread = many || given.some(({ type }) => type === "variadic_argument")
  const shape: CallShape = { positional: given.length, keywords: [], spread, lastLine: call.endPosition.row + 1 }
  const taken = expectedValues(call)
  return { call: shape, ...(taken === null ? {} : { taken }) }
}

const single =
  /^(?:selector_expression|binary_expression|unary_expression|index_expression|if_statement|parenthesized_expression|type_assertion_expression|type_conversion_expression|keyed_element|literal_element|send_statement)$/

/** The number of values on the other side, 1 if only one is allowed; null if any number is allowed. */
const expectedValues = (call: SyntaxNode): number | null => {
  const holder = call.parent
  if (holder === null) return null
  if (single.test(holder.type)) return 1
  const statement = holder.type === "expression_list" ? holder.parent : holder
  if (holder.type === "argument_list") return parts(holder).length > 1 ? 1 : null
  if (holder.type === "expression_list" && parts(holder).length > 1) return 1
  if (!/^(?:short_var_declaration|assignment_statement|var_spec)$/.test(statement?.type ?? "")) return null
  const left = statement?.childForFieldName("left")
  if (left != null) return parts(left).length
  return statement?.namedChildren.filter(({ type }) => type === "identifier").length ?? null
}

/** The type of the method around the node, if `receiver` is its receiver. */
const selfOf = (node: SyntaxNode, receiver: string | null): string | null => {
  const method = receiver === null ? null : enclosing(node, ["method_declaration"])
  const declared = method?.childForFieldName("receiver")?.namedChildren[0]?.childForFieldName("name")?.text
  return method !== null && declared === receiver ? receiverType(method) : null
}

/** The built-in names. */
export const goBuiltins: ReadonlySet<string> = new Set(
  `append cap clear close complex copy delete imag len make max min new panic print println real recover
  any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
  uint uint8 uint16 uint32 uint64 uintptr true false iota nil`.split(/\s+/)
)
