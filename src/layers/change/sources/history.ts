/** The history before a change, from git and from what earlier runs read of it. */
import { Effect, Result } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import {
  historyFrom,
  historyLimits,
  noPastCommits,
  type PastCommit,
  type PastCommits,
  type TouchedFile
} from "../../../domain/change/PastCommit.ts"
import { type PastEdit, pastEdits } from "../../../domain/change/PastEdit.ts"
import { parseDiff } from "../../../domain/change/parseDiff.ts"
import { BlobFacts, type FactKey } from "../../../services/change/BlobFacts.ts"
import type { Git } from "../../../services/change/Git.ts"
import { commitsIn } from "../../../services/change/gitHistory.ts"
import type { History } from "../../../services/change/History.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import { counting } from "../../../services/change/progress/FileCounts.ts"

/** With more stored commits, those that are not before this change are dropped. */
const mostStored = 3 * historyLimits.commits
/** The number of base sides whose histories are stored. */
const tipsStored = 4
/** Of a commit with more files, only renames are kept beyond this number. */
const filesKept = 200

export const makeHistory = Effect.fnUntraced(function* (git: Git["Service"], repository: Repository, change: Change) {
  const facts = yield* BlobFacts
  const before =
    change.base._tag === "Commit"
      ? commitsBefore(git, facts, repository, change.base.sha)
      : Effect.succeed(noPastCommits)
  const history: History = { commits: yield* Effect.cached(before), edits: makeEdits(git, facts, repository) }
  return history
})

/** A commit of more lines is stored as empty: it adds code rather than fixing it. */
const linesKept = 1000

const makeEdits = (git: Git["Service"], facts: BlobFacts["Service"], repository: Repository): History["edits"] => {
  const known = new Map<string, ReadonlyArray<PastEdit>>()
  return Effect.fn("History.edits")(function* (shas) {
    const wanted = shas.filter((sha) => !known.has(sha))
    const stored = yield* facts.get("history", wanted.map(keyOf))
    const unknown: Array<string> = []
    for (const [at, sha] of wanted.entries()) {
      const edits = unpackedEdits(stored[at])
      if (edits === null) unknown.push(sha)
      else known.set(sha, edits)
    }
    const patches =
      unknown.length === 0
        ? new Map<string, Uint8Array>()
        : yield* counting("history", (count) =>
            git.patches(repository, unknown, (chunk) => count(commitsIn(chunk)))
          ).pipe(Effect.catch(() => Effect.succeed(new Map<string, Uint8Array>())))
    for (const [sha, patch] of patches) {
      const edits = Result.getOrElse(Result.map(parseDiff(patch), pastEdits), () => [])
      const lines = edits.reduce((sum, { added, deleted }) => sum + added.length + deleted.length, 0)
      const kept = lines > linesKept ? [] : edits
      known.set(sha, kept)
      yield* facts.put("history", keyOf(sha), packEdits(kept))
    }
    return shas.map((sha) => known.get(sha) ?? null)
  })
}

const keyOf = (blob: string): FactKey => ({ grammar: null, blob })

type PackedEdits = ReadonlyArray<readonly [path: string, added: ReadonlyArray<number>, deleted: ReadonlyArray<number>]>

const packEdits = (edits: ReadonlyArray<PastEdit>): PackedEdits =>
  edits.flatMap(({ added, deleted, path }) =>
    added.length + deleted.length === 0 ? [] : [[path, added, deleted] as const]
  )

/** Null if nothing is stored, or if it is damaged. */
const unpackedEdits = (packed: unknown): ReadonlyArray<PastEdit> | null =>
  isPackedEdits(packed) ? packed.map(([path, added, deleted]) => ({ path, added, deleted })) : null

const isPackedEdits = (packed: unknown): packed is PackedEdits =>
  Array.isArray(packed) &&
  packed.every(
    (entry) =>
      Array.isArray(entry) && typeof entry[0] === "string" && Array.isArray(entry[1]) && Array.isArray(entry[2])
  )

/** All commits are one value: reading thousands of values takes longer. */
const key: FactKey = { grammar: null, blob: "commits" }

