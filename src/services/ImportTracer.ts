/**
 * Follows imports through the repository: what changed files import, and which other files import them.
 *
 * Never fails and is bounded, whatever the repository's size: in files and characters, so that the same change finds
 * the same, and in time only where a machine stands nearly still. Each limit that was met and each file that could not
 * be read is in `omitted`. Files nearest to the change are searched first.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { DiffFile } from "../domain/Diff.ts"
import type { Dependency } from "../domain/Exploration.ts"
import { compareText } from "../domain/Finding.ts"
import {
  asText,
  dataFiles,
  endingsOf,
  families,
  familyOf,
  importStatements,
  importWord,
  mentions,
  nearestFirst
} from "../domain/Importers.ts"
import { type Import, type Repository, repositoryOf, resolveImport, withPaths } from "../domain/ImportResolution.ts"
import { isGeneratedPath, isVendoredPath } from "../domain/PathKind.ts"
import { type Grammar, grammarOf } from "../domain/Syntax.ts"
import { importQueryOf } from "../rules/imports.ts"
import { Sources } from "./Sources.ts"
import { SyntaxParser } from "./SyntaxParser.ts"

/** Enough for a careful reader, and a fraction of a second on a large repository: parsing takes about 3 µs a character. */
export const limits = {
  tracedFiles: 100,
  /** Of import statements in changed files. */
  charactersTraced: 100_000,
  /** In all languages together, shared evenly among those of the change. */
  filesSearched: 400,
  /** Of import statements that may mean a changed file, in all languages together. */
  charactersSearched: 20_000,
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
  }
>()("dd/services/ImportTracer") {
  static readonly layer = Layer.effect(
    ImportTracer,
    Effect.gen(function* () {
      const sources = yield* Sources
      const parser = yield* SyntaxParser

      const textOf = (path: string) =>
        Effect.map(sources.head(path), (source) => (source._tag === "Text" ? source : null))

      const parseImports = Effect.fnUntraced(function* (grammar: Grammar, texts: ReadonlyArray<string>) {
        const statements = importQueryOf(grammar)
        const found = texts.map((): Array<Import> => [])
        if (statements === null) return found
        const parsed = yield* parser.parse(grammar, texts.join(""))
        // A statement that is not whole could swallow the next file's.
        if (parsed.root.hasError && texts.length > 1) return null
        const textAt = textAtRow(texts)
        for (const match of yield* parsed.query(statements.query)) {
          const row = Object.values(match)[0]?.[0]?.startPosition.row ?? 0
          found[textAt(row)]?.push(...statements.read(match))
        }
        return found
      }, Effect.scoped)

      /** The imports in each text. Parsing many small texts one by one takes several times as long as all at once. */
      const importsIn = Effect.fnUntraced(function* (grammar: Grammar, texts: ReadonlyArray<string>) {
        const together = yield* Effect.option(parseImports(grammar, texts))
        if (Option.isSome(together) && together.value !== null) {
          return together.value.map((imports) => ({ imports, problem: null }))
        }
        return yield* Effect.forEach(texts, (text) =>
          Effect.match(parseImports(grammar, [text]), {
            onSuccess: (found) => ({ imports: found?.[0] ?? [], problem: null }),
            onFailure: ({ message }) => ({ imports: [], problem: message })
          })
        )
      })

      /** The repository's files that each file's import statements mean. */
      const targetsOf = Effect.fnUntraced(function* (
        files: ReadonlyArray<Importing>,
        repository: Repository,
        filesOfOneImport: number
      ) {
        const byGrammar = Map.groupBy(files, ({ path }) => grammarOf(path))
        const found = new Map<string, Targets>()
        for (const [grammar, some] of byGrammar) {
          if (grammar === null) continue
          const parsed = yield* importsIn(
            grammar,
            some.map(({ statements }) => statements)
          )
          for (const [at, { imports, problem }] of parsed.entries()) {
            const path = some[at]?.path ?? ""
            const targets = imports.flatMap((wanted) =>
              representatives(resolveImport(grammar, path, wanted, repository), filesOfOneImport)
            )
            found.set(path, { targets: [...new Set(targets)].sort(compareText), problem })
          }
        }
        return files.map(({ path }) => ({ path, ...(found.get(path) ?? { targets: [], problem: null }) }))
      })

      const readData = Effect.fnUntraced(function* (wanted: ReadonlyArray<string>) {
        const texts = yield* Effect.forEach(wanted, (path) =>
          Effect.map(textOf(path), (source) => [path, source?.text ?? ""] as const)
        )
        return new Map(texts)
      })

      const traceImports = Effect.fnUntraced(function* (changed: ReadonlyArray<string>, repository: Repository) {
        let left = limits.charactersTraced
        const traced = changed.slice(0, limits.tracedFiles)
        const dependencies: Array<Dependency> = []
        const omitted: Array<string> = []
        const importing: Array<Importing> = []
        for (const [done, path] of traced.entries()) {
          if (left < 0) {
            const why = `${limits.charactersTraced} characters of import statements`
            omitted.push(`imports of ${changed.length - done} changed files: stopped after ${why}`)
            break
          }
          const source = yield* textOf(path)
          if (source === null) {
            omitted.push(`imports of ${path}: its text could not be read`)
            continue
          }
          const statements = asText(importStatements(path, source.lines))
          left -= statements.length
          importing.push({ path, statements })
        }
        for (const { path, problem, targets } of yield* targetsOf(importing, repository, limits.filesOfOneImport)) {
          if (problem !== null) omitted.push(`${path}: ${problem}`)
          if (targets.length > limits.importsOfOne) {
            omitted.push(`imports of ${path}: ${limits.importsOfOne} of ${targets.length} are listed`)
          }
          for (const target of targets.slice(0, limits.importsOfOne)) {
            dependencies.push({ source: path, target, relationship: "imports" })
          }
        }
        const rest = changed.length - traced.length
        if (rest > 0 && left >= 0) {
          omitted.push(`imports of ${rest} changed files: only the first ${traced.length} were traced`)
        }
        return { dependencies, omitted }
      })

      /** Which candidates import the subjects, until a limit is met. */
      const search = Effect.fnUntraced(function* (
        { family, subjects, candidates }: Search,
        repository: Repository,
        budget: Budget
      ) {
        const wanted = new Set(subjects)
        const words = new Set(wordsOf(subjects))
        const importers = new Map<string, Array<string>>()
        const omitted: Array<string> = []
        const searched = candidates.slice(0, budget.files)
        if (searched.length < candidates.length) {
          omitted.push(
            `importers: the nearest ${searched.length} of ${candidates.length} ${family} files that mention what changed were searched`
          )
        }
        for (let done = 0; done < searched.length; done += limits.batch) {
          const batch = searched.slice(done, done + limits.batch)
          yield* sources.preload(batch)
          const importing: Array<Importing> = []
          let stopped: string | null = null
          for (const [at, path] of batch.entries()) {
            stopped = yield* exhausted(budget)
            if (stopped !== null) {
              omitted.push(`importers: stopped after ${stopped}, at ${done + at} of ${searched.length} ${family} files`)
              break
            }
            const source = yield* textOf(path)
            budget.read -= source?.text.length ?? 0
            const all = source === null ? [] : importStatements(path, source.lines)
            const some = all.filter((statement) => mentions(statement, words))
            if (some.length === 0) continue
            const statements = asText(some)
            budget.characters -= statements.length
            importing.push({ path, statements })
          }
          for (const { path, problem, targets } of yield* targetsOf(importing, repository, Number.POSITIVE_INFINITY)) {
            if (problem !== null) omitted.push(`${path}: ${problem}`)
            for (const target of targets) {
              if (!wanted.has(target)) continue
              const known = importers.get(target)
              if (known === undefined) importers.set(target, [path])
              else known.push(path)
            }
          }
          if (stopped !== null) break
        }
        const dependencies: Array<Dependency> = []
        for (const [target, from] of importers) {
          if (from.length > limits.importersOfOne) {
            omitted.push(`importers of ${target}: ${limits.importersOfOne} of ${from.length} are listed`)
          }
          for (const source of from.slice(0, limits.importersOfOne)) {
            dependencies.push({ source, target, relationship: "imports" })
          }
        }
        return { dependencies, omitted }
      })

      const trace = Effect.fn("ImportTracer.trace")(function* (
        files: ReadonlyArray<DiffFile>,
        paths: ReadonlyArray<string>
      ) {
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
        // One reading for all of it: asking git costs more than what it answers.
        yield* sources.preload(searches.flatMap(({ candidates }) => candidates.slice(0, Math.min(share, limits.batch))))
        const repository = repositoryOf(paths, yield* readData(data))
        const imports = yield* traceImports(code, repository)
        const withGone = withPaths(repository, gone)
        const budget: Budget = {
          files: share,
          characters: limits.charactersSearched,
          read: limits.charactersRead,
          deadline: (yield* Clock.currentTimeMillis) + limits.guardMs
        }
        const found = yield* Effect.forEach(searches, (wanted) => search(wanted, withGone, budget))
        return {
          imports: imports.dependencies,
          importers: found.flatMap(({ dependencies }) => dependencies),
          omitted: [...imports.omitted, ...found.flatMap(({ omitted }) => omitted)]
        }
      })

      return ImportTracer.of({ trace })
    })
  )
}

