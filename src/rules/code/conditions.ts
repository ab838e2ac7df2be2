/** Conditions and branches that decide nothing, in the languages whose grammars name the parts of an `if` alike. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { before, firstLineOf, lineOf, parts, relatedPlace, rootOf, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { comparedText, sameCode } from "../shared/sameCode.ts"

const ifs = ["if_statement", "if_expression"]

interface Branch {
  /** Null for the last `else`. */
  readonly condition: SyntaxNode | null
  readonly body: SyntaxNode
}

const branch = (node: SyntaxNode): Branch | null => {
  const body = node.childForFieldName("consequence") ?? node.childForFieldName("body")
  return body === null ? null : { condition: node.childForFieldName("condition"), body }
}

/** An `if` with everything after its `else`, in order. */
const branchesOf = (statement: SyntaxNode): ReadonlyArray<Branch> => {
  const own = branch(statement)
  if (own === null) return []
  // Python has a clause for each branch, the other languages an `if` below the `else`.
  const clauses = statement.namedChildren.filter(({ type }) => type === "elif_clause" || type === "else_clause")
  if (clauses.some((clause) => clause.childForFieldName("body") !== null || clause.type === "elif_clause")) {
    return [own, ...clauses.flatMap((clause) => branch(clause) ?? [])]
  }
  const alternative = statement.childForFieldName("alternative")
  const following = alternative?.type === "else_clause" ? (parts(alternative)[0] ?? null) : alternative
  if (following === null) return [own]
  return ifs.includes(following.type) ? [own, ...branchesOf(following)] : [own, { condition: null, body: following }]
}

/** Is the `if` itself the `else` of another one? */
const isContinuation = ({ parent }: SyntaxNode): boolean =>
  parent !== null && (parent.type === "else_clause" || ifs.includes(parent.type))

const bare = (condition: SyntaxNode): SyntaxNode => {
  const [inner] = /^(parenthesized_expression|condition)$/.test(condition.type) ? parts(condition) : []
  return inner === undefined ? condition : bare(inner)
}

const operatorOf = (node: SyntaxNode): string => textOf(node, "operator")

/** The conditions that must all hold. */
const conjuncts = (condition: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const node = bare(condition)
  if (!/^(&&|and)$/.test(operatorOf(node))) return [node]
  return ["left", "right"].flatMap((side) => {
    const child = node.childForFieldName(side)
    return child === null ? [] : conjuncts(child)
  })
}

