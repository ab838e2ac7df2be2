/** The definitions of a name with their uses, in the shape of the JSON format. */
import { Array as Arr, Effect } from "effect"
import { version } from "../../../package.json" with { type: "json" }
import { type Change, sideText } from "../../domain/change/Change.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { signatureText } from "../../domain/code/brokenUses.ts"
import { type Answer, type DefinitionPlace, mergedCallees, qualifiedName } from "../../domain/code/CodeQuery.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import { CodeQueries } from "../../services/code/CodeQueries.ts"
import { nearDefinitions, notSearched } from "../../services/code/nameSearch.ts"
import { schemaVersion } from "../review/render/JsonReport.ts"
import type { SymbolDefinition, SymbolsJson, Uses } from "./SymbolsJson.ts"

export const symbolsOf = Effect.fnUntraced(function* (
  name: string,
  isWanted: (path: string) => boolean,
  change: Change
) {
  const queries = yield* CodeQueries
  const { found, omitted } = yield* queries.definitionsOf(name, isWanted)
  // The code itself before its tests.
  const places = found.toSorted((a, b) => Number(isTestFile(a.path)) - Number(isTestFile(b.path)))
  // Uses do not show which of several overloads is meant.
  const groups = Object.values(Arr.groupBy(places, ({ definition, path }) => `${path} ${qualifiedName(definition)}`))
  const details = yield* Effect.forEach(groups.slice(0, definitionsDetailed), usesOf)
  const cut = details.flatMap(({ omitted, place }) =>
    omitted.map((each) => (groups.length === 1 ? each : `${place}: ${each}`))
  )
  const unread = change.diff.files.flatMap((file) =>
    file.unread === undefined ? [] : [`${file.path}: ${file.unread}`]
  )
  const near = found.length === 0 ? yield* nearDefinitions(name) : []
  const symbols: SymbolsJson = {
    schema_version: schemaVersion,
    tool: { name: "dd", version },
    name,
    side: sideText(change.head),
    definitions: groups.map((group, at) => definitionJson(group, details[at]?.uses ?? null)),
    near: near.map(({ definition, path }) => ({
      name: qualifiedName(definition),
      kind: definition.kind,
      path,
      line: definition.line
    })),
    omitted: [...new Set([...unread, ...omitted, ...cut, ...(yield* notSearched(name))])]
  }
  return symbols
})

/** Definitions with the same name in the same class or file. */
type Overloads = Arr.NonEmptyReadonlyArray<DefinitionPlace>

/** The uses of the further definitions of a name are not searched for. */
const definitionsDetailed = 5

/** The references to one overload are those to all. */
const usesOf = Effect.fnUntraced(function* (overloads: Overloads) {
  const queries = yield* CodeQueries
  const [place] = overloads
  const references = yield* queries.referencesTo(place)
  const importers = yield* queries.importersOf(place.path)
  const callers = yield* queries.callersOf(place)
  const callees = yield* Effect.forEach(overloads, queries.calleesOf)
  const tests = yield* queries.testsOf(place)
  const uses: Uses = {
    references: references.found,
    importers: importers.found.map((path) => ({ path })),
    callers: callers.found.map(({ certain, definition, lines, path }) => ({
      path,
      line: definition?.line ?? null,
      kind: definition?.kind ?? null,
      name: definition === null ? null : qualifiedName(definition),
      calls: lines,
      certain
    })),
    callees: mergedCallees(callees.flatMap(({ found }) => found)).map(({ certain, definition, lines, path }) => ({
      path,
      line: definition.line,
      kind: definition.kind,
      name: qualifiedName(definition),
      calls: lines,
      certain
    })),
    tests: tests.found.map(({ by, path }) => ({ path, reason: by }))
  }
  const answers: ReadonlyArray<Answer<unknown>> = [references, importers, callers, ...callees, tests]
  return {
    uses,
    place: `${place.path}:${place.definition.line}`,
    omitted: [...new Set(answers.flatMap(({ omitted }) => omitted))]
  }
})

const definitionJson = ([{ definition, path }, ...overloads]: Overloads, uses: Uses | null): SymbolDefinition => ({
  name: qualifiedName(definition),
  kind: definition.kind,
  path,
  ...placeJson(definition),
  overloads: overloads.map((each) => placeJson(each.definition)),
  uses
})

const placeJson = (definition: Definition) => {
  const { endLine, line, signature } = definition
  const name = qualifiedName(definition)
  const text = signature === null ? null : `${signature.async ? "async " : ""}${signatureText(name, signature)}`
  return { signature: text, line, end_line: endLine }
}
