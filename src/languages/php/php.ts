import wasm from "tree-sitter-php/tree-sitter-php.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { endingIn, type Repository } from "../../domain/code/Repository.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { joinPath } from "../../domain/text/joinPath.ts"
import { imported, statementsIn } from "../imported.ts"
import type { Language } from "../Language.ts"
import { type Found, indexed, type Outline } from "../outline.ts"
import { noScopes } from "../scopes.ts"
import { childOf, parts, textOf } from "../tree.ts"

/** By composer.json if there is one (PSR-4), else the only file whose path ends with the name of the class. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  if (/^\.|\//.test(module) || module.endsWith(".php")) {
    const beside = joinPath(foldersAbove(from)[0] ?? "", module)
    return [beside, module].filter((path) => path !== null && repository.paths.has(path)).slice(0, 1) as Array<string>
  }
  for (const { prefix, folder } of repository.once(psr4Of)) {
    if (!module.startsWith(prefix)) continue
    const path = `${folder}${module.slice(prefix.length).replaceAll("\\", "/")}.php`
    if (repository.paths.has(path)) return [path]
  }
  const segments = module.split("\\")
  // The first part is the vendor or the application, for which there may be no folder.
  for (let drop = 0; drop < segments.length - 1; drop++) {
    const found = endingIn(`${segments.slice(drop).join("/")}.php`, from, repository)
    if (found.length > 0) return found.length === 1 ? found : []
  }
  return []
}

interface Psr4 {
  readonly prefix: string
  readonly folder: string
}

/** Longest prefixes first, as in Composer. */
const psr4Of = ({ byName, json }: Repository): ReadonlyArray<Psr4> =>
  (byName.get("composer.json") ?? [])
    .flatMap((path) => {
      const manifest = json(path)
      const base = path.slice(0, path.lastIndexOf("/") + 1)
      return [manifest.autoload, manifest["autoload-dev"]].flatMap((autoload) => mappings(autoload, base))
    })
    .sort((a, b) => b.prefix.length - a.prefix.length)

const mappings = (autoload: unknown, base: string): ReadonlyArray<Psr4> => {
  const psr4 = typeof autoload === "object" && autoload !== null && "psr-4" in autoload ? autoload["psr-4"] : null
  if (typeof psr4 !== "object" || psr4 === null) return []
  return Object.entries(psr4).flatMap(([prefix, folders]) =>
    [folders].flat().flatMap((folder: unknown) => {
      const at = typeof folder === "string" ? joinPath(base, folder) : null
      return at === null ? [] : [{ prefix, folder: at === "" ? "" : `${at}/` }]
    })
  )
}

/** `use` of classes, functions and constants, and the files that `include` and `require` name. */
const imports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: word, index } of statementsIn(root, /\b(?:use|(?:include|require)(?:_once)?)\b/g)) {
    const at = root.startIndex + index
    const leaf = root.descendantForIndex(at, at + word.length)
    const node = leaf?.parent ?? null
    if (node === null || leaf?.startIndex !== at || leaf.endIndex !== at + word.length) continue
    if (node.type === "namespace_use_declaration" && node.startIndex === at) found.push(...namesTaken(node))
    else if (/^(?:include|require)(?:_once)?_expression$/.test(node.type)) {
      const path = pathOf(node.namedChildren[0] ?? null)
      if (path !== null) found.push(imported(node, path, null, ""))
    }
  }
  return found
}

/** `'a.php'`, and `__DIR__ . '/a.php'` as `./a.php`. */
const pathOf = (given: SyntaxNode | null): string | null => {
  if (given?.type === "parenthesized_expression") return pathOf(given.namedChildren[0] ?? null)
  if (given?.type !== "binary_expression") return literal(given)
  const isHere = /^(?:__DIR__|dirname\(__FILE__\))$/.test(textOf(given, "left"))
  const rest = literal(given.childForFieldName("right"))
  return isHere && rest !== null ? `.${rest.startsWith("/") ? "" : "/"}${rest}` : null
}

