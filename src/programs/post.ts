/**
 * `dd post`: makes the comments on a pull request agree with the findings of its head commit.
 *
 * Done twice, or again after it was killed, it posts nothing twice: it reads the comments first, and after a request
 * without an answer it checks whether the request was done.
 */
import { Effect, Result, Runtime, Schema } from "effect"
import type { Placed } from "../domain/forge/Anchor.ts"
import {
  commentText,
  fixedText,
  movedText,
  reviewText,
  type Summarized,
  summaryText
} from "../domain/forge/commentText.ts"
import { isSummary, markerIn, markerText, summaryMarker } from "../domain/forge/Marker.ts"
import type { Discussion, PullRequest, Thread } from "../domain/forge/PullRequest.ts"
import { isReviewed, type Moved, type Reconciliation, reconcile } from "../domain/forge/Reconciliation.ts"
import type { FindingsArtifact, FoundFinding } from "../domain/review/FindingsArtifact.ts"
import { Forge } from "../services/forge/Forge.ts"
import type { ForgeError } from "../services/forge/ForgeError.ts"
import { Redactor } from "../services/secret/Redactor.ts"

/** The findings are not about what is on the forge. */
export class OtherCommit extends Schema.TaggedError<OtherCommit>()("OtherCommit", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return this.reason
  }
}

export interface PostRequest {
  readonly artifact: FindingsArtifact
  /** `owner/name`; null for a pull request that is not on a forge. */
  readonly repository: string | null
  /** Only finds out what to post. */
  readonly isDryRun: boolean
}

export interface Posted extends Reconciliation {
  readonly pullRequest: PullRequest
}

export const post = Effect.fn("post")(function* ({ artifact, isDryRun, repository }: PostRequest) {
  const forge = yield* Forge
  const redactor = yield* Redactor
  const pullRequest = yield* forge.pullRequest
  yield* checkFacts(artifact, repository, pullRequest)
  if (pullRequest.state !== "open") return { ...nothing, pullRequest } satisfies Posted
  const [files, discussion] = yield* Effect.all([forge.files, forge.discussion], { concurrency: 2 })
  const findings = artifact.findings.filter((finding) => finding.new !== false).map(redacted(redactor.text))
  const known = artifact.findings.filter((finding) => finding.new === false).map(({ fingerprint }) => fingerprint)
  const isComplete = artifact.complete ?? true
  const reviewed = artifact.files === undefined ? null : new Set(artifact.files)
  const { suppressed = [] } = artifact
  const plan = reconcile({ findings, known, suppressed, isComplete, reviewed, files, discussion })
  const unreviewed = files.filter((file) => !isReviewed(file, reviewed)).length
  const about = { findings, isComplete, headSha: pullRequest.headSha, files: files.length, unreviewed }
  const posted = isDryRun ? plan : yield* carryOut(plan, { ...about, unsure: plan.unsure.length }, discussion)
  return { ...posted, pullRequest } satisfies Posted
})

const nothing: Reconciliation = { comments: [], listed: [], left: [], moved: [], fixed: [], unsure: [] }

const checkFacts = (artifact: FindingsArtifact, repository: string | null, { headSha, number }: PullRequest) => {
  const refuse = (reason: string) => new OtherCommit({ reason })
  const { head_sha, pr_number, repo } = artifact
  if (repo !== null && repository !== null && repo.toLowerCase() !== repository.toLowerCase()) {
    return refuse(`the findings are for ${repo}, not for ${repository}`)
  }
  if (pr_number !== null && pr_number !== number) {
    return refuse(`the findings are for pull request #${pr_number}, not for #${number}`)
  }
  if (head_sha === headSha) return Effect.void
  if (!/^[0-9a-f]{40,64}$/.test(head_sha)) {
    return refuse(
      `the findings are not for a commit (${head_sha}); commit and push the change, then run dd review --findings-out again`
    )
  }
  return refuse(
    `the findings are for ${head_sha.slice(0, 7)}, but the head of pull request #${number} is ${headSha.slice(0, 7)}; check out that commit and run dd review --findings-out again`
  )
}

/** For secrets of this process, which the review did not know. */
const redacted =
  (redact: (text: string) => string) =>
  (finding: FoundFinding): FoundFinding => {
    const { suggestion = null } = finding
    return {
      ...finding,
      title: redact(finding.title),
      body: redact(finding.body),
      suggestion: suggestion === null || redact(suggestion) !== suggestion ? null : suggestion
    }
  }

