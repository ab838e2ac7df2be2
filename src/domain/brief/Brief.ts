/**
 * What a change does: facts, never opinions. Each can be looked up at its place.
 *
 * The keys are those of the JSON report. A part that has nothing to say is empty, and `omitted` has what a part did not
 * look at. Nothing of a brief counts for `--fail-on`.
 */
import { Schema } from "effect"
import { Companion } from "./Companion.ts"
import { DefinitionChange, DependencyChange, ValueChange } from "./Definitions.ts"
import { Dependent } from "./Dependent.ts"
import { Form } from "./Form.ts"
import { PastChange, Person } from "./History.ts"
import { LearnedFact } from "./Learned.ts"
import { Size } from "./Size.ts"
import { Tests } from "./Tests.ts"

export const parts = ["definitions", "form", "dependents", "tests", "companions", "history", "people", "size"] as const
export type Part = (typeof parts)[number]

/** What a part found, and what it did not look at, in words for the reader. */
export interface Found<A> {
  readonly found: A
  readonly omitted: ReadonlyArray<string>
}

export const Omission = Schema.Struct({ part: Schema.Literals(parts), reason: Schema.String })

export const Brief = Schema.Struct({
  definitions: Schema.Array(DefinitionChange),
  values: Schema.Array(ValueChange),
  dependencies: Schema.Array(DependencyChange),
  form: Form,
  dependents: Schema.Array(Dependent),
  tests: Tests,
  companions: Schema.Array(Companion),
  history: Schema.Array(PastChange),
  people: Schema.Array(Person),
  size: Size,
  /** Absent if nothing that was learned applies. */
  learned: Schema.optionalKey(Schema.Array(LearnedFact)),
  omitted: Schema.Array(Omission)
}).annotate({ identifier: "Brief", description: "What the change does, without opinions. Facts with their places." })
export type Brief = typeof Brief.Type
