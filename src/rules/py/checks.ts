/** The checks of the rules for Python. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import {
  childRange,
  enclosing,
  identifiers,
  isField,
  parts,
  relatedPlace,
  rootOf,
  squeezed,
  textOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { bracketed, fromText, indexPastEnd } from "../shared/bounds.ts"
import { resultIgnored } from "../shared/ignoredResults.ts"
import { lockNotReleased } from "../shared/locks.ts"
import { repeatedEntry } from "../shared/repeatedEntry.ts"
import { sameCode } from "../shared/sameCode.ts"
import { unreachableCode } from "../shared/unreachable.ts"
import { constantChecks } from "./constants.ts"
import { exceptionChecks } from "./exceptions.ts"
import { asyncDefs, boundIn, callOf, expressionOf, isAsync, plainString, scopes } from "./pythonTree.ts"
import { statementChecks } from "./statements.ts"
import { textChecks } from "./text.ts"

const adders = /^(append|extend|insert|add|update|setdefault)$/

/** Does the file add to an attribute of this name, by a method, a subscript or `+=`? */
const addedTo = (root: SyntaxNode, attribute: string): boolean =>
  new RegExp(
    `\\.${attribute}(\\.(append|extend|insert|add|update|setdefault)\\(|\\[[^\\]\\n]*\\]\\s*([-+|*/]?=)[^=]|\\s*[+|]=)`
  ).test(root.text)

/** Does the body add something to the object of the parameter, before the parameter is assigned? */
const leaks = (body: SyntaxNode, name: string): boolean => {
  const uses = body.descendantsOfType("identifier").filter((node) => node.text === name)
  for (const use of uses) {
    const { parent } = use
    if (parent === null) continue
    // The name is assigned: from here on it is another object.
    if (parent.type === "assignment" && isField(parent, "left", use)) return false
    if (parent.type === "augmented_assignment" && isField(parent, "left", use)) return true
    if (parent.type === "attribute" && isField(parent, "object", use)) {
      const isCall = parent.parent?.type === "call" && isField(parent.parent, "function", parent)
      if (isCall && adders.test(textOf(parent, "attribute"))) return true
    }
    if (parent.type === "subscript" && isField(parent, "value", use)) {
      const outer = parent.parent
      const isTarget = isField(outer, "left", parent)
      if (isTarget && /assignment$/.test(outer?.type ?? "")) return true
    }
    if (parent.type === "assignment" && isField(parent, "right", use)) {
      const kept = parent.childForFieldName("left")
      if (kept?.type === "attribute" && addedTo(rootOf(kept), textOf(kept, "attribute"))) return true
    }
  }
  return false
}

