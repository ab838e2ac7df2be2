/**
 * What a Java file defines and imports: types, nested ones by their dotted path, and their members.
 *
 * The signature of a class is that of its constructors. Annotations that generate members (Lombok) leave the type open.
 */
import type {
  Definition,
  FileSymbols,
  ImportedName,
  Parameter,
  Signature,
  TypeShape,
  Visibility
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { definitionOf as plainDefinition } from "../definition.ts"
import { lineOf, partsOf, squeezed, textOf } from "../tree.ts"

interface Found {
  readonly definitions: Array<Definition>
  readonly types: Array<TypeShape>
}

export const javaSymbols = (root: SyntaxNode): FileSymbols => {
  const found: Found = { definitions: [], types: [] }
  for (const declaration of root.namedChildren) {
    if (types.test(declaration.type)) readType(declaration, null, found)
  }
  const clause = root.namedChildren.find(({ type }) => type === "package_declaration")
  const imports = javaImports(root)
  return {
    ...found,
    imports: imports.filter(({ name }) => name !== "*"),
    stars: imports.flatMap(({ member, module, name }) =>
      name === "*" ? [member === true ? `static ${module}` : module] : []
    ),
    exports: null,
    bound: new Set(),
    open: root.hasError,
    package: clause === undefined ? "" : squeezed(clause).replace(/^.*?package|;$/g, ""),
    overloads: true
  }
}

export const types = /^(?:class|interface|enum|record|annotation_type)_declaration$/

const readType = (node: SyntaxNode, outer: Outer | null, found: Found): void => {
  const own = textOf(node, "name")
  const name = outer === null ? own : `${outer.name}.${own}`
  const isInterface = /^(?:interface|annotation_type)_declaration$/.test(node.type)
  const body = node.childForFieldName("body")
  const members = membersOf(body)
  const marks = marksOf(node)
  const makes = madeByMarks.test(`${marks} ${members.map(marksOf).join(" ")}`)
  const components = node.type === "record_declaration" ? parametersOf(node) : []
  const constructors = members.filter(({ type }) => /^(?:compact_)?constructor_declaration$/.test(type))
  const add = (definition: Definition) => found.definitions.push(definition)
  const kind = isInterface ? "type" : "class"
  const about = { container: outer?.name ?? null, isInterface: outer?.isInterface ?? false }
  const isMade = node.type === "class_declaration" && !makes && !isAbstract(node)
  const signatures = constructors.flatMap((each) =>
    each.type === "constructor_declaration" ? signatureOf(parametersOf(each), null) : []
  )
  if (node.type === "record_declaration") signatures.push(signatureOf(components, null))
  else if (isMade && constructors.length === 0) signatures.push(signatureOf([], null))
  const called = isMade || node.type === "record_declaration" ? signatures : []
  for (const signature of called.length === 0 ? [null] : called) {
    add({ ...definitionOf(own, kind, signature, node, about), shape: squeezed(node).replaceAll(own, "") })
  }
  const inside = { name, isInterface }
  for (const { name: component, type = "" } of components) {
    add({ ...definitionOf(component, "method", signatureOf([], "value"), node, { ...inside, container: name }), type })
  }
  for (const member of members) readMember(member, inside, found)
  const fields = members.filter(({ type }) => /^(?:field|constant)_declaration$/.test(type))
  const typed = fields.flatMap((field) =>
    declaratorsOf(field).map((each) => [each, squeezed(field.childForFieldName("type") ?? field)] as const)
  )
  found.types.push({
    name,
    open: makes,
    fields: new Map(),
    fieldTypes: [...typed, ...components.map((each) => [each.name, each.type ?? ""] as const)],
    parents: parentsOf(node),
    marks
  })
}

interface Outer {
  readonly name: string
  readonly isInterface: boolean
}

/** The members of the body, including those after the constants of an enumeration. */
const membersOf = (body: SyntaxNode | null): ReadonlyArray<SyntaxNode> =>
  body === null
    ? []
    : body.namedChildren.flatMap((member) =>
        member.type === "enum_body_declarations" ? member.namedChildren : [member]
      )

const readMember = (member: SyntaxNode, outer: Outer, found: Found): void => {
  const about = { container: outer.name, isInterface: outer.isInterface }
  if (types.test(member.type)) readType(member, outer, found)
  else if (member.type === "method_declaration") {
    const name = textOf(member, "name")
    const type = squeezed(member.childForFieldName("type") ?? member)
    const inherited = /@Override\b/.test(marksOf(member))
    found.definitions.push({
      ...definitionOf(name, "method", signatureOf(parametersOf(member), type), member, about),
      type,
      ...(inherited ? { inherited } : {})
    })
  } else if (member.type === "enum_constant") {
    const name = textOf(member, "name")
    found.definitions.push({
      ...definitionOf(name, "constant", null, member, { ...about, isInterface: true }),
      type: outer.name
    })
  } else if (/^(?:field|constant)_declaration$/.test(member.type)) {
    const type = squeezed(member.childForFieldName("type") ?? member)
    for (const name of declaratorsOf(member)) {
      found.definitions.push({ ...definitionOf(name, "constant", null, member, about), type })
    }
  }
}

const declaratorsOf = (field: SyntaxNode): ReadonlyArray<string> =>
  field.namedChildren.flatMap((each) => (each.type === "variable_declarator" ? [textOf(each, "name")] : []))

const modifiersOf = (node: SyntaxNode): SyntaxNode | undefined =>
  node.namedChildren.find(({ type }) => type === "modifiers")

const marksOf = (node: SyntaxNode): string =>
  modifiersOf(node)
    ?.namedChildren.filter(({ type }) => /annotation$/.test(type))
    .map(squeezed)
    .join(" ") ?? ""

const isAbstract = (node: SyntaxNode): boolean => /\babstract\b/.test(modifiersOf(node)?.text ?? "")

/** Annotations of Lombok, AutoValue and similar tools that generate members. */
const madeByMarks =
  /@(?:lombok\.)?(?:Data|Value|Getter|Setter|Builder|SuperBuilder|With|Wither|Delegate|UtilityClass|AutoValue|Immutable|RecordBuilder|(?:All|No|Required)ArgsConstructor)\b/

const definitionOf = (
  name: string,
  kind: Definition["kind"],
  signature: Signature | null,
  node: SyntaxNode,
  { container, isInterface }: { readonly container: string | null; readonly isInterface: boolean }
): Definition => ({
  ...plainDefinition(name, kind, container, signature, node),
  line: lineOf(node.childForFieldName("name") ?? node),
  visibility: visibilityOf(node, isInterface)
})

const visibilityOf = (node: SyntaxNode, isInterface: boolean): Visibility => {
  const text = modifiersOf(node)?.text ?? ""
  if (/\bprivate\b/.test(text)) return "private"
  if (isInterface || /\bpublic\b/.test(text)) return "public"
  return /\bprotected\b/.test(text) ? "protected" : "internal"
}

const parametersOf = (node: SyntaxNode): ReadonlyArray<Parameter> => {
  return partsOf(node, "parameters").flatMap((part): ReadonlyArray<Parameter> => {
    if (part.type === "spread_parameter") {
      const name = part.namedChildren.find(({ type }) => type === "variable_declarator")?.text ?? ""
      return [{ name: `...${name}`, kind: "rest", required: false }]
    }
    if (part.type !== "formal_parameter") return []
    const name = textOf(part, "name")
    return [{ name, kind: "positional-only", required: true, type: squeezed(part.childForFieldName("type") ?? part) }]
  })
}

/** `type` null: a constructor. */
const signatureOf = (parameters: ReadonlyArray<Parameter>, type: string | null): Signature => ({
  parameters,
  async: false,
  strict: true,
  ...(type === null ? {} : { results: type === "void" ? 0 : 1 })
})

const parentsOf = (node: SyntaxNode): ReadonlyArray<string> =>
  node.namedChildren
    .filter(({ type }) => /^(?:superclass|super_interfaces|extends_interfaces)$/.test(type))
    .flatMap((list) => list.namedChildren.flatMap((each) => (each.type === "type_list" ? each.namedChildren : [each])))
    .map((type) => squeezed(type).replace(/<.*$/s, ""))

/** Every import; `com.a.*` is the name `*` of com.a. */
export const javaImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  root.namedChildren
    .filter(({ type }) => type === "import_declaration")
    .map((declaration) => {
      const words =
        declaration.namedChildren.find(({ type }) => /identifier$/.test(type))?.text.replace(/\s/g, "") ?? ""
      const isStar = declaration.namedChildren.some(({ type }) => type === "asterisk")
      const dot = words.lastIndexOf(".")
      const name = isStar ? "*" : words.slice(dot + 1)
      return {
        module: isStar ? words : words.slice(0, Math.max(0, dot)),
        name,
        local: isStar ? "" : name,
        line: lineOf(declaration),
        guarded: false,
        ...(declaration.children.some(({ type }) => type === "static") ? { member: true } : {})
      }
    })

/** Names of `java.lang` that need no import. */
export const javaBuiltins: ReadonlySet<string> = new Set(
  `Object String Integer Long Short Byte Character Boolean Double Float Number Math Void Class Enum Record Thread Runnable
  Iterable Comparable CharSequence StringBuilder StringBuffer System Runtime Process ProcessBuilder Throwable Exception
  Error RuntimeException IllegalArgumentException IllegalStateException NullPointerException IndexOutOfBoundsException
  ArithmeticException ClassCastException NumberFormatException UnsupportedOperationException InterruptedException
  CloneNotSupportedException ClassNotFoundException AssertionError OutOfMemoryError StackOverflowError Override Deprecated
  SuppressWarnings FunctionalInterface SafeVarargs AutoCloseable Cloneable Appendable Readable Module ModuleLayer Package
  ClassLoader StackTraceElement StackWalker ThreadLocal InheritableThreadLocal SecurityException SecurityManager
  ReflectiveOperationException NoSuchFieldException NoSuchMethodException StrictMath Compiler`.split(/\s+/)
)
