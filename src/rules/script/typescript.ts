/** What dd knows about TypeScript and JavaScript: defects that the language's own rules prove from one file. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf, type RuleFile, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { enclosing, hasComment, parts, rootOf, squeezed, within } from "../../languages/tree.ts"
import { asSaid, sameCode } from "../sameCode.ts"
import {
  ask,
  bare,
  callbackOf,
  callOf,
  expressionOf,
  firstLineOf,
  functions,
  isAsync,
  isConstant,
  operationOf,
  plainString,
  scopes,
  script
} from "./scriptTree.ts"

const equality = /^[!=]==?$/

const typeofResults = /^(undefined|object|boolean|number|bigint|string|symbol|function|unknown)$/

/** What stands behind the `else` of an `if`. */
const elseOf = (statement: SyntaxNode): SyntaxNode | null => expressionOf(statement.childForFieldName("alternative"))

/** Libraries for streams and promises have methods of the arrays' names that do wait. */
const mayWait = /\b(stream|iter|async|p|bluebird|observable|query|page|cy)\w*\b|\$$|Promise/i

const awaits = (definition: SyntaxNode): boolean => /\bawait\b/.test(definition.text)

/** A try that catches around all that is awaited: nothing can be lost but the order. */
const catchesAll = (definition: SyntaxNode): boolean => {
  const body = definition.childForFieldName("body")
  const [first, ...others] = body?.type === "statement_block" ? parts(body) : []
  if (first?.type !== "try_statement") return false
  const rest = /\bawait\b|\bthrow\b/
  const caught = first.childForFieldName("handler")
  return others.length === 0 || (caught !== null && ![caught, ...others].some(({ text }) => rest.test(text)))
}

/** Declarations are hoisted or are types: they are not run where they stand. */
const runs = ({ type, text }: SyntaxNode): boolean =>
  /^(lexical|variable)_declaration$/.test(type)
    ? text.includes("=")
    : !/declaration|signature|empty_statement/.test(type)

/** Does the function give a value back, or leave, on some path? */
const answers = (body: SyntaxNode): boolean =>
  within(body, ["return_statement", "throw_statement"], scopes).some(
    (statement) => statement.type === "throw_statement" || parts(statement).length > 0
  )

/** A variable put into a text by a template or by `+`; a constant by convention is not one. */
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
  /\b(escape|quote|sanitize|purify|encode)\w*\b|\bprocess\.(execPath|pid)\b/i.test(node.text)

/** One of two fixed values. */
const choosesFixed = (node: SyntaxNode): boolean => {
  if (node.type !== "ternary_expression") return false
  return ["consequence", "alternative"].every((side) => {
    const value = node.childForFieldName(side)
    return value !== null && isFixed(value)
  })
}

/** Names that are given to text for people, which a person may have written. */
const textName = /(name|title|label|text|message|description|value|query|url|href|email|user|comment|caption|subject)$/i

/** Is a variable of such a name put into this text as it is? */
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

/** The async function this module defines under the name, when nothing else in the file goes by it. */
const asyncFunction = (module: SyntaxNode, name: string, file: RuleFile): SyntaxNode | null => {
  if (!/^\w+$/.test(name)) return null
  // Text first: most calls are of other names, and lines are cheaper to ask than nodes.
  const named = new RegExp(`\\b(function|const|let|var|class)\\s+${name}\\b|[({,]\\s*${name}\\s*[,)}:=]`)
  const asynchronous = new RegExp(`\\basync\\s+function\\s+${name}\\b|\\bconst\\s+${name}\\s*=\\s*async\\b`)
  const naming = (file.head ?? []).filter((line) => named.test(line))
  if (naming.length !== 1 || !asynchronous.test(naming[0] ?? "")) return null
  for (const child of parts(module)) {
    const statement = child.childForFieldName("declaration") ?? child
    if (statement.childForFieldName("name")?.text === name) return statement
    for (const declarator of statement.type === "lexical_declaration" ? parts(statement) : []) {
      if (declarator.childForFieldName("name")?.text === name) return declarator.childForFieldName("value")
    }
  }
  return null
}

