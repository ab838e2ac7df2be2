import wasm from "tree-sitter-java/tree-sitter-java.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { type Language, languageDefaults } from "../Language.ts"
import { stated } from "../settings.ts"
import { javaTables, javaVariants } from "./cases.ts"
import { javaTypes } from "./hierarchy.ts"
import { resolveJava } from "./names.ts"
import { javaBuiltins, javaImports, javaSymbols } from "./symbols.ts"
import { javaTests } from "./tests.ts"
import { javaOccurrence, javaScopes } from "./uses.ts"

export const java: Language = {
  ...languageDefaults,
  family: "java",
  wasm,
  comments: lexicons.c,
  stack: {
    name: "java",
    owned: ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]
  },
  conventions: [{ file: /^\.?checkstyle\.xml$/, read: stated("checkstyle", "linted with Checkstyle") }],
  tests: javaTests,
  sharesNames: "package",
  importWord: ({ stem }) => stem,
  statements: { start: /^\s*import\s/, isOpen: () => false },
  resolve: resolveJava,
  contracts: { builtins: javaBuiltins },
  symbols: javaSymbols,
  imports: javaImports,
  modules: {
    types: ["import_declaration"],
    read: (node) => [node.text.replace(/^import\s+(?:static\s+)?/, "").replace(/[\s;]/g, "")]
  },
  scopes: javaScopes,
  occurrence: javaOccurrence,
  types: { plain: (type) => type, step: () => null, given: () => [] },
  cases: { variants: javaVariants, tables: javaTables, marks: /\benum\b/, endings: [".java"], lookup: "declaration" },
  hierarchy: {
    types: (root) => javaTypes(root),
    nodes: ["class_declaration", "interface_declaration", "record_declaration"],
    marks: /\b(?:class|interface|record)\b/,
    endings: [".java"],
    fit: "exact",
    keyOf: ({ name, signature }) => `${name}/${signature?.parameters.length ?? ""}`,
    derives: (name) => new RegExp(`\\b(?:extends|implements)\\b[^{;]{0,600}\\b${RegExp.escape(name)}\\b`),
    bare: new Set(["Object", "Serializable", "java.io.Serializable", "Cloneable"])
  }
}
