/** Mutants of Python. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { chosenVariable, type MutationSyntax, reachedVariable } from "../../domain/prove/MutationSyntax.ts"

/** Not private to a class, as names with two underscores in front are. */
const name = "_dd_on_"

/** One statement on one line. */
const definition = `exec(${JSON.stringify(
  [
    `def ${name}(i, s={}):`,
    " import os",
    ` if not s: s.update(on=os.environ.get("${chosenVariable}", ""), to=os.environ.get("${reachedVariable}", ""), seen=set())`,
    ' if s["to"] and i not in s["seen"]:',
    '  s["seen"].add(i)',
    '  with open(s["to"], "a") as f: f.write(str(i) + "\\t" + os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[0] + "\\n")',
    ' return s["on"] == str(i)',
    ""
  ].join("\n")
)})`

/**
 * Defined before the first statement that may use it, and after those that have to come first. A line of its own only where
 * a statement with a block begins the file.
 */
const completed = (text: string, root: SyntaxNode): string => {
  const statements = root.namedChildren.filter(({ type }) => type !== "comment")
  const isFirst = ({ namedChildren, type }: SyntaxNode, at: number): boolean =>
    type === "future_import_statement" ||
    (at === 0 && type === "expression_statement" && namedChildren[0]?.type === "string")
  const first = statements.findIndex((each, at) => !isFirst(each, at))
  const next = statements[first < 0 ? statements.length : first]
  const last = statements[(first < 0 ? statements.length : first) - 1]
  if (last !== undefined) return `${text.slice(0, last.endIndex)}; ${definition}${text.slice(last.endIndex)}`
  const start = next?.startIndex ?? text.length
  const isSimple = next?.type.endsWith("_statement") === true && next.children.every(({ type }) => type !== "block")
  return `${text.slice(0, start)}${definition}${isSimple ? "; " : "\n"}${text.slice(start)}`
}

/** The only statement of its lines, in a block. */
const isAlone = (node: SyntaxNode): boolean => {
  const before = node.previousNamedSibling
  const after = node.nextNamedSibling
  return (
    (node.parent?.type === "block" || node.parent?.type === "module") &&
    before?.endPosition.row !== node.startPosition.row &&
    after?.startPosition.row !== node.endPosition.row &&
    node.parent.startPosition.row !== node.parent.parent?.startPosition.row
  )
}

const targets = [
  ["assignment", "left"],
  ["augmented_assignment", "left"],
  ["for_statement", "left"],
  ["for_in_clause", "left"],
  ["call", "function"],
  ["named_expression", "name"],
  ["keyword_argument", "name"]
] as const

export const pythonMutations: MutationSyntax = {
  conditions: {
    if_statement: "condition",
    elif_clause: "condition",
    while_statement: "condition",
    conditional_expression: 1,
    if_clause: 0
  },
  parenthesized: "parenthesized_expression",
  negated: (text) => `not (${text})`,
  binary: new Set(["boolean_operator", "comparison_operator", "binary_operator"]),
  logical: new Set(["and", "or"]),
  boundaries: { "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  opposites: { "==": "!=", "!=": "==", is: "is not", "is not": "is", in: "not in", "not in": "in" },
  arithmetic: new Set(["+", "-"]),
  integer: "integer",
  call: { type: "call", callee: "function", arguments: "arguments" },
  member: { type: "attribute", object: "object", name: "attribute" },
  wrapping: {
    methods: new Set("strip lstrip rstrip lower upper casefold title".split(" ")),
    functions: new Set(["sorted", "reversed", "list", "set", "tuple", "str", "int", "abs", "frozenset", "dict"])
  },
  awaiting: "await",
  optional: null,
  returning: "return_statement",
  nothing: "None",
  literals: { True: "False", False: "True" },
  expressionStatement: "expression_statement",
  assignments: new Set(["augmented_assignment"]),
  throwing: "raise_statement",
  defaults: { default_parameter: "value", typed_default_parameter: "value" },
  functions: new Set(["function_definition", "lambda"]),
  cases: null,
  pattern: () => null,
  excluded: new Set([
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "type",
    "type_alias_statement",
    "decorator",
    "assert_statement",
    "comment",
    "string"
  ]),
  isReplaceable: ({ id, parent }) =>
    parent !== null &&
    !targets.some(([type, field]) => parent.type === type && parent.childForFieldName(field)?.id === id),
  switches: {
    on: (id) => `${name}(${id})`,
    expression: (on, after, before) => `((${after}) if ${on} else (${before}))`,
    statement: (on, before, node) => (isAlone(node) ? `if not ${on}: ${before}` : null),
    completed
  }
}
