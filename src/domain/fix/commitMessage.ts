import type { Finding } from "../finding/Finding.ts"
import { oneLine } from "../text/Printable.ts"

const longestSubject = 72

/** Comments of a pull request, which are not quoted: words of others in a commit can mention people and close issues. */
export interface FixedFeedback {
  readonly pullRequest: number
  readonly trailer: string
}

/** A conventional message with the trailers of the run. */
export const commitMessage = (
  fixed: ReadonlyArray<Pick<Finding, "file" | "line" | "title">>,
  run: { readonly run: string; readonly version: string; readonly iteration?: number },
  feedback: FixedFeedback | null = null
): string => {
  const [first] = fixed
  const subject =
    feedback !== null
      ? `fix: review comments on #${feedback.pullRequest}`
      : fixed.length === 1 && first !== undefined
        ? `fix: ${oneLine(first.title)}`
        : `fix: ${fixed.length} findings`
  const cut = subject.length <= longestSubject ? subject : `${subject.slice(0, longestSubject - 1)}…`
  const list = fixed.map(
    ({ file, line, title }) => `- ${oneLine(file)}:${line}${feedback === null ? ` ${oneLine(title)}` : ""}`
  )
  const trailers = [
    `Daydream-Run: ${run.run}`,
    `Daydream-Version: ${run.version}`,
    ...(run.iteration === undefined ? [] : [`Iteration: ${run.iteration}`]),
    ...(feedback === null ? [] : [feedback.trailer])
  ]
  return `${[cut, list.join("\n"), trailers.join("\n")].join("\n\n")}\n`
}
