/** Mutants of TypeScript and JavaScript. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { chosenVariable, type MutationSyntax, reachedVariable } from "../../domain/prove/MutationSyntax.ts"

/** A declaration is known in the whole file, also above it. */
const name = "__ddOn"

/** `getBuiltinModule` needs no import (Node 20.16, Bun, Deno); a page in a browser has no `process` and no mutants. */
const declaration = `;function ${name}(id){var s=${name}.s;if(!s){var p=typeof process==="object"&&process,e=p&&p.env||{};var f=p&&p.getBuiltinModule&&p.getBuiltinModule("fs");s=${name}.s={on:+e.${chosenVariable}||-1,to:f&&e.${reachedVariable},fs:f,main:p&&p.argv&&p.argv[1],seen:{}}}if(s.to&&!s.seen[id]){s.seen[id]=1;var m=globalThis[Symbol.for("$$jest-matchers-object")],t=m&&m.state&&m.state.testPath||s.main||"";s.fs.appendFileSync(s.to,id+"\\t"+t+"\\n")}return s.on===id}`

const statementLists: ReadonlySet<string> = new Set(["program", "statement_block", "switch_case", "switch_default"])

/** A line that begins with a parenthesis continues the statement before it, unless that ends with a semicolon. */
const separated = (node: SyntaxNode): string => {
  let outer = node
  while (outer.parent !== null && outer.parent.startIndex === node.startIndex && outer.type !== "expression_statement")
    outer = outer.parent
  return outer.type === "expression_statement" && statementLists.has(outer.parent?.type ?? "") ? ";" : ""
}

const fieldsOfTargets = [
  ["assignment_expression", "left"],
  ["augmented_assignment_expression", "left"],
  ["for_in_statement", "left"],
  ["update_expression", "argument"],
  ["call_expression", "function"],
  ["new_expression", "constructor"],
  ["as_expression", null],
  ["satisfies_expression", null]
] as const

const isReplaceable = (node: SyntaxNode): boolean => {
  const { parent } = node
  if (parent === null) return false
  if (parent.type === "unary_expression" && /^(?:delete|typeof)\b/.test(parent.text)) return false
  if (parent.type === "call_expression" && node.type === "call_expression") return true
  return !fieldsOfTargets.some(
    ([type, field]) =>
      parent.type === type &&
      (field === null ? /\bconst\s*$/.test(parent.text) : parent.childForFieldName(field)?.id === node.id)
  )
}

export const scriptMutations: MutationSyntax = {
  conditions: {
    if_statement: "condition",
    while_statement: "condition",
    do_statement: "condition",
    ternary_expression: "condition"
  },
  parenthesized: "parenthesized_expression",
  negated: (text) => `!(${text})`,
  binary: new Set(["binary_expression"]),
  logical: new Set(["&&", "||", "??"]),
  boundaries: { "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  opposites: { "===": "!==", "!==": "===", "==": "!=", "!=": "==" },
  arithmetic: new Set(["+", "-"]),
  integer: "number",
  call: { type: "call_expression", callee: "function", arguments: "arguments" },
  member: { type: "member_expression", object: "object", name: "property" },
  wrapping: {
    methods: new Set(
      "trim trimStart trimEnd toLowerCase toUpperCase toLocaleLowerCase normalize sort toSorted reverse toReversed flat".split(
        " "
      )
    ),
    functions: new Set(["encodeURIComponent", "encodeURI", "decodeURIComponent", "String", "Number", "Math.abs"])
  },
  awaiting: "await_expression",
  optional: "optional_chain",
  returning: "return_statement",
  nothing: "undefined",
  literals: { true: "false", false: "true" },
  expressionStatement: "expression_statement",
  assignments: new Set(["assignment_expression", "augmented_assignment_expression", "update_expression"]),
  throwing: "throw_statement",
  defaults: {
    assignment_pattern: "right",
    object_assignment_pattern: "right",
    required_parameter: "value",
    optional_parameter: "value"
  },
  functions: new Set([
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
    "generator_function_declaration"
  ]),
  cases: { type: "switch_case", value: "value", never: "Symbol()" },
  pattern: (node) => {
    const pattern = node.type === "regex" ? node.childForFieldName("pattern") : null
    return pattern === null ? null : { start: pattern.startIndex, text: pattern.text }
  },
  excluded: new Set([
    "import_statement",
    "export_specifier",
    "type_annotation",
    "type_arguments",
    "type_alias_declaration",
    "interface_declaration",
    "ambient_declaration",
    "enum_declaration",
    "decorator",
    "comment"
  ]),
  isReplaceable,
  switches: {
    on: (id) => `${name}(${id})`,
    expression: (on, after, before, node) => `${separated(node)}(${on}?(${after}):(${before}))`,
    statement: (on, before) => `{if(!${on}){${before}}}`,
    completed: (text) => `${text.replace(/\s+$/, "")}${declaration}${/\s*$/.exec(text)?.[0] ?? ""}`
  }
}
