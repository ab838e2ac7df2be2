/** TypeScript and JavaScript: three grammars whose files import each other. */
import javascriptWasm from "tree-sitter-javascript/tree-sitter-javascript.wasm" with { type: "file" }
import tsxWasm from "tree-sitter-typescript/tree-sitter-tsx.wasm" with { type: "file" }
import typescriptWasm from "tree-sitter-typescript/tree-sitter-typescript.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { parseJsonc } from "../../domain/code/parseJsonc.ts"
import { type Language, languageDefaults, type UnsupportedSyntax } from "../Language.ts"
import { hasOpenBracket } from "../lines.ts"
import { at, type Reader, scalar, sentence, settings, stated } from "../settings.ts"
import { scriptTables, scriptVariants } from "./cases.ts"
import { scriptTypes } from "./hierarchy.ts"
import { loadedScript } from "./loading.ts"
import { missingScript, resolveScript } from "./modules.ts"
import { scriptMutations } from "./mutations.ts"
import { scriptScopes } from "./origins.ts"
import { scriptGlobals, scriptImports, scriptOccurrence, scriptSymbols } from "./symbols.ts"
import { scriptTypeForms } from "./typeForms.ts"

const compilerOptions: Reader = (text) =>
  sentence(
    "TypeScript compiler options",
    settings(at(parseJsonc(text), "compilerOptions"), [
      "strict",
      "noImplicitAny",
      "strictNullChecks",
      "noUncheckedIndexedAccess",
      "exactOptionalPropertyTypes",
      "noUnusedLocals",
      "noUnusedParameters",
      "verbatimModuleSyntax",
      "isolatedModules",
      "target",
      "jsx"
    ])
  )

const biome: Reader = (text) => {
  const format = settings(parseJsonc(text), [
    "formatter.indentStyle",
    "formatter.indentWidth",
    "formatter.lineWidth",
    "javascript.formatter.quoteStyle",
    "javascript.formatter.semicolons"
  ])
  return [["biome", format === "" ? "formatted and linted with Biome" : `formatted and linted with Biome: ${format}`]]
}

const prettier: Reader = (text) => {
  const keys = ["semi", "singleQuote", "printWidth", "tabWidth", "trailingComma", "useTabs"]
  const options = settings(parseJsonc(text), keys)
  return [["prettier", options === "" ? "formatted with Prettier" : `formatted with Prettier: ${options}`]]
}

const packageJson: Reader = (text) => {
  const root = parseJsonc(text)
  const manager = scalar(at(root, "packageManager"))
  const node = scalar(at(root, "engines", "node"))
  return [
    ...sentence("module system", at(root, "type") === "module" ? "packages are ES modules" : ""),
    ...sentence("package manager", manager ?? ""),
    ...sentence("Node version", node === null ? "" : `runs on Node ${node}`)
  ]
}

/** Files that belong to both stacks, `typescript` and `react`. */
const owned = ["package.json", "tsconfig.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"]

const typedEndings = [".ts", ".tsx", ".mts", ".cts"]

