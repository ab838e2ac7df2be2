/** What changed, as a program: definitions, values that others depend on, and dependencies. */
import { Schema } from "effect"
import { Place, place } from "./Place.ts"

export const DefinitionChange = Schema.Struct({
  change: Schema.Literals(["added", "removed", "renamed", "moved", "signature", "visibility", "async", "body"]),
  kind: Schema.Literals([
    "function",
    "method",
    "class",
    "type",
    "field",
    "constant",
    "module",
    "export",
    "implementation"
  ]),
  name: Schema.String.annotate({ description: "With its container: Cart.total." }),
  /** On the head side; on the base side for a removed definition. */
  ...place,
  before: Schema.NullOr(Schema.String).annotate({
    description: "The signature, name, place or visibility before the change."
  }),
  after: Schema.NullOr(Schema.String),
  from: Schema.optionalKey(Place).annotate({ description: "Of a moved definition: its place before the change." }),
  public: Schema.Boolean.annotate({ description: "May other files use it?" })
}).annotate({ identifier: "DefinitionChange" })
export type DefinitionChange = typeof DefinitionChange.Type

/** A value that code elsewhere, a configuration or a user depends on. */
export const ValueChange = Schema.Struct({
  change: Schema.Literals(["added", "removed", "changed"]),
  kind: Schema.Literals(["constant", "default", "member", "route", "column", "flag", "environment", "setting"]),
  name: Schema.String,
  ...place,
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ValueChange" })
export type ValueChange = typeof ValueChange.Type

export const DependencyChange = Schema.Struct({
  name: Schema.String,
  ...place,
  before: Schema.NullOr(Schema.String).annotate({ description: "null: added by the change." }),
  after: Schema.NullOr(Schema.String).annotate({ description: "null: removed by the change." }),
  major: Schema.Boolean.annotate({ description: "A step to another major version." }),
  locked: Schema.Boolean.annotate({ description: "From a lock file, not from a manifest." })
}).annotate({ identifier: "DependencyChange" })
export type DependencyChange = typeof DependencyChange.Type
