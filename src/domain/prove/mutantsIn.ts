/** The mutants of added lines. */
import type { SyntaxNode } from "../code/Syntax.ts"
import type { Mutant, Operator } from "./Mutant.ts"
import type { MutationSyntax, Part } from "./MutationSyntax.ts"
import { isQuiet } from "./quiet.ts"
import { weakened } from "./weakened.ts"

/** A change of one node. */
interface Variant {
  readonly operator: Operator
  readonly node: SyntaxNode
  /** Null: the statement is not executed. */
  readonly after: string | null
  /** The part of the node that a reader sees changed; absent: the node. */
  readonly shown?: Shown
}

interface Shown {
  readonly start: SyntaxNode["startPosition"]
  readonly end: SyntaxNode["startPosition"]
  readonly before: string
  readonly instead: string
}

/**
 * In source order. `isAdded`: by lines from 1. Nothing of code that is not executed, and nothing whose change nobody would
 * test: messages, logs, metrics, caches.
 */
export const mutantsIn = (
  root: SyntaxNode,
  syntax: MutationSyntax,
  isAdded: (line: number) => boolean
): ReadonlyArray<Mutant> => {
  const found: Array<Mutant> = []
  const visit = (node: SyntaxNode, scope: number): void => {
    if (syntax.excluded.has(node.type)) return
    const inside = syntax.functions.has(node.type) ? node.startIndex : scope
    const variants = touches(node, isAdded) && !node.hasError ? variantsOf(node, syntax) : []
    for (const variant of variants) {
      if (!isUsable(variant, syntax)) continue
      const mutant = mutantOf(variant, inside)
      if (isAdded(mutant.line)) found.push(mutant)
    }
    for (const child of node.namedChildren) visit(child, inside)
  }
  visit(root, -1)
  return found
}

const touches = ({ endPosition, startPosition }: SyntaxNode, isAdded: (line: number) => boolean): boolean => {
  for (let row = startPosition.row; row <= endPosition.row; row++) if (isAdded(row + 1)) return true
  return false
}

const isUsable = ({ after, node }: Variant, syntax: MutationSyntax): boolean =>
  !isQuiet(node, syntax) &&
  (after === null ? syntax.switches.statement("", "", node) !== null : syntax.isReplaceable(node))

const mutantOf = ({ after, node, operator, shown }: Variant, scope: number): Mutant => {
  const { start, end, before, instead } = shown ?? {
    start: node.startPosition,
    end: node.endPosition,
    before: node.text,
    instead: after ?? ""
  }
  return {
    operator,
    start: node.startIndex,
    end: node.endIndex,
    type: node.type,
    after,
    line: start.row + 1,
    column: start.column + 1,
    endLine: end.row + 1,
    endColumn: end.column + 1,
    before,
    instead,
    scope
  }
}

const variantsOf = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => [
  ...condition(node, syntax),
  ...binary(node, syntax),
  ...statement(node, syntax),
  ...returned(node, syntax),
  ...defaulted(node, syntax),
  ...called(node, syntax),
  ...removed(node, syntax),
  ...pattern(node, syntax),
  ...dropped(node, syntax)
]

const partOf = (node: SyntaxNode, part: Part | undefined): SyntaxNode | null => {
  if (part === undefined) return null
  return typeof part === "number" ? (node.namedChildren[part] ?? null) : node.childForFieldName(part)
}

/** Without the parentheses around it. */
const bare = (node: SyntaxNode, { parenthesized }: MutationSyntax): SyntaxNode => {
  let inner = node
  while (inner.type === parenthesized && inner.namedChildren.length === 1) inner = inner.namedChildren[0]!
  return inner
}

/** A comparison or a choice of operands has nearer mutants of its own. */
const condition = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const whole = partOf(node, syntax.conditions[node.type])
  if (whole === null) return []
  const decides = bare(whole, syntax)
  const operator = operatorOf(decides, syntax)
  if (operator !== null && (syntax.logical.has(operator.text) || Object.hasOwn(syntax.opposites, operator.text)))
    return []
  return [{ operator: "condition-negated", node: decides, after: syntax.negated(decides.text) }]
}

