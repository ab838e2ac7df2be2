/**
 * Which names hold only in a part of a file, and where: the parameters, variables, definitions and imports of functions,
 * blocks and patterns. The scopes of a language are data; the reader of its occurrences says which words are bound.
 */
import { remembered } from "../domain/code/Repository.ts"
import { type ImportedName, type Occurrence, wordPlaces } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { lastAtMost } from "../domain/text/lastAtMost.ts"
import { lineOf, textOf, unreadParts } from "./tree.ts"

export interface Scopes {
  /** Nodes that limit the names bound in them: their types, or a test. */
  readonly limits: ReadonlyArray<string> | ((node: SyntaxNode) => boolean)
  /** Types and the like: what they define is their member, and what else is bound in them holds in them. */
  readonly owners?: ReadonlyArray<string>
  /** Nodes that bind for what follows them, perhaps with an operator: `pair =`. Any other binding holds in its whole scope. */
  readonly after?: ReadonlyArray<string>
  /** Nodes that bind for one of their fields. */
  readonly only?: Readonly<Record<string, string>>
  /** Nodes that bind for the function around them. */
  readonly hoisted?: ReadonlyArray<string>
  readonly functions?: ReadonlyArray<string>
  /** Owners whose definitions hold in them, and whose names hold from the end of the statement that binds them. */
  readonly bodies?: ReadonlyArray<string>
  /** Is a part of a node read around the next scope, and not in it? */
  readonly outside?: (part: SyntaxNode, parent: SyntaxNode) => boolean
  /** Scopes whose names do not hold inside of these nodes in them. */
  readonly closed?: ReadonlyArray<string>
  readonly barriers?: ReadonlyArray<string>
  /** Expressions whose own names hold in them, and not around them. */
  readonly named?: ReadonlyArray<string>
  /** Statements whose words are those of the file. */
  readonly outward?: ReadonlyArray<string>
  /** A variable does not hide a function that is called. */
  readonly hidesNoCalls?: true
  /** A variable hides a type. */
  readonly hidesTypes?: true
}

/** A language whose functions and variables cannot have the same name. */
export const noScopes: Scopes = { limits: [] }

/** The word at a node, and what it is there. */
export interface Place {
  readonly node: SyntaxNode
  readonly occurrence: Occurrence
}

interface Binding {
  readonly node: SyntaxNode
  readonly scope: SyntaxNode
  readonly start: number
  readonly end: number
  /** The line of the import; null if it is none. */
  readonly imported: number | null
}

/** The bindings of a word, by where they begin to hold. */
interface Bindings {
  readonly all: ReadonlyArray<Binding>
  readonly starts: ReadonlyArray<number>
  /** The last end of each one and of those before it. */
  readonly lastEnds: ReadonlyArray<number>
  readonly byNode: ReadonlyMap<number, Binding>
}

/** A name that is bound in a part of a text. */
export interface Variable {
  /** The places that mean it, by their indexes in the text. */
  readonly places: ReadonlyArray<number>
  /** Of a function that has a name. */
  readonly isParameter: boolean
  /** Has the part the other word, whatever it means? */
  readonly hasWord: (word: string) => boolean
}

interface Names {
  /** All places of a word. */
  readonly all: (word: string) => ReadonlyArray<Place>
  /** Without those of names that are bound in a part of the text. */
  readonly ofFile: (word: string) => ReadonlyArray<Place>
  /** What the word at a node is; null for a name of the file and for a member. */
  readonly variableAt: (node: SyntaxNode) => Variable | null
}

