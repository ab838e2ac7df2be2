/** What `dd feedback` did, as reports in JSON have it. */
import { Schema } from "effect"
import type { Finding } from "../finding/Finding.ts"
import { type Feedback, refOf } from "./Feedback.ts"

const Status = Schema.Literals(["open", "not-read", "answered", "fixed"])
type Status = typeof Status.Type

export const FeedbackJson = Schema.Struct({
  repo: Schema.NullOr(Schema.String),
  pr_number: Schema.Int,
  bot: Schema.String,
  head_sha: Schema.String.annotate({ description: "The head of the pull request when the run began." }),
  pushed: Schema.NullOr(Schema.String).annotate({ description: "The commit of the fixes, if it was pushed." }),
  comments: Schema.Array(
    Schema.Struct({
      ref: Schema.String.annotate({ description: "Names the comment on its pull request." }),
      kind: Schema.Literals(["thread", "review", "comment"]),
      path: Schema.NullOr(Schema.String),
      line: Schema.Int.annotate({ description: "Of the head side; 0: none." }),
      status: Status.annotate({
        description: "Before the run; not-read: it needs a model; fixed: a commit of the pull request has its fix."
      }),
      findings: Schema.Array(Schema.Int).annotate({ description: "Ids of the findings that it became." }),
      answer: Schema.NullOr(Schema.Literals(["fixed", "open"])).annotate({ description: "Posted in this run." })
    })
  )
}).annotate({ identifier: "Feedback" })

export type FeedbackJson = typeof FeedbackJson.Type

export const feedbackJsonOf = (feedback: Feedback | null, findings: ReadonlyArray<Finding>): FeedbackJson | null =>
  feedback === null
    ? null
    : {
        repo: feedback.repo,
        pr_number: feedback.pullRequest,
        bot: feedback.bot,
        head_sha: feedback.headSha,
        pushed: feedback.pushed,
        // Not their texts: the findings have them.
        comments: feedback.comments.map((comment) => ({
          ref: comment.ref,
          kind: comment.kind,
          path: comment.path,
          line: comment.line,
          status: statusOf(comment, feedback.unread),
          findings: findings.flatMap((finding) => (refOf(finding) === comment.ref ? [finding.id] : [])),
          answer: feedback.answers[comment.ref] ?? null
        }))
      }

const statusOf = (
  { fixedIn, isAnswered, ref }: Feedback["comments"][number],
  unread: ReadonlyArray<string>
): Status => {
  if (fixedIn !== null) return "fixed"
  if (isAnswered) return "answered"
  return unread.includes(ref) ? "not-read" : "open"
}
