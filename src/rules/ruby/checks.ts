/** The checks of the rules for Ruby and Rails. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import {
  argumentsOf,
  childOf,
  enclosing,
  fieldOf,
  hasComment,
  isField,
  parts,
  partsOf,
  quotesIntoSql,
  textOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { repeatedEntry } from "../shared/repeatedEntry.ts"

/** The name of the called method; "" if there is none. */
const methodOf = (call: SyntaxNode): string => fieldOf(call, "method", "identifier")?.text ?? ""

/** The first argument of the call, if it is an interpolated text. */
const filledText = (call: SyntaxNode): SyntaxNode | null => {
  const [first] = argumentsOf(call)
  return first?.type === "string" && childOf(first, "interpolation") !== null ? first : null
}

/** Does the value come directly from the request? */
const fromRequest = (node: SyntaxNode): boolean =>
  /^(params|cookies|request\.(params|query_parameters|referer|headers|body)|JSON\.parse\(params)\b/.test(node.text)

const holesOf = (node: SyntaxNode): ReadonlyArray<string> =>
  within(node, ["interpolation"]).map((hole) => hole.text.slice(2, -1).trim())

/** Can the value not contain a quote, a space or a semicolon, like a number, a constant or an escaped text? */
const isHarmless = (hole: string): boolean =>
  /^(\w+::)*[A-Z][A-Z0-9_]*$|^\d+$|^(Process\.pid|__dir__|Dir\.pwd|Rails\.root)/.test(hole) ||
  /\.(to_i|to_f|size|count|length|pid|port|shellescape)$|escape|quote|sanitize|\.class\.name|date|time|period|interval|_at$|\.ago$|table_name|column|Integer\(|arel/i.test(
    hole
  )

/** Does the value come from outside of the method: from the request, or from a parameter? */
const comesFromCaller = (hole: string, at: SyntaxNode): boolean => {
  if (/^(params|cookies|request)\b/.test(hole)) return true
  const root = /^[a-z_]\w*/.exec(hole)?.[0]
  const parameters = enclosing(at, ["method", "singleton_method"])?.childForFieldName("parameters") ?? null
  return (
    root !== undefined && parameters !== null && within(parameters, ["identifier"]).some((one) => one.text === root)
  )
}

/** The command line that a call passes to a shell, if it is an interpolated text. */
function shellLine(call: SyntaxNode): SyntaxNode | null {
  const name = methodOf(call)
  if (!/^(system|exec|spawn|capture2e?|capture3|popen2e?|popen3|pipeline|popen)$/.test(name)) return null
  const receiver = textOf(call, "receiver")
  const runs =
    receiver === "" || receiver === "Kernel" || receiver === "Process"
      ? /^(system|exec|spawn)$/.test(name)
      : (receiver === "Open3" && /^(capture2e?|capture3|popen2e?|popen3|pipeline)$/.test(name)) ||
        (receiver === "IO" && name === "popen")
  // With further arguments, no shell is used.
  const isAlone = argumentsOf(call)
    .slice(1)
    .every(({ type }) => type === "pair" || type === "hash_splat_argument")
  return runs && isAlone ? filledText(call) : null
}

/** Is it a build script? These run commands of their own authors. */
function isTooling(path: string): boolean {
  return /(^|\/)(Rakefile|rake|tasks|bin|script|scripts|benchmark|exe|support|ci|tools?)(\/|$)|\.(rake|gemspec)$/i.test(
    path
  )
}

const conditions =
  /^(where|find_by_sql|having|joins|rewhere|exists\?|delete_by|update_all|execute|exec_query|select_all|select_value|select_values|select_rows|count_by_sql)$/

/** `params[:x]`, with string methods after it. */
function isRequested(node: SyntaxNode): boolean {
  return /^params(\[[^\]]+\]|\.(require|fetch)\([^)]*\))+(\.(to_s|classify|camelize|singularize|capitalize))*$/.test(
    node.text
  )
}

/** The content of the literal, as in double quotes. */
const doubleQuoted = (literal: string): string =>
  literal.startsWith("'") ? `"${literal.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"` : literal

/** A literal key in a normalized form; null for a computed one. */
function keyOf(key: SyntaxNode): string | null {
  if (key.type === "hash_key_symbol") return `:${key.text}`
  if (key.type === "simple_symbol" || key.type === "integer") return key.text
  if (key.type !== "string" || key.text.includes("#{")) return null
  // `"a": 1` is the symbol, `"a" => 1` the text.
  return key.nextNamedSibling !== null && /^\s*"[^"]*":/.test(key.parent?.text ?? "")
    ? `:${key.text.slice(1, -1)}`
    : doubleQuoted(key.text)
}

