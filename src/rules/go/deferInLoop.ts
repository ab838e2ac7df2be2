/** Go: a deferred release of what one iteration of a loop takes. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import {
  enclosing,
  identifiers,
  isField,
  lineOf,
  mentions,
  nameOf,
  parts,
  partsOf,
  relatedPlace,
  textOf
} from "../../languages/tree.ts"
import { bodyOf, functions, holderOf, memberOf } from "./goTree.ts"

export const deferInLoop: NodeCheck = (claim) => {
  const loop = holderOf(claim, "for_statement", "body")
  const body = claim.parent
  const call = releaseOf(claim)
  if (loop === null || body === null || call === null || alwaysLeaves(parts(body))) return false
  const owner = enclosing(loop, functions)
  // `main` ends with the program.
  if (owner === null || nameOf(owner) === "main") return false
  const until = owner.type === "func_literal" ? "the function" : `\`${nameOf(owner)}\``
  const line = lineOf(claim)
  const lock = /^(.+)\.R?Unlock$/.exec(textOf(call, "function"))?.[1]
  if (lock !== undefined) {
    const isTaken = parts(body).some(({ text }) => text === call.text.replace("Unlock()", "Lock()"))
    const isOwn = boundIn(loop).some((name) => mentions(call, name))
    return (
      isTaken &&
      !isOwn && {
        line,
        description: `The next iteration locks \`${lock}\` again, which stays locked until ${until} returns.`
      }
    )
  }
  const taken = parts(body).find((one) => takes(one, call))
  const [name] = taken === undefined ? [] : namesTaken(taken)
  if (taken === undefined || name === undefined || isShort(loop, owner) || isKept(name, body, claim)) return false
  const count = `\`${name}\` of line ${lineOf(taken)} is taken in each iteration`
  const related = [relatedPlace(taken, "taken in each iteration")]
  return { line, related, description: `${count}, and \`${call.text}\` runs only when ${until} returns.` }
}

/** The only call that is deferred, directly or in a function literal. */
const releaseOf = (statement: SyntaxNode): SyntaxNode | null => {
  const [call] = parts(statement)
  const literal = call?.childForFieldName("function")
  if (call?.type !== "call_expression" || literal?.type !== "func_literal") return call ?? null
  const block = literal.childForFieldName("body")
  const [only, ...others] = block === null ? [] : bodyOf(block)
  if (only === undefined || others.length > 0) return null
  const inner = only.type === "assignment_statement" ? partsOf(only, "right")[0] : parts(only)[0]
  return inner?.type === "call_expression" ? inner : null
}

const namesTaken = (statement: SyntaxNode): ReadonlyArray<string> =>
  partsOf(statement, "left")
    .map(({ text }) => text)
    .filter((name) => name !== "_" && name !== "err")

/** Does the statement open what the call closes, or start the timer that it stops? */
const takes = (statement: SyntaxNode, call: SyntaxNode): boolean => {
  const [made] = statement.type === "short_var_declaration" ? partsOf(statement, "right") : []
  if (made?.type !== "call_expression") return false
  const [name, cancel] = namesTaken(statement)
  const released = textOf(call, "function")
  if (/^context\.With(Timeout|Deadline)(Cause)?$/.test(memberOf(made))) return released === cancel
  return released === `${name}.Close` || released === `${name}.Body.Close` || released === `${name}.Stop`
}

