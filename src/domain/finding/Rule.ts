/**
 * A static rule as data: what it claims, why, how to mend it, and the examples that are its tests.
 *
 * Three kinds, by what they look at: a syntax rule sees query matches in one file, a line rule sees
 * one added line, a change rule sees the whole change. All are pure; the static reviewer runs them.
 */

import type { DiffFile } from "../change/Diff.ts"
import type { Grammar } from "../change/Grammar.ts"
import type { Breakage } from "../code/brokenUses.ts"
import type { Captures, SyntaxNode } from "../code/Syntax.ts"
import type { Severity } from "./Finding.ts"

/** One changed file as rules see it. */
export interface RuleFile {
  readonly path: string
  readonly diff: DiffFile
  /** The head side's lines without their ends; null when the file is gone, binary or unreadable. */
  readonly head: ReadonlyArray<string> | null
  readonly base: ReadonlyArray<string> | null
  /** Lives under a test, example, fixture or generated path: some rules do not apply. */
  readonly isTest: boolean
  /** Is this head-side line (from 1) added by the change? */
  readonly isAdded: (line: number) => boolean
}

export interface RuleChange {
  readonly files: ReadonlyArray<RuleFile>
  /** Every path of the head side, sorted; empty when there is no repository (a bare patch). */
  readonly headPaths: ReadonlySet<string>
}

/** Where a rule found what it looks for. Absent words fall back to the rule's own. */
export interface Claim {
  readonly path?: string
  /** From 1; 0 for the file as a whole. */
  readonly line: number
  readonly endLine?: number
  readonly title?: string
  readonly description?: string
  /** A replacement for the claimed lines, when it is certain. */
  readonly suggestion?: string
}

interface RuleWords {
  /** `py/mutable-default`: a short language or area, a slash, the defect in kebab case. */
  readonly id: string
  readonly stack: string
  readonly severity: Severity
  readonly confidence: "HIGH" | "MEDIUM"
  /** One sentence, the claim, at most 80 characters, no full stop. */
  readonly title: string
  readonly why: string
  readonly fix: string
  /** A CWE number or the language's own documentation. */
  readonly reference: string
  /** The file that a user's own rule was read from; absent: dd ships the rule. */
  readonly file?: string
  /** Does a user's own rule look at files of this path? Absent: at every one. */
  readonly looksAt?: (path: string) => boolean
  /** Applied only where the settings ask for it (`rules.enable`). */
  readonly offByDefault?: true
}

/** Source text in which the rule must (`bad`) or must not (`good`) claim something; all lines count as added. */
export interface Examples {
  readonly bad: ReadonlyArray<string>
  readonly good: ReadonlyArray<string>
}

export interface SyntaxRule extends RuleWords {
  readonly _tag: "Syntax"
  readonly grammars: ReadonlyArray<Grammar>
  /** A file without any of these words cannot match, so it is not queried; empty: always query. */
  readonly keywords: ReadonlyArray<string>
  /** Tree-sitter query. The node captured as `@claim` is the place; the claim stands when one of its lines is added. */
  readonly query: string
  /** A user wrote the query: it is compiled and run apart from the others, in the time allowed to all of this owner's. */
  readonly queryAlone?: string
  /** False refuses the match; a Claim refines it. Absent: every match stands. */
  readonly check?: (captures: Captures, file: RuleFile) => boolean | Claim
  readonly inTests: boolean
  readonly examples: Examples
}

export interface LineRule extends RuleWords {
  readonly _tag: "Line"
  /** Called for each added line of each text file. */
  readonly check: (text: string, line: number, file: RuleFile) => boolean | Claim
  readonly inTests: boolean
  readonly examples: Examples & { readonly path: string }
}

/** A change in miniature: path to [base text, head text], null for absent, and [base mode, head mode] where not 100644. */
export type ChangeExample = Readonly<
  Record<string, readonly [string | null, string | null, (readonly [string, string])?]>
>

export interface ChangeRule extends RuleWords {
  readonly _tag: "Change"
  readonly check: (change: RuleChange) => ReadonlyArray<Claim & { readonly path: string }>
  readonly examples: { readonly bad: ReadonlyArray<ChangeExample>; readonly good: ReadonlyArray<ChangeExample> }
}

/** Holds what a change does to a definition against its users in the whole repository. */
export interface ContractRule extends RuleWords {
  readonly _tag: "Contract"
  readonly breakage: Breakage
  readonly examples: { readonly bad: ReadonlyArray<ChangeExample>; readonly good: ReadonlyArray<ChangeExample> }
}

/** What no longer fits together across files: imports, cases over members, overrides. */
export type Misfit =
  | "import-cycle"
  | "broken-import-cycle"
  | "missing-file"
  | "missing-name"
  | "uncovered-case"
  | "uncompiled-case"
  | "stale-case"
  | "override"
  | "missing-method"
  | "stray-override"

/** Holds how the files of the repository fit together after a change against how they did before it. */
export interface StructureRule extends RuleWords {
  readonly _tag: "Structure"
  readonly misfit: Misfit
  readonly examples: { readonly bad: ReadonlyArray<ChangeExample>; readonly good: ReadonlyArray<ChangeExample> }
}

/** What a detector library says of added lines that may hold a token; the static reviewer asks it. */
export interface DetectorRule extends RuleWords {
  readonly _tag: "Detector"
  readonly inTests: boolean
  readonly examples: Examples & { readonly path: string }
}

/** The words of a finding that a reviewer of its own makes, in the whole repository. */
export interface RepositoryRule extends RuleWords {
  readonly _tag: "Repository"
  readonly examples: { readonly bad: ReadonlyArray<ChangeExample>; readonly good: ReadonlyArray<ChangeExample> }
}

/** Looks at files one by one; the others need the change, or the repository around it. */
export type FileRule = SyntaxRule | LineRule | DetectorRule

export type Rule = FileRule | ChangeRule | ContractRule | StructureRule | RepositoryRule

export const isFileRule = (rule: Rule): rule is FileRule =>
  rule._tag === "Syntax" || rule._tag === "Line" || rule._tag === "Detector"

/** The node's lines, from 1. */
export const linesOf = (node: SyntaxNode): { readonly line: number; readonly endLine: number } => ({
  line: node.startPosition.row + 1,
  endLine: node.endPosition.row + 1
})
