/** Everything dd knows of a language, as one record. A language without something has null there. */
import type { Grammar } from "../domain/change/Grammar.ts"
import type { Lexicon } from "../domain/code/Comment.ts"
import type { Fit, HierarchyType, KeyOf } from "../domain/code/Hierarchy.ts"
import type { Repository } from "../domain/code/Repository.ts"
import type { StackName } from "../domain/code/Stack.ts"
import type { FileSymbols, ImportedName, Occurrence } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { CaseTable, VariantType } from "../domain/code/Variants.ts"
import type { Reader } from "./settings.ts"

/** Languages whose files use each other's names: TypeScript and JavaScript are one, and C and C++. */
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

export interface Language extends Files, Names, Code {
  readonly family: Family
  /** The compiled grammar: the path of a WebAssembly file. */
  readonly wasm: string
}

/** What is known of files, by their paths and their lines. */
interface Files {
  /** How the names of its files end, without the dot; the usual ending first. */
  readonly endings: readonly [string, ...ReadonlyArray<string>]
  /** The grammar of a text, for an ending that several grammars share. */
  readonly grammarOf: ((path: string, text: string) => Grammar) | null
  readonly comments: Lexicon
  /** The reviewer of its files; null for a language that the generic reviewer reads. */
  readonly stack: StackFiles | null
  readonly conventions: ReadonlyArray<ConventionFile>
  readonly tests: TestConventions
}

