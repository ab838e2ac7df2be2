/** Rust: locks and asynchronous code. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { after, enclosing, fieldOf, isComment, parts, rootOf, squeezed, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { callables, inTestCode } from "./rustTree.ts"

/** The async function or block that runs this node directly, not in a closure. */
const asyncOwner = (node: SyntaxNode): SyntaxNode | null => {
  const owner = enclosing(node, callables)
  if (owner === null) return null
  if (owner.type === "async_block") return owner
  const modifiers = owner.namedChildren.find((child) => child.type === "function_modifiers")
  const isAsync = /\basync\b/.test(modifiers?.text ?? "") || /^async\b/.test(owner.text)
  return isAsync ? owner : null
}

/** `x` of a call `x.name()` without arguments. */
const receiverOf = (call: SyntaxNode, name: string): SyntaxNode | null => {
  const target = call.childForFieldName("function")
  if (call.type !== "call_expression" || target?.type !== "field_expression") return null
  const list = call.childForFieldName("arguments")
  if (target.childForFieldName("field")?.text !== name || list === null || parts(list).length > 0) return null
  return target.childForFieldName("value")
}

/** The mutex of `m.lock().unwrap()`, `m.lock().expect("...")`, `m.lock()?` or `m.lock().await`; null for anything else. */
const lockedBy = (value: SyntaxNode): SyntaxNode | null => {
  const plain = receiverOf(value, "lock")
  if (plain !== null) return plain
  if (value.type === "await_expression" || value.type === "try_expression") {
    const inner = parts(value)[0]
    return inner === undefined ? null : lockedBy(inner)
  }
  const target = value.childForFieldName("function")
  if (value.type !== "call_expression" || target?.type !== "field_expression") return null
  const inner = target.childForFieldName("value")
  const name = target.childForFieldName("field")?.text
  return inner !== null && (name === "unwrap" || name === "expect") ? receiverOf(inner, "lock") : null
}

/** Do calls of `lock` on it exclude each other? Standard streams lock again for their own thread. */
const excludes = (mutex: SyntaxNode): boolean =>
  !/\(|\b_?(stdout|stderr|stdin|out|err|wtr|writer)\b/.test(mutex.text) && !/ReentrantMutex/.test(rootOf(mutex).text)

const locksIn = (node: SyntaxNode, mutex: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  within(node, ["call_expression"], ["closure_expression", "async_block"]).filter((call) => {
    const receiver = receiverOf(call, "lock")
    return receiver !== null && squeezed(receiver) === squeezed(mutex)
  })

const drops = (node: SyntaxNode, name: string): boolean =>
  node
    .descendantsOfType("call_expression")
    .some((call) => new RegExp(`^((std::)?mem::)?drop\\(\\s*${name}\\s*\\)$`).test(call.text))

export const concurrencyChecks: NodeChecks = {
  "guard-dropped-at-once": (claim) => {
    const value = claim.childForFieldName("value")
    if (value === null || !/^let\s+_\s*(:[^=]*)?=/.test(claim.text)) return false
    if (inTestCode(claim)) return false
    // The comment above says that the lock is only awaited.
    const above = claim.previousNamedSibling
    if (above !== null && isComment(above) && /lock|acquir|synchroni|wait/i.test(above.text)) return false
    if (lockedBy(value) !== null) return true
    const call = /\.(read|write)\(\)\s*(\.unwrap\(\)|\.expect\([^()]*\)|\.await)$/.test(value.text)
    return call || /^([\w.]*span|[\w:]*span!\([^()]*\))\.(enter|entered)\(\)$/.test(value.text)
  },
  "guard-held-across-await": (claim) => {
    const name = fieldOf(claim, "pattern", "identifier")?.text
    const value = fieldOf(claim, "value", "call_expression")
    if (name === undefined || value === null) return false
    if (!/\.lock\(\)\s*\.(unwrap|expect)\(/.test(value.text) || lockedBy(value) === null) return false
    if (asyncOwner(claim) === null) return false
    for (let at = after(claim); at !== null; at = after(at)) {
      if (drops(at, name)) return false
      const waits = at.type === "await_expression" || within(at, ["await_expression"], callables).length > 0
      // If the guard is passed on, for example to a condition variable, it may be released.
      if (new RegExp(`[(,]\\s*${name}\\s*[,)]`).test(at.text)) return false
      if (waits) return true
    }
    return false
  },
  "locked-twice": (claim) => {
    const test = claim.type === "match_expression" ? claim : fieldOf(claim, "condition", "let_condition")
    const head = test?.childForFieldName("value") ?? null
    const body = claim.childForFieldName(claim.type === "if_expression" ? "consequence" : "body")
    if (head === null || body === null || head.type === "block") return false
    const calls = [head, ...within(head, ["call_expression"], ["closure_expression", "async_block", "block"])]
    for (const call of calls) {
      const mutex = receiverOf(call, "lock")
      if (mutex === null || !excludes(mutex)) continue
      const again = locksIn(body, mutex)[0]
      // `match m.lock() { Ok(guard) => ..., Err(e) => ... }` and early copies hold the guard, too, up to a drop.
      if (again !== undefined && !/\bdrop\(/.test(body.text)) return rangeOf(again)
    }
    return false
  },
  "thread-sleep-in-async": (claim) => {
    if (!/^((::)?std::)?thread::sleep$/.test(textOf(claim, "function"))) return false
    return asyncOwner(claim) !== null && !inTestCode(claim)
  },
  "runtime-blocked-in-async": (claim) => {
    const called = fieldOf(claim, "function", "field_expression", "scoped_identifier")
    const name = called?.type === "field_expression" ? called.childForFieldName("field") : called
    if (!/^(block_on|reqwest::blocking::\w+(::\w+)?)$/.test(name?.text ?? "")) return false
    return asyncOwner(claim) !== null && !inTestCode(claim)
  }
}
