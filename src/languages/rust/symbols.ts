/**
 * What a Rust file defines, declares as modules and imports. The words in macros that define items are `bound`.
 *
 * Paths are relative to the file's own module: `super::x` in `mod tests { }` is `self::x` of the file.
 */
import type {
  Definition,
  FileSymbols,
  ImportedName,
  Parameter,
  Signature,
  TypeShape,
  Visibility
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { definitionOf, typeFrom } from "../definition.ts"
import { imported, isInner } from "../imported.ts"
import { isComment, lineOf, marked, parts, partsOf, squeezed, textOf } from "../tree.ts"

interface Found {
  readonly definitions: Array<Definition>
  readonly types: Array<TypeShape>
  readonly inner: Array<Definition>
  readonly bound: Set<string>
  open: boolean
}

export const rustSymbols = (root: SyntaxNode): FileSymbols => {
  const found = nothingFound(root.hasError)
  readItems(root, found)
  const imports = rustImports(root).filter(({ within }) => within === undefined)
  return {
    ...found,
    imports: imports.filter(({ name }) => name !== "*"),
    stars: imports.flatMap(({ module, name }) => (name === "*" ? [module] : [])),
    exports: null,
    package: ""
  }
}

const nothingFound = (open: boolean): Found => ({ definitions: [], types: [], inner: [], bound: new Set(), open })

const readItems = (body: SyntaxNode, found: Found): void => {
  let marks = ""
  for (const item of body.namedChildren) {
    if (isComment(item)) continue
    if (item.type === "attribute_item") marks += squeezed(item)
    else {
      // The macro has another name than its function.
      if (marks.includes("#[proc_macro")) found.open = true
      readItem(item, marks, found)
      marks = ""
    }
  }
}

/** The items of an inline module, or of another language without a module. */
const readInner = (body: SyntaxNode, module: string | null, { inner, types }: Found): void => {
  const own = nothingFound(false)
  readItems(body, own)
  const inModule = (name: string | null): string | null =>
    module === null || name === null ? (name ?? module) : `${module}.${name}`
  for (const each of [...own.definitions, ...own.inner]) inner.push({ ...each, container: inModule(each.container) })
  if (module !== null) for (const each of own.types) types.push({ ...each, name: `${module}.${each.name}` })
}

const readItem = (item: SyntaxNode, marks: string, found: Found): void => {
  const name = textOf(item, "name")
  const body = item.childForFieldName("body")
  const add = (kind: Definition["kind"], signature: Signature | null = null) =>
    found.definitions.push({
      ...definitionOf(name, kind, null, signature, item),
      visibility: visibilityOf(item),
      ...typeOf(item)
    })
  switch (item.type) {
    case "function_item":
    case "function_signature_item":
      // An attribute macro may change the signature.
      add("function", plainMarks.test(marks) ? signatureOf(item) : null)
      break
    case "struct_item":
    case "union_item":
      add("type", tupleOf(item))
      found.types.push(structShape(name, item, marks))
      break
    case "enum_item":
      add("type")
      readVariants(name, item, marks, found)
      break
    case "trait_item":
      add("type")
      readMembers(name, item, true, found)
      found.types.push({ name, open: true, fields: new Map() })
      break
    case "type_item":
      add("type")
      break
    case "const_item":
    case "static_item":
      add("constant")
      break
    case "mod_item":
      // A module with a body has no file; its items are resolved at their uses.
      if (body === null && !/path=/.test(marks)) add("module")
      else found.bound.add(name)
      if (body !== null && !marks.includes("#[cfg(test)]")) readInner(body, name, found)
      break
    case "foreign_mod_item":
      bindWords(item, found)
      if (body !== null) readInner(body, null, found)
      break
    case "impl_item":
      readImplementation(item, found)
      break
    case "macro_definition":
      found.bound.add(name)
      break
    case "use_declaration":
      break
    default:
      bindWords(item, found)
  }
}

/** Attributes that do not change a function. */
const plainMarks =
  /^(?:#\[(?:inline|must_use|cfg|allow|expect|warn|deny|doc|cold|track_caller|deprecated|cfg_attr|test|no_mangle|target_feature|instrument|tracing::instrument)\b[^\]]*\])*$/

/** Items of a macro or of another language, in which each word may be a name. */
const bindWords = (item: SyntaxNode, found: Found): void => {
  if (!/macro_invocation|foreign_mod_item|expression_statement/.test(item.type)) return
  if (/^(?:include|paste)\b/.test(item.text)) found.open = true
  for (const [word] of item.text.matchAll(/[A-Za-z_]\w*/g)) found.bound.add(word)
}

const visibilityOf = (item: SyntaxNode): Visibility => {
  const text = item.namedChildren.find(({ type }) => type === "visibility_modifier")?.text.replace(/\s+/g, "")
  if (text === undefined || text === "pub(self)") return "private"
  if (text === "pub") return "public"
  return text === "pub(super)" ? "parent" : "internal"
}

/** The declared type of a constant, or of a function's result. */
const typeOf = (item: SyntaxNode): { readonly type?: string } => {
  const type = item.childForFieldName("return_type") ?? item.childForFieldName("type")
  return type === null || item.type === "type_item" ? {} : { type: typeText(type) }
}

const signatureOf = (node: SyntaxNode): Signature => {
  const parameters: Array<Parameter> = []
  let receiver = false
  for (const part of partsOf(node, "parameters")) {
    if (part.type === "self_parameter") receiver = true
    else if (part.type === "variadic_parameter") parameters.push({ name: "...", kind: "rest", required: false })
    else if (part.type !== "attribute_item") {
      const type = typeFrom(part.childForFieldName("type"))
      parameters.push({ name: textOf(part, "pattern"), kind: "positional-only", required: true, ...type })
    }
  }
  const isAsync = node.namedChildren.some(({ text, type }) => type === "function_modifiers" && /\basync\b/.test(text))
  const results = node.childForFieldName("return_type") === null ? 0 : 1
  return { parameters, async: isAsync, strict: true, receiver, results }
}

/** `Pair(1, 2)` is called like a function; a struct with named fields is not. */
const tupleOf = (item: SyntaxNode): Signature | null => {
  const body = item.childForFieldName("body")
  if (body?.type !== "ordered_field_declaration_list") return null
  const types = parts(body).filter(({ type }) => type !== "visibility_modifier" && type !== "attribute_item")
  return {
    parameters: types.map((type) => ({ name: "", kind: "positional-only", required: true, type: squeezed(type) })),
    async: false,
    strict: true
  }
}

const structShape = (name: string, item: SyntaxNode, marks: string): TypeShape => {
  const body = item.childForFieldName("body")
  const fields = body?.namedChildren.filter(({ type }) => type === "field_declaration") ?? []
  const typed = fields.map(
    (field) => [textOf(field, "name"), typeText(field.childForFieldName("type") ?? field)] as const
  )
  const lines = new Map(fields.map((field) => [textOf(field, "name"), lineOf(field)]))
  return { name, open: false, fields: lines, fieldTypes: typed, marks }
}

const readVariants = (name: string, item: SyntaxNode, marks: string, found: Found): void => {
  const variants = item.childForFieldName("body")?.namedChildren.filter(({ type }) => type === "enum_variant") ?? []
  for (const variant of variants) {
    const own = textOf(variant, "name")
    found.definitions.push(definitionOf(own, "constant", name, tupleOf(variant), variant))
  }
  found.types.push({ name, open: false, fields: new Map(), marks })
}

/** `impl Shape for Circle` implements Shape's methods for Circle; `impl Circle` adds its own methods. */
const readImplementation = (item: SyntaxNode, found: Found): void => {
  const type = item.childForFieldName("type")
  const base = type?.type === "generic_type" ? type.childForFieldName("type") : type
  if (base?.type !== "type_identifier") return
  readMembers(base.text, item, item.childForFieldName("trait") !== null, found)
}

const readMembers = (container: string, item: SyntaxNode, inherited: boolean, found: Found): void => {
  let marks = ""
  for (const member of item.childForFieldName("body")?.namedChildren ?? []) {
    if (isComment(member)) continue
    if (member.type === "attribute_item") {
      marks += squeezed(member)
      continue
    }
    const name = textOf(member, "name")
    const isFunction = /^function_(?:signature_)?item$/.test(member.type)
    if (isFunction || member.type === "const_item") {
      const signature = isFunction && plainMarks.test(marks) ? signatureOf(member) : null
      found.definitions.push({
        ...definitionOf(name, isFunction ? "method" : "constant", container, signature, member),
        visibility: visibilityOf(member),
        ...typeOf(member),
        ...(inherited ? { inherited } : {})
      })
    } else if (member.type === "macro_invocation") {
      // Definitions in a macro cannot be distinguished from other words.
      for (const [word] of member.text.matchAll(/[A-Za-z_]\w*/g)) found.bound.add(word)
    }
    marks = ""
  }
}

/** Every `use` of the file and its inline modules; a glob is the name `*`. */
export const rustImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  marked(root, ["use_declaration", "extern_crate_declaration"], /\b(?:use|extern)\b/g).flatMap((declaration) => {
    if (declaration.type === "extern_crate_declaration") return externCrate(declaration)
    const argument = declaration.childForFieldName("argument")
    const within = inlineModules(declaration)
    const seen = visibilityOf(declaration) === "public" ? { public: true } : {}
    return argument === null
      ? []
      : usedNames(argument, []).flatMap(({ local, path, line }) => {
          const absolute = normalized(path, within.length)
          const name = absolute?.at(-1)
          if (absolute === null || name === undefined) return []
          const module = absolute.slice(0, -1).join("::")
          const scope = {
            ...(within.length === 0 ? {} : { within: within.join(" ") }),
            ...(isInner(declaration) ? { inner: true as const } : {})
          }
          return [{ module, name, local: local ?? (name === "*" ? "" : name), line, guarded: false, ...seen, ...scope }]
        })
  })

/** `extern crate a as b` imports a crate, which an empty first segment marks. */
const externCrate = (declaration: SyntaxNode): ReadonlyArray<ImportedName> => {
  const name = textOf(declaration, "name")
  const local = declaration.childForFieldName("alias")?.text ?? name
  return [imported(declaration, "::", name, local)]
}

/** Names of the inline modules around a node, innermost first. */
export const inlineModules = (node: SyntaxNode): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.type === "mod_item") names.push(textOf(at, "name"))
  }
  return names
}

