/**
 * The tests to run: those that the change edits, and those that its changed files and definitions point to.
 *
 * One search for all words together, one reading of the history; imports are read only of the tests that are named.
 */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange } from "../../domain/brief/Definitions.ts"
import { decidingFiles, projectFiles } from "../../domain/brief/runners/ProjectFiles.ts"
import { testCommands } from "../../domain/brief/runners/testCommands.ts"
import { testRunOf } from "../../domain/brief/runners/testRunOf.ts"
import type { Tests } from "../../domain/brief/Tests.ts"
import { mayHavePythonTests, pytestFiles, pythonTests } from "../../domain/brief/tests/pythonTests.ts"
import {
  bestTests,
  type ChangedCode,
  type Evidence,
  type RankedTest,
  rankTests,
  type TellingWord
} from "../../domain/brief/tests/rankTests.ts"
import { testFilesIn } from "../../domain/brief/tests/testFilesIn.ts"
import { basePaths } from "../../domain/change/basePaths.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { touchedBy } from "../../domain/change/HunkIndex.ts"
import type { PastCommit } from "../../domain/change/PastCommit.ts"
import { isMachineWritten } from "../../domain/change/PathKind.ts"
import { marksRustTest } from "../../domain/change/TestFile.ts"
import { eachAlone, type WordPlace } from "../../domain/change/WordPlace.ts"
import { enclosingFunction, nameParts } from "../../domain/code/CodeQuery.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural } from "../../domain/text/plural.ts"
import { namedOnDisk } from "../../domain/text/quotePath.ts"
import { endingsBeside, importWord, sharesNames } from "../../languages/imports.ts"
import { familyOf, isJudged, languageOf } from "../../languages/languages.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources } from "../change/Sources.ts"
import { CodeQueries } from "../code/CodeQueries.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** Of the history before the change. */
const commitsRead = 1_000
/** The changed files that tests are looked for: those with the most changed lines. */
const filesRead = 60
/** How many words of each kind are searched for: the longest ones, which few files have. */
const wordsSearched = { definition: 20, container: 8, file: 12, line: 20 } as const
const wordsOfOne = 60
const longestLine = 300
const editedShown = 100
/** Python files that have tests if their texts do. */
const maybeRead = 100
/** Tests whose build conditions are read. */
const textsRead = 20
const untestedShown = 10
/** Tests that use a changed definition and are not among the best. */
const usersShown = 8
/** The places of one definition whose functions are searched for in tests. */
const usersRead = 20
/** A shorter definition is too small to miss a test. */
const leastLines = 4

export const testsOf = Effect.fn("brief.testsOf")(function* (change: Change, changes: ReadonlyArray<DefinitionChange>) {
  const sources = yield* Sources
  const paths = yield* sources.headPaths
  const changed = change.diff.files.flatMap(({ newPath }) => newPath ?? [])
  const present = paths.length === 0 ? changed : paths
  const maybe = present.filter(mayHavePythonTests).slice(0, maybeRead)
  const isPython = pythonTests(yield* readTexts(sources, [...pytestFiles, ...maybe]))
  const isTest = new Set(testFilesIn(present, isPython))
  const code = changedCode(change, isTest)
  const read = code.slice(0, filesRead)
  const inside = yield* insideTests(read)
  const { definitions, evidence, places } = yield* evidenceOf(read, isTest, inside)
  const edited = [...changed.filter((path) => isTest.has(path)), ...inside.keys()]
  const isExplained = ({ file, named, together }: RankedTest) =>
    named !== null || together !== null || evidence.mentions.has(file)
  const ranked = read.length === 0 ? [] : rankTests(evidence).filter(isExplained)
  const best = bestTests(ranked, edited.length)
  const mayUse = testsWithRareNames(evidence)
  const others = ranked.filter((each) => !best.includes(each) && mayUse.has(each.file)).slice(0, usersShown)
  const shown = [...best, ...others].filter(({ file }) => !edited.includes(file))
  const isBest = new Set(best.map(({ file }) => file))
  const reasons = (yield* reasonsOf(shown, definitions, evidence)).filter(
    ({ by, file }) => by === "use" || isBest.has(file)
  )
  const files = [
    ...edited.slice(0, editedShown).map((file) => ({ file, by: "change", of: file }) as const),
    ...withoutWeak(reasons, ranked)
  ]
  const runnable = files.map(({ file }) => file).filter(canBeArgument)
  const { commands, count, runner } = yield* commandsFor(change, runnable)
  const isTested = ({ line, path }: WordPlace) => isTest.has(path) || line > (inside.get(path) ?? Infinity)
  const untested = yield* untestedAmong(changes, definitions, places, isTested)
  const found: Tests = { files, commands, runner, untested }
  const omitted = [
    ...(paths.length === 0 ? ["tests that the change does not edit: there is no repository to look in"] : []),
    ...(read.length < code.length
      ? [`tests of ${code.length - read.length} of ${plural(code.length, "changed file")}`]
      : []),
    ...(edited.length > editedShown
      ? [`${edited.length - editedShown} of ${plural(edited.length, "edited test file")}`]
      : []),
    ...(count === files.length
      ? []
      : [
          files.length === 1
            ? "how to run this test file"
            : `how to run ${files.length - count} of these ${files.length} test files`
        ])
  ]
  const answer: Found<Tests> = { found, omitted }
  return answer
})