const carryOut = Effect.fnUntraced(function* (plan: Reconciliation, about: Summarized, before: Discussion) {
  const { headSha } = about
  const forge = yield* Forge
  const summary = before.reviews.find(({ body, isOwn }) => isOwn && isSummary(body))
  const summaryFor = (listed: ReadonlyArray<Placed>) => summaryText(about, listed)

  const postReview = (comments: ReadonlyArray<Placed>, body: string) =>
    sendOnce(
      forge.review({
        headSha,
        body,
        comments: comments.flatMap((placed) =>
          placed.anchor === null ? [] : [{ anchor: placed.anchor, body: commentText(placed) }]
        )
      }),
      hasMore(before, comments[0] === undefined ? summaryMarker : comments[0].finding.fingerprint)
    )

  /** In halves, until the comments are alone that the forge does not accept: these are returned. */
  const postAccepted = (comments: ReadonlyArray<Placed>, body: string): Effect.Effect<Refused, ForgeError, Forge> =>
    postReview(comments, body).pipe(
      Effect.as({ refused: [], isWhole: true }),
      Effect.catchTag("ForgeRejected", (error) => {
        if (comments.length === 0) return Effect.fail(error)
        if (comments.length === 1) return Effect.succeed({ refused: comments, isWhole: false })
        const middle = Math.ceil(comments.length / 2)
        const halves = [comments.slice(0, middle), comments.slice(middle)]
        const postHalf = (half: ReadonlyArray<Placed>) => postAccepted(half, reviewText(half.length, headSha))
        return Effect.map(Effect.forEach(halves, postHalf), (results) => ({
          refused: results.flatMap(({ refused }) => refused),
          isWhole: false
        }))
      })
    )

  const { comments, fixed, listed, moved } = plan
  const needsSummary = summary === undefined && (comments.length > 0 || listed.length > 0)
  const body = needsSummary ? summaryFor(listed) : reviewText(comments.length, headSha)
  const { isWhole, refused } =
    comments.length > 0 || needsSummary ? yield* postAccepted(comments, body) : { isWhole: true, refused: [] }
  const all = [...listed, ...refused]
  if (needsSummary && !isWhole) yield* postReview([], summaryFor(all))
  if (summary !== undefined && sameText(summary.body) !== sameText(summaryFor(all))) {
    yield* sendOnce(forge.update(summary.id, summaryFor(all)), () => false)
  }
  return {
    ...plan,
    comments: comments.filter((placed) => !refused.includes(placed)),
    listed: all,
    moved: yield* Effect.filter(moved, (each) => answerMoved(each, before, headSha)),
    fixed: yield* Effect.filter(fixed, (thread) => answerFixed(thread, before, headSha))
  }
})

interface Refused {
  readonly refused: ReadonlyArray<Placed>
  /** Is everything in one review? */
  readonly isWhole: boolean
}

const answerMoved = Effect.fnUntraced(function* ({ placed, thread }: Moved, before: Discussion, headSha: string) {
  const forge = yield* Forge
  const reply = forge.reply(thread, movedText(placed.finding, headSha))
  return yield* orWarn(thread, sendOnce(reply, hasMore(before, placed.finding.fingerprint)))
})

/** The answer is there before the thread is closed: whoever opens it again has the last word. */
const answerFixed = Effect.fnUntraced(function* (thread: Thread, before: Discussion, headSha: string) {
  const forge = yield* Forge
  const own = thread.comments.flatMap(({ body, isOwn }) => (isOwn ? (markerIn(body) ?? []) : []))
  const { fingerprint = "", rule = "" } = own.at(-1) ?? {}
  const answered = sendOnce(
    forge.reply(thread, fixedText(fingerprint, rule, headSha)),
    hasMore(before, markerText({ kind: "fixed", fingerprint, rule }))
  )
  return yield* orWarn(
    thread,
    Effect.andThen(
      answered,
      sendOnce(forge.close(thread), () => false)
    )
  )
})

/** False if it cannot be answered or closed: that does not stop the others. */
const orWarn = ({ line, path }: Thread, answer: Effect.Effect<void, ForgeError, Forge>) =>
  answer.pipe(
    Effect.as(true),
    Effect.catchTag(["ForgeRefused", "ForgeNotFound", "ForgeRejected"], ({ message }) =>
      Effect.logWarning(
        `the thread at ${path}${line === null ? "" : `:${line}`} could not be answered or closed: ${message}`
      ).pipe(Effect.as(false))
    )
  )

/** In milliseconds, before each check whether a request without an answer was done. */
const checkDelays = [2000, 5000]

/** A request without an answer is sent again only if it was not done. */
export const sendOnce = (
  send: Effect.Effect<void, ForgeError>,
  isDone: (now: Discussion) => boolean
): Effect.Effect<void, ForgeError, Forge> =>
  Effect.gen(function* () {
    const forge = yield* Forge
    let result = yield* Effect.result(send)
    for (const delay of checkDelays) {
      if (Result.isSuccess(result) || result.failure._tag !== "ForgeUnavailable") break
      yield* Effect.sleep(delay)
      if (isDone(yield* forge.discussion)) return
      result = yield* Effect.result(send)
    }
    if (Result.isFailure(result)) return yield* result.failure
  })

/** Has dd written this more often than before? */
export const hasMore =
  (before: Discussion, text: string) =>
  (now: Discussion): boolean =>
    timesOf(now, text) > timesOf(before, text)

const timesOf = ({ reviews, threads }: Discussion, text: string): number =>
  [...reviews, ...threads.flatMap(({ comments }) => comments)].filter(({ body, isOwn }) => isOwn && body.includes(text))
    .length

const sameText = (text: string): string => text.replaceAll("\r\n", "\n").trim()