/** Is it an empty list, dict or set, or a call that creates one? */
const isMutable = (value: SyntaxNode): boolean => {
  if (value.type === "call") return /^(list|dict|set)\(\)$|^(collections\.)?defaultdict\(/.test(squeezed(value))
  // `state=[0]` is an idiom to keep a number between calls of a function.
  return value.type === "list" ? parts(value).length === 0 : /^(dictionary|set)$/.test(value.type)
}

const blocking = /^(time\.sleep|requests\.(get|post|put|patch|delete|head|request)|urllib\.request\.urlopen)$/

const functions = ["function_definition", "lambda"]

const loops = ["for_statement", "list_comprehension", "dictionary_comprehension"]

/** Does the function outlive the iteration that creates it: is it appended, stored under a key, collected? */
const keeps = (lambda: SyntaxNode): boolean => {
  const { parent } = lambda
  switch (parent?.type) {
    case "argument_list": {
      const call = parent.parent?.type === "call" ? callOf(parent.parent) : null
      return call?.method === "append" && call.args.length === 1
    }
    case "assignment":
      return parent.childForFieldName("left")?.type === "subscript"
    case "list_comprehension":
      return true
    case "pair":
      return parent.parent?.type === "dictionary_comprehension"
    default:
      return false
  }
}

/** The name of the collection that a loop iterates over, directly or by a view; null for a copy. */
const collectionOf = (iterated: SyntaxNode): string | null => {
  if (iterated.type === "identifier" || iterated.type === "attribute") return iterated.text
  if (iterated.type !== "call") return null
  const { method, object, args } = callOf(iterated)
  const isView = args.length === 0 && /^(keys|values|items)$/.test(method ?? "")
  return isView && /^(identifier|attribute)$/.test(object?.type ?? "") ? (object?.text ?? null) : null
}

/** Syntax of Python 2. */
const python2 =
  /\b(basestring|xrange|iteritems|itervalues|raw_input|urllib2|cPickle|string_escape)\b|\bunicode\(|^\s*print\s+["'%\w]|except [\w.]+, \w+:/m

/** `del xs[i]`, `xs.remove(x)` and similar. */
const removesFrom = (node: SyntaxNode, name: string): boolean => {
  if (node.type === "delete_statement") {
    return node.namedChildren.some(
      (target) => target.type === "subscript" && target.childForFieldName("value")?.text === name
    )
  }
  const called = node.childForFieldName("function")
  return (
    called?.childForFieldName("object")?.text === name &&
    /^(remove|pop|popitem|discard|clear)$/.test(textOf(called, "attribute"))
  )
}

const isLastOfBlock = (statement: SyntaxNode): boolean => {
  const { parent } = statement
  return parent !== null && parts(parent).at(-1)?.id === statement.id
}

/** Is the call expected to fail: in `with raises(...)`, or at the end of a `try`? */
const isInRaises = (statement: SyntaxNode): boolean => {
  const holder = statement.parent?.parent
  if (holder?.type === "try_statement") return isLastOfBlock(statement)
  return holder?.type === "with_statement" && /raises|suppress/.test(holder.text.slice(0, 100))
}

const isUnused = resultIgnored(
  "call",
  /^(?:sorted|reversed|enumerate|zip|len|sum|str|tuple|frozenset|filter|map)\((?!\*)|^[\w.[\]]+\.(?:strip|lstrip|rstrip|upper|lower|capitalize|casefold|startswith|endswith|removeprefix|removesuffix|zfill|ljust|rjust|splitlines)\([^()]*\)$|^[\w.]*(?:bytes|bytearray|separator|delimiter)\.join\(|^(?:f?["'].*["'])\.(?:format|join|replace|split)\(/
)

export const nodeChecks: NodeChecks = {
  ...constantChecks,
  ...exceptionChecks,
  ...statementChecks,
  ...textChecks,
  "mutable-default": (claim) => {
    const [name, value] = [claim.childForFieldName("name"), claim.childForFieldName("value")]
    const definition = claim.parent?.type === "parameters" ? claim.parent.parent : null
    const body = definition?.type === "function_definition" ? definition.childForFieldName("body") : null
    if (name === null || value === null || body === null || !isMutable(value)) return false
    // A cache in a default is shared on purpose.
    if (/cache|memo|registry|^_/i.test(name.text)) return false
    return leaks(body, name.text)
  },
  "is-literal": (claim) => {
    const { children } = claim
    return children.some(
      (child, at) =>
        /^is(\s+not)?$/.test(child.type) &&
        [children[at - 1], children[at + 1]].some((side) =>
          /^(string|integer|float|tuple|list|dictionary|concatenated_string)$/.test(side?.type ?? "")
        )
    )
  },
  "assert-tuple": (claim) => {
    const [tested] = parts(claim)
    return tested?.type === "tuple" && parts(tested).length > 0
  },
  "self-comparison": (claim) => {
    const [left, operator, right, ...more] = claim.children
    if (left === undefined || right === undefined || more.length > 0) return false
    if (!/^(==|[<>]=?|is)$/.test(operator?.type ?? "") || !/^(identifier|attribute|subscript)$/.test(left.type))
      return false
    // A call may return another value the second time.
    return sameCode(left, right) && !left.text.includes("(")
  },
  "duplicate-key": repeatedEntry((pair) => {
    const [key, value] = pair.type === "pair" ? [pair.childForFieldName("key"), pair.childForFieldName("value")] : []
    const literal = key == null || key.type === "integer" ? key?.text : plainString(key)
    if (key == null || value == null || literal == null) return null
    const claim = { ...rangeOf(pair), description: `The key is ${key.text}.` }
    return { name: `${key.type} ${literal}`, value: value.text, claim }
  }),
  "duplicate-definition": (claim, file) => {
    const children = parts(claim.childForFieldName("body") ?? claim)
    const seen = new Map<string, number>()
    for (const [at, child] of children.entries()) {
      const name = child.type === "function_definition" ? child.childForFieldName("name")?.text : undefined
      if (name === undefined || name === "_") continue
      const earlier = seen.get(name)
      seen.set(name, at)
      if (earlier === undefined) continue
      // Any mention between them, such as `f = cached(f)`, means that both are used.
      const between = children.slice(earlier + 1, at)
      if (between.some((other) => identifiers(other).some((word) => word.text === name))) continue
      const [first, second] = [children[earlier] ?? child, child].map((each) => childRange(each, "name"))
      const shown = second !== undefined && file.isAdded(second.line) ? second : first
      if (shown === undefined || !file.isAdded(shown.line)) continue
      const description = `\`${name}\` is defined on lines ${first?.line} and ${second?.line}.`
      const [other, message] = shown === first ? [second, "defined again"] : [first, "first defined here"]
      const label = shown === first ? { label: "replaced below" } : {}
      return { ...shown, ...label, description, related: other === undefined ? [] : [{ ...other, message }] }
    }
    return false
  },
  "unreachable-code": unreachableCode({
    leaves: /^(return|raise|continue|break)_statement$/,
    // A `yield` after a `raise` makes the function a generator.
    runs: ({ text }) => !/\byield\b/.test(text),
    isSkip: (leave, file) => file.isTest && /^raise\b.*Skip|^return$/.test(leave.text)
  }),
  "unawaited-coroutine": (claim) => {
    const call = expressionOf(claim)
    const inside =
      call?.type === "call" ? enclosing(claim, ["function_definition"], ["lambda", "class_definition"]) : null
    if (call === null || inside === null || !isAsync(inside)) return false
    const { called, method, object } = callOf(call)
    if (/^asyncio\.(sleep|wait|wait_for|to_thread)$/.test(called)) return true
    if (/^\w+$/.test(called)) return asyncDefs(rootOf(claim)).has(called) && !boundIn(inside).has(called)
    if (object?.text !== "self" || method === null) return false
    const body = enclosing(inside, ["class_definition"], ["function_definition"])?.childForFieldName("body")
    return body != null && asyncDefs(body).has(method)
  },
  "blocking-in-async": (claim) => {
    if (!blocking.test(callOf(claim).called)) return false
    const inside = enclosing(claim, scopes)
    return inside?.type === "function_definition" && isAsync(inside)
  },
  "useless-comparison": (claim) => {
    const comparison = expressionOf(claim)
    if (comparison?.type !== "comparison_operator" || !comparison.children.some(({ type }) => type === "=="))
      return false
    // At the end of a notebook cell or in a `with raises` block, the comparison is intended.
    return enclosing(claim, ["function_definition"]) !== null && enclosing(claim, ["with_statement"], scopes) === null
  },
  "loop-closure": (claim) => {
    const [body, loop] = [claim.childForFieldName("body"), keeps(claim) ? enclosing(claim, loops, functions) : null]
    const clause =
      loop?.type === "for_statement" ? loop : loop?.namedChildren.find(({ type }) => type === "for_in_clause")
    const own = identifiers(claim.childForFieldName("parameters")).map(({ text }) => text)
    const bound = new Map(identifiers(clause?.childForFieldName("left") ?? null).map((name) => [name.text, name]))
    const read = identifiers(body).find(
      (word) =>
        bound.has(word.text) &&
        !own.includes(word.text) &&
        !isField(word.parent, "attribute", word) &&
        !isField(word.parent, "name", word)
    )
    const variable = read === undefined ? undefined : bound.get(read.text)
    if (variable === undefined) return false
    return { ...rangeOf(claim), related: [relatedPlace(variable, "changes with each iteration")] }
  },
  "changed-while-iterated": (claim, file) => {
    const [iterated, body] = [claim.childForFieldName("right"), claim.childForFieldName("body")]
    const name = iterated === null ? null : collectionOf(iterated)
    if (name === null || body === null) return false
    if (within(body, ["assignment"], scopes).some((other) => other.childForFieldName("left")?.text === name))
      return false
    for (const node of within(body, ["call", "delete_statement"], scopes)) {
      if (!removesFrom(node, name)) continue
      // It is safe if the loop ends immediately after it.
      const block = enclosing(node, ["block"])
      if (block === null || parts(block).some(({ type }) => /^(break|return|raise)_statement$/.test(type))) continue
      // In Python 2 the views of a dictionary were copies.
      if (iterated?.type === "call" && python2.test(rootOf(claim).text)) return false
      const range = rangeOf(node)
      if (!file.isAdded(range.line)) continue
      const related = iterated === null ? [] : [relatedPlace(iterated, "iterated here")]
      return { ...range, description: `The loop iterates over \`${name}\`.`, related }
    }
    return false
  },
  "index-past-end": indexPastEnd({
    loop: "for_statement",
    counted: fromText(/^range\((?:0,)?len\((?<list>[\w.]+)\)\+1\)$/, "right", "left"),
    elements: ["subscript"],
    element: bracketed,
    lengths: (list) => [`len(${list})`]
  }),
  "lock-not-released": lockNotReleased({
    functions: ["function_definition", "lambda", "class_definition"],
    takes: /^([\w.]+)\.acquire\(()\)$/,
    releases: (lock) => `${lock}.release()`
  }),
  "result-ignored": (claim, file, captures) => isUnused(claim, file, captures) && !isInRaises(claim)
}
