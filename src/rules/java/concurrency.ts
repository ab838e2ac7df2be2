/** Java: threads, locks and interruption. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import {
  argumentsOf,
  childOf,
  enclosing,
  fieldOf,
  firstLineOf,
  hasComment,
  lineOf,
  nameOf,
  parts,
  relatedPlace,
  rootOf,
  squeezed,
  textOf
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { lockNotReleased } from "../shared/locks.ts"
import { catchOf, classes, declaredType, lockOf, methods, typeWithin } from "./javaTree.ts"

const isLoop = ["while_statement", "do_statement", "for_statement", "enhanced_for_statement"]

/** `x` of `if (x == null)` and of `if (x != null)` */
function comparedWithNull(test: SyntaxNode): SyntaxNode | null {
  const head = fieldOf(test, "condition", "parenthesized_expression")
  const comparison = head === null ? null : childOf(head, "binary_expression")
  if (comparison === null || fieldOf(comparison, "right", "null_literal") === null) return null
  return comparison.childForFieldName("left")
}

/** The `if` statements of a synchronized block that the `if` statement guards. */
function testsUnderLock(test: SyntaxNode): ReadonlyArray<SyntaxNode> {
  const block = fieldOf(test, "consequence", "block")
  return (block === null ? [] : parts(block))
    .flatMap((one) => (one.type === "synchronized_statement" ? (one.childForFieldName("body") ?? []) : []))
    .flatMap((body) => parts(body).filter(({ type }) => type === "if_statement"))
}

export const concurrencyChecks: NodeChecks = {
  "interrupt-swallowed": (claim) => {
    const clause = catchOf(claim)
    if (clause === null || !/^(\w+\.)*InterruptedException$/.test(clause.type)) return false
    const { name, body } = clause
    if (
      /\binterrupt\s*\(|interrupted\s*=|\bthrow\b|\breturn\b|\bbreak\b|System\.exit|cancel|stop|running/i.test(
        body.text
      )
    )
      return false
    if (/^(ignore|expect|unused)/i.test(name) || hasComment(body)) return false
    const owner = enclosing(claim, ["method_declaration"])
    // The main method of a program has no caller to notify.
    return owner?.childForFieldName("name")?.text !== "main" && firstLineOf(claim)
  },
  "thread-run-called": (claim) => {
    const object = nameOf(claim) === "run" ? claim.childForFieldName("object") : null
    if (object === null || argumentsOf(claim).length > 0) return false
    if (object.type === "object_creation_expression") return object.childForFieldName("type")?.text === "Thread"
    return declaredType(object) === "Thread"
  },
  "shared-date-format": (claim) => {
    if (!/^(Simple)?DateFormat$/.test(textOf(claim, "type"))) return false
    if (!/SimpleDateFormat/.test(claim.text) || !/\bstatic\b/.test(childOf(claim, "modifiers")?.text ?? ""))
      return false
    const { text } = rootOf(claim)
    // Used under a lock, cloned for each use, or by one thread only, as a comment says.
    const isGuarded = (name: string) =>
      new RegExp(`synchronized\\s*\\(|\\b${name}\\.clone\\(|(?:/\\*|\\*|//).*\\bsingle[- ]thread`, "i").test(text)
    return claim.namedChildren.some((one) => one.type === "variable_declarator" && !isGuarded(nameOf(one)))
  },
  "inner-object-locked": (claim) => {
    const body = enclosing(claim, ["class_body"])
    if (body === null || lockOf(claim)?.text !== "this") return false
    // A class with synchronized methods uses its own lock.
    if (parts(body).some((each) => /\bsynchronized\b/.test(childOf(each, "modifiers")?.text ?? ""))) return false
    const locks = body
      .descendantsOfType("synchronized_statement")
      .filter((each) => enclosing(each, ["class_body"])?.id === body.id)
      .map((each) => ({ lock: lockOf(each)?.text ?? "", line: lineOf(each), node: each }))
    const own = body.parent === null ? "" : nameOf(body.parent)
    const outer = locks.filter(({ lock }) => /^\w+\.this$/.test(lock) && lock !== `${own}.this`)
    const [first, second] = outer
    if (first === undefined || second === undefined || locks.filter(({ lock }) => lock === "this").length > 1)
      return false
    return {
      ...rangeOf(claim),
      description: `\`this\` is the object of the inner class; lines ${first.line} and ${second.line} lock \`${first.lock}\`.`,
      related: [first, second].map(({ lock, node }) => relatedPlace(node, `locks \`${lock}\``))
    }
  },
  "lock-without-effect": (claim) => {
    const lock = lockOf(claim)
    if (lock === null) return false
    if (["string_literal", "object_creation_expression", "true", "false"].includes(lock.type)) return rangeOf(lock)
    return /^(Integer|Long|Boolean|String|Double)$/.test(declaredType(lock) ?? "") && rangeOf(lock)
  },
  "wait-outside-loop": (claim) => {
    const call = childOf(claim, "method_invocation")
    if (call === null || nameOf(call) !== "wait" || argumentsOf(call).length > 0) return false
    // Without a surrounding synchronized, it is another method.
    const locked =
      enclosing(claim, ["synchronized_statement"]) !== null ||
      /\bsynchronized\b/.test(enclosing(claim, ["method_declaration"])?.text.split("{")[0] ?? "")
    return locked && enclosing(claim, isLoop, methods) === null
  },
  "double-checked-without-volatile": (claim) => {
    const field = comparedWithNull(claim)
    const tests = field === null ? [] : testsUnderLock(claim)
    if (field === null || tests.length === 0) return false
    const name = field.text.slice(field.text.lastIndexOf(".") + 1)
    const isFilled = tests.some((test) => {
      const again = comparedWithNull(test)
      if (again === null || squeezed(again) !== squeezed(field)) return false
      return new RegExp(`\\b${name}\\s*=[^=]`).test(textOf(test, "consequence"))
    })
    if (!isFilled) return false
    const owner = enclosing(claim, classes)
    const declared = (owner?.descendantsOfType("field_declaration") ?? []).find((one) =>
      one.namedChildren.some((child) => child.childForFieldName("name")?.text === name)
    )
    const method = enclosing(claim, ["method_declaration"])
    if (declared === undefined || (method !== null && typeWithin(method, name) !== null)) return false
    const type = declared.childForFieldName("type")?.type ?? ""
    return (
      !/\bvolatile\b/.test(declared.text.split("=")[0] ?? "") &&
      type !== "integral_type" &&
      type !== "boolean_type" &&
      firstLineOf(claim)
    )
  },
  "lock-not-released": lockNotReleased({
    functions: ["method_declaration", "constructor_declaration", "lambda_expression", "class_body"],
    takes: /^([\w.()]+)\.(?:lock|lockInterruptibly)\(()\)$/,
    releases: (lock) => `${lock}.unlock()`
  })
}
