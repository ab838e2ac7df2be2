/**
 * Task 7: files that are edited together.
 *
 * In one session, a pair counts once in each turn in which both files were edited; in a turn that edits many files, and
 * across turns, only if the edits are at most eight steps apart. Over sessions and commits, a pair is related if it was
 * edited together often enough, and in at least half of the times that either was edited.
 */
import { compareText } from "../../text/compareText.ts"
import type { SessionProfile } from "../SessionProfile.ts"
import type { SessionStep } from "../SessionView.ts"

const nearSteps = 8
/** A turn, or a commit, that edits more files says nothing of which belong together. */
const mostFiles = 25
const mostPairs = 100

export type EditedTogether = Pick<SessionProfile, "pairs" | "edits">

/** `steps`: in order. Counts in parts, so that the caller can stop or yield between two of them. */
export function* pairsOfSession(steps: ReadonlyArray<SessionStep>): Generator<void, EditedTogether> {
  const edits = new Map<string, Turns>()
  const together = new Map<string, Turns>()
  /** The edits of the last steps, oldest first. */
  let near: Array<{ readonly file: string; readonly step: number }> = []
  let ofTurn = new Set<string>()
  let current = steps[0]?.turn ?? 0
  const join = (a: string, b: string, turn: number) => {
    if (a !== b) countTurn(together, pairKey(a, b), turn)
  }
  const endTurn = () => {
    const all = ofTurn.size > mostFiles ? [] : [...ofTurn]
    all.forEach((a, index) => {
      for (let other = index + 1; other < all.length; other++) join(a, all[other]!, current)
    })
    ofTurn = new Set()
  }
  let at = 0
  for (const { action, files, result, step, turn } of steps) {
    if (at++ % stepsOfPart === 0) yield
    if (turn !== current) endTurn()
    current = turn
    if (action !== "edit" || result !== "ok" || files.length > mostFiles) continue
    near = near.filter((edit) => step - edit.step <= nearSteps)
    for (const file of files) {
      for (const edit of near) join(edit.file, file, turn)
      near.push({ file, step })
      countTurn(edits, file, turn)
      ofTurn.add(file)
    }
  }
  endTurn()
  const counted = [...together]
  // Most pairs are rare: they are not compared by name.
  const least = counted.map(([, { count }]) => count).sort((a, b) => b - a)[mostPairs - 1] ?? 0
  const pairs = counted
    .filter(([, { count }]) => count >= least)
    .map(([key, { count }]) => ({ files: filesOfPair(key), together: count }))
    .sort((a, b) => b.together - a.together || comparePairs(a.files, b.files))
    .slice(0, mostPairs)
  // A file that was edited alone counts against its pairs of other sessions.
  const named = new Set(pairs.flatMap(({ files }) => files))
  const counts = [...edits]
    .map(([file, { count }]) => [file, count] as const)
    .sort(([a, of], [b, than]) => Number(named.has(b)) - Number(named.has(a)) || than - of || compareText(a, b))
  return { pairs, edits: Object.fromEntries(counts.slice(0, Math.max(mostEdits, named.size))) }
}

/** Turns of the same steps come in order, so that the last one is enough to count each once. */
interface Turns {
  count: number
  last: number
}

const countTurn = (counts: Map<string, Turns>, key: string, turn: number): void => {
  const turns = counts.get(key)
  if (turns === undefined) counts.set(key, { count: 1, last: turn })
  else if (turns.last !== turn) {
    turns.count++
    turns.last = turn
  }
}

const mostEdits = 200

const stepsOfPart = 200

/** Two files that belong together, and what shows it. */
export interface RelatedFiles {
  readonly files: readonly [string, string]
  /** Turns in which both were edited, and the sessions of these turns. */
  readonly turns: number
  readonly sessions: number
  /** Commits that changed both. */
  readonly commits: number
  /** From 0 to 1: of the turns, or the commits, that edited one of them, those that edited both. */
  readonly share: number
}

