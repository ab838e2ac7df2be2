/**
 * Follows imports through the repository: what changed files import, and which other files import them.
 *
 * Never fails. Bounded in files and characters, so that the same change has the same result on every machine; the time
 * limit only guards against extremely slow machines. Each limit that was met and each file that could not
 * be read is in `omitted`; a search that ran out of time is a failure of the `Sources`. Files nearest to the change are searched first.
 */
import { Context, Effect, Layer } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isGeneratedPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import type { Answer } from "../../domain/code/CodeQuery.ts"
import type { Dependency } from "../../domain/code/Exploration.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { type Repository, repositoryOf, withPaths } from "../../domain/code/Repository.ts"
import type { FileSymbols, ImportedName } from "../../domain/code/Symbol.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural } from "../../domain/text/plural.ts"
import { dataFiles, endingsBeside, hasImportWords, importWord, resolveImport } from "../../languages/imports.ts"
import type { Family, Import } from "../../languages/Language.ts"
import { endingsOf, families, familyOf } from "../../languages/languages.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources } from "../change/Sources.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { withServices } from "../system/withServices.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

/** Enough for a careful reader, and a fraction of a second on a large repository: parsing takes about 3 µs a character. */
export const limits = {
  tracedFiles: 100,
  /** In all languages together, shared evenly among those of the change. */
  filesSearched: 400,
  /** Of whole files, in all languages together, in which import statements are looked for. */
  charactersRead: 6_000_000,
  /** A last guard, which no ordinary machine meets. */
  guardMs: 3_000,
  batch: 100,
  importersOfOne: 40,
  importsOfOne: 40,
  /** Of a Go package or a Java wildcard, which mean whole folders. */
  filesOfOneImport: 4,
  dataFiles: 120
} as const

export interface Trace {
  /** From the importing file to the imported one. */
  readonly imports: ReadonlyArray<Dependency>
  readonly importers: ReadonlyArray<Dependency>
  readonly omitted: ReadonlyArray<string>
}

export class ImportTracer extends Context.Service<
  ImportTracer,
  {
    /** `paths` are all of the head side; imports of deleted and renamed files are traced by their old paths. */
    readonly trace: (files: ReadonlyArray<DiffFile>, paths: ReadonlyArray<string>) => Effect.Effect<Trace>
    /** Every file whose imports lead to this one; what it defines tells where to look. In all languages. */
    readonly importersOf: (
      path: string,
      symbols: FileSymbols | null,
      paths: ReadonlyArray<string>
    ) => Effect.Effect<Answer<string>>
    /** For each of these files, the repository's files that its imports lead to. */
    readonly importedBy: (
      subjects: ReadonlyArray<string>,
      paths: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>>
  }
>()("dd/services/code/ImportTracer") {
  static readonly layer = Layer.effect(
    ImportTracer,
    Effect.suspend(() => withServices({ trace, importersOf, importedBy }))
  )
}

/** The repository's files that each file's import statements mean; null for one that could not be read. */
const targetsOf = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  repository: Repository,
  filesOfOneImport: number
) {
  const index = yield* SymbolIndex
  const found = yield* index.imports(paths)
  return paths.map((path, at) => {
    const facts = found[at] ?? null
    const targets = wantedBy(facts?.imports ?? []).flatMap((wanted) =>
      representatives(resolveImport(path, wanted, repository), filesOfOneImport)
    )
    return { path, facts, targets: [...new Set(targets)].sort(compareText) }
  })
})

const traceImports = Effect.fnUntraced(function* (changed: ReadonlyArray<string>, repository: Repository) {
  const traced = changed.slice(0, limits.tracedFiles)
  const dependencies: Array<Dependency> = []
  const omitted: Array<string> = []
  for (const { facts, path, targets } of yield* targetsOf(traced, repository, limits.filesOfOneImport)) {
    if (facts === null) omitted.push(`imports of ${path}: its text could not be read`)
    else if (facts.problem !== null) omitted.push(`imports of ${path}: ${facts.problem}`)
    if (targets.length > limits.importsOfOne) {
      omitted.push(`imports of ${path} after the first ${limits.importsOfOne} of ${targets.length}`)
    }
    for (const target of targets.slice(0, limits.importsOfOne)) {
      dependencies.push({ source: path, target, relationship: "imports" })
    }
  }
  const rest = changed.length - traced.length
  if (rest > 0) omitted.push(`imports of ${rest} of ${plural(changed.length, "changed file")}`)
  return { dependencies, omitted }
})

