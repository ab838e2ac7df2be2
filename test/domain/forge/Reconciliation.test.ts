import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { commentText, fixedText, movedText } from "../../../src/domain/forge/commentText.ts"
import { markerIn, markerText } from "../../../src/domain/forge/Marker.ts"
import type { Discussion, Thread } from "../../../src/domain/forge/PullRequest.ts"
import { type Facts, mostComments, type Reconciliation, reconcile } from "../../../src/domain/forge/Reconciliation.ts"
import type { FoundFinding } from "../../../src/domain/review/FindingsArtifact.ts"
import { it } from "../../support/effect.ts"
import { diffFile, discussion, fingerprint, found, headSha, thread } from "../../support/forges.ts"

const facts = (
  findings: ReadonlyArray<FoundFinding>,
  threads: ReadonlyArray<Thread>,
  over: Partial<Facts> = {}
): Facts => ({
  findings,
  known: [],
  suppressed: [],
  isComplete: true,
  reviewed: null,
  files: [diffFile("a.py"), diffFile("b.py")],
  discussion: discussion(threads),
  ...over
})

const begun = (
  n: number,
  over: Partial<Thread> = {},
  more: ReadonlyArray<string> = [],
  rule = "py/bare-except"
): Thread =>
  thread(String(n), [`text\n\n${markerText({ kind: "finding", fingerprint: fingerprint(n), rule })}`, ...more], over)

/** The numbers of findings, and the ids of threads. */
const shape = ({ comments, fixed, left, listed, moved }: Reconciliation) => ({
  comments: comments.map(({ finding }) => finding.title),
  listed: listed.map(({ finding }) => finding.title),
  left: left.map(({ finding }) => finding.title),
  moved: moved.map(({ placed, thread }) => `${thread.id} ${placed.finding.title}`),
  fixed: fixed.map(({ id }) => id)
})
const none = { comments: [], listed: [], left: [], moved: [], fixed: [] }

