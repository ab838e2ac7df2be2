/**
 * Facts of the symbol index about changed files, one line each: uses of changed definitions, imports in both directions,
 * tests, files that usually change together, and conventions of the project. Deterministic.
 */
import { Cache, Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isGeneratedPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { type DefinitionPlace, qualifiedName, type Reference } from "../../domain/code/CodeQuery.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import { CodeQueries } from "../code/CodeQueries.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** Limits of the lookup; each definition is searched for in all of the repository. */
export const FactLimits = Context.Reference<{
  readonly definitions: number
  readonly perFile: number
  readonly uses: number
  readonly lines: number
}>("dd/services/ChangeFacts/FactLimits", {
  defaultValue: () => ({ definitions: 12, perFile: 4, uses: 6, lines: 40 })
})

export class ChangeFacts extends Context.Service<
  ChangeFacts,
  {
    readonly around: (
      change: Change,
      paths: ReadonlyArray<string>,
      exploration: Exploration
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("dd/services/agent/ChangeFacts") {
  static readonly layer = Layer.effect(
    ChangeFacts,
    Effect.gen(function* () {
      const queries = yield* CodeQueries
      const index = yield* SymbolIndex
      const limits = yield* FactLimits
      const references = yield* Cache.make({
        capacity: Number.POSITIVE_INFINITY,
        lookup: (place: DefinitionPlace) => Effect.map(queries.referencesTo(place), ({ found }) => found)
      })

      const touched = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
        const found: Array<DefinitionPlace> = []
        let left = 0
        for (const file of files) {
          if (file.newPath === null || isTestFile(file.path) || isGeneratedPath(file.path) || isVendoredPath(file.path))
            continue
          const symbols = yield* index.symbols(file.newPath)
          const own = touchedDefinitions(file, symbols?.definitions ?? [])
          const kept = own.slice(0, Math.max(0, Math.min(limits.perFile, limits.definitions - found.length)))
          found.push(...kept.map((definition) => ({ path: file.path, definition })))
          left += own.length - kept.length
        }
        return { found, left }
      })

      const around = Effect.fn("ChangeFacts.around")(function* (
        change: Change,
        paths: ReadonlyArray<string>,
        exploration: Exploration
      ) {
        const given = new Set(paths)
        const files = change.diff.files.filter(({ path }) => given.has(path))
        const { found, left } = yield* touched(files)
        const lines: Array<string> = []
        for (const place of found) {
          const uses = usesOf(yield* Cache.get(references, place), limits.uses)
          lines.push(`${place.path}: ${wordsOf(place.definition)}: ${uses}`)
        }
        if (left > 0) {
          const what = left === 1 ? "1 more changed definition was" : `${left} more changed definitions were`
          lines.push(`(${what} not looked up; use the symbols tool for more)`)
        }
        return [...lines, ...explored(exploration, given, limits.lines)]
      })

      return ChangeFacts.of({ around })
    })
  )
}

/** The innermost definitions with a changed line. */
export const touchedDefinitions = (
  file: DiffFile,
  definitions: ReadonlyArray<Definition>
): ReadonlyArray<Definition> => {
  const changed = changedLines(file)
  const hit = definitions.filter(
    ({ endLine, kind, line }) => kind !== "module" && changed.some((each) => line <= each && each <= endLine)
  )
  return hit.filter(
    (outer) =>
      !hit.some(
        (inner) =>
          inner !== outer &&
          outer.line <= inner.line &&
          inner.endLine <= outer.endLine &&
          (outer.line < inner.line || inner.endLine < outer.endLine)
      )
  )
}

/** On the head side: added lines, and the lines before deleted ones. */
const changedLines = ({ hunks }: DiffFile): ReadonlyArray<number> =>
  hunks.flatMap(({ lines, newStart }) => {
    let last = newStart
    return lines.flatMap(({ kind, newLine }) => {
      if (newLine !== null) last = newLine
      return kind === "added" && newLine !== null ? [newLine] : kind === "deleted" ? [last] : []
    })
  })

const wordsOf = (definition: Definition): string => {
  const { endLine, kind, line } = definition
  return `${kind} ${qualifiedName(definition)} (lines ${line}-${endLine})`
}

const usesOf = (references: ReadonlyArray<Reference>, most: number): string => {
  const uses = references.filter(({ kind }) => kind !== "import")
  if (uses.length === 0) return references.length === 0 ? "no use of it was found" : "imported, no other use was found"
  const certain = uses.filter((each) => each.certain)
  const shown = [...certain, ...uses.filter((each) => !each.certain)].slice(0, most)
  const named = shown.map(({ certain, line, path }) => `${path}:${line}${certain ? "" : " (by name only)"}`)
  const more = uses.length - shown.length
  const tests = new Set(uses.filter(({ path }) => isTestFile(path)).map(({ path }) => path)).size
  return [
    `used at ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
    tests === 0 ? "no test uses it" : `${tests} test ${tests === 1 ? "file" : "files"} among them`
  ].join("; ")
}

const relations = { imports: "imports", tests: "tests", changes_with: "usually changes together with" } as const

const explored = (
  { conventions, dependencies }: Exploration,
  given: ReadonlySet<string>,
  most: number
): ReadonlyArray<string> => {
  const own = dependencies.filter(({ source, target }) => given.has(source) || given.has(target))
  const lines = [
    ...own.map(({ relationship, source, target }) => `${source} ${relations[relationship]} ${target}`),
    ...conventions.map(({ description, name, source }) => `convention in ${source}: ${name}: ${description}`)
  ]
  const left = lines.length - most
  return left > 0 ? [...lines.slice(0, most), `(${left} more of these)`] : lines
}
