/** TypeScript and JavaScript: values that reach a shell, a page, SQL, a path or a cipher. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { ancestors, enclosing, nameOf, parts, quotesIntoSql, rootOf, squeezed, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { passwordHashedFast, secretName, textMatches } from "../shared/crypto.ts"
import { pathFromRequest } from "../shared/requestInput.ts"
import { bare, callOf, functions, identifiers, isConstant, operationOf } from "./scriptTree.ts"

/** Is a variable inserted into a text, by a template or by `+`? Constants by convention do not count. */
const variableIn = (node: SyntaxNode): boolean => {
  const at = bare(node)
  if (at.type === "template_string") {
    return at.namedChildren.some(
      (child) => child.type === "template_substitution" && parts(child).some((hole) => !isFixed(hole))
    )
  }
  if (at.type !== "binary_expression" || at.childForFieldName("operator")?.text !== "+") return false
  const sides = [at.childForFieldName("left"), at.childForFieldName("right")].flatMap((side) =>
    side === null ? [] : [bare(side)]
  )
  if (!sides.some((side) => /string$/.test(side.type) || side.type === "binary_expression")) return false
  return sides.some(
    (side) => variableIn(side) || (!isFixed(side) && !/^(template_string|binary_expression)$/.test(side.type))
  )
}

const isFixed = (node: SyntaxNode): boolean =>
  isConstant(bare(node)) ||
  choosesFixed(bare(node)) ||
  /^([A-Za-z_]+\.)*[A-Z][A-Z0-9_]*$/.test(node.text) ||
  /\b(escape|quote|sanitize|purify|encode)\w*\b|\bprocess\.(execPath|pid)\b/i.test(node.text) ||
  isFixedName(bare(node))

/** Is it a variable of the file, and are all its values fixed, also those of a list that a loop runs over? */
const isFixedName = (node: SyntaxNode): boolean => {
  if (node.type !== "identifier") return false
  const isParameter = [...ancestors(node, functions)].some((owner) =>
    identifiers(owner.childForFieldName("parameters") ?? owner.childForFieldName("parameter")).some(
      ({ text }) => text === node.text
    )
  )
  const root = rootOf(node)
  const declared = root.descendantsOfType("variable_declarator").filter((one) => nameOf(one) === node.text)
  const looped = root.descendantsOfType("for_in_statement").filter((one) => textOf(one, "left") === node.text)
  const assigned = root.descendantsOfType("assignment_expression").filter((one) => textOf(one, "left") === node.text)
  const values = [
    ...declared.map((one) => one.childForFieldName("value")),
    ...assigned.map((one) => one.childForFieldName("right"))
  ].filter((value) => value !== null)
  const lists = looped.map((one) => one.childForFieldName("right"))
  return (
    !isParameter &&
    values.length + lists.length > 0 &&
    values.every((value) => isConstant(bare(value)) || choosesFixed(bare(value))) &&
    lists.every((list) => list !== null && bare(list).type === "array" && parts(bare(list)).every(isConstant))
  )
}

/** Is it one of two fixed values? */
const choosesFixed = (node: SyntaxNode): boolean => {
  if (node.type !== "ternary_expression") return false
  return ["consequence", "alternative"].every((side) => {
    const value = node.childForFieldName(side)
    return value !== null && isFixed(value)
  })
}

/** Names of texts that a user may have written. */
const textName = /(name|title|label|text|message|description|value|query|url|href|email|user|comment|caption|subject)$/i

/** Is a variable of such a name inserted into this text without changes? */
const textHoleIn = (node: SyntaxNode): boolean => {
  const at = bare(node)
  const holes = at.namedChildren.flatMap((child) => (child.type === "template_substitution" ? parts(child) : child))
  if (at.type !== "template_string" && at.childForFieldName("operator")?.text !== "+") return false
  return holes.some(
    (hole) =>
      (hole.type === "binary_expression" && textHoleIn(hole)) ||
      (/^(identifier|member_expression)$/.test(hole.type) && !isFixed(hole) && textName.test(hole.text))
  )
}

