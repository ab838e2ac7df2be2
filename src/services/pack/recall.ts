/**
 * Finds every file that may matter for a change, and what each signal says of it.
 *
 * Nothing is cut here for the budget: a file is left out only where a filter says so, with its reason. Of a repository with more files than are read, the farthest ones are known by their paths and
 * history alone, and a warning tells how many.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { pathsBefore } from "../../domain/change/filesOfDiff.ts"
import { touchedBy } from "../../domain/change/HunkIndex.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import { type FileWords, wordsIn } from "../../domain/pack/FileWords.ts"
import { type Fused, fuse } from "../../domain/pack/fuse.ts"
import type { Omission } from "../../domain/pack/Omission.ts"
import { byRank, type Candidate, type RecallTarget, unreachable } from "../../domain/pack/Pack.ts"
import { filterOf, type PackPolicy } from "../../domain/pack/PackPolicy.ts"
import { historyScores } from "../../domain/pack/signals/historyScores.ts"
import { type Imports, importDistances } from "../../domain/pack/signals/importScores.ts"
import { pathScores } from "../../domain/pack/signals/pathScores.ts"
import type { Scores } from "../../domain/pack/signals/Scores.ts"
import { symbolScores } from "../../domain/pack/signals/symbolScores.ts"
import { wordScores } from "../../domain/pack/signals/wordScores.ts"
import { type WordIndex, wordIndex } from "../../domain/pack/WordIndex.ts"
import { plural } from "../../domain/text/plural.ts"
import { hasImportWords, sharesNames } from "../../languages/imports.ts"
import { Sources } from "../change/Sources.ts"
import { CodeQueries } from "../code/CodeQueries.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { fileWords } from "./fileWords.ts"
import { stageDeadline } from "./stageDeadline.ts"

/** Files whose text is read. */
const mostRead = 20_000
/** Changed files whose imports are followed one by one. */
const mostTargets = 300
/** A test with this many leading folders of a changed file is close to it: others are `filtered:tests-not-close`. */
const closeFolders = 4

export interface Recalled {
  /** By rank. */
  readonly ranked: ReadonlyArray<Candidate>
  readonly omitted: ReadonlyArray<Omission>
  readonly targets: ReadonlyArray<RecallTarget>
  /** For each file, its words of the change that few files have, with their weights. */
  readonly rareWords: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** What was not looked at. */
  readonly warnings: ReadonlyArray<string>
}

