/** The comments of a bot that are still open on a pull request. */
import type { BotComment } from "../review/Feedback.ts"
import { answerIn } from "./Marker.ts"
import type { Comment, Discussion, Thread } from "./PullRequest.ts"

export interface FeedbackWanted {
  /** In any case. Without `[bot]` it is the app of this name, if it wrote anything, else the account. */
  readonly bot: string
  readonly headSha: string
  /** The commits of the pull request that name comments, by ref. */
  readonly fixedIn: ReadonlyMap<string, string>
}

/** Threads that the bot began and nobody resolved, then its reviews, then its general comments. */
export const feedbackOf = (discussion: Discussion, wanted: FeedbackWanted): ReadonlyArray<BotComment> => {
  // Anybody can have an account with the name of an app.
  const account = wanted.bot.toLowerCase()
  const app = `${account}[bot]`
  const written = [...discussion.threads.map(({ comments: [first] }) => first), ...discussion.reviews]
  const logins = new Set([...written, ...discussion.comments].map(({ author }) => author?.toLowerCase()))
  const name = logins.has(app) ? app : account
  const isOfBot = ({ author }: Comment) => author?.toLowerCase() === name
  const threads = discussion.threads
    .filter(({ comments: [first], isResolved }) => !isResolved && isOfBot(first))
    .map((thread) => threadComment(thread, wanted))
  const general = (kind: "review" | "comment", entries: Discussion["comments"]) =>
    entries
      .filter((entry) => isOfBot(entry) && entry.body.trim() !== "")
      .map(({ body, id }): BotComment => {
        const ref = `${kind}-${id}`
        const fixedIn = wanted.fixedIn.get(ref) ?? null
        return { ref, kind, path: null, line: 0, endLine: 0, body, replies: [], fixedIn, isAnswered: fixedIn !== null }
      })
  return [...threads, ...general("review", discussion.reviews), ...general("comment", discussion.comments)]
}

/** The first word of its id. */
export const threadRef = ({ id }: Thread): string => id.split(" ", 1)[0] ?? id

const threadComment = (thread: Thread, { fixedIn, headSha }: FeedbackWanted): BotComment => {
  const [first, ...replies] = thread.comments
  const ref = threadRef(thread)
  const { line, side, startLine } = thread
  const isThere = side === "RIGHT" && line !== null
  const answers = replies.map(({ body, isOwn }) => (isOwn ? answerIn(body) : null))
  const isFixed = answers.some((answer) => answer?.kind === "fixed")
  return {
    ref,
    kind: "thread",
    path: thread.path,
    line: isThere ? (startLine ?? line) : 0,
    endLine: isThere ? line : 0,
    body: first.body,
    replies: replies.flatMap(({ author, body, isOwn }) => (isOwn ? [] : [`${author ?? "somebody"}: ${body}`])),
    // Opened again after the answer: the fix was not enough.
    fixedIn: isFixed ? null : (fixedIn.get(ref) ?? null),
    isAnswered: answers.some((answer) => answer?.head === headSha) || answers.at(-1)?.kind === "fixed"
  }
}
