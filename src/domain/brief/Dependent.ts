/** Who depends on what the change alters. */
import { Schema } from "effect"
import { count, place } from "./Place.ts"

export const Dependent = Schema.Struct({
  name: Schema.String.annotate({ description: "The changed definition, with its container." }),
  ...place,
  callers: count.annotate({ description: "Places that certainly call it." }),
  uses: count.annotate({ description: "Places that certainly name it without a call, such as a type." }),
  importers: count.annotate({ description: "Files that import it." }),
  overriders: count.annotate({ description: "Methods that override or implement it." }),
  subtypes: count.annotate({ description: "Types that extend or implement it." }),
  possible: count.annotate({ description: "Other places where only the name matches." }),
  files: count.annotate({ description: "Files with such a place." }),
  touched: count.annotate({ description: "Those in which this change edits every such place." }),
  nearest: Schema.Array(
    Schema.Struct({
      ...place,
      kind: Schema.Literals(["call", "use", "import", "override", "subtype"]),
      name: Schema.NullOr(Schema.String).annotate({ description: "The definition around the place." }),
      certain: Schema.Boolean.annotate({ description: "false: only the name matches." }),
      depth: count.annotate({ description: "1: uses the definition itself." })
    })
  )
}).annotate({ identifier: "Dependent" })
export type Dependent = typeof Dependent.Type
