import wasm from "tree-sitter-go/tree-sitter-go.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { type Language, languageDefaults } from "../Language.ts"
import { hasOpenBracket } from "../lines.ts"
import { type Reader, sentence, stated } from "../settings.ts"
import { goTables, goVariants } from "./cases.ts"
import { goTypes } from "./hierarchy.ts"
import { loadedGo, missingGo, resolveGo } from "./modules.ts"
import { goScopes } from "./names.ts"
import { goBuiltins, goImports, goOccurrence, goSymbols } from "./symbols.ts"
import { goTypeForms } from "./typeForms.ts"

const goMod: Reader = (text) => {
  const version = /^go\s+(\S+)/m.exec(text)?.[1]
  return sentence("Go version", version === undefined ? "" : `language version ${version}`)
}

export const go: Language = {
  ...languageDefaults,
  family: "go",
  wasm,
  // new(42): a value instead of a type, since Go 1.26.
  unsupported: [{ pattern: /\bnew(?=\((?!\[|\*|(?:map|chan|func|struct|interface)\b))/g, instead: "ne_" }],
  comments: lexicons.c,
  stack: { name: "go", owned: ["go.mod", "go.sum"] },
  conventions: [
    { file: /^go\.mod$/, read: goMod },
    { file: /^\.golangci\.ya?ml$/, read: stated("golangci-lint", "linted with golangci-lint") }
  ],
  tests: {
    namesFor: (stem) => [`${stem}_test.go`],
    styles: [{ header: /^func (?<name>Test\w*)\(\w* \*testing\.T\)/ }]
  },
  sharesNames: "folder",
  importWord: ({ folder, name }) => (name.endsWith("_test.go") ? null : folder),
  statements: { start: /^import\b/, isOpen: hasOpenBracket },
  dataFile: { name: /^go\.mod$/ },
  resolve: resolveGo,
  missing: missingGo,
  loaded: loadedGo,
  contracts: { builtins: goBuiltins },
  symbols: goSymbols,
  imports: goImports,
  scopes: goScopes,
  occurrence: goOccurrence,
  types: goTypeForms,
  cases: { variants: goVariants, tables: goTables, marks: /\bconst\b/, endings: [".go"], lookup: "package" },
  hierarchy: {
    types: (root) => goTypes(root),
    nodes: ["type_declaration", "method_declaration"],
    marks: /^type\b|^func\s*\(/m,
    endings: [".go"],
    fit: "exact",
    keyOf: ({ name }) => name,
    derives: (name) => new RegExp(`\\b${RegExp.escape(name)}\\b`),
    bare: new Set()
  }
}