export const nodeChecks: NodeChecks = {
  "rescue-exception": (claim) => {
    const [rescued, ...others] = partsOf(claim, "exceptions")
    if (rescued?.type !== "constant" || rescued.text !== "Exception" || others.length > 0) return false
    // An exception that is passed on, for example to another thread, is not ignored.
    return !/\b(raise|exit!?|abort|throw|fail|set_exception|reject)\b/.test(claim.text) && rangeOf(rescued)
  },
  "error-swallowed": (claim) => {
    if (hasComment(claim)) return false
    const exceptions = claim.childForFieldName("exceptions")
    if (exceptions !== null && !/^(StandardError|Exception)$/.test(exceptions.text.trim())) return false
    const body = claim.childForFieldName("body")
    // An explicit nil is a deliberate result.
    if (body !== null && body.namedChildren.length > 0) return false
    // A single call in the block is a common way to test something; its failures are of one kind.
    const tried =
      claim.parent === null ? [] : parts(claim.parent).filter((one) => !/^(rescue|ensure|else)$/.test(one.type))
    return tried.length > 1
  },
  "shell-command-built": (claim, file) => {
    if (isTooling(file.path)) return false
    const command = claim.type === "subshell" ? claim : shellLine(claim)
    if (command === null) return false
    // A single word with a value in it is the name of a program.
    return (
      /\s/.test(command.text.replace(/#\{[^}]*\}/g, "")) &&
      holesOf(command).some((hole) => !isHarmless(hole) && comesFromCaller(hole, command))
    )
  },
  "sql-built-from-values": (claim, file) => {
    if (!conditions.test(methodOf(claim)) || /(^|\/)(db|migrate)\//.test(file.path)) return false
    const text = filledText(claim)
    if (text === null) return false
    const quoted = /(=|<|>|\blike|\bilike|[(,])\s*'%?#\{([^}]*)\}/gi
    const bare = /(=|<|>)\s*#\{((params|cookies)\b[^}]*)\}/gi
    const holes = [...text.text.matchAll(quoted), ...text.text.matchAll(bare)].map((match) => match[2] ?? "")
    return holes.some((hole) => !isHarmless(hole.trim())) || quotesIntoSql(text.text.slice(1), /#\{params\b/)
  },
  "input-evaluated": (claim) => {
    const name = methodOf(claim)
    const receiver = claim.childForFieldName("receiver")
    const [first] = argumentsOf(claim)
    if (/^(constantize|safe_constantize)$/.test(name)) return receiver !== null && isRequested(receiver)
    if (first === undefined) return false
    if (/^(eval|instance_eval|class_eval)$/.test(name))
      return fromRequest(first) || holesOf(first).some((hole) => /^params\b/.test(hole))
    if (/^(send|public_send|__send__)$/.test(name)) return fromRequest(first)
    return receiver?.text === "Marshal" && name === "load" && /\b(params|cookies|request)\b/.test(first.text)
  },
  "assignment-as-condition": (claim) => {
    const value = fieldOf(claim, "right", "integer", "float", "string", "simple_symbol", "true", "false", "nil")
    if (value === null || value.text.includes("#{")) return false
    const branch = claim.parent
    const branches = ["if", "unless", "while", "if_modifier", "unless_modifier", "elsif"]
    return branches.includes(branch?.type ?? "") && isField(branch, "condition", claim)
  },
  "return-in-ensure": (claim) => enclosing(claim, ["ensure"], ["method", "lambda", "block", "do_block"]) !== null,
  "duplicate-hash-key": repeatedEntry((pair) => {
    const key = pair.type === "pair" ? pair.childForFieldName("key") : null
    const name = key === null ? null : keyOf(key)
    return key === null || name === null ? null : { name, claim: rangeOf(key) }
  }),
  "every-parameter-permitted": (claim) => {
    if (methodOf(claim) !== "permit!") return false
    const receiver = textOf(claim, "receiver")
    // The value is only read: a filter, a link, a log line.
    const around = claim.parent
    const used = (around?.type === "argument_list" ? around.parent : around)?.text ?? ""
    return (
      /^params((\[[^\]]+\]|\.(require|fetch)\([^)]*\))*)$/.test(receiver) &&
      !/\.permit!\s*\.(to_h|to_query|to_unsafe_h|slice|except)|_path|_url|url_for/.test(used)
    )
  },
  "redirect-to-input": (claim) => {
    const target = methodOf(claim) === "redirect_to" ? argumentsOf(claim)[0] : undefined
    return target !== undefined && /^params(\[[^\]]+\]|\.fetch\([^)]*\))(\s*\|\|.*)?$/.test(target.text)
  },
  "tls-verification-off": (claim) => {
    const value = fieldOf(claim, claim.type === "pair" ? "value" : "right", "scope_resolution")
    if (!/^(::)?OpenSSL::SSL::VERIFY_NONE$/.test(value?.text ?? "")) return false
    // An option of the user turns it off.
    const branch = enclosing(
      claim,
      ["if", "unless", "if_modifier", "unless_modifier", "conditional", "case"],
      ["method"]
    )
    return (
      branch === null || !/verif|insecure|skip|tls|ssl|self_signed|no_check|cert/i.test(textOf(branch, "condition"))
    )
  }
}
