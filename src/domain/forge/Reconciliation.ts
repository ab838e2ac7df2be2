/**
 * What to do on a pull request so that its comments agree with the findings of its head commit.
 *
 * Pure. Done twice, the second time does nothing. Only threads that dd's own account began count. A thread that
 * somebody resolved stays as it is, and its finding is not posted again.
 */
import type { DiffFile } from "../change/Diff.ts"
import type { FoundFinding } from "../review/FindingsArtifact.ts"
import { anchorOf, type Placed } from "./Anchor.ts"
import { commentText } from "./commentText.ts"
import { markerIn, withoutMarker } from "./Marker.ts"
import type { Discussion, Thread } from "./PullRequest.ts"

export interface Moved {
  readonly thread: Thread
  readonly placed: Placed
}

export interface Reconciliation {
  /** New comments on lines. */
  readonly comments: ReadonlyArray<Placed>
  /** In the summary. */
  readonly listed: ReadonlyArray<Placed>
  /** They have a thread. */
  readonly left: ReadonlyArray<Placed>
  /** Their code changed or moved to another file: their thread gets the new place. */
  readonly moved: ReadonlyArray<Moved>
  /** Threads of findings that are gone. */
  readonly fixed: ReadonlyArray<Thread>
  /** Open threads of findings that are not there, and that may not be fixed. */
  readonly unsure: ReadonlyArray<Thread>
}

export interface Facts {
  readonly findings: ReadonlyArray<FoundFinding>
  /** The fingerprints of those in the baseline, which are not posted. */
  readonly known: ReadonlyArray<string>
  readonly suppressed: ReadonlyArray<Pick<FoundFinding, "fingerprint" | "path" | "rule">>
  /** False: an absent finding may not be fixed. */
  readonly isComplete: boolean
  /** The reviewed paths; null: all. */
  readonly reviewed: ReadonlySet<string> | null
  /** The diff of the pull request. */
  readonly files: ReadonlyArray<DiffFile>
  readonly discussion: Discussion
}

/** A review of more comments is noise, and forges refuse it. The others are in the summary, and come next time. */
export const mostComments = 50

export const placedIn = (finding: FoundFinding, files: ReadonlyMap<string, DiffFile>): Placed => {
  const file = finding.placement === "inline" ? files.get(finding.path) : undefined
  const { line } = finding
  return {
    finding,
    anchor: file === undefined || line === null ? null : anchorOf(file, line, finding.end_line ?? line)
  }
}

export const reconcile = (facts: Facts): Reconciliation => {
  const files = new Map(facts.files.map((file) => [file.path, file]))
  const renamed = new Map(facts.files.flatMap(({ oldPath, path }) => (oldPath === null ? [] : [[oldPath, path]])))
  const threads = facts.discussion.threads.flatMap((thread) => ownThread(thread) ?? [])
  // The newest thread counts.
  const byFingerprint = new Map(threads.map((own) => [own.fingerprint, own]))
  const left: Array<Placed> = []
  const open: Array<Placed> = []
  for (const finding of facts.findings) {
    const placed = placedIn(finding, files)
    const own = byFingerprint.get(finding.fingerprint)
    // It is back after a fix.
    const isKnown = own !== undefined && !own.isFixed
    ;(isKnown ? left : open).push(placed)
  }
  const present = new Set(facts.findings.map(({ fingerprint }) => fingerprint))
  const absent = threads.filter((own) => !present.has(own.fingerprint) && !own.isFixed && !own.thread.isResolved)
  const keyOfThread = ({ rule, thread }: OwnThread) => `${rule} ${renamed.get(thread.path) ?? thread.path}`
  const edited = uniquePairs(absent.filter(isTraceable(renamed)), keyOfThread, open.filter(hasOwnRule), keyOfFinding)
  const isEdited = new Set<unknown>(edited.flat())
  // A file that the pull request adds and renames is not renamed in its diff.
  const leftBehind = absent.filter((own) => !isEdited.has(own) && !files.has(own.thread.path))
  const others = open.filter((placed) => !isEdited.has(placed))
  const moved = [...edited, ...pairsInOrder(leftBehind, wordsOfThread, others, wordsOf)]
  const isMoved = new Set<unknown>(moved.flat())
  const rest = open.filter((placed) => !isMoved.has(placed))
  // The comment that suppresses a finding may be on its line, and change its fingerprint.
  const suppressed = facts.suppressed.flatMap((each) => [each.fingerprint, `${each.rule} ${each.path}`])
  const hidden = new Set([...facts.known, ...suppressed])
  const isFixed = (own: OwnThread) =>
    !hidden.has(own.fingerprint) && !hidden.has(keyOfThread(own)) && isGone(own, facts, files)
  const gone = absent.filter((own) => !isMoved.has(own))
  const comments = rest.filter(({ anchor }) => anchor !== null).slice(0, mostComments)
  const posted = new Set(comments)
  return {
    comments,
    listed: rest.filter((placed) => !posted.has(placed)),
    left,
    moved: moved.map(([{ thread }, placed]) => ({ thread, placed })),
    fixed: gone.filter(isFixed).map(({ thread }) => thread),
    unsure: gone.filter((own) => !isFixed(own)).map(({ thread }) => thread)
  }
}

