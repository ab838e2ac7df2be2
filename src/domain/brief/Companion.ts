/** A file that usually changes with the changed ones, and did not. */
import { Schema } from "effect"
import { count } from "./Place.ts"

export const Companion = Schema.Struct({
  file: Schema.String.annotate({
    description: "The file, or a folder with its slash, that this change does not touch."
  }),
  with: Schema.String.annotate({ description: "The changed file." }),
  together: count.annotate({ description: "Commits that changed both." }),
  commits: count.annotate({ description: "Commits that changed the changed file." }),
  latest: Schema.String.annotate({ description: "The commit that last changed both." })
}).annotate({ identifier: "Companion" })
export type Companion = typeof Companion.Type