describe("reconciliation", () => {
  test("posts a new finding on its line, and lists one that is not on a line of the diff", () => {
    const findings = [found(1), found(2, { line: 20 }), found(3, { line: null }), found(4, { path: "other.py" })]
    expect(shape(reconcile(facts(findings, [])))).toEqual({
      ...none,
      comments: ["Finding 1"],
      listed: ["Finding 2", "Finding 3", "Finding 4"]
    })
  })

  test("leaves a finding that has a thread, wherever its line is now", () => {
    expect(shape(reconcile(facts([found(1, { line: 41 })], [begun(1)])))).toEqual({ ...none, left: ["Finding 1"] })
  })

  test("respects that a person resolved a thread", () => {
    const resolved = { isResolved: true, resolvedBy: "grace" }
    expect(shape(reconcile(facts([found(1)], [begun(1, resolved)])))).toEqual({ ...none, left: ["Finding 1"] })
    expect(shape(reconcile(facts([], [begun(1, resolved)])))).toEqual(none)
  })

  test("ignores the comments of people and of other bots with the same marker", () => {
    const [first] = begun(1).comments
    const theirs = begun(1, { comments: [{ ...first, isOwn: false, author: "mallory" }] })
    expect(shape(reconcile(facts([found(1)], [theirs])))).toEqual({ ...none, comments: ["Finding 1"] })
    const own = begun(2)
    const reply = { author: "mallory", isOwn: false, body: fixedText(fingerprint(2), "py/bare-except", headSha) }
    const answered: Thread = { ...own, comments: [...own.comments, reply] }
    expect(shape(reconcile(facts([found(2)], [answered])))).toEqual({ ...none, left: ["Finding 2"] })
    const isQuoted = thread("3", [
      "no marker",
      `\n\n${markerText({ kind: "finding", fingerprint: fingerprint(3), rule: "-" })}`
    ])
    expect(shape(reconcile(facts([], [isQuoted])))).toEqual(none)
  })

  test("closes the thread of a finding that is gone, once", () => {
    expect(shape(reconcile(facts([], [begun(1)])))).toEqual({ ...none, fixed: ["1"] })
    const answered = begun(1, {}, [fixedText(fingerprint(1), "py/bare-except", headSha)])
    expect(shape(reconcile(facts([], [answered])))).toEqual(none)
  })

  test("closes nothing after a partial review, and nothing in a file that was not reviewed", () => {
    expect(shape(reconcile(facts([], [begun(1)], { isComplete: false })))).toEqual(none)
    expect(shape(reconcile(facts([], [begun(1)], { reviewed: new Set(["b.py"]) })))).toEqual(none)
    const reverted = begun(1, { path: "gone.py" })
    expect(shape(reconcile(facts([], [reverted], { reviewed: new Set(["b.py"]) })))).toEqual({ ...none, fixed: ["1"] })
  })

  test("calls no finding fixed that is in the baseline or suppressed, and counts its thread", () => {
    const thread = begun(1, { isOutdated: true, line: null })
    const unsure = (over: Partial<Facts>) => reconcile(facts([], [thread], over)).unsure.map(({ id }) => id)
    expect(unsure({ known: [fingerprint(1)] })).toEqual(["1"])
    const suppressed = (n: number, path: string) => [{ fingerprint: fingerprint(n), path, rule: "py/bare-except" }]
    expect(unsure({ suppressed: suppressed(1, "a.py") })).toEqual(["1"])
    // The comment changed its line.
    expect(unsure({ suppressed: suppressed(2, "a.py") })).toEqual(["1"])
    expect(unsure({ known: [fingerprint(2)], suppressed: suppressed(2, "b.py") })).toEqual([])
  })

  test("does not call a model's finding fixed if the model did not repeat it about the same lines", () => {
    expect(shape(reconcile(facts([], [begun(1, {}, [], "model/review")])))).toEqual(none)
    const outdated = begun(1, { isOutdated: true, line: null }, [], "model/review")
    expect(shape(reconcile(facts([], [outdated])))).toEqual({ ...none, fixed: ["1"] })
  })

  test("follows a finding to a file that the pull request adds under another name", () => {
    const files = [diffFile("z.py")]
    const at = (n: number, path: string) => found(n, { path, title: "Same words", body: "It breaks." })
    const first = commentText({ finding: at(1, "a.py"), anchor: null })
    const begunWith = (...replies: ReadonlyArray<string>) =>
      thread("1", [first.replaceAll("\n", "\r\n"), ...replies], { isOutdated: true, line: null })
    const shapeOf = (findings: ReadonlyArray<FoundFinding>, threads: ReadonlyArray<Thread>) =>
      shape(reconcile(facts(findings, threads, { files })))
    const now = at(2, "z.py")
    expect(shapeOf([now], [begunWith()])).toEqual({ ...none, moved: ["1 Same words"] })
    expect(shapeOf([now], [begunWith(movedText(now, headSha))])).toEqual({ ...none, left: ["Same words"] })
    const twice = [now, { ...now, fingerprint: fingerprint(3), line: 3, end_line: 3 }]
    const both = reconcile(facts(twice, [begunWith(), { ...begunWith(), id: "2" }], { files }))
    expect(both.moved.map(({ placed, thread }) => [thread.id, placed.finding.line])).toEqual([
      ["1", 2],
      ["2", 3]
    ])
    const other = { ...now, title: "Other words" }
    expect(shapeOf([other], [begunWith()])).toEqual({ ...none, comments: ["Other words"], fixed: ["1"] })
  })

  test("follows a finding whose code changed or moved to a renamed file", () => {
    const outdated = begun(1, { isOutdated: true, line: null })
    expect(shape(reconcile(facts([found(2)], [outdated])))).toEqual({ ...none, moved: ["1 Finding 2"] })
    const renamed = { ...diffFile("new.py"), status: "renamed" as const, oldPath: "a.py" }
    const moved = reconcile(facts([found(2, { path: "new.py" })], [begun(1)], { files: [renamed] }))
    expect(shape(moved)).toEqual({ ...none, moved: ["1 Finding 2"] })
    const both = reconcile(facts([found(2), found(3, { line: 3 })], [outdated]))
    expect(shape(both)).toEqual({ ...none, comments: ["Finding 2", "Finding 3"], fixed: ["1"] })
    const followed = begun(1, {}, [movedText(found(2), headSha)])
    expect(shape(reconcile(facts([found(2)], [followed])))).toEqual({ ...none, left: ["Finding 2"] })
  })

  test("posts a finding that is back after a fix", () => {
    const answered = begun(1, { isResolved: true }, [fixedText(fingerprint(1), "py/bare-except", headSha)])
    expect(shape(reconcile(facts([found(1)], [answered])))).toEqual({ ...none, comments: ["Finding 1"] })
    expect(shape(reconcile(facts([found(1)], [answered, begun(1)])))).toEqual({ ...none, left: ["Finding 1"] })
  })

  test("posts at most fifty comments and lists the others", () => {
    const many = Array.from({ length: mostComments + 3 }, (_, n) => found(n))
    const { comments, listed } = reconcile(facts(many, []))
    expect([comments.length, listed.length]).toEqual([mostComments, 3])
  })

  const Some = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))
  const Push = Schema.Struct({ before: Some, after: Some, resolved: Some, outdated: Some, moved: Schema.Boolean })

  it.prop(
    "does nothing the second time, and loses no finding",
    Push,
    ({ after, before, moved, outdated, resolved }) => {
      const findings = [...new Set(after)].map((n) => found(n, { line: n % 2 === 0 ? 2 : 20 }))
      const threads = before.map((n) =>
        begun(n, {
          isOutdated: outdated.includes(n),
          isResolved: resolved.includes(n),
          path: moved ? "old.py" : "a.py"
        })
      )
      const files = [{ ...diffFile("a.py"), ...(moved ? { status: "renamed" as const, oldPath: "old.py" } : {}) }]
      const first = reconcile(facts(findings, threads, { files }))
      const known = [...first.comments, ...first.left, ...first.listed, ...first.moved.map(({ placed }) => placed)]
      expect(known.map(({ finding }) => finding.title).sort()).toEqual(findings.map(({ title }) => title).sort())
      const second = reconcile(facts(findings, carriedOut(first, threads).threads, { files }))
      expect({ ...shape(second), left: [], listed: [] }).toEqual(none)
      expect(shape(second).listed).toEqual(shape(first).listed)
    }
  )
})

/** The threads afterwards. */
const carriedOut = ({ comments, fixed, moved }: Reconciliation, threads: ReadonlyArray<Thread>): Discussion => {
  const answer = (given: Thread): Thread => {
    const to = moved.find(({ thread }) => thread === given)
    const marker = markerIn(given.comments[0].body)
    const replies = [
      ...(to === undefined ? [] : [movedText(to.placed.finding, headSha)]),
      ...(fixed.includes(given) ? [fixedText(marker!.fingerprint, marker!.rule, headSha)] : [])
    ].map((body) => ({ author: "dd", isOwn: true, body }))
    return { ...given, comments: [...given.comments, ...replies] }
  }
  return discussion([
    ...threads.map(answer),
    ...comments.map((placed, at) => thread(`new ${at}`, [commentText(placed)]))
  ])
}
