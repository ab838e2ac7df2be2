/** The checks of the rules for Swift. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { type RuleFile, rangeOf } from "../../domain/finding/Rule.ts"
import {
  childOf,
  enclosing,
  fieldOf,
  hasComment,
  quotesIntoSql,
  rootOf,
  squeezed,
  textOf
} from "../../languages/tree.ts"
import { type NodeChecks, unlessExcused } from "../page/Checks.ts"
import { bracketed, indexPastEnd } from "../shared/bounds.ts"
import { lockNotReleased } from "../shared/locks.ts"
import { memoryChecks } from "./memory.ts"
import { calleeOf, functions, isExample, isForced, memberOf, modifiersOf, suffixOf } from "./swiftTree.ts"

/** Is it a variable that this file only declares with literals? */
function isWrittenHere(node: SyntaxNode, text: string): boolean {
  if (!/^[a-z]\w*$/.test(text)) return false
  return new RegExp(
    `\\b(let|var)\\s+${text}\\b[^={\\n]*(=\\s*"[^"\\\\\\n]*"\\s*$|\\{[^{}\\\\]*"[^"\\\\\\n]*"[^{}\\\\]*\\})`,
    "m"
  ).test(rootOf(node).text)
}

/** Is it the result of an encoder in the same function? Then it is valid text. */
function isEncodedHere(node: SyntaxNode, given: string): boolean {
  const name = /^data:\s*(\w+)\b/.exec(given)?.[1]
  const owner = enclosing(node, functions)
  return (
    name !== undefined && owner !== null && new RegExp(`\\b${name}\\s*=[^\\n]*[eE]ncode(r\\b|\\()`).test(owner.text)
  )
}

/** Is it a literal with only constants in it, a constant by its name, or the text of a URL? */
function isFixed(text: string): boolean {
  // Cases of enumerations, and numbers after a colon, are valid in any address.
  const filled = text
    .replace(/\\\((\w+\.)*[A-Z]\w*\.\w+\)|\\\((self\.)?rawValue\)/g, "")
    .replace(/:\\\((\w+\.)*(\w*P)?port(Number)?\)/gi, ":80")
  return (
    /^"[^"\\]*"$/.test(filled) ||
    /\.absoluteString$/.test(text) ||
    /^(\w+\.)*([A-Z]\w*)\.\w+$/.test(text) ||
    /^(Self|self)\.\w*(base|host|url)\w*$/i.test(text)
  )
}

const lifecycle =
  /^(viewDidLoad|viewWillAppear|viewDidAppear|viewWillDisappear|viewDidDisappear|awakeFromNib|prepareForReuse|layoutSubviews|updateConstraints)$/

/** Does the line or the one above have an exception for a linter? It is respected for these rules, too. */
const isExcused = ({ head }: RuleFile, line: number): boolean =>
  /swiftlint:disable/.test(`${head?.[line - 2] ?? ""}\n${head?.[line - 1] ?? ""}`)

