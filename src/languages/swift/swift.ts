import wasm from "@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { imported } from "../imported.ts"
import type { Language } from "../Language.ts"
import { type Found, indexed, type Outline } from "../outline.ts"
import { stated } from "../settings.ts"
import { childOf, isField, textOf } from "../tree.ts"

/** Imports of modules: Swift does not import files. */
const imports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  root.namedChildren.flatMap((statement) => {
    const path = statement.type === "import_declaration" ? childOf(statement, "identifier") : null
    return path === null ? [] : [imported(statement, path.text, null, path.text)]
  })

/** The name of `struct Box<T>` and of `extension Box` is Box; an extension adds to a type that is defined elsewhere. */
const declared = (node: SyntaxNode): Found | null => {
  const at = node.childForFieldName("name")
  const keyword = textOf(node, "declaration_kind")
  if (at === null) return null
  if (keyword === "extension") return { kind: "scope", at, isClass: true }
  return { kind: /^(?:class|struct|actor)$/.test(keyword) ? "class" : "type", at }
}

/** `init` and `subscript`, whose name is a keyword. */
const keyword =
  (name: string) =>
  (node: SyntaxNode): Found => ({ kind: "function", at: node.children.find(({ type }) => type === name) ?? node, name })

const constant = (at: SyntaxNode): Found => ({ kind: "constant", at })

/** `let a = 1, b = 2` and `var (b, c)`. */
const bound = (node: SyntaxNode): ReadonlyArray<Found> =>
  node.namedChildren
    .filter(({ type }) => type === "pattern")
    .flatMap((each) => each.childForFieldName("bound_identifier") ?? each.descendantsOfType("simple_identifier"))
    .map(constant)

/** `case on, off(code: Int)` */
const cases = (node: SyntaxNode): ReadonlyArray<Found> =>
  node.namedChildren.filter(({ type }) => type === "simple_identifier").map(constant)

const outline: Outline = {
  definitions: {
    class_declaration: declared,
    protocol_declaration: "type",
    function_declaration: "function",
    protocol_function_declaration: "function",
    init_declaration: keyword("init"),
    subscript_declaration: keyword("subscript"),
    property_declaration: bound,
    protocol_property_declaration: bound,
    enum_entry: cases,
    typealias_declaration: "type",
    associatedtype_declaration: "type"
  },
  through: /^(?:class_body|protocol_body|enum_class_body|directive|if_config|ERROR)$/,
  parameters: ["function_declaration", "protocol_function_declaration", "init_declaration", "subscript_declaration"],
  packages: [],
  words: ["simple_identifier", "type_identifier"],
  labels: { value_argument_label: null, tuple_type_item: null, enum_type_parameters: null, parameter: "external_name" },
  imports: ["import_declaration"],
  bindings: { pattern: null, parameter: null, lambda_parameter: null, type_parameter: null },
  members: { navigation_expression: ["target", "suffix"], user_type: [0, -1] },
  calls: { call_expression: 0, constructor_expression: 0 },
  wrappers: ["navigation_suffix", "user_type", "prefix_expression"],
  self: ["self", "Self"],
  scopes: {
    limits: [
      "function_declaration",
      "protocol_function_declaration",
      "init_declaration",
      "deinit_declaration",
      "subscript_declaration",
      "computed_property",
      "computed_getter",
      "computed_setter",
      "lambda_literal",
      "statements",
      "if_statement",
      "for_statement",
      "while_statement",
      "catch_block",
      "switch_entry"
    ],
    owners: ["class_declaration", "protocol_declaration"],
    after: ["property_declaration", "guard_statement", "if_statement", "while_statement"],
    outside: (part, parent) => parent.type === "for_statement" && isField(parent, "collection", part)
  },
  kindOf: (node, parent) => {
    const before = parent.children.find((_, at) => parent.children[at + 1]?.id === node.id)?.type
    // `.on`, whose type is not in the text.
    if (before === "." && /^(?:prefix_expression|pattern|(?:if|guard|while)_statement)$/.test(parent.type))
      return "member"
    return before === "value_binding_pattern" ? "binding" : undefined
  }
}

export const swift: Language = {
  ...indexed(outline, imports),
  family: "swift",
  wasm,
  comments: lexicons.c,
  // Between the attributes of a declaration, for example.
  unsupported: [{ pattern: /^[ \t]*#(?:if|elseif|else|endif)\b.*$/gm }],
  stack: { name: "ios", owned: ["Package.resolved"] },
  conventions: [{ file: /^\.swiftlint\.yml$/, read: stated("swiftlint", "linted with SwiftLint") }],
  tests: {
    namesFor: (stem) => [`${stem}Tests.swift`, `${stem}Test.swift`],
    styles: [
      { header: /^\s*(?:@\w+ )*func (?<name>test\w*)\(/ },
      { header: /^\s*func (?<name>\w+)\(/, mark: /^\s*@Test\b/ }
    ]
  },
  sharesNames: "all",
  // An import refers to a module, not to a file.
  resolve: () => []
}
