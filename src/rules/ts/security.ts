/** TypeScript and JavaScript: values that reach a shell, a page, SQL, a path or a cipher. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { ancestors, enclosing, nameOf, parts, quotesIntoSql, rootOf, squeezed, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { commandNote } from "../shared/commandNote.ts"
import { passwordHashedFast, predictableSecret, secretName, textMatches } from "../shared/crypto.ts"
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

/** Is its value written in the file, or made safe? `followed`: the variables whose values are being read. */
const isFixed = (node: SyntaxNode, followed: ReadonlyArray<string> = []): boolean => {
  const at = bare(node)
  const areFixed = (values: ReadonlyArray<SyntaxNode | null> | null): boolean =>
    values?.every((value) => value !== null && isFixed(value, followed)) === true
  if (isConstant(at) || /^([A-Za-z_]+\.)*[A-Z][A-Z0-9_]*$/.test(node.text)) return true
  if (/\b(escape|quote|sanitize|purify|encode)\w*\b|\bprocess\.(execPath|pid)\b/i.test(node.text)) return true
  switch (at.type) {
    case "ternary_expression":
      return areFixed([at.childForFieldName("consequence"), at.childForFieldName("alternative")])
    case "binary_expression":
      return textOf(at, "operator") === "+" && areFixed([at.childForFieldName("left"), at.childForFieldName("right")])
    case "template_string":
      return areFixed(at.namedChildren.flatMap((child) => (child.type === "template_substitution" ? parts(child) : [])))
    case "identifier": {
      if (followed.includes(at.text)) return true
      const values = followed.length < mostFollowed ? valuesOf(at) : null
      return values !== null && values.length > 0 && values.every((value) => isFixed(value, [...followed, at.text]))
    }
    case "member_expression": {
      const objects = literalsOf(at.childForFieldName("object"), "object")
      return objects !== null && areFixed(objects.map((object) => entryOf(object, textOf(at, "property"))))
    }
    case "call_expression": {
      const { args, method, object } = callOf(at)
      return method === "join" && areFixed(args) && areFixed(elementsOf(object))
    }
    default:
      return false
  }
}

const mostFollowed = 4

/** What the file assigns to a variable, or a loop over a list of the file; null if it can have other values. */
const valuesOf = (variable: SyntaxNode): ReadonlyArray<SyntaxNode> | null => {
  const isParameter = [...ancestors(variable, functions)].some((owner) =>
    identifiers(owner.childForFieldName("parameters") ?? owner.childForFieldName("parameter")).some(
      ({ text }) => text === variable.text
    )
  )
  const looped = rootOf(variable)
    .descendantsOfType("for_in_statement")
    .filter((loop) => textOf(loop, "left") === variable.text)
  const lists = looped.map((loop) => elementsOf(loop.childForFieldName("right")))
  if (isParameter || lists.includes(null)) return null
  return [...assignedTo(variable), ...lists.flatMap((list) => list ?? [])]
}

const assignedTo = (variable: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  rootOf(variable)
    .descendantsOfType(["variable_declarator", "assignment_expression", "augmented_assignment_expression"])
    .filter((each) => (nameOf(each) || textOf(each, "left")) === variable.text)
    .flatMap((each) => each.childForFieldName("value") ?? each.childForFieldName("right") ?? [])

/** The literals of this type that are its value; null if it can have other values, or may change in place. */
const literalsOf = (value: SyntaxNode | null, type: string): ReadonlyArray<SyntaxNode> | null => {
  if (value === null) return null
  const values = value.type === "identifier" && isOnlyRead(value) ? assignedTo(value) : [value]
  const literals = values.map(bare)
  return literals.length > 0 && literals.every((literal) => literal.type === type) ? literals : null
}

const elementsOf = (list: SyntaxNode | null): ReadonlyArray<SyntaxNode> | null =>
  literalsOf(list, "array")?.flatMap(parts) ?? null

const entryOf = (object: SyntaxNode, name: string): SyntaxNode | null =>
  parts(object)
    .find((entry) => entry.type === "pair" && textOf(entry, "key") === name)
    ?.childForFieldName("value") ?? null

/** Does the file neither change the list or object in place nor pass it on? */
const isOnlyRead = (variable: SyntaxNode): boolean =>
  identifiers(rootOf(variable)).every((use) => {
    const holder = use.parent
    if (use.text !== variable.text || holder === null) return true
    if (holder.type === "variable_declarator") return nameOf(holder) === use.text
    if (holder.type === "for_in_statement") return true
    const isTarget = textOf(holder.parent, "left") === holder.text
    return (
      /^(member|subscript)_expression$/.test(holder.type) &&
      !isTarget &&
      !changesInPlace.test(textOf(holder, "property"))
    )
  })

const changesInPlace = /^(push|unshift|splice|fill|copyWithin)$/

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

/** Does the call pass its first argument to a shell? */
const runsShell = (called: string, args: ReadonlyArray<SyntaxNode>): boolean => {
  const method = /^(?:(?:cp|child_?process)\.)?(exec|spawn)(?:Sync)?$/i.exec(called)?.[1]
  const options = args.at(-1)
  const hasShell = options?.type === "object" && parts(options).some((option) => /^shell\s*:\s*true$/.test(option.text))
  return method === "exec" || (method === "spawn" && hasShell)
}

export const securityChecks: NodeChecks = {
  "shell-injection": (claim, file) => {
    const { called, args } = callOf(claim)
    if (args[0] === undefined || !runsShell(called, args)) return false
    // Build and release scripts run what their own authors pass.
    if (/(^|\/)(scripts?|tools?|tooling|build|ci|extra|release|hack|migrations?|\.github)\//.test(file.path))
      return false
    if (!variableIn(args[0])) return false
    return { ...rangeOf(claim), description: commandNote(args[0]) }
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
  "predictable-secret": predictableSecret(new RegExp(`^\\w*?${secretName}(?::\\w+)?=.*\\bMath\\.random\\(\\)`, "i"))
}