/** A look back comes last and is bounded: it would otherwise take place at every character of a long run of blanks. */
const unsupported: ReadonlyArray<UnsupportedSyntax> = [
  // styled.div<{ wide: boolean }>`...`
  { pattern: /(?<=[\w)\]])<(?:[^<>`]|<[^<>`]*>|(?<==)>)*>(?=`)/g },
  { pattern: /\btype(?= \*)(?<=\bexport type)/g },
  { pattern: /\bdefer(?= \*)(?<=\bimport defer)/g },
  {
    pattern:
      /\b(?:in\s{1,9}out|in|out)(?=\s+[A-Za-z_$][\w$]*(?:\s*[,>=]|\s+extends\b))(?<=[<,]\s{0,99}(?:in\s{1,9}out|in|out))/g
  },
  {
    pattern:
      /\baccessor(?=\s+[\w$#["'])(?<=\b(?:static|abstract|override|public|private|protected|declare)\s{1,99}accessor)/g
  },
  { pattern: /\baccessor(?=\s*[=:;?(!])/g, instead: "accesso_" },
  { pattern: /\busing(?=\s+\w)(?<=\bfor await \(using)/g, instead: "const" },
  { pattern: /\bwith \{[^{}]*\}(?<=\bexport \* as \w{1,99} from ["'][^"'\n]{0,999}["'] with \{[^{}]*\})/g },
  // <a href="https://example.com/?a=1&b=2">
  { pattern: /&(?=[\w.-]+=)(?<==["'][^"'\n]{0,999})/g }
]

export const typescript: Language = {
  ...languageDefaults,
  family: "script",
  wasm: typescriptWasm,
  unsupported,
  comments: lexicons.c,
  stack: { name: "typescript", owned },
  conventions: [
    { file: /^biome\.jsonc?$/, read: biome },
    { file: /^\.prettierrc(?:\.json)?$/, read: prettier },
    { file: /^prettier\.config\.[cm]?[jt]s$/, read: stated("prettier", "formatted with Prettier") },
    { file: /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/, read: stated("eslint", "linted with ESLint") },
    { file: /^tsconfig\.json$/, read: compilerOptions },
    { file: /^package\.json$/, read: packageJson }
  ],
  tests: {
    namesFor: (stem) =>
      ["ts", "tsx", "js", "jsx", "mts", "mjs", "cjs"].flatMap((kind) => [
        `${stem}.test.${kind}`,
        `${stem}.spec.${kind}`
      ]),
    styles: [
      {
        header: /^\s*(?:it|test)(?:\.(?:only|concurrent|effect|live|failing))*\(\s*(["'`])(?<name>.{1,200}?)\1\s*,/
      }
    ]
  },
  sharesNames: "none",
  importWord: ({ folder, outer, stem }) => (stem !== "index" ? stem : folder === "src" ? outer : folder),
  statements: {
    start: /^\s*(?:import\b|export\s*(?:type\s*)?[{*])|\brequire\s*\(\s*["']|\bimport\s*\(\s*["']/,
    // The statement ends with the module, which follows the closing brace.
    isOpen: (statement) =>
      (/^(?:import|export)\b/.test(statement) && !/["']/.test(statement)) || hasOpenBracket(statement)
  },
  dataFile: {
    name: /^(?:package|[jt]sconfig[\w.-]*)\.json$/,
    // Examples are not imported, and there may be hundreds of them.
    isWanted: ({ isAbove, isTest, isVendored, name }) =>
      !isVendored && (isAbove || (name === "package.json" && !isTest))
  },
  resolve: resolveScript,
  missing: missingScript,
  loaded: loadedScript,
  contracts: { builtins: scriptGlobals },
  symbols: (root, path) => scriptSymbols(root, /\.(?:[cm]?ts|tsx)$/.test(path)),
  imports: scriptImports,
  nested: {
    definitions: {
      function_declaration: ["name", "function"],
      generator_function_declaration: ["name", "function"],
      class_declaration: ["name", "class"],
      interface_declaration: ["name", "type"],
      type_alias_declaration: ["name", "type"],
      enum_declaration: ["name", "type"],
      internal_module: ["name", "module"],
      method_definition: ["name", "method"],
      pair: ["key", "method", "value"],
      variable_declarator: ["name", "function", "value"],
      assignment_expression: ["left", "method", "right"]
    },
    holders: {
      internal_module: "name",
      class_declaration: "name",
      function_declaration: "name",
      method_definition: "name",
      variable_declarator: "name",
      pair: "key"
    }
  },
  scopes: scriptScopes,
  occurrence: scriptOccurrence,
  types: scriptTypeForms,
  cases: {
    variants: scriptVariants,
    tables: scriptTables,
    marks: /\benum\b|\btype\b/,
    endings: typedEndings,
    lookup: "import"
  },
  mutations: scriptMutations,
  hierarchy: {
    types: (root) => scriptTypes(root),
    nodes: ["class_declaration", "abstract_class_declaration", "interface_declaration"],
    marks: /\bclass\b|\binterface\b/,
    endings: typedEndings,
    fit: "assignable",
    keyOf: ({ name }) => name,
    derives: (name) => new RegExp(`\\b(?:extends|implements)\\b[^{;]{0,600}\\b${RegExp.escape(name)}\\b`),
    bare: new Set(["Object"])
  }
}

export const tsx: Language = {
  ...typescript,
  wasm: tsxWasm,
  stack: { name: "react", owned }
}

export const javascript: Language = {
  ...typescript,
  wasm: javascriptWasm,
  stack: { name: "typescript", owned },
  cases: null,
  hierarchy: null
}
