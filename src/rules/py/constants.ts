/** Python: conditions that are decided before the program runs, and loops over the wrong thing. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  childRange,
  enclosing,
  isField,
  lineOf,
  parts,
  relatedPlace,
  rootOf,
  textOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { boundIn, isLiteral } from "./pythonTree.ts"

/** Is the value only asked for its truth? */
const isCondition = (node: SyntaxNode): boolean => {
  const { parent } = node
  if (parent === null) return false
  if (/^(boolean_operator|not_operator|parenthesized_expression)$/.test(parent.type)) return isCondition(parent)
  if (parent.type === "conditional_expression") return parts(parent)[1]?.id === node.id
  return isField(parent, "condition", node) || parent.type === "assert_statement" || parent.type === "if_clause"
}

/** The only value the name gets in the function; null if there are others. */
const onlyValue = (name: SyntaxNode): SyntaxNode | null => {
  const owner = enclosing(name, ["function_definition"])
  if (owner === null) return null
  const given = owner
    .descendantsOfType([
      "assignment",
      "augmented_assignment",
      "for_statement",
      "as_pattern",
      "named_expression",
      "with_item",
      "parameters",
      "global_statement",
      "nonlocal_statement"
    ])
    .filter((node) =>
      (node.childForFieldName("left") ?? node.childForFieldName("alias") ?? node.childForFieldName("name") ?? node)
        .descendantsOfType("identifier")
        .some((word) => word.text === name.text && (node.type !== "assignment" || word.parent?.type !== "attribute"))
    )
  const [only, ...others] = given
  return only?.type === "assignment" && others.length === 0 && textOf(only, "left") === name.text
    ? only.childForFieldName("right")
    : null
}

/** Objects that are always true: they have neither a length nor a truth of their own. */
const alwaysTrue =
  /^(?:io\.)?(?:BytesIO|StringIO)\(|^(?:threading|asyncio|multiprocessing)\.(?:Lock|RLock|Event|Condition)\(|^re\.compile\(|^object\(\)$/

export const constantChecks: NodeChecks = {
  "constant-operand": (claim) => {
    const [left, right] = [claim.childForFieldName("left"), claim.childForFieldName("right")]
    if (left === null || right === null) return false
    const isOr = textOf(claim, "operator") === "or"
    if (isLiteral(left)) {
      return {
        line: lineOf(claim),
        description: `\`${left.text}\` alone is always true, so the result is that of \`${isOr ? left.text : right.text}\`.`
      }
    }
    if (!isLiteral(right) || left.type !== "comparison_operator" || !isCondition(claim)) return false
    return {
      line: lineOf(claim),
      description: `\`${right.text}\` alone is always true; it is not compared as in \`${left.text}\`.`
    }
  },
  "always-true": (claim) => {
    if (claim.parent === null || !isCondition(claim) || claim.text === "_") return false
    const value = onlyValue(claim)
    if (value !== null) {
      return (
        alwaysTrue.test(value.text) && {
          line: lineOf(claim),
          description: `\`${claim.text}\` is \`${value.text.slice(0, 60)}\` from line ${lineOf(value)}, which is true whatever it contains.`,
          related: [relatedPlace(value, "assigned here")]
        }
      )
    }
    const owner = enclosing(claim, ["function_definition", "class_definition"])
    if (owner !== null && boundIn(owner).has(claim.text)) return false
    const bindings = parts(rootOf(claim)).filter(
      (each) => each.type === "function_definition" && textOf(each, "name") === claim.text
    )
    const [definition] = bindings
    if (
      definition === undefined ||
      new RegExp(
        `\\b${claim.text}\\s*(?::[^=\\n]+)?=[^=]|\\bimport\\b.*\\b${claim.text}\\b|\\bglobal\\s+${claim.text}\\b|for\\s+${claim.text}\\b|as ${claim.text}\\b`
      ).test(rootOf(claim).text)
    )
      return false
    if (
      owner !== null &&
      within(owner, ["function_definition", "lambda"]).some((each) => boundIn(each).has(claim.text))
    )
      return false
    return {
      line: lineOf(claim),
      description: `\`${claim.text}\` is the function of line ${lineOf(definition)}; it is not called.`,
      related: [{ ...childRange(definition, "name"), message: "defined here" }]
    }
  },
  "dict-unpacked-without-items": (claim) => {
    const [left, right] = [claim.childForFieldName("left"), claim.childForFieldName("right")]
    if (left?.type !== "pattern_list" || parts(left).length !== 2 || right?.type !== "identifier") return false
    const value = onlyValue(right)
    if (value === null || !/^dictionary(_comprehension)?$/.test(value.type)) return false
    const pairs = value.namedChildren.filter(({ type }) => type === "pair")
    if (
      pairs.length === 0 ||
      pairs.some((pair) =>
        /^(tuple|parenthesized_expression|call|string)$/.test(pair.childForFieldName("key")?.type ?? "")
      )
    )
      return false
    return {
      line: lineOf(claim),
      description: `\`${right.text}\` is a dictionary (line ${lineOf(value)}), so the loop gives keys alone; \`${left.text}\` needs \`${right.text}.items()\`.`,
      related: [relatedPlace(value, "a dictionary")]
    }
  }
}
