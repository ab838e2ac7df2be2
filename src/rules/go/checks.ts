/** The checks of the rules for Go. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { RuleFile } from "../../domain/finding/Rule.ts"
import {
  argumentsOf,
  enclosing,
  fieldOf,
  isField,
  operatorOf,
  parts,
  partsOf,
  quotesIntoSql,
  squeezed,
  textOf
} from "../../languages/tree.ts"
import { type NodeChecks, unlessExcused } from "../page/Checks.ts"
import { bracketed, indexPastEnd } from "../shared/bounds.ts"
import { passwordHashedFast, predictableSecret, secretName, textMatches } from "../shared/crypto.ts"
import { resultIgnored } from "../shared/ignoredResults.ts"
import { lockNotReleased } from "../shared/locks.ts"
import { htmlFromValues } from "../shared/markup.ts"
import { pathFromRequest } from "../shared/requestInput.ts"
import { endlessRetry, leavesAtEnd, onlyLogs, statementsOf } from "../shared/retries.ts"
import { concurrencyChecks } from "./concurrency.ts"
import { errorChecks } from "./errors.ts"
import { functions, isBuilt, literal, memberOf } from "./goTree.ts"
import { otherErrorReturned } from "./otherError.ts"

/** `InsecureSkipVerify: true` or `c.InsecureSkipVerify = true` */
function skipsVerification(node: SyntaxNode): boolean {
  const [key, value] = [node.childForFieldName("key"), node.childForFieldName("value")]
  if (node.type === "keyed_element") return key?.text === "InsecureSkipVerify" && value?.text === "true"
  return (
    partsOf(node, "left").some((one) => one.childForFieldName("field")?.text === "InsecureSkipVerify") &&
    partsOf(node, "right").some(({ type }) => type === "true")
  )
}

/** Is it the name of a table, a column or similar, which comes from the program's own schema? */
const isSchemaName = (value: SyntaxNode): boolean =>
  /(table|column|seq|sequence|index|schema|constraint)(name)?$/i.test(value.text)

const isText = (node: SyntaxNode | undefined): boolean =>
  node?.type === "interpreted_string_literal" || node?.type === "raw_string_literal"

const requests =
  /^(http\.(Get|Head|Post|PostForm)|http\.DefaultClient\.(Do|Get|Head|Post|PostForm)|(\w+\.)*(httpC|c)lient\.Do)$/

const readers = /^(io|ioutil)\.(ReadAll|Copy)$|^json\.NewDecoder$|^xml\.NewDecoder$|^bufio\.New(Reader|Scanner)$/

/** Is it certain that this use of a response neither closes it nor passes it on? */
function onlyReads(use: SyntaxNode): boolean {
  const selector = use.parent
  if (selector?.type !== "selector_expression") return false
  const field = selector.childForFieldName("field")?.text
  if (field !== "Body") return field === "StatusCode" || field === "Status" || field === "Header"
  const list = selector.parent
  return list?.type === "argument_list" && readers.test(textOf(list.parent, "function"))
}

/** Is the file only read or written here, and never passed on, stored or closed? */
const staysOpen = (word: SyntaxNode): boolean => {
  const member = word.parent
  if (member?.type !== "selector_expression" || !isField(member, "operand", word)) return false
  return /^(Read|ReadAt|ReadString|Write|WriteString|WriteAt|Stat|Seek|Name|Sync|Next|Scan|Columns|Err|Fd)$/.test(
    textOf(member, "field")
  )
}

/** Does the claimed line have a `//nolint`? It is respected for these rules, too. */
const isExcused = ({ head }: RuleFile, line: number): boolean => /\/\/\s*nolint/.test(head?.[line - 1] ?? "")

/** Only one of the two packages called rand is predictable. */
const isPredictable = predictableSecret(
  new RegExp(
    `^\\w*?${secretName}(?:,\\w+)?:=.*\\brand\\.(?:Int|Intn|Int31n?|Int63n?|IntN|Uint32|Uint64|Float64|Read)\\(`,
    "i"
  )
)

/** A comment about the option, other than a task. */
const givesReason = (line: string): boolean =>
  /^\s*\/\/.*\bInsecureSkipVerify\b/.test(line) && !/TODO|FIXME|HACK|XXX/.test(line)

