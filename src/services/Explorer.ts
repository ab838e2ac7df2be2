/**
 * Looks around a change before it is reviewed: what the changed files import, who imports them, their
 * tests, and the conventions the project states. Tiers and roles: reference §8, `domain/Exploration.ts`.
 *
 * Never fails and never waits long: what could not be read, and what a limit cut off, is in `omitted`.
 * Conventions come from the base side, so that a change cannot restate the rules it is held against.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Change } from "../domain/Change.ts"
import { conventionsOf, isConventionFile } from "../domain/Conventions.ts"
import type { DiffFile } from "../domain/Diff.ts"
import { type AffectedFile, type Dependency, type Exploration, nothingExplored, tierOf } from "../domain/Exploration.ts"
import { compareText } from "../domain/Finding.ts"
import { families, familyOf, importLines, importWord, nearestFirst } from "../domain/Importers.ts"
import { foldersAbove, type Import, type Repository, repositoryOf, resolveImport } from "../domain/ImportResolution.ts"
import { isGeneratedPath, isVendoredPath } from "../domain/PathKind.ts"
import { type Grammar, grammarOf } from "../domain/Syntax.ts"
import { isTestFile, testNamesOf } from "../domain/TestFile.ts"
import { importQueryOf } from "../rules/imports.ts"
import { Sources } from "./Sources.ts"
import { SyntaxParser } from "./SyntaxParser.ts"

/** How much is looked at: enough for a careful reader, and a fraction of a second on a large repository. */
export const limits = {
  tracedFiles: 100,
  traceMs: 300,
  filesSearched: 400,
  searchMs: 80,
  batch: 50,
  importersOfOne: 40,
  importsOfOne: 40,
  testsOfOne: 5,
  dataFiles: 120,
  conventionFiles: 40
} as const

export class Explorer extends Context.Service<
  Explorer,
  {
    readonly explore: (change: Change) => Effect.Effect<Exploration>
  }
