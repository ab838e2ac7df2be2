/**
 * Reads a language that is indexed and not judged, by a table of node types: what they define, contain, bind and call.
 *
 * Finds the definitions of a file with their lines, containers and parameters, and the occurrences. Nothing is resolved, so
 * visibility, fields, parents and arguments of calls are not read. The names of containers are joined by dots in every
 * language.
 */
import type { Definition, FileSymbols, ImportedName, Occurrence, Parameter, Signature } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { bodyPlace } from "./definition.ts"
import { type Language, languageDefaults } from "./Language.ts"
import type { Scopes } from "./scopes.ts"
import { childOf, lineOf, squeezed } from "./tree.ts"

/** The kind of a definition. Functions in a class or a type are methods; a scope only adds to the names in it. */
type Kind = "class" | "type" | "scope" | "function" | "constant"

/** A definition that is not a plain node with its name in a field. */
export interface Found {
  readonly kind: Kind
  /** The node of the name. */
  readonly at: SyntaxNode
  /** The qualified name; absent: the text of the node. */
  readonly name?: string
  /** Are the functions in it methods? Absent: depends on its kind. */
  readonly isClass?: boolean
  /** The node that contains its definitions, if they are not in its children. */
  readonly body?: SyntaxNode
  /** With the type, the modifiers and the accessors, if the node is without them. */
  readonly whole?: SyntaxNode | null
  /** Has it no content, whatever its kind? */
  readonly isName?: boolean
  /** Is its unqualified name enough to refer to it? */
  readonly isGlobal?: boolean
  /** Absent: read from the table. */
  readonly parameters?: ReadonlyArray<Parameter>
  /** Counts only if nothing in the file defines it, such as a prototype. */
  readonly isDeclared?: boolean
}

export interface Outline {
  /** Node types to the kind of what they define (its name is in the field `name`), or to a reader of the node. */
  readonly definitions: Readonly<Record<string, Kind | ((node: SyntaxNode) => Found | ReadonlyArray<Found> | null)>>
  /** Nodes between a definition and its inner definitions, or the file and its definitions: their types, or a test. */
  readonly through: RegExp | ((node: SyntaxNode) => boolean)
  /** Definitions of the same name with the same number of parameters are one. */
  readonly joins?: boolean
  /** Nodes with the parameters of a function or a class, up to two levels below it. */
  readonly parameters: ReadonlyArray<string>
  /** Nodes with the name of the package. */
  readonly packages: ReadonlyArray<string>
  /** Node types of words. */
  readonly words: ReadonlyArray<string>
  /** Words that are not names: node types to the field of the word; null for any field. */
  readonly labels: Nodes
  /** Nodes around the words of an import. */
  readonly imports: ReadonlyArray<string>
  /** Nodes that bind the word in this field; null for any field. */
  readonly bindings: Nodes
  /** Nodes of member accesses, to the fields of the object and of the member; a number is an index of the children. */
  readonly members: Readonly<Record<string, readonly [object: string | number, member: string | number]>>
  /** Nodes of calls, to the field of what is called; a number is an index of the children, null the member of the node. */
  readonly calls: Readonly<Record<string, string | number | null>>
  /** Is the name called in another way? */
  readonly isCalled?: (node: SyntaxNode) => boolean
  /** Nodes around a name that are treated as the name, such as one with type arguments. */
  readonly wrappers: ReadonlyArray<string>
  /** The words for the object itself. */
  readonly self: ReadonlyArray<string>
  readonly scopes: Scopes
  /** Takes precedence over the tables: a kind; null if it is not a name; undefined to use the tables. */
  readonly kindOf?: (node: SyntaxNode, parent: SyntaxNode) => Occurrence["kind"] | null | undefined
}

type Nodes = Readonly<Record<string, string | number | null>>

/** The maximum depth of nested definitions, for invalid text. */
const deepest = 24

/** The definitions of a node. */
const foundIn = ({ definitions }: Outline, node: SyntaxNode): ReadonlyArray<Found> => {
  const rule = Object.hasOwn(definitions, node.type) ? definitions[node.type] : undefined
  if (rule === undefined) return []
  if (typeof rule === "function") return [rule(node) ?? []].flat()
  const at = node.childForFieldName("name")
  return at === null ? [] : [{ kind: rule, at }]
}

