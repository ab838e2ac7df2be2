/** Go: goroutines, locks, contexts and deferred calls. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { argumentsOf, fieldOf, isField, partIn, parts, partsOf, rootOf, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { deferInLoop } from "./deferInLoop.ts"
import { functions, holderOf, memberOf, structOf } from "./goTree.ts"

const locks = ["Mutex", "RWMutex", "WaitGroup", "Once", "Cond"]

const holdsLock = (struct: SyntaxNode): string | null => {
  if (struct.type !== "struct_type") return null
  for (const field of struct.descendantsOfType("field_declaration")) {
    const type = field.childForFieldName("type")
    const embeddedPointer = field.childForFieldName("name") === null && field.text.startsWith("*")
    if (type?.type === "qualified_type" && !embeddedPointer && locks.some((lock) => type.text === `sync.${lock}`))
      return type.text
  }
  return null
}

/** Does a go statement call the function literal? */
function isStarted(literal: SyntaxNode): boolean {
  const call = literal.parent
  return call?.parent?.type === "go_statement" && isField(call, "function", literal)
}

function isParameters(owner: SyntaxNode, list: SyntaxNode): boolean {
  return isField(owner, "parameters", list)
}

export const concurrencyChecks: NodeChecks = {
  "defer-in-loop": deferInLoop,
  "wait-group-add-in-goroutine": (claim) => {
    const call = parts(claim)[0]
    const called = call?.type === "call_expression" ? fieldOf(call, "function", "selector_expression") : null
    if (call === undefined || called?.childForFieldName("field")?.text !== "Add") return false
    const group = called.childForFieldName("operand")
    const owner = holderOf(claim, "func_literal", "body")
    if (group === null || owner === null || !isStarted(owner)) return false
    if (!argumentsOf(call).some(({ type }) => type === "int_literal")) return false
    return within(owner, ["call_expression"], ["func_literal"]).some((call) => call.text === `${group.text}.Done()`)
  },
  "lock-copied-by-receiver": (claim) => {
    const method = claim.parent?.parent
    if (method?.type !== "method_declaration" || method.childForFieldName("receiver")?.id !== claim.parent?.id)
      return false
    const type = fieldOf(claim, "type", "type_identifier", "generic_type")
    const name = type?.type === "generic_type" ? type.childForFieldName("type")?.text : type?.text
    if (type === null || name === undefined) return false
    const struct = structOf(rootOf(type), name)
    const lock = struct === null ? null : holdsLock(struct)
    return lock !== null && { ...rangeOf(type), title: `Value receiver copies the ${lock} in ${name}` }
  },
  "lock-passed-by-value": (claim) => {
    if (!locks.some((lock) => claim.text === `sync.${lock}`) || claim.parent?.type !== "parameter_declaration")
      return false
    const list = claim.parent.parent
    const owner = list?.parent ?? null
    // Results in a signature and types of function values do not show that a copy is made.
    return list !== null && owner !== null && functions.includes(owner.type) && isParameters(owner, list)
  },
  "test-fatal-in-goroutine": (claim) => {
    const literal = fieldOf(parts(claim)[0] ?? claim, "function", "func_literal")
    const body = literal?.childForFieldName("body") ?? null
    if (body === null || /testing\./.test(textOf(literal, "parameters"))) return false
    const call = within(body, ["call_expression"], ["func_literal"]).find((one) =>
      /^((t|b|tb)\.(Fatalf?|FailNow|Skip(f|Now)?)|require\.\w+)$/.test(textOf(one, "function"))
    )
    if (call === undefined) return false
    const isRequire = call.text.startsWith("require.")
    return (!isRequire || /^\(\s*(t|b|tb)\b/.test(textOf(call, "arguments"))) && rangeOf(call)
  },
  "cancel-function-dropped": (claim) => {
    const names = partsOf(claim, "left")
    const isDropped = names.at(-1)?.text === "_" && names.slice(0, -1).some(({ type }) => type === "identifier")
    if (!isDropped) return false
    const isMade = partsOf(claim, "right").some((call) =>
      /^context\.With(Cancel|Timeout|Deadline)(Cause)?$/.test(memberOf(call))
    )
    return isMade && partIn(claim, names.at(-1))
  },
  "deferred-duration-measured-early": (claim) => {
    const values = parts(claim)[0]?.childForFieldName("arguments") ?? null
    const measured =
      values === null
        ? undefined
        : within(values, ["call_expression"], ["func_literal"]).find((call) => /^time\.Since\(/.test(call.text))
    return measured !== undefined && partIn(claim, measured)
  }
}
