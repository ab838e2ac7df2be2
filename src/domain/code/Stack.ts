/**
 * A stack: the files of a change that one reviewer reads together.
 *
 * Seed 000 names python, react, elixir, go, rust and ios; dd adds typescript, java and ruby.
 * `generic` has the files that belong to no language; `structure` has every file of the change.
 */
export type StackName = string

export interface Stack {
  readonly name: StackName
  readonly files: ReadonlyArray<string>
  /** Reviewed by dd's own rules alone; no agent is called. */
  readonly rulesOnly?: true
}

/** An extension's own stack: the first rule with a matching pattern claims the file. */
export interface StackRule {
  readonly name: StackName
  /** Globs over repository paths: `infra/**`, `*.sql`. */
  readonly patterns: ReadonlyArray<string>
}