export const recall = Effect.fn("pack.recall")(function* (change: Change, policy: PackPolicy) {
  const sources = yield* Sources
  const paths = yield* sources.headPaths
  const filter = filterOf(policy)
  const changed = change.diff.files.flatMap(({ newPath }) => newPath ?? [])
  const isChanged = new Set(changed)
  const omitted: Array<Omission> = []
  const others = paths.filter((path) => {
    if (isChanged.has(path)) return false
    const reason = filter.related(path)
    if (reason !== null) omitted.push({ path, reason })
    return reason === null
  })
  const own = changed.filter((path) => filter.changed(path) === null)
  const read =
    own.length + others.length <= mostRead ? others : nearestFirst(own, others).slice(0, mostRead - own.length)
  const all = [...own, ...read]
  const [history, { found: words, unread }, { imports, untraced }] = yield* Effect.all(
    [sources.history.commits, fileWords(all), importsOf(own, all)],
    {
      concurrency: "unbounded"
    }
  )
  // A lock file has thousands of words that say nothing about code.
  const shown = new Set(own)
  const files = change.diff.files.filter(({ newPath, path }) =>
    newPath === null ? filter.changed(path) === null : shown.has(newPath)
  )
  const edited = yield* editedDefinitions(files)
  const query = new Map([
    ...changedWords(files),
    ...edited.flatMap(({ kind, name }) =>
      kind !== "class" && name.length > 2 ? [[name, enclosingWeight] as const] : []
    )
  ])
  const index = wordIndex(query.keys(), words)
  const users = yield* usersOf(edited)
  const focus = policy.focus.map((each) => ({ each, paths: [...own, ...others].filter(isFocused(each, words)) }))
  const seeds = new Set([...own, ...focus.flatMap(({ paths }) => paths)])
  const targets = [...seeds].slice(0, mostTargets)
  const distances = importDistances(imports, targets)
  const isOther = new Set(others)
  const ofOthers = (scores: Scores): Scores => new Map([...scores].filter(([path]) => isOther.has(path)))
  const fused = fuse({
    imports: ofOthers(distances.scores),
    symbols: ofOthers(symbolScores(seeds, query, index, users)),
    words: ofOthers(wordScores(query, index)),
    history: ofOthers(historyScores(history.commits, pathsBefore(change.diff))),
    path: pathScores([...seeds], query, others)
  })
  const candidates = others.map((path): Candidate => {
    const { ranks, weight } = fused.get(path) ?? unknown
    const length = words.get(path)?.length
    return {
      path,
      // What the user names comes before everything else.
      relationWeight: seeds.has(path) ? weight + focusWeight : weight,
      frequency: distances.frequency.get(path) ?? 0,
      distance: distances.distance.get(path) ?? unreachable,
      estimatedTokens: length === undefined ? unreadTokens : Math.ceil(length / 4),
      ranks
    }
  })
  const isKept = closeTests(own, filter.isIncluded)
  const kept = candidates.filter((candidate) => {
    if (isKept(candidate)) return true
    omitted.push({ path: candidate.path, reason: "filtered:tests-not-close" })
    return false
  })
  const recalled: Recalled = {
    ranked: kept.sort(byRank),
    omitted,
    targets: own.map((path, at): RecallTarget => {
      const total = distances.reached.get(path) ?? 0
      const isSkipped = at >= mostTargets || !hasImportWords(path)
      return {
        path,
        status: isSkipped ? "skipped" : "ok",
        total,
        eligible: total,
        limitsReached: at >= mostTargets || read.length < others.length || unread + untraced > 0,
        note: !isSkipped
          ? ""
          : at >= mostTargets
            ? "scribe-limits-reached"
            : "imports of this language are not followed"
      }
    }),
    rareWords: rareWords(query, index),
    warnings: [
      ...history.omitted,
      ...focus.flatMap(({ each, paths }) =>
        paths.length > 0 ? [] : [`the focus ${each} is no file and no definition`]
      ),
      ...(read.length === others.length
        ? []
        : [
            `${others.length - read.length} of ${plural(others.length, "file")} were ranked by path and history alone, the farthest ones`
          ]),
      ...(unread + untraced === 0
        ? []
        : [`stopped after the time limit: the words of ${unread} files and the imports of ${untraced} were not read`]),
      ...(targets.length === seeds.size
        ? []
        : [`the imports of ${seeds.size - targets.length} of ${plural(seeds.size, "changed file")} were not followed`])
    ]
  }
  return recalled
})

/** No signal knows the file: none of the changed files is shown. */
const unknown: Fused = { ranks: { imports: null, symbols: null, words: null, history: null, path: null }, weight: 0 }

/** Of a file whose text is not known: as many as a usual file has, so that it is not preferred as a small one. */
const unreadTokens = 2_000

const focusWeight = 10_000_000

/** Is it the path or the folder that the focus names, or a file that defines a name of the focus? */
const isFocused = (focus: string, words: ReadonlyMap<string, FileWords>) => {
  const name = focus.replace(/\/$/, "")
  const last = name.split(/[.:]+/).at(-1)!
  return (path: string): boolean =>
    path === name || path.startsWith(`${name}/`) || words.get(path)?.defined.includes(last) === true
}

/** From each file to those that its imports lead to; a changed file of a package also to its siblings. */
const importsOf = Effect.fnUntraced(function* (changed: ReadonlyArray<string>, all: ReadonlyArray<string>) {
  const queries = yield* CodeQueries
  const isChanged = new Set(changed)
  // Of languages whose imports are only found by parsing whole files, only the changed ones are parsed.
  const code = all.filter((path) => hasImportWords(path) || isChanged.has(path))
  const imports = new Map<string, ReadonlyArray<string>>()
  const isOver = yield* stageDeadline
  let untraced = 0
  for (let at = 0; at < code.length; at += tracedAtOnce) {
    if (yield* isOver) {
      untraced = code.length - at
      break
    }
    for (const [path, targets] of yield* queries.importedBy(code.slice(at, at + tracedAtOnce)))
      imports.set(path, targets)
  }
  for (const path of changed) {
    if (!hasImportWords(path)) continue
    const siblings = all.filter((other) => other !== path && sharesNames(path, other))
    if (siblings.length > 0) imports.set(path, [...(imports.get(path) ?? []), ...siblings])
  }
  return { imports: imports satisfies Imports, untraced }
})

