/** Code in a `try` that may fail without a report, in languages whose grammars have the same names for these statements. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { ancestors, enclosing, isComment, lineOf, parts, textOf } from "../../languages/tree.ts"

const functions = [
  "function_definition",
  "function_declaration",
  "function_expression",
  "arrow_function",
  "method_definition",
  "method_declaration",
  "lambda_expression"
]

/** Calls that release something, log or wait, statements that delete, and calls of what may be missing. */
const harmless =
  /^(?:(?:await|yield|void)\s+)?[\w.$?!()[\]'"]*?\b_?(?:close\w*|dispose\w*|destroy\w*|unlink\w*|rm|rmSync|rmdir\w*|cancel\w*|abort\w*|kill\w*|terminate\w*|stop\w*|end|release\w*|unlock\w*|disconnect\w*|detach\w*|shutdown\w*|clean_?[uU]p\w*|teardown\w*|free\w*|unref|flush\w*|quit|exit|wait|join|sleep|revoke\w*|unsubscribe\w*|unregister\w*|remove\w*Listener|log|debug|trace|info|warn|warning|error)\([^;{}]*\);?$|^del(?:ete)?\s|^[\w.$]+\?\.[\w.$?]*\([^;{}]*\);?$/

/** In characters: the time of the pattern grows with the square of the length. */
const longestHarmless = 500

const cleanUp = /^_*(?:del|finalize|close\w*|dispose\w*|destroy\w*|clean_?[uU]p\w*|shutdown\w*|teardown\w*|exit)_*$/

/**
 * Is a failure here without consequences, or handled by the code after the statement: it only releases, logs or asks for
 * something optional, or it ends with the value that the code after it replaces?
 */
export const mayFail = (attempt: SyntaxNode, most = Number.POSITIVE_INFINITY): boolean => {
  const statements = parts(attempt)
  const holder = attempt.parent
  const above = holder?.previousNamedSibling ?? null
  if (above !== null && holder !== null && isComment(above) && above.endPosition.row + 2 >= lineOf(holder)) return true
  // A comment about the only statement gives the reason.
  const [only, ...others] = statements
  if (others.length === 0 && [attempt, only].some((node) => node?.namedChildren.some(isComment))) return true
  if (statements.every(({ text }) => text.length <= longestHarmless && harmless.test(text))) return true
  // A failure while another one is handled, or while something is released.
  if (holder !== null && enclosing(holder, ["catch_clause", "except_clause"], functions) !== null) return true
  for (const owner of ancestors(attempt, functions)) if (cleanUp.test(textOf(owner, "name"))) return true
  return statements.length <= most && givesValue(statements.at(-1))
}

/** Does the statement return, or set a variable that had a value before? */
const givesValue = (statement: SyntaxNode | undefined): boolean => {
  if (statement === undefined) return false
  if (statement.type === "if_statement") {
    const branches = ["consequence", "alternative"].map((side) => statement.childForFieldName(side))
    return branches.every((branch) => branch === null || givesValue(lastOf(branch)))
  }
  const inner = statement.type === "try_statement" ? statement.childForFieldName("body") : null
  if (inner !== null) return givesValue(lastOf(inner))
  const set = statement.type === "expression_statement" ? statement.namedChildren[0] : undefined
  return statement.type === "return_statement" || /^assignment(_expression)?$/.test(set?.type ?? "")
}

/** The clause, with the first of the statements whose errors it ignores. */
export const ignoring = (clause: SyntaxNode, attempt: SyntaxNode | null) => {
  const [first] = attempt === null ? [] : parts(attempt)
  const tried = first?.text.split("\n", 1)[0]?.slice(0, longestQuote)
  const isMore = tried !== undefined && (tried !== first?.text || (attempt !== null && parts(attempt).length > 1))
  const description = `Errors of \`${tried}\`${isMore ? " and what follows it" : ""} go unnoticed.`
  return tried === undefined ? rangeOf(clause) : { ...rangeOf(clause), description }
}

const longestQuote = 80

const lastOf = (branch: SyntaxNode): SyntaxNode | undefined => {
  if (!/block$|^else_clause$/.test(branch.type)) return branch
  const last = parts(branch).at(-1)
  return last === undefined ? undefined : lastOf(last)
}
