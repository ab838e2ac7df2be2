/** The checks of the rules for Java. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  argumentsOf,
  enclosing,
  fieldOf,
  hasComment,
  isField,
  nameOf,
  operatorOf,
  parts,
  quotesIntoSql,
  squeezed,
  textOf
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { ignoring, mayFail } from "../shared/attempts.ts"
import { fromText, indexPastEnd } from "../shared/bounds.ts"
import { textMatches } from "../shared/crypto.ts"
import { pathFromRequest } from "../shared/requestInput.ts"
import { concurrencyChecks } from "./concurrency.ts"
import { catchOf, classBodies, declaredType, flattened, methods } from "./javaTree.ts"
import { valueChecks } from "./values.ts"

const isDate = (value: SyntaxNode | undefined): boolean =>
  value !== undefined &&
  /\w*(format|date|df|sdf)\w*\.format\(/i.test(value.text) &&
  !/\bString\.format\(/.test(value.text)

/** Does the method of this name, or its lambda, accept everything? */
function acceptsAll(name: string, callable: SyntaxNode): boolean {
  const body = callable.childForFieldName("body")
  if (body === null) return false
  if (name === "checkServerTrusted") return parts(body).length === 0 || /^\{\s*return;\s*\}$/.test(body.text)
  const accepts = /^(true|\{\s*return true;\s*\})$/.test(body.text)
  if (name !== "verify") return accepts && /HostnameVerifier$/i.test(name)
  return accepts && /\bSSLSession\b/.test(textOf(callable, "parameters"))
}

/** Does the variable open a file that the method only reads or writes? */
function staysOpen(variable: SyntaxNode): boolean {
  const name = variable.childForFieldName("name")
  const made = fieldOf(variable, "value", "object_creation_expression")
  const type = textOf(made, "type")
  if (name === null || !/^(File(Input|Output)Stream|File(Reader|Writer)|RandomAccessFile)$/.test(type)) return false
  const uses = enclosing(variable, methods)
    ?.descendantsOfType("identifier")
    .filter((one) => one.text === name.text && one.id !== name.id)
  // If it is passed on, returned or stored, other code may close it.
  return (
    uses?.every((use) => {
      const call = use.parent
      return (
        call?.type === "method_invocation" &&
        isField(call, "object", use) &&
        !/^(close|getChannel|getFD)$/.test(nameOf(call))
      )
    }) === true
  )
}

export const nodeChecks: NodeChecks = {
  ...valueChecks,
  ...concurrencyChecks,
  "empty-catch": (claim) => {
    const clause = catchOf(claim)
    if (clause === null || parts(clause.body).length > 0 || hasComment(clause.body)) return false
    const { type, name } = clause
    if (/^(ign|expect|unused|_|ok|swallow)/i.test(name) || /InterruptedException/.test(type)) return false
    const attempt = claim.parent?.childForFieldName("body") ?? null
    const isBroad = /^(Exception|RuntimeException|Throwable)$/.test(type)
    // The longer the code, the more of its failures are bugs.
    if (attempt !== null && mayFail(attempt, isBroad ? 3 : undefined)) return false
    // These exceptions are the usual way to test for something, or cannot occur.
    const isUsual =
      /^(\w+\.)*(NumberFormat|UnsupportedEncoding|ClassNotFound|NoSuch\w+|CloneNotSupported|DateTimeParse|ParseE)\w*$/
    return !isUsual.test(type) && ignoring(claim, attempt)
  },
  "return-in-finally": (claim) => {
    const clause = enclosing(claim, ["finally_clause"], [...methods, ...classBodies])
    if (clause === null) return false
    // An exception that is caught in the clause does not leave it.
    return claim.type === "return_statement" || enclosing(claim, ["try_statement"], ["finally_clause"]) === null
  },
  "sql-built-from-values": (claim) => {
    if (claim.type === "method_invocation") {
      const [format, ...values] = claim.text.startsWith("String.format(") ? argumentsOf(claim) : []
      if (format?.type !== "string_literal" || values.length === 0) return false
      // A formatted date contains no quote.
      const text = format.text.slice(1, -1).replace(/%s/g, () => (isDate(values.shift()) ? "x" : "%s"))
      return quotesIntoSql(text, /%s/)
    }
    if (operatorOf(claim) !== "+" || claim.parent?.type === "binary_expression") return false
    return quotesIntoSql(flattened(claim), /\u0000/)
  },
  "command-built-from-values": (claim) => {
    const object = nameOf(claim) === "exec" ? claim.childForFieldName("object") : null
    const [command] = argumentsOf(claim)
    if (object === null || command === undefined) return false
    const isRuntime = squeezed(object) === "Runtime.getRuntime()" || declaredType(object) === "Runtime"
    if (!isRuntime || !["binary_expression", "method_invocation"].includes(command.type)) return false
    if (command.type === "method_invocation") return command.text.startsWith("String.format(")
    return flattened(command).includes("\u0000")
  },
  "trusts-every-certificate": (claim) => {
    const named = /^(checkServerTrusted|verify|set(Default)?(SSL)?HostnameVerifier|hostnameVerifier)$/i
    const owner = named.test(claim.text) ? claim.parent : null
    if (owner === null || !isField(owner, "name", claim)) return false
    if (owner.type === "method_declaration") {
      // A trust manager has three methods of this name: report only the first.
      for (let at = owner.previousNamedSibling; at !== null; at = at.previousNamedSibling) {
        if (nameOf(at) === claim.text && acceptsAll(claim.text, at)) return false
      }
      return acceptsAll(claim.text, owner)
    }
    if (owner.type !== "method_invocation") return false
    return argumentsOf(owner).some((one) => one.type === "lambda_expression" && acceptsAll(claim.text, one))
  },
  "stream-never-closed": (claim) =>
    claim.namedChildren.some((one) => one.type === "variable_declarator" && staysOpen(one)),
  "index-past-end": indexPastEnd({
    loop: "for_statement",
    counted: fromText(/^(?<index>\w+)<=(?<list>[\w.]+?)\.(?:length|length\(\)|size\(\))$/, "condition", null),
    elements: ["array_access", "method_invocation"],
    element: (list, index) => [`${list}[${index}]`, `${list}.get(${index})`, `${list}.charAt(${index})`],
    lengths: (list) => [`${list}.length`, `${list}.size()`, `${list}.length()`]
  }),
  "weak-cipher": textMatches(
    /^(?:javax\.crypto\.)?Cipher\.getInstance\("(?:DES(?:ede)?|RC[24]|ARCFOUR|Blowfish|AES"|AES\/ECB)/i
  ),
  "path-from-request": pathFromRequest({
    opens:
      /^(?:new(?:java\.io\.)?(?:File|FileInputStream|FileOutputStream|FileReader|FileWriter|RandomAccessFile)\(|Paths\.get\(|Path\.of\()/,
    input: /\b(?:request|req|httpRequest)\.(?:getParameter|getHeader|getPathInfo|getQueryString)\(/,
    made: /FilenameUtils\.getName\(|\.getFileName\(/
  })
}
