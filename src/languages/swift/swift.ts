import wasm from "@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import type { Language } from "../Language.ts"
import { stated } from "../settings.ts"
import { swiftImports, swiftOccurrence, swiftSymbols } from "./symbols.ts"

export const swift: Language = {
  family: "swift",
  wasm,
  endings: ["swift"],
  grammarOf: null,
  comments: lexicons.c,
  stack: { name: "ios", endings: ["swift"], owned: ["Package.resolved"] },
  conventions: [{ file: /^\.swiftlint\.yml$/, read: stated("swiftlint", "linted with SwiftLint") }],
  tests: {
    namesFor: (stem) => [`${stem}Tests.swift`, `${stem}Test.swift`],
    styles: [
      { header: /^\s*(?:@\w+ )*func (?<name>test\w*)\(/ },
      { header: /^\s*func (?<name>\w+)\(/, mark: /^\s*@Test\b/ }
    ]
  },
  sharesNames: "all",
  importWord: null,
  statements: null,
  dataFile: null,
  // An import names a module, which is no file.
  resolve: () => [],
  missing: null,
  loaded: null,
  contracts: null,
  symbols: swiftSymbols,
  imports: swiftImports,
  modules: null,
  occurrence: swiftOccurrence,
  cases: null,
  hierarchy: null
}
