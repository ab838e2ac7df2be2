/**
 * The steps of `dd feedback`, by their names in the flow `pr-feedback`: the comments of a bot become findings, which are fixed
 * as those of a review, pushed, and answered.
 *
 * Done again, also after it was killed, it fixes, pushes and answers nothing twice: the commits name the comments that they
 * fix, and the answers name the head that they are about.
 */
import { Effect, Schema } from "effect"
import { ReviewRecord } from "../domain/finding/Finding.ts"
import { feedbackStack, type MergedItem } from "../domain/finding/MergedItem.ts"
import { answersTo, type ThreadAnswer } from "../domain/forge/answersTo.ts"
import { botClaim } from "../domain/forge/botClaim.ts"
import { feedbackOf, threadRef } from "../domain/forge/feedbackOf.ts"
import { answerIn, answerText } from "../domain/forge/Marker.ts"
import type { Discussion, PullRequest } from "../domain/forge/PullRequest.ts"
import { type BotComment, evidenceOf, type Feedback, fixedRefs, openComments } from "../domain/review/Feedback.ts"
import type { RunState } from "../domain/review/RunState.ts"
import { type Advance, inOrder, proceed, type StepBody, stop } from "../domain/run/Step.ts"
import { printable } from "../domain/text/Printable.ts"
import { plural } from "../domain/text/plural.ts"
import { Agent } from "../services/agent/Agent.ts"
import { Sources } from "../services/change/Sources.ts"
import { FixTarget } from "../services/fix/FixTarget.ts"
import { GroupsAtOnce } from "../services/fix/fixFindings.ts"
import { type NotPushed, push, type Upstream, upstream as upstreamOf } from "../services/fix/pusher.ts"
import { FeedbackForge } from "../services/forge/FeedbackForge.ts"
import { Forge } from "../services/forge/Forge.ts"
import type { ForgeError } from "../services/forge/ForgeError.ts"
import { conclude } from "../services/review/conclude.ts"
import type { IgnoreFileInvalid } from "../services/review/suppress.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { Redactor } from "../services/secret/Redactor.ts"
import { withServices } from "../services/system/withServices.ts"
import type { fixSteps } from "./fixSteps.ts"
import { hasMore, OtherCommit, sendOnce } from "./post.ts"

export type FeedbackFailed = ForgeError | NotPushed | IgnoreFileInvalid
type FeedbackStep = StepBody<RunState, FeedbackFailed, never>

/** The pull request is open, and what is checked out is its head. */
export const checkFeedback = ({ headSha, number, state }: PullRequest, checkedOut: string | null) => {
  const refuse = (reason: string) => new OtherCommit({ reason })
  if (state !== "open") return refuse(`pull request #${number} is ${state}: there is nothing to fix or to answer`)
  if (checkedOut === headSha) return Effect.void
  const here = checkedOut === null ? "no commit" : checkedOut.slice(0, 7)
  return refuse(
    `the head of pull request #${number} is ${headSha.slice(0, 7)}, but ${here} is checked out; check out its branch and pull, or push your own commits, and run dd feedback again`
  )
}

