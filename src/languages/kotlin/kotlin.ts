import wasm from "@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { endingIn, type PathIndex } from "../../domain/code/Repository.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { imported } from "../imported.ts"
import { javaTests } from "../java/tests.ts"
import type { Language } from "../Language.ts"
import { type Found, indexed, type Outline } from "../outline.ts"
import { before, childOf } from "../tree.ts"

/** The file with the name of the class, or else all files of the package. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  const segments = module.replace(/\.\*$/, "").split(".")
  const isAll = module.endsWith(".*")
  for (let count = segments.length; !isAll && count > Math.max(1, segments.length - 2); count--) {
    const path = segments.slice(0, count).join("/")
    const [found] = [`${path}.kt`, `${path}.java`].flatMap((each) => endingIn(each, from, repository))
    if (found !== undefined) return [found]
  }
  const folder = (isAll ? segments : segments.slice(0, -1)).join("/")
  return folder === "" ? [] : filesIn(`/${folder}/`, /\.kts?$|\.java$/, repository)
}

/** Files of the folders whose path ends like this; a package may have several source sets. */
const filesIn = (ending: string, wanted: RegExp, { byFolder }: PathIndex): ReadonlyArray<string> =>
  [...byFolder].flatMap(([folder, files]) =>
    `/${folder}`.endsWith(ending) ? files.filter((file) => wanted.test(file)) : []
  )

/** The module is the whole path, the name its last part; the folders decide which file has it. */
const imports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  root.namedChildren
    .filter(({ type }) => type === "import")
    .map((statement) => {
      const [path, alias] = statement.namedChildren
      const module = path?.text.replace(/[\s`]+/g, "") ?? ""
      const isAll = statement.children.at(-1)?.type === "*"
      const name = module.slice(module.lastIndexOf(".") + 1)
      return isAll
        ? imported(statement, `${module}.*`, null, "")
        : imported(statement, module, name, alias?.text ?? name)
    })

/** A declaration that has its name as a child of this type. */
const named =
  (kind: Found["kind"], type = "identifier") =>
  (node: SyntaxNode): Found | null => {
    const at = childOf(node, type)
    return at === null ? null : { kind, at }
  }

/** `class C(val a: Int)` gives the class a member. */
const property = (node: SyntaxNode): Found | null =>
  node.children.some(({ type }) => type === "val" || type === "var") ? named("constant")(node) : null

/** `val a = 1` and `val (a, b) = c`. */
const variables = (node: SyntaxNode): ReadonlyArray<Found> =>
  (childOf(node, "multi_variable_declaration") ?? node).namedChildren
    .filter(({ type }) => type === "variable_declaration")
    .flatMap((each) => named("constant")(each) ?? [])

const classOrInterface = (node: SyntaxNode): Found | null =>
  named(node.children.some(({ type }) => type === "interface") ? "type" : "class")(node)

const outline: Outline = {
  definitions: {
    class_declaration: classOrInterface,
    object_declaration: "class",
    function_declaration: "function",
    property_declaration: variables,
    class_parameter: property,
    enum_entry: named("constant"),
    type_alias: named("type")
  },
  through: /^(?:class_body|enum_class_body|companion_object|primary_constructor|class_parameters|statement|ERROR)$/,
  parameters: ["function_value_parameters", "class_parameters"],
  packages: ["package_header"],
  words: ["identifier"],
  labels: {},
  imports: ["import"],
  bindings: { variable_declaration: null, parameter: 0, catch_block: 0, class_parameter: null, type_parameter: null },
  members: { navigation_expression: [0, -1], callable_reference: [0, -1], user_type: [0, -1] },
  calls: { call_expression: 0, constructor_invocation: 0 },
  wrappers: ["user_type"],
  self: ["this"],
  scopes: {
    limits: [
      "function_declaration",
      "anonymous_function",
      "secondary_constructor",
      "getter",
      "setter",
      "lambda_literal",
      "block",
      "for_statement",
      "catch_block",
      "when_expression",
      "function_type",
      "type_alias"
    ],
    owners: ["class_declaration", "object_declaration", "companion_object"],
    after: ["property_declaration"],
    outside: (part, { type }) => type === "for_statement" && /variable_declaration$/.test(before(part)?.type ?? "")
  },
  kindOf: (node, parent) =>
    // The name of an argument.
    parent.type === "value_argument" && parent.children[1]?.type === "=" && parent.children[0]?.id === node.id
      ? null
      : undefined
}

export const kotlin: Language = {
  ...indexed(outline, imports),
  family: "kotlin",
  wasm,
  comments: lexicons.c,
  stack: { name: "java", owned: [] },
  tests: javaTests,
  sharesNames: "package",
  resolve
}
