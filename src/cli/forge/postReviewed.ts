/**
 * `dd review --comment`: posts the findings of a review that has ended. Loaded only for that. The token is not kept while the
 * review runs.
 */
import { Effect, Option } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { findingsArtifactOf } from "../../domain/review/FindingsArtifact.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import { post } from "../../programs/post.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeError } from "../review/Progress.ts"
import { wordsFor } from "../review/render/Presentable.ts"
import { gitHubTarget } from "./forgeTarget.ts"
import { postText } from "./postReport.ts"
import { labelsText, takeLabels } from "./takeLabels.ts"

/** Fails before the review if the findings could not be posted: a repository or a token is missing. */
export const checkTarget = (number: number) => Effect.asVoid(gitHubTarget(Option.none(), number))

/** Says what it did on standard error, because standard output has the report. */
export const postReviewed = Effect.fnUntraced(function* (
  change: Change,
  { coverage, findings, status, suppressed }: ReviewResult,
  { archive, number, quiet }: { readonly archive: string | null; readonly number: number; readonly quiet: boolean }
) {
  const redactor = yield* Redactor
  const { forge, name } = yield* gitHubTarget(Option.none(), number)
  const reported = { findings, suppressed, coverage: coverage.files }
  const artifact = findingsArtifactOf(change, { number, repo: name }, reported, status === "complete", redactor.text)
  const posted = yield* post({ artifact, repository: name, isDryRun: false }).pipe(Effect.provide(forge))
  const labels = yield* takeLabels(archive, { repository: name, pullRequest: posted.pullRequest }).pipe(
    Effect.provide(forge)
  )
  const lines = [...postText(posted, false, wordsFor(redactor.text)), ...labelsText(labels)]
  if (!quiet) yield* writeError(`${lines.join("\n")}\n`)
})