/** What is left for the searches of one change. */
interface Budget {
  /** For each search. */
  readonly files: number
  /** Of import statements. */
  characters: number
  /** Of whole files. */
  read: number
  /** In milliseconds of the clock. */
  readonly deadline: number
}

/** Which limit was met, in words; null while there is something left. */
const exhausted = (budget: Budget) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (now > budget.deadline) return `${limits.guardMs} ms`
    if (budget.read < 0) return `${limits.charactersRead} characters`
    return budget.characters < 0 ? `${limits.charactersSearched} characters of import statements` : null
  })

/** A file with its import statements alone. */
interface Importing {
  readonly path: string
  readonly statements: string
}

interface Targets {
  readonly targets: ReadonlyArray<string>
  /** Why its statements could not be read. */
  readonly problem: string | null
}

/** Which of the texts, one after another, a row is in; rows are asked in any order. */
const textAtRow = (texts: ReadonlyArray<string>): ((row: number) => number) => {
  const owners = texts.flatMap((text, at) => new Array<number>(text.split("\n").length - 1).fill(at))
  return (row) => owners[row] ?? texts.length - 1
}

interface Search {
  readonly family: string
  readonly subjects: ReadonlyArray<string>
  /** Nearest to the subjects first. */
  readonly candidates: ReadonlyArray<string>
}

/** The files of a folder that say most about it: the one it is named after, then in order of name. */
const representatives = (files: ReadonlyArray<string>, limit: number): ReadonlyArray<string> => {
  if (files.length <= limit) return files
  const namesake = /([^/]+)\/\1\.\w+$/
  return [...files]
    .sort((a, b) => Number(namesake.test(b)) - Number(namesake.test(a)) || compareText(a, b))
    .slice(0, limit)
}

const isOwnCode = (path: string): boolean => familyOf(path) !== null && !isVendoredPath(path) && !isGeneratedPath(path)

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
