/**
 * What a word is at each of its places: a call, another use, an import, a definition, a parent. Read from the tree, in any
 * language, without the places of local names and of parts that the parser did not understand.
 */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { ImportedName, Occurrence } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { WordUse } from "../domain/code/WordUse.ts"
import type { Family } from "./Language.ts"
import { importsIn, languages } from "./languages.ts"
import { namesIn, type Place } from "./scopes.ts"
import { requiredNames } from "./script/required.ts"
import { isField, lineOf } from "./tree.ts"

export interface WordUses {
  readonly imports: ReadonlyArray<ImportedName>
  readonly uses: ReadonlyMap<string, ReadonlyArray<WordUse>>
}

/** Of the words, and of what an import calls one of them, or a whole module. */
export const wordUsesIn = (
  grammar: Grammar,
  root: SyntaxNode,
  text: string,
  words: ReadonlyArray<string>
): WordUses => {
  const { family, imports: importsOf, occurrence, scopes } = languages[grammar]
  const stated = importsOf(root)
  const { ofFile } = namesIn(scopes, root, text, (node) => occurrence(node) ?? unread(node, text), stated)
  const globs = family === "rust" ? stated.filter(({ name }) => name === "*") : []
  const imports = [...importsIn(grammar, root), ...globs, ...(family === "script" ? requiredNames(text) : [])]
  const isMeant = ({ local, name }: ImportedName) =>
    /^[\w$]+$/.test(local) && (name === null || name === "default" || words.includes(name))
  const all = new Set([...words, ...imports.filter(isMeant).map(({ local }) => local)])
  const usesOf = (word: string) => ofFile(word).flatMap((place) => useAt(place, text, family))
  return { imports, uses: new Map([...all].map((word) => [word, usesOf(word)])) }
}

/** What the readers of occurrences leave out: the name of a method, and the words of a macro. */
const unread = (node: SyntaxNode, text: string): Occurrence | null => {
  const { parent } = node
  if (parent === null) return null
  const at = { line: lineOf(node), receiver: null, call: null, value: "passed", self: null } as const
  if (method.test(parent.type) && isField(parent, "name", node)) return { ...at, kind: "definition" }
  if (parent.type !== "token_tree" || !/^(?:self|identifier)$/.test(node.type)) return null
  const [before, after] = [text.slice(Math.max(0, node.startIndex - 2), node.startIndex), text[node.endIndex]]
  return { ...at, kind: /(?:\.|::)$/.test(before) ? "member" : "use", call: after === "(" ? anyCall : null }
}

const method =
  /^(?:function_(?:definition|item|signature_item)|method_(?:definition|declaration|signature|elem|spec)|abstract_method_signature|public_field_definition|field_definition|property_signature)$/
const anyCall = { positional: 0, keywords: [], spread: true }

const useAt = (
  { node, occurrence: { call, inner, kind, line, members, self } }: Place,
  text: string,
  family: Family
): ReadonlyArray<WordUse> => {
  if (kind === "binding") return []
  const before = kind === "member" || isQualified(node) ? objectText(node, text) : null
  const isCall = call !== null || members !== undefined
  const receiver = before === null ? null : objectBefore(before.replace(separator, ""))
  const isHeader = kind !== "import" && kind !== "definition" && isParent(node)
  const declares = isHeader ? childIn(node) : kind === "use" || kind === "member" ? declaredBeside(node, text) : []
  const object = receiver === null || receiver === "" ? null : givenTo(receiver, node, text, family)
  return [
    {
      line,
      self,
      kind: kind === "import" || kind === "definition" ? kind : isHeader ? "parent" : isCall ? "call" : "use",
      receiver,
      // What follows `::` is a member, in PHP.
      isPath: before !== null && (family === "php" ? /\\\s*$/ : /(?:::|\\)\s*$/).test(before),
      ...(inner === undefined ? {} : { inner }),
      ...(declares.length === 0 ? {} : { declares }),
      ...(object === null ? {} : { object })
    }
  ]
}

/**
 * The names of what a type beside them declares, variables or functions: `cart` in `cart: Cart`, `Cart cart`,
 * `cart := &Cart{`, `cart = new Cart(`, `cart() Cart` and `def cart() -> Cart`.
 */
const declaredBeside = ({ endIndex, startIndex }: SyntaxNode, text: string): ReadonlyArray<string> => {
  const [before, after] = [
    text.slice(Math.max(0, startIndex - nearby), startIndex),
    text.slice(endIndex, endIndex + nearby)
  ]
  const names = [nameBefore.exec(before.slice(before.lastIndexOf("\n") + 1))?.[1], nameAfter.exec(after)?.[1]]
  return names.filter((name) => name !== undefined && !keywords.has(name)) as Array<string>
}