/** Without control characters, and without what pytest takes for the name of a test. */
const canBeArgument = (path: string): boolean =>
  namedOnDisk(path) === path && !/\p{Cc}/u.test(path) && !(path.endsWith(".py") && /\[|::/.test(path))

/** The line at which the tests inside of a Rust file begin, for each file that has some. */
const insideTests = Effect.fnUntraced(function* (changed: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const found = new Map<string, number>()
  for (const { newPath } of changed) {
    if (newPath?.endsWith(".rs") !== true) continue
    const source = yield* sources.head(newPath)
    const at = source._tag === "Text" ? source.lines.findIndex(marksRustTest) : -1
    if (at >= 0) found.set(newPath, at + 1)
  }
  return found
})

/** Files that tests may be about; those with the most changed lines first. What is deleted has no tests any more. */
const changedCode = (change: Change, isTest: ReadonlySet<string>): ReadonlyArray<DiffFile & ChangedCode> =>
  change.diff.files
    .filter(
      (file) =>
        file.newPath !== null &&
        !file.binary &&
        !isTest.has(file.path) &&
        !isMachineWritten(file.path) &&
        isCode(file.path) &&
        mayBehaveOtherwise(file)
    )
    .map((file) => ({ ...file, lines: changedLines(file) }))
    .toSorted((a, b) => b.lines - a.lines)

/** A version, a licence and comments alone have no tests. */
const mayBehaveOtherwise = ({ hunks }: DiffFile): boolean => {
  const changed = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== "context"))
  return changed.length === 0 || changed.some(({ text }) => !ofLicence.test(text) && !ofNothing.test(text))
}

const ofNothing =
  /^\s*(?:$|\/\/(?!go:)|\/\*|\*(?:\s|\/|$)|#(?:\s|$)|__(?:version|author|copyright|title)__\s*=|VERSION\s*=\s*["'(\d])/

const isCode = (path: string): boolean => languageOf(path) !== null && !/(?:\.gradle\.kts|\.config\.\w+)$/.test(path)

const changedLines = ({ hunks }: DiffFile): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter(({ kind }) => kind !== "context").length, 0)

interface ChangedDefinition {
  readonly path: string
  readonly definition: Definition
  /** Other changed definitions are inside of it. */
  readonly isAround: boolean
}

/** Definitions with changed lines, and those that the change removes. */
const definitionsIn = Effect.fnUntraced(function* (file: DiffFile) {
  const index = yield* SymbolIndex
  const after = file.newPath === null ? null : yield* index.symbols(file.newPath)
  const before = yield* index.symbolsBefore(file)
  const present = new Set(after?.definitions.map(({ name }) => name))
  const touched = (after?.definitions ?? []).filter(({ endLine, line }) => touchedBy(file, line, endLine))
  const isAround = (each: Definition) =>
    touched.some((other) => other !== each && other.line >= each.line && other.endLine <= each.endLine)
  const { path } = file
  const kept = touched.map((definition): ChangedDefinition => ({ path, definition, isAround: isAround(definition) }))
  const removed = (before?.definitions ?? [])
    .filter(({ name }) => !present.has(name))
    .map((definition): ChangedDefinition => ({ path, definition, isAround: false }))
  return [...kept, ...removed]
})