/** Nothing is left to review of a deleted file. */
export const isReviewed = ({ path, status }: DiffFile, reviewed: Facts["reviewed"]): boolean =>
  reviewed === null || reviewed.has(path) || status === "deleted"

export interface OwnThread {
  readonly thread: Thread
  /** Of its finding, after the last change of its code. */
  readonly fingerprint: string
  /** Of its finding, ever. */
  readonly fingerprints: ReadonlyArray<string>
  readonly rule: string
  readonly isFixed: boolean
}

/** Null if dd did not begin it. */
export const ownThread = (thread: Thread): OwnThread | null => {
  const [first, ...replies] = thread.comments
  const begun = first.isOwn ? markerIn(first.body) : null
  if (begun?.kind !== "finding") return null
  const markers = [begun, ...replies.flatMap(({ body, isOwn }) => (isOwn ? (markerIn(body) ?? []) : []))]
  const { fingerprint, kind } = markers.at(-1) ?? begun
  const fingerprints = markers.map((marker) => marker.fingerprint)
  return { thread, fingerprint, fingerprints, rule: begun.rule, isFixed: kind === "fixed" }
}

/** Models choose their own words, so their findings have no rule by which to find them again. */
const isOwnRule = (rule: string): boolean => rule !== "-" && !rule.startsWith("model/")

const hasOwnRule = ({ finding }: Placed): boolean => isOwnRule(finding.rule ?? "-")

const keyOfFinding = ({ finding }: Placed): string => `${finding.rule} ${finding.path}`

/** The comment without its marker: in another file, the same words are about the same code. */
const wordsOf = (placed: Placed): string => withoutMarker(commentText(placed))

const wordsOfThread = ({ thread }: OwnThread): string => withoutMarker(thread.comments[0].body)

/** Its lines changed, so that the fingerprint may have changed with them. */
const isTraceable =
  (renamed: ReadonlyMap<string, string>) =>
  ({ rule, thread }: OwnThread): boolean =>
    isOwnRule(rule) && (thread.isOutdated || (renamed.get(thread.path) ?? thread.path) !== thread.path)

/** Pairs with equal keys that nothing else has. */
const uniquePairs = <A, B>(
  some: ReadonlyArray<A>,
  keyOfA: (a: A) => string,
  others: ReadonlyArray<B>,
  keyOfB: (b: B) => string
): ReadonlyArray<readonly [A, B]> => {
  const counterparts = Map.groupBy(others, keyOfB)
  return [...Map.groupBy(some, keyOfA)].flatMap(([key, [a, ...more]]) => {
    const [b, ...rest] = counterparts.get(key) ?? []
    return a === undefined || b === undefined || more.length > 0 || rest.length > 0 ? [] : [[a, b] as const]
  })
}

/** Pairs with equal keys, the first with the first. */
const pairsInOrder = <A, B>(
  some: ReadonlyArray<A>,
  keyOfA: (a: A) => string,
  others: ReadonlyArray<B>,
  keyOfB: (b: B) => string
): ReadonlyArray<readonly [A, B]> => {
  const counterparts = Map.groupBy(others, keyOfB)
  return some.flatMap((a) => {
    const b = counterparts.get(keyOfA(a))?.shift()
    return b === undefined ? [] : [[a, b] as const]
  })
}

/**
 * Is an absent finding fixed? Not if its file was not reviewed, and not if a model did not repeat itself about lines that
 * are the same.
 */
const isGone = (
  { rule, thread }: OwnThread,
  { isComplete, reviewed }: Facts,
  files: ReadonlyMap<string, DiffFile>
): boolean => {
  const file = files.get(thread.path)
  return isComplete && (file === undefined || isReviewed(file, reviewed)) && (isOwnRule(rule) || thread.isOutdated)
}