/**
 * The path relative to the file's own module, `depth` inline modules further out; null if it stays inside. An empty first
 * segment means that the path starts with another crate.
 */
export const normalized = (path: ReadonlyArray<string>, depth: number): ReadonlyArray<string> | null => {
  let rest = path
  let left = depth
  if (left > 0 && rest[0] === "self") return null
  while (left > 0 && rest[0] === "super") {
    rest = rest.slice(1)
    left--
  }
  if (left === depth && depth > 0 && rest[0] !== "crate") return ["", ...rest]
  if (left === depth) return rest
  if (left > 0) return null
  return rest[0] === "super" ? rest : ["self", ...rest]
}

interface Used {
  readonly path: ReadonlyArray<string>
  readonly local: string | null
  readonly line: number
}

const usedNames = (node: SyntaxNode, prefix: ReadonlyArray<string>): ReadonlyArray<Used> => {
  const line = lineOf(node)
  const below = (path: SyntaxNode | null) => [...prefix, ...segments(path)]
  switch (node.type) {
    case "scoped_use_list": {
      const path = below(node.childForFieldName("path"))
      return partsOf(node, "list").flatMap((part) => usedNames(part, path))
    }
    case "use_list":
      return parts(node).flatMap((part) => usedNames(part, prefix))
    case "use_as_clause": {
      const alias = textOf(node, "alias")
      const [used] = usedNames(node.childForFieldName("path") ?? node, prefix)
      return used === undefined ? [] : [{ ...used, local: alias === "_" ? "" : alias }]
    }
    case "use_wildcard":
      return [{ path: [...below(node.namedChildren[0] ?? null), "*"], local: "", line }]
    case "self":
      return prefix.length === 0 ? [] : [{ path: prefix, local: null, line }]
    default:
      return [{ path: below(node), local: null, line }]
  }
}

/** `a::b` as `a`, `b`. */
const segments = (path: SyntaxNode | null): ReadonlyArray<string> =>
  path === null ? [] : squeezed(path).replace(/^::/, "").split("::")

/** The built-in names. */
export const rustBuiltins: ReadonlySet<string> = new Set(
  `Option Some None Result Ok Err Box Vec String ToString Clone Copy Send Sync Sized Drop Fn FnMut FnOnce drop Iterator
  Extend IntoIterator DoubleEndedIterator ExactSizeIterator Default PartialEq PartialOrd Eq Ord AsRef AsMut Into From
  ToOwned TryFrom TryInto FromIterator Self self super crate str char bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128
  usize f32 f64 std core alloc`.split(/\s+/)
)

/** A type without lifetimes, `mut` and white space. */
export const typeText = (node: SyntaxNode): string =>
  node.text.replace(/'[a-z_]\w*\b(?!')\s*(?:,\s*)?|\bmut\s+|\s+/g, "")
