import wasm from "tree-sitter-c-sharp/tree-sitter-c_sharp.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { imported } from "../imported.ts"
import type { Language } from "../Language.ts"
import { type Found, indexed, type Outline } from "../outline.ts"
import { parts } from "../tree.ts"

/** A namespace is a folder in the usual layout: `Acme.Shop.Carts` in `src/Acme.Shop/Carts/`; or it is the file of a class. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  const name = bare(module)
  if (!/^\w+(?:\.\w+)*$/.test(name)) return []
  const stem = name.slice(name.lastIndexOf(".") + 1)
  const asFile = (repository.byName.get(`${stem}.cs`) ?? []).filter((file) => dotted(file).endsWith(`.${name}.cs`))
  if (asFile.length === 1) return asFile
  const folders = [...repository.byFolder].filter(([folder]) => dotted(folder).endsWith(`.${name}.`))
  const nearest = Math.min(...folders.map(([folder]) => distance(from, folder)))
  return folders
    .filter(([folder]) => distance(from, folder) === nearest)
    .flatMap(([, files]) => files.filter((file) => file.endsWith(".cs")))
}

const bare = (module: string): string => module.replace(/^global::/, "").replace(/<[\s\S]*$/, "")
const dotted = (path: string): string => `.${path.replaceAll("/", ".")}`

/** The number of folders from `from` up to a common folder. */
const distance = (from: string, folder: string): number =>
  foldersAbove(from).findIndex((above) => folder.startsWith(above))

/** `using`, anywhere in the file: a namespace, a type, or an alias of one of them. */
const imports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  usingsIn(root, 0).map((node) => {
    const alias = node.childForFieldName("name")
    const target = parts(node).find(({ id, type }) => id !== alias?.id && type !== "modifier")
    return imported(node, target?.text.replace(/\s+/g, "") ?? "", null, alias?.text ?? "")
  })

const usingsIn = (body: SyntaxNode, depth: number): ReadonlyArray<SyntaxNode> =>
  depth > 6
    ? []
    : body.namedChildren.flatMap((child) => {
        if (child.type === "using_directive") return [child]
        return /^(?:namespace_declaration|file_scoped_namespace_declaration|declaration_list|preproc_.*|ERROR)$/.test(
          child.type
        )
          ? usingsIn(child, depth + 1)
          : []
      })

const variable = (node: SyntaxNode): Found | null => {
  const at = node.childForFieldName("name")
  const whole = node.parent?.parent ?? null
  return at === null ? null : { kind: "constant", at, whole: /field_decl/.test(whole?.type ?? "") ? whole : null }
}

const outline: Outline = {
  definitions: {
    class_declaration: "class",
    struct_declaration: "class",
    record_declaration: "class",
    record_struct_declaration: "class",
    interface_declaration: "type",
    enum_declaration: "type",
    delegate_declaration: "type",
    method_declaration: "function",
    property_declaration: "constant",
    event_declaration: "constant",
    variable_declarator: variable,
    enum_member_declaration: "constant"
  },
  through:
    /^(?:(?:file_scoped_)?namespace_declaration|declaration_list|enum_member_declaration_list|(?:event_)?field_declaration|variable_declaration|preproc_\w+|ERROR)$/,
  parameters: ["parameter_list"],
  packages: ["namespace_declaration", "file_scoped_namespace_declaration"],
  words: ["identifier", "implicit_parameter"],
  labels: { argument: "name", subpattern: 0, constructor_declaration: "name" },
  imports: ["using_directive"],
  bindings: {
    parameter: "name",
    type_parameter: "name",
    catch_declaration: "name",
    declaration_expression: "name",
    declaration_pattern: "name",
    local_function_statement: "name",
    foreach_statement: "left",
    from_clause: "name",
    let_clause: "name",
    tuple_pattern: null
  },
  members: {
    member_access_expression: ["expression", "name"],
    conditional_access_expression: ["condition", 1],
    qualified_name: ["qualifier", "name"]
  },
  calls: { invocation_expression: "function", object_creation_expression: "type" },
  wrappers: ["generic_name", "member_binding_expression"],
  self: ["this"],
  scopes: {
    limits: [
      "block",
      "method_declaration",
      "constructor_declaration",
      "accessor_declaration",
      "local_function_statement",
      "lambda_expression",
      "anonymous_method_expression",
      "for_statement",
      "foreach_statement",
      "using_statement",
      "catch_clause",
      "switch_section",
      "switch_expression_arm",
      "query_expression",
      "delegate_declaration"
    ],
    owners: [
      "class_declaration",
      "struct_declaration",
      "record_declaration",
      "record_struct_declaration",
      "interface_declaration"
    ]
  },
  kindOf: (node, parent) =>
    node.type === "implicit_parameter"
      ? "binding"
      : parent.type === "assignment_expression" &&
          parent.parent?.type === "initializer_expression" &&
          parent.namedChildren[0]?.id === node.id
        ? // The name of a member in `new Cart { total = 1 }`.
          null
        : undefined
}

export const csharp: Language = {
  ...indexed(outline, imports),
  family: "csharp",
  wasm,
  comments: lexicons.c,
  sharesNames: "all",
  resolve
}