>()("dd/services/Explorer") {
  static readonly layer = Layer.effect(
    Explorer,
    Effect.gen(function* () {
      const sources = yield* Sources
      const parser = yield* SyntaxParser

      const textOf = (path: string) =>
        Effect.map(sources.head(path), (source) => (source._tag === "Text" ? source : null))

      const importsIn = Effect.fnUntraced(function* (grammar: Grammar, text: string) {
        const statements = importQueryOf(grammar)
        if (statements === null) return []
        const parsed = yield* parser.parse(grammar, text)
        const matches = yield* parsed.query(statements.query)
        return matches.flatMap(statements.read)
      }, Effect.scoped)

      /** The repository's files that a file imports; a reason when that could not be found out. */
      const targetsOf = Effect.fnUntraced(function* (path: string, repository: Repository) {
        const grammar = grammarOf(path)
        const source = yield* textOf(path)
        if (grammar === null || source === null)
          return { targets: [], omitted: [`${path}: its text could not be read`] }
        const imports = yield* Effect.result(importsIn(grammar, source.text))
        if (Result.isFailure(imports)) return { targets: [], omitted: [`${path}: ${imports.failure.message}`] }
        return { targets: resolved(grammar, path, imports.success, repository), omitted: [] }
      })

      const readData = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, changed: ReadonlyArray<string>) {
        const wanted = dataFiles(paths, changed)
        yield* sources.preload(wanted)
        const texts = yield* Effect.forEach(wanted, (path) =>
          Effect.map(textOf(path), (source) => [path, source?.text ?? ""] as const)
        )
        return new Map(texts)
      })

      const traceImports = Effect.fnUntraced(function* (changed: ReadonlyArray<string>, repository: Repository) {
        const started = yield* Clock.currentTimeMillis
        const traced = changed.slice(0, limits.tracedFiles)
        yield* sources.preload(traced)
        const dependencies: Array<Dependency> = []
        const omitted: Array<string> = []
        for (const [done, path] of traced.entries()) {
          if ((yield* Clock.currentTimeMillis) - started > limits.traceMs) {
            omitted.push(`imports of ${changed.length - done} changed files: stopped after ${limits.traceMs} ms`)
            return { dependencies, omitted }
          }
          const found = yield* targetsOf(path, repository)
          omitted.push(...found.omitted)
          if (found.targets.length > limits.importsOfOne) {
            omitted.push(`imports of ${path}: ${limits.importsOfOne} of ${found.targets.length} are listed`)
          }
          for (const target of found.targets.slice(0, limits.importsOfOne)) {
            dependencies.push({ source: path, target, relationship: "imports" })
          }
        }
        if (changed.length > traced.length) {
          omitted.push(
            `imports of ${changed.length - traced.length} changed files: only the first ${traced.length} were traced`
          )
        }
        return { dependencies, omitted }
      })

      /** Which files of a family import the subjects: nearest files first, until a limit is reached. */
      const searchImporters = Effect.fnUntraced(function* (
        family: string,
        subjects: ReadonlyArray<string>,
        candidates: ReadonlyArray<string>,
        repository: Repository,
        deadline: number
      ) {
        const wanted = new Set(subjects)
        const words = new Set(subjects.flatMap((path) => importWord(path) ?? []))
        const known = new Map<string, number>()
        const dependencies: Array<Dependency> = []
        const omitted: Array<string> = []
        if (words.size === 0) return { dependencies, omitted }
        const searched = candidates.slice(0, limits.filesSearched)
        if (searched.length < candidates.length) {
          omitted.push(
            `importers: the nearest ${searched.length} of ${candidates.length} ${family} files were searched`
          )
        }
        for (let done = 0; done < searched.length; done += limits.batch) {
          const batch = searched.slice(done, done + limits.batch)
          yield* sources.preload(batch)
          for (const [i, path] of batch.entries()) {
            if ((yield* Clock.currentTimeMillis) > deadline) {
              omitted.push(
                `importers: the search stopped after ${limits.searchMs} ms, at ${done + i} of ${searched.length} ${family} files`
              )
              return { dependencies, omitted }
            }
            const source = yield* textOf(path)
            if (source === null || !mentions(importLines(family, source.lines), words)) continue
            const found = yield* targetsOf(path, repository)
            omitted.push(...found.omitted)
            for (const target of found.targets) {
              if (!wanted.has(target)) continue
              const count = (known.get(target) ?? 0) + 1
              known.set(target, count)
              if (count <= limits.importersOfOne) dependencies.push({ source: path, target, relationship: "imports" })
            }
          }
        }
        for (const [path, count] of known) {
          if (count > limits.importersOfOne)
            omitted.push(`importers of ${path}: ${limits.importersOfOne} of ${count} are listed`)
        }
        return { dependencies, omitted }
      })

      const traceImporters = Effect.fnUntraced(function* (
        files: ReadonlyArray<DiffFile>,
        paths: ReadonlyArray<string>,
        data: ReadonlyMap<string, string>
      ) {
        const deadline = (yield* Clock.currentTimeMillis) + limits.searchMs
        // Who still imports a file that is gone is worth more than anything else here, so its path counts as known.
        const present = new Set(paths)
        const gone = files.flatMap(({ oldPath }) => (oldPath === null || present.has(oldPath) ? [] : [oldPath]))
        const changed = new Set(files.map(({ path }) => path))
        const repository = repositoryOf([...paths, ...gone], data)
        const parts = yield* Effect.forEach(families, (family) => {
          const isOurs = (path: string) => familyOf(path) === family && isOwnCode(path)
          const subjects = [...new Set([...changed, ...gone])].filter(isOurs).slice(0, limits.tracedFiles)
          if (subjects.length === 0) return Effect.succeed({ dependencies: [], omitted: [] })
          // What changed files import is known already.
          const candidates = paths.filter((path) => !changed.has(path) && isOurs(path))
          return searchImporters(family, subjects, nearestFirst(subjects, candidates), repository, deadline)
        })
        return {
          dependencies: parts.flatMap((part) => part.dependencies),
          omitted: parts.flatMap((part) => part.omitted)
        }
      })

      const trace = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
        const files = change.diff.files
        const changed = files.flatMap(({ newPath, binary }) => (newPath === null || binary ? [] : [newPath]))
        const code = changed.filter((path) => familyOf(path) !== null && isOwnCode(path))
        const data = yield* readData(paths, [...code, ...files.map(({ path }) => path)])
        const imports = yield* traceImports(code, repositoryOf(paths, data))
        const importers = yield* traceImporters(files, paths, data)
        const touched = new Set(changed)
        return {
          affectedFiles: [
            ...imports.dependencies.map(
              ({ source, target }): AffectedFile => ({
                path: target,
                role: "imports",
                summary: `imported by ${source}`
              })
            ),
            ...importers.dependencies.map(
              ({ source, target }): AffectedFile => ({
                path: source,
                role: "imported_by",
                summary: `imports ${target}`
              })
            )
          ].filter(({ path }) => !touched.has(path)),
          dependencies: [...imports.dependencies, ...importers.dependencies],
          omitted: [...imports.omitted, ...importers.omitted]
        }
      })

      const readConventions = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
        if (change.base._tag === "Unknown" || change.base._tag === "Empty") return { conventions: [], omitted: [] }
        const all = conventionFiles(change, paths)
        const wanted = all.slice(0, limits.conventionFiles)
        yield* sources.preload(wanted)
        const found = yield* Effect.forEach(wanted, (path) =>
          Effect.map(sources.base(path), (source) => (source._tag === "Text" ? conventionsOf(path, source.text) : []))
        )
        const left = all.length - wanted.length
        return {
          conventions: found.flat(),
          omitted: left > 0 ? [`conventions: ${left} configuration files were not read`] : []
        }
      })

      const explore = Effect.fn("Explorer.explore")(function* (change: Change) {
        const tier = tierOf(change.diff.files.length)
        const modified = change.diff.files.map(modifiedFile)
        if (tier === "skip") return { ...nothingExplored, tier, affectedFiles: modified }
        const paths = yield* sources.headPaths
        if (paths.length === 0) {
          const omitted = ["everything around the change: there is no repository to look in"]
          return { ...nothingExplored, tier, affectedFiles: modified, omitted }
        }
        const [traced, stated] = yield* Effect.all(
          [trace(change, paths), tier === "parallel" ? readConventions(change, paths) : noConventions],
          { concurrency: 2 }
        )
        const tests = tier === "parallel" ? testMap(change, paths) : []
        return {
          tier,
          affectedFiles: uniqueFiles([
            ...modified,
            ...traced.affectedFiles,
            ...tests.map(
              ({ source, target }): AffectedFile => ({ path: source, role: "test", summary: `tests ${target}` })
            )
          ]),
          dependencies: uniqueDependencies([...traced.dependencies, ...tests]),
          conventions: stated.conventions,
          omitted: [...new Set([...traced.omitted, ...stated.omitted])]
        }
      })

      return Explorer.of({ explore })
    })
  )
}