const evidenceOf = Effect.fnUntraced(function* (
  changed: ReadonlyArray<DiffFile & ChangedCode>,
  isTest: ReadonlySet<string>,
  inside: ReadonlyMap<string, number>
) {
  const sources = yield* Sources
  const definitions = (yield* Effect.forEach(changed, definitionsIn)).flat()
  const words = tellingWords(changed, definitions)
  const within = new Set([...isTest, ...inside.keys()])
  const names = new Set(definitions.map(({ definition }) => definition.name))
  // Outside of tests only the users of a definition are searched for; without tests, nothing is reported as untested.
  const groups = eachAlone(words.map(({ word }) => word)).map((group) =>
    within.size > 0 && group.words.some((word) => names.has(word)) ? group : { ...group, within }
  )
  const endings = [...new Set(changed.flatMap(({ path }) => searchedBeside(path)))]
  const [places, { commits }] = yield* Effect.all([sources.places(groups, endings), sources.history.commits], {
    concurrency: 2
  })
  const history = filesOfCommits(commits.slice(0, commitsRead), changed)
  const paths = yield* sources.headPaths
  const evidence: Evidence = {
    changed,
    words,
    tests: [...isTest],
    paths,
    mentions: mentionsIn(places, isTest),
    history
  }
  return { definitions, evidence, places }
})

/** By the names that the files have now. */
const filesOfCommits = (
  commits: ReadonlyArray<PastCommit>,
  changed: ReadonlyArray<DiffFile>
): ReadonlyArray<ReadonlyArray<string>> => {
  const names = new Map(changed.map(({ oldPath, path }) => [oldPath ?? path, path]))
  const today = (path: string): string => names.get(path) ?? path
  return commits.map(({ files }) => {
    for (const { oldPath, path, status } of files)
      if (status === "R" && oldPath !== null) names.set(oldPath, today(path))
    return files.map(({ path }) => today(path))
  })
}

/** The languages of the JVM use each other's classes. */
const searchedBeside = (path: string): ReadonlyArray<string> =>
  /\.(?:java|kts?)$/.test(path) ? [".java", ".kt", ".groovy", ".scala"] : endingsBeside(path)

const tellingWords = (
  changed: ReadonlyArray<DiffFile>,
  definitions: ReadonlyArray<ChangedDefinition>
): ReadonlyArray<TellingWord> => {
  const nameOf = ({ definition }: ChangedDefinition) => definition.name
  const byKind = {
    definition: definitions.filter(({ isAround }) => !isAround).map(nameOf),
    file: changed.flatMap(({ path }) => importWord(path) ?? []),
    container: definitions.filter(({ isAround }) => isAround).map(nameOf),
    line: changed.flatMap((file) => [...wordsOfLines(file)])
  }
  const found = new Map<string, TellingWord>()
  for (const kind of ["definition", "file", "container", "line"] as const) {
    const fresh = [...new Set(byKind[kind])].filter(
      (word) => word.length > 1 && !found.has(word) && !ofEvery.test(word)
    )
    const longest = fresh.toSorted((a, b) => b.length - a.length || compareText(a, b))
    for (const word of longest.slice(0, wordsSearched[kind])) found.set(word, { word, kind })
  }
  return [...found.values()]
}

/** Names that many classes have a definition of. */
const ofEvery = /^(?:constructor|__\w+__|initialize|init|new)$/
const annotation = /^\s*@\w/
const ofLicence = /^[\W_]*(?:copyright|licen[cs]ed?|spdx)(?:\b|_)/i

const wordsOfLines = ({ hunks }: DiffFile): ReadonlySet<string> => {
  const words = new Set<string>()
  for (const { lines } of hunks) {
    for (const { kind, text } of lines) {
      if (kind === "context" || text.length > longestLine || ofLicence.test(text) || annotation.test(text)) continue
      for (const word of text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? []) {
        if (words.size === wordsOfOne) return words
        words.add(word)
      }
    }
  }
  return words
}

