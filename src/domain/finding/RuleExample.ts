/** An example of a rule: a small change that the rule reports, or does not report. */

export interface ExampleFile {
  /** Null: any file in a language of the rule. */
  readonly path: string | null
  /** Null: the change adds the file. */
  readonly before: string | null
  /** Null: the change deletes the file. */
  readonly after: string | null
  /** `after` with the suggestions of the rule applied; absent if it has none. */
  readonly fixed?: string
  /** The file modes before and after, if they are not 100644. */
  readonly modes?: readonly [string, string]
}

export interface RuleExample {
  readonly isReported: boolean
  /** A short explanation; "" if none is needed. */
  readonly name: string
  readonly files: ReadonlyArray<ExampleFile>
}