const leastTurns = 3
const leastSessions = 2
const leastCommits = 3
const leastShare = 0.5

/** The strongest first. `commits`: files of each. */
export const relatedFiles = (
  sessions: ReadonlyArray<EditedTogether>,
  commits: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<RelatedFiles> => {
  const inTurns = turnsTogether(sessions)
  const inCommits = commitsTogether(commits)
  const keys = new Set([...inTurns.keys(), ...inCommits.keys()])
  const related = [...keys].flatMap((key) => {
    const turns = inTurns.get(key) ?? nothing
    const changed = inCommits.get(key) ?? nothing
    const byTurns = turns.together >= leastTurns && turns.sessions >= leastSessions && turns.share >= leastShare
    const byCommits = changed.together >= leastCommits && changed.share >= leastShare
    if (!byTurns && !byCommits) return []
    const edge: RelatedFiles = {
      files: filesOfPair(key),
      turns: turns.together,
      sessions: turns.sessions,
      commits: changed.together,
      share: Math.max(byTurns ? turns.share : 0, byCommits ? changed.share : 0)
    }
    return [edge]
  })
  return related
    .sort((a, b) => b.share - a.share || b.turns + b.commits - (a.turns + a.commits) || comparePairs(a.files, b.files))
    .slice(0, mostPairs)
}

interface Together {
  readonly together: number
  readonly sessions: number
  readonly share: number
}

const nothing: Together = { together: 0, sessions: 0, share: 0 }

const turnsTogether = (sessions: ReadonlyArray<EditedTogether>): ReadonlyMap<string, Together> => {
  const pairs = new Map<string, { together: number; sessions: number; readonly files: readonly [string, string] }>()
  for (const { pairs: own } of sessions) {
    for (const { files, together } of own) {
      const pair = pairs.get(pairKey(...files)) ?? { together: 0, sessions: 0, files }
      pairs.set(pairKey(...files), pair)
      pair.together += together
      pair.sessions++
    }
  }
  const edits = new Map<string, number>()
  for (const session of sessions) {
    for (const [file, turns] of Object.entries(session.edits)) edits.set(file, (edits.get(file) ?? 0) + turns)
  }
  const editsOf = (file: string) => edits.get(file) ?? 0
  return new Map(
    [...pairs].map(([key, { files, sessions: own, together }]) => [
      key,
      { together, sessions: own, share: shareOf(together, editsOf(files[0]), editsOf(files[1])) }
    ])
  )
}

const commitsTogether = (commits: ReadonlyArray<ReadonlyArray<string>>): ReadonlyMap<string, Together> => {
  const counts = new Map<string, number>()
  const pairs = new Map<string, number>()
  for (const files of commits) {
    const own = [...new Set(files)]
    if (own.length > mostFiles) continue
    own.forEach((a, index) => {
      counts.set(a, (counts.get(a) ?? 0) + 1)
      for (const b of own.slice(index + 1)) {
        const key = pairKey(a, b)
        pairs.set(key, (pairs.get(key) ?? 0) + 1)
      }
    })
  }
  return new Map(
    [...pairs].map(([key, together]) => {
      const [a, b] = filesOfPair(key)
      return [key, { together, sessions: 0, share: shareOf(together, counts.get(a) ?? 0, counts.get(b) ?? 0) }]
    })
  )
}

/** Turns across which a pair was edited are turns of one of its files only. */
const shareOf = (together: number, a: number, b: number): number => together / Math.max(together, a + b - together)

/** No path has a line break; a path that has one is not tracked under this name by dd. */
const pairKey = (a: string, b: string): string => (compareText(a, b) < 0 ? `${a}\n${b}` : `${b}\n${a}`)

const filesOfPair = (key: string): readonly [string, string] => {
  const at = key.indexOf("\n")
  return [key.slice(0, at), key.slice(at + 1)]
}

const comparePairs = (a: readonly [string, string], b: readonly [string, string]): number =>
  compareText(a[0], b[0]) || compareText(a[1], b[1])
