/** The parts of GitHub's answers that dd reads, and what they mean here. */
import { Result, Schema } from "effect"
import { type DiffFile, type FileStatus, untouchedFile } from "../../domain/change/Diff.ts"
import { parseDiff } from "../../domain/change/parseDiff.ts"
import type { Comment, Discussion, PullRequest, Review, Thread } from "../../domain/forge/PullRequest.ts"

/** Null for a deleted account. */
const Account = Schema.NullOr(Schema.Struct({ login: Schema.String }))
const Text = Schema.NullOr(Schema.String)
const Side = Schema.Literals(["LEFT", "RIGHT"])

export const PullShape = Schema.Struct({
  number: Schema.Int,
  state: Schema.String,
  merged_at: Text,
  user: Account,
  head: Schema.Struct({ sha: Schema.String, ref: Schema.String }),
  base: Schema.Struct({ sha: Schema.String })
})

export const FileShapes = Schema.Array(
  Schema.Struct({
    filename: Schema.String,
    status: Schema.String,
    previous_filename: Schema.optionalKey(Schema.String),
    /** Absent for a binary or a large file. */
    patch: Schema.optionalKey(Schema.String)
  })
)

export const CommentShapes = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    node_id: Schema.String,
    user: Account,
    body: Text,
    path: Schema.String,
    line: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    start_line: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    side: Schema.optionalKey(Schema.NullOr(Side)),
    in_reply_to_id: Schema.optionalKey(Schema.NullOr(Schema.Int))
  })
)

export const ReviewShapes = Schema.Array(
  Schema.Struct({ id: Schema.Int, user: Account, body: Text, commit_id: Schema.optionalKey(Text) })
)

export const IssueCommentShapes = Schema.Array(
  Schema.Struct({ id: Schema.Int, user: Account, body: Schema.optionalKey(Text) })
)

/** The login of the token's account, and of threads what only GraphQL has. */
export const threadQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated resolvedBy { login } comments(first: 1) { nodes { databaseId isMinimized } } }
      }
    }
  }
}`

const ThreadShape = Schema.Struct({
  id: Schema.String,
  isResolved: Schema.Boolean,
  isOutdated: Schema.Boolean,
  resolvedBy: Account,
  comments: Schema.Struct({
    nodes: Schema.Array(Schema.Struct({ databaseId: Schema.Int, isMinimized: Schema.Boolean }))
  })
})
export type ThreadShape = typeof ThreadShape.Type

export const ThreadsShape = Schema.Struct({
  viewer: Schema.Struct({ login: Schema.String }),
  repository: Schema.Struct({
    pullRequest: Schema.Struct({
      reviewThreads: Schema.Struct({
        pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Text }),
        nodes: Schema.Array(ThreadShape)
      })
    })
  })
})

export const resolveQuery = `mutation($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { id } }
}`

export const minimizeQuery = `mutation($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`

export const pullRequestOf = ({ base, head, merged_at, number, state, user }: typeof PullShape.Type): PullRequest => ({
  number,
  state: merged_at !== null ? "merged" : state === "open" ? "open" : "closed",
  author: user?.login ?? null,
  baseSha: base.sha,
  headSha: head.sha,
  headBranch: head.ref,
  mergedAt: merged_at
})

const statuses: Readonly<Record<string, FileStatus>> = {
  added: "added",
  removed: "deleted",
  renamed: "renamed",
  copied: "copied"
}

export const diffFileOf = ({
  filename,
  patch,
  previous_filename = filename,
  status
}: (typeof FileShapes.Type)[number]): DiffFile => {
  const file = {
    ...untouchedFile(filename),
    status: statuses[status] ?? "modified",
    oldPath: status === "added" ? null : previous_filename
  }
  if (patch === undefined) return file
  const parsed = parseDiff(new TextEncoder().encode(`diff --git a/f b/f\n--- a/f\n+++ b/f\n${patch}\n`))
  return { ...file, hunks: Result.isSuccess(parsed) ? (parsed.success.files[0]?.hunks ?? []) : [] }
}

/** What GitHub needs to close a thread and to reply to it. */
export interface ThreadIds {
  /** Null if GraphQL does not list the thread. */
  readonly thread: string | null
  readonly commentNode: string
  readonly comment: number
}

const idText = ({ comment, commentNode, thread }: ThreadIds): string => [comment, commentNode, thread ?? ""].join(" ")

/** From `discussionOf`. */
export const idsOf = ({ id }: Thread): ThreadIds => {
  const [comment, commentNode = "", thread = ""] = id.split(" ")
  return { comment: Number(comment), commentNode, thread: thread === "" ? null : thread }
}

interface Listed {
  readonly login: string
  readonly threads: ReadonlyArray<ThreadShape>
  readonly comments: typeof CommentShapes.Type
  readonly reviews: typeof ReviewShapes.Type
  readonly issueComments: typeof IssueCommentShapes.Type
}

/** Replies are joined to the comments that they answer, and these to their threads. */
export const discussionOf = ({ comments, issueComments, login, reviews, threads }: Listed): Discussion => {
  const written = ({
    body = null,
    user
  }: {
    readonly body?: string | null
    readonly user: typeof Account.Type
  }): Comment => ({
    author: user?.login ?? null,
    isOwn: user?.login.toLowerCase() === login.toLowerCase(),
    body: body ?? ""
  })
  const replies = Map.groupBy(comments, (comment) => comment.in_reply_to_id ?? null)
  const byFirst = new Map(threads.flatMap((each) => each.comments.nodes.map(({ databaseId }) => [databaseId, each])))
  const threadOf = (first: (typeof comments)[number]): Thread => {
    const known = byFirst.get(first.id)
    const ids: ThreadIds = { thread: known?.id ?? null, commentNode: first.node_id, comment: first.id }
    return {
      id: idText(ids),
      path: first.path,
      line: first.line ?? null,
      startLine: first.start_line ?? null,
      side: first.side ?? "RIGHT",
      isOutdated: known?.isOutdated ?? (first.line ?? null) === null,
      isResolved: known !== undefined && (known.isResolved || known.comments.nodes.some((each) => each.isMinimized)),
      resolvedBy: known?.resolvedBy?.login ?? null,
      comments: [written(first), ...(replies.get(first.id) ?? []).map(written)]
    }
  }
  return {
    threads: (replies.get(null) ?? []).map(threadOf),
    reviews: reviews.map(
      (review): Review => ({ id: String(review.id), ...written(review), commit: review.commit_id ?? null })
    ),
    comments: issueComments.map((comment) => ({ id: String(comment.id), ...written(comment) }))
  }
}
