/**
 * What became of dd's comments on a pull request, as labels of the reviews that wrote them.
 *
 * Pure. dd's comments are those with its marker by the account of the token or by a bot, because the account that posts
 * in continuous integration is not that of the person who labels. A person who copies a marker does not count.
 */

import { isSummary, markerIn } from "../forge/Marker.ts"
import type { Comment, Discussion, PullRequest, Thread } from "../forge/PullRequest.ts"
import { ownThread } from "../forge/Reconciliation.ts"
import { compareText } from "../text/compareText.ts"
import type { Outcome } from "./LabelObservation.ts"

/** The end of a thread. `answered`: by somebody else, and not resolved. */
const ends = ["fixed", "resolved", "answered", "open"] as const
export type ThreadEnd = (typeof ends)[number]

export interface PullRequestEvidence {
  readonly pullRequest: PullRequest
  readonly outcome: Outcome
  /** By fingerprint: every one that the finding of the thread has had. */
  readonly findings: ReadonlyMap<string, ThreadEnd>
  /** How many threads ended so. */
  readonly threads: Readonly<Record<ThreadEnd, number>>
  /** Logins, in order: who reviewed or replied, without bots and dd's accounts. */
  readonly reviewers: ReadonlyArray<string>
  /** That dd reviewed; empty if it wrote nothing. */
  readonly commits: ReadonlyArray<string>
}

export const evidenceOf = (pullRequest: PullRequest, { reviews, threads }: Discussion): PullRequestEvidence => {
  const written = [...reviews, ...threads.map(({ comments: [first] }) => first)]
  const accounts = new Set(written.flatMap((each) => (isByDd(each) ? [each.author] : [])))
  const isOurs = ({ author }: Comment) => accounts.has(author)
  const own = threads.flatMap(
    ({ comments: [first, ...replies], ...thread }) =>
      ownThread({ ...thread, comments: [asOwn(isOurs)(first), ...replies.map(asOwn(isOurs))] }) ?? []
  )
  const ended = own.map((each) => ({ ...each, end: endOf(each) }))
  const people = [...reviews, ...threads.flatMap(({ comments: [, ...replies] }) => replies)].flatMap((each) =>
    each.author === null || isOurs(each) || isBot(each.author) ? [] : [each.author]
  )
  const commits = reviews.flatMap((review) => (isOurs(review) && review.commit !== null ? [review.commit] : []))
  const counted = ends.map((end) => [end, ended.filter((each) => each.end === end).length] as const)
  const count = Object.fromEntries(counted) as Record<ThreadEnd, number>
  return {
    pullRequest,
    outcome: outcomeOfPullRequest(pullRequest.state, count, accounts.size > 0),
    // The newest thread of a finding counts.
    findings: new Map(ended.flatMap(({ end, fingerprints }) => fingerprints.map((each) => [each, end]))),
    threads: count,
    reviewers: [...new Set(people)].sort(compareText),
    commits: accounts.size === 0 ? [] : [...new Set([...commits, pullRequest.headSha])]
  }
}

/** A merge without any thread of dd, and a pull request on which dd wrote nothing, are no verdict on its review. */
const outcomeOfPullRequest = (
  state: PullRequest["state"],
  { answered, fixed, open, resolved }: Readonly<Record<ThreadEnd, number>>,
  hasWritten: boolean
): Outcome => {
  if (state === "open") return "unknown"
  if (state === "closed") return hasWritten ? "rejected" : "unknown"
  if (answered + open > 0) return "contested"
  return fixed + resolved > 0 ? "accepted" : "unknown"
}

/** A fix is a verdict on its finding also if nothing was merged. */
export const verdictOf = (end: ThreadEnd, state: PullRequest["state"]): Outcome => {
  if (state === "open") return "unknown"
  if (end === "fixed") return "accepted"
  if (state === "closed") return "rejected"
  return end === "resolved" ? "accepted" : "contested"
}

const isBot = (login: string): boolean => login.endsWith("[bot]")

const isByDd = ({ author, body, isOwn }: Comment): boolean =>
  author !== null && (isOwn || isBot(author)) && (isSummary(body) || markerIn(body) !== null)

const asOwn =
  (isOurs: (comment: Comment) => boolean) =>
  (comment: Comment): Comment => ({ ...comment, isOwn: isOurs(comment) })

/** A thread that was answered as fixed and is open again is not fixed. */
const endOf = ({ isFixed, thread }: { readonly isFixed: boolean; readonly thread: Thread }): ThreadEnd => {
  if (thread.isResolved) return isFixed ? "fixed" : "resolved"
  return thread.comments.some(({ isOwn }) => !isOwn) ? "answered" : "open"
}
