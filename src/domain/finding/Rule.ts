/**
 * A static rule: what it reports, why, how to fix it, and its check.
 *
 * Three kinds need only the change: a syntax rule checks nodes of one file, a line rule one added line, a change rule the
 * whole change. All are pure; the static reviewer runs them. The other kinds describe findings of the repository
 * reviewer. Examples are loaded separately, because a review does not need them.
 */

import type { DiffFile } from "../change/Diff.ts"
import type { Grammar } from "../change/Grammar.ts"
import type { Breakage } from "../code/brokenUses.ts"
import type { Replacement } from "../code/Replacement.ts"
import type { Captures, CodeOfFile, SyntaxNode } from "../code/Syntax.ts"
import type { Severity } from "./Finding.ts"
import type { Judged } from "./Judged.ts"

/** A changed file, as rules get it. */
export interface RuleFile {
  readonly path: string
  readonly diff: DiffFile
  /** The head side's lines without line ends; null if the file is deleted, binary or unreadable. */
  readonly head: ReadonlyArray<string> | null
  readonly base: ReadonlyArray<string> | null
  /** Its code on the head side; null if it has none, or if it cannot be read. */
  readonly code: CodeOfFile | null
  /** A test, an example, a fixture or a generated file, to which some rules do not apply. */
  readonly isTest: boolean
  /** From this line of the head side on (from 1), the file is a test. */
  readonly testsFrom: number
  /** Is this head-side line (from 1) added by the change? */
  readonly isAdded: (line: number) => boolean
}

export interface RuleChange {
  readonly files: ReadonlyArray<RuleFile>
  /** Every path of the head side, sorted; empty without a repository (a bare patch). */
  readonly headPaths: ReadonlySet<string>
  /** The lock files in the folders of changed manifests and above them, after the change. */
  readonly lockfiles: ReadonlyMap<string, string>
}

/** Lines, or a part of them. */
export interface Range {
  /** From 1; 0 for the file as a whole. */
  readonly line: number
  readonly endLine?: number
  /** Of `line`, from 1 in UTF-16 units; absent, as `endColumn`: the columns of the node or the match, if the lines are its own. */
  readonly column?: number
  /** Of `endLine`: the column after the last one. */
  readonly endColumn?: number
}

/** Another place of the file that a claim is about. */
export interface OtherPlace extends Range {
  /** What is there, in a few words. */
  readonly message: string
}

/** A place where a rule applies. Absent texts are those of the rule. */
export interface Claim extends Range {
  readonly path?: string
  readonly related?: ReadonlyArray<OtherPlace>
  /** What is at these columns; absent: that of the rule. */
  readonly label?: string
  readonly title?: string
  readonly description?: string
  /** The text that replaces the claimed lines, without the last line break, if it is certain; "" deletes them. */
  readonly suggestion?: string
}

interface RuleWords {
  /** `py/mutable-default`: an area, a slash, the defect in kebab case. */
  readonly id: string
  readonly stack: string
  readonly severity: Severity
  readonly confidence: "HIGH" | "MEDIUM"
  /** Absent: the rule is not part of dd. */
  readonly judged?: Judged
  /** What is wrong, in at most 80 characters, without a full stop. */
  readonly title: string
  /** What is at the columns of a claim, in at most `longestLabel` characters; it adds something to the title. */
  readonly label?: string
  readonly why: string
  readonly fix: string
  /** A CWE number or the language's own documentation. */
  readonly reference: string
  /** The file of a user rule; absent: the rule is part of dd. */
  readonly file?: string
  /** Does the rule apply to files of this path? Absent: to all files. */
  readonly appliesToPath?: (path: string) => boolean
  /** Applied only if the setting `rules.enable` names it. */
  readonly offByDefault?: true
}

/** Checks a node: false reports nothing, a Claim overrides parts of the report. */
export type NodeCheck = (node: SyntaxNode, file: RuleFile, captures: Captures) => boolean | Claim

/** Checks an added line. */
export type LineCheck = (text: string, line: number, file: RuleFile) => boolean | Claim

