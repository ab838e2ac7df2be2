import wasm from "tree-sitter-rust/tree-sitter-rust.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { type Language, languageDefaults } from "../Language.ts"
import { at, type Reader, sentence, settings, stated, table, toml } from "../settings.ts"
import { rustTables, rustVariants } from "./cases.ts"
import { rustTypes } from "./hierarchy.ts"
import { resolveRust, usedModules } from "./paths.ts"
import { rustBuiltins, rustImports, rustSymbols } from "./symbols.ts"
import { rustTypeForms } from "./typeForms.ts"
import { rustOccurrence, rustScopes } from "./uses.ts"

const cargo: Reader = (text) => {
  const root = toml(text)
  const version = settings({ ...table(at(root, "workspace", "package")), ...table(at(root, "package")) }, [
    "edition",
    "rust-version"
  ])
  const lints = Object.entries({ ...table(at(root, "workspace", "lints")), ...table(at(root, "lints")) })
    .flatMap(([tool, rules]) => Object.keys(table(rules)).map((rule) => `${tool}::${rule}`))
    .slice(0, 12)
  return [...sentence("Rust edition", version), ...sentence("Rust lints", lints.join(", "))]
}

const rustfmt: Reader = (text) =>
  sentence("rustfmt", settings(toml(text), ["max_width", "edition", "tab_spaces", "hard_tabs"]))

export const rust: Language = {
  ...languageDefaults,
  family: "rust",
  wasm,
  // A macro with the name of a type.
  unsupported: [{ pattern: /\bstr(?=!\s*[[({])/g, instead: "s_r" }],
  comments: lexicons.rust,
  stack: { name: "rust", owned: ["Cargo.toml", "Cargo.lock"] },
  conventions: [
    { file: /^\.?rustfmt\.toml$/, read: rustfmt },
    { file: /^\.?clippy\.toml$/, read: stated("clippy", "linted with Clippy under its own settings") },
    { file: /^Cargo\.toml$/, read: cargo }
  ],
  tests: {
    namesFor: (stem) => [`${stem}_test.rs`, `test_${stem}.rs`],
    styles: [{ header: /^\s*(?:pub )?(?:async )?fn (?<name>\w+)\(/, mark: /^\s*#\[(?:\w+::)*test\b/ }]
  },
  sharesNames: "none",
  importWord: ({ folder, stem }) => (stem === "main" || stem === "lib" ? null : stem === "mod" ? folder : stem),
  statements: {
    start: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:use\s|mod\s+\w+\s*;)/,
    isOpen: (statement) => !statement.includes(";")
  },
  dataFile: { name: /^Cargo\.toml$/ },
  resolve: resolveRust,
  contracts: { builtins: rustBuiltins },
  symbols: rustSymbols,
  imports: rustImports,
  modules: { types: ["use_declaration", "mod_item"], read: usedModules },
  nested: {
    definitions: {
      macro_definition: ["name", "function"],
      function_item: ["name", "function"],
      struct_item: ["name", "type"],
      enum_item: ["name", "type"],
      trait_item: ["name", "type"],
      type_item: ["name", "type"],
      const_item: ["name", "constant"],
      static_item: ["name", "constant"],
      mod_item: ["name", "module"]
    },
    holders: { mod_item: "name", impl_item: "type", trait_item: "name", function_item: "name" }
  },
  scopes: rustScopes,
  occurrence: rustOccurrence,
  types: rustTypeForms,
  cases: { variants: rustVariants, tables: rustTables, marks: /\benum\b/, endings: [".rs"], lookup: "declaration" },
  hierarchy: {
    types: (root) => rustTypes(root),
    nodes: ["trait_item", "impl_item"],
    marks: /\btrait\b|\bimpl\b/,
    endings: [".rs"],
    fit: "count",
    keyOf: ({ name }) => name,
    derives: (name) => new RegExp(`\\bimpl\\b[^{;]{0,600}\\b${RegExp.escape(name)}\\b[^{;]{0,600}\\bfor\\b`),
    bare: new Set()
  }
}