/** The places of words in a text, without uses in parts that the parser did not understand. */
export const namesIn = (
  scopes: Scopes,
  root: SyntaxNode,
  text: string,
  occurrence: (node: SyntaxNode) => Occurrence | null,
  imports: ReadonlyArray<ImportedName>
): Names => {
  const unread = unreadParts(root)
  const isRead = ({ occurrence: { kind, line } }: Place): boolean =>
    (kind !== "use" && kind !== "member") || !unread.some((part) => part.line <= line && line <= part.endLine)
  const placesOf = remembered((word: string) => placesIn(root, text, word, occurrence).filter(isRead))
  const bindingsOf = remembered((word: string): Bindings => {
    const places = placesOf(word)
    const all = [...places, ...placesIn(root, text, word, (node) => memberOf(scopes, node))]
    const found = all.flatMap((place) => bindingAt(scopes, place, word, imports))
    const outer = new Set(
      places.flatMap(({ node }) => (isIn(node, scopes.outward) ? [scopeAround(scopes, node)?.id] : []))
    )
    const held = found.filter(({ scope }) => !outer.has(scope.id)).sort((a, b) => a.start - b.start)
    let last = 0
    return {
      all: held,
      starts: held.map(({ start }) => start),
      lastEnds: held.map(({ end }) => (last = Math.max(last, end))),
      byNode: new Map(held.map((each) => [each.node.id, each]))
    }
  })

  /** Does the file give the name several meanings, one of them that of an import? */
  const isUnclear = remembered((word: string): boolean => {
    const stated = imports.filter(
      ({ inner, local, within }) => local === word && inner === undefined && within === undefined
    )
    const [first] = stated
    if (first === undefined) return false
    return (
      stated.some(({ module, name }) => module !== first.module || name !== first.name) ||
      placesOf(word).some(
        ({ node, occurrence: { kind, within = [] } }) =>
          kind === "definition" && within.length === 0 && scopeAround(scopes, node) === null
      )
    )
  })

  /** Does the name that an origin begins with mean something else around the node than in the file? */
  const isHidden = (name: string, node: SyntaxNode): boolean => {
    const own = bindingsOf(name).all.filter(({ scope }) => contains(scope, node))
    const others = placesOf(name).filter(({ occurrence: { kind } }) => kind === "definition" || kind === "import")
    return own.some(({ imported }) => imported === null || others.length > own.length)
  }

  const isOnlyType = ({ type }: SyntaxNode): boolean => type === "type_identifier" && scopes.hidesTypes !== true

  /** The binding of a word at a node in the narrowest scope, which begins last; null if it holds in the whole file. */
  const boundAt = (node: SyntaxNode, word: string): Binding | null => {
    const { all, lastEnds, starts } = bindingsOf(word)
    const at = node.startIndex
    for (let index = lastAtMost(starts, at); index >= 0 && lastEnds[index]! > at; index--) {
      const binding = all[index]!
      if (binding.end <= at || (isOnlyType(node) && !isType(binding.node))) continue
      const isForTypes = isTypeParameter(binding.node)
      const isClosed = !isForTypes && scopes.closed?.includes(binding.scope.type) === true
      if (isClosed && isBeyond(scopes, node, binding.scope)) continue
      if (isForTypes || !isOutside(scopes, node, binding.scope)) return binding
    }
    return null
  }

  const bindingOf = (node: SyntaxNode, word: string): Binding | null =>
    bindingsOf(word).byNode.get(node.id) ?? boundAt(node, word)

  const variableAt = (node: SyntaxNode): Variable | null => {
    const word = node.text
    const binding = bindingOf(node, word)
    if (binding === null || binding.imported !== null || isOwner(scopes, binding.scope)) return null
    const { end, scope, start } = binding
    const isSame = (other: Binding | null) => other?.scope.id === scope.id && other.start === start && other.end === end
    const isInside = (at: number) => scope.startIndex <= at && at < scope.endIndex
    return {
      places: placesOf(word).flatMap(({ node, occurrence: { kind, receiver } }) =>
        kind !== "member" && receiver === null && isSame(bindingOf(node, word)) ? [node.startIndex] : []
      ),
      isParameter:
        !anonymous.test(scope.type) && bindingsOf(word).all.some((each) => isSame(each) && isParameter(each)),
      hasWord: (other) => wordPlaces(text, other).some(isInside)
    }
  }

  const ofFile = remembered((word: string) =>
    placesOf(word).flatMap((place): ReadonlyArray<Place> => {
      const { node, occurrence: found } = place
      const { call, kind, receiver } = found
      const meaning = (inner: Occurrence["inner"]): ReadonlyArray<Place> => [
        inner === undefined ? place : { node, occurrence: { ...found, inner } }
      ]
      if (kind === "member" || receiver !== null) {
        const object = firstName(found) ?? firstWord(node, text)
        const bound = object === null ? null : boundAt(node, object)
        // A path of Rust does not begin with a variable.
        const isOther = bound === null || (found.path !== undefined && bound.imported === null && !isType(bound.node))
        const inner = !isOther
          ? (bound.imported ?? "local")
          : object !== null && isUnclear(object)
            ? "unclear"
            : undefined
        return [{ node, occurrence: withObject(found, inner, (name) => isHidden(name, node)) }]
      }
      const isCall = call !== null && node.type !== "type_identifier"
      if (kind === "use" && scopes.hidesNoCalls === true && isCall) return [place]
      const own = bindingsOf(word).byNode.get(node.id)
      const bound = own ?? (kind === "use" ? boundAt(node, word) : null)
      if (bound === null || (kind === "definition" && isOwner(scopes, bound.scope)))
        return meaning(isUnclear(word) ? "unclear" : undefined)
      return bound.imported === null ? [] : meaning(bound.imported)
    })
  )
  return { all: placesOf, ofFile, variableAt }
}

