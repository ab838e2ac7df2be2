/** Off-by-one errors: a loop that counts up to the length itself, and an element that is read at the index of the length. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { type NodeCheck, type Range, rangeOf } from "../../domain/finding/Rule.ts"
import { isField, relatedPlace, squeezed, within } from "../../languages/tree.ts"

interface Language {
  readonly loop: string
  /** The variable of the loop, and the list whose length is its limit. */
  readonly counted: (
    loop: SyntaxNode
  ) => { readonly index: string; readonly list: string; readonly body: SyntaxNode } | null
  /** The types of nodes that read one element. */
  readonly elements: ReadonlyArray<string>
  /** An element of `list` at `index`, as written without white space. */
  readonly element: (list: string, index: string) => ReadonlyArray<string>
  /** The length of `list`, as written without white space. */
  readonly lengths: (list: string) => ReadonlyArray<string>
}

/** From a loop whose parts are in fields: its condition or range as text, and its body. */
export const fromText =
  (pattern: RegExp, field: string, indexField: string | null) =>
  (loop: SyntaxNode): ReturnType<Language["counted"]> => {
    const body = loop.childForFieldName("body")
    const counted = loop.childForFieldName(field)
    const match = counted === null ? null : pattern.exec(squeezed(counted).replace(/;$/, ""))
    const index = indexField === null ? match?.groups?.index : loop.childForFieldName(indexField)?.text
    const list = match?.groups?.list
    return body === null || index === undefined || list === undefined ? null : { index, list, body }
  }

/** Longer elements are chains of calls, which would be read again for each call. */
const longestElement = 200

export const bracketed = (list: string, index: string): ReadonlyArray<string> => [`${list}[${index}]`]

/** Is it on the left of an assignment, alone or in Go's list of targets? */
const isWritten = (element: SyntaxNode): boolean => {
  const target = element.parent?.type === "expression_list" ? element.parent : element
  return isField(target.parent, "left", target)
}

/** Elements that are read at this index, in the node or below it. */
const readsOf = (
  { elements, element }: Language,
  node: SyntaxNode,
  list: string,
  index: string
): ReadonlyArray<SyntaxNode> => {
  const wanted = element(list, index)
  return node.descendantsOfType([...elements]).filter((each) => wanted.includes(squeezed(each)) && !isWritten(each))
}

/** The check for a language; its page names the nodes of `loop` and `elements`. */
/** The end of the loop, if it is on the first line. */
const conditionOf = (loop: SyntaxNode): Range => {
  const { line } = rangeOf(loop)
  const condition = within(loop, ["for_clause"])[0] ?? loop
  const end = condition.childForFieldName("condition")
  return end !== null && rangeOf(end).line === line && rangeOf(end).endLine === line ? rangeOf(end) : { line }
}

export const indexPastEnd =
  (language: Language): NodeCheck =>
  (claim) => {
    if (claim.type !== language.loop) {
      if (claim.endIndex - claim.startIndex > longestElement) return false
      const list = /^([\w.$]+?)(?:\[|\.get\(|\.charAt\()/.exec(squeezed(claim))?.[1]
      if (list === undefined || isWritten(claim)) return false
      return language.lengths(list).some((length) => language.element(list, length).includes(squeezed(claim)))
    }
    const counted = language.counted(claim)
    if (counted === null) return false
    const { body, index, list } = counted
    const text = squeezed(body)
    // A loop that checks for the end reaches it on purpose; one that changes the list may not reach it.
    if (language.lengths(list).some((length) => text.includes(length)) || /\b(undefined|break)\b/.test(body.text))
      return false
    const [read] = readsOf(language, body, list, index)
    return (
      read !== undefined && {
        ...conditionOf(claim),
        description: `\`${list}\` is read at \`${index}\` on line ${rangeOf(read).line}.`,
        related: [relatedPlace(read, "read here")]
      }
    )
  }