const namesTaken = (declaration: SyntaxNode): ReadonlyArray<ImportedName> => {
  const group = declaration.childForFieldName("body")
  const prefix = group === null ? "" : `${childOf(declaration, "namespace_name")?.text ?? ""}\\`
  return (group ?? declaration).namedChildren
    .filter(({ type }) => type === "namespace_use_clause")
    .map((clause) => {
      const alias = clause.childForFieldName("alias")
      const path = parts(clause).find(({ id }) => id !== alias?.id)
      const module = `${prefix}${path?.text ?? ""}`.replace(/\s+/g, "").replace(/^\\/, "")
      const name = module.slice(module.lastIndexOf("\\") + 1)
      return imported(clause, module, name, alias?.text ?? name)
    })
}

/** The text of a string without variables; null for any other node. */
const literal = (node: SyntaxNode | null): string | null => {
  if (node?.type !== "string" && node?.type !== "encapsed_string") return null
  const [content, ...others] = node.namedChildren
  return others.length === 0 && content?.type === "string_content" ? content.text : null
}

/** `define('NAME', value)` */
const defined = (node: SyntaxNode): Found | null => {
  const given = node.childForFieldName("arguments")?.namedChildren[0]?.namedChildren[0] ?? null
  const name = node.childForFieldName("function")?.text === "define" ? literal(given) : null
  return name === null ? null : { kind: "constant", at: node, name }
}

/** `$name`, without its sign. */
const property = (node: SyntaxNode): Found | null => {
  const variable = childOf(node, "variable_name")
  const at = variable?.namedChildren[0]
  return at === undefined ? null : { kind: "constant", at, whole: declarationOf(node) }
}

const declarationOf = ({ parent }: SyntaxNode): SyntaxNode | null =>
  /^(?:property|const)_declaration$/.test(parent?.type ?? "") ? parent : null

const constant = (node: SyntaxNode): Found | null => {
  const [at] = node.namedChildren
  return at === undefined ? null : { kind: "constant", at, whole: declarationOf(node) }
}

const outline: Outline = {
  definitions: {
    class_declaration: "class",
    interface_declaration: "type",
    trait_declaration: "type",
    enum_declaration: "type",
    function_definition: "function",
    method_declaration: "function",
    property_element: property,
    property_promotion_parameter: property,
    const_element: constant,
    enum_case: "constant",
    function_call_expression: defined
  },
  through:
    /^(?:namespace_definition|compound_statement|if_statement|else_clause|else_if_clause|colon_block|try_statement|expression_statement|declaration_list|enum_declaration_list|(?:property|const)_declaration|ERROR)$/,
  parameters: ["formal_parameters"],
  packages: ["namespace_definition"],
  words: ["name"],
  labels: { argument: "name", variable_name: null },
  imports: ["namespace_use_clause"],
  bindings: {},
  members: {
    member_call_expression: ["object", "name"],
    member_access_expression: ["object", "name"],
    nullsafe_member_call_expression: ["object", "name"],
    nullsafe_member_access_expression: ["object", "name"],
    scoped_call_expression: ["scope", "name"],
    class_constant_access_expression: [0, 1],
    scoped_property_access_expression: ["scope", "name"],
    qualified_name: ["prefix", 1]
  },
  calls: {
    function_call_expression: "function",
    object_creation_expression: 0,
    member_call_expression: null,
    nullsafe_member_call_expression: null,
    scoped_call_expression: null
  },
  wrappers: ["qualified_name"],
  self: ["$this", "self", "static"],
  scopes: noScopes
}

export const php: Language = {
  ...indexed(outline, imports),
  family: "php",
  wasm,
  comments: lexicons.php,
  sharesNames: "folder",
  dataFile: { name: /^composer\.json$/, isWanted: ({ isVendored }) => !isVendored },
  resolve
}