const mentionsIn = (
  places: ReadonlyArray<WordPlace>,
  isTest: ReadonlySet<string>
): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const mentions = new Map<string, Map<string, number>>()
  for (const { path, word } of places) {
    if (!isTest.has(path)) continue
    const own = mentions.get(path) ?? new Map<string, number>()
    mentions.set(path, own)
    own.set(word, (own.get(word) ?? 0) + 1)
  }
  return mentions
}

/** Of the evidence for each test, the strongest that is a fact. */
const reasonsOf = Effect.fnUntraced(function* (
  shown: ReadonlyArray<RankedTest>,
  definitions: ReadonlyArray<ChangedDefinition>,
  evidence: Evidence
) {
  const queries = yield* CodeQueries
  const imported = yield* queries.importedBy(shown.map(({ file }) => file))
  const { mentions, tests, words } = evidence
  const having = testCounts(evidence)
  const testsWith = (word: string): number => having.get(word) ?? 0
  const isRare = (word: string): boolean => testsWith(word) <= Math.max(fewTests, tests.length / 10)
  const rarest = definitions.toSorted((a, b) => testsWith(a.definition.name) - testsWith(b.definition.name))
  const telling = words
    .filter(({ kind, word }) => (kind !== "line" && kind !== "file") || isRare(word))
    .toSorted((a, b) => testsWith(a.word) - testsWith(b.word))
  return shown.flatMap(({ file, named, together }): ReadonlyArray<Tests["files"][number]> => {
    const own = mentions.get(file)
    const targets = imported.get(file) ?? []
    const isMentioned = (name: string): boolean => own?.has(name) === true
    const reached = rarest.find(
      ({ definition: { container, name }, path }) =>
        isMentioned(name) &&
        isRare(name) &&
        // Types often have methods of the same name.
        (container === null || isMentioned(container.split(".").at(-1) ?? container)) &&
        (targets.includes(path) || sharesNames(path, file))
    )
    if (reached !== undefined) return [{ file, by: "use", of: qualified(reached) }]
    const target = definitions.find(({ path }) => targets.includes(path) && isRare(importWord(path) ?? ""))?.path
    if (target !== undefined) return [{ file, by: "import", of: target }]
    if (named !== null) return [{ file, by: "name", of: named }]
    if (together !== null) return [{ file, by: "history", of: together }]
    const mentioned = telling.filter(({ word }) => isMentioned(word))
    // A single everyday word of a changed line may be about anything.
    const word = mentioned.find(
      ({ kind, word }) => kind !== "line" || isDistinctive.test(word) || testsWith(word) <= veryFewTests
    )
    return word === undefined ? [] : [{ file, by: "mention", of: word.word }]
  })
})