const anonymous = /^(?:arrow_function|func_literal|lambda|closure|anonymous|function_expression)|block/

const isParameter = ({ node, scope }: Binding): boolean => {
  for (let at = node.parent; at !== null && at.id !== scope.id; at = at.parent)
    if (at.type.includes("parameter")) return true
  return false
}

/** All occurrences of a word, in source order. */
const placesIn = (
  root: SyntaxNode,
  text: string,
  word: string,
  occurrence: (node: SyntaxNode) => Occurrence | null
): ReadonlyArray<Place> =>
  wordPlaces(text, word).flatMap((at) => {
    const node = root.descendantForIndex(at, at + word.length)
    const isWord = node !== null && node.startIndex === at && node.endIndex === at + word.length
    const found = isWord ? occurrence(node) : null
    if (found === null || !isWord) return []
    const column = at - text.lastIndexOf("\n", at - 1)
    return [{ node, occurrence: { ...found, columns: { column, endColumn: column + word.length } } }]
  })

const bindingAt = (
  scopes: Scopes,
  { node, occurrence: { kind, receiver } }: Place,
  word: string,
  imports: ReadonlyArray<ImportedName>
): ReadonlyArray<Binding> => {
  if (kind === "use" || kind === "member" || receiver !== null) return []
  const line = lineOf(node)
  const isBound = isVariable(node) || imports.some((each) => each.line === line && each.local.split(".", 1)[0] === word)
  if (kind === "import" && !isBound) return []
  const scope = scopeAround(scopes, node)
  if (scope === null) return []
  if (kind === "definition" && isOwner(scopes, scope)) return []
  const [start, end] = rangeIn(scopes, node, scope)
  return [{ node, scope, start, end, imported: kind === "import" ? line : null }]
}

/** `const { total } = require("./cart")` */
const isVariable = (node: SyntaxNode): boolean => /^(?:variable_declarator|\w+_pattern)$/.test(node.parent?.type ?? "")

/** The scope in which the word at a node is bound; null for the file. */
const scopeAround = (scopes: Scopes, node: SyntaxNode): SyntaxNode | null => {
  let functionsOnly = false
  for (let at = node.parent; at !== null; at = at.parent) {
    if (scopes.hoisted?.includes(at.type) === true) functionsOnly = true
    const isScope = functionsOnly ? scopes.functions?.includes(at.type) === true : isLimit(scopes, at)
    if (isScope && (scopes.named?.includes(at.type) === true || !isNameOf(at, node))) return at
  }
  return null
}

const isLimit = (scopes: Scopes, node: SyntaxNode): boolean => {
  const { limits } = scopes
  return (typeof limits === "function" ? limits(node) : limits.includes(node.type)) || isOwner(scopes, node)
}

const isOwner = ({ owners }: Scopes, { type }: SyntaxNode): boolean => owners?.includes(type) === true

/** The name of a definition is bound around it. In C it is in a declarator. */
const isNameOf = (definition: SyntaxNode, node: SyntaxNode): boolean => {
  let at = definition.childForFieldName("name") ?? definition
  while (at.id === definition.id || /declarator$/.test(at.type)) {
    const inner = at.childForFieldName("declarator") ?? (/declarator$/.test(at.type) ? at.namedChildren[0] : null)
    if (inner == null) break
    at = inner
  }
  return at.id === node.id
}

const rangeIn = (scopes: Scopes, node: SyntaxNode, scope: SyntaxNode): readonly [start: number, end: number] => {
  const field = scopes.only?.[scope.type]
  const part = field === undefined ? null : scope.childForFieldName(field)
  if (part !== null) return [part.startIndex, part.endIndex]
  const isBody = scopes.bodies?.includes(scope.type) === true && !isTypeParameter(node)
  for (let at: SyntaxNode | null = node, below = node; at !== null; below = at, at = at.parent) {
    if (isBody && at.id !== scope.id && binder.test(at.type)) return [at.endIndex, scope.endIndex]
    if (isBefore(scopes, at)) return [(valueBeside(below, at) ?? at).endIndex, scope.endIndex]
    if (at.id === scope.id) break
  }
  return [isBody ? node.endIndex : scope.startIndex, scope.endIndex]
}

