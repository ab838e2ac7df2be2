/** Distinguishes uses of a TypeScript name as a value from uses as a type. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing } from "../../languages/tree.ts"

/** False in type positions and in the statement that imports the name. */
export const isValueUse = (node: SyntaxNode): boolean =>
  (node.type === "identifier" || node.type === "shorthand_property_identifier") &&
  enclosing(
    node,
    ["import_statement", "type_query", "type_annotation", "type_alias_declaration", "interface_declaration"],
    ["statement_block", "arguments"]
  ) === null