/** Which candidates import the subjects, until a limit is met. */
const search = Effect.fnUntraced(function* (
  { family, subjects, candidates }: Search,
  repository: Repository,
  budget: Budget
) {
  const sources = yield* Sources
  const wanted = new Set(subjects)
  const importers = new Map<string, Array<string>>()
  const omitted: Array<string> = []
  const searched = candidates.slice(0, budget.files)
  if (searched.length < candidates.length) {
    omitted.push(
      `importers among ${candidates.length - searched.length} of ${candidates.length} ${family} files that mention what changed, the farthest ones`
    )
  }
  batches: for (let done = 0; done < searched.length; done += limits.batch) {
    const batch = yield* targetsOf(searched.slice(done, done + limits.batch), repository, Number.POSITIVE_INFINITY)
    for (const [at, { facts, path, targets }] of batch.entries()) {
      const left = `importers among ${searched.length - done - at} of ${searched.length} ${family} files`
      if ((yield* monotonicMillis) > budget.deadline) {
        const message = `the search did not end within ${limits.guardMs} ms; try again when this machine is less busy`
        yield* sources.incomplete(left, { _tag: "SearchTimedOut", message })
        break batches
      }
      if (budget.read < 0) {
        omitted.push(`${left}: stopped after ${limits.charactersRead} characters`)
        break batches
      }
      budget.read -= facts?.length ?? 0
      if (facts?.problem != null) omitted.push(`imports of ${path}: ${facts.problem}`)
      for (const target of targets) {
        if (!wanted.has(target)) continue
        const known = importers.get(target)
        if (known === undefined) importers.set(target, [path])
        else known.push(path)
      }
    }
  }
  const dependencies: Array<Dependency> = []
  for (const [target, from] of importers) {
    if (from.length > limits.importersOfOne) {
      omitted.push(`importers of ${target} after the first ${limits.importersOfOne} of ${from.length}`)
    }
    for (const source of from.slice(0, limits.importersOfOne)) {
      dependencies.push({ source, target, relationship: "imports" })
    }
  }
  return { dependencies, omitted }
})

const trace = Effect.fn("ImportTracer.trace")(function* (files: ReadonlyArray<DiffFile>, paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  const code = files.flatMap(({ newPath, binary }) =>
    newPath !== null && !binary && isOwnCode(newPath) ? [newPath] : []
  )
  // Who still imports a file that is gone is worth more than anything else here, so its path counts as known.
  const present = new Set(paths)
  const gone = files.flatMap(({ oldPath }) => (oldPath === null || present.has(oldPath) ? [] : [oldPath]))
  const wanted = subjectsOf([...new Set([...code, ...gone])])
  const data = dataFiles([...code, ...gone], paths).slice(0, limits.dataFiles)
  const [mentioning] = yield* Effect.all(
    [
      sources.mentioning(
        wanted.flatMap(({ subjects }) => wordsOf(subjects)),
        wanted.flatMap(({ family }) => endingsOf(family))
      ),
      sources.preload([...data, ...code.slice(0, limits.tracedFiles)])
    ],
    { concurrency: 2 }
  )
  const searches = searchesFor(wanted, files, present, mentioning)
  const share = Math.ceil(limits.filesSearched / Math.max(1, searches.length))
  const repository = repositoryOf(paths, yield* readTexts(sources, data))
  const imports = yield* traceImports(code, repository)
  const withGone = withPaths(repository, gone)
  const budget: Budget = {
    files: share,
    read: limits.charactersRead,
    deadline: (yield* monotonicMillis) + limits.guardMs
  }
  const found = yield* Effect.forEach(searches, (wanted) => search(wanted, withGone, budget))
  return {
    imports: imports.dependencies,
    importers: found.flatMap(({ dependencies }) => dependencies),
    omitted: [...imports.omitted, ...found.flatMap(({ omitted }) => omitted)]
  }
})

/** Of languages whose import statements alone do not parse, the whole file is read. */
const targetsIn = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, repository: Repository) {
  const index = yield* SymbolIndex
  const whole = paths.filter((path) => !hasImportWords(path))
  const read = yield* targetsOf(
    paths.filter((path) => hasImportWords(path)),
    repository,
    Number.POSITIVE_INFINITY
  )
  const others = yield* Effect.forEach(whole, (path) =>
    Effect.map(index.uses(path, []), ({ imports }) => ({
      path,
      targets: wantedBy(imports).flatMap((wanted) => resolveImport(path, wanted, repository))
    }))
  )
  return [...read, ...others]
})

const repositoryFor = Effect.fnUntraced(function* (subjects: ReadonlyArray<string>, paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  const data = dataFiles(subjects, paths).slice(0, limits.dataFiles)
  // The index reads the others, and only those whose imports are unknown.
  yield* sources.preload([...data, ...subjects.filter((path) => !hasImportWords(path))])
  return repositoryOf(paths, yield* readTexts(sources, data))
})

