/** The checks of the rules for Elixir. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { childOf, enclosing, fieldOf, hasComment, operatorOf, parts, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import {
  argumentsOf,
  clauses,
  definitionOf,
  following,
  inMacro,
  isDiscarded,
  isTask,
  nameOf,
  pipelineOf,
  writtenArguments
} from "./elixirTree.ts"
import { inputChecks } from "./input.ts"
import { processChecks } from "./processes.ts"

const pure: Readonly<Record<string, string>> = {
  Map: "put|put_new|delete|merge|update|update!|drop|take|replace",
  Keyword: "put|put_new|delete|merge|update|drop|take|replace",
  MapSet: "put|delete|union|intersection|difference",
  List: "delete|delete_at|insert_at|replace_at|flatten|duplicate",
  String: "replace|trim|trim_leading|trim_trailing|upcase|downcase|capitalize|reverse|slice|split|pad_leading",
  Enum: "sort|sort_by|reverse|uniq|uniq_by|concat|take|drop|dedup|join|intersperse"
}

const pureCall = new RegExp(
  `^(${Object.entries(pure)
    .map(([module, names]) => `${module}\\.(${names})`)
    .join("|")})$`
)

const connCall =
  /^((Plug|Phoenix)\.[\w.]+\.)?(assign|assign_new|put_flash|put_status|put_session|delete_session|put_resp_header|put_resp_content_type|put_resp_cookie|put_layout|stream_insert|push_event)$/

function endsOfBlock(call: SyntaxNode): ReadonlyArray<SyntaxNode> {
  const block = childOf(call, "do_block")
  if (block === null) return []
  const inner = parts(block)
  const other = inner.find((child) => child.type === "else_block")
  return [inner.filter((child) => !clauses.includes(child.type)).at(-1), other && parts(other).at(-1)].flatMap((one) =>
    one === undefined ? [] : [one]
  )
}

function endsOfFunction(call: SyntaxNode): ReadonlyArray<SyntaxNode> {
  const given = argumentsOf(call).at(-1)
  if (given?.type !== "anonymous_function") return []
  return parts(given).flatMap((clause) => {
    const body = clause.childForFieldName("right")
    const last = body === null ? undefined : parts(body).at(-1)
    return last === undefined ? [] : [last]
  })
}

export const nodeChecks: NodeChecks = {
  ...inputChecks,
  ...processChecks,
  "result-discarded": (claim) => {
    const name = nameOf(claim)
    if (!(pureCall.test(name) || connCall.test(name)) || childOf(claim, "arguments") === null) return false
    const whole = pipelineOf(claim)
    if (!isDiscarded(whole) || inMacro(claim)) return false
    if (pureCall.test(name)) return true
    const first = /^(conn|socket)\b(?![.[(])/.exec(
      whole.text.startsWith(name) ? (argumentsOf(claim)[0]?.text ?? "") : whole.text
    )
    return first !== null
  },
  "binding-lost-in-block": (claim) => {
    const name = nameOf(claim)
    if (!/^(if|unless|for|Enum\.each)$/.test(name)) return false
    const later = following(pipelineOf(claim))
    if (later === null || later.length === 0 || inMacro(claim)) return false
    for (const last of name === "Enum.each" ? endsOfFunction(claim) : endsOfBlock(claim)) {
      const left = last.type === "binary_operator" && operatorOf(last) === "=" ? last.childForFieldName("left") : null
      if (left?.type !== "identifier" || left.text.startsWith("_")) continue
      const used = later.some((one) =>
        [one, ...one.descendantsOfType("identifier")].some(
          (word) => word.type === "identifier" && word.text === left.text
        )
      )
      if (used) return rangeOf(last)
    }
    return false
  },
  "stacktrace-lost": (claim) => {
    const [error, ...others] = nameOf(claim) === "raise" ? writtenArguments(claim) : []
    if (error?.type !== "identifier" || others.length > 0) return false
    const clause = claim.parent?.type === "body" ? claim.parent.parent : null
    if (clause?.type !== "stab_clause" || clause.parent?.type !== "rescue_block") return false
    return new RegExp(`^${error.text}\\b`).test(textOf(clause, "left"))
  },
  "rescue-reports-success": (claim, file) => {
    const around = claim.parent
    if (around?.type !== "rescue_block" || parts(around).length > 1 || hasComment(around)) return false
    const head = fieldOf(claim, "left", "arguments")
    const [rescued, ...others] = head === null ? [] : parts(head)
    if (rescued?.type !== "identifier" || !rescued.text.startsWith("_") || others.length > 0) return false
    const body = fieldOf(claim, "right", "body")
    const block = around.parent
    if (body === null || hasComment(body) || block === null || isTask(file.path)) return false
    // A single call in the block is a common way to test something; its failures are of one kind.
    const tried = parts(block).filter((child) => !clauses.includes(child.type))
    return tried.length > 1 && /^(:ok|\{:ok, (nil|:\w+|\[\]|%\{\})\})$/.test(body.text.trim())
  },
  "query-in-loop": (claim, file) => {
    if (!/(^|\.)Repo\.(get|get_by|one|all|preload|exists\?)!?$/.test(nameOf(claim)) || isTask(file.path)) return false
    if (inMacro(claim) || definitionOf(claim) === null) return false
    const literal = enclosing(claim, ["anonymous_function"])
    const call = literal === null ? null : enclosing(literal, ["call"])
    const loop = /^Enum\.(map|each|flat_map|filter|reject|reduce|map_reduce|any\?|all\?|find|group_by|sort_by)$/
    if (literal !== null && call !== null && loop.test(nameOf(call)) && /\bfn\b/.test(literal.text)) {
      const source = argumentsOf(call)[0]
      return source !== undefined && !["list", "sigil"].includes(source.type)
    }
    return false
  }
}
