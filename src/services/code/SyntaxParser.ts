/**
 * Parses source text into syntax trees and runs queries on them.
 *
 * Bounded: a file over `maxBytes`, a parse that takes more than `deadlineMs` or the available memory, and a tree that
 * is too deep are refused with a reason, never cut.
 *
 * A port: `layers/code/syntax/TreeSitter.ts` embeds the grammars.
 */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { Grammar } from "../../domain/change/Grammar.ts"
import type { Captures, Rows, SyntaxNode } from "../../domain/code/Syntax.ts"

export const maxBytes = 1_000_000
/** All times here are processor time. */
export const deadlineMs = 2_000
/**
 * In nodes from the root. A tree of this depth may be refused, and one of twice the depth is; hand-written code has up
 * to 300.
 */
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
  /** The cause, if the reason does not include it. */
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

/** The queries of one owner took more than their time; those of others are still run. */
export class QueriesTooSlow extends Schema.TaggedError<QueriesTooSlow>()("QueriesTooSlow", {
  grammar: Schema.String,
  milliseconds: Schema.Int
}) {
  override get message() {
    return `the queries of rule files took more than ${this.milliseconds} ms and were stopped`
  }
}

export interface ParsedFile {
  readonly root: SyntaxNode
  /** Runs a reader of the tree. Stops it after `readMs`, or when all readers of the file have taken `fileReadMs`. */
  readonly read: <A>(reader: (root: SyntaxNode) => A) => Effect.Effect<A, TreeNotRead>
  /**
   * The named nodes of these types, in one walk of the tree; none for a type that the grammar does not have. With
   * `rows`, nodes that touch none of them may be left out.
   */
  readonly nodes: (
    types: ReadonlyArray<string>,
    rows?: ReadonlyArray<Rows>
  ) => Effect.Effect<ReadonlyArray<SyntaxNode>, TreeNotRead>
  /**
   * The matches of a query in source order, within the remaining time of all queries of this owner. A query is compiled
   * once for each grammar, because compiling visits every state of the grammar and takes up to 150 ms.
   */
  readonly query: (
    query: string,
    owner: string,
    rows?: ReadonlyArray<Rows>
  ) => Effect.Effect<ReadonlyArray<Captures>, QueryInvalid | QueriesTooSlow | TreeNotRead>
}

/** Lines of this text that are replaced by lines of another text. Rows from 0. */
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
    /**
     * The tree is valid until the scope closes. With `previous`, only the differences are parsed, for the same tree.
     */
    readonly parse: (
      grammar: Grammar,
      text: string,
      previous?: PreviousText
    ) => Effect.Effect<ParsedFile, NotParsed, Scope.Scope>
  }
>()("dd/services/code/SyntaxParser") {}