const nearby = 120
const nameBefore =
  /([\p{L}_$][\p{L}\p{N}_$]*)[?!]?(?:\([^()]*\))?\s*(?:->|:=|[:=]|\s)\s*(?:new\s+|await\s+|mut\s+|'\w+\s+|[&*]|\w+[<[.]|\w+::)*$/u
const nameAfter = /^(?:<[^<>]*>)?[&*?!]?[^\S\n]+([\p{L}_$][\p{L}\p{N}_$]*)/u
const keywords = new Set(
  "return new await type class struct interface enum trait impl for in of from import export extends implements as is instanceof const let var func fn def public private protected static final override and or not if else case throw throws raise yield".split(
    " "
  )
)

/**
 * What the nearest statement above gives an object, a variable in its function or a member in its type: `Cart` if it
 * constructs one, `cart()` if it calls a function. Null if it is not plain.
 */
const givenTo = (object: string, { parent, startIndex }: SyntaxNode, text: string, family: Family): string | null => {
  const isVariable = /^[\w$]+$/.test(object)
  const around = isVariable ? functionTypes : typeTypes
  let from = 0
  for (let at = parent; at !== null && from === 0; at = at.parent) if (around.test(at.type)) from = at.startIndex
  for (let at = startIndex, tries = 0; tries < mostAbove; tries++) {
    at = text.lastIndexOf(object, at - 1)
    if (at < from) return null
    if (/[\w$.]/.test(text[at - 1] ?? "")) continue
    const [, made, created, called] = given.exec(text.slice(at + object.length, at + object.length + nearby)) ?? []
    const isType = created !== undefined && (made !== undefined || withoutNew.has(family) || called === "{")
    if (created !== undefined && called !== undefined)
      return isType && /^[A-Z]/.test(created) ? created : `${created}()`
  }
  return null
}

const mostAbove = 40
const given = /^[^\S\n]*:?=[^\S\n]*(?:(new)\s+|await\s+|yield\s+(?:from\s+)?|&)?(?:[\w$]+(?:\.|::))*([\w$]+)([({])/
/** Languages that construct an object with a call of the type; in others a function may begin with a capital letter. */
const withoutNew: ReadonlySet<Family> = new Set(["python", "kotlin", "swift"])
const functionTypes =
  /^(?:function|method|constructor|init|singleton_method)(?:_\w+)?$|^(?:local_function_statement|func_literal)$/
const typeTypes =
  /^(?:class|struct|impl|object|interface|trait|enum)_(?:declaration|definition|specifier|item)$|^(?:class|module)$/

const separator = /(?:\?\.|!?\.|::|->|&\.|\\)\s*$/

/** In a macro there is no node for a member. */
const isQualified = ({ parent }: SyntaxNode): boolean => parent?.type === "token_tree"

/** The text from the start of the expression to the member. */
const objectText = (node: SyntaxNode, text: string): string | null => {
  if (node.parent?.type === "token_tree") {
    const before = text.slice(Math.max(0, node.startIndex - longestMacroPath), node.startIndex)
    return /(?:\.|::)\s*$/.test(before) ? before : null
  }
  for (let at = node.parent, steps = 0; at !== null && steps < farthest; at = at.parent, steps++) {
    const before = text.slice(at.startIndex, node.startIndex)
    if (before.replace(separator, "").trim() !== "") return before
  }
  return ""
}

const farthest = 6
const longestMacroPath = 120

/** The path of names at the end of a text, without arguments; `()` follows the last one if it is called. */
const objectBefore = (text: string): string => {
  const names: Array<string> = []
  let rest = text.trimEnd()
  const isCall = rest.endsWith(")")
  while (names.length < longestPath) {
    rest = withoutArguments(rest)
    const name = /[\p{L}\p{N}_$]{1,100}$/u.exec(rest)?.[0]
    if (name === undefined) break
    names.unshift(name)
    rest = rest.slice(0, -name.length)
    const dot = separator.exec(rest)
    if (dot === null) break
    rest = rest.slice(0, dot.index).trimEnd()
  }
  return names.length > 0 && isCall ? `${names.join(".")}()` : names.join(".")
}

const longestPath = 8

/** Without the groups in parentheses or brackets at the end. */
const withoutArguments = (text: string): string => {
  let [end, depth] = [text.length, 0]
  for (let at = text.length - 1; at >= 0; at--) {
    if (")]".includes(text[at]!)) depth++
    else if ("([".includes(text[at]!)) {
      depth--
      if (depth === 0) end = at
    } else if (depth === 0) break
    if (depth < 0) break
  }
  return text.slice(0, end)
}

/** Is it the name of a parent in the header of a type? An argument of the parent, and the path to it, are not. */
const isParent = (node: SyntaxNode): boolean => {
  for (let at = node, parent = node.parent; parent !== null; at = parent, parent = parent.parent) {
    if (parent.type === "argument_list" && parent.parent?.type === "class_definition")
      return at.endIndex === node.endIndex
    if (parent.type === "impl_item") return isField(parent, "trait", at)
    if (heritage.test(parent.type)) return true
    const isBefore = at.endIndex !== node.endIndex && !wrapping.test(at.type)
    if (isBefore || /arguments?$|argument_list$|body$|block$/.test(parent.type)) return false
  }
  return false
}

/** The type in whose header a parent is. */
const childIn = (parent: SyntaxNode): ReadonlyArray<string> => {
  let at = parent.parent
  while (at !== null && !typeTypes.test(at.type)) at = at.parent
  const name = at?.childForFieldName(at.type === "impl_item" ? "type" : "name") ?? at?.namedChildren.find(isWord)
  return name === undefined ? [] : [name.text.replace(/<.*/s, "")]
}

const isWord = ({ type }: SyntaxNode): boolean => /identifier$/.test(type)

const wrapping =
  /^(?:generic_type|user_type|template_type|type_arguments|constructor_invocation|expression_with_type_arguments)$/
const heritage =
  /^(?:class_heritage|extends_clause|extends_type_clause|implements_clause|superclass|super_interfaces|extends_interfaces|base_clause|class_interface_clause|base_class_clause|base_list|delegation_specifiers?|inheritance_specifier|trait_bounds)$/
