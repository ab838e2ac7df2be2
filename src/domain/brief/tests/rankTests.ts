/**
 * The test files that a change concerns, by what each has to do with the changed files.
 *
 * A score adds up the evidence: a test is named after a changed file, mentions what changed, changed together with it
 * before, or is near. The weights are measured on held-out commits (scripts/bench/brief-tests.ts).
 */
import { nameOf } from "../../code/Repository.ts"
import { compareText } from "../../text/compareText.ts"

export interface ChangedCode {
  readonly path: string
  /** Added and deleted lines. */
  readonly lines: number
}

/** A word that a test of the change may have. */
export interface TellingWord {
  readonly word: string
  /**
   * `definition`: the name of a changed definition; `container`: of a definition around changed ones; `file`: the word by
   * which the file is imported; `line`: another word of a changed line.
   */
  readonly kind: "definition" | "container" | "file" | "line"
}

export interface Evidence {
  readonly changed: ReadonlyArray<ChangedCode>
  readonly words: ReadonlyArray<TellingWord>
  readonly tests: ReadonlyArray<string>
  /** All files of the repository. */
  readonly paths: ReadonlyArray<string>
  /** How often each test has each of the words. */
  readonly mentions: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The files of earlier commits, newest first. */
  readonly history: ReadonlyArray<ReadonlyArray<string>>
}

/** What is known about one test; each number but the score is from 0 to 1. */
export interface RankedTest {
  readonly file: string
  readonly score: number
  /** The changed file that it is named after: its name has all words of the file's, and no such test is in nearer folders. */
  readonly named: string | null
  /** The changed file that it changed together with most often, and more than once. */
  readonly together: string | null
}

const weights = {
  similar: 1,
  definition: 0.5,
  container: 0.4,
  file: 0.2,
  line: 0.8,
  told: 0.3,
  together: 1,
  folder: 0.3,
  near: 0.1
} as const

/** The best first; without those for which there is no evidence. */
export const rankTests = (evidence: Evidence): ReadonlyArray<RankedTest> => {
  const names = nameEvidence(evidence)
  const words = wordEvidence(evidence)
  const past = pastEvidence(evidence)
  return evidence.tests
    .map((file): RankedTest => {
      const { named, score } = names(file)
      const { likelihood, together } = past(file)
      return { file, named, together, score: score + words(file) + weights.together * likelihood }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || compareText(a.file, b.file))
}

/** The fewest tests to name, if there are as many, and the most. */
const fewest = 3
const mostNamed = 8
/** Of the best score. */
const leastShare = 0.35

/**
 * Those to run: up to `mostNamed`, and after the first ones only those that are not much weaker than the best. `edited`:
 * the number of tests that the change edits, besides which no weak one is named.
 */
export const bestTests = (ranked: ReadonlyArray<RankedTest>, edited: number): ReadonlyArray<RankedTest> =>
  ranked.slice(0, mostNamed).filter(({ score }, at) => at < fewest - edited || score >= leastShare * ranked[0]!.score)

/** `HTTPServer_test` is `http server test`. */
const wordsIn = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !common.has(word))

/** Words of paths that do not tell one file from another. */
const common = new Set(
  "test tests spec it src lib main java kotlin go py ts js tsx jsx rs kt unit integration d index init mod jvm common packages org com".split(
    " "
  )
)

const stemOf = (path: string): string => nameOf(path).replace(/\.[^.]*$/, "")
const foldersOf = (path: string): ReadonlyArray<string> => path.split("/").slice(0, -1)

/** The logarithm of how rare it is to have something that `having` of `all` tests have. */
const rarity = (all: number, having: number): number => Math.log((all + 1) / (having + 0.5))

interface TestName {
  readonly stem: ReadonlySet<string>
  readonly folders: ReadonlyArray<string>
  readonly all: ReadonlySet<string>
}

/** Files of one name that are compared. */
const mostRivals = 100

