/** A language as one record: files, imports, readers of its trees. Null where a language has no such thing. */
import type { Grammar } from "../domain/change/Grammar.ts"
import type { Lexicon } from "../domain/code/Comment.ts"
import type { Fit, HierarchyType, KeyOf } from "../domain/code/Hierarchy.ts"
import type { Repository } from "../domain/code/Repository.ts"
import type { StackName } from "../domain/code/Stack.ts"
import type { FileSymbols, ImportedName, Occurrence } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { CaseTable, VariantType } from "../domain/code/Variants.ts"
import type { MutationSyntax } from "../domain/prove/MutationSyntax.ts"
import type { NestedForms } from "./nested.ts"
import type { Scopes } from "./scopes.ts"
import type { Reader } from "./settings.ts"

/** Languages whose files use each other's names: TypeScript and JavaScript, C and C++. */
export type Family =
  | "python"
  | "script"
  | "go"
  | "rust"
  | "elixir"
  | "java"
  | "ruby"
  | "kotlin"
  | "swift"
  | "c"
  | "csharp"
  | "php"

/** The parser reads blanks, or a text of the same length, in the place of what matches. */
export interface UnsupportedSyntax {
  readonly pattern: RegExp
  readonly instead?: string
}

export interface Language extends Files, Names, Code {
  readonly family: Family
  /** The compiled grammar: the path of a WebAssembly file. */
  readonly wasm: string
}

/** Properties of files that follow from their paths and lines. */
interface Files {
  /** The grammar of a text, for an ending that several grammars share. */
  readonly grammarOf: ((path: string, text: string) => Grammar) | null
  /** Syntax of newer versions that the grammar does not know. */
  readonly unsupported: ReadonlyArray<UnsupportedSyntax>
  readonly comments: Lexicon
  /** The reviewer of its files; null for a language that the generic reviewer reads. */
  readonly stack: StackFiles | null
  readonly conventions: ReadonlyArray<ConventionFile>
  readonly tests: TestConventions
}

export interface StackFiles {
  readonly name: StackName
  /** Names of files that belong to it if the change has other files of this stack, else to `generic`. */
  readonly owned: ReadonlyArray<string>
}

/** A configuration file that states conventions, by its name without folders. */
export interface ConventionFile {
  readonly file: RegExp
  readonly read: Reader
}

export interface TestConventions {
  /** The names of the test files of a file, given the name of the file without its ending, and the ending. */
  readonly namesFor: (stem: string, ending: string) => ReadonlyArray<string>
  readonly styles: ReadonlyArray<TestStyle>
}

/** The form of a test's header. */
export interface TestStyle {
  /** A header line; the group `name` is the test's name. */
  readonly header: RegExp
  /** A mark on a line above the header, if the header alone does not identify a test. */
  readonly mark?: RegExp
}

/** How files refer to other files. */
interface Names {
  /** Which other files of the language can use a file's names without importing it; `package`: also in another source root. */
  readonly sharesNames: "all" | "folder" | "package" | "none"
  /**
   * The word that an import of this file must contain; null for a file that cannot be imported. Null for a language without
   * such words.
   */
  readonly importWord: ((file: SourceName) => string | null) | null
  /** The form of import statements in lines; null if they are only found in syntax trees. */
  readonly statements: StatementForm | null
  /** Data files that imports are resolved with; null if there are none. */
  readonly dataFile: DataFileForm | null
  /** The files that an import may refer to, best first; empty if they are outside of the repository. */
  readonly resolve: (from: string, wanted: Import, repository: Repository) => ReadonlyArray<string>
  /** The missing file of an import; null if there may be another explanation. */
  readonly missing: MissingFinder | null
  /** The modules that are loaded together with the file; null if import cycles are harmless in the language. */
  readonly loaded: ((path: string, lines: ReadonlyArray<string>) => ReadonlyArray<LoadedModule>) | null
}

/** The path of a file in its parts. */
export interface SourceName {
  readonly name: string
  /** The name without its ending. */
  readonly stem: string
  /** Its folder and the parent of that folder; null if there is none. */
  readonly folder: string | null
  readonly outer: string | null
}

export interface Import {
  /** The module as the statement names it: `.a.b`, `./x`, `example.com/m/pkg`, `crate::a`, `Shop.Cart`. */
  readonly module: string
  /** Python's `from module import names`. */
  readonly names: ReadonlyArray<string>
}

export interface StatementForm {
  /** Matches the start of an import statement. */
  readonly start: RegExp
  /** Is the statement incomplete? */
  readonly isOpen: (statement: string) => boolean
  /** Strings of several lines, in which no statement begins. */
  readonly longString?: RegExp
}

