/** The signatures of the constructors that libraries generate from the fields of a Python class. Null in doubt. */
import type { ImportedName, Parameter, Signature } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { typeFrom } from "../definition.ts"
import { argumentsOf, partsOf, squeezed, textOf } from "../tree.ts"

/** How a library turns fields into parameters. */
interface Maker {
  readonly kind: Parameter["kind"]
  /** Fields need a call such as `attr.ib()`, not an annotation. */
  readonly called?: true
  /** Underscores before a field are not part of the parameter. */
  readonly bare?: true
  /** Keywords without a field are ignored. */
  readonly lenient?: true
}

/** By module and name of a decorator or a parent. */
const makers: Readonly<Record<string, Maker>> = {
  "dataclasses.dataclass": { kind: "positional" },
  "pydantic.dataclasses.dataclass": { kind: "positional" },
  "typing.NamedTuple": { kind: "positional" },
  "pydantic.BaseModel": { kind: "keyword", lenient: true },
  ...Object.fromEntries(
    ["attr", "attrs"].flatMap((module) => [
      ...["define", "frozen", "mutable", "dataclass"].map((name) => [
        `${module}.${name}`,
        { kind: "positional", bare: true }
      ]),
      ...["s", "attrs"].map((name) => [`${module}.${name}`, { kind: "positional", bare: true, called: true }])
    ])
  )
}

/** Decorators that neither replace a class nor add members with names of their own. */
const plainMarks =
  /^(?:functools\.total_ordering|(?:typing|typing_extensions)\.(?:final|runtime_checkable)|enum\.unique)$/

/** Parents without fields. */
const plainParents = /^(?:object|(?:abc\.)?ABC|(?:typing\.)?(?:Generic|Protocol)(?:\[.*\])?)$/

/** The name behind a local one, with its module. */
const fullName = (written: string, imports: ReadonlyArray<ImportedName>): string => {
  const [first = "", ...rest] = written.split(".")
  const from = imports.find(({ local }) => local === first)
  return from === undefined ? written : [from.module, from.name, ...rest].filter((part) => part != null).join(".")
}

const markOf = (decorator: SyntaxNode, imports: ReadonlyArray<ImportedName>): string =>
  fullName(squeezed(decorator).replace(/^@|\(.*$/g, ""), imports)

/** Does the decorator leave the members of a class as they are written? */
export const keepsMembers = (decorator: SyntaxNode, imports: ReadonlyArray<ImportedName>): boolean => {
  const mark = markOf(decorator, imports)
  return Object.hasOwn(makers, mark) || plainMarks.test(mark)
}

export const generatedSignature = (
  node: SyntaxNode,
  decorators: ReadonlyArray<SyntaxNode>,
  imports: ReadonlyArray<ImportedName>
): Signature | null => {
  const parents = partsOf(node, "superclasses").map(squeezed)
  const marks = decorators.filter((each) => !plainMarks.test(markOf(each, imports)))
  const others = parents.filter((parent) => !plainParents.test(parent) && !/^(?!metaclass)\w+=/.test(parent))
  const [source, ...more] = [
    ...marks.map((each) => markOf(each, imports)),
    ...others.map((each) => fullName(each, imports))
  ]
  const maker = source !== undefined && Object.hasOwn(makers, source) ? makers[source] : undefined
  const options = marks.map(squeezed).join("")
  if (maker === undefined || more.length > 0 || /\binit=/.test(options)) return null
  const isCalled = maker.called === true && !/auto_attribs=True/.test(options)
  const kind = /kw_only=True/.test(options) ? "keyword" : maker.kind
  const parameters = parametersOf(node.childForFieldName("body"), { ...maker, kind }, isCalled)
  return parameters === null ? null : { parameters, async: false, strict: true }
}

const parametersOf = (body: SyntaxNode | null, maker: Maker, isCalled: boolean): ReadonlyArray<Parameter> | null => {
  const found = new Map<string, Parameter>()
  let kind = maker.kind
  for (const statement of body?.namedChildren ?? []) {
    if (/^(?:if|try|for|with|match)_statement$/.test(statement.type)) return null
    if (statement.type === "decorated_definition") {
      const decorator = squeezed(statement.namedChildren[0] ?? statement)
      // A validator may fill in a missing value.
      if (/^@(?:pydantic\.)?(?:model_|root_)?validator\b/.test(decorator)) return null
      const filled = found.get(/^@(\w+)\.default$/.exec(decorator)?.[1] ?? "")
      if (filled !== undefined) found.set(filled.name, { ...filled, required: false })
    }
    const assignment = statement.type === "expression_statement" ? statement.namedChildren[0] : undefined
    const left = assignment?.type === "assignment" ? assignment.childForFieldName("left") : null
    if (assignment === undefined || left?.type !== "identifier") continue
    const field = fieldIn(assignment, isCalled)
    if (field === null) continue
    if (field === "unknown" || found.has(left.text)) return null
    if (/^(?:dataclasses\.)?KW_ONLY$/.test(field.type ?? "")) {
      kind = "keyword"
      continue
    }
    if (maker.lenient === true && (left.text.startsWith("_") || /\b(?:Optional|Any|None)\b/.test(field.type ?? "")))
      continue
    const { isKeyword, ...rest } = field
    const name = maker.bare === true ? left.text.replace(/^_+/, "") : left.text
    found.set(left.text, { name, kind: isKeyword ? "keyword" : kind, ...rest })
  }
  return [
    ...found.values(),
    ...(maker.lenient === true ? [{ name: "", kind: "keywords", required: false } as const] : [])
  ]
}

/** Null for an attribute of the class that is no parameter. */
const fieldIn = (assignment: SyntaxNode, isCalled: boolean) => {
  const type = typeFrom(assignment.childForFieldName("type"))
  const value = assignment.childForFieldName("right")
  const isCall = value?.type === "call" && /^(?:\w+\.)?(?:field|ib|attrib|Field)$/.test(textOf(value, "function"))
  const isField = isCall || (type.type !== undefined && !isCalled)
  if (!isField || /\bClassVar\b/.test(type.type ?? "")) return null
  if (value === null || !isCall) return { ...type, required: value === null, isKeyword: false }
  const given = argumentsOf(value)
  const options = new Map(given.map((each) => [textOf(each, "name"), textOf(each, "value")]))
  if (options.get("init") === "False") return null
  if (options.has("alias") || options.has("validation_alias") || options.has("init")) return "unknown"
  const first = given[0]
  const hasFirst = first !== undefined && first.type !== "keyword_argument" && first.type !== "ellipsis"
  const isFilled = hasFirst || ["default", "default_factory", "factory"].some((each) => options.has(each))
  return { ...type, required: !isFilled, isKeyword: options.get("kw_only") === "True" }
}
