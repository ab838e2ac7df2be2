/** An example of a rule: a change in miniature that the rule reports, or leaves alone. */

export interface ExampleFile {
  /** Null where any file in a language of the rule will do. */
  readonly path: string | null
  /** Null: the change adds the file. */
  readonly before: string | null
  /** Null: the change deletes the file. */
  readonly after: string | null
  /** The file modes before and after, where they are not 100644. */
  readonly modes?: readonly [string, string]
}

export interface RuleExample {
  readonly isReported: boolean
  /** What it shows, in a few words or a sentence; "" for an example that needs no explanation. */
  readonly name: string
  readonly files: ReadonlyArray<ExampleFile>
}