export const feedbackSteps = Effect.fnUntraced(function* (fix: Effect.Success<typeof fixSteps>) {
  const agent = yield* Agent
  const call = yield* withServices({ conclude, push, upstreamOf })
  const forge = yield* FeedbackForge
  const onFailure = yield* FailPolicy
  const redactor = yield* Redactor
  const sources = yield* Sources
  const target = yield* FixTarget
  let upstream: Upstream | null = null

  /** In a review, the steps of `dd feedback` do not run. */
  const stepOf = (
    run: (
      state: RunState & { readonly feedback: Feedback },
      forge: Forge["Service"]
    ) => Effect.Effect<Advance<RunState>, FeedbackFailed>,
    enabled: (state: RunState) => boolean = () => true
  ): FeedbackStep => ({
    enabled: (state) => forge !== null && state.feedback !== null && enabled(state),
    run: (state) => {
      const { feedback } = state
      return forge === null || feedback === null ? Effect.succeed(proceed(state)) : run({ ...state, feedback }, forge)
    }
  })

  const fetchFeedback = stepOf(
    Effect.fnUntraced(function* (state, forge) {
      const { feedback } = state
      if (feedback.pushes && target.repository !== null) {
        upstream = yield* call.upstreamOf(target.repository, feedback.headBranch)
      }
      const { bot, headSha } = feedback
      const fixedIn = fixedRefs(state.change.commits)
      const comments = feedbackOf(yield* forge.discussion, { bot, headSha, fixedIn })
      const open = openComments({ ...feedback, comments }).length
      return proceed(
        { ...state, feedback: { ...feedback, comments } },
        `${open} of ${plural(comments.length, "comment")} open`
      )
    })
  )

  const isFile = (path: string) => Effect.map(sources.head(path), ({ _tag }) => _tag === "Text")

  /** Null: a model could not read it. */
  const parsed = Effect.fnUntraced(function* ({ body, ref }: BotComment, state: RunState) {
    const files = state.change.diff.files.map(({ path }) => path)
    const review = printable(body.slice(0, longestBody)).replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    const scope = { phase: "parse-feedback", fork: `parse-${ref}` }
    const reply = yield* agent
      .invoke({ _tag: "ParseReview", stack: { name: feedbackStack, files }, review }, scope, { issues: [] })
      .pipe(onFailure.open("parse-feedback", null))
    return reply === null
      ? null
      : reply.issues.map(({ rule: _, suggestion: __, ...record }) =>
          ReviewRecord.make({ ...record, evidence: evidenceOf(ref) })
        )
  })

  const parseFeedback = stepOf(
    Effect.fnUntraced(function* (state) {
      const { feedback } = state
      const open = openComments(feedback)
      const records = open.flatMap((comment) => (comment.kind === "thread" ? [recordOf(comment)] : []))
      const general = open.filter(({ kind }) => kind !== "thread")
      const unread: Array<string> = []
      let code = 0
      for (const [at, comment] of general.entries()) {
        const isRead = agent.hasModel("per-stack-parse") && at < mostGeneral
        const found = isRead ? yield* parsed(comment, state) : null
        if (found === null) unread.push(comment.ref)
        else records.push(...found)
        if (isRead && found === null) code = 1
      }
      const present = new Set<string>()
      for (const path of new Set(records.map(({ file }) => file))) if (yield* isFile(path)) present.add(path)
      const items = records
        .filter(({ file }) => present.has(file))
        .map(
          (record, at): MergedItem => ({ id: at + 1, record, stacks: [feedbackStack], lens: "per-stack", merged: [] })
        )
      const refused = records
        .filter(({ file }) => !present.has(file))
        .map((record) => ({ reason: "its file is no text file of the head commit", record, stack: feedbackStack }))
      const next = {
        ...state,
        items,
        refused,
        fixing: items.length === 0 ? null : state.fixing,
        feedback: { ...feedback, unread, code }
      }
      const summary = `${plural(items.length, "finding")}${unread.length === 0 ? "" : `, ${plural(unread.length, "comment")} not read`}`
      const hasAnswers = feedback.comments.some(({ fixedIn, isAnswered }) => fixedIn !== null && !isAnswered)
      return items.length === 0 && !hasAnswers ? stop(next, code, summary) : proceed(next, summary)
    })
  )

  /** The code ends the flow after the answers. */
  const goOn = (advance: Advance<RunState>) => {
    const { state, summary } = advance
    const code = Math.max(advance._tag === "Stop" ? advance.code : 0, state.feedback?.code ?? 0)
    return proceed({ ...state, feedback: state.feedback === null ? null : { ...state.feedback, code } }, summary)
  }

  const fixFindings = inOrder(fix.verify, fix["fix-gate"], fix.fix, fix.test)
  const fixItems = stepOf(
    (state) => fixFindings.run(state).pipe(Effect.map(goOn), Effect.provideService(GroupsAtOnce, 1)),
    isFixing
  )

  const commitPush = stepOf(
    Effect.fnUntraced(function* (given, _forge) {
      const { state, summary } = goOn(yield* fix.commit.run(given))
      const sha = state.fix?.commit ?? null
      const { feedback } = state
      if (feedback === null || sha === null || upstream === null || target.repository === null) {
        return proceed(state, summary)
      }
      const pushed = yield* Effect.result(call.push(target.repository, upstream, { sha, onto: given.feedback.headSha }))
      if (pushed._tag === "Success") {
        return proceed({ ...state, feedback: { ...feedback, pushed: sha } }, `pushed ${sha.slice(0, 12)}`)
      }
      const { _tag: error, message } = pushed.failure
      yield* onFailure.degrade({ step: "commit-push", error, detail: message })
      return stop({ ...state, feedback: { ...feedback, code: 1 } }, 1, message)
    }),
    isFixing
  )

  const respondFeedback = stepOf(
    Effect.fnUntraced(function* (state, forge) {
      const { feedback } = state
      const planned = answersTo(feedback, yield* call.conclude(state), state.fix, redactor.text)
      if (!feedback.pushes || planned.length === 0) {
        return stop(state, feedback.code, planned.length === 0 ? "nothing to answer" : "not answered without --push")
      }
      const degrade = ({ _tag: error, message }: { readonly _tag: string; readonly message: string }) =>
        onFailure.degrade({ step: "respond-feedback", error, detail: message })
      const answers: Record<string, Feedback["answers"][string]> = {}
      const before = yield* Effect.result(Effect.andThen(arrived(feedback, forge), forge.discussion))
      if (before._tag === "Failure") {
        yield* degrade(before.failure)
        return stop(state, feedback.code, before.failure.message)
      }
      for (const each of planned) {
        const sent = yield* Effect.result(Effect.provideService(answer(each, feedback, before.success), Forge, forge))
        if (sent._tag === "Success") {
          if (sent.success) answers[each.ref] = each.kind
          continue
        }
        yield* degrade(sent.failure)
        // Further requests would fail as well.
        if (sent.failure._tag === "ForgeLimited" || sent.failure._tag === "ForgeUnavailable") break
      }
      const summary = `${Object.keys(answers).length} of ${plural(planned.length, "thread")} answered`
      return stop({ ...state, feedback: { ...feedback, answers } }, feedback.code, summary)
    })
  )

  return {
    "fetch-feedback": fetchFeedback,
    "parse-feedback": parseFeedback,
    "fix-items": fixItems,
    "commit-push": commitPush,
    "respond-feedback": respondFeedback
  }
})

