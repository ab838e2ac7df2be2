/**
 * The brief of a change: what it does, who depends on it, which tests reach it, what usually changes with it.
 *
 * Each part is a function of this folder whose decision is pure. Computed once per change, without a model. Never
 * fails: what a part did not look at is in `omitted`. Source: docs/brief.md.
 */
import { Context, Effect, Layer } from "effect"
import { type Brief, type Found, type Part, parts } from "../../domain/brief/Brief.ts"
import type { DefinitionChange, ValueChange } from "../../domain/brief/Definitions.ts"
import { shortenedValues } from "../../domain/brief/definitions/shortenedValues.ts"
import { expectedParts } from "../../domain/brief/expectedParts.ts"
import type { Change } from "../../domain/change/Change.ts"
import { Sources } from "../change/Sources.ts"
import { Redactor } from "../secret/Redactor.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { companionsOf } from "./companions.ts"
import { definitionsOf } from "./definitions.ts"
import { dependentsOf } from "./dependents.ts"
import { formOf } from "./form.ts"
import { historyOf } from "./history.ts"
import { learnedOf } from "./learned.ts"
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
      people: peopleOf(change),
      learned: learnedOf(change)
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
  const failures = yield* (yield* Sources).failures
  const redacted = redactedWith(yield* Redactor)
  const found: Readonly<Record<Part, Found<unknown>>> = { ...first, ...second }
  const brief: Brief = {
    definitions: definitions.map(redacted.definition),
    values: values.map(redacted.value),
    dependencies,
    form: first.form.found,
    dependents: second.dependents.found,
    tests: second.tests.found,
    companions: first.companions.found,
    history: first.history.found,
    people: first.people.found,
    size: second.size.found,
    ...(first.learned.length === 0 ? {} : { learned: first.learned }),
    omitted: [
      ...(change.head._tag === "Unknown" ? withoutRepository(change) : []),
      ...parts.flatMap((part) => found[part].omitted.map((reason) => ({ part, reason }))),
      // Uses are what is searched for in files that the change does not edit.
      ...[...new Set(failures.flatMap(({ unchecked }) => unchecked ?? []))].map((files) => {
        return { part: "dependents" as const, reason: `uses in ${files}` }
      })
    ]
  }
  return brief
})

const withoutRepository = (change: Change): Brief["omitted"] =>
  expectedParts(change).flatMap(({ missing, part }) =>
    missing === null ? [] : [{ part, reason: "what only a repository and its history show: the patch has none" }]
  )

/** A value is redacted with its name, which may be what shows that it is a secret. */
const redactedWith = ({ text }: Redactor["Service"]) => {
  const hidden = (name: string, value: string): string => {
    // A key that is cut has no end.
    if (value.includes("-----BEGIN")) return "[REDACTED_PRIVATE_KEY]"
    const before = `${name} = `
    const redacted = text(before + value)
    return redacted.startsWith(before) ? redacted.slice(before.length) : "[REDACTED]"
  }
  /** Of the default and the choices of a flag. */
  const hiddenInside = (name: string, given: string): string => given.replace(quoted, (value) => hidden(name, value))
  /** The default in an annotation may belong to any name of the signature. */
  const hiddenInSignature = (name: string, given: string): string =>
    given.replace(quoted, (value, _quote, at: number) => {
      const isDefault = beforeDefault.test(given.slice(Math.max(0, at - longestKey), at))
      const names = isDefault ? (given.slice(0, longestSignature).match(/[\w-]+/g) ?? []) : []
      return [name, ...names].map((each) => hidden(each, value)).find((shown) => shown !== value) ?? value
    })
  const redacted = <A extends DefinitionChange | ValueChange>(change: A, hide: typeof hidden): A => {
    // `Cart.key`, and `connect(password)` for a default.
    const [name = change.name] = /[^.()\s]+(?=\)?$)/.exec(change.name) ?? []
    const { after, before } = change
    return { ...change, before: before && hide(name, before), after: after && hide(name, after) }
  }
  return {
    // A part of a secret cannot be recognised.
    value: (change: ValueChange) => shortenedValues(redacted(change, change.kind === "flag" ? hiddenInside : hidden)),
    definition: (change: DefinitionChange) => {
      // A function's texts are not values of its name.
      const isValue = change.kind === "field" || change.kind === "constant"
      return redacted(change, isValue ? hiddenInSignature : (_, given) => hiddenInSignature("", given))
    }
  }
}

const longestKey = 24
const longestSignature = 400
const beforeDefault = /\b(?:default\w*|value)["']?\s*[=:]\s*$/i

/** Texts in quotes, also those that are cut. A single quote may begin a lifetime of Rust, a backquote contain keys of Go. */
const quoted = /(")(?:[^\\]|\\[\s\S])*?(?:\1|…(?= |$)|$)|'[^'\s]*'|`[^`\s"]*`/g