/** Sure to give the same answer twice: no calls but questions, nothing that is assigned, bound or awaited. */
const isQuestion = (condition: SyntaxNode): boolean => {
  const text = condition.text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
  const calls = [...text.matchAll(/([\w$]+)!?\s*\(/g)].map(([, name = ""]) => name)
  return (
    !/\+\+|--|:=|[^=!<>]=[^=>]|\bawait\b|\blet\b|\byield\b|<-|`/.test(text) &&
    calls.every((name) =>
      /^(is[A-Z_]\w*|has[A-Z_]\w*|startsWith|endsWith|equals|isinstance|len|and|or|not|in)$/.test(name)
    )
  )
}

const opposites: Readonly<Record<string, string>> = {
  "==": "!=",
  "===": "!==",
  is: "is not",
  "<": ">=",
  ">": "<="
}

const negations = new Map(
  Object.entries(opposites).flatMap(([one, other]) => [[one, other] as const, [other, one] as const])
)

/** The text of what the condition denies, or of the opposite comparison; null where there is none. */
const negated = (condition: SyntaxNode): string | null => {
  const node = bare(condition)
  if (/^(unary_expression|not_operator)$/.test(node.type) && /^(!|not\b)/.test(node.text)) {
    const denied = node.childForFieldName("argument") ?? node.childForFieldName("operand") ?? parts(node)[0]
    return denied == null ? null : comparedText(bare(denied))
  }
  const [left, operator, right, ...more] = node.children
  const opposite = operator === undefined ? undefined : negations.get(operator.text.replace(/\s+/g, " "))
  if (left === undefined || right === undefined || opposite === undefined || more.length > 0) return null
  return `${left.text}${opposite}${right.text}`.replace(/\s+/g, "")
}

/** Are both sure to have different values? */
const contradicts = (a: SyntaxNode, b: SyntaxNode): boolean => {
  const [first, second] = [comparedText(a), comparedText(b)]
  return (
    negated(a)?.replace(/\s+/g, "") === second.replace(/\s+/g, "") ||
    negated(b)?.replace(/\s+/g, "") === first.replace(/\s+/g, "")
  )
}

/** Names in a condition, the first of each path. */
const namesIn = (condition: SyntaxNode): ReadonlyArray<string> => [
  ...new Set([...condition.text.matchAll(/(?<![\w$.])[A-Za-z_$][\w$]*/g)].map(([name]) => name))
]

/** Is one of the names, or something below it, possibly given a new value in the code? Includes calls that get it. */
const mayChange = (code: string, condition: SyntaxNode, isShared: boolean): boolean => {
  // Tested again with the lock, or after other tasks ran.
  if (/synchronized|[Ll]ock\b|[Mm]utex|\bawait\b/.test(code)) return true
  const hasPath = isShared || /[\w)\]]\s*(\.|->|[[(])/.test(condition.text)
  // What is reached by a path may change in any call.
  if (hasPath && /[\w$)\]!]\(|<-|\bnew\b/.test(code)) return true
  return namesIn(condition).some((name) => {
    const word = RegExp.escape(name)
    return new RegExp(
      `(?<![\\w$.])${word}\\b[\\w$.\\[\\]]*\\s*(,[\\w\\s$.,*]+)?(:=|[-+*/%&|^<>?]*=(?!=)|\\+\\+|--)|(\\+\\+|--|&|&mut )\\s*${word}\\b|\\b(for|as|let|mut|var|del|global|nonlocal)\\b[^\\n;{]*\\b${word}\\b`
    ).test(code)
  })
}

const functions =
  /^(function_\w+|method_\w+|arrow_function|func_literal|lambda\w*|closure_expression|class_\w+|async_block|constructor_declaration)$/

const loops = /^(for|while|do|loop|enhanced_for)_(in_)?(statement|expression)$/

export const conditionChecks: NodeChecks = {
  "same-branches": (claim) => {
    if (/^(ternary|conditional)_expression$/.test(claim.type)) {
      const [yes, no] =
        claim.type === "conditional_expression"
          ? [parts(claim)[0], parts(claim)[2]]
          : [claim.childForFieldName("consequence"), claim.childForFieldName("alternative")]
      if (yes == null || no == null || /\/[/*]|#/.test(claim.text) || !sameCode(yes, no)) return false
      return { ...rangeOf(claim), description: `Both values are \`${short(yes)}\`.` }
    }
    const branches = isContinuation(claim) ? [] : branchesOf(claim)
    const [before, last] = branches.slice(-2)
    if (before?.condition == null || last === undefined || last.condition !== null) return false
    const [yes, no] = [before.body, last.body]
    // A comment in a branch shows that the two are separate on purpose.
    if (
      parts(yes).length === 0 ||
      [yes, no].some((body) => body.descendantsOfType(["comment", "line_comment", "block_comment"]).length > 0)
    )
      return false
    if (!sameCode(yes, no)) return false
    const { endColumn, endLine } = rangeOf(no)
    return {
      ...rangeOf(before.condition),
      endLine,
      endColumn,
      description: `Whether or not \`${short(bare(before.condition))}\` holds, the same code runs.`
    }
  },
  "condition-repeated": (claim, file) => {
    if (isContinuation(claim)) return false
    const known: Array<SyntaxNode> = []
    for (const { condition } of branchesOf(claim)) {
      if (condition === null || condition.parent?.childForFieldName("initializer") != null || !isQuestion(condition))
        continue
      const earlier = known.find((other) => sameCode(bare(other), bare(condition)))
      const place = rangeOf(condition)
      if (earlier !== undefined && (file.isAdded(place.line) || file.isAdded(lineOf(earlier)))) {
        return {
          ...place,
          description: `\`${short(bare(condition))}\` is tested on line ${lineOf(earlier)} already, so this branch never runs.`,
          related: [relatedPlace(earlier, "tested here")]
        }
      }
      known.push(condition)
    }
    return false
  },
  "condition-decided": (claim, file) => {
    const own = claim.childForFieldName("condition")
    if (own === null || claim.childForFieldName("initializer") !== null) return false
    const asked = conjuncts(own).filter(isQuestion)
    for (const { condition, holds, repeats } of asked.length === 0 ? [] : factsAt(claim)) {
      const from = condition.endIndex
      if (!file.isAdded(lineOf(own)) && !file.isAdded(lineOf(condition))) continue
      for (const each of asked) {
        const isSame = sameCode(each, condition)
        if (!isSame && !contradicts(each, condition)) continue
        const root = rootOf(claim)
        const between = root.text.slice(from, own.startIndex) + (repeats?.text ?? "")
        // In Java a plain name may be a field.
        if (mayChange(between, each, file.path.endsWith(".java"))) continue
        const [around, answer] = [lineOf(condition), isSame === holds ? "true" : "false"]
        const reason = holds
          ? `it is inside of \`${short(condition)}\` on line ${around}`
          : `line ${around} leaves where \`${short(condition)}\` holds`
        return {
          ...firstLineOf(claim),
          description: `\`${short(each)}\` is always ${answer} here: ${reason}.`,
          related: [relatedPlace(condition, holds ? "holds inside of this" : "leaves if this holds")]
        }
      }
    }
    return false
  }
}

