/** Which hunks change only the form of the code, and the order in which to read the others. */
import { Schema } from "effect"
import { count, Place, place } from "./Place.ts"

export const forms = ["moved", "renamed", "reformatted", "imports", "comments", "generated", "vendored"] as const
export type FormName = (typeof forms)[number]

/** Neighbouring lines of one hunk. Code that moved to another place has one entry where it was and one where it is. */
export const FormalHunk = Schema.Struct({
  form: Schema.Literals(forms),
  /** The first line on the head side; the line before a hunk that only deletes. */
  ...place,
  added: count.annotate({ description: "Added lines that are only form, from `line` on." }),
  base: count.annotate({ description: "The first deleted line, in the file before the change; 0 if none is deleted." }),
  deleted: count.annotate({ description: "Deleted lines that are only form, from `base` on." }),
  from: Schema.NullOr(Place).annotate({ description: "Where moved code was before the change." }),
  to: Schema.NullOr(Place).annotate({ description: "Where deleted code is after the change." }),
  differs: Schema.Array(Place).annotate({ description: "Lines inside of the move that are not the same." })
}).annotate({ identifier: "FormalHunk" })
export type FormalHunk = typeof FormalHunk.Type

export const Form = Schema.Struct({
  lines: count.annotate({ description: "Added and deleted lines of the change." }),
  formal: count.annotate({ description: "Those that only move, rename or reformat code." }),
  hunks: Schema.Array(FormalHunk),
  movedFiles: Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.String })).annotate({
    description: "Files that have another path and are the same otherwise."
  }),
  order: Schema.Array(Schema.Struct({ ...place, reason: Schema.String })).annotate({
    description: "Hunks that need reading, in the order in which to read them."
  })
}).annotate({ identifier: "Form" })
export type Form = typeof Form.Type
