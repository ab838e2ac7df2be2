/** Python: formatting that fails, and text that becomes a command, a query or a page. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { enclosing, parts, rootOf, squeezed, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { commandNote } from "../shared/commandNote.ts"
import { passwordHashedFast, predictableSecret, secretName, textMatches } from "../shared/crypto.ts"
import { htmlFromValues } from "../shared/markup.ts"
import { pathFromRequest } from "../shared/requestInput.ts"
import { isFixed } from "./fixedValues.ts"
import { boundIn, callOf, keyword, plainString, positional } from "./pythonTree.ts"

/** May the caller choose the value? Not if it is a constant by convention, or quoted. */
const isVariable = (part: SyntaxNode): boolean =>
  !/^(string|concatenated_string)$/.test(part.type) &&
  !isFixed(part) &&
  !/^([A-Za-z_]+\.)*[A-Z][A-Z0-9_]*$/.test(part.text) &&
  !/\b(quote|list2cmdline|join|getpid|fileno)\(|\bsys\.executable\b/.test(part.text)

/** A command of the caller or of the environment is run on purpose. */
const isGivenCommand =
  /(?:\{|\+\s*|%\s*\(?|^|format\()(?:\w+\.)*_?(?:cmd|command|editor|pager|shell)\b(?!\()|\benviron\b|\bgetenv\(/i

const isText = (node: SyntaxNode): boolean =>
  /string$/.test(node.type) || (node.type === "binary_operator" && node.descendantsOfType("string").length > 0)

/** Is a variable inserted into this text, by interpolation, `%`, `+` or `format`? */
const hasHole = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case "string":
    case "concatenated_string":
      return node.descendantsOfType("interpolation").some((hole) => parts(hole).slice(0, 1).some(isVariable))
    case "binary_operator": {
      const [left, right] = [node.childForFieldName("left"), node.childForFieldName("right")]
      const operator = node.childForFieldName("operator")?.text
      if (left === null || right === null || (!isText(left) && !isText(right))) return false
      if (operator === "%")
        return isText(left) && (right.type === "tuple" ? parts(right).some(isVariable) : isVariable(right))
      return operator === "+" && [left, right].some((side) => (isText(side) ? hasHole(side) : isVariable(side)))
    }
    case "call": {
      const called = node.childForFieldName("function")
      const list = node.childForFieldName("arguments")
      if (called?.childForFieldName("attribute")?.text !== "format" || list === null) return false
      const receiver = called.childForFieldName("object")
      return (
        receiver !== null &&
        isText(receiver) &&
        parts(list).some((part) => isVariable(part.childForFieldName("value") ?? part))
      )
    }
    default:
      return false
  }
}

/** An SQL statement with a value in the place of a parameter. */
const sqlHole =
  /^[a-z]*['"]+\s*(select|insert|update|delete)\b[\s\S]*?(=|<|>|\blike\b|\bvalues\s*\()\s*'?%?(\{(?!\})|\{\}|%s|%d|'?"\s*\+|"?'\s*\+)/i

/** The number of values that `%` needs; null if it is not clear. */
const conversions = (text: string): number | null => {
  let count = 0
  for (const [, star, precision, kind] of text.matchAll(/%[-#0 +]*(\*)?\d*(?:\.(\*)?\d*)?[hlL]?([\s\S]?)/g)) {
    if (kind === "%") continue
    if (!/^[diouxXeEfFgGcrsa]$/.test(kind ?? "")) return null
    count += 1 + (star === undefined ? 0 : 1) + (precision === undefined ? 0 : 1)
  }
  return count
}

/** The minimum number of positional arguments of `format`; null if it is not clear. */
const placeholders = (text: string): number | null => {
  const bare = text.replaceAll("{{", "").replaceAll("}}", "")
  const fields = [...bare.matchAll(/\{([^{}]*)\}/g)].map(([, field = ""]) => field)
  if (/[{}]/.test(bare.replace(/\{[^{}]*\}/g, ""))) return null
  const names = fields.map((field) => /^[^!:.[]*/.exec(field)?.[0] ?? "")
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number)
  return numbers.length > 0 ? Math.max(...numbers) + 1 : names.filter((name) => name === "").length
}

/** Calls that print their argument without changes. */
const showing = /^(print|(self\.)?_?(log|logger|logging)\.(debug|info|warning|error|exception|critical))$/

export const textChecks: NodeChecks = {
  "format-arguments": (claim) => {
    const isCall = claim.type === "call"
    if (isCall ? callOf(claim).method !== "format" : claim.childForFieldName("operator")?.text !== "%") return false
    const text = isCall ? callOf(claim).object : claim.childForFieldName("left")
    const values = isCall ? callOf(claim).list : claim.childForFieldName("right")
    const plain = text === null ? null : plainString(text)
    if (text === null || plain === null || !/^(tuple|argument_list)$/.test(values?.type ?? "") || values === null)
      return false
    if (parts(values).some(({ type }) => /splat|comprehension|generator/.test(type))) return false
    const given = positional(values).length
    const wanted = isCall ? placeholders(plain) : plain.includes("%(") ? null : conversions(plain)
    // Additional arguments of `format` are harmless, missing ones are an IndexError. `%` needs the exact number.
    if (wanted === null || given === wanted || (isCall && given > wanted)) return false
    return { ...rangeOf(text), description: `The format string has ${wanted} placeholders but ${given} values.` }
  },
  "missing-f-prefix": (claim) => {
    const call = claim.parent?.type === "argument_list" ? claim.parent.parent : null
    if (call?.type !== "call" || callOf(call).args.length !== 1) return false
    const statement = call.parent?.type ?? ""
    if (statement !== "raise_statement" && !(statement === "expression_statement" && showing.test(callOf(call).called)))
      return false
    const plain = plainString(claim)
    const inside = enclosing(claim, ["function_definition"])
    if (plain === null || inside === null || plain.includes("{{")) return false
    const fields = [...plain.matchAll(/\{([^{}]*)\}/g)].map(([, field = ""]) => field)
    const names = fields.map((field) => /^([A-Za-z_]\w*)(\.\w+)*(![rsa])?$/.exec(field)?.[1])
    if (names.length === 0) return false
    const bound = boundIn(inside)
    return names.every((name) => name !== undefined && bound.has(name))
  },
  "strip-affix": (claim) => {
    const { method, args } = callOf(claim)
    if (!/^[lr]strip$/.test(method ?? "") || args.length !== 1 || args[0] === undefined) return false
    const affix = /^(\.[a-z]{2,5}|https?:\/\/\S*|[a-z]{3,}[_:/.-]|[_:/-][a-z]{3,}|[a-z]+\/[a-z]+\/)$/i
    return affix.test(plainString(args[0]) ?? "")
  },
  "yaml-load": (claim) => {
    const { called, args } = callOf(claim)
    if (called !== "yaml.load" || args.length !== 1 || /argument|splat/.test(args[0]?.type ?? "")) return false
    // The object of ruamel.yaml, often of the same name, has its own loader.
    return !/\byaml\s*=\s*[\w.]*\bYAML\(/.test(rootOf(claim).text)
  },
  "shell-injection": (claim) => {
    const { called, list, args } = callOf(claim)
    if (list === null || args[0] === undefined) return false
    const isShell =
      /^os\.(system|popen)$/.test(called) ||
      (/^subprocess\.(run|call|check_call|check_output|Popen)$/.test(called) && keyword(list, "shell")?.text === "True")
    if (!isShell || !hasHole(args[0]) || isGivenCommand.test(args[0].text)) return false
    return { ...rangeOf(claim), description: commandNote(args[0]) }
  },
  "sql-injection": (claim) => {
    const { method, args } = callOf(claim)
    const [statement] = /^execute(many|script)?$/.test(method ?? "") ? args : []
    // Question marks joined by commas are placeholders.
    if (statement === undefined || /["']\s*,\s*["']\.join\(|["'],["']\.join\(/.test(statement.text)) return false
    return hasHole(statement) && sqlHole.test(statement.text)
  },
  "tls-unverified": (claim) => {
    const { called, list } = callOf(claim)
    if (called === "ssl._create_unverified_context") return true
    const given = list === null ? null : keyword(list, "verify")
    return /^(requests|httpx)\.\w+$/.test(called) && given?.text === "False" && rangeOf(given.parent ?? given)
  },
  "html-from-values": htmlFromValues((call) => {
    if (!/^(?:\w+\.)?(?:mark_safe|Markup)\(/.test(squeezed(call))) return false
    const list = call.childForFieldName("arguments")
    const text = list === null ? undefined : parts(list)[0]
    if (text === undefined || !/<\/?\w+/.test(text.text)) return false
    if (text.type === "string") return within(text, ["interpolation"]).length > 0
    if (text.type === "binary_operator") return within(text, ["identifier"]).length > 0
    return text.type === "call" && text.childForFieldName("function")?.childForFieldName("attribute")?.text === "format"
  }),
  "path-from-request": pathFromRequest({
    opens:
      /^(?:open|send_file|FileResponse|(?:pathlib\.)?Path|os\.(?:path\.join|remove|unlink|listdir|open|makedirs)|shutil\.(?:rmtree|copy\w*|move)|(?:io|aiofiles)\.open)\(/,
    input: /\brequest\.(?:args|form|values|json|cookies|GET|POST|query_params|path_params|match_info)\b/,
    made: /secure_filename\(|basename\(|safe_join\(|\.name\b|int\(/
  }),
  "weak-cipher": textMatches(
    /^(?:[\w.]+\.)?(?:(?:DES3?|ARC[24])\.new\(|AES\.new\(.*\bMODE_ECB\b|modes\.ECB\(|algorithms\.(?:ARC4|TripleDES|Blowfish|IDEA|CAST5|SEED)\()/
  ),
  "password-hashed-fast": passwordHashedFast(
    /^(?:hashlib\.)?(?:md5|sha1|sha224|sha256|sha512)\((?:[^()]*\.)?\w*passw(?:or)?d\w*(?:\.encode\([^()]*\))?\)?/i
  ),
  "predictable-secret": predictableSecret(
    new RegExp(
      `^(?:[\\w.]+\\.)?\\w*?${secretName}=.*\\brandom\\.(?:random|choice|choices|randint|randrange|sample|getrandbits)\\(`,
      "i"
    )
  )
}
