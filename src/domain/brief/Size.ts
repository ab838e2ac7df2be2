/** How much there is to read, and whether the change is several changes. */
import { Schema } from "effect"
import { count } from "./Place.ts"

export const Size = Schema.Struct({
  files: count,
  added: count,
  deleted: count,
  reading: count.annotate({ description: "Lines that need reading: without form, generated and vendored files." }),
  minutes: Schema.NullOr(Schema.Struct({ least: count, most: count })),
  clusters: Schema.Array(Schema.Struct({ name: Schema.String, files: Schema.Array(Schema.String) })).annotate({
    description: "Parts without a reference between them; empty if the change is one."
  })
}).annotate({ identifier: "Size" })
export type Size = typeof Size.Type
