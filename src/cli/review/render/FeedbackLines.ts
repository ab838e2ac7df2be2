/** What `dd feedback` read, pushed and answered, as lines for people. */
import { type Feedback, refOf } from "../../../domain/review/Feedback.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { plural } from "../../../domain/text/plural.ts"
import { placeOf } from "./Explanation.ts"
import type { RenderContext } from "./RenderContext.ts"

/** Null in a review. */
export const feedbackLines = (
  { feedback, findings }: ReviewResult,
  context: Pick<RenderContext, "here">
): { readonly title: string; readonly lines: ReadonlyArray<string> } | null => {
  if (feedback === null) return null
  const ids = new Map(findings.map((finding) => [refOf(finding), finding.id]))
  const lines = feedback.comments.map((comment) => {
    const { kind, line, path, ref } = comment
    const place =
      path === null ? `${kind === "review" ? "Review" : "Comment"} ${ref}` : placeOf({ file: path, line }, context)
    return `${place}: ${stateOf(comment, feedback, ids.get(ref) ?? null)}`
  })
  return {
    title: `Comments of ${feedback.bot} (${feedback.comments.length})`,
    lines: [...lines, pushLine(feedback)]
  }
}

const stateOf = (
  { fixedIn, isAnswered, ref }: Feedback["comments"][number],
  { answers, unread }: Feedback,
  finding: number | null
): string => {
  const answer = answers[ref]
  const answered = answer === undefined ? "" : answer === "fixed" ? ", answered as fixed and resolved" : ", answered"
  if (fixedIn !== null) return `fixed in ${fixedIn.slice(0, 12)}${answered}`
  if (isAnswered) return "answered before"
  if (unread.includes(ref)) return "not read: it has no lines, so a model must read it"
  return `${finding === null ? "no finding" : `finding ${finding}`}${answered}`
}

const pushLine = ({ answers, pushed, pushes }: Feedback): string => {
  if (!pushes) return "Not pushed and not answered: add --push"
  const count = plural(Object.keys(answers).length, "thread")
  return `${pushed === null ? "Nothing pushed" : `Pushed ${pushed.slice(0, 12)}`}, ${count} answered`
}