/** The token between two operands. */
const operatorOf = (node: SyntaxNode, { binary: types }: MutationSyntax): SyntaxNode | null => {
  if (!types.has(node.type) || node.namedChildren.length !== 2) return null
  return node.children.find(({ isNamed }) => !isNamed) ?? null
}

const binary = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const token = operatorOf(node, syntax)
  const [left, right] = node.namedChildren
  if (token === null || left === undefined || right === undefined) return []
  const withToken = (operator: Operator, instead: string | undefined): ReadonlyArray<Variant> =>
    instead === undefined
      ? []
      : [
          {
            operator,
            node,
            after: `${textBetween(node, node.startIndex, token.startIndex)}${instead}${textBetween(node, token.endIndex, node.endIndex)}`,
            shown: { start: token.startPosition, end: token.endPosition, before: token.text, instead }
          }
        ]
  if (syntax.logical.has(token.text)) {
    const only = (
      kept: SyntaxNode,
      start: SyntaxNode["startPosition"],
      end: SyntaxNode["startPosition"],
      gone: string
    ) =>
      ({
        operator: "operand-dropped",
        node,
        after: kept.text,
        shown: { start, end, before: gone, instead: "" }
      }) as const
    const first = textBetween(node, left.startIndex, right.startIndex)
    const second = textBetween(node, left.endIndex, right.endIndex)
    return [
      only(right, left.startPosition, right.startPosition, first.trimEnd()),
      only(left, left.endPosition, right.endPosition, second.trimStart())
    ]
  }
  const numbers = syntax.arithmetic.has(token.text)
    ? [left, right].flatMap((operand) => {
        const instead = oneMore(operand, syntax)
        if (instead === null) return []
        const [before, behind] = [
          textBetween(node, node.startIndex, operand.startIndex),
          textBetween(node, operand.endIndex, node.endIndex)
        ]
        const shown = { start: operand.startPosition, end: operand.endPosition, before: operand.text, instead }
        return [{ operator: "off-by-one", node, after: `${before}${instead}${behind}`, shown } as const]
      })
    : []
  return [
    ...withToken("boundary-moved", syntax.boundaries[token.text]),
    ...withToken("comparison-swapped", syntax.opposites[token.text]),
    ...numbers
  ]
}

const largestIndex = 100

const oneMore = (node: SyntaxNode, { integer }: MutationSyntax): string | null =>
  node.type === integer && /^\d{1,3}$/.test(node.text) && Number(node.text) < largestIndex
    ? String(Number(node.text) + 1)
    : null

const statement = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  if (node.type === syntax.throwing) return [{ operator: "exception-swallowed", node, after: null }]
  const [only, more] = node.namedChildren
  if (node.type !== syntax.expressionStatement || only === undefined || more !== undefined) return []
  const acted = only.type === syntax.awaiting ? (only.namedChildren[0] ?? only) : only
  if (acted.type === syntax.call.type) return [{ operator: "call-deleted", node, after: null }]
  // That a function exists is shown by those who call it.
  const isOfFunction = syntax.functions.has(acted.childForFieldName("right")?.type ?? "")
  return syntax.assignments.has(acted.type) && !isOfFunction
    ? [{ operator: "assignment-deleted", node, after: null }]
    : []
}

const returned = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const [value] = node.namedChildren
  if (node.type !== syntax.returning || value === undefined) return []
  const result = bare(value, syntax)
  // A result that is decided by an operator has nearer mutants.
  if (result.text === syntax.nothing || operatorOf(result, syntax) !== null) return []
  return [{ operator: "result-replaced", node: result, after: syntax.literals[result.text] ?? syntax.nothing }]
}

const defaulted = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const value = partOf(node, syntax.defaults[node.type])
  if (value === null) return []
  const instead = syntax.literals[value.text] ?? oneMore(value, syntax)
  return instead === null ? [] : [{ operator: "default-flipped", node: value, after: instead }]
}