/** Is the end of the list of statements not reached? */
const alwaysLeaves = (statements: ReadonlyArray<SyntaxNode>): boolean => {
  const last = statements.at(-1)
  if (last === undefined) return false
  if (/^(return|break|goto)_statement$/.test(last.type) || /^(panic|os\.Exit|log\.Fatal\w*)\(/.test(last.text))
    return true
  if (last.type === "if_statement") {
    const [consequence, alternative] = [last.childForFieldName("consequence"), last.childForFieldName("alternative")]
    if (consequence === null || alternative === null) return false
    const otherwise = alternative.type === "block" ? bodyOf(alternative) : [alternative]
    return alwaysLeaves(bodyOf(consequence)) && alwaysLeaves(otherwise)
  }
  const cases = parts(last).filter(({ type }) => /_case$/.test(type))
  const isWhole = last.type === "select_statement" || cases.some(({ type }) => type === "default_case")
  // A `break` leaves the switch, not the loop.
  return isWhole && cases.length > 0 && cases.every((one) => bodyOf(one).at(-1)?.type === "return_statement")
}

const boundIn = (loop: SyntaxNode): ReadonlyArray<string> =>
  [
    ...parts(loop)
      .filter(({ type }) => type.endsWith("_clause"))
      .flatMap((clause) => identifiers(clause.childForFieldName("left") ?? clause.childForFieldName("initializer"))),
    ...loop.descendantsOfType("short_var_declaration").flatMap((one) => partsOf(one, "left"))
  ].map(({ text }) => text)

/** Does the loop run over a list that the function writes out, or for a small number of times? */
const isShort = (loop: SyntaxNode, owner: SyntaxNode): boolean => {
  const clause = parts(loop).find(({ type }) => type.endsWith("_clause"))
  const list = clause?.childForFieldName("right")
  if (list == null) return /<=?\s*\d$/.test(textOf(clause, "condition"))
  if (list.type === "composite_literal") return true
  return owner.descendantsOfType(["short_var_declaration", "var_spec"]).some((one) => {
    const [name] = [...partsOf(one, "left"), ...parts(one).filter(({ type }) => type === "identifier")]
    const [value] = [...partsOf(one, "right"), ...partsOf(one, "value")]
    return name?.text === list.text && value?.type === "composite_literal" && partsOf(value, "body").length > 0
  })
}

/** Calls of these keep their argument, or start something that uses it later. */
const keeps =
  /(^|\.)(append|add|register|store|push|track|put|set|insert|attach|send|start|go|run|serve|watch|subscribe|listen|join|use)\w*$/i

/** The result of these uses the argument. */
const wraps = /(^|\.)(with|wrap|multi)\w*$|(new|open|command|reader|writer|conn|client|stream|decoder|scanner)\w*$/i

/** Is the value used after the iteration: stored, sent, returned, captured by a function, or used by something that is? */
const isKept = (name: string, body: SyntaxNode, release: SyntaxNode): boolean => {
  const names = [name]
  for (const each of names) {
    for (const word of identifiers(body)) {
      if (word.text !== each || isInside(word, release)) continue
      const end = destinationOf(word, body)
      if (end === "kept") return true
      if (end !== "used") names.push(...end.filter((other) => !names.includes(other)))
    }
  }
  return false
}

const isInside = (node: SyntaxNode, outer: SyntaxNode): boolean =>
  node.startIndex >= outer.startIndex && node.endIndex <= outer.endIndex

/** Where the value of the word goes; the names that are bound to it, if there are any. */
const destinationOf = (word: SyntaxNode, body: SyntaxNode): "kept" | "used" | ReadonlyArray<string> => {
  let isValue = true
  let end: "kept" | "used" | ReadonlyArray<string> = "used"
  for (
    let [at, above] = [word, word.parent];
    above !== null && at.id !== body.id;
    [at, above] = [above, above.parent]
  ) {
    if (/^(func_literal|go_statement)$/.test(above.type)) return "kept"
    if (!isValue) continue
    if (above.type === "call_expression" && isField(above, "function", at)) isValue = false
    else if (above.type === "call_expression") {
      const called = textOf(above, "function")
      if (keeps.test(called)) return "kept"
      isValue = wraps.test(called)
    } else if (/^(composite_literal|send_statement|return_statement)$/.test(above.type)) return "kept"
    else if (above.type === "assignment_statement" && isField(above, "right", at)) {
      if (partsOf(above, "left").some(({ text }) => text !== "_")) return "kept"
    } else if (above.type === "short_var_declaration" && isField(above, "right", at)) {
      end = namesTaken(above)
      isValue = false
    } else if (/^(binary_expression|block|statement_list)$/.test(above.type) || /_statement$/.test(above.type)) {
      isValue = false
    }
  }
  return end
}