const importersOf = Effect.fn("ImportTracer.importersOf")(function* (
  path: string,
  symbols: FileSymbols | null,
  paths: ReadonlyArray<string>
) {
  const sources = yield* Sources
  const mentioning = yield* sources.mentioning(wordsNaming(path, symbols), endingsBeside(path))
  const present = new Set(paths)
  const candidates = nearestFirst(
    [path],
    mentioning.filter((each) => each !== path && present.has(each) && !isVendoredPath(each))
  )
  const searched = candidates.slice(0, limits.filesSearched)
  const found = yield* targetsIn(searched, yield* repositoryFor([path, ...searched], paths))
  const answer: Answer<string> = {
    found: found.flatMap((each) => (each.targets.includes(path) ? [each.path] : [])).sort(compareText),
    omitted:
      searched.length === candidates.length
        ? []
        : [
            `importers among ${candidates.length - searched.length} of ${candidates.length} files that may import it, the farthest ones`
          ]
  }
  return answer
})

const importedBy = Effect.fn("ImportTracer.importedBy")(function* (
  subjects: ReadonlyArray<string>,
  paths: ReadonlyArray<string>
) {
  const found = yield* targetsIn(subjects, yield* repositoryFor(subjects, paths))
  return new Map(found.map(({ path, targets }) => [path, targets]))
})

/** What is left for the searches of one change. */
interface Budget {
  /** For each search. */
  readonly files: number
  /** Of whole files. */
  read: number
  /** In monotonic milliseconds. */
  readonly deadline: number
}

/** Names taken from one module are one import. */
const wantedBy = (imports: ReadonlyArray<ImportedName>): ReadonlyArray<Import> =>
  [...Map.groupBy(imports, ({ module }) => module)].map(([module, some]) => ({
    module,
    names: some.flatMap(({ name }) => name ?? [])
  }))

/** What a file that imports this one has to mention: its name, or one that it defines, or its package. */
const wordsNaming = (path: string, symbols: FileSymbols | null): ReadonlyArray<string> => {
  const stem = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")
  if (hasImportWords(path)) return [importWord(path) ?? stem]
  const own = (symbols?.definitions ?? []).flatMap(({ container, name }) => (container === null ? [name] : []))
  const folder = (symbols?.package ?? "").split(/[.\\]/).at(-1) ?? ""
  return [...new Set([stem, ...own.slice(0, namesOfOne), folder])].filter((word) => word !== "")
}

/** At most so many names of one file are searched for. */
const namesOfOne = 30

interface Search {
  readonly family: Family
  readonly subjects: ReadonlyArray<string>
  /** Nearest to the subjects first. */
  readonly candidates: ReadonlyArray<string>
}

/** The most telling files of a folder: the one with the folder's name, then by name. */
const representatives = (files: ReadonlyArray<string>, limit: number): ReadonlyArray<string> => {
  if (files.length <= limit) return files
  const namesake = /([^/]+)\/\1\.\w+$/
  return [...files]
    .sort((a, b) => Number(namesake.test(b)) - Number(namesake.test(a)) || compareText(a, b))
    .slice(0, limit)
}

const isOwnCode = (path: string): boolean => hasImportWords(path) && !isVendoredPath(path) && !isGeneratedPath(path)

/** The touched files of each language that others may import. */
const subjectsOf = (touched: ReadonlyArray<string>): ReadonlyArray<Pick<Search, "family" | "subjects">> =>
  families.flatMap((family) => {
    const subjects = touched
      .filter((path) => familyOf(path) === family && isOwnCode(path) && importWord(path) !== null)
      .slice(0, limits.tracedFiles)
    return subjects.length === 0 ? [] : [{ family, subjects }]
  })

const wordsOf = (subjects: ReadonlyArray<string>): ReadonlyArray<string> =>
  subjects.flatMap((path) => importWord(path) ?? [])

/** One search a language: what changed files import is known already, so they are no candidates. */
const searchesFor = (
  wanted: ReadonlyArray<Pick<Search, "family" | "subjects">>,
  files: ReadonlyArray<DiffFile>,
  present: ReadonlySet<string>,
  mentioning: ReadonlyArray<string>
): ReadonlyArray<Search> => {
  const changed = new Set(files.map(({ path }) => path))
  return wanted.map(({ family, subjects }) => {
    const isCandidate = (path: string) =>
      present.has(path) && familyOf(path) === family && isOwnCode(path) && !changed.has(path)
    return { family, subjects, candidates: nearestFirst(subjects, mentioning.filter(isCandidate)) }
  })
}
