/** Python: values that the program itself chooses, as far as the function around them shows. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, identifiers, parts, rootOf } from "../../languages/tree.ts"

/** How many variables are followed from one to another. */
const mostSteps = 3

/** Is it a literal, a choice between literals, a list of these, or the name of a temporary file? */
export const isFixed = (node: SyntaxNode, steps = mostSteps): boolean => {
  switch (node.type) {
    case "integer":
    case "float":
    case "true":
    case "false":
    case "none":
      return true
    case "string":
    case "concatenated_string":
      return node.descendantsOfType("interpolation").every((hole) => parts(hole).every((part) => isFixed(part, steps)))
    case "list":
    case "tuple":
    case "set":
    case "expression_list":
      return parts(node).every((part) => isFixed(part, steps))
    case "conditional_expression": {
      const [consequence, , alternative] = parts(node)
      return [consequence, alternative].every((side) => side !== undefined && isFixed(side, steps))
    }
    case "identifier":
      return steps > 0 && isFixedName(node, steps - 1)
    case "attribute": {
      const object = node.childForFieldName("object")
      return object?.type === "identifier" && steps > 0 && isFixedName(object, steps - 1)
    }
    default:
      return /^(?:tempfile\.)?(?:mkstemp|mkdtemp|mktemp|NamedTemporaryFile|TemporaryDirectory)\(/.test(node.text)
  }
}

/** Is every value that the function binds to the name fixed? */
const isFixedName = (name: SyntaxNode, steps: number): boolean => {
  const owner = enclosing(name, ["function_definition", "lambda"])
  const isParameter = identifiers(owner?.childForFieldName("parameters") ?? null).some(({ text }) => text === name.text)
  if (isParameter) return false
  const bindings = (owner ?? rootOf(name))
    .descendantsOfType(["assignment", "augmented_assignment", "for_statement", "for_in_clause", "as_pattern"])
    .filter((one) => {
      const target = one.childForFieldName("left") ?? one.childForFieldName("alias")
      return target !== null && identifiers(target).some(({ text }) => text === name.text)
    })
  return (
    bindings.length > 0 &&
    bindings.every((one) => {
      const value = one.childForFieldName("right") ?? parts(one)[0]
      return value !== undefined && isFixed(value, steps)
    })
  )
}
