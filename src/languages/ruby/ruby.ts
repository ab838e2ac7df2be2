import wasm from "tree-sitter-ruby/tree-sitter-ruby.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { firstOf, folderOf } from "../../domain/code/Repository.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { joinPath } from "../../domain/text/joinPath.ts"
import { imported, statementsIn } from "../imported.ts"
import type { Language } from "../Language.ts"
import { type Found, indexed, type Outline } from "../outline.ts"
import { stated } from "../settings.ts"
import { argumentsOf, childOf, enclosing, textOf } from "../tree.ts"

const resolve: Language["resolve"] = (from, { module }, repository) => {
  const withEnding = (at: string) => (at.endsWith(".rb") ? at : `${at}.rb`)
  if (module.startsWith(".")) {
    const at = joinPath(folderOf(from), module)
    return at === null ? [] : firstOf([withEnding(at)], repository)
  }
  return firstOf(
    foldersAbove(from).flatMap((folder) => [
      `${folder}lib/${withEnding(module)}`,
      `${folder}app/${withEnding(module)}`
    ]),
    repository
  )
}

const symbolOf = (node: SyntaxNode | undefined): string | null =>
  node?.type === "simple_symbol"
    ? node.text.slice(1)
    : node?.type === "string" && node.namedChildren.length === 1
      ? (node.namedChildren[0]?.text ?? null)
      : null

/** `require`, `require_relative`, `load` and `autoload` of literal paths, anywhere in the file. */
const imports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: word, index } of statementsIn(root, /\b(?:require_relative|require|load|autoload)\b/g)) {
    const at = root.startIndex + index
    const node = root.descendantForIndex(at, at + word.length)
    const call = node?.type === "identifier" ? node.parent : null
    if (call?.type !== "call" || call.childForFieldName("method")?.id !== node?.id) continue
    const given = argumentsOf(call)
    const path = given.at(word === "autoload" ? 1 : 0)
    const module = path?.type === "string" ? symbolOf(path) : null
    if (module === null || call.childForFieldName("receiver") !== null) continue
    const isRelative = word === "require_relative" && !module.startsWith(".")
    const name = word === "autoload" ? symbolOf(given[0]) : null
    found.push(imported(call, isRelative ? `./${module}` : module, name, name ?? "", isGuarded(call)))
  }
  return found
}

/** Is the error of a missing library rescued? */
const isGuarded = (call: SyntaxNode): boolean => {
  const around = enclosing(call, ["begin", "body_statement", "rescue_modifier"], ["method", "class", "module"])
  return around !== null && (around.type === "rescue_modifier" || childOf(around, "rescue") !== null)
}

/** Constants, and classes that a call creates: `Point = Struct.new(:x) do ... end`. */
const assigned = (node: SyntaxNode): Found | null => {
  const left = node.childForFieldName("left")
  if (left?.type !== "constant" && left?.type !== "scope_resolution") return null
  const right = node.childForFieldName("right")
  const [maker, method] = right?.type === "call" ? [textOf(right, "receiver"), textOf(right, "method")] : []
  const isMade = /^(?:Struct|Class|Module)$/.test(maker ?? "")
    ? method === "new"
    : maker === "Data" && method === "define"
  return { kind: isMade ? "class" : "constant", at: left }
}

/** Methods that calls in the body of a class define. */
const definers =
  /^(?:(?:attr|[mc]attr)(?:_reader|_writer|_accessor)?|class_attribute|alias_method|define(?:_singleton)?_method|scope|delegate|def_delegators?)$/

const called = (node: SyntaxNode): Found | ReadonlyArray<Found> | null => {
  const maker = textOf(node, "receiver")
  const isStruct = /^(?:Struct\.new|Data\.define)$/.test(`${maker}.${textOf(node, "method")}`)
  if (!isStruct && (maker !== "" || !definers.test(textOf(node, "method")))) return null
  const given = argumentsOf(node)
  const named = /^(?:alias|define|scope)/.test(textOf(node, "method")) ? given.slice(0, 1) : given
  return named.flatMap((at) => {
    const name = symbolOf(at)
    return name === null ? [] : [{ kind: "function" as const, at, name }]
  })
}

const outline: Outline = {
  definitions: {
    class: "class",
    module: "class",
    method: "function",
    singleton_method: "function",
    alias: "function",
    assignment: assigned,
    call: called
  },
  through:
    /^(?:body_statement|block_body|singleton_class|block|do_block|call|argument_list|begin|begin_block|then|else|elsif|if|unless|rescue|ensure|ERROR)$/,
  parameters: ["method_parameters"],
  packages: [],
  words: ["identifier", "constant", "hash_key_symbol"],
  labels: {},
  imports: [],
  bindings: {
    setter: "name",
    assignment: "left",
    operator_assignment: "left",
    for: "pattern",
    optional_parameter: "name",
    splat_parameter: "name",
    hash_splat_parameter: "name",
    keyword_parameter: "name",
    block_parameter: "name",
    method_parameters: null,
    lambda_parameters: null,
    block_parameters: null,
    destructured_parameter: null,
    left_assignment_list: null,
    exception_variable: null,
    destructured_left_assignment: null,
    as_pattern: "name",
    array_pattern: null,
    find_pattern: null,
    in_clause: "pattern",
    rest_assignment: null
  },
  members: { call: ["receiver", "method"], scope_resolution: ["scope", "name"] },
  calls: { call: null },
  wrappers: [],
  self: ["self"],
  scopes: {
    limits: ["method", "singleton_method", "block", "do_block", "lambda"],
    owners: ["program", "class", "module", "singleton_class"],
    closed: [
      "program",
      "class",
      "module",
      "singleton_class",
      "method",
      "singleton_method",
      "block",
      "do_block",
      "lambda"
    ],
    barriers: ["method", "singleton_method", "class", "module", "singleton_class"],
    after: ["identifier"],
    hidesNoCalls: true
  },
  // `in { total: }` binds the key.
  kindOf: (node, parent) =>
    node.type !== "hash_key_symbol"
      ? undefined
      : parent.type === "keyword_pattern" && parent.childForFieldName("value") === null
        ? "binding"
        : null,
  // `Foo.new` calls the class.
  isCalled: ({ parent, id }) =>
    parent?.type === "call" && parent.childForFieldName("receiver")?.id === id && textOf(parent, "method") === "new"
}

export const ruby: Language = {
  ...indexed(outline, imports),
  family: "ruby",
  wasm,
  comments: lexicons.hash,
  stack: {
    name: "ruby",
    owned: ["Gemfile.lock"]
  },
  conventions: [{ file: /^\.rubocop\.yml$/, read: stated("rubocop", "linted with RuboCop") }],
  tests: {
    namesFor: (stem) => [`${stem}_spec.rb`, `${stem}_test.rb`, `test_${stem}.rb`],
    styles: [
      { header: /^\s*(?:it|specify|test) (?<quote>["'])(?<name>.{1,200}?)\k<quote>.*\bdo\s*$/ },
      { header: /^\s*def (?<name>test_\w+)/ }
    ]
  },
  sharesNames: "all",
  importWord: ({ stem }) => stem,
  statements: { start: /^\s*require(?:_relative)?\b/, isOpen: () => false },
  resolve
}
