/** The tests to run, and changed definitions that no test mentions. */
import { Schema } from "effect"
import { Place, place } from "./Place.ts"

export const Tests = Schema.Struct({
  files: Schema.Array(
    Schema.Struct({
      file: Schema.String,
      by: Schema.Literals(["change", "use", "import", "name", "mention", "history"]).annotate({
        description:
          "change: the change edits it. use: it has the name of a changed definition that it can see. import: it imports a changed file. name: it is named after one. mention: it has a name of several words of a changed definition or file, or two such words of changed lines. history: it changed together with a changed file."
      }),
      of: Schema.String.annotate({ description: "The changed file or definition that it tests." })
    })
  ).annotate({ description: "The most likely first." }),
  commands: Schema.Array(Schema.String).annotate({ description: "They run these tests; dd never runs them." }),
  runner: Schema.NullOr(Schema.Struct({ name: Schema.String, source: Place })),
  untested: Schema.Array(Schema.Struct({ name: Schema.String, ...place })).annotate({
    description:
      "Changed public functions and classes that no test mentions, nor their type, their file, or the code that uses them."
  })
}).annotate({ identifier: "Tests" })
export type Tests = typeof Tests.Type
