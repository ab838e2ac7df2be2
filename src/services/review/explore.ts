/**
 * Explores the surroundings of a change before it is reviewed: what the changed files import, their importers, and the
 * conventions of the project; tests and companions are those of the brief. Tiers and roles: `domain/code/Exploration.ts`.
 *
 * Never fails: what could not be read, and what a limit cut off, is in `omitted`. Conventions are read from the base
 * side, so that a change cannot alter the rules it is reviewed with.
 */
import { Effect } from "effect"
import type { Brief } from "../../domain/brief/Brief.ts"
import type { Companion } from "../../domain/brief/Companion.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import {
  type AffectedFile,
  type Convention,
  type Dependency,
  type Exploration,
  nothingExplored,
  tierOf
} from "../../domain/code/Exploration.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { plural } from "../../domain/text/plural.ts"
import { conventionsOf, isConventionFile } from "../../languages/conventions.ts"
import { Sources } from "../change/Sources.ts"
import { CodeQueries } from "../code/CodeQueries.ts"
import type { Trace } from "../code/ImportTracer.ts"

const conventionFilesRead = 40

const readConventions = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
  const sources = yield* Sources
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
    omitted: left > 0 ? [`conventions: ${plural(left, "configuration file")} not read`] : []
  }
})

/** Without a brief, tests and companions are not explored. */
export const explore = Effect.fn("Explorer.explore")(function* (
  change: Change,
  brief: Brief | null
): Effect.fn.Return<Exploration, never, Sources | CodeQueries> {
  const sources = yield* Sources
  const queries = yield* CodeQueries
  const tier = tierOf(change.diff.files.length)
  const modified = change.diff.files.map(modifiedFile)
  if (tier === "skip") return { ...nothingExplored, tier, affectedFiles: modified }
  const paths = yield* sources.headPaths
  if (paths.length === 0) {
    const omitted = ["everything around the change: there is no repository to look in"]
    return { ...nothingExplored, tier, affectedFiles: modified, omitted }
  }
  const [traced, stated] = yield* Effect.all(
    [
      queries.importsAround(change.diff.files, paths),
      tier === "parallel" ? readConventions(change, paths) : noConventions
    ],
    { concurrency: 2 }
  )
  const companions = brief?.companions ?? []
  const tests = (brief?.tests.files ?? []).filter(({ by }) => by !== "change")
  const changedPaths = new Set(change.diff.files.map(({ path }) => path))
  return {
    tier,
    affectedFiles: uniqueFiles([
      ...modified,
      ...surroundings(change, traced),
      ...tests.map(({ file, of }): AffectedFile => ({ path: file, role: "test", summary: `tests ${of}` })),
      ...companions.map(
        ({ commits, file, together, with: path }): AffectedFile => ({
          path: file,
          role: "changes_with",
          summary: `changed with ${path} in ${together} of its last ${commits} commits`
        })
      )
    ]),
    dependencies: uniqueDependencies([
      ...traced.imports,
      ...traced.importers,
      ...tests.filter(({ of }) => changedPaths.has(of)).map(asTest),
      ...companions.map(asDependency)
    ]),
    conventions: stated.conventions,
    omitted: [...new Set([...traced.omitted, ...stated.omitted])]
  }
})

const asDependency = ({ file, with: target }: Companion): Dependency => ({
  source: file,
  target,
  relationship: "changes_with"
})

const asTest = ({ file, of }: Brief["tests"]["files"][number]): Dependency => ({
  source: file,
  target: of,
  relationship: "tests"
})

const noConventions = Effect.succeed({ conventions: [], omitted: [] })

/** Unchanged files that the change imports, or that import it. */
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
    .filter((path) => above.has(path.slice(0, path.lastIndexOf("/") + 1)) && isConventionFile(path))
    .sort((a, b) => a.split("/").length - b.split("/").length || compareText(a, b))
}

const modifiedFile = (file: DiffFile): AffectedFile => {
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const count = (kind: "added" | "deleted") => lines.filter((line) => line.kind === kind).length
  const size = file.binary ? "binary" : `+${count("added")} -${count("deleted")}`
  return { path: file.path, role: "modified", summary: `${file.status}, ${size}` }
}

/** One entry for each path and role: the first one, with the longest text. */
const uniqueFiles = (files: ReadonlyArray<AffectedFile>): ReadonlyArray<AffectedFile> => {
  const byKey = new Map<string, AffectedFile>()
  for (const file of files) {
    const key = `${file.role} ${file.path}`
    const known = byKey.get(key)
    if (known === undefined || file.summary.length > known.summary.length) byKey.set(key, file)
  }
  return [...byKey.values()]
}

/** Packages of one repository mostly have the same conventions: those of the outermost file are used. */
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
