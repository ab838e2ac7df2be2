/**
 * A stack: the files of a change that one reviewer reads together. If the whole change does not fit into a prompt, models get
 * shards instead: stacks that are made of files that belong together, of any language (`domain/review/shardsOf.ts`).
 *
 * `generic` has the files that belong to no language; `structure` has every file of the change.
 */
import type { DiffFile } from "../change/Diff.ts"

export type StackName = string

export interface Stack {
  readonly name: StackName
  readonly files: ReadonlyArray<string>
  /** Of a shard. */
  readonly shard?: Shard
  /** Reviewed by dd's own rules alone; no agent is called. */
  readonly rulesOnly?: true
}

export interface Shard {
  /** Its part of the diff: whole files, or some hunks of a file. */
  readonly parts: ReadonlyArray<DiffFile>
  /** The stacks of its files, the largest first: their profiles are used. */
  readonly profiles: ReadonlyArray<StackName>
}

/** An extension's own stack: the first rule with a matching pattern claims the file. */
export interface StackRule {
  readonly name: StackName
  /** Globs over repository paths: `infra/**`, `*.sql`. */
  readonly patterns: ReadonlyArray<string>
}
