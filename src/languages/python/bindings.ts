/** Finds the words of a Python file that are bindings. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { Scopes } from "../scopes.ts"
import { isField } from "../tree.ts"

/**
 * Node types to the words they bind: those in a field, those in the first child (0), all, or none. Null if the parent
 * decides, as for patterns.
 */
type Binders = Readonly<Record<string, string | 0 | boolean | null>>

const always: Binders = {
  assignment: "left",
  augmented_assignment: "left",
  for_statement: "left",
  for_in_clause: "left",
  named_expression: "name",
  default_parameter: "name",
  typed_default_parameter: "name",
  typed_parameter: 0,
  parameters: true,
  lambda_parameters: true,
  as_pattern_target: true,
  case_pattern: true,
  // `def f[total, *T](x: total)`
  type: null,
  splat_type: null,
  constrained_type: 0,
  type_parameter: null,
  function_definition: "type_parameters",
  class_definition: "type_parameters",
  global_statement: true,
  nonlocal_statement: true
}

const functions = ["function_definition", "lambda"]
const comprehensions = ["list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"]

/** Defaults and annotations; of a comprehension, what its first loop reads. */
const around: Readonly<Record<string, ReadonlyArray<string>>> = {
  default_parameter: ["value"],
  typed_default_parameter: ["value", "type"],
  typed_parameter: ["type"],
  function_definition: ["return_type"]
}
const isClause = ({ type }: SyntaxNode): boolean => type === "for_in_clause"

export const pythonScopes: Scopes = {
  limits: [...functions, ...comprehensions],
  owners: ["class_definition"],
  hoisted: ["named_expression"],
  functions: [...functions, "class_definition"],
  bodies: ["class_definition"],
  outside: (part, parent) =>
    parent.type === "for_in_clause"
      ? isField(parent, "right", part) && parent.parent?.namedChildren.find(isClause)?.id === parent.id
      : (around[parent.type] ?? []).some((field) => isField(parent, field, part)),
  // The names of a class body do not hold in its methods.
  closed: ["class_definition"],
  barriers: [...functions, ...comprehensions],
  outward: ["global_statement"]
}

const isPattern = /pattern|_splat|^tuple$|^list$|^expression_list$/

/** Returns a test whether the word at a node is bound there. */
const binding = (more: Binders): ((node: SyntaxNode) => boolean) => {
  const binders = new Map(Object.entries({ ...always, ...more }))
  return (node) => {
    for (let at = node, parent = node.parent; parent !== null; at = parent, parent = parent.parent) {
      const binds = binders.get(parent.type) ?? (binders.has(parent.type) || isPattern.test(parent.type) ? null : false)
      // A name in a pattern is bound; a path, or the class of a pattern, is a use.
      if (parent.type === "dotted_name") {
        if (parent.namedChildren.length > 1 || !/^(?:case|keyword)_pattern$/.test(parent.parent?.type ?? ""))
          return false
        continue
      }
      if (typeof binds === "boolean") return binds
      if (binds !== null) return binds === 0 ? parent.namedChildren[0]?.id === at.id : isField(parent, binds, at)
    }
    return false
  }
}

export const isBinding = binding({ delete_statement: true, as_pattern: false })

/** Including definitions and imports: the nodes that give a local name its value. */
export const isBinder = binding({
  function_definition: "name",
  class_definition: "name",
  aliased_import: true,
  import_statement: true,
  import_from_statement: true
})