const isFixing = ({ fixing }: RunState): boolean => fixing !== null

/** Each is a call of a model. */
const mostGeneral = 20
/** Forges accept 65,536 characters. */
const longestBody = 70_000
const longestReplies = 4000

/** Lines have a meaning only in the diff of the head, which is checked out. */
const recordOf = ({ body, endLine, line, path, ref, replies }: BotComment): ReviewRecord => {
  const { description, severity, suggestion, title } = botClaim(body)
  const words = printable(replies.join("\n\n")).slice(0, longestReplies).toWellFormed()
  return ReviewRecord.make({
    id: 1,
    title,
    description,
    file: path ?? "",
    line,
    endLine,
    confidence: "MEDIUM",
    severity,
    rationale: words === "" ? "" : `Others replied:\n\n${words}`,
    evidence: evidenceOf(ref),
    ...(suggestion === null || line === 0 ? {} : { suggestion })
  })
}

class NotArrived extends Schema.TaggedError<NotArrived>()("NotArrived", { sha: Schema.String, head: Schema.String }) {
  override get message() {
    return `${this.sha.slice(0, 7)} was pushed, but the head of the pull request is ${this.head.slice(0, 7)}: check the upstream of the branch, and run dd feedback again to answer`
  }
}

/** In milliseconds, before each look at the pull request after a push. */
const arrivalDelays = [0, 1000, 2000, 4000]

/** Fails if the pull request does not have the pushed commit: it may have been pushed to another branch. */
const arrived = Effect.fnUntraced(function* ({ pushed, repo }: Feedback, forge: Forge["Service"]) {
  if (pushed === null || repo === null) return
  let head = ""
  for (const delay of arrivalDelays) {
    yield* Effect.sleep(delay)
    head = (yield* forge.pullRequest).headSha
    if (head === pushed) return
  }
  return yield* new NotArrived({ sha: pushed, head })
})

/** False if somebody resolved or deleted the thread, or it was answered, in the meantime. */
const answer = Effect.fnUntraced(function* (
  { kind, ref, text }: ThreadAnswer,
  { headSha, pushed }: Feedback,
  before: Discussion
) {
  const forge = yield* Forge
  const head = pushed ?? headSha
  const thread = before.threads.find((each) => threadRef(each) === ref)
  const isAnswered = thread?.comments.some(({ body, isOwn }) => isOwn && answerIn(body)?.head === head) ?? true
  if (thread === undefined || thread.isResolved || isAnswered) return false
  const marker = answerText(ref, { kind, head })
  yield* sendOnce(forge.reply(thread, `${text}\n\n${marker}`), hasMore(before, marker))
  if (kind === "fixed") {
    yield* sendOnce(forge.close(thread), () => false)
  }
  return true
})
