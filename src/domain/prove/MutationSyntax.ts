/** What of a language's syntax is changed to make mutants, as data; and how a file can hold all of its mutants at once. */
import type { SyntaxNode } from "../code/Syntax.ts"

/** A field of a node, or the number of a named child. */
export type Part = string | number

export interface MutationSyntax {
  /** The part that decides, by the type of the node. */
  readonly conditions: Readonly<Record<string, Part>>
  readonly parenthesized: string
  readonly negated: (text: string) => string
  /** Nodes with two operands and an operator between them. */
  readonly binary: ReadonlySet<string>
  readonly logical: ReadonlySet<string>
  /** The comparison that differs only where both sides are equal. */
  readonly boundaries: Readonly<Record<string, string>>
  readonly opposites: Readonly<Record<string, string>>
  /** Operators whose operand may be one too large. */
  readonly arithmetic: ReadonlySet<string>
  readonly integer: string
  readonly call: { readonly type: string; readonly callee: string; readonly arguments: string }
  /** A member of an object: its node, the object and the name. */
  readonly member: { readonly type: string; readonly object: string; readonly name: string }
  /** Methods without which the object stays of the same type, and functions whose argument does. */
  readonly wrapping: { readonly methods: ReadonlySet<string>; readonly functions: ReadonlySet<string> }
  readonly awaiting: string
  /** The token of an access that ends where the object is absent; null without one. */
  readonly optional: string | null
  readonly returning: string
  /** The expression for no value. */
  readonly nothing: string
  readonly literals: Readonly<Record<string, string>>
  readonly expressionStatement: string
  readonly assignments: ReadonlySet<string>
  readonly throwing: string
  /** The value of a default, by the type of the node. */
  readonly defaults: Readonly<Record<string, Part>>
  readonly functions: ReadonlySet<string>
  /** The value of a case that is dropped; null if cases are patterns. */
  readonly cases: { readonly type: string; readonly value: string; readonly never: string } | null
  /** The pattern of a regular expression in this node, without its delimiters; null for any other node. */
  readonly pattern: (node: SyntaxNode) => { readonly start: number; readonly text: string } | null
  /** Below these, nothing is executed or nothing may be an expression. */
  readonly excluded: ReadonlySet<string>
  /** May the expression be replaced by another one here? */
  readonly isReplaceable: (node: SyntaxNode) => boolean
  readonly switches: Switches
}

/**
 * How a file holds its mutants, of which a variable of the environment chooses one when it runs (mutant schemata: Untch,
 * Offutt and Harrold, "Mutation Analysis Using Mutant Schemata", ISSTA 1993). `on`: the call that is true for the chosen one.
 */
export interface Switches {
  readonly expression: (on: string, after: string, before: string, node: SyntaxNode) => string
  /** Null where the statement cannot be guarded. */
  readonly statement: (on: string, before: string, node: SyntaxNode) => string | null
  readonly on: (id: number) => string
  /** The text with what the calls need, on the same lines where that is possible. `root`: of the file without mutants. */
  readonly completed: (text: string, root: SyntaxNode) => string
}

/** The variable with the number of the mutant, and the one with the file to which reached ones are added. */
export const chosenVariable = "DD_MUTANT"
export const reachedVariable = "DD_REACHED"