const isMarkup = (node: SyntaxNode): boolean => node.text.includes("<") && textHoleIn(node)
const sqlMethods = /\.(?:query|execute|raw|unsafe|prepare|all|get|run|exec|\$queryRawUnsafe|\$executeRawUnsafe)\(/

export const securityChecks: NodeChecks = {
  "shell-injection": (claim, file) => {
    const { called, args } = callOf(claim)
    if (!/^((cp|child_?process)\.)?exec(Sync)?$/i.test(called) || args[0] === undefined) return false
    // Build and release scripts run what their own authors pass.
    if (/(^|\/)(scripts?|tools?|tooling|build|ci|extra|release|hack|migrations?|\.github)\//.test(file.path))
      return false
    if (!variableIn(args[0])) return false
    return { ...linesOf(claim), description: `The command is \`${args[0].text.split("\n", 1)[0]}\`.` }
  },
  "html-injection": (claim) => {
    if (claim.type === "assignment_expression") {
      const { left, right } = operationOf(claim)
      return right !== null && /\.(inner|outer)HTML$/.test(left?.text ?? "") && isMarkup(right)
    }
    const { called, method, args } = callOf(claim)
    const html = args.at(-1)
    return html !== undefined && (method === "insertAdjacentHTML" || called === "document.write") && isMarkup(html)
  },
  "sql-injection": (claim, file) => {
    const holder = claim.parent
    // A migration writes data of the database itself.
    if (/(^|\/)migrations?\//.test(file.path)) return false
    // A tagged template binds its values.
    if (holder?.type !== "arguments" || holder.namedChildren[0]?.id !== claim.id) return false
    const called = textOf(holder.parent, "function")
    if (!sqlMethods.test(`${called.slice(-40)}(`)) return false
    if (claim.type === "template_string") return quotesIntoSql(claim.text.slice(1, -1), /\$\{/)
    const text = claim.text.replace(/['"]\s*\+\s*(?!['"])[\w.[\]()]+\s*(?:\+\s*['"]|$)/g, "\u0001").replace(/^['"]/, "")
    return quotesIntoSql(text, /\u0001/)
  },
  "tls-unverified": (claim) => {
    const text = squeezed(claim)
    if (
      !/^(?:rejectUnauthorized|strictSSL):false$|^process\.env\.NODE_TLS_REJECT_UNAUTHORIZED=["'`]?0["'`]?$|\.rejectUnauthorized=false$/.test(
        text
      )
    )
      return false
    // An option of the user turns it off.
    const around =
      enclosing(claim, ["lexical_declaration", "variable_declaration", "expression_statement", "return_statement"])
        ?.text ?? ""
    return !/insecure|selfSigned|skipVerif|verify(?:Ssl|Tls|Cert)|NODE_ENV|isDev|development|localhost/i.test(
      around.slice(0, 2_000)
    )
  },
  "path-from-request": pathFromRequest({
    opens:
      /^(?:(?:fs|fsp|fsPromises|fs\.promises)\.\w+|(?:path\.)?(?:join|resolve)|\w+\.sendFile|createReadStream|createWriteStream|readFile(?:Sync)?|writeFile(?:Sync)?|unlink(?:Sync)?)\(/,
    input: /\b(?:req|request|ctx\.request)\.(?:params|query|body|headers)\b|\bctx\.(?:params|query)\b/,
    made: /basename\(|sanitize|parseInt\(|Number\(|\broot:/
  }),
  "weak-cipher": textMatches(
    /^(?:\w+\.)?create(?:Cipheriv\(["'`](?:des|rc[24]|bf|blowfish|idea|seed|cast5|aes-?\d+-ecb)|Cipher\()/i
  ),
  "password-hashed-fast": passwordHashedFast(
    /^(?:crypto\.)?createHash\(["'`](?:md5|sha-?1|sha-?256|sha-?512)["'`]\)\.update\((?:[\w.]+\.)?\w*passw(?:or)?d\w*[,)]/i
  ),
  "predictable-secret": textMatches(new RegExp(`^\\w*?${secretName}(?::\\w+)?=.*\\bMath\\.random\\(\\)`, "i"))
}