export interface DataFileForm {
  /** Matches the name without folders. */
  readonly name: RegExp
  /** Absent: all files are needed. */
  readonly isWanted?: (file: DataFile) => boolean
}

interface DataFile {
  readonly name: string
  /** Is it in a folder above one of the files in question? */
  readonly isAbove: boolean
  readonly isTest: boolean
  readonly isVendored: boolean
}

export interface MissingFile {
  /** The path without an ending. */
  readonly at: string
  /** A word that a build step that generates the file must contain. */
  readonly stem: string
}

/** `folders`: every folder of the repository. The caller excludes generated files, by `stem`. */
export type MissingFinder = (
  from: string,
  wanted: Pick<ImportedName, "module" | "name">,
  repository: Repository,
  folders: ReadonlySet<string>
) => MissingFile | null

export interface LoadedModule {
  /** The module as the statement names it. */
  readonly module: string
  /** The names that a Python statement imports. */
  readonly names: ReadonlyArray<string>
  /** The first line of the statement, from 1. */
  readonly line: number
  readonly endLine: number
}

/** Readers of its syntax trees. */
interface Code {
  /** The built-in names, if the language is judged (uses are resolved well enough to report broken ones); else null. */
  readonly contracts: { readonly builtins: ReadonlySet<string> } | null
  readonly symbols: (root: SyntaxNode, path: string) => FileSymbols
  /** Every import in the file. */
  readonly imports: (root: SyntaxNode) => ReadonlyArray<ImportedName>
  /** The modules of import statements as complete paths, if only these lead to files; else null. */
  readonly modules: ModuleReader | null
  /** The forms of definitions that are not in `symbols`; null if it has all. */
  readonly nested: NestedForms | null
  /** Where names hold that are not the file's. */
  readonly scopes: Scopes
  /** The occurrence at a node; null if it is not a name. */
  readonly occurrence: (node: SyntaxNode) => Occurrence | null
  /** Null if the types of objects are not resolved. */
  readonly types: TypeForms | null
  readonly cases: CaseReader | null
  readonly hierarchy: HierarchyReader | null
  /** Null if dd makes no mutants of its files. */
  readonly mutations: MutationSyntax | null
}

export interface ModuleReader {
  /** Types of the nodes to read. */
  readonly types: ReadonlyArray<string>
  /** The modules as the statement names them. */
  readonly read: (statement: SyntaxNode) => ReadonlyArray<string>
}

/** The syntax of declared types; types have no white space. */
export interface TypeForms {
  /** The name of the object's type; null for arrays, tables, functions and unions. */
  readonly plain: (type: string) => string | null
  /** The type after a step into a built-in type: `[]` is an element, `?` the awaited value. */
  readonly step: (type: string, step: string) => string | null
  /** The type arguments. */
  readonly given: (type: string) => ReadonlyArray<string>
}

/** Reads variant types and case tables. */
export interface CaseReader {
  readonly variants: (root: SyntaxNode) => ReadonlyArray<VariantType>
  readonly tables: (root: SyntaxNode) => ReadonlyArray<CaseTable>
  /** A text without a match has no such type. */
  readonly marks: RegExp
  /** Extensions of the files that may contain cases. */
  readonly endings: ReadonlyArray<string>
  /** How a case is resolved to its type: by an import, by the package (Go), or by the only declaration in the repository. */
  readonly lookup: "import" | "package" | "declaration"
}

/** Reads types with their parents. */
export interface HierarchyReader {
  /** Types not in `named` may be left out. */
  readonly types: (root: SyntaxNode, named?: ReadonlySet<string>) => ReadonlyArray<HierarchyType>
  /** The types of the nodes from which types are read. */
  readonly nodes: ReadonlyArray<string>
  /** A text without a match has no such type. */
  readonly marks: RegExp
  readonly endings: ReadonlyArray<string>
  readonly fit: Fit
  readonly keyOf: KeyOf
  /** Matches text that derives from a type of this name; a text without a match is not parsed. */
  readonly derives: (name: string) => RegExp
  /** External parents without methods. */
  readonly bare: ReadonlySet<string>
}

export const missingAt = (at: string): MissingFile => ({ at, stem: at.slice(at.lastIndexOf("/") + 1) })

/** The defaults of a language: no grammar to choose, no reviewer, no data files, nothing resolved. */
export const languageDefaults = {
  grammarOf: null,
  unsupported: [],
  stack: null,
  conventions: [],
  tests: { namesFor: () => [], styles: [] },
  importWord: null,
  statements: null,
  dataFile: null,
  missing: null,
  loaded: null,
  contracts: null,
  nested: null,
  modules: null,
  types: null,
  cases: null,
  hierarchy: null,
  mutations: null
} satisfies Partial<Language>
