/** What a bot said on a pull request, and what `dd feedback` did about it. */
import type { Finding, ReviewRecord } from "../finding/Finding.ts"
import type { FixedFeedback } from "../fix/commitMessage.ts"

export interface BotComment {
  /** Names the comment on this pull request, without white space; for commits and findings. */
  readonly ref: string
  /** Only a thread, which is about lines, can be answered. */
  readonly kind: "thread" | "review" | "comment"
  /** Null unless it is a thread. */
  readonly path: string | null
  /** Lines of the head side; 0: none, or lines that are not there any more. */
  readonly line: number
  readonly endLine: number
  /** As the bot wrote it. */
  readonly body: string
  /** What others wrote below it: context. */
  readonly replies: ReadonlyArray<string>
  /** A commit of the pull request that says that it has the fix; null if there is none. */
  readonly fixedIn: string | null
  /** Was it answered at this head, or as fixed and nobody wrote after that? Then it is left alone. */
  readonly isAnswered: boolean
}

/** The answer to a thread: `fixed` closes it. */
export type AnswerKind = "fixed" | "open"

export interface Feedback {
  readonly pullRequest: number
  /** `owner/name`; null if the pull request is in files. */
  readonly repo: string | null
  readonly bot: string
  /** The head of the pull request when the run began. */
  readonly headSha: string
  /** Null if the forge does not say. */
  readonly headBranch: string | null
  /** Does the user want fixes pushed and threads answered? */
  readonly pushes: boolean
  readonly comments: ReadonlyArray<BotComment>
  /** Refs of comments that nothing was read from, because that needs a model. */
  readonly unread: ReadonlyArray<string>
  /** The commit of the fixes, if it is on the forge. */
  readonly pushed: string | null
  /** What was answered in this run, by ref. */
  readonly answers: Readonly<Record<string, AnswerKind>>
  /** The exit code of the steps so far. */
  readonly code: number
}

/** The trailer of a commit, with the refs of the comments that it fixes. */
export const fixesTrailer = "Daydream-Feedback"

/** Refs by the commits whose messages name them; the newest commit counts. */
export const fixedRefs = (
  commits: ReadonlyArray<{ readonly sha: string; readonly body: string }>
): ReadonlyMap<string, string> =>
  new Map(
    commits.flatMap(({ body, sha }) =>
      body
        .split("\n")
        .filter((line) => line.startsWith(`${fixesTrailer}: `))
        .flatMap((line) => line.slice(fixesTrailer.length + 2).split(/\s+/))
        .map((ref) => [ref, sha] as const)
    )
  )

/** A finding says in its evidence which comment it is from. */
export const evidenceOf = (ref: string): string => `comment ${ref}`
export const refOf = ({ evidence }: Pick<Finding | ReviewRecord, "evidence">): string | null =>
  /^comment (\S+)$/.exec(evidence)?.[1] ?? null

/** For the message of the commit that fixes these findings. */
export const fixedFeedback = ({ pullRequest }: Feedback, findings: ReadonlyArray<Finding>): FixedFeedback => ({
  pullRequest,
  trailer: `${fixesTrailer}: ${[...new Set(findings.flatMap((finding) => refOf(finding) ?? []))].join(" ")}`
})

/** Comments that are neither answered nor fixed. */
export const openComments = ({ comments }: Feedback): ReadonlyArray<BotComment> =>
  comments.filter(({ fixedIn, isAnswered }) => !isAnswered && fixedIn === null)
