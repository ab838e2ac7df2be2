/** Which comments of a bot are open, and what is answered to them. */
import { describe, expect, test } from "bun:test"
import { type FixReport, noFixes } from "../../../src/domain/fix/FixReport.ts"
import type { FixStatus } from "../../../src/domain/fix/Outcome.ts"
import { recordOfFinding } from "../../../src/domain/fix/recordOfFinding.ts"
import { answersTo, type Judged } from "../../../src/domain/forge/answersTo.ts"
import { type FeedbackWanted, feedbackOf } from "../../../src/domain/forge/feedbackOf.ts"
import { answerText } from "../../../src/domain/forge/Marker.ts"
import type { Comment, Thread } from "../../../src/domain/forge/PullRequest.ts"
import { evidenceOf, type Feedback, fixedRefs } from "../../../src/domain/review/Feedback.ts"
import { finding } from "../../support/finding.ts"
import { headSha, thread } from "../../support/forges.ts"

const later = "b".repeat(40)
const by = (author: string | null, body: string, isOwn = false): Comment => ({ author, body, isOwn })
const botThread = (id: string, replies: ReadonlyArray<Comment> = [], over: Partial<Thread> = {}): Thread =>
  thread(`${id} NODE THREAD`, [], { comments: [by("tidy[bot]", "It fails."), ...replies], ...over })
const answered = (kind: "fixed" | "open", head: string) =>
  by("dd", `Words.\n\n${answerText("1", { kind, head })}`, true)

const wanted: FeedbackWanted = { bot: "Tidy", headSha, fixedIn: new Map() }
const read = (threads: ReadonlyArray<Thread>, over: Partial<FeedbackWanted> = {}) =>
  feedbackOf({ threads, reviews: [], comments: [] }, { ...wanted, ...over })

describe("the feedback of a bot", () => {
  test("is of the app, and not of an account with its name", () => {
    const of = (author: string) => botThread(author, [], { comments: [by(author, "Run this.")] })
    const refs = (authors: ReadonlyArray<string>, bot: string) => read(authors.map(of), { bot }).map(({ ref }) => ref)
    expect(refs(["tidy", "Tidy[bot]"], "tidy")).toEqual(["Tidy[bot]"])
    expect(refs(["tidy", "Tidy[bot]"], "tidy[bot]")).toEqual(["Tidy[bot]"])
    expect(refs(["tidy"], "tidy[bot]")).toEqual([])
    expect(refs(["tidy"], "Tidy")).toEqual(["tidy"])
  })

  test("is its open threads, reviews and comments, by its login in any case, also without [bot]", () => {
    const found = feedbackOf(
      {
        threads: [
          botThread("1"),
          botThread("2", [], { isResolved: true }),
          thread("3", [], { comments: [by("grace", "Mine."), by("tidy[bot]", "Also.")] }),
          thread("4", [], { comments: [by(null, "Gone.")] })
        ],
        reviews: [
          { id: "8", ...by("tidy[bot]", "All."), commit: null },
          { id: "9", ...by("tidy[bot]", " "), commit: null }
        ],
        comments: [
          { id: "10", ...by("TIDY[bot]", "Hello.") },
          { id: "11", ...by("tidy-2", "No.") }
        ]
      },
      wanted
    )
    expect(found.map(({ kind, ref }) => [ref, kind])).toEqual([
      ["1", "thread"],
      ["review-8", "review"],
      ["comment-10", "comment"]
    ])
  })

  test("has lines only on the head side and in the diff of today", () => {
    const lines = (over: Partial<Thread>) =>
      read([botThread("1", [], over)]).map(({ endLine, line }) => [line, endLine])
    expect(lines({ line: 4 })).toEqual([[4, 4]])
    expect(lines({ line: 4, startLine: 2 })).toEqual([[2, 4]])
    expect(lines({ line: null, isOutdated: true })).toEqual([[0, 0]])
    expect(lines({ line: 4, side: "LEFT" })).toEqual([[0, 0]])
  })

  test("is left alone after an answer at this head, and not after a push", () => {
    const isLeft = (replies: ReadonlyArray<Comment>) => read([botThread("1", replies)])[0]?.isAnswered
    expect(isLeft([answered("open", headSha)])).toBe(true)
    expect(isLeft([answered("open", later)])).toBe(false)
    expect(isLeft([answered("fixed", later)])).toBe(true)
    expect(isLeft([answered("fixed", later), by("grace", "No, it is not.")])).toBe(false)
    expect(isLeft([{ ...answered("open", headSha), isOwn: false }])).toBe(false)
  })

  test("is fixed if a commit says so, until somebody disagrees with the answer", () => {
    const fixedIn = fixedRefs([
      { sha: "c1", body: "Words.\n\nDaydream-Feedback: 1 comment-10" },
      { sha: "c2", body: "Daydream-Feedback: 2" }
    ])
    expect([...fixedIn]).toEqual([
      ["1", "c1"],
      ["comment-10", "c1"],
      ["2", "c2"]
    ])
    const state = (replies: ReadonlyArray<Comment>) => read([botThread("1", replies)], { fixedIn })[0]
    expect(state([])).toMatchObject({ fixedIn: "c1", isAnswered: false })
    expect(state([answered("fixed", later), by("grace", "No.")])).toMatchObject({ fixedIn: null, isAnswered: false })
  })
})

