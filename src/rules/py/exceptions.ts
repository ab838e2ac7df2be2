/** Python: exceptions that are lost or ignored, and objects that are not exceptions. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, firstLineOf, hasComment, parts, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { ignoring, mayFail } from "../shared/attempts.ts"
import { endlessRetry, leavesAtEnd, onlyLogs, statementsOf } from "../shared/retries.ts"
import { callOf, expressionOf, scopes } from "./pythonTree.ts"

/** Does the clause contain only `pass`, `...` or `continue`, without a comment? */
const doesNothing = (clause: SyntaxNode): boolean => {
  const block = clause.namedChildren.find((child) => child.type === "block")
  if (block === undefined || hasComment(block) || hasComment(clause)) return false
  return parts(block).every(({ type, text }) => type === "pass_statement" || text === "...")
}

const exceptions = new Set(
  "Exception BaseException ValueError TypeError KeyError IndexError RuntimeError NotImplementedError AttributeError OSError IOError LookupError PermissionError FileNotFoundError TimeoutError ConnectionError ArithmeticError ZeroDivisionError AssertionError StopIteration".split(
    " "
  )
)

export const exceptionChecks: NodeChecks = {
  "bare-except": (claim) => {
    if (parts(claim).length !== 1) return false
    // An import of an optional module may fail for any reason.
    const attempt = claim.parent?.childForFieldName("body")
    if (attempt != null && parts(attempt).every(({ type }) => type.startsWith("import"))) return false
    if (/\b__import__\(|\bimport_module\(/.test(attempt?.text ?? "")) return false
    if (attempt != null && mayFail(attempt, 0)) return false
    // The exception is raised again, reported, or ends the process.
    if (/\b(raise|_exit|sys\.exit|exc_info|format_exc|print_exc|exception|Failure)\b/.test(claim.text)) return false
    return firstLineOf(claim)
  },
  "exception-swallowed": (claim) => {
    const [first] = parts(claim)
    const kind = first?.type === "as_pattern" ? parts(first)[0] : first
    if (kind?.type !== "identifier" || !/^(Base)?Exception$/.test(kind.text) || !doesNothing(claim)) return false
    // With an `else`, the code after the statement handles the failure.
    const attempt = claim.parent?.childForFieldName("body") ?? null
    if ((claim.parent?.namedChildren ?? []).some(({ type }) => type === "else_clause")) return false
    return !(attempt !== null && mayFail(attempt, 3)) && ignoring(claim, attempt)
  },
  "raise-not-implemented": (claim) => {
    const [raised] = parts(claim)
    const name = raised?.type === "call" ? callOf(raised).called : raised?.type === "identifier" ? raised.text : ""
    return name === "NotImplemented"
  },
  "except-or": ({ parent }) =>
    parent?.type === "except_clause" || (parent?.type === "as_pattern" && parent.parent?.type === "except_clause"),
  "return-in-finally": (claim) => enclosing(claim, ["finally_clause"], scopes) !== null,
  "exception-not-raised": (claim) => {
    const made = expressionOf(claim)
    return made?.type === "call" && exceptions.has(callOf(made).called)
  },
  "endless-retry": endlessRetry((loop) => {
    const [attempt, ...others] = statementsOf(loop)
    if (!/^(True|1)$/.test(textOf(loop, "condition"))) return false
    if (attempt?.type !== "try_statement" || others.length > 0 || !leavesAtEnd(statementsOf(attempt))) return false
    const excepts = within(attempt, ["except_clause"], ["function_definition"])
    const isBroad = excepts.some((each) =>
      /^except(?:\s+(?:Exception|OSError|ConnectionError|[\w.]*(?:RequestException|HTTPError|URLError)))?(?:\s+as\s+\w+)?\s*:/.test(
        each.text
      )
    )
    return isBroad && excepts.every((each) => onlyLogs(parts(parts(each).at(-1) ?? each)))
  })
}
