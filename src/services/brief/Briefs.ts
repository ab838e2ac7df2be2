/**
 * The brief of a change: what it does, who depends on it, which tests reach it, what usually changes with it.
 *
 * Each part is a function of this folder whose decision is pure. Computed once per change, without a model. Never
 * fails: what a part did not look at is in `omitted`. Source: docs/brief.md.
 */
import { Context, Effect, Layer } from "effect"
import { type Brief, type Found, type Part, parts } from "../../domain/brief/Brief.ts"
import type { ValueChange } from "../../domain/brief/Definitions.ts"
import { expectedParts } from "../../domain/brief/expectedParts.ts"
import type { Change } from "../../domain/change/Change.ts"
import { Redactor } from "../secret/Redactor.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { companionsOf } from "./companions.ts"
import { definitionsOf } from "./definitions.ts"
import { dependentsOf } from "./dependents.ts"
import { formOf } from "./form.ts"
import { historyOf } from "./history.ts"
import { peopleOf } from "./people.ts"
import { sizeOf } from "./size.ts"
import { testsOf } from "./tests.ts"

/** How many levels of users are looked for: 1 for those of a changed definition itself. */
export const BriefDepth = Context.Reference<number>("dd/services/brief/Briefs/BriefDepth", { defaultValue: () => 1 })

export class Briefs extends Context.Service<Briefs, { readonly of: (change: Change) => Effect.Effect<Brief> }>()(
  "dd/services/brief/Briefs"
) {
  static readonly layer = Layer.effect(
    Briefs,
    Effect.gen(function* () {
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof briefOf>>>()
      const briefs = oncePerKey<Change, Brief>()
      return Briefs.of({ of: (change) => briefs(change, Effect.provideContext(briefOf(change), services)) })
    })
  )
}

/** While one part waits for git, another runs. */
const briefOf = Effect.fn("Briefs.of")(function* (change: Change) {
  const first = yield* Effect.all(
    {
      definitions: definitionsOf(change),
      form: formOf(change),
      companions: companionsOf(change),
      history: historyOf(change),
      people: peopleOf(change)
    },
    { concurrency: "unbounded" }
  )
  const { definitions, values, dependencies } = first.definitions.found
  const second = yield* Effect.all(
    {
      dependents: dependentsOf(change, definitions, values, { depth: yield* BriefDepth }),
      tests: testsOf(change, definitions),
      size: sizeOf(change, first.form.found)
    },
    { concurrency: "unbounded" }
  )
  const found: Readonly<Record<Part, Found<unknown>>> = { ...first, ...second }
  const brief: Brief = {
    definitions,
    values: values.map(withoutSecret(yield* Redactor)),
    dependencies,
    form: first.form.found,
    dependents: second.dependents.found,
    tests: second.tests.found,
    companions: first.companions.found,
    history: first.history.found,
    people: first.people.found,
    size: second.size.found,
    omitted: [
      ...(change.head._tag === "Unknown" ? withoutRepository(change) : []),
      ...parts.flatMap((part) => found[part].omitted.map((reason) => ({ part, reason })))
    ]
  }
  return brief
})

const withoutRepository = (change: Change): Brief["omitted"] =>
  expectedParts(change).flatMap(({ missing, part }) =>
    missing === null ? [] : [{ part, reason: "what only a repository and its history show: the patch has none" }]
  )

/** A value is redacted with its name, which may be what shows that it is a secret. */
const withoutSecret = ({ text }: Redactor["Service"]) => {
  const hidden = (name: string, value: string | null): string | null => {
    if (value === null) return null
    // A key that is cut has no end.
    if (value.includes("-----BEGIN")) return "[REDACTED_PRIVATE_KEY]"
    const before = `${name} = `
    const redacted = text(before + value)
    return redacted.startsWith(before) ? redacted.slice(before.length) : "[REDACTED]"
  }
  return (change: ValueChange): ValueChange => {
    // `Cart.key`, and `connect(password)` for a default.
    const [name = change.name] = /[^.()\s]+(?=\)?$)/.exec(change.name) ?? []
    return { ...change, before: hidden(name, change.before), after: hidden(name, change.after) }
  }
}