describe("the answers", () => {
  const feedback = (over: Partial<Feedback> = {}): Feedback => ({
    ...{
      pullRequest: 7,
      repo: "acme/shop",
      bot: "tidy",
      headBranch: null,
      headSha,
      pushes: true,
      unread: [],
      answers: {},
      code: 0
    },
    comments: read([botThread("1")]),
    pushed: null,
    ...over
  })
  const findings = [finding({ id: 1, evidence: evidenceOf("1") })]
  const fixed = (status: FixStatus, over: Partial<FixReport> = {}, detail = "why"): FixReport => ({
    ...noFixes,
    outcomes: [{ id: 1, fingerprint: "", path: "a.py", status, detail }],
    ...over
  })
  const textsOf = (
    fix: FixReport | null,
    over: Partial<Feedback> = {},
    judged: Judged = { findings, contradicted: [] }
  ) =>
    answersTo(feedback(over), judged, fix, (text) => text.replaceAll("SECRET", "[hidden]")).map(
      ({ kind, text }) => `${kind}: ${text}`
    )

  test("name the commit only if it was pushed", () => {
    expect(textsOf(fixed("changed"), { pushed: later })).toEqual(["fixed: Fixed in `bbbbbbb`."])
    expect(textsOf(fixed("changed", { patch: "applied" }))).toEqual([])
    expect(textsOf(fixed("resolved", { patch: "recommended", detail: "nobody was asked" }))).toEqual([])
  })

  test("give the reason, cleaned, redacted and short", () => {
    expect(textsOf(fixed("unresolved", {}, "see @ada, SECRET and #1"))).toEqual([
      "open: Not fixed: see `@ada`, [hidden] and `#1`"
    ])
    expect(textsOf(fixed("regressed", {}, "x".repeat(9000)))[0]!.length).toBeLessThan(1600)
    const reason = "the code contradicts it: a.py:2 checks it"
    const against = {
      findings: [],
      contradicted: [{ reason, record: recordOfFinding(findings[0]!), stack: "feedback" }]
    }
    expect(textsOf(noFixes, {}, against)).toEqual([`open: Not changed: ${reason}`])
  })

  test("are none about what dd could not work on, and after the user said no", () => {
    for (const fix of [null, noFixes, fixed("no-fix"), fixed("failed"), fixed("unresolved", { detail: "declined" })]) {
      expect(textsOf(fix)).toEqual([])
    }
  })
})