const commitsBefore = Effect.fn("History.commits")(
  function* (git: Git["Service"], facts: BlobFacts["Service"], repository: Repository, base: string) {
    const [stored] = yield* facts.get("history", [key])
    const { commits: known, tips } = unpackedOrNothing(stored)
    // The oldest commit of a shallow clone looks as if it had added every file.
    const isCutOff = ({ parents }: PastCommit) => repository.shallow && parents.length === 0
    const read = Effect.fnUntraced(function* (not: ReadonlyArray<string>) {
      const asked = {
        from: base,
        not,
        // Their dates decide whether older commits are needed.
        edge: true,
        path: null,
        skip: 0,
        limit: historyLimits.commits
      }
      // A partial clone lacks the texts of earlier commits.
      const found = yield* counting("history", (count) => {
        const watched = { ...asked, onOutput: (chunk: Uint8Array) => count(commitsIn(chunk)) }
        return Effect.catchTag(git.history(repository, watched), "ObjectMissing", () =>
          git.history(repository, { ...watched, renames: "same" })
        )
      })
      for (const commit of found) known.set(commit.sha, isCutOff(commit) ? { ...commit, files: [] } : bounded(commit))
      return historyFrom(known, base)
    })
    let history = historyFrom(known, base)
    if (!history.isComplete) {
      // A stored tip may be gone from the repository.
      if (tips.length > 0) history = yield* Effect.catch(read(tips), () => Effect.succeed(history))
      if (!history.isComplete) history = yield* read([])
      const packed =
        known.size > mostStored
          ? packHistory(history.commits, [base])
          : packHistory(known.values(), [base, ...tips].slice(0, tipsStored))
      // Fetching more commits gives the oldest one its parents.
      if (!repository.shallow) yield* facts.put("history", key, packed)
    }
    const omitted = repository.shallow ? ["commits that this shallow clone does not have"] : []
    const answer: PastCommits = { commits: history.commits, omitted }
    return answer
  },
  Effect.catch((error) =>
    Effect.succeed<PastCommits>({ commits: [], omitted: [`the history of the repository: ${error.message}`] })
  )
)

const bounded = (commit: PastCommit): PastCommit =>
  commit.files.length <= filesKept
    ? commit
    : { ...commit, files: commit.files.filter(({ oldPath }, at) => oldPath !== null || at < filesKept) }

type PackedCommit = readonly [
  sha: number,
  parents: ReadonlyArray<number>,
  author: number,
  date: number,
  time: number,
  subject: string,
  files: ReadonlyArray<string | number>
]

/** Every name is written once, because most occur often. */
interface PackedHistory {
  readonly tips: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly commits: ReadonlyArray<PackedCommit>
}

const packHistory = (commits: Iterable<PastCommit>, tips: ReadonlyArray<string>): PackedHistory => {
  const numbers = new Map<string, number>()
  const numberOf = (name: string): number => {
    const known = numbers.get(name) ?? numbers.size
    numbers.set(name, known)
    return known
  }
  const packed = [...commits].map(
    ({ author, date, files, parents, sha, subject, time }): PackedCommit => [
      numberOf(sha),
      parents.map(numberOf),
      numberOf(author),
      numberOf(date),
      time,
      subject,
      files.flatMap(({ oldPath, path, status }) => [
        status,
        numberOf(path),
        ...(oldPath === null ? [] : [numberOf(oldPath)])
      ])
    ]
  )
  return { tips, names: [...numbers.keys()], commits: packed }
}

const unpackHistory = (packed: unknown): ReturnType<typeof unpackedOrNothing> => {
  const { commits, names, tips } = packed as PackedHistory
  const nameAt = (at: string | number | undefined): string => {
    const name = typeof at === "number" ? names[at] : undefined
    if (name === undefined) throw new TypeError("not a packed history")
    return name
  }
  const known = new Map<string, PastCommit>()
  for (const [shaAt, parents, author, date, time, subject, entries] of commits) {
    const sha = nameAt(shaAt)
    const files: Array<TouchedFile> = []
    for (let at = 0; at < entries.length; ) {
      const status = String(entries[at])
      const isMoved = typeof entries[at + 2] === "number"
      const path = nameAt(entries[at + 1])
      files.push({ status, path, oldPath: isMoved ? nameAt(entries[at + 2]) : null })
      at += isMoved ? 3 : 2
    }
    known.set(sha, {
      sha,
      parents: parents.map(nameAt),
      author: nameAt(author),
      date: nameAt(date),
      time,
      subject,
      files
    })
  }
  return { commits: known, tips: [...tips] }
}

/** A damaged cache must not fail a review. */
const unpackedOrNothing = (
  packed: unknown
): { readonly commits: Map<string, PastCommit>; readonly tips: ReadonlyArray<string> } =>
  Result.getOrElse(
    Result.try(() => unpackHistory(packed)),
    () => ({ commits: new Map(), tips: [] })
  )
