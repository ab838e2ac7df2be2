/** TypeScript and JavaScript: promises and functions that are called later. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { type RuleFile, rangeOf } from "../../domain/finding/Rule.ts"
import {
  enclosing,
  firstLineOf,
  partIn,
  parts,
  partsOf,
  relatedPlace,
  rootOf,
  textOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { endlessRetry, leavesAtEnd, onlyLogs, statementsOf } from "../shared/retries.ts"
import { callbackOf, callOf, expressionOf, functions, identifiers, isAsync } from "./scriptTree.ts"

/** Libraries for streams and promises have methods with the names of array methods that do wait. */
const mayWait = /\b(stream|iter|async|p|bluebird|observable|query|page|cy)\w*\b|\$$|Promise/i

const awaits = (definition: SyntaxNode): boolean => /\bawait\b/.test(definition.text)

/** Is everything that is awaited in a try with a catch? Then no error is lost. */
const catchesAll = (definition: SyntaxNode): boolean => {
  const body = definition.childForFieldName("body")
  const [first, ...others] = body?.type === "statement_block" ? parts(body) : []
  if (first?.type !== "try_statement") return false
  const rest = /\bawait\b|\bthrow\b/
  const caught = first.childForFieldName("handler")
  return others.length === 0 || (caught !== null && ![caught, ...others].some(({ text }) => rest.test(text)))
}

/** The async function of this name in the module, if nothing else in the file has the name. */
const asyncFunction = (module: SyntaxNode, name: string, file: RuleFile): SyntaxNode | null => {
  if (!/^\w+$/.test(name)) return null
  // Search the lines first: this is faster than the tree, and most calls are not of such a function.
  const named = new RegExp(`\\b(function|const|let|var|class)\\s+${name}\\b|[({,]\\s*${name}\\s*[,)}:=]`)
  const asynchronous = new RegExp(`\\basync\\s+function\\s+${name}\\b|\\bconst\\s+${name}\\s*=\\s*async\\b`)
  const naming = (file.head ?? []).filter((line) => named.test(line))
  if (naming.length !== 1 || !asynchronous.test(naming[0] ?? "")) return null
  for (const child of parts(module)) {
    const statement = child.childForFieldName("declaration") ?? child
    if (statement.childForFieldName("name")?.text === name) return statement
    for (const declarator of statement.type === "lexical_declaration" ? parts(statement) : []) {
      if (declarator.childForFieldName("name")?.text === name) return declarator.childForFieldName("value")
    }
  }
  return null
}

/** Calls that store a function and call it after the loop. */
const callsLater =
  /^(?:window\.)?(?:setTimeout|setInterval|setImmediate|requestAnimationFrame|queueMicrotask|process\.nextTick)$|\.(?:then|addEventListener|on|once)$/

export const asyncChecks: NodeChecks = {
  "async-for-each": (claim) => {
    const callback = callOf(claim).method === "forEach" ? callbackOf(claim) : null
    const isDropped = callback !== null && isAsync(callback) && awaits(callback) && !catchesAll(callback)
    return isDropped && partIn(claim, claim.childForFieldName("function"))
  },
  "async-predicate": (claim) => {
    const { method, object } = callOf(claim)
    if (!/^(filter|some|every|find|findIndex|findLast|findLastIndex|sort)$/.test(method ?? "")) return false
    const callback = callbackOf(claim)
    const isPromise = callback !== null && isAsync(callback) && !mayWait.test(object?.text ?? "")
    return isPromise && partIn(claim, claim.childForFieldName("function"))
  },
  "await-array": (claim) => {
    const call = expressionOf(claim)
    if (call?.type !== "call_expression" || callOf(call).args.length !== 1) return false
    const { method, object } = callOf(call)
    const callback = /^(map|flatMap)$/.test(method ?? "") ? callbackOf(call) : null
    const isPromise = callback !== null && isAsync(callback) && !mayWait.test(object?.text ?? "")
    return isPromise && partIn(claim, claim.childForFieldName("function"))
  },
  "async-promise-executor": (claim) => {
    const executor = callOf(claim).called === "Promise" ? callbackOf(claim) : null
    if (executor === null || !isAsync(executor) || !awaits(executor) || catchesAll(executor)) return false
    return firstLineOf(claim)
  },
  "floating-promise": (claim, file) => {
    const call = expressionOf(claim)
    if (call?.type !== "call_expression" || !/^\w+$/.test(callOf(call).called)) return false
    const inside = enclosing(claim, functions, ["class_body"])
    if (inside === null || !isAsync(inside)) return false
    const defined = asyncFunction(rootOf(claim), callOf(call).called, file)
    return defined !== null && awaits(defined) && !catchesAll(defined)
  },
  "loop-closure": (claim) => {
    const head = /^for\s*(?:await\s*)?\(\s*var\s+(\w+)/.exec(claim.text)
    const body = claim.childForFieldName("body")
    const name = head?.[1]
    if (name === undefined || body === null) return false
    for (const call of within(
      body,
      ["call_expression"],
      ["function_declaration", "function_expression", "arrow_function"]
    )) {
      if (!callsLater.test(textOf(call, "function"))) continue
      const later = partsOf(call, "arguments").find(({ type }) => /^(arrow_function|function_expression)$/.test(type))
      if (later === undefined) continue
      const own = identifiers(later.childForFieldName("parameters") ?? later.childForFieldName("parameter"))
      const reads = identifiers(later.childForFieldName("body")).some(({ text }) => text === name)
      if (reads && !own.some(({ text }) => text === name))
        return {
          ...rangeOf(call),
          description: `The variable is \`${name}\`.`,
          related: [relatedPlace(claim, "one variable for all iterations")]
        }
    }
    return false
  },
  "endless-retry": endlessRetry((loop) => {
    const [attempt, ...others] = statementsOf(loop)
    if (!/^\(true\)$/.test(textOf(loop, "condition"))) return false
    if (attempt?.type !== "try_statement" || others.length > 0 || !leavesAtEnd(statementsOf(attempt))) return false
    const handler = attempt.childForFieldName("handler")
    return handler !== null && onlyLogs(statementsOf(handler))
  })
}
