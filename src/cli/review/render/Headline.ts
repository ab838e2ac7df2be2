/**
 * The result in a few sentences: what was found, where, and what was not reviewed.
 *
 * Reads as clean only if every file that can be reviewed was reviewed and every step was complete.
 */
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { plural } from "../../../domain/text/plural.ts"
import { dollars } from "../../text/amounts.ts"
import { listed, severityWords, someOf } from "../../text/Tally.ts"
import { fixSentence } from "./FixLines.ts"

export const headlineOf = (result: ReviewResult): string => {
  const sentences = [
    verdict(result),
    fixSentence(result),
    unreadComments(result),
    suppressions(result),
    extent(result),
    spending(result),
    ...reservations(result)
  ]
  return sentences.filter((sentence) => sentence !== "").join(" ")
}

/** Whether every step was complete and every file was read. */
export const isWhole = (result: ReviewResult): boolean => result.status === "complete" && unreadCount(result) === 0

/** The headline with what was reviewed, and why something was not checked; for formats that have only messages. */
export const summaryOf = (result: ReviewResult): string => {
  const reasons = result.degraded.flatMap(({ detail, unchecked }) =>
    unchecked === undefined || detail === "" ? [] : [`${sentence(detail)}.`]
  )
  const [first, ...rest] = new Set(reasons)
  const more = rest.length === 0 ? "" : ` (${rest.length} more in the log)`
  return `Review of ${result.run.description}. ${headlineOf(result)}${first === undefined ? "" : ` ${first}${more}`}`
}

export const noticeRule = "dd/not-whole"

/** For formats without a status: a message at the first changed file. Null if the review is complete. */
export const noticeOf = (result: ReviewResult): { readonly message: string; readonly path: string } | null =>
  isWhole(result)
    ? null
    : {
        message: summaryOf(result),
        path: result.coverage.files[0]?.path ?? "."
      }

const verdict = (result: ReviewResult): string => {
  const { findings, coverage, rulesApplied } = result
  if (findings.length > 0) {
    const known = findings.filter((finding) => !finding.new).length
    const fresh = known === 0 ? "" : `, ${findings.length - known} of them new`
    const places = new Set(findings.map(({ file }) => file)).size
    return `${plural(findings.length, "finding")} in ${plural(places, "file")}: ${severityWords(findings)}${fresh}.`
  }
  if (result.feedback !== null) return "No findings in the open comments."
  if (coverage.filesInDiff === 0)
    return isWhole(result) ? "Nothing to review: no files changed." : "Nothing was reviewed."
  if (coverage.filesReviewed === 0) {
    const what =
      isBesideModel(result) && unreadCount(result) > 0
        ? "Static checks found nothing, and the model reviewed nothing"
        : "Nothing was reviewed"
    return `${what}: ${listed(outcomes(result))}.`
  }
  if (!isWhole(result)) return `No findings in ${reviewedFiles(result)}.`
  return rulesApplied === 0
    ? `No findings in ${reviewedFiles(result)}.`
    : `No findings: ${plural(rulesApplied, "rule")} checked ${reviewedFiles(result)}.`
}

/** How many files were reviewed, unless another sentence includes that. */
const extent = (result: ReviewResult): string => {
  const { filesInDiff, filesReviewed } = result.coverage
  const isRedundant = result.findings.length === 0 || filesReviewed === filesInDiff || filesReviewed === 0
  return isRedundant ? "" : `${reviewedFiles(result)} ${filesReviewed === 1 ? "was" : "were"} reviewed.`
}

const spending = ({ cost: { usd }, limit }: ReviewResult): string => {
  if (limit === null) return ""
  const most = dollars(limit.usd)
  if (limit.isReached) return `It stopped at the limit of ${most}; --max-cost USD sets another.`
  const early = limit.hasHurried
    ? " Agents answered early, or were left out, to stay below the limit; --max-cost USD sets another."
    : ""
  return usd === null ? early.trim() : `It cost ${dollars(usd)} of at most ${most}.${early}`
}

/** What limits the verdict. */
const reservations = (result: ReviewResult): ReadonlyArray<string> => {
  const unread = unreadCount(result)
  const unchecked = [...new Set(result.degraded.flatMap(({ unchecked }) => unchecked ?? []))]
  const steps = new Set(result.degraded.flatMap(({ step, unchecked }) => (unchecked === undefined ? [step] : []))).size
  const by = isBesideModel(result) ? " by the model" : ""
  const missing = [
    ...(unread === 0 ? [] : [`${plural(unread, "file was", "files were")} not reviewed${by}`]),
    ...(steps === 0 ? [] : [`${plural(steps, "step was", "steps were")} incomplete`])
  ]
  const why = missing.length === 0 ? "" : `: ${listed(missing)}`
  const gaps = unchecked.length === 0 ? [] : [`Not checked: ${someOf(unchecked, mostUnchecked)}.`]
  switch (result.status) {
    case "inconclusive":
      return [`This review is inconclusive${why}.`, ...gaps, "What was not reviewed may have findings."]
    case "partial":
      return [`This review is partial${why}.`, ...gaps, "It is not a clean result."]
    case "complete":
      return missing.length === 0 ? gaps : [`${sentence(listed(missing))}.`, ...gaps]
  }
}

const mostUnchecked = 3

const unreadComments = ({ feedback }: ReviewResult): string => {
  const count = feedback?.unread.length ?? 0
  return count === 0 ? "" : `${plural(count, "comment was", "comments were")} not read.`
}

const suppressions = ({ findings, suppressed }: ReviewResult): string => {
  if (suppressed.length === 0) return ""
  const count = findings.length === 0 ? plural(suppressed.length, "finding") : `${suppressed.length} more`
  return `${count} ${suppressed.length === 1 ? "is" : "are"} suppressed.`
}

const reviewedFiles = ({ coverage }: ReviewResult): string =>
  coverage.filesReviewed === coverage.filesInDiff
    ? plural(coverage.filesInDiff, "file")
    : `${coverage.filesReviewed} of ${plural(coverage.filesInDiff, "changed file")}`

const outcomes = (result: ReviewResult): ReadonlyArray<string> => {
  const skipped = result.coverage.files.filter((file) => file.status === "skipped").length
  const unread = unreadCount(result)
  return [
    ...(skipped === 0 ? [] : [`${plural(skipped, "changed file")} skipped`]),
    ...(unread === 0 ? [] : [`${plural(unread, "changed file")} not read`])
  ]
}

/** Rules and a model: an unread file was not read by the model. */
const isBesideModel = ({ rulesApplied, run }: ReviewResult): boolean => rulesApplied > 0 && run.backend !== "static"

const unreadCount = ({ coverage }: ReviewResult): number =>
  coverage.files.filter((file) => file.status === "unread").length

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
