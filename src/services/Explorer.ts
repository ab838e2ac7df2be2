/**
 * Looks around a change before it is reviewed: what the changed files import, who imports them, their
 * tests, and the conventions the project states. Tiers and roles: reference §8, `domain/Exploration.ts`.
 *
 * Never fails: what could not be read, and what a limit cut off, is in `omitted`.
 * Conventions come from the base side, so that a change cannot restate the rules it is held against.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../domain/Change.ts"
import { conventionsOf, isConventionFile } from "../domain/Conventions.ts"
import { type CoChange, coChanges } from "../domain/coChange.ts"
import type { DiffFile } from "../domain/Diff.ts"
import {
  type AffectedFile,
  type Convention,
  type Dependency,
  type Exploration,
  nothingExplored,
  tierOf
} from "../domain/Exploration.ts"
import { compareText } from "../domain/Finding.ts"
import { foldersAbove } from "../domain/foldersAbove.ts"
import { repositoryOf } from "../domain/ImportResolution.ts"
import { isTestFile, testNamesOf } from "../domain/TestFile.ts"
import { ImportTracer, type Trace } from "./ImportTracer.ts"
import { Sources } from "./Sources.ts"

const testsOfOne = 5
/** Of tests with one name (`index.test.ts` in every package), how many are compared with a file's own folders. */
const namesakesCompared = 64
/** Of the history before the change. */
const commitsRead = 300
/** More changed files than this are a move or a formatter: what came with each of them is not worth a line. */
const filesOfHistory = 100
const conventionFilesRead = 40

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
      const tracer = yield* ImportTracer

      const readConventions = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
        if (change.base._tag === "Unknown" || change.base._tag === "Empty") return { conventions: [], omitted: [] }
        const all = conventionFiles(change, paths)
        const wanted = all.slice(0, conventionFilesRead)
        yield* sources.preload([], wanted)
        const found = yield* Effect.forEach(wanted, (path) =>
          Effect.map(sources.base(path), (source) => (source._tag === "Text" ? conventionsOf(path, source.text) : []))
        )
        const left = all.length - wanted.length
        return {
          conventions: uniqueConventions(found.flat()),
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
        const [traced, stated, commits] = yield* Effect.all(
          [
            tracer.trace(change.diff.files, paths),
            tier === "parallel" ? readConventions(change, paths) : noConventions,
            tier === "parallel" ? sources.history(commitsRead) : Effect.succeed([])
          ],
          { concurrency: 3 }
        )
        const present = new Set(paths)
        const coChanged = coChanges(
          commits,
          change.diff.files.slice(0, filesOfHistory).map(({ path }) => path),
          (path) => present.has(path)
        )
        const tests = tier === "parallel" ? testMap(change, paths) : []
        return {
          tier,
          affectedFiles: uniqueFiles([
            ...modified,
            ...surroundings(change, traced),
            ...tests.map(
              ({ source, target }): AffectedFile => ({ path: source, role: "test", summary: `tests ${target}` })
            ),
            ...coChanged.map(
              ({ commits, other, path, together }): AffectedFile => ({
                path: other,
                role: "changes_with",
                summary: `changed with ${path} in ${together} of its last ${commits} commits`
              })
            )
          ]),
          dependencies: uniqueDependencies([
            ...traced.imports,
            ...traced.importers,
            ...tests,
            ...coChanged.map(asDependency)
          ]),
          conventions: stated.conventions,
          omitted: [...new Set([...traced.omitted, ...stated.omitted])]
        }
      })

      return Explorer.of({ explore })
    })
  )
}

const asDependency = ({ other, path }: CoChange): Dependency => ({
  source: other,
  target: path,
  relationship: "changes_with"
})

const noConventions = Effect.succeed({ conventions: [], omitted: [] })

/** Files the change does not touch that it imports, or that import it. */
const surroundings = (change: Change, { imports, importers }: Trace): ReadonlyArray<AffectedFile> => {
  const touched = new Set(change.diff.files.map(({ path }) => path))
  return [
    ...imports.map(
      ({ source, target }): AffectedFile => ({ path: target, role: "imports", summary: `imported by ${source}` })
    ),
    ...importers.map(
      ({ source, target }): AffectedFile => ({ path: source, role: "imported_by", summary: `imports ${target}` })
    )
  ].filter(({ path }) => !touched.has(path))
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
  const namesakes = new Map<string, Namesakes>()
  const testsNamed = (name: string): Namesakes => {
    const known = namesakes.get(name) ?? namesakesOf(byName.get(name) ?? [])
    namesakes.set(name, known)
    return known
  }
  return change.diff.files.flatMap(({ path }) => {
    if (isTestFile(path)) return []
    const named = testNamesOf(path).flatMap((name) => nearest(path, testsNamed(name)))
    const scored = named.map((test) => ({ test, score: sharedFolders(path, test) }))
    const best = Math.max(...scored.map(({ score }) => score))
    return scored
      .filter(({ score }) => score === best)
      .slice(0, testsOfOne)
      .map(({ test }): Dependency => ({ source: test, target: path, relationship: "tests" }))
  })
}

/** Files of one name, and where among them those stand that are below a folder of a name. */
interface Namesakes {
  readonly files: ReadonlyArray<string>
  readonly below: ReadonlyMap<string, ReadonlyArray<number>>
}

const foldersOf = (path: string): ReadonlyArray<string> => path.split("/").slice(0, -1)

const namesakesOf = (files: ReadonlyArray<string>): Namesakes => {
  const below = new Map<string, Array<number>>()
  if (files.length <= namesakesCompared) return { files, below }
  for (const [index, file] of files.entries()) {
    for (const folder of new Set(foldersOf(file))) {
      const known = below.get(folder)
      if (known === undefined) below.set(folder, [index])
      else known.push(index)
    }
  }
  return { files, below }
}

/** All of a few; of many, first those that share the folder name fewest of them have. In their own order. */
const nearest = (path: string, { files, below }: Namesakes): ReadonlyArray<string> => {
  if (files.length <= namesakesCompared) return files
  const shared = [...new Set(foldersOf(path))]
    .flatMap((folder) => {
      const indices = below.get(folder)
      return indices === undefined ? [] : [indices]
    })
    .sort((a, b) => a.length - b.length)
  const chosen = new Set<number>()
  for (const indices of [...shared, files.slice(0, namesakesCompared).map((_, index) => index)]) {
    for (const index of indices) {
      if (chosen.size === namesakesCompared) break
      chosen.add(index)
    }
  }
  return [...chosen].sort((a, b) => a - b).flatMap((index) => files[index] ?? [])
}

/** How many folder names two paths share, wherever they stand: tests mirror the tree they test under another root. */
const sharedFolders = (a: string, b: string): number => {
  const folders = new Set(foldersOf(b))
  return foldersOf(a).filter((folder) => folders.has(folder)).length
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

/** Packages of one repository mostly state the same: the outermost file has the word. */
const uniqueConventions = (conventions: ReadonlyArray<Convention>): ReadonlyArray<Convention> => {
  const byWords = new Map<string, Convention>()
  for (const convention of conventions) {
    const words = `${convention.name}: ${convention.description}`
    if (!byWords.has(words)) byWords.set(words, convention)
  }
  return [...byWords.values()]
}

const uniqueDependencies = (dependencies: ReadonlyArray<Dependency>): ReadonlyArray<Dependency> => [
  ...new Map(
    dependencies.map((dependency) => [
      `${dependency.source}\n${dependency.target}\n${dependency.relationship}`,
      dependency
    ])
  ).values()
]
