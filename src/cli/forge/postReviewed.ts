/** `dd review --comment`: posts the findings of a review that has ended. Loaded only then, with the token. */
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

/** Says what it did on standard error, because standard output has the report. */
export const postReviewed = Effect.fnUntraced(function* (
  change: Change,
  { findings, status }: ReviewResult,
  { number, quiet }: { readonly number: number; readonly quiet: boolean }
) {
  const redactor = yield* Redactor
  const artifact = findingsArtifactOf(change, findings, status === "complete", redactor.text)
  const { forge, name } = yield* gitHubTarget(Option.none(), number)
  const posted = yield* post({ artifact, repository: name, isDryRun: false }).pipe(Effect.provide(forge))
  if (!quiet) yield* writeError(`${postText(posted, false, wordsFor(redactor.text)).join("\n")}\n`)
})