const nameEvidence = ({ changed, paths, tests, words }: Evidence) => {
  const changedNames = new Set(changed.map(({ path }) => nameOf(path)))
  const sameNames = Map.groupBy(
    paths.filter((path) => changedNames.has(nameOf(path))),
    nameOf
  )
  const parts = new Map<string, TestName>()
  const having = new Map<string, number>()
  for (const test of tests) {
    const stem = new Set(wordsIn(stemOf(test)))
    const folders = foldersOf(test)
    const all = new Set([...stem, ...folders.flatMap(wordsIn)])
    for (const word of all) having.set(word, (having.get(word) ?? 0) + 1)
    parts.set(test, { stem, folders, all })
  }
  const weightOf = (some: Iterable<string>): number => {
    let sum = 0
    for (const word of some) sum += rarity(tests.length, having.get(word) ?? 0)
    return sum
  }
  const kinds = Map.groupBy(words, ({ kind }) => kind)
  const told = (["definition", "line"] as const).map(
    (kind) => new Set((kinds.get(kind) ?? []).flatMap(({ word }) => wordsIn(word).flatMap(bothNumbers)))
  )
  const subjects = changed.map(({ path }) => {
    const folders = foldersOf(path)
    const own = wordsIn(stemOf(path))
    const stem = new Set(own.length > 0 ? own : wordsIn(folders.at(-1) ?? ""))
    const outside = new Set(folders)
    const namesakes = tests.filter((test) => stem.size > 0 && stem.isSubsetOf(parts.get(test)!.stem))
    const rivals = (sameNames.get(nameOf(path)) ?? []).filter((other) => other !== path).slice(0, mostRivals)
    const sharedBy = (file: string) => {
      const inside = new Set(foldersOf(file))
      return (test: string): number => inside.intersection(new Set(parts.get(test)!.folders)).size
    }
    const shared = sharedBy(path)
    const nearRivals = rivals.map(sharedBy)
    const most = Math.max(0, ...namesakes.map(shared))
    // A test in the folder of another file of this name is that file's.
    const isOfRival = (test: string): boolean => nearRivals.some((sharedByRival) => sharedByRival(test) > shared(test))
    const nearest = new Set(namesakes.filter((test) => shared(test) === most && !isOfRival(test)))
    return { path, folders, outside, stem, nearest, around: new Set([...stem, ...folders.flatMap(wordsIn)]) }
  })
  return (test: string): { readonly score: number; readonly named: string | null } => {
    const { all, folders, stem } = parts.get(test)!
    const whole = weightOf(stem)
    const own = new Set(folders)
    let [similar, folder, near] = [0, 0, 0]
    let named: string | null = null
    for (const subject of subjects) {
      if (stem.size > 0 && subject.stem.size > 0) {
        const ofTest = weightOf(stem.intersection(subject.around)) / whole
        const ofSubject = weightOf(subject.stem.intersection(all)) / weightOf(subject.stem)
        similar = Math.max(similar, ofTest * ofSubject)
        if (named === null && subject.nearest.has(test)) named = subject.path
      }
      const { outside } = subject
      if (folders.join("/") === subject.folders.join("/")) folder = 1
      near = Math.max(near, own.intersection(outside).size / Math.max(1, outside.size))
    }
    const toldBy = whole === 0 ? 0 : told.reduce((sum, some) => sum + weightOf(stem.intersection(some)) / whole, 0)
    const score = weights.similar * similar + weights.told * toldBy + weights.folder * folder + weights.near * near
    return { score, named }
  }
}

const bothNumbers = (word: string): ReadonlyArray<string> => [word, word.endsWith("s") ? word.slice(0, -1) : `${word}s`]

const wordEvidence = ({ mentions, tests, words }: Evidence) => {
  const having = new Map<string, number>()
  for (const own of mentions.values()) for (const word of own.keys()) having.set(word, (having.get(word) ?? 0) + 1)
  const total = new Map<string, number>()
  for (const [kind, some] of Map.groupBy(words, (each) => each.kind)) {
    const wanted = new Set(some.map(({ word }) => word))
    const scores = new Map<string, number>()
    for (const [test, own] of mentions) {
      let score = 0
      for (const [word, count] of own) {
        if (wanted.has(word)) score += rarity(tests.length, having.get(word) ?? 0) * (1 + Math.log(count) / 2)
      }
      scores.set(test, score)
    }
    const most = Math.max(0, ...scores.values())
    if (most === 0) continue
    for (const [test, score] of scores) total.set(test, (total.get(test) ?? 0) + (weights[kind] * score) / most)
  }
  return (test: string): number => total.get(test) ?? 0
}

/** A commit that touches more files is no evidence for a pair. */
const largestCommit = 40
/** The age, in commits, at which a commit counts half. */
const halfLife = 400
/** One commit is no habit. */
const enough = 2

const pastEvidence = ({ changed, history, tests }: Evidence) => {
  const isTest = new Set(tests)
  const wanted = new Map(changed.map(({ path }, at) => [path, at]))
  const sums = changed.map(() => 0)
  const shared = new Map<string, Array<{ sum: number; commits: number }>>()
  for (const [age, listed] of history.entries()) {
    if (listed.length > largestCommit) continue
    const files = new Set(listed)
    const own = [...files].flatMap((path) => wanted.get(path) ?? [])
    if (own.length === 0) continue
    const weight = 0.5 ** (age / halfLife) / (1 + Math.log(Math.max(2, files.size)))
    for (const at of own) sums[at]! += weight
    for (const path of files) {
      if (!isTest.has(path)) continue
      const known = shared.get(path) ?? changed.map(() => ({ sum: 0, commits: 0 }))
      shared.set(path, known)
      for (const at of own) {
        known[at]!.sum += weight
        known[at]!.commits++
      }
    }
  }
  const roots = changed.map(({ lines }) => Math.sqrt(lines))
  const whole = roots.reduce((sum, each) => sum + each, 0) || 1
  const likelihoods = new Map(
    [...shared].map(([test, known]) => [
      test,
      known.reduce((sum, each, at) => sum + ((roots[at]! / whole) * each.sum) / (sums[at]! + 0.15), 0)
    ])
  )
  const most = Math.max(0, ...likelihoods.values()) || 1
  return (test: string): { readonly likelihood: number; readonly together: string | null } => {
    const known = shared.get(test) ?? []
    const commits = Math.max(0, ...known.map((each) => each.commits))
    const best = known.findIndex((each) => each.commits === commits)
    const likelihood = likelihoods.get(test) ?? 0
    return {
      likelihood: likelihood + likelihood / most,
      together: commits < enough ? null : (changed[best]?.path ?? null)
    }
  }
}
