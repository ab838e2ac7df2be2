/**
 * A static rule: what it reports, why, how to fix it, and the check that decides.
 *
 * Three kinds run on the change alone: a syntax rule checks nodes of one file, a line rule one added line, a change
 * rule the whole change. All are pure; the static reviewer runs them. The others describe findings that a reviewer of
 * the whole repository makes. Examples are loaded separately, because a review does not need them.
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
  /** `py/mutable-default`: an area, a slash, the defect in kebab case. */
  readonly id: string
  readonly stack: string
  readonly severity: Severity
  readonly confidence: "HIGH" | "MEDIUM"
  /** What is wrong, in at most 80 characters, without a full stop. */
  readonly title: string
  readonly why: string
  readonly fix: string
  /** A CWE number or the language's own documentation. */
  readonly reference: string
  /** The file that a user's own rule was read from; absent: the rule is part of dd. */
  readonly file?: string
  /** Does the rule apply to files of this path? Absent: to all files. */
  readonly looksAt?: (path: string) => boolean
  /** Applied only where the settings ask for it (`rules.enable`). */
  readonly offByDefault?: true
}

/** Decides on a node: false leaves it alone, a Claim refines what is reported. */
export type NodeCheck = (node: SyntaxNode, file: RuleFile, captures: Captures) => boolean | Claim

/** Decides on an added line. */
export type LineCheck = (text: string, line: number, file: RuleFile) => boolean | Claim

/** Decides on a change as a whole. */
export type ChangeCheck = (change: RuleChange) => ReadonlyArray<Claim & { readonly path: string }>

/** The nodes that a syntax rule checks: named nodes of these types, or what a query captures as `@claim`. */
export type SyntaxPattern =
  | { readonly _tag: "Nodes"; readonly types: ReadonlyArray<string> }
  /** All queries of one owner share a time limit. */
  | { readonly _tag: "Query"; readonly query: string; readonly owner: string }

export interface SyntaxRule extends RuleWords {
  readonly _tag: "Syntax"
  readonly grammars: ReadonlyArray<Grammar>
  /** A file without any of these words is not searched; empty: every file is. */
  readonly keywords: ReadonlyArray<string>
  readonly pattern: SyntaxPattern
  /** Called for each node that the change touches. */
  readonly check: NodeCheck
  readonly inTests: boolean
}

export interface LineRule extends RuleWords {
  readonly _tag: "Line"
  /** Called for each added line of each text file. */
  readonly check: LineCheck
  readonly inTests: boolean
}

export interface ChangeRule extends RuleWords {
  readonly _tag: "Change"
  readonly check: ChangeCheck
}

/** Compares what a change does to a definition with its users in the whole repository. */
export interface ContractRule extends RuleWords {
  readonly _tag: "Contract"
  readonly breakage: Breakage
}

/** What no longer fits together across files: imports, cases over members, overrides. */
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

/** Compares how the files of the repository fit together before and after a change. */
export interface StructureRule extends RuleWords {
  readonly _tag: "Structure"
  readonly misfit: Misfit
}

/** Runs a detector library on added lines that may contain a token. */
export interface DetectorRule extends RuleWords {
  readonly _tag: "Detector"
  readonly inTests: boolean
}

/** Describes a finding of a separate reviewer of the whole repository. */
export interface RepositoryRule extends RuleWords {
  readonly _tag: "Repository"
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
