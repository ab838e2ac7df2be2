/** What history says of the changed lines, and who knows them. */
import { Schema } from "effect"
import { count, place } from "./Place.ts"

export const PastChange = Schema.Struct({
  kind: Schema.Literals(["fix-removed", "brought-back", "often-fixed"]).annotate({
    description:
      "fix-removed: the change deletes lines of a fix. brought-back: it adds lines that a fix or revert removed. often-fixed: this place had many fixes lately."
  }),
  ...place,
  end: count.annotate({ description: "The last line." }),
  base: Schema.Boolean.annotate({ description: "The lines are those of the base side." }),
  commit: Schema.String,
  subject: Schema.String,
  date: Schema.String,
  issue: Schema.NullOr(Schema.String),
  lines: count.annotate({ description: "The number of such lines; of fixes in 90 days for often-fixed." }),
  of: count.annotate({ description: "The number of lines that the fix added or deleted in this file." })
}).annotate({ identifier: "PastChange" })
export type PastChange = typeof PastChange.Type

export const Person = Schema.Struct({
  name: Schema.String,
  commits: count.annotate({ description: "Commits to the changed files." }),
  latest: Schema.NullOr(Schema.String).annotate({ description: "The date of the last of them." }),
  owner: Schema.Boolean.annotate({ description: "Named in CODEOWNERS for most of these files." })
}).annotate({ identifier: "Person" })
export type Person = typeof Person.Type