/** The replacements that fix a claimed node, if every reader would make them; null for none. */
export type NodeSuggestion = (node: SyntaxNode, file: RuleFile) => ReadonlyArray<Replacement> | null

/** The text that replaces a claimed line, if every reader would write it; "" deletes the line, null suggests nothing. */
export type LineSuggestion = (text: string, line: number, file: RuleFile) => string | null

/** Checks a change as a whole. */
export type ChangeCheck = (change: RuleChange) => ReadonlyArray<Claim & { readonly path: string }>

/** The nodes that a syntax rule checks: named nodes of these types, or what a query captures as `@claim`. */
export type SyntaxPattern =
  | { readonly _tag: "Nodes"; readonly types: ReadonlyArray<string> }
  /** All queries of one owner share a time limit. */
  | { readonly _tag: "Query"; readonly query: string; readonly owner: string }

export interface SyntaxRule extends RuleWords {
  readonly _tag: "Syntax"
  readonly grammars: ReadonlyArray<Grammar>
  /** Files without any of these words are skipped; empty: no file is skipped. */
  readonly keywords: ReadonlyArray<string>
  readonly pattern: SyntaxPattern
  /** Called for each node that the change touches. */
  readonly check: NodeCheck
  readonly suggestion?: NodeSuggestion
  readonly inTests: boolean
  /** Other lines decide about a node: it is called for each node of a changed file. */
  readonly wholeFile?: true
}

export interface LineRule extends RuleWords {
  readonly _tag: "Line"
  /** Absent: all files, whether they are code or not. With grammars, only lines of code are checked. */
  readonly grammars?: ReadonlyArray<Grammar>
  /** Called for each added line of each text file. */
  readonly check: LineCheck
  readonly suggestion?: LineSuggestion
  readonly inTests: boolean
}

export interface ChangeRule extends RuleWords {
  readonly _tag: "Change"
  readonly check: ChangeCheck
}

/** Compares the changes of a definition with its uses in the whole repository. */
export interface ContractRule extends RuleWords {
  readonly _tag: "Contract"
  readonly breakage: Breakage
}

/** Inconsistencies across files: imports, case tables, overrides. */
export const misfits = [
  "import-cycle",
  "broken-import-cycle",
  "missing-file",
  "missing-name",
  "uncovered-case",
  "uncompiled-case",
  "stale-case",
  "override",
  "missing-method",
  "stray-override"
] as const

export type Misfit = (typeof misfits)[number]

/** Reports inconsistencies across files that the change introduces. */
export interface StructureRule extends RuleWords {
  readonly _tag: "Structure"
  readonly misfit: Misfit
}

/** Describes a finding of the repository reviewer. */
export interface RepositoryRule extends RuleWords {
  readonly _tag: "Repository"
}

/** Rules that check files one by one; the others need the change or the repository. */
export type FileRule = SyntaxRule | LineRule

export type Rule = FileRule | ChangeRule | ContractRule | StructureRule | RepositoryRule

export const isFileRule = (rule: Rule): rule is FileRule => rule._tag === "Syntax" || rule._tag === "Line"

/** The node's lines, from 1. */
export const linesOf = (node: SyntaxNode): { readonly line: number; readonly endLine: number } => ({
  line: node.startPosition.row + 1,
  endLine: node.endPosition.row + 1
})

/** The node's lines and columns, for a claim on it. */
export const rangeOf = ({ endPosition, startPosition }: SyntaxNode): Required<Range> => ({
  line: startPosition.row + 1,
  endLine: endPosition.row + 1,
  column: startPosition.column + 1,
  endColumn: endPosition.column + 1
})

/** The columns of a match in a line, without the white space around it, for a claim on it. */
export const matchOf = (line: number, { 0: found, index }: Pick<RegExpExecArray, 0 | "index">): Range => {
  const column = index + 1 + found.length - found.trimStart().length
  const endColumn = index + 1 + found.trimEnd().length
  return endColumn > column ? { line, column, endColumn } : { line }
}
