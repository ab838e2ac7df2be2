/** How many values a Python function returns, and how many a caller takes. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, marked, parts } from "../tree.ts"

const functions = ["function_definition", "lambda"]

/** Expressions with one value that cannot be unpacked or awaited. */
const single = /^(?:integer|float|true|false|comparison_operator|not_operator|dictionary)$/

/** The number of values in every `return`; undefined if they differ or one is not plain. */
export const resultCount = (node: SyntaxNode): number | undefined => {
  const body = node.childForFieldName("body")
  if (body === null) return undefined
  const isOwn = (each: SyntaxNode) => enclosing(each, functions)?.id === node.id
  if (marked(body, ["yield"], /\byield\b/g).some(isOwn)) return undefined
  const returns = marked(body, ["return_statement"], /\breturn\b/g).filter(isOwn)
  // A body without statements belongs to a protocol or an abstract class.
  if (returns.length === 0) return isStub(body) ? undefined : 0
  const [count, ...others] = returns.map((each) => valueCount(parts(each)[0] ?? null))
  return others.every((other) => other === count) ? count : undefined
}

const isStub = (body: SyntaxNode): boolean =>
  parts(body).every(
    ({ namedChildren: [only], type }) =>
      /^(?:pass|raise)_statement$/.test(type) ||
      (type === "expression_statement" && /^(?:string|ellipsis)$/.test(only?.type ?? ""))
  )

const valueCount = (value: SyntaxNode | null): number | undefined => {
  if (value === null || value.type === "none") return 0
  if (single.test(value.type)) return 1
  if (!/^(?:expression_list|tuple|list)$/.test(value.type)) return undefined
  return plainCount(value)
}

const plainCount = (list: SyntaxNode): number | undefined => {
  const all = parts(list)
  return all.length === 0 || all.some(({ type }) => /splat/.test(type)) ? undefined : all.length
}

/** The number of names that the result of a call, or of awaiting it, is unpacked into. */
export const takenCount = (call: SyntaxNode): number | undefined => {
  const value = call.parent?.type === "await" ? call.parent : call
  const holder = value.parent
  const left = holder?.type === "assignment" ? holder.childForFieldName("left") : null
  return left !== null && /^(?:pattern_list|tuple_pattern|list_pattern)$/.test(left.type) ? plainCount(left) : undefined
}
