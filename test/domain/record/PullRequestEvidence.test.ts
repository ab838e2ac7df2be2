import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { markerText, summaryMarker } from "../../../src/domain/forge/Marker.ts"
import type { Comment, Discussion, PullRequest, Thread } from "../../../src/domain/forge/PullRequest.ts"
import { evidenceOf, verdictOf } from "../../../src/domain/record/PullRequestEvidence.ts"
import { it } from "../../support/effect.ts"
import { fingerprint, headSha, thread } from "../../support/forges.ts"

const pull = (state: PullRequest["state"]): PullRequest => ({
  number: 7,
  state,
  author: "ada",
  baseSha: "b".repeat(40),
  headSha,
  mergedAt: state === "merged" ? "2030-01-02T03:04:05Z" : null
})

const marked = (n: number, kind: "finding" | "fixed" = "finding") =>
  `x\n\n${markerText({ kind, fingerprint: fingerprint(n), rule: "py/bare-except" })}`

const by = (author: string, body: string, isOwn = false): Comment => ({ author, isOwn, body })
const about = (threads: ReadonlyArray<Thread>, over: Partial<Discussion> = {}): Discussion => ({
  threads,
  reviews: [],
  comments: [],
  ...over
})
const review = (author: string, body: string, commit: string, isOwn = false) => ({
  id: commit,
  ...by(author, body, isOwn),
  commit
})

const Told = Schema.Struct({
  state: Schema.Literals(["open", "closed", "merged"]),
  threads: Schema.Array(
    Schema.Struct({ isResolved: Schema.Boolean, isFixed: Schema.Boolean, isAnswered: Schema.Boolean })
  )
})

const threadsOf = (told: (typeof Told.Type)["threads"]): ReadonlyArray<Thread> =>
  told.map(({ isAnswered, isFixed, isResolved }, n): Thread => {
    const own = thread(String(n), isFixed ? [marked(n), marked(n, "fixed")] : [marked(n)], { isResolved })
    return isAnswered ? { ...own, comments: [...own.comments, by("grace", "No.")] } : own
  })

describe("the outcome of a pull request", () => {
  it.prop(
    "is accepted if all threads are resolved, contested if one is not, and decided only at its end",
    Told,
    (told) => {
      const { outcome } = evidenceOf(pull(told.state), about(threadsOf(told.threads)))
      const expected =
        told.state === "open" || told.threads.length === 0
          ? "unknown"
          : told.state === "closed"
            ? "rejected"
            : told.threads.every(({ isResolved }) => isResolved)
              ? "accepted"
              : "contested"
      expect(outcome).toBe(expected)
    }
  )

  it.prop("agrees with the verdicts of its findings if it was merged", Told, (told) => {
    const { findings, outcome, threads } = evidenceOf(pull("merged"), about(threadsOf(told.threads)))
    const verdicts = new Set([...findings.values()].map((end) => verdictOf(end, "merged")))
    expect(findings.size).toBe(told.threads.length)
    expect(Object.values(threads).reduce((sum, n) => sum + n, 0)).toBe(told.threads.length)
    if (told.threads.length > 0) expect(verdicts.has("contested") ? "contested" : "accepted").toBe(outcome)
  })

  test("is rejected if dd has only its summary on a closed one, and unknown if it wrote nothing", () => {
    const summary = review("dd", `x\n${summaryMarker}`, "c".repeat(40), true)
    expect(evidenceOf(pull("closed"), about([], { reviews: [summary] })).outcome).toBe("rejected")
    expect(evidenceOf(pull("merged"), about([], { reviews: [summary] })).outcome).toBe("unknown")
    expect(evidenceOf(pull("closed"), about([])).outcome).toBe("unknown")
  })
})

describe("the verdict of a finding", () => {
  test("is accepted if it was fixed, also if nothing was merged", () => {
    expect(verdictOf("fixed", "closed")).toBe("accepted")
    expect(verdictOf("resolved", "closed")).toBe("rejected")
    expect(verdictOf("fixed", "open")).toBe("unknown")
  })

  test("is of the newest thread, by every fingerprint that it has had", () => {
    const moved = thread("1", [marked(1), marked(2)], { isResolved: true })
    const back = thread("2", [marked(2)])
    const twice = thread("3", [marked(3), marked(4)])
    const { findings } = evidenceOf(pull("merged"), about([moved, back, twice]))
    expect([...findings]).toEqual([
      [fingerprint(1), "resolved"],
      [fingerprint(2), "open"],
      [fingerprint(3), "open"],
      [fingerprint(4), "open"]
    ])
  })
})

describe("who counts", () => {
  const bot = "github-actions[bot]"
  const byBot = (n: number): Thread => ({ ...thread(String(n), [""]), comments: [by(bot, marked(n))] })

  test("as dd: the account of the token, or a bot, that wrote its marker", () => {
    const copied: Thread = { ...thread("9", [""]), comments: [by("mallory", marked(9))] }
    const reviews = [
      review(bot, "1 new finding", "c".repeat(40)),
      review("mallory", `x\n${summaryMarker}`, "d".repeat(40)),
      review("lint[bot]", "Lint.", "e".repeat(40))
    ]
    const { commits, findings } = evidenceOf(pull("merged"), about([byBot(1), copied], { reviews }))
    expect([...findings.keys()]).toEqual([fingerprint(1)])
    expect(commits).toEqual(["c".repeat(40), headSha])
    expect(evidenceOf(pull("merged"), about([copied], { reviews: [] })).commits).toEqual([])
  })

  test("as a reviewer: who reviewed or replied, once, without bots and dd", () => {
    const replied = { ...byBot(1), comments: [by(bot, marked(1)), by("zoe", "No."), by("lint[bot]", "?")] as const }
    const reviews = [
      review("grace", "LGTM", headSha),
      review("grace", "Again", headSha),
      review(bot, `x\n${summaryMarker}`, headSha),
      // The account of the token, by which a bot's comments are labelled.
      review("ada", "Fine", headSha, true),
      { ...review("", "x", headSha), author: null }
    ]
    expect(evidenceOf(pull("merged"), about([replied], { reviews })).reviewers).toEqual(["ada", "grace", "zoe"])
    const own = thread("1", [marked(1)])
    expect(
      evidenceOf(pull("merged"), about([own], { reviews: [review("dd", "Fine", headSha, true)] })).reviewers
    ).toEqual([])
  })
})