const noConventions = Effect.succeed({ conventions: [], omitted: [] })

const isOwnCode = (path: string): boolean => !isVendoredPath(path) && !isGeneratedPath(path)

const resolved = (
  grammar: Grammar,
  path: string,
  imports: ReadonlyArray<Import>,
  repository: Repository
): ReadonlyArray<string> =>
  [...new Set(imports.flatMap((wanted) => resolveImport(grammar, path, wanted, repository)))].sort(compareText)

/** `a/foo.service.js`, `pkg.foo` and `Shop.Foo` all mention `foo` in their own way. */
const mentions = (lines: ReadonlyArray<string>, words: ReadonlySet<string>): boolean =>
  lines.some((line) =>
    (line.match(/[\w.-]+/g) ?? []).some(
      (token) =>
        words.has(token) ||
        words.has(token.slice(0, token.lastIndexOf("."))) ||
        token.split(".").some((part) => words.has(part))
    )
  )

/** What resolution needs to know besides paths: the nearest go.mod, Cargo.toml, package.json and tsconfig files. */
const dataFiles = (paths: ReadonlyArray<string>, changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(changed.map(familyOf))
  const above = new Set(changed.flatMap(foldersAbove))
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1)
  const isWanted = (path: string): boolean => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    if (name === "go.mod") return known.has("go")
    if (name === "Cargo.toml") return known.has("rust")
    if (!known.has("script") || isVendoredPath(path)) return false
    return name === "package.json" || (/^[jt]sconfig[\w.-]*\.json$/.test(name) && above.has(folderOf(path)))
  }
  return nearestFirst(changed, paths.filter(isWanted)).slice(0, limits.dataFiles)
}

/** Configuration of the folders above the changed files, outermost first. */
const conventionFiles = (change: Change, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const above = new Set(change.diff.files.flatMap(({ path }) => foldersAbove(path)))
  const deleted = change.diff.files.flatMap(({ oldPath }) => oldPath ?? [])
  return [...new Set([...paths, ...deleted])]
    .filter((path) => isConventionFile(path) && above.has(path.slice(0, path.lastIndexOf("/") + 1)))
    .sort((a, b) => a.split("/").length - b.split("/").length || compareText(a, b))
}

const modifiedFile = (file: DiffFile): AffectedFile => {
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const count = (kind: "added" | "deleted") => lines.filter((line) => line.kind === kind).length
  const size = file.binary ? "binary" : `+${count("added")} -${count("deleted")}`
  return { path: file.path, role: "modified", summary: `${file.status}, ${size}` }
}

/** Test files by name: of those with the right name, the ones whose folders agree most with the file's own. */
export const testMap = (change: Change, paths: ReadonlyArray<string>): ReadonlyArray<Dependency> => {
  const { byName } = repositoryOf(paths, new Map())
  return change.diff.files.flatMap(({ path }) => {
    if (isTestFile(path)) return []
    const named = testNamesOf(path).flatMap((name) => byName.get(name) ?? [])
    const scored = named.map((test) => ({ test, score: sharedFolders(path, test) }))
    const best = Math.max(...scored.map(({ score }) => score))
    return scored
      .filter(({ score }) => score === best)
      .slice(0, limits.testsOfOne)
      .map(({ test }): Dependency => ({ source: test, target: path, relationship: "tests" }))
  })
}

/** How many folder names two paths share, wherever they stand: tests mirror the tree they test under another root. */
const sharedFolders = (a: string, b: string): number => {
  const folders = new Set(b.split("/").slice(0, -1))
  return a
    .split("/")
    .slice(0, -1)
    .filter((folder) => folders.has(folder)).length
}

/** One entry a path and role: the first, with its longest words. */
const uniqueFiles = (files: ReadonlyArray<AffectedFile>): ReadonlyArray<AffectedFile> => {
  const byKey = new Map<string, AffectedFile>()
  for (const file of files) {
    const key = `${file.role} ${file.path}`
    const known = byKey.get(key)
    if (known === undefined || file.summary.length > known.summary.length) byKey.set(key, file)
  }
  return [...byKey.values()]
}

const uniqueDependencies = (dependencies: ReadonlyArray<Dependency>): ReadonlyArray<Dependency> => [
  ...new Map(
    dependencies.map((dependency) => [
      `${dependency.source}\n${dependency.target}\n${dependency.relationship}`,
      dependency
    ])
  ).values()
]
