/** What a reader has gathered of one file so far, and how it grows. Each reader makes its own and gives it away finished. */
import type {
  Definition,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  TypeShape,
  Visibility
} from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { squeezed } from "./tree.ts"

export interface Draft {
  readonly definitions: Array<Definition>
  readonly types: Array<TypeShape>
  readonly imports: Array<ImportedName>
  readonly stars: Array<string>
  readonly bound: Set<string>
  open: boolean
  package: string
}

/** Classes inside of classes are read this deep: no program needs more, and broken text may have any number. */
export const deepest = 24

/** So many import statements of one text are read, which may be those of many files together. */
const mostImports = 20_000

/** Where the pattern stands in the text, without reading on forever in a text that is made of nothing else. */
export const statementsIn = (root: SyntaxNode, pattern: RegExp): ReadonlyArray<RegExpExecArray> =>
  Array.from(root.text.matchAll(pattern).take(mostImports))

export const draftOf = (root: SyntaxNode, imports: ReadonlyArray<ImportedName>): Draft => ({
  definitions: [],
  types: [],
  imports: [...imports],
  stars: [],
  bound: new Set(),
  open: root.hasError,
  package: ""
})

interface Defined {
  readonly name: string
  readonly kind: Definition["kind"]
  readonly container: string | null
  readonly signature?: Signature | null
  readonly visibility?: Visibility | null
}

/**
 * `node` is the whole definition; its line is its name's, below attributes and annotations. What has no name (broken
 * text) defines nothing.
 */
export const define = (
  draft: Draft,
  node: SyntaxNode,
  { container, kind, name, signature, visibility }: Defined
): void => {
  if (name === "") return
  draft.definitions.push({
    name,
    kind,
    container,
    signature: signature ?? null,
    ...(visibility == null ? {} : { visibility }),
    line: lineOf(node.childForFieldName("name") ?? node),
    endLine: lastLineOf(node),
    shape: squeezed(node).replace(name, "")
  })
}

export const defineType = (
  draft: Draft,
  name: string,
  open: boolean,
  fields: Iterable<string>,
  parents: ReadonlyArray<string>
): void => {
  if (name !== "") draft.types.push({ name, open, fields: new Set(fields), parents: [...new Set(parents)] })
}

/** Several definitions under one name: which one a call means, the syntax does not show. */
export const withoutOverloads = (definitions: ReadonlyArray<Definition>): ReadonlyArray<Definition> => {
  const keyOf = ({ container, name }: Definition) => `${container}\n${name}`
  const count = new Map<string, number>()
  for (const each of definitions) count.set(keyOf(each), (count.get(keyOf(each)) ?? 0) + 1)
  return definitions.map((each) => ((count.get(keyOf(each)) ?? 0) > 1 ? { ...each, signature: null } : each))
}

/** Every name that is not private is offered; definitions come in the order of their lines. */
export const finished = (draft: Draft): FileSymbols => ({
  ...draft,
  definitions: [...draft.definitions].sort((a, b) => a.line - b.line || b.endLine - a.endLine),
  exports: null
})

/** `Outer` and `Inner` as one path; the inner name alone at the top of the file. */
export const nested = (container: string | null, name: string, separator: string): string =>
  container === null ? name : `${container}${separator}${name}`

export const lineOf = (node: SyntaxNode): number => node.startPosition.row + 1

/** A preprocessor's line ends where the next begins. */
const lastLineOf = ({ endPosition, startPosition }: SyntaxNode): number =>
  endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row : endPosition.row + 1

export const textOf = (node: SyntaxNode, field: string): string => node.childForFieldName(field)?.text ?? ""

/** A type as it is named, without arguments and white space: `Base<Int>` is Base. */
export const bareType = (text: string): string => text.replace(/[<([{][\s\S]*$/, "").replace(/\s+/g, "")

export const parameterOf = (name: string, kind: Parameter["kind"], required: boolean): Parameter => ({
  name,
  kind,
  required: required && kind !== "rest" && kind !== "keywords"
})

export const called = (parameters: ReadonlyArray<Parameter>, more: Partial<Signature> = {}): Signature => ({
  parameters,
  async: false,
  strict: true,
  ...more
})

/** The constructor's signature is the class's, where there is one constructor and no more. */
export const onlyOne = (signatures: ReadonlyArray<Signature | null>): Signature | null =>
  signatures.length === 1 ? (signatures[0] ?? null) : null

export const imported = (
  node: SyntaxNode,
  module: string,
  name: string | null,
  local: string,
  guarded = false
): ImportedName => ({ module, name, local, line: lineOf(node), guarded })

export const occurrenceAt = (
  node: SyntaxNode,
  kind: Occurrence["kind"],
  more: Partial<Occurrence> = {}
): Occurrence => ({ line: lineOf(node), kind, receiver: null, call: null, value: "passed", self: null, ...more })

/** A path of names as one text; null for any other expression. */
export const plainPath = (node: SyntaxNode | null): string | null => {
  if (node === null || node.endIndex - node.startIndex > 200) return null
  const { text } = node
  return /^[$@\\]?\w+(?:(?:\.|::|\\|\?\.|->)\w+)*$/.test(text) ? text : null
}

/** Is the node the one that its parent has in this field? */
export const isIn = (node: SyntaxNode, field: string): boolean => node.parent?.childForFieldName(field)?.id === node.id