interface Fact {
  readonly condition: SyntaxNode
  /** Is the condition true where the fact applies? */
  readonly holds: boolean
  /** The outermost loop between the two, whose end runs before its beginning. */
  readonly repeats: SyntaxNode | null
}

/** What is known where the statement begins, from the conditions around it and those before it that leave. */
function* factsAt(statement: SyntaxNode): Generator<Fact> {
  let inner = statement
  let repeats: SyntaxNode | null = null
  for (let at = statement.parent; at !== null && !functions.test(at.type); inner = at, at = at.parent) {
    if (loops.test(at.type)) repeats = at
    if (at.childForFieldName("initializer") !== null) continue
    const condition = ifs.includes(at.type) || at.type === "elif_clause" ? at.childForFieldName("condition") : null
    if (condition !== null && branch(at)?.body.id === inner.id) {
      for (const each of conjuncts(condition).filter(isQuestion)) yield { condition: each, holds: true, repeats }
    }
    if (!blocks.includes(at.type)) continue
    for (let other = before(inner); other !== null; other = before(other)) {
      const test = ifs.includes(other.type) ? other : parts(other).find(({ type }) => type === "if_expression")
      const left = test === undefined || !leaves(test) ? null : test.childForFieldName("condition")
      if (left !== null && isQuestion(left)) yield { condition: bare(left), holds: false, repeats }
    }
  }
}

const blocks = ["block", "statement_block", "statement_list", "module", "program"]

/** An `if` without `else` whose body ends by leaving. */
const leaves = (test: SyntaxNode): boolean => {
  if (test.childForFieldName("alternative") !== null || test.childForFieldName("initializer") !== null) return false
  const body = test.childForFieldName("consequence")
  const inner = body === null ? [] : parts(body)
  const statements = inner.length === 1 && inner[0]?.type === "statement_list" ? parts(inner[0]) : inner
  const last = (blocks.includes(body?.type ?? "") ? statements.at(-1) : body) ?? null
  return (
    last !== null &&
    /^(return|throw|raise|break|continue)_(statement|expression)$/.test(
      (last.type === "expression_statement" ? (parts(last)[0] ?? last) : last).type
    )
  )
}

const short = (node: SyntaxNode): string => {
  const text = node.text.replace(/\s+/g, " ")
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
