/** Python: exceptions that are lost, swallowed or not exceptions. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, firstLineOf, hasComment, parts, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { endlessRetry, leavesAtEnd, onlyLogs, statementsOf } from "../shared/retries.ts"
import { callOf, expressionOf, scopes } from "./pythonTree.ts"

/** Only `pass`, `...` or `continue`, and no comment that would say why. */
const doesNothing = (clause: SyntaxNode): boolean => {
  const block = clause.namedChildren.find((child) => child.type === "block")
  if (block === undefined || hasComment(block) || hasComment(clause)) return false
  return parts(block).every(({ type, text }) => type === "pass_statement" || text === "...")
}

/** Nothing but calls that end something. */
const onlyCloses = (block: SyntaxNode): boolean =>
  parts(block).every((statement) =>
    /^[\w.[\]"']*\b(close|shutdown|disconnect|unlink|cancel|terminate|kill|stop|wait)\w*\(/.test(statement.text)
  )

const exceptions = new Set(
  "Exception BaseException ValueError TypeError KeyError IndexError RuntimeError NotImplementedError AttributeError OSError IOError LookupError PermissionError FileNotFoundError TimeoutError ConnectionError ArithmeticError ZeroDivisionError AssertionError StopIteration".split(
    " "
  )
)

export const exceptionChecks: NodeChecks = {
  "bare-except": (claim) => {
    if (parts(claim).length !== 1) return false
    // Whatever keeps an optional module from being imported, the program goes on without it.
    const attempt = claim.parent?.childForFieldName("body")
    if (attempt != null && parts(attempt).every(({ type }) => type.startsWith("import"))) return false
    if (/\b__import__\(|\bimport_module\(/.test(attempt?.text ?? "")) return false
    // Raising again, ending the process or reporting lets it be seen.
    if (/\b(raise|_exit|sys\.exit|exc_info|format_exc|print_exc|exception)\b/.test(claim.text)) return false
    return firstLineOf(claim)
  },
  "exception-swallowed": (claim) => {
    const [first] = parts(claim)
    const kind = first?.type === "as_pattern" ? parts(first)[0] : first
    if (kind?.type !== "identifier" || !/^(Base)?Exception$/.test(kind.text) || !doesNothing(claim)) return false
    // With an `else`, what follows the statement is how the failure is dealt with; closing may fail in peace.
    const attempt = claim.parent?.childForFieldName("body")
    const whole = claim.parent?.namedChildren ?? []
    return !whole.some(({ type }) => type === "else_clause") && (attempt == null || !onlyCloses(attempt))
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
