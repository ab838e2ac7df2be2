/** The `json` format of `dd symbols`, as a schema: what is printed, and what `dd symbols --print-schema` publishes. */
import { Schema } from "effect"
import { schemaVersion } from "../review/render/JsonReport.ts"

const line = Schema.Int.check(Schema.isGreaterThan(0))
const path = Schema.String.annotate({ description: "From the root of the repository, with forward slashes." })
const kind = Schema.Literals(["function", "method", "class", "type", "constant", "module"])
const name = Schema.String.annotate({ description: "With its class or receiver type: Cart.total." })
const certain = Schema.Boolean.annotate({
  description: "False if only the name matches, in a file that may use the definition."
})
const calls = Schema.Array(line).annotate({ description: "Lines of the calls, in the file of the caller." })

const Uses = Schema.Struct({
  references: Schema.Array(
    Schema.Struct({ path, line, kind: Schema.Literals(["import", "call", "use"]), certain })
  ).annotate({ description: "Places that use the definition." }),
  importers: Schema.Array(Schema.Struct({ path })).annotate({
    description: "Files that import the definition's file."
  }),
  callers: Schema.Array(
    Schema.Struct({
      path,
      line: Schema.NullOr(line),
      kind: Schema.NullOr(kind),
      name: Schema.NullOr(name),
      calls,
      certain
    })
  ).annotate({
    description: "Functions that call the definition; line, kind and name are null for the top of a file."
  }),
  callees: Schema.Array(Schema.Struct({ path, line, kind, name, calls, certain })).annotate({
    description: "Definitions of the repository that it calls."
  }),
  tests: Schema.Array(
    Schema.Struct({
      path,
      reason: Schema.Literals(["use", "import", "name"]).annotate({
        description: "The test uses the definition, imports its file, or is named after its file."
      })
    })
  )
}).annotate({ identifier: "Uses" })
export type Uses = typeof Uses.Type

const place = {
  signature: Schema.NullOr(Schema.String).annotate({ description: "Null if it is not callable or not plain." }),
  line,
  end_line: line
}

const SymbolDefinition = Schema.Struct({
  name,
  kind,
  path,
  ...place,
  overloads: Schema.Array(Schema.Struct(place)).annotate({
    description: "Further definitions of this name in the same class or file; they share the uses."
  }),
  uses: Schema.NullOr(Uses).annotate({
    description: "Null if the name has more definitions than are searched for; --in or a longer name selects fewer."
  })
}).annotate({ identifier: "Definition" })
export type SymbolDefinition = typeof SymbolDefinition.Type

export const SymbolsJson = Schema.Struct({
  schema_version: Schema.Literal(schemaVersion),
  tool: Schema.Struct({ name: Schema.Literal("dd"), version: Schema.String }),
  name: Schema.String.annotate({ description: "As it was asked for." }),
  side: Schema.String.annotate({ description: "A full commit id, or worktree." }),
  definitions: Schema.Array(SymbolDefinition),
  near: Schema.Array(Schema.Struct({ name, kind, path, line })).annotate({
    description: "If there is no definition: some of the same name elsewhere, or of similar names."
  }),
  omitted: Schema.Array(Schema.String).annotate({ description: "What was not searched." })
}).annotate({ identifier: "Symbols", title: "dd symbols", description: "Where a name is defined and used." })
export type SymbolsJson = typeof SymbolsJson.Type
