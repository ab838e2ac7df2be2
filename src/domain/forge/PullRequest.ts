/** A pull request and what was written on it, without the words of any one forge. */
import { Schema } from "effect"

export const PullRequest = Schema.Struct({
  number: Schema.Int,
  state: Schema.Literals(["open", "closed", "merged"]),
  /** Null if the account was deleted, as for every author here. */
  author: Schema.NullOr(Schema.String),
  baseSha: Schema.String,
  headSha: Schema.String,
  /** Absent if the forge does not say. */
  headBranch: Schema.optionalKey(Schema.String),
  /** In ISO 8601; null unless it is merged. */
  mergedAt: Schema.NullOr(Schema.String)
})
export type PullRequest = typeof PullRequest.Type

/** The base side or the head side of the diff. */
const DiffSide = Schema.Literals(["LEFT", "RIGHT"])
export type DiffSide = typeof DiffSide.Type

const Comment = Schema.Struct({
  author: Schema.NullOr(Schema.String),
  /** Written by the account that dd uses. */
  isOwn: Schema.Boolean,
  body: Schema.String
})
export type Comment = typeof Comment.Type

/** Comments on lines of the diff: the first one, and the replies in their order. */
export const Thread = Schema.Struct({
  /** The first word never changes and names the thread on its pull request; the rest is for the forge. */
  id: Schema.String,
  path: Schema.String,
  /** The last line today; null if the commented lines are not in the diff any more. */
  line: Schema.NullOr(Schema.Int),
  /** Of a thread on several lines, the first one today. */
  startLine: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  side: DiffSide,
  isOutdated: Schema.Boolean,
  /** Or hidden, which is all that some tokens may do. */
  isResolved: Schema.Boolean,
  resolvedBy: Schema.NullOr(Schema.String),
  comments: Schema.NonEmptyArray(Comment)
})
export type Thread = typeof Thread.Type

export const Review = Schema.Struct({
  id: Schema.String,
  ...Comment.fields,
  /** The commit that was reviewed. */
  commit: Schema.NullOr(Schema.String)
})
export type Review = typeof Review.Type

/** Each list from the oldest to the newest. */
export const Discussion = Schema.Struct({
  threads: Schema.Array(Thread),
  reviews: Schema.Array(Review),
  /** On the pull request as a whole. */
  comments: Schema.Array(Schema.Struct({ id: Schema.String, ...Comment.fields }))
})
export type Discussion = typeof Discussion.Type
