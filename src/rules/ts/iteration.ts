/** TypeScript and JavaScript: a collection that changes while it is iterated. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { firstLineOf, relatedPlace, squeezed, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { callbackOf, callOf } from "./scriptTree.ts"

/** Their iterators count positions, so the entry after a deleted one is skipped. Those of a Map or a Set do not. */
const counted = /(?:[hH]eaders|[sS]earchParams|[fF]ormData)$/

const deletesFrom = (body: SyntaxNode, collection: string): SyntaxNode | null =>
  body.descendantsOfType("call_expression").find((call) => {
    const { method, object } = callOf(call)
    return method === "delete" && object !== null && squeezed(object) === collection
  }) ?? null

export const iterationChecks: NodeChecks = {
  "changed-while-iterated": (claim) => {
    const [object, body] = claim.type === "for_in_statement" ? loopOf(claim) : callbackLoopOf(claim)
    const collection = object == null ? "" : squeezed(object)
    const deletion = body == null || !counted.test(collection) ? null : deletesFrom(body, collection)
    if (deletion === null) return false
    const related = object == null ? [] : [relatedPlace(object, "iterated here")]
    return { ...firstLineOf(deletion), description: `The loop iterates over \`${collection}\`.`, related }
  }
}

type Loop = readonly [SyntaxNode | null, SyntaxNode | null]

const loopOf = (loop: SyntaxNode): Loop => {
  const iterated = loop.childForFieldName("right")
  if (iterated === null || textOf(loop, "operator") !== "of") return [null, null]
  const body = loop.childForFieldName("body")
  if (iterated.type !== "call_expression") return [iterated, body]
  const { args, method, object } = callOf(iterated)
  return args.length === 0 && /^(keys|entries)$/.test(method ?? "") ? [object, body] : [null, null]
}

const callbackLoopOf = (call: SyntaxNode): Loop =>
  callOf(call).method === "forEach" ? [callOf(call).object, callbackOf(call)] : [null, null]