export interface StackFiles {
  readonly name: StackName
  /** How the names of its files end, without the dot. */
  readonly endings: ReadonlyArray<string>
  /** Names of further files that are always its own. */
  readonly names?: ReadonlyArray<string>
  /** Names of files that belong to it when the change has other files of it, and to `generic` when not. */
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

/** How a test begins. */
export interface TestStyle {
  /** A header line; the group `name` is the test's name. */
  readonly header: RegExp
  /** What must be on a line above the header, where the header alone does not say that it is a test. */
  readonly mark?: RegExp
}

/** How files name other files. */
interface Names {
  /** Which other files of the language see a file's names without importing it. */
  readonly sharesNames: "all" | "folder" | "none"
  /**
   * The word an import of this file must contain; null for a file that cannot be imported. Null for a language whose
   * imports need not contain one.
   */
  readonly importWord: ((file: SourceName) => string | null) | null
  /** Import statements in lines; null for a language in which they are not looked for without a syntax tree. */
  readonly statements: StatementForm | null
  /** Data files that imports are resolved with; null where there are none. */
  readonly dataFile: DataFileForm | null
  /** The files an import means, best first; empty when it leaves the repository. */
  readonly resolve: (from: string, wanted: Import, repository: Repository) => ReadonlyArray<string>
  /** The file an import names that is not there; null as soon as anything else could explain it. */
  readonly missing: MissingFinder | null
  /** The modules a file loads as soon as it is loaded itself; null where loading in a circle means nothing. */
  readonly loaded: ((path: string, lines: ReadonlyArray<string>) => ReadonlyArray<LoadedModule>) | null
}

/** The path of a file in its parts. */
export interface SourceName {
  readonly name: string
  /** The name without its ending. */
  readonly stem: string
  /** The folder it is in, and the one around that; null where there is none. */
  readonly folder: string | null
  readonly outer: string | null
}

export interface Import {
  /** As the statement names it: `.a.b`, `./x`, `example.com/m/pkg`, `crate::a`, `Shop.Cart`. */
  readonly module: string
  /** Python's `from module import names`. */
  readonly names: ReadonlyArray<string>
}

export interface StatementForm {
  /** Where an import statement begins. */
  readonly start: RegExp
  /** Is the statement's end still to come? */
  readonly isOpen: (statement: string) => boolean
  /** Strings that may go on over lines, and in which no statement begins. */
  readonly longString?: RegExp
}

export interface DataFileForm {
  /** By name, without folders. */
  readonly name: RegExp
  /** Absent: every one is. */
  readonly isWanted?: (file: DataFile) => boolean
}

interface DataFile {
  readonly name: string
  /** Does it lie in a folder above a file that is asked about? */
  readonly isAbove: boolean
  readonly isTest: boolean
  readonly isVendored: boolean
}

export interface MissingFile {
  /** Where it was looked for, without an ending. */
  readonly at: string
  /** The word somebody who makes the file at build time would have to write. */
  readonly stem: string
}

/** `folders`: every folder of the repository. What a build makes is for the caller to rule out, by `stem`. */
export type MissingFinder = (
  from: string,
  wanted: Pick<ImportedName, "module" | "name">,
  repository: Repository,
  folders: ReadonlySet<string>
) => MissingFile | null

export interface LoadedModule {
  /** As the statement names it. */
  readonly module: string
  /** What a Python statement takes from it. */
  readonly names: ReadonlyArray<string>
  /** Where the statement begins, from 1. */
  readonly line: number
  readonly endLine: number
}

/** How its syntax trees are read. */
interface Code {
  /** The names that need no definition, where uses are resolved well enough to say that a change breaks them; else null. */
  readonly contracts: { readonly builtins: ReadonlySet<string> } | null
  readonly symbols: (root: SyntaxNode, path: string) => FileSymbols
  /** Every import, wherever in the file it is. */
  readonly imports: (root: SyntaxNode) => ReadonlyArray<ImportedName>
  /** The modules of import statements as whole paths, where only those lead to a file; else null. */
  readonly modules: ModuleReader | null
  /** What the word at a node is to the code around it; null for what is not a name. */
  readonly occurrence: (node: SyntaxNode) => Occurrence | null
  /** Null where the types of objects are not followed. */
  readonly types: TypeForms | null
  readonly cases: CaseReader | null
  readonly hierarchy: HierarchyReader | null
}

export interface ModuleReader {
  /** Types of the nodes to read. */
  readonly types: ReadonlyArray<string>
  /** Modules, as the statement names them. */
  readonly read: (statement: SyntaxNode) => ReadonlyArray<string>
}

/** How declared types are written; a type comes without white space. */
export interface TypeForms {
  /** The one name that stands for the type of the object itself; null for arrays, tables, functions and unions. */
  readonly plain: (type: string) => string | null
  /** What a step leads to inside of a type that no file declares: `[]` to an element, `?` to what is waited for. */
  readonly step: (type: string, step: string) => string | null
  /** The types that are given to it as arguments. */
  readonly given: (type: string) => ReadonlyArray<string>
}

/** Closed lists of values, and what goes through their members. */
export interface CaseReader {
  readonly variants: (root: SyntaxNode) => ReadonlyArray<VariantType>
  readonly tables: (root: SyntaxNode) => ReadonlyArray<CaseTable>
  /** A text without this has no such type. */
  readonly marks: RegExp
  /** Extensions of the files that may contain cases. */
  readonly endings: ReadonlyArray<string>
  /** What leads from a case to its type: an import, the package (Go), or the type's only declaration in the repository. */
  readonly lookup: "import" | "package" | "declaration"
}

/** Types with what they come from. */
export interface HierarchyReader {
  /** Types that are not `named` may be left out. */
  readonly types: (root: SyntaxNode, named?: ReadonlySet<string>) => ReadonlyArray<HierarchyType>
  /** The node that a type is read from; it contains everything that matters. */
  readonly nodes: ReadonlyArray<string>
  /** A text without this has no such type. */
  readonly marks: RegExp
  readonly endings: ReadonlyArray<string>
  readonly fit: Fit
  readonly keyOf: KeyOf
  /** Matches text that derives from a type of this name; a text without a match is not parsed. */
  readonly derives: (name: string) => RegExp
  /** Parents from outside that bring no methods. */
  readonly bare: ReadonlySet<string>
}

export const missingAt = (at: string): MissingFile => ({ at, stem: at.slice(at.lastIndexOf("/") + 1) })

/** What a language has unless its record says otherwise: no grammar to choose, no reviewer, no data files, nothing resolved. */
export const languageDefaults = {
  grammarOf: null,
  stack: null,
  conventions: [],
  tests: { namesFor: () => [], styles: [] },
  importWord: null,
  statements: null,
  dataFile: null,
  missing: null,
  loaded: null,
  contracts: null,
  modules: null,
  types: null,
  cases: null,
  hierarchy: null
} satisfies Partial<Language>