const called = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const { call, member, wrapping } = syntax
  if (node.type !== call.type) return []
  const callee = node.childForFieldName(call.callee)
  const given = node.childForFieldName(call.arguments)
  const passed = given?.namedChildren.filter(({ type }) => type !== "comment") ?? []
  if (callee === null || given === null) return []
  const [first] = passed
  const last = passed.at(-1)
  const previous = passed.at(-2)
  const object = callee.type === member.type ? callee.childForFieldName(member.object) : null
  const name = callee.type === member.type ? callee.childForFieldName(member.name) : null
  const found: Array<Variant> = []
  if (object !== null && name !== null && wrapping.methods.has(name.text)) {
    const before = textBetween(node, object.endIndex, node.endIndex)
    const shown = { start: object.endPosition, end: node.endPosition, before, instead: "" }
    found.push({ operator: "wrapping-removed", node, after: object.text, shown })
  } else if (wrapping.functions.has(callee.text) && first !== undefined && passed.length === 1) {
    found.push({ operator: "wrapping-removed", node, after: first.text })
  }
  if (last !== undefined && previous !== undefined && !syntax.functions.has(last.type)) {
    const before = textBetween(node, previous.endIndex, last.endIndex)
    const rest = textBetween(node, last.endIndex, node.endIndex)
    const after = `${textBetween(node, node.startIndex, previous.endIndex)}${rest}`
    const shown = {
      start: previous.endPosition,
      end: last.endPosition,
      before: before.replace(/^,\s*/, ""),
      instead: ""
    }
    found.push({ operator: "argument-dropped", node, after, shown: fromText(shown, last) })
  }
  return found
}

/** From the argument on, without the comma. */
const fromText = (shown: Shown, argument: SyntaxNode): Shown => ({ ...shown, start: argument.startPosition })

const removed = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const found: Array<Variant> = []
  const [awaited] = node.namedChildren
  if (node.type === syntax.awaiting && awaited !== undefined) {
    const shown = { start: node.startPosition, end: awaited.startPosition, before: "await", instead: "" }
    found.push({ operator: "await-removed", node, after: awaited.text, shown })
  }
  const token = node.children.find(({ type }) => type === syntax.optional)
  if (syntax.optional !== null && token !== undefined) {
    const whole = chainAround(node, syntax)
    const instead = node.type === syntax.member.type ? "." : ""
    const after = `${textBetween(whole, whole.startIndex, token.startIndex)}${instead}${textBetween(whole, token.endIndex, whole.endIndex)}`
    const shown = { start: token.startPosition, end: token.endPosition, before: token.text, instead }
    found.push({ operator: "optional-removed", node: whole, after, shown })
  }
  return found
}

/** The whole chain of accesses and calls that ends where the object is absent. */
const chainAround = (node: SyntaxNode, { call, member }: MutationSyntax): SyntaxNode => {
  let whole = node
  for (let parent = whole.parent; parent !== null; parent = whole.parent) {
    const inside =
      parent.childForFieldName(call.callee)?.id === whole.id || parent.childForFieldName(member.object)?.id === whole.id
    if (!inside) return whole
    whole = parent
  }
  return whole
}

const pattern = (node: SyntaxNode, syntax: MutationSyntax): ReadonlyArray<Variant> => {
  const found = syntax.pattern(node)
  if (found === null) return []
  return weakened(found.text).map(({ at, instead, length }): Variant => {
    const start = found.start - node.startIndex + at
    const after = `${node.text.slice(0, start)}${instead}${node.text.slice(start + length)}`
    return {
      operator: "pattern-weakened",
      node,
      after,
      shown: {
        start: { row: node.startPosition.row, column: node.startPosition.column + start },
        end: { row: node.startPosition.row, column: node.startPosition.column + start + length },
        before: node.text.slice(start, start + length),
        instead
      }
    }
  })
}

const dropped = (node: SyntaxNode, { cases }: MutationSyntax): ReadonlyArray<Variant> => {
  if (cases === null || node.type !== cases.type) return []
  const value = node.childForFieldName(cases.value)
  if (value === null) return []
  const shown = { start: node.startPosition, end: value.endPosition, before: `case ${value.text}`, instead: "" }
  return [{ operator: "case-dropped", node: value, after: cases.never, shown }]
}

/** The part of a node's text between two indices of the file. */
const textBetween = ({ startIndex, text }: SyntaxNode, from: number, to: number): string =>
  text.slice(from - startIndex, to - startIndex)
