/**
 * Turns source text into syntax trees and answers queries on them.
 *
 * Bounded: a file over `maxBytes`, a parse over `deadlineMs` or over the memory there is, and a tree that is too deep are
 * refused with a reason, never cut.
 * A port: `layers/code/syntax/TreeSitter.ts` embeds the grammars.
 */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { Grammar } from "../../domain/change/Grammar.ts"
import type { Captures, Rows, SyntaxNode } from "../../domain/code/Syntax.ts"

export const maxBytes = 1_000_000
/** This and all other times here are processor time. */
export const deadlineMs = 2_000
/** In nodes from the root. A tree this deep may be refused, one of twice the depth is; code that people write has up to 300. */
export const maxDepth = 1_000
/** For one rule or reader on one file, and for all of them on one file. */
export const readMs = 1_000
export const fileReadMs = 2_000
/** For all queries of one owner. */
export const queryAllowanceMs = 2_000

const treeLimits = ["took too long", "nested too deeply", "needs too much memory", "the parser failed"] as const

export class NotParsed extends Schema.TaggedError<NotParsed>()("NotParsed", {
  grammar: Schema.String,
  reason: Schema.Literals(["too large", "grammar could not be loaded", ...treeLimits]),
  /** The cause, where the reason alone does not tell it. */
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const detail = this.detail === undefined ? "" : ` (${this.detail})`
    return `not parsed as ${this.grammar}: ${this.reason}${detail}`
  }
}

/** A rule or a reader was stopped; others can still read the tree. */
export class TreeNotRead extends Schema.TaggedError<TreeNotRead>()("TreeNotRead", {
  reason: Schema.Literals(treeLimits)
}) {
  override get message() {
    return `its syntax tree was not read to the end: ${this.reason}`
  }
}

export class QueryInvalid extends Schema.TaggedError<QueryInvalid>()("QueryInvalid", {
  grammar: Schema.String,
  query: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `query does not fit the ${this.grammar} grammar`
  }
}

/** The queries of one owner took more time than they may; those of others are still run. */
export class QueriesTooSlow extends Schema.TaggedError<QueriesTooSlow>()("QueriesTooSlow", {
  grammar: Schema.String,
  milliseconds: Schema.Int
}) {
  override get message() {
    return `the queries of rule files took more than ${this.milliseconds} ms and were not asked any further`
  }
}

export interface ParsedFile {
  readonly root: SyntaxNode
  /** Runs a reader of the tree and stops it after `readMs`, or when all readers of the file have taken `fileReadMs`. */
  readonly read: <A>(reader: (root: SyntaxNode) => A) => Effect.Effect<A, TreeNotRead>
  /**
   * The named nodes of these types, from one walk of the tree; a type that the grammar does not have has none. With
   * `rows`, nodes that touch none of them may be left out.
   */
  readonly nodes: (
    types: ReadonlyArray<string>,
    rows?: ReadonlyArray<Rows>
  ) => Effect.Effect<ReadonlyArray<SyntaxNode>, TreeNotRead>
  /**
   * The matches of a query in source order, in what is left of the time allowed to all queries of this owner. A query is
   * compiled once a grammar and kept; compiling looks at every state of the grammar, which takes up to 150 ms.
   */
  readonly query: (
    query: string,
    owner: string,
    rows?: ReadonlyArray<Rows>
  ) => Effect.Effect<ReadonlyArray<Captures>, QueryInvalid | QueriesTooSlow | TreeNotRead>
}

/** A run of lines that another text has in place of some of this one's. Rows from 0. */
export interface LineEdit {
  readonly row: number
  readonly removed: number
  readonly added: number
}

/** A text that was just parsed, and the edits that turn it into the next one, from top to bottom. */
export interface PreviousText {
  readonly text: string
  readonly edits: ReadonlyArray<LineEdit>
}

export class SyntaxParser extends Context.Service<
  SyntaxParser,
  {
    /** The tree is valid until the scope closes. With `previous`, only the differences are parsed; the tree is the same. */
    readonly parse: (
      grammar: Grammar,
      text: string,
      previous?: PreviousText
    ) => Effect.Effect<ParsedFile, NotParsed, Scope.Scope>
  }
>()("dd/services/code/SyntaxParser") {}