/** The dotted path of a name, without quotes and type arguments. Empty if it is not a name. */
const pathOf = ({ at, name }: Found): string => {
  const written = name ?? (at.endIndex - at.startIndex > 400 ? "" : at.text)
  if (/[{};#]/.test(written)) return ""
  // A name in backticks may be a keyword or a sentence.
  if (written.startsWith("`")) return written.slice(1, -1)
  const operator = written.search(/(?<!\w)operator(?!\w)/)
  const path = (operator < 0 ? written : written.slice(0, operator))
    .replace(/\s/g, "")
    .replace(/<.*>/, "")
    .replaceAll(/::|\\/g, ".")
    .replace(/^\./, "")
  return operator < 0 ? path : `${path}${written.slice(operator).replace(/\s+/g, " ")}`
}

const outlined =
  (outline: Outline, imports: (root: SyntaxNode) => ReadonlyArray<ImportedName>) =>
  (root: SyntaxNode): FileSymbols => {
    const definitions: Array<Definition> = []
    const declared: Array<Definition> = []
    let packageName = ""

    const read = (node: SyntaxNode, container: string | null, inClass: boolean, depth: number): void => {
      if (packageName === "" && outline.packages.includes(node.type)) packageName = packageIn(node)
      const all = foundIn(outline, node)
      for (const found of all) add(node, found, container, inClass)
      const holder = all.find(({ isName, kind }) => isName !== true && kind !== "function" && kind !== "constant")
      if (holder !== undefined) {
        const path = pathIn(container, holder)
        const holdsMethods = holder.isClass ?? holder.kind !== "scope"
        readIn(holder.body ?? node, path === "" ? null : path, holdsMethods, depth + 1)
      } else if (isThrough(outline, node)) readIn(node, container, inClass, depth)
    }
    const add = (node: SyntaxNode, found: Found, container: string | null, inClass: boolean): void => {
      const written = pathOf(found)
      if (written === "" || found.kind === "scope") return
      const path = pathIn(container, found)
      const whole = found.whole ?? node
      const operator = path.search(/(?<!\w)operator(?!\w)/)
      const cut = path.lastIndexOf(".", operator < 0 ? undefined : operator - 1)
      ;(found.isDeclared === true ? declared : definitions).push({
        name: path.slice(cut + 1),
        kind: kindOf(found.kind, (path !== written && inClass) || written.includes(".")),
        container: cut < 0 ? null : path.slice(0, cut),
        signature: found.parameters === undefined ? signatureOf(outline, node, found.kind) : called(found.parameters),
        line: lineOf(found.at),
        endLine: lastLineOf(whole),
        ...(outline.joins === true ? {} : bodyPlace(whole, found.kind)),
        shape: squeezed(whole).replace(found.at.text, "")
      })
    }
    const readIn = (node: SyntaxNode, container: string | null, inClass: boolean, depth: number): void => {
      if (depth > deepest) return
      for (const child of node.namedChildren) read(child, container, inClass, depth)
    }

    readIn(root, null, false, 0)
    const own = new Set(definitions.map(keyOf))
    const found = [...definitions, ...declared.filter((each) => !own.has(keyOf(each)))]
    const all = outline.joins === true ? joinedClauses(found) : found
    const count = Map.groupBy(all, keyOf)
    return {
      // The syntax does not show which of several definitions of one name a call refers to.
      definitions: all
        .map((each) =>
          outline.joins !== true && (count.get(keyOf(each))?.length ?? 0) > 1 ? { ...each, signature: null } : each
        )
        .sort((a, b) => a.line - b.line || b.endLine - a.endLine),
      types: [],
      imports: imports(root),
      stars: [],
      exports: null,
      bound: new Set(),
      open: root.hasError,
      hasAllMembers: !root.hasError,
      package: packageName
    }
  }

const isThrough = ({ through }: Outline, node: SyntaxNode): boolean =>
  through instanceof RegExp ? through.test(node.type) : through(node)

const pathIn = (container: string | null, found: Found): string =>
  [found.isGlobal === true ? "" : (container ?? ""), pathOf(found)].filter((part) => part !== "").join(".")

const keyOf = ({ container, name }: Definition): string => `${container}\n${name}`

/** Joins consecutive clauses of a function to one definition. */
const joinedClauses = (definitions: ReadonlyArray<Definition>): ReadonlyArray<Definition> => {
  const joined: Array<Definition> = []
  for (const each of definitions) {
    const last = joined.at(-1)
    const isClause =
      last !== undefined &&
      last.kind === each.kind &&
      keyOf(last) === keyOf(each) &&
      last.signature?.parameters.length === each.signature?.parameters.length
    if (isClause) joined[joined.length - 1] = { ...last, endLine: each.endLine, shape: last.shape + each.shape }
    else joined.push(each)
  }
  return joined
}

const kindOf = (kind: Exclude<Kind, "scope">, inClass: boolean): Definition["kind"] =>
  kind === "function" && inClass ? "method" : kind

const packageIn = (node: SyntaxNode): string => (packageNode(node)?.text ?? "").replace(/\s+/g, "")

const packageNode = (node: SyntaxNode): SyntaxNode | null =>
  node.childForFieldName("name") ?? childOf(node, "qualified_identifier")

/** The node of a preprocessor line ends at the start of the next line. */
const lastLineOf = ({ endPosition, startPosition }: SyntaxNode): number =>
  endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row : endPosition.row + 1

const called = (parameters: ReadonlyArray<Parameter>): Signature => ({ parameters, async: false, strict: false })

const signatureOf = ({ parameters }: Outline, node: SyntaxNode, kind: Kind): Signature | null => {
  if (kind !== "function" && kind !== "class") return null
  const list = parameters.includes(node.type) ? node : listIn(node, parameters, 3)
  if (list === null) return kind === "function" ? called([]) : null
  const found: Array<Parameter> = []
  let isDefault = false
  for (const child of list.children) {
    const last = found.at(-1)
    if (child.type === "=" && last !== undefined) found[found.length - 1] = { ...last, required: false }
    else if (
      !isDefault &&
      child.text !== "void" &&
      /(?<!block_)param(?!.*(?:modifiers|s$))|^identifier$|^\.\.\.$/.test(child.type)
    ) {
      found.push(parameterOf(child))
    }
    isDefault = child.type === "="
  }
  return called(found)
}

/** The nearest node of these types below a definition, but not in a body or another definition. */
const listIn = (node: SyntaxNode, types: ReadonlyArray<string>, depth: number): SyntaxNode | null => {
  for (const child of node.namedChildren) {
    if (types.includes(child.type)) return child
    const inner = depth > 0 && /declarator|constructor/.test(child.type) ? listIn(child, types, depth - 1) : null
    if (inner !== null) return inner
  }
  return null
}

const parameterOf = (node: SyntaxNode): Parameter => {
  const isRest = /variadic|splat|^\.\.\.$/.test(node.type) || /^(?:vararg|params)\s+\w|\.\.\.$/.test(node.text)
  const hasDefault =
    /optional/.test(node.type) ||
    ["default_value", "value"].some((field) => node.childForFieldName(field) !== null) ||
    node.children.some(({ type }) => type === "=")
  return {
    name: node.text === "..." ? "..." : parameterName(node),
    kind: isRest ? "rest" : "positional",
    required: !isRest && !hasDefault
  }
}

const parameterName = (node: SyntaxNode): string => {
  const label = node.childForFieldName("external_name")
  const named = label === null || label.text === "_" ? node.childForFieldName("name") : label
  const inner = named ?? node.childForFieldName("declarator") ?? node
  const word = /identifier$|^name$/.test(inner.type)
    ? inner
    : inner.descendantsOfType(["identifier", "simple_identifier", "name"])[0]
  return word?.text ?? ""
}

const isAt = (holder: SyntaxNode, place: string | number, node: SyntaxNode): boolean =>
  childAt(holder, place)?.id === node.id

const childAt = (holder: SyntaxNode, place: string | number): SyntaxNode | null =>
  typeof place === "string" ? holder.childForFieldName(place) : (holder.namedChildren.at(place) ?? null)

const isOf = (nodes: Nodes, parent: SyntaxNode, node: SyntaxNode): boolean => {
  const field = Object.hasOwn(nodes, parent.type) ? nodes[parent.type] : undefined
  return field !== undefined && (field === null || isAt(parent, field, node))
}

/** The maximum number of levels between a declaration and its name. */
const farthestName = 8

const occurring =
  (outline: Outline) =>
  (node: SyntaxNode): Occurrence | null => {
    const { parent } = node
    if (parent === null || !outline.words.includes(node.type) || isOf(outline.labels, parent, node)) return null
    const kind = outline.kindOf?.(node, parent)
    if (kind === null) return null
    if (kind !== undefined) return kind === "member" ? { ...used(outline, node), kind } : occurrenceAt(node, kind)
    const own = ownKind(outline, node)
    if (own !== null) return occurrenceAt(node, own)
    for (let at: SyntaxNode | null = parent, steps = 0; at !== null && steps < farthestName; at = at.parent, steps++) {
      if (outline.imports.includes(at.type)) return occurrenceAt(node, "import")
      if (outline.packages.includes(at.type) && (packageNode(at)?.endIndex ?? 0) >= node.endIndex) return null
    }
    if (isOf(outline.bindings, parent, node)) return occurrenceAt(node, "binding")
    return used(outline, node)
  }

/** The name of a definition; one with a value is a binding if it is in a function. Null for any other. */
const ownKind = (outline: Outline, node: SyntaxNode): "definition" | "binding" | null => {
  for (let at = node.parent, steps = 0; at !== null && steps < farthestName; at = at.parent, steps++) {
    const found = foundIn(outline, at)
    const own = found.find((each) => each.at.startIndex <= node.startIndex && node.endIndex === each.at.endIndex)
    if (own !== undefined) {
      // The name of an extension is that of the type it extends.
      if (own.kind === "scope" && own.isClass === true) return null
      return own.kind === "constant" && !isOutside(outline, at) ? "binding" : "definition"
    }
    if (found.length > 0) return null
  }
  return null
}

const isOutside = (outline: Outline, node: SyntaxNode): boolean => {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (foundIn(outline, at).length > 0 || at.parent === null) return true
    if (!isThrough(outline, at)) return false
  }
  return true
}

const used = (outline: Outline, node: SyntaxNode): Occurrence => {
  let at = node
  let receiver: string | null | undefined
  for (let steps = 0; at.parent !== null && steps < farthestName; steps++) {
    const holder = at.parent
    const fields = Object.hasOwn(outline.members, holder.type) ? outline.members[holder.type] : undefined
    if (fields !== undefined && isAt(holder, fields[1], at) && !isAt(holder, fields[0], at)) {
      const object = childAt(holder, fields[0])
      if (object !== null) receiver ??= plainPath(object)
      at = holder
    } else if (outline.wrappers.includes(holder.type)) at = holder
    else break
  }
  const call = at.parent
  const place = call !== null && Object.hasOwn(outline.calls, call.type) ? outline.calls[call.type] : undefined
  const isCalled =
    (call !== null && place != null && isAt(call, place, at)) ||
    outline.calls[at.type] === null ||
    outline.isCalled?.(at) === true
  const self = receiver != null && outline.self.includes(receiver) ? containerOf(outline, node) : null
  const usage = { call: isCalled ? anyCall : null, self }
  return receiver === undefined
    ? occurrenceAt(node, "use", usage)
    : occurrenceAt(node, "member", { ...usage, receiver })
}

/** Arguments are not read. */
const anyCall = { positional: 0, keywords: [], spread: true }

/** The last name of the class around a node. */
const containerOf = (outline: Outline, node: SyntaxNode): string | null => {
  for (let at = node.parent; at !== null; at = at.parent) {
    const [found] = foundIn(outline, at)
    if (found === undefined || found.kind === "constant" || (found.kind === "scope" && found.isClass !== true)) continue
    const names = pathOf(found).split(".")
    // A method may be defined outside of its class.
    if (found.kind !== "function" || names.length > 1) return names.at(found.kind === "function" ? -2 : -1) ?? null
  }
  return null
}

const occurrenceAt = (node: SyntaxNode, kind: Occurrence["kind"], more: Partial<Occurrence> = {}): Occurrence => ({
  line: lineOf(node),
  kind,
  receiver: null,
  call: null,
  value: "passed",
  self: null,
  ...more
})

/** The text of a path of names; null for any other expression. */
const plainPath = (node: SyntaxNode | null): string | null => {
  if (node === null || node.endIndex - node.startIndex > 200) return null
  const { text } = node
  return /^[$@\\]?\w+(?:(?:\.|::|\\|\?\.|->)\w+)*\\?$/.test(text) ? text : null
}

/** The common part of the records of indexed languages. */
export const indexed = (outline: Outline, imports: Language["imports"]) => ({
  ...languageDefaults,
  symbols: outlined(outline, imports),
  imports,
  scopes: outline.scopes,
  occurrence: occurring(outline)
})