const ownChecks: NodeChecks = {
  "other-error-returned": otherErrorReturned,
  "tls-verification-off": (claim, { head }) => {
    const around = skipsVerification(claim) ? claim.parent : null
    if (around === null || givesReason(head?.[claim.startPosition.row - 1] ?? "")) return false
    if (/VerifyPeerCertificate|VerifyConnection/.test(around.text)) return false
    // An option of the user turns it off.
    const owner = enclosing(around, functions)?.text.replaceAll("InsecureSkipVerify", "") ?? ""
    return !/skip_?(tls_?|ssl_?|cert\w*_?)?verif|insecure|(tls|ssl)_?(skip|verif)|verify_?(tls|ssl|cert|peer)|skip_?(tls|ssl)/i.test(
      owner
    )
  },
  "sql-built-from-values": (claim) => {
    if (claim.type === "binary_expression") {
      const left = claim.childForFieldName("left") ?? undefined
      const right = fieldOf(claim, "right", "identifier", "selector_expression", "call_expression", "index_expression")
      if (left === undefined || right === null || !isText(left) || operatorOf(claim) !== "+") return false
      return !/^[A-Z][A-Z0-9_]*$|^strconv\./.test(right.text) && quotesIntoSql(left.text.slice(1, -1), /$/)
    }
    const [format, ...values] = memberOf(claim) === "fmt.Sprintf" ? argumentsOf(claim) : []
    if (format === undefined || !isText(format) || values.every((value) => literal(value) || isSchemaName(value)))
      return false
    return quotesIntoSql(format.text.slice(1, -1), /%[sv]/)
  },
  "shell-command-built": (claim) => {
    const values = /^exec\.Command(Context)?$/.test(memberOf(claim)) ? argumentsOf(claim) : []
    const shell = values.findIndex((one) => /^["`](\/(usr\/)?bin\/)?(ba|z|da|k)?sh["`]$/.test(one.text))
    const line = values[shell + 2]
    return shell >= 0 && /^["`]-\w*c["`]$/.test(values[shell + 1]?.text ?? "") && line !== undefined && isBuilt(line)
  },
  "nan-comparison": (claim) =>
    ["left", "right"].some((side) => claim.childForFieldName(side)?.text === "math.NaN()") &&
    /^([=!<>]=|[<>])$/.test(operatorOf(claim)),
  "response-body-not-closed": (claim) => {
    const [response] = partsOf(claim, "left")
    if (response?.type !== "identifier") return false
    if (!partsOf(claim, "right").some((one) => requests.test(memberOf(one)))) return false
    const owner = enclosing(claim, functions)
    if (owner === null) return false
    if (/client\.Do/.test(claim.text) && !/\bhttp\./.test(owner.text)) return false
    const uses = owner
      .descendantsOfType("identifier")
      .filter((word) => word.text === response.text && word.id !== response.id)
    return response.text !== "_" && uses.every(onlyReads)
  },
  "same-operand-twice": (claim) => {
    const left = claim.childForFieldName("left")
    const right = claim.childForFieldName("right")
    if (left === null || right === null || literal(left)) return false
    if (!/^(==|-)$/.test(operatorOf(claim))) return false
    // A call may return another value the second time.
    return squeezed(left) === squeezed(right) && !/[(]|<-/.test(left.text)
  }
}

export const nodeChecks: NodeChecks = {
  ...unlessExcused({ ...errorChecks, ...concurrencyChecks, ...ownChecks }, isExcused),
  "file-or-rows-not-closed": (claim) => {
    const [opened] = partsOf(claim, "left")
    const [call] = partsOf(claim, "right")
    if (opened?.type !== "identifier" || opened.text === "_" || call === undefined) return false
    const called = memberOf(call)
    const isRows = /(?:^|\.)(?:db|tx|conn|DB|Tx)\.(?:Query|QueryContext|Queryx)$/.test(called)
    if (!/^os\.(?:Open|OpenFile|Create)$/.test(called) && !isRows) return false
    const owner = enclosing(claim, functions)
    const uses = (owner?.descendantsOfType("identifier") ?? []).filter(
      (word) => word.text === opened.text && word.id !== opened.id
    )
    // `for rows.Next()` closes them at its end; only an exit from the loop leaves them open.
    if (isRows && uses.some((word) => word.parent?.text === `${opened.text}.Next`)) return false
    return uses.length > 0 && uses.every(staysOpen)
  },
  "error-type-assertion": (claim) => {
    if (claim.childForFieldName("operand")?.text !== "err") return false
    const list = claim.parent
    const statement = list?.type === "expression_list" ? list.parent : list
    const targets = statement === null || statement === undefined ? [] : partsOf(statement, "left")
    if (targets.length === 2 || statement?.type === "var_spec") return false
    const owner = enclosing(claim, functions)
    const before = owner?.text.slice(0, claim.startIndex - owner.startIndex) ?? ""
    // The type is checked before, here or by a switch.
    return !/errors\.As\(|err\.\(|switch\b.*\btype\)|reflect\.TypeOf\(err\)/.test(before)
  },
  "index-past-end": indexPastEnd({
    loop: "for_statement",
    counted: (loop) => {
      const clause = loop.namedChildren.find(({ type }) => type === "for_clause")
      const body = loop.childForFieldName("body")
      const condition = clause?.childForFieldName("condition")
      const match = condition == null ? null : /^(\w+)<=len\(([\w.]+)\)$/.exec(squeezed(condition))
      return body === null || match === null ? null : { index: match[1] ?? "", list: match[2] ?? "", body }
    },
    elements: ["index_expression"],
    element: bracketed,
    lengths: (list) => [`len(${list})`]
  }),
  "lock-not-released": lockNotReleased({
    functions,
    takes: /^([\w.]+)\.(R?)Lock\(\)$/,
    releases: (lock, taken) => `${lock}.${taken}Unlock()`
  }),
  "weak-cipher": textMatches(/^(?:des\.New(?:TripleDES)?Cipher|rc4\.NewCipher)\(/),
  "password-hashed-fast": passwordHashedFast(
    /^(?:md5\.Sum|sha1\.Sum|sha256\.Sum256|sha512\.Sum512)\(\[\]byte\((?:[\w.]+\.)?\w*passw(?:or)?d\w*\)\)/i
  ),
  "predictable-secret": (claim, file, captures) =>
    (file.head ?? []).some((line) => /"math\/rand(\/v2)?"/.test(line)) && isPredictable(claim, file, captures),
  "path-from-request": pathFromRequest({
    opens:
      /^(?:filepath\.Join|path\.Join|os\.(?:Open|OpenFile|ReadFile|WriteFile|Create|Remove|RemoveAll|MkdirAll)|ioutil\.ReadFile)\(/,
    input:
      /\b(?:r|req|request)\.(?:URL\.Query\(\)\.Get|FormValue|PostFormValue|PathValue)\(|\b(?:r|req|request)\.URL\.Path\b|\bmux\.Vars\(r\)|\bc\.(?:Param|Query|PostForm)\(/,
    made: /filepath\.(?:Base|Clean|IsLocal|Localize)\(|path\.(?:Base|Clean)\(/
  }),
  "endless-retry": endlessRetry((loop) => {
    if (
      parts(loop).some(({ type }) => /_clause$|^(binary|unary|call|parenthesized)_expression$|^identifier$/.test(type))
    )
      return false
    const statements = statementsOf(loop).flatMap((each) => (each.type === "statement_list" ? parts(each) : [each]))
    const failed = statements.findIndex(
      (each) => each.type === "if_statement" && squeezed(each.childForFieldName("condition") ?? each) === "err!=nil"
    )
    const consequence = failed < 0 ? null : (statements[failed]?.childForFieldName("consequence") ?? null)
    if (consequence === null || !leavesAtEnd(statements.slice(failed + 1))) return false
    const done = parts(consequence).flatMap((each) => (each.type === "statement_list" ? parts(each) : [each]))
    return done.at(-1)?.type === "continue_statement" && onlyLogs(done)
  }),
  "result-ignored": resultIgnored(
    "call_expression",
    /^(?:strings\.(?:Trim\w*|To(?:Upper|Lower|Title)|Replace(?:All)?|Split\w*|Join|Repeat|Fields|HasPrefix|HasSuffix|Contains)|fmt\.(?:Sprint(?:f|ln)?|Errorf)|errors\.(?:New|Wrapf?)|strconv\.(?:Itoa|Quote|FormatInt)|filepath\.(?:Join|Base|Dir|Clean)|path\.(?:Join|Base|Dir|Clean)|time\.(?:Now|Since)|context\.(?:WithValue|Background))\(/
  ),
  "html-from-values": htmlFromValues((call) => {
    const text = squeezed(call)
    return (
      /^template\.HTML\(/.test(text) &&
      (/fmt\.Sprintf\(["`][^"`]*<.*%[sv]/.test(text) ||
        /["`]\+[\w.]+|[\w.\])]\+["`]/.test(text) ||
        /FormValue\(|Query\(\)/.test(text))
    )
  })
}