const tracedAtOnce = 2_000

/** Is a candidate no test, or one that something but its path ties to the change? */
const closeTests = (changed: ReadonlyArray<string>, isIncluded: (path: string) => boolean) => {
  const starts = new Set(changed.flatMap((path) => leadingFolders(path) ?? []))
  return ({ distance, path, ranks }: Candidate): boolean =>
    !isTestFile(path) ||
    distance <= 2 ||
    ranks.history !== null ||
    ranks.words !== null ||
    starts.has(leadingFolders(path) ?? "") ||
    isIncluded(path)
}

/** Null for a path in fewer folders. */
const leadingFolders = (path: string): string | null => {
  const parts = path.toLowerCase().split("/")
  return parts.length <= closeFolders ? null : parts.slice(0, closeFolders).join("/")
}

/**
 * The words of a change with their weights: names that it removes are what other files may still use, and the functions
 * around its lines are what they call.
 */
const changedWords = (files: ReadonlyArray<DiffFile>): ReadonlyMap<string, number> => {
  const hunks = files.flatMap((file) => file.hunks)
  const wordsOf = (wanted: "added" | "deleted") =>
    wordsIn(hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === wanted ? [text] : []))).join("\n"))
      .words
  const [added, deleted] = [new Set(wordsOf("added")), new Set(wordsOf("deleted"))]
  const around = wordsIn(hunks.map(({ section }) => section).join("\n")).words
  const weightOf = (word: string): number => {
    if (added.has(word)) return deleted.has(word) ? 1 : 2
    return deleted.has(word) ? 4 : 3
  }
  return new Map([...added, ...deleted, ...around].map((word) => [word, weightOf(word)] as const))
}

/** A name around the changed lines: what its callers write. */
const enclosingWeight = 5

/** Definitions around added lines. */
const editedDefinitions = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
  const symbols = yield* SymbolIndex
  const found: Array<Definition & { readonly path: string }> = []
  for (const file of files.slice(0, mostTargets)) {
    if (file.newPath === null || file.binary) continue
    const definitions = (yield* symbols.symbols(file.newPath))?.definitions ?? []
    const own = definitions.filter(({ endLine, line }) => touchedBy(file, line, endLine))
    found.push(...own.map((each) => ({ ...each, path: file.newPath ?? "" })))
  }
  return found
})

/** Definitions whose users are read from trees; of the others, the words count. */
const mostResolved = 40

/** How often each file uses a name, by what the name means there. */
const usersOf = Effect.fnUntraced(function* (definitions: ReadonlyArray<Definition & { readonly path: string }>) {
  const queries = yield* CodeQueries
  const targets = definitions.slice(0, mostResolved).map((each) => ({ ...each, shown: each.name, isAlone: true }))
  const { uses } = yield* queries.usesOf(targets)
  const users = new Map<string, Map<string, number>>()
  for (const [at, { name }] of targets.entries()) {
    const counts = users.get(name) ?? new Map<string, number>()
    for (const { path } of uses[at] ?? []) counts.set(path, (counts.get(path) ?? 0) + 1)
    users.set(name, counts)
  }
  return users
})

const rareWords = (
  query: ReadonlyMap<string, number>,
  { files, paths, postings }: WordIndex
): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const most = Math.max(8, files.length >> 5)
  const rare = new Map<string, Map<string, number>>()
  for (const [word, weight] of query) {
    const having = postings.get(word)?.files ?? []
    if (having.length > most && weight < enclosingWeight) continue
    for (const file of having) {
      const path = paths[file]!
      const own = rare.get(path) ?? new Map<string, number>()
      rare.set(path, own.set(word, weight))
    }
  }
  return rare
}
