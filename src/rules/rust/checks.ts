/** The checks of the rules for Rust. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import {
  ancestors,
  argumentsOf,
  childOf,
  enclosing,
  fieldOf,
  isComment,
  parts,
  quotesIntoSql,
  rootOf,
  squeezed,
  textOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { bracketed, fromText, indexPastEnd } from "../shared/bounds.ts"
import { concurrencyChecks } from "./concurrency.ts"
import { callables, inTestCode } from "./rustTree.ts"

/** Is it in an item that is compiled only for some platforms? */
const isOfPlatform = (node: SyntaxNode): boolean => {
  const item = enclosing(node, ["function_item"])
  for (let mark = item?.previousNamedSibling ?? null; mark !== null; mark = mark.previousNamedSibling) {
    if (isComment(mark)) continue
    if (mark.type !== "attribute_item") return false
    if (/^#\[cfg\(.*\b(target_os|target_arch|target_family|windows|unix)\b/.test(mark.text)) return true
  }
  return false
}

const onlyExpression = (body: SyntaxNode): SyntaxNode | null => {
  const inner = parts(body)
  return inner.length === 1 ? (inner[0] ?? null) : null
}

function convertsItself(body: SyntaxNode, parameters: SyntaxNode | null): SyntaxNode | null {
  const name = parameters === null ? undefined : parts(parameters)[0]?.childForFieldName("pattern")?.text
  const only = onlyExpression(body)
  return only !== null && only.text === `${name}.into()` ? only : null
}

function formatsItself(body: SyntaxNode, trait: "Display" | "Debug"): SyntaxNode | null {
  const spec = trait === "Display" ? "" : ":#?\\?"
  const passed = new RegExp(`^write(ln)?!\\(\\s*\\w+\\s*,\\s*"[^"{}]*\\{${spec}\\}[^"{}]*"\\s*,\\s*self\\s*,?\\s*\\)$`)
  const inlined = new RegExp(`^write(ln)?!\\(\\s*\\w+\\s*,\\s*"[^"]*\\{self${spec}\\}`)
  const macro = within(body, ["macro_invocation"]).find((one) => passed.test(one.text) || inlined.test(one.text))
  if (macro !== undefined) return macro
  if (trait === "Debug" || /fn\s+to_string\b/.test(rootOf(body).text)) return null
  return within(body, ["call_expression"]).find((one) => one.text === "self.to_string()") ?? null
}

function defaultsToItself(body: SyntaxNode, type: string): SyntaxNode | null {
  const only = onlyExpression(body)
  const same = ["Default::default()", "Self::default()", `${type}::default()`]
  if (only !== null && same.includes(only.text)) return only
  if (only?.type !== "struct_expression" || !["Self", type].includes(textOf(only, "name"))) return null
  const fields = only.childForFieldName("body")
  const base = fields?.namedChildren.find((one) => one.type === "base_field_initializer")
  return base !== undefined && same.includes(base.text.replace(/^\.\.\s*/, "")) ? base : null
}

function comparesItself(body: SyntaxNode): SyntaxNode | null {
  const only = onlyExpression(body)
  return only !== null && /^(\*?self == \*?other|self\.eq\(other\))$/.test(only.text) ? only : null
}

function derives(item: SyntaxNode, trait: string): boolean {
  for (let mark = item.previousNamedSibling; mark !== null; mark = mark.previousNamedSibling) {
    if (mark.type === "attribute_item" && new RegExp(`derive\\(.*\\b${trait}\\b`, "s").test(mark.text)) return true
    if (mark.type !== "attribute_item" && !isComment(mark)) return false
  }
  return false
}

/** `v.set_len(n)` in the statement right after `let mut v = Vec::with_capacity(...)`. */
function exposesCapacity(call: SyntaxNode): boolean {
  const name = /^(\w+)\.set_len\(/.exec(call.text)?.[1]
  const block = enclosing(call, ["unsafe_block"], callables)
  if (
    name === undefined ||
    block === null ||
    parts(parts(block)[0] ?? block)[0]?.text.startsWith(`${name}.set_len`) !== true
  )
    return false
  const statement = block.parent?.type === "expression_statement" ? block.parent : block
  let previous = statement.previousNamedSibling
  while (previous !== null && (isComment(previous) || previous.type === "empty_statement"))
    previous = previous.previousNamedSibling
  return (
    previous?.type === "let_declaration" &&
    previous.childForFieldName("pattern")?.text === name &&
    /=\s*Vec(::<[^()]*>)?::with_capacity\(/.test(previous.text) &&
    !previous.text.includes("MaybeUninit")
  )
}

function isExplained(lines: ReadonlyArray<string>, block: SyntaxNode): boolean {
  const { line, endLine } = rangeOf(block)
  return lines.slice(Math.max(0, line - 12), endLine).some((text) => /safety/i.test(text))
}

/** Calls whose result depends on the environment. */
const fromOutside =
  /(?:^|\b)(?:(?:std::)?env::var(?:_os)?|(?:std::)?fs::\w+|(?:tokio::)?fs::\w+|(?:fs::)?File::(?:open|create)|serde_json::from_\w+|toml::from_str|serde_yaml::from_\w+|(?:Tcp|Udp|Unix)\w*::(?:connect|bind)|reqwest::(?:blocking::)?get|Url::parse)(?:::<[^()]*>)?\([^;]*\)(?:\.await)?\.unwrap\(\)$/

export const nodeChecks: NodeChecks = {
  ...concurrencyChecks,
  "unfinished-code": (claim, file) => {
    if (!/^(todo|unimplemented)$/.test(textOf(claim, "macro"))) return false
    if (inTestCode(claim) || /(^|\/)tests?\.rs$/.test(file.path)) return false
    // With a reason, unimplemented! means "never supported", not "not yet": in the implementation of a trait that the type
    // supports only in part, or for an unsupported platform.
    if (/(^|\/)(fallback|stub|unsupported)\.rs$/.test(file.path) || isOfPlatform(claim)) return false
    const isBare =
      /^unimplemented!\s*\(\s*\)$/.test(claim.text) &&
      !/(^|\/)(windows|macos|linux|unix|android|ios|wasm)\.rs$/.test(file.path)
    const asked = enclosing(claim, ["impl_item"])?.childForFieldName("trait") ?? null
    return !claim.text.startsWith("unimplemented") || (isBare && asked === null)
  },
  "tls-verification-off": (claim) => {
    if (!/^(danger_accept_invalid_(certs|hostnames)|set_verify)$/.test(claim.text)) return false
    const call = claim.parent?.parent ?? null
    if (call === null || call.childForFieldName("function")?.id !== claim.parent?.id) return false
    const value = argumentsOf(call)[0]?.text
    const isOff = claim.text === "set_verify" ? /(^|::)SslVerifyMode::NONE$/.test(value ?? "") : value === "true"
    if (!isOff || inTestCode(claim)) return false
    // An option of the user turns it off.
    const option = /verif|insecure|skip|tls|ssl|accept|danger/i
    return ancestors(claim, ["if_expression"]).every((around) => !option.test(textOf(around, "condition")))
  },
  "shell-command-built": (claim) => {
    const called = fieldOf(claim, "function", "field_expression")
    const name = called?.childForFieldName("field")?.text
    if (name !== "arg" && name !== "args") return false
    const begun = textOf(called, "value")
    if (!/Command::new\(\s*"(\/(usr\/)?bin\/)?(ba|z|da)?sh"\s*\)/.test(begun)) return false
    const filled = argumentsOf(claim)
      .filter((one) => /^(macro_invocation|array_expression)$/.test(one.childForFieldName("value")?.type ?? one.type))
      .map(({ text }) => text)
      .filter((text) => /format!\(\s*r?#*"[^"]*\{/.test(text))
    if (name === "args") return filled.some((text) => /^&?\[\s*"-\w*c"/.test(text))
    return /\.arg\(\s*"-\w*c"\s*\)\s*$/.test(begun) && filled.some((text) => /^&?format!/.test(text))
  },
  "sql-built-from-values": (claim) => {
    const given = claim.childForFieldName("macro")?.text === "format" ? childOf(claim, "token_tree") : null
    const format = given === null ? undefined : parts(given)[0]
    if (format?.type !== "string_literal" && format?.type !== "raw_string_literal") return false
    if (!quotesIntoSql(format.text.replace(/^r?#*"|"#*$/g, ""), /\{\w*\}/)) return false
    // The code escapes quotes or calls a quoting function.
    return !/"'",\s*"''"|'\\'',\s*"''"|escape|quote/i.test(claim.text) && !inTestCode(claim)
  },
  "trait-method-calls-itself": (claim) => {
    const method = textOf(claim, "name")
    const body = claim.childForFieldName("body")
    if (body === null || !/^(from|fmt|default|eq)$/.test(method)) return false
    const block = claim.parent?.type === "declaration_list" ? claim.parent.parent : null
    if (block?.type !== "impl_item") return false
    const trait = block.childForFieldName("trait")?.text.replace(/^(\w+::)+/, "") ?? ""
    const type = textOf(block, "type")
    const again =
      method === "from" && trait.startsWith("From<")
        ? convertsItself(body, claim.childForFieldName("parameters"))
        : method === "fmt" && (trait === "Display" || trait === "Debug")
          ? formatsItself(body, trait)
          : method === "default" && trait === "Default"
            ? defaultsToItself(body, type)
            : method === "eq" && trait === "PartialEq"
              ? comparesItself(body)
              : null
    return again !== null && rangeOf(again)
  },
  "nan-comparison": (claim) => {
    const nan = /^-?((std::|core::)?f(32|64)(::consts)?::)NAN$/
    const isNan = ["left", "right"].some((side) => nan.test(textOf(claim, side)))
    return isNan && /^([=!<>]=|[<>])$/.test(textOf(claim, "operator"))
  },
  "derived-hash-with-own-eq": (claim) => {
    const type = fieldOf(claim, "type", "type_identifier")
    const body = claim.childForFieldName("body")?.text
    if (claim.childForFieldName("trait")?.text !== "PartialEq" || type === null || body === undefined) return false
    const struct = rootOf(claim)
      .descendantsOfType("struct_item")
      .find((one) => one.childForFieldName("name")?.text === type.text)
    if (struct === undefined || !derives(struct, "Hash")) return false
    const fields = struct.descendantsOfType("field_declaration").map((one) => textOf(one, "name"))
    const compared = fields.filter((name) => new RegExp(`\\.${name}\\b`).test(body))
    const forgotten = fields.filter((name) => !compared.includes(name))
    // An eq without any field may compare them in another way.
    return compared.length > 0 && forgotten.length > 0 && rangeOf(type)
  },
  "uninitialized-value": (claim) => {
    if (/^((std|core)::)?mem::uninitialized(::<[^()]*>)?\(\)$/.test(claim.text)) return true
    if (/^((std|core)::)?(mem::)?MaybeUninit(::<[^()]*>)?::uninit\(\)\s*\.assume_init\(\)$/.test(claim.text)) {
      // It is correct only for an array of MaybeUninit.
      const statement = enclosing(claim, ["let_declaration", "function_item"])
      return statement?.type === "let_declaration" && statement.text.split("MaybeUninit").length === 2
    }
    return exposesCapacity(claim)
  },
  "safety-comment-missing": (claim) => {
    if (inTestCode(claim) || enclosing(claim, ["unsafe_block", "macro_definition"]) !== null) return false
    const lines = rootOf(claim).text.split("\n")
    const first = rangeOf(claim).line
    const blocks = rootOf(claim)
      .descendantsOfType("unsafe_block")
      .filter((one) => one.id !== claim.id)
    const explained = blocks.filter((one) => isExplained(lines, one))
    // It is a convention of the file if nearly all of at least three blocks follow it.
    return explained.length >= 3 && explained.length >= blocks.length * 0.8 && !isExplained(lines, claim) && first > 1
  },
  "mutable-static": (claim) => {
    if (childOf(claim, "mutable_specifier") === null) return false
    if (inTestCode(claim) || enclosing(claim, ["foreign_mod_item"]) !== null) return false
    return !/#!\[no_std\]|#!\[no_main\]|#\[no_mangle\]|link_section/.test(rootOf(claim).text)
  },
  "unwrap-of-outside-input": (claim, file) => {
    const text = claim.endIndex - claim.startIndex > 300 ? "" : squeezed(claim)
    if (!text.endsWith(".unwrap()") || !fromOutside.test(text) || /^include_|"\{/.test(text)) return false
    const owner = enclosing(claim, ["function_item", "closure_expression", "async_block"])
    if (owner?.type !== "function_item" || /(^|\/)(build|main)\.rs$|(^|\/)(tests?|benches|examples)\//.test(file.path))
      return false
    if (!/\bResult\b/.test(textOf(owner, "return_type"))) return false
    return !inTestCode(claim) && { ...rangeOf(claim) }
  },
  "index-past-end": indexPastEnd({
    loop: "for_expression",
    counted: fromText(/^\(?0\.\.=(?<list>[\w.]+)\.len\(\)\)?$/, "value", "pattern"),
    elements: ["index_expression"],
    element: bracketed,
    lengths: (list) => [`${list}.len()`]
  })
}