export const typescriptRules: ReadonlyArray<SyntaxRule> = [
  script({
    id: "ts/nan-comparison",
    severity: "high",
    confidence: "HIGH",
    title: "A comparison with NaN has the same result for every value",
    why: "NaN is not equal to anything, itself included.",
    fix: "Use Number.isNaN.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/NaN",
    keywords: ["NaN"],
    query: ask.binary,
    check: (claim) => {
      const { left, operator, right } = operationOf(claim)
      return equality.test(operator) && [left, right].some((side) => /^(Number\.)?NaN$/.test(side?.text ?? ""))
    },
    examples: {
      bad: ["if (x === NaN) f()\n", "const ok = Number.NaN != x\n", "while (a.b == NaN) { g() }\n"],
      good: ["if (Number.isNaN(x)) f()\n", "const x = NaN\n", "if (x === 'NaN') f()\n"]
    }
  }),
  script({
    id: "ts/assignment-in-condition",
    severity: "high",
    confidence: "HIGH",
    title: "This condition assigns instead of comparing",
    why: "The condition is the assigned value: it does not depend on what the variable held, which is now lost.",
    fix: "Use `===`, or move the assignment before the statement.",
    reference: "CWE-481",
    keywords: ["if", "while"],
    query: ask.assignment,
    check: (claim) => {
      const { parent } = claim
      if (parent?.type !== "parenthesized_expression" || parent.parent === null) return false
      if (parent.parent.childForFieldName("condition")?.id !== parent.id) return false
      const { right } = operationOf(claim)
      // `if (match = read())` is a known shorthand; a constant on the right never is.
      return right !== null && isConstant(right)
    },
    examples: {
      bad: ["if (x = 1) f()\n", "while (a.ready = true) { g() }\n", "if (state = 'open') { g() }\n"],
      good: ["if (x === 1) f()\n", "while ((m = re.exec(s))) { g(m) }\n", "if (m = find(x)) f(m)\n"]
    }
  }),
  script({
    id: "ts/empty-catch",
    severity: "low",
    confidence: "MEDIUM",
    title: "The error is swallowed here, without a word",
    why: "Whatever goes wrong in the block, a defect included, will never be seen.",
    fix: "Handle or report the error; if silence is meant, say why in a comment.",
    reference: "CWE-390",
    inTests: false,
    keywords: ["catch"],
    query: "(catch_clause) @claim",
    check: (claim, file) => {
      const body = claim.childForFieldName("body")
      if (body === null || body.namedChildren.length > 0) return false
      // A reason behind the brace, or a linter that was told.
      const { line, endLine } = linesOf(claim)
      const around = [file.head?.[line - 2] ?? "", file.head?.[endLine - 1] ?? ""]
      if (/eslint-disable/.test(around[0] ?? "") || /\}\s*\/[/*]/.test(around[1] ?? "")) return false
      // Storage may be switched off in a browser, and then there is nothing to do.
      const attempt = claim.parent?.childForFieldName("body")?.text ?? ""
      if (/^\{\s*[^;\n]*\b(local|session)Storage\b[^;\n]*;?\s*\}$/.test(attempt)) return false
      // A name that says so is how silence is written down.
      return !/^(_|ignore|expected)/i.test(claim.childForFieldName("parameter")?.text ?? "")
    },
    examples: {
      bad: [
        "try { f() } catch {}\n",
        "try {\n  f()\n} catch (error) {\n}\n",
        "async function g() {\n  try { await f() } catch (e) {}\n}\n"
      ],
      good: [
        "try { f() } catch (error) { report(error) }\n",
        "try {\n  f()\n} catch {\n  // the cache is optional\n}\n",
        "try { f() } catch (_ignored) {}\n",
        "try { localStorage.setItem('theme', theme) } catch (e) {}\n",
        "try { f() } catch (e) {} // the page may be gone\n",
        "try { f() } finally {}\n"
      ]
    }
  }),
  script({
    id: "ts/async-for-each",
    severity: "medium",
    confidence: "HIGH",
    title: "`forEach` does not wait for this async function",
    why: "The code after it runs before the work is done, and a rejection is nobody's.",
    fix: "Use `for ... of` with await, or `await Promise.all(xs.map(...))`.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/forEach",
    keywords: ["forEach"],
    query: ask.call,
    check: (claim) => {
      const callback = callOf(claim).method === "forEach" ? callbackOf(claim) : null
      return callback !== null && isAsync(callback) && awaits(callback) && !catchesAll(callback)
    },
    examples: {
      bad: [
        "xs.forEach(async (x) => { await save(x) })\n",
        "files.forEach(async function (file) {\n  const text = await read(file)\n  show(text)\n})\n",
        "this.items.forEach(async (x) => await x.close())\n"
      ],
      good: [
        "await Promise.all(xs.map(async (x) => { await save(x) }))\n",
        "for (const x of xs) await save(x)\n",
        "xs.forEach((x) => { save(x) })\n",
        "xs.forEach(async (x) => { try { await save(x) } catch (e) { report(e) } })\n"
      ]
    }
  }),
  script({
    id: "ts/async-predicate",
    severity: "high",
    confidence: "HIGH",
    title: "This callback answers with a promise, which is always true",
    why: "Array methods do not wait: the promise itself is taken as the answer.",
    fix: "Await the values first (`Promise.all`), then filter, search or sort them.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/filter",
    keywords: ["async"],
    query: ask.call,
    check: (claim) => {
      const { method, object } = callOf(claim)
      if (!/^(filter|some|every|find|findIndex|findLast|findLastIndex|sort)$/.test(method ?? "")) return false
      const callback = callbackOf(claim)
      return callback !== null && isAsync(callback) && !mayWait.test(object?.text ?? "")
    },
    examples: {
      bad: [
        "const open = xs.filter(async (x) => await isOpen(x))\n",
        "if (users.some(async (u) => { return await u.isAdmin() })) f()\n",
        "const x = list.find(async function (a) { return await ok(a) })\n"
      ],
      good: [
        "const open = xs.filter((x) => isOpen(x))\n",
        "const all = xs.map(async (x) => await isOpen(x))\n",
        "const open = await asyncFilter(xs, async (x) => isOpen(x))\n",
        "const y = await stream.filter(async (x) => isOpen(x))\n"
      ]
    }
  }),
  script({
    id: "ts/await-array",
    severity: "high",
    confidence: "HIGH",
    title: "`await` on an array of promises waits for none of them",
    why: "`map` with an async function gives an array, and an array is not a promise.",
    fix: "Wrap it: `await Promise.all(...)`.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/await",
    keywords: ["await"],
    query: "(await_expression) @claim",
    check: (claim) => {
      const call = expressionOf(claim)
      if (call?.type !== "call_expression" || callOf(call).args.length !== 1) return false
      const { method, object } = callOf(call)
      const callback = /^(map|flatMap)$/.test(method ?? "") ? callbackOf(call) : null
      return callback !== null && isAsync(callback) && !mayWait.test(object?.text ?? "")
    },
    examples: {
      bad: [
        "await xs.map(async (x) => { await save(x) })\n",
        "const all = await Object.values(table).map(async (x) => load(x))\n",
        "await files.flatMap(async function (f) { await f.close() })\n"
      ],
      good: [
        "await Promise.all(xs.map(async (x) => { await save(x) }))\n",
        "const all = xs.map(async (x) => load(x))\n",
        "await stream.forEach(async (x) => save(x))\n",
        "await xs.map((x) => x)\n"
      ]
    }
  }),
  script({
    id: "ts/async-promise-executor",
    severity: "medium",
    confidence: "HIGH",
    title: "A promise is made with an async function; what it throws is lost",
    why: "An error in the executor rejects the executor's own promise, which nobody holds: the outer one never settles.",
    fix: "Make the function around it async, or call `reject` from a catch.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Promise/Promise",
    keywords: ["new Promise"],
    query: "(new_expression) @claim",
    check: (claim) => {
      const executor = callOf(claim).called === "Promise" ? callbackOf(claim) : null
      if (executor === null || !isAsync(executor) || !awaits(executor) || catchesAll(executor)) return false
      return firstLineOf(claim)
    },
    examples: {
      bad: [
        "const p = new Promise(async (resolve) => { resolve(await f()) })\n",
        "return_(new Promise(async (resolve, reject) => {\n  const x = await f()\n  resolve(x)\n}))\n",
        "const p = new Promise(async function (resolve) { await f(); resolve() })\n"
      ],
      good: [
        "const p = new Promise((resolve) => { setTimeout(resolve, 1) })\n",
        "const p = new Promise(async (resolve, reject) => { try { resolve(await f()) } catch (e) { reject(e) } })\n",
        "const p = new Promise(async (resolve) => {\n  try { await f() } catch (e) { report(e) }\n  resolve(x)\n})\n",
        "const p = new Queue(async (x) => { await f(x) })\n"
      ]
    }
  }),
  script({
    id: "ts/throw-literal",
    severity: "low",
    confidence: "HIGH",
    title: "A text is thrown instead of an Error",
    why: "A thrown text has no stack and is not an Error to those who catch it.",
    fix: "Throw `new Error(...)`.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/throw",
    inTests: false,
    keywords: ["throw"],
    query: "(throw_statement) @claim",
    check: (claim) => /^(string|template_string|number)$/.test(expressionOf(claim)?.type ?? ""),
    examples: {
      bad: ["throw 'no'\n", "throw `no ${x}`\n", "if (a) throw 404\n"],
      good: ["throw new Error('no')\n", "throw error\n", "throw redirect('/')\n"]
    }
  }),
  script({
    id: "ts/error-not-thrown",
    severity: "high",
    confidence: "HIGH",
    title: "An error is made here and thrown away; `throw` is missing",
    why: "Making an error does nothing: the code goes on as if there were none.",
    fix: "Write `throw` before it, or remove the statement.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/throw",
    keywords: ["Error("],
    query: ask.statement,
    check: (claim) => {
      const made = expressionOf(claim)
      if (made === null || !/^(new|call)_expression$/.test(made.type)) return false
      const { called } = callOf(made)
      // Without `new`, only the language's own errors are surely no ordinary functions.
      return made.type === "new_expression"
        ? /^(Error|[A-Z]\w*(Error|Exception))$/.test(called)
        : /^(Type|Range|Syntax|Reference|Eval|URI|Aggregate)?Error$/.test(called)
    },
    examples: {
      bad: [
        "if (!x) { new Error('no x') }\n",
        "function f() { new TypeError(`bad ${x}`) }\n",
        "if (a) {\n  Error('no')\n}\n"
      ],
      good: [
        "throw new Error('no x')\n",
        "const e = new Error('no')\n",
        "onError(new Error('no'))\n",
        "showError('no')\n"
      ]
    }
  }),
  script({
    id: "ts/duplicate-case",
    severity: "high",
    confidence: "HIGH",
    title: "This case is tested twice; the second can never be reached",
    why: "The first equal case is taken.",
    fix: "Remove one, or write the value that was meant.",
    reference: "CWE-561",
    keywords: ["case "],
    query: "(switch_body) @claim",
    check: (claim, file) => {
      const seen = new Set<string>()
      for (const option of claim.namedChildren) {
        const value = option.type === "switch_case" ? option.childForFieldName("value") : null
        if (value === null || value.text.includes("(")) continue
        const text = plainString(value) === null ? squeezed(value) : `"${plainString(value)}"`
        const { line } = linesOf(option)
        if (seen.has(text) && file.isAdded(line)) return { line, description: `The value is ${value.text}.` }
        seen.add(text)
      }
      return false
    },
    examples: {
      bad: [
        "switch (x) { case 'a': f(); break; case 'b': g(); break; case 'a': h() }\n",
        "switch (x) {\n  case A.b:\n    f()\n    break\n  case A.b:\n    g()\n}\n",
        "switch (true) { case x > 1: f(); break; case x > 1: g() }\n"
      ],
      good: [
        "switch (x) { case 'a': f(); break; case 'b': g() }\n",
        "switch (x) { case 1: f(); break; case '1': g() }\n",
        "switch (x) { case f(): g(); break; case f(): h() }\n"
      ]
    }
  }),
  script({
    id: "ts/case-or",
    severity: "high",
    confidence: "HIGH",
    title: "Only one of these values is compared: `||` is evaluated before the comparison",
    why: "`'a' || 'b'` is `'a'`, and `x === 'a' || 'b'` is always true.",
    fix: "Compare with each value: one `case` a value, or `x === a || x === b`.",
    reference: "CWE-670",
    keywords: ["||"],
    query: ask.binary,
    check: (claim) => {
      const { left, operator, right } = operationOf(claim)
      if (operator !== "||" || left === null || right === null) return false
      if (claim.parent?.type === "switch_case") return /^(string|number)$/.test(left.type)
      if (!/^(string|number)$/.test(right.type) || left.type !== "binary_expression") return false
      const compared = operationOf(left)
      if (!/^===?$/.test(compared.operator) || !/^(string|number)$/.test(compared.right?.type ?? "")) return false
      // As a default value, `x === 1 || "none"` may be meant; as a condition it cannot be.
      let at: SyntaxNode = claim
      while (/^(parenthesized|binary|unary)_expression$/.test(at.parent?.type ?? "") && at.parent !== null)
        at = at.parent
      const holder = at.parent
      if (at.type === "parenthesized_expression" && /^(if|while|do)_statement$/.test(holder?.type ?? "")) return true
      return holder?.type === "ternary_expression" && holder.childForFieldName("condition")?.id === at.id
    },
    examples: {
      bad: [
        "switch (x) { case 'a' || 'b': f() }\n",
        "if (x === 'a' || 'b') f()\n",
        "const y = x == 1 || 2 ? a : b\n",
        "while (ready && (x === 'a' || 'b')) { f() }\n"
      ],
      good: [
        "switch (x) { case 'a': case 'b': f() }\n",
        "if (x === 'a' || x === 'b') f()\n",
        "const y = a === 'b' || 'c'\n",
        "if (x === (a || 'b')) f()\n"
      ]
    }
  }),
  script({
    id: "ts/duplicate-key",
    severity: "medium",
    confidence: "HIGH",
    title: "This property occurs twice in the object; only the last value is kept",
    why: "The first one is overwritten in silence.",
    fix: "Remove or rename one of the two.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/Object_initializer",
    keywords: ["{"],
    query: "(object) @claim",
    check: (claim, file) => {
      const seen = new Map<string, string>()
      for (const pair of claim.namedChildren) {
        // What a spread brings in is not known: a key after it may be there to override.
        if (pair.type === "spread_element") seen.clear()
        const key = pair.type === "pair" ? pair.childForFieldName("key") : null
        const value = pair.childForFieldName("value")
        if (key === null || value === null || !/^(property_identifier|string|number)$/.test(key.type)) continue
        const name = plainString(key) ?? key.text
        const earlier = seen.get(name)
        const { line, endLine } = linesOf(pair)
        if (earlier !== undefined && earlier !== value.text && file.isAdded(line)) {
          return { line, endLine, description: `The property is ${name}.` }
        }
        seen.set(name, value.text)
      }
      return false
    },
    examples: {
      bad: ["const o = { a: 1, b: 2, a: 3 }\n", "f({\n  a: 1,\n  'a': 2,\n})\n", "const o = { 'x-y': 1, 'x-y': 2 }\n"],
      good: [
        "const o = { a: 1, b: 2 }\n",
        "const o = { [a]: 1, [a]: 2 }\n",
        "const o = { a: 1, ...rest, a: 2 }\n",
        "const o = { get a() { return 1 }, set a(x) {} }\n"
      ]
    }
  }),
  script({
    id: "ts/self-assignment",
    severity: "medium",
    confidence: "HIGH",
    title: "This assigns a variable to itself",
    why: "Nothing changes, so one side is probably a slip.",
    fix: "Assign what was meant, or remove the statement.",
    reference: "CWE-480",
    keywords: ["="],
    query: ask.assignment,
    check: (claim) => {
      const { left, right } = operationOf(claim)
      if (left === null || right === null || claim.parent?.type !== "expression_statement" || left.text !== right.text)
        return false
      // Another object's property may have a setter that acts: `location.href = location.href`.
      return left.type === "identifier" || left.childForFieldName("object")?.type === "this"
    },
    examples: {
      bad: [
        "x = x\n",
        "class A { constructor(name) { this.name = this.name } }\n",
        "function f(a) { a = a; return a }\n"
      ],
      good: ["x = y\n", "this.name = name\n", "const x = { a: a }\n", "location.href = location.href\n"]
    }
  }),
  script({
    id: "ts/self-comparison",
    severity: "medium",
    confidence: "HIGH",
    title: "Both sides of this comparison are the same",
    why: "The result does not depend on the value, so one side is probably a slip.",
    fix: "Compare with what was meant; to test for NaN, use Number.isNaN.",
    reference: "CWE-570",
    inTests: false,
    keywords: [],
    query: ask.binary,
    check: (claim) => {
      const { left, operator, right } = operationOf(claim)
      if (left === null || right === null || !/^(===?|[<>]=?)$/.test(operator)) return false
      if (left.type !== right.type || !/^(identifier|member_expression|subscript_expression)$/.test(left.type))
        return false
      // A call may answer differently the second time.
      return sameCode(left, right) && !/[(+-]/.test(left.text)
    },
    examples: {
      bad: ["if (a.x === a.x) f()\n", "const ok = count < count\n", "if (xs[0] == xs[0]) f()\n"],
      good: [
        "if (a.x === b.x) f()\n",
        "const isNaN = x !== x\n",
        "if (f().x === f().x) g()\n",
        "if (xs[i++] === xs[i++]) g()\n"
      ]
    }
  }),
  script({
    id: "ts/invalid-typeof",
    severity: "high",
    confidence: "HIGH",
    title: "`typeof` never gives this text",
    why: "The comparison has the same result for every value.",
    fix: "Compare with one of undefined, object, boolean, number, bigint, string, symbol, function.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/typeof",
    keywords: ["typeof"],
    query: ask.binary,
    check: (claim) => {
      const { left, operator, right } = operationOf(claim)
      if (!equality.test(operator) || left === null || right === null) return false
      const [asked, kind] = right.type === "string" ? [left, right] : [right, left]
      const text = plainString(kind)
      return (
        text !== null && asked.type === "unary_expression" && /^typeof\b/.test(asked.text) && !typeofResults.test(text)
      )
    },
    examples: {
      bad: ["if (typeof x === 'undefind') f()\n", "if ('array' == typeof x) f()\n", "const ok = typeof x !== 'null'\n"],
      good: [
        "if (typeof x === 'undefined') f()\n",
        "if (typeof x === kind) f()\n",
        "const ok = 'bigint' !== typeof x\n"
      ]
    }
  }),
  script({
    id: "ts/unreachable-code",
    severity: "medium",
    confidence: "HIGH",
    title: "This statement can never run",
    why: "The statement before it always leaves the block.",
    fix: "Remove it, or move it before the statement that leaves.",
    reference: "CWE-561",
    keywords: ["return", "throw", "continue", "break"],
    query: "(statement_block) @claim",
    check: (claim, file) => {
      let leave: SyntaxNode | null = null
      for (const statement of parts(claim)) {
        if (leave !== null && runs(statement)) {
          const [before, after] = [firstLineOf(leave), firstLineOf(statement)]
          if (file.isAdded(after.line)) return after
          // In a test, leaving at once is how it is switched off for a while.
          return (
            !file.isTest &&
            file.isAdded(before.line) && { ...before, title: "What follows this statement can never run" }
          )
        }
        if (/^(return|throw|continue|break)_statement$/.test(statement.type)) leave = statement
      }
      return false
    },
    examples: {
      bad: [
        "function f() {\n  return 1\n  g()\n}\n",
        "for (const x of xs) {\n  continue\n  g(x)\n}\n",
        "function f() {\n  return\n  { a: 1 }\n}\n",
        "const f = () => {\n  throw new Error('no')\n  // and then\n  const x = g()\n}\n"
      ],
      good: [
        "function f() {\n  if (a) return 1\n  g()\n}\n",
        "function f() {\n  return g()\n  function g() {}\n}\n",
        "function f() {\n  return 1\n  // the end\n}\n",
        "switch (x) { case 1: return_(); break; default: f() }\n"
      ]
    }
  }),
  script({
    id: "ts/duplicate-condition",
    severity: "high",
    confidence: "HIGH",
    title: "This condition was already tested in the same chain; its branch never runs",
    why: "An earlier equal condition takes every value this one would.",
    fix: "Test what was meant, or remove the branch.",
    reference: "CWE-561",
    keywords: ["else if"],
    // The first `if`, not each `else`: a chain is gone through once, however long it is.
    query: "(if_statement) @claim",
    check: (claim, file) => {
      if (claim.parent?.type === "else_clause") return false
      const tested = new Set<string>()
      for (let at: SyntaxNode | null = claim; at?.type === "if_statement"; at = elseOf(at)) {
        const condition = at.childForFieldName("condition")
        if (condition === null || /\(.*\(|\+\+|--|[^=!<>]=[^=>]/s.test(condition.text)) continue
        const said = asSaid(condition)
        const place = linesOf(condition)
        if (tested.has(said) && (file.isAdded(place.line) || file.isAdded(place.endLine))) return place
        tested.add(said)
      }
      return false
    },
    examples: {
      bad: [
        "if (a === 1) f()\nelse if (a === 2) g()\nelse if (a === 1) h()\n",
        "if (x) { f() } else if (x) { g() }\n",
        "if (a.b) { f() } else if (c) { g() } else if ( a.b ) { h() }\n"
      ],
      good: [
        "if (a === 1) f()\nelse if (a === 2) g()\nelse h()\n",
        "if (next()) f()\nelse if (next()) g()\n",
        "if (a) f()\nif (a) g()\n"
      ]
    }
  }),
  script({
    id: "ts/same-branches",
    severity: "medium",
    confidence: "HIGH",
    title: "Both branches give the same value",
    why: "The condition decides nothing, so one branch is probably a slip.",
    fix: "Write the value that was meant, or drop the condition.",
    reference: "CWE-670",
    keywords: ["?"],
    query: "(ternary_expression) @claim",
    check: (claim) => {
      const [yes, no] = [claim.childForFieldName("consequence"), claim.childForFieldName("alternative")]
      // A comment at a branch says that the two are meant to be told apart.
      return yes !== null && no !== null && sameCode(yes, no) && !/\/[/*]/.test(claim.text)
    },
    examples: {
      bad: ["const x = a ? b : b\n", "f(open ? 'red' : 'red')\n", "const y = a ? [1, 2] : [1,2]\n"],
      good: [
        "const x = a ? b : c\n",
        "const y = a ? 1 : '1'\n",
        "const z = a ? b : a\n",
        "const s = a ? '' : ' '\n",
        "const x = a\n  ? b // loading\n  : b // nothing chosen\n"
      ]
    }
  }),
  script({
    id: "ts/negated-left",
    severity: "high",
    confidence: "HIGH",
    title: "`!` applies to the left side alone, not to the test",
    why: "`!a in b` asks whether `true` or `false` is a key of b; `!a instanceof B` is always false.",
    fix: "Write `!(a in b)` or `!(a instanceof B)`.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/instanceof",
    keywords: [" in ", "instanceof"],
    query: ask.binary,
    check: (claim) => {
      const { left, operator } = operationOf(claim)
      return /^(in|instanceof)$/.test(operator) && left?.type === "unary_expression" && left.text.startsWith("!")
    },
    examples: {
      bad: ["if (!key in table) f()\n", "if (!x instanceof Error) f()\n", "const ok = !a.b in c\n"],
      good: ["if (!(key in table)) f()\n", "if (!(x instanceof Error)) f()\n", "for (const x in !a ? b : c) f(x)\n"]
    }
  }),
  script({
    id: "ts/useless-comparison",
    severity: "medium",
    confidence: "HIGH",
    title: "The result of this comparison is not used",
    why: "As a statement of its own it does nothing, so `=` was probably meant.",
    fix: "Assign, or remove the statement.",
    reference: "CWE-482",
    inTests: false,
    keywords: ["=="],
    query: ask.statement,
    check: (claim) => {
      const expression = expressionOf(claim)
      return expression?.type === "binary_expression" && /^===?$/.test(operationOf(expression).operator)
    },
    examples: {
      bad: ["x === 1\n", "function f(a) { a.open == true; return a }\n", "if (x) { this.state === 'open' }\n"],
      good: ["x = 1\n", "const ok = x === 1\n", "const f = (a) => a === 1\n", "f(x === 1)\n"]
    }
  }),
  script({
    id: "ts/callback-without-return",
    severity: "high",
    confidence: "HIGH",
    title: "This callback gives nothing back, so the method's result does not depend on it",
    why: "A function body in braces needs `return`; without it every answer is undefined.",
    fix: "Return the value, or use `forEach` or a loop when none is wanted.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Functions/Arrow_functions",
    keywords: ["filter(", "some(", "every(", "find(", "findIndex(", "reduce("],
    query: ask.call,
    check: (claim) => {
      if (!/^(filter|some|every|find|findIndex|reduce)$/.test(callOf(claim).method ?? "")) return false
      const callback = callbackOf(claim)
      const body = callback?.type === "arrow_function" ? callback.childForFieldName("body") : null
      if (callback === null || body?.type !== "statement_block") return false
      // An empty body, as in a mock, is no oversight.
      if (parts(body).length === 0 || hasComment(body) || answers(body)) return false
      // Used for its side effects alone, it works; what is wrong then is only the name of the method.
      return claim.parent?.type !== "expression_statement" && linesOf(callback)
    },
    examples: {
      bad: [
        "const open = xs.filter((x) => { x.open })\n",
        "if (xs.some((x) => { x === y })) f()\n",
        "const sum = xs.reduce((a, x) => { a + x }, 0)\n"
      ],
      good: [
        "const open = xs.filter((x) => { return x.open })\n",
        "const open = xs.filter((x) => x.open)\n",
        "xs.every((x) => { f(x) })\n",
        "const a = xs.find((x) => { if (x) { return true } })\n"
      ]
    }
  }),
  script({
    id: "ts/shell-injection",
    severity: "high",
    confidence: "MEDIUM",
    title: "A shell runs text that is put together from variables",
    why: "A space, quote or semicolon in one of the values changes the command that runs.",
    fix: "Use `execFile` or `spawn` with a list of arguments.",
    reference: "CWE-78",
    inTests: false,
    keywords: ["child_process"],
    query: ask.call,
    check: (claim, file) => {
      const { called, args } = callOf(claim)
      if (!/^((cp|child_?process)\.)?exec(Sync)?$/i.test(called) || args[0] === undefined) return false
      // Build and release scripts run what their own authors pass.
      return (
        !/(^|\/)(scripts?|tools?|tooling|build|ci|extra|release|hack|migrations?|\.github)\//.test(file.path) &&
        variableIn(args[0])
      )
    },
    examples: {
      bad: [
        "import { exec } from 'child_process'\nexec(`git show ${ref}`)\n",
        "const { execSync } = require('child_process')\nexecSync('rm -r ' + path)\n",
        "import cp from 'node:child_process'\ncp.execSync(`ls ${dir}`, { stdio: 'inherit' })\n"
      ],
      good: [
        "import { execFile } from 'child_process'\nexecFile('git', ['show', ref])\n",
        "import { exec } from 'child_process'\nexec('ls -l')\n",
        "import { exec } from 'child_process'\nconst m = re.exec(`a ${b}`)\n",
        "import { exec } from 'child_process'\nexec(`git show ${quote([ref])}`)\n",
        "import { execSync } from 'child_process'\nexecSync(`npm run migrate${isTest ? ' --env=test' : ''}`)\n"
      ]
    }
  }),
  script({
    id: "ts/html-injection",
    severity: "high",
    confidence: "MEDIUM",
    title: "Text from variables becomes HTML of the page",
    why: "Markup in one of the values is run in the reader's session (cross-site scripting).",
    fix: "Use textContent, build elements, or sanitize the value first.",
    reference: "CWE-79",
    inTests: false,
    keywords: ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"],
    query: "[(assignment_expression) (call_expression)] @claim",
    check: (claim) => {
      if (claim.type === "assignment_expression") {
        const { left, right } = operationOf(claim)
        return right !== null && /\.(inner|outer)HTML$/.test(left?.text ?? "") && isMarkup(right)
      }
      const { called, method, args } = callOf(claim)
      const html = args.at(-1)
      return html !== undefined && (method === "insertAdjacentHTML" || called === "document.write") && isMarkup(html)
    },
    examples: {
      bad: [
        "box.innerHTML = `<b>${name}</b>`\n",
        "box.innerHTML = '<b>' + name + '</b>'\n",
        "box.insertAdjacentHTML('beforeend', `<li>${item.title}</li>`)\n"
      ],
      good: [
        "box.textContent = name\n",
        "box.innerHTML = '<b>static</b>'\n",
        "box.innerHTML = `<b>${escapeHtml(name)}</b>`\n",
        "box.innerHTML = ''\n",
        "svg.innerHTML = `<defs>${clipPath}</defs>`\n"
      ]
    }
  }),
  script({
    id: "ts/floating-promise",
    severity: "medium",
    confidence: "MEDIUM",
    title: "This async function is called without waiting for it",
    why: "What follows runs before it is done, and what it throws is nobody's.",
    fix: "Write `await` before the call; when that is not wanted, `void` and a `catch` say so.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/await",
    inTests: false,
    keywords: ["async function", "async ("],
    query: ask.statement,
    check: (claim, file) => {
      const call = expressionOf(claim)
      if (call?.type !== "call_expression" || !/^\w+$/.test(callOf(call).called)) return false
      const inside = enclosing(claim, functions, ["class_body"])
      if (inside === null || !isAsync(inside)) return false
      const defined = asyncFunction(rootOf(claim), callOf(call).called, file)
      return defined !== null && awaits(defined) && !catchesAll(defined)
    },
    examples: {
      bad: [
        "async function save(x) { await put(x) }\n\nasync function f(x) {\n  save(x)\n  done()\n}\n",
        "const save = async (x) => { await put(x) }\n\nexport const f = async (x) => {\n  save(x)\n}\n",
        "export async function save(x) {\n  const y = await put(x)\n  return y\n}\nasync function f(x) {\n  if (x) { save(x) }\n}\n"
      ],
      good: [
        "async function save(x) { await put(x) }\n\nasync function f(x) { await save(x) }\n",
        "async function save(x) { await put(x) }\n\nasync function f(x) { void save(x) }\n",
        "async function main() { await put(1) }\n\nmain()\n",
        "async function save(x) { try { await put(x) } catch (e) { report(e) } }\n\nasync function f(x) { save(x) }\n",
        "async function save(x) { await put(x) }\n\nfunction f(save) { return async () => { save(1) } }\n"
      ]
    }
  })
]