const ownChecks: NodeChecks = {
  "forced-cast-of-data": (claim) => {
    const value = claim.childForFieldName("expr")
    if (value === null || !childOf(claim, "as_operator")?.text.startsWith("as!")) return false
    const { text } = value
    return (
      /\["[^"]+"\][!?]?$|userInfo[!?]?\[[^\]]+\][!?]?$/.test(text) ||
      /^(try[!?]?\s+)?\(?(try[!?]?\s+)?JSONSerialization\.jsonObject\(/.test(text) ||
      /\.(object|value)\(forKey:[^()]*\)[!?]?$|\.decodeObject\(forKey:[^()]*\)[!?]?$/.test(text)
    )
  },
  "forced-try": (claim, file) => {
    const value = claim.childForFieldName("expr")
    if (value === null || !/^try\s*!/.test(claim.text) || isExample(file.path)) return false
    // A linter is turned off here on purpose.
    if (/swiftlint:disable force_try\b/.test(rootOf(claim).text)) return false
    // Literal patterns and texts fail at the first run or never; folders of the system always exist.
    return !/^(NSRegularExpression|Regex|NSDataDetector)\(|Bundle\.(main|module)|^\w+\.makeRegex|^AttributedString\(\s*markdown:\s*"|^self\.init\(|^JSONSerialization\.data\(|^FileManager\.default\.url\(/.test(
      value.text
    )
  },
  "forced-unwrap-of-conversion": (claim, file) => {
    const call = fieldOf(claim, "target", "call_expression")
    if (call === null || !isForced(claim) || isExample(file.path)) return false
    if (/^\s*\/\/.*(valid|safe|never|always|guarantee|cannot)/i.test(file.head?.[rangeOf(claim).line - 2] ?? ""))
      return false
    // The initializer of a literal gets only text from the source.
    if (/\binit\(stringLiteral\b/.test(enclosing(call, ["init_declaration"])?.text ?? "")) return false
    const callee = calleeOf(call)
    const given = call.text.slice(call.text.indexOf("(") + 1, -1).trim()
    if (/^(URL|URLComponents)$/.test(callee)) {
      const text = /^string:\s*([\s\S]*)$/.exec(given)?.[1]
      return text !== undefined && !isFixed(text) && !isWrittenHere(claim, text)
    }
    if (/^(Int|Int32|Int64|UInt|Double|Float|Decimal)$/.test(callee))
      return /^(string:\s*)?[a-z]/.test(given) && !/^(exactly|truncating)/.test(given)
    if (callee !== "String" || !/^data:/.test(given) || !/encoding:/.test(given)) return false
    return !/encoder|encode\(/i.test(given) && !isEncodedHere(claim, given)
  },
  "empty-catch": (claim, file) => {
    if (hasComment(claim) || isExample(file.path)) return false
    const isNamed = claim.namedChildren.some((child) => child.type === "pattern")
    // A sleep fails only if it is cancelled.
    const attempt = childOf(claim.parent ?? claim, "statements")?.text.trim() ?? ""
    if (/^try\s+await\s+Task\.sleep\([^\n]*$/.test(attempt)) return false
    return !isNamed && /\{\s*\}$/.test(claim.text) && !claim.namedChildren.some((child) => child.type === "statements")
  },
  "main-queue-waits-for-itself": (claim) => {
    if (memberOf(claim) !== "DispatchQueue.main.sync") return false
    const owner = enclosing(claim, functions)
    if (owner === null || /isMainThread/.test(owner.text)) return false
    if (owner.type === "lambda_literal") {
      const call = enclosing(owner, ["call_expression"])
      return call !== null && /^DispatchQueue\.main\.async(After)?(\(.*\))?$/.test(calleeOf(call))
    }
    const name = textOf(owner, "name")
    return (
      /@MainActor|@IBAction/.test(modifiersOf(owner)) ||
      (/^(viewDidLoad|view(Will|Did)(Appear|Disappear)|layoutSubviews|viewDidLayoutSubviews)$/.test(name) &&
        /\boverride\b/.test(modifiersOf(owner)))
    )
  },
  "nan-comparison": (claim) =>
    (claim.type === "equality_expression" || /^[=!]=$/.test(textOf(claim, "op"))) &&
    ["lhs", "rhs"].some((side) => /^(Double|Float|CGFloat|Float\d+)?\.nan$/.test(textOf(claim, side))),
  "server-trust-not-evaluated": (claim, file) => {
    if (calleeOf(claim) !== "URLCredential" || !/\(\s*trust:/.test(claim.text)) return false
    // The user has listed the hosts.
    const condition = enclosing(claim, ["if_statement", "guard_statement"])?.text.split("{")[0] ?? ""
    if (/\bcontains\(/.test(condition)) return false
    return (
      !isExample(file.path) &&
      !/SecTrustEvaluate|SecTrustSetAnchor|\.evaluate\(|performDefaultEvaluation|[pP]inn(ed|ing)|\b[pP]ins?\b/.test(
        rootOf(claim).text
      )
    )
  },
  "sql-built-from-values": (claim) =>
    childOf(claim, "interpolated_expression") !== null &&
    quotesIntoSql(claim.text.replace(/^"+/, ""), /\\\((?![A-Z]\w*\.|\w*[eE]scape)/),
  "super-not-called": (claim, file) => {
    const name = claim.childForFieldName("name")
    const body = claim.childForFieldName("body")?.text
    if (name === null || body === undefined || !lifecycle.test(name.text) || isExample(file.path)) return false
    return (
      /\boverride\b/.test(modifiersOf(claim)) &&
      !new RegExp(`\\bsuper\\s*\\.\\s*${name.text}\\b`).test(body) &&
      !/fatalError|preconditionFailure/.test(body) &&
      rangeOf(name)
    )
  },
  "secret-in-user-defaults": (claim, file) => {
    const stores = /^(UserDefaults(\.\w+|\([^)]*\)!?)|defaults|userDefaults)\.set(Value)?$/
    if (isExample(file.path) || !stores.test(memberOf(claim))) return false
    const suffix = suffixOf(claim)
    const key = /forKey:\s*"([^"\\]+)"/.exec(suffix)?.[1] ?? ""
    const value = /^\(\s*([^,]*),/.exec(suffix)?.[1] ?? ""
    const names =
      /password|passwd|passphrase|(access|refresh|auth|bearer|session|id)_?token|(api|private|secret)_?key|client_?secret/i
    return (
      names.test(key) &&
      !/^(true|false|nil|Date\(\)|\d+)$/.test(value) &&
      !/(is|has|did|should|show|count|date|expir|enabled)/i.test(key)
    )
  }
}

export const nodeChecks: NodeChecks = {
  ...unlessExcused({ ...ownChecks, ...memoryChecks }, isExcused),
  "shell-command-built": (claim) => {
    const list = claim.endIndex - claim.startIndex < 500 ? squeezed(claim) : ""
    return /^\["-l?c","[^"]*\\\(/.test(list) || /^\["-l?c",(?:"[^"]*"\+)+\w/.test(list)
  },
  "index-past-end": indexPastEnd({
    loop: "for_statement",
    counted: (loop) => {
      const match = /^for\s+(\w+)\s+in\s+0\s*\.\.\.\s*([\w.]+)\.count\s*\{/.exec(loop.text)
      return match === null
        ? null
        : { index: match[1] ?? "", list: match[2] ?? "", body: loop.namedChildren.at(-1) ?? loop }
    },
    elements: ["call_expression"],
    element: bracketed,
    lengths: (list) => [`${list}.count`]
  }),
  "lock-not-released": lockNotReleased({
    functions: ["function_declaration", "init_declaration", "deinit_declaration", "lambda_literal", "computed_getter"],
    takes: /^([\w.]+)\.lock\(()\)$/,
    releases: (lock) => `${lock}.unlock()`
  })
}