/** In how many tests each word is. */
const testCounts = ({ mentions }: Evidence): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const own of mentions.values()) for (const word of own.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** The tests with the name of a changed definition that few tests have. */
const testsWithRareNames = (evidence: Evidence): ReadonlySet<string> => {
  const counts = testCounts(evidence)
  const rare = evidence.words.flatMap(({ kind, word }) =>
    kind === "definition" && (counts.get(word) ?? 0) <= fewTests ? [word] : []
  )
  return new Set([...evidence.mentions].flatMap(([file, own]) => (rare.some((word) => own.has(word)) ? [file] : [])))
}

/** Tests that are few in any project, and so few that an everyday word of a changed line tells something. */
const fewTests = 8
const veryFewTests = 4
/** Several words: `cartTotal`, `cart_total`, `CartTotal`. A single one may be about anything. */
const isDistinctive = /[\p{Ll}\p{N}]\p{Lu}|\p{L}_+\p{L}/u

/** A word is a weak reason to run a test if others use or import what changed. */
const withoutWeak = (files: Tests["files"], ranked: ReadonlyArray<RankedTest>): Tests["files"] => {
  if (files.every(({ by }) => by === "mention")) return files.slice(0, mostByWord)
  if (!files.some(({ by }) => by === "use" || by === "import")) return files
  const least = (ranked[0]?.score ?? 0) * leastOfWord
  const strong = new Set(ranked.flatMap(({ file, score }) => (score >= least ? [file] : [])))
  return files.filter(({ by, file }) => by !== "mention" || strong.has(file))
}

/** Of the best score. */
const leastOfWord = 0.6
/** Tests that only have a word of the change. */
const mostByWord = 3

const qualified = ({ definition: { container, name } }: ChangedDefinition): string =>
  container === null ? name : `${container}.${name}`

/**
 * Changed public functions and classes that no test mentions, nor their type, their file, or the code that uses them: a
 * test may reach a definition without its name. Only in languages whose uses dd follows, and where the language has tests.
 */
const untestedAmong = Effect.fnUntraced(function* (
  changes: ReadonlyArray<DefinitionChange>,
  definitions: ReadonlyArray<ChangedDefinition>,
  places: ReadonlyArray<WordPlace>,
  isTested: (place: WordPlace) => boolean
) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const byWord = Map.groupBy(places, ({ word }) => word)
  const families = new Set(places.filter(isTested).map(({ path }) => familyOf(path)))
  const candidates = changes.filter((each) => {
    const own = definitions.find(
      (other) => other.path === each.file && other.definition.line === each.line && qualified(other) === each.name
    )
    const found = own === undefined ? undefined : byWord.get(own.definition.name)
    const isLarge = own !== undefined && own.definition.endLine - own.definition.line >= leastLines
    return (
      each.public &&
      isLarge &&
      !/(?:^|\.)__\w+__$/.test(each.name) &&
      judgedKinds.has(each.kind) &&
      each.change !== "moved" &&
      each.change !== "renamed" &&
      isJudged(each.file) &&
      families.has(familyOf(each.file)) &&
      found !== undefined &&
      !found.some(isTested)
    )
  })
  const around = new Map<DefinitionChange, ReadonlyArray<string>>()
  for (const each of candidates.slice(0, untestedShown)) {
    const { name, owner } = nameParts(each.name)
    const names = new Set([...owner, importWord(each.file)])
    for (const { line, path } of (byWord.get(name) ?? []).slice(0, usersRead)) {
      const user = enclosingFunction((yield* index.symbols(path))?.definitions ?? [], line)
      for (const word of [user?.name, user?.container, importWord(path)]) names.add(word ?? null)
    }
    around.set(
      each,
      [...names].filter((word) => word !== null)
    )
  }
  const words = [...new Set([...around.values()].flat())]
  const endings = [...new Set([...around.keys()].flatMap(({ file }) => searchedBeside(file)))]
  const found = words.length === 0 ? [] : yield* sources.places(eachAlone(words), endings)
  const tested = new Set(found.filter(isTested).map(({ word }) => word))
  return [...around]
    .filter(([, names]) => !names.some((name) => tested.has(name)))
    .map(([{ file, line, name }]) => ({ name, file, line }))
})

const judgedKinds: ReadonlySet<string> = new Set(["function", "method", "class"])

/** By the manifests of the base side: a change does not decide how its tests are run. */
const commandsFor = Effect.fnUntraced(function* (change: Change, runnable: ReadonlyArray<string>) {
  const runs = (yield* testRunsOf(change, runnable)).map(({ run }) => run)
  const [first] = runs
  const runner = first === undefined ? null : { name: first.runner, source: first.source }
  return { commands: testCommands(runs), count: runs.length, runner }
})

/** How these test files are run, as the base side says; those of which nothing says it are left out. */
export const testRunsOf = Effect.fnUntraced(function* (change: Change, tests: ReadonlyArray<string>) {
  const sources = yield* Sources
  const deciding = decidingFiles(tests, basePaths(yield* sources.headPaths, change.diff))
  const files = projectFiles(deciding, yield* readTexts(sources, deciding.read, "base"))
  const texts = yield* readTexts(sources, tests.slice(0, textsRead))
  return tests.flatMap((path) => {
    const run = testRunOf(path, files, texts.get(path) ?? "")
    return run === null ? [] : [{ path, run }]
  })
})