const binder = /assignment|_definition$|^named_expression$/

/** The name of a definition in a body, which is no word of the file. */
const memberOf = (scopes: Scopes, node: SyntaxNode): Occurrence | null => {
  if (scopes.bodies === undefined || !/_definition$/.test(node.parent?.type ?? "") || !isNameOf(node.parent!, node))
    return null
  if (!scopes.bodies.includes(scopeAround(scopes, node)?.type ?? "")) return null
  return { line: lineOf(node), kind: "binding", receiver: null, call: null, value: "passed", self: null }
}

const isTypeParameter = ({ parent }: SyntaxNode): boolean => /^(?:splat_)?type$/.test(parent?.type ?? "")

/** Is the node in a part of the scope that is read around it? */
const isOutside = ({ outside, ...scopes }: Scopes, node: SyntaxNode, scope: SyntaxNode): boolean => {
  if (outside === undefined) return false
  let is = false
  for (let at = node, parent = node.parent; parent !== null; at = parent, parent = parent.parent) {
    if (isLimit(scopes, at)) is = false
    if (outside(at, parent)) is = true
    if (parent.id === scope.id) return is
  }
  return false
}

const isBefore = ({ after = [] }: Scopes, node: SyntaxNode): boolean =>
  after.some(
    (each) => each === node.type || (each.startsWith(`${node.type} `) && each.endsWith(` ${textOf(node, "operator")}`))
  )

/** What a binding gets in a statement that has others after it: `guard let a = f(), a > 1`; itself if it needs nothing. */
const valueBeside = (bound: SyntaxNode, { children }: SyntaxNode): SyntaxNode | null => {
  const at = children.findIndex(({ id }) => id === bound.id)
  if (at < 0) return null
  if (children[at + 1]?.type === "," && children[at - 1]?.type === "value_binding_pattern") return bound
  const equals = children.findIndex(({ type }, index) => index > at && type === "=")
  return equals < 0 ? null : (children[equals + 1] ?? null)
}

/** Is a barrier between the node and the scope? */
const isBeyond = ({ barriers }: Scopes, node: SyntaxNode, scope: SyntaxNode): boolean => {
  for (let at = node.parent; at !== null && at.id !== scope.id; at = at.parent) {
    if (barriers?.includes(at.type) === true && !isNameOf(at, node)) return true
  }
  return false
}

const isIn = (node: SyntaxNode, types: ReadonlyArray<string> | undefined): boolean =>
  types?.includes(node.parent?.type ?? "") === true

const isType = ({ parent, type }: SyntaxNode): boolean =>
  type === "type_identifier" || /class|interface|struct|enum|record|type|module/.test(parent?.type ?? "")

const contains = (scope: SyntaxNode, node: SyntaxNode): boolean =>
  scope.startIndex <= node.startIndex && node.endIndex <= scope.endIndex

/** The first name of the path before a member; null if it is no name, or the object itself. */
const firstName = ({ path, receiver }: Occurrence): string | null => {
  const first = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(path ?? receiver ?? "")?.[0]
  return first === undefined || itself.test(first) ? null : first
}

/** The first word of the expression that ends with a member. */
const firstWord = ({ parent, startIndex }: SyntaxNode, text: string): string | null => {
  const before =
    parent === null ? "" : text.slice(parent.startIndex, Math.min(startIndex, parent.startIndex + longestWord))
  const word = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(before)?.[0]
  return word === undefined || itself.test(word) ? null : word
}

const longestWord = 100
const itself = /^(?:self|Self|this|super|cls|crate)$/

/** What binds the object of a member, in a part of the file; an origin that begins with a name of this part is unknown. */
const withObject = (found: Occurrence, inner: Occurrence["inner"], isHidden: (name: string) => boolean): Occurrence => {
  const { origin, ...rest } = found
  const root = origin === undefined ? undefined : /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(rootOf(origin))?.[0]
  const isUnknown = root !== undefined && !itself.test(root) && isHidden(root)
  return { ...(isUnknown ? rest : found), ...(inner === undefined ? {} : { inner }) }
}

const rootOf = ({ root }: NonNullable<Occurrence["origin"]>): string => (root._tag === "Value" ? root.name : root.type)
