import { describe, expect } from "bun:test"
import { Schema } from "effect"
import type { Severity } from "../../../src/domain/finding/Finding.ts"
import { hides, type LearnedSuppression } from "../../../src/domain/finding/LearnedSuppression.ts"
import { emptyGeneration, Generation } from "../../../src/domain/night/Generation.ts"
import type { Judgement, LabelledFinding, LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { mustShow } from "../../../src/domain/night/mustShow.ts"
import type { Proposal, RefusedProposal } from "../../../src/domain/night/Proposal.ts"
import { proposalsOf } from "../../../src/domain/night/proposals.ts"
import { applied } from "../../../src/domain/night/reduce.ts"
import { rolledBackBetween, rolledBackNotes } from "../../../src/domain/night/rolledBack.ts"
import { newestTime } from "../../../src/domain/night/split.ts"
import { it } from "../../support/effect.ts"
import {
  judged,
  onDay,
  places,
  reviewOn,
  SomePlace,
  SomeReviews,
  SomeTurn,
  someReviews
} from "../../support/night/labels.ts"
import { digest, isProtected, learning } from "../../support/night/learning.ts"
import { syntheticArchive } from "../../support/night/syntheticArchive.ts"

type Reviews = ReadonlyArray<LabelledReview>

const now = onDay(30)
const empty = emptyGeneration("p")

/** All reviews are build. */
const proposed = (
  build: Reviews,
  given: {
    current?: Generation
    refused?: ReadonlyArray<RefusedProposal>
    at?: number
    later?: Reviews
  } = {}
) =>
  proposalsOf(
    {
      ...{
        build,
        later: given.later ?? [],
        newest: newestTime({ build, gate: [], sealed: [] }),
        now: given.at ?? now,
        digest,
        isProtected
      },
      mustShow: mustShow([...build, ...(given.later ?? [])])
    },
    given.current ?? empty,
    given.refused ?? []
  )
const learned = (build: Reviews, current: Generation = empty, at = now): Generation =>
  applied(current, proposed(build, { current, at }), { run: "r", iteration: 1, now: at })

const kinds = (proposals: ReadonlyArray<Proposal>) => proposals.map(({ kind }) => kind)
const suppressions = (build: Reviews): ReadonlyArray<LearnedSuppression> => learned(build).suppressions
const where = (build: Reviews) => suppressions(build).map(({ folder, rule }) => `${rule} ${folder}`)
const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)
const labels = (rejected: number, accepted: number, given: Partial<LabelledFinding> = {}, name = "s") =>
  judged([...times(accepted, "accepted" as const), ...times(rejected, "rejected" as const)], given, name)

describe("a suppression", () => {
  it("needs so many rejections that half of the next are probably rejected", () => {
    expect(where(labels(3, 0))).toEqual([])
    expect(where(labels(4, 0))).toEqual(["py/loop-closure src/"])
    expect(where(labels(5, 1))).toEqual([])
    expect(where(labels(7, 1))).toEqual(["py/loop-closure src/"])
  })

  it("needs rejections of more than four in five, however many there are", () => {
    expect(where(labels(24, 12))).toEqual([])
    expect(where(labels(40, 10))).toEqual([])
    expect(where(labels(41, 10))).toEqual(["py/loop-closure src/"])
  })

  it("is not made, and ends, if half of the newest eight labels of all sets are no rejections", () => {
    const build = labels(30, 0)
    const later = (judgements: ReadonlyArray<Judgement>, file = "src/a.py") =>
      judgements.map((judgement, day) => reviewOn(`later${day}`, 31 + day, [{ judgement, file }]))
    const made = (gate: Reviews, current = empty) =>
      applied(current, proposed(build, { later: gate, current, at: onDay(40) }), { run: "r", iteration: 1, now })
        .suppressions
    expect(made(later(times(3, "accepted")))).toMatchObject([{ folder: "src/" }])
    expect(made(later(times(4, "accepted")))).toEqual([])
    expect(made(later(times(4, "contested")))).toEqual([])
    expect(made(later([...times(4, "accepted" as const), ...times(5, "rejected" as const)]))).toMatchObject([
      { folder: "src/" }
    ])
    expect(made(later(times(4, "accepted"), "test/a.py"))).toMatchObject([{ folder: "src/" }])
    expect(made(later(times(4, "accepted")), learned(build))).toEqual([])
  })

  it("is not made for parts of a folder whose newest labels are no rejections", () => {
    const build = [...labels(20, 0, { file: "src/a/x.py" }, "a"), ...labels(20, 0, { file: "src/b/x.py" }, "b")]
    const gate = times(4, 0).map((_, day) =>
      reviewOn(`g${day}`, 25 + day, [{ judgement: "accepted", file: "src/b/y.py" }])
    )
    const kept = (of: Reviews) => kinds(proposed(build, { later: of }))
    expect(kept([])).toContain("suppress")
    expect(kept(gate)).not.toContain("suppress")
  })

  it("needs two reviews", () => {
    const finding = { judgement: "rejected" as const }
    expect(where([reviewOn("s", 1, times(9, finding))])).toEqual([])
    expect(where([reviewOn("s", 1, times(9, finding)), reviewOn("t", 2, [finding])])).toHaveLength(1)
  })

  it("needs five findings of three reviews if they are high", () => {
    expect(where(labels(4, 0, { severity: "high" }))).toEqual([])
    expect(where(labels(5, 0, { severity: "high" }))).toHaveLength(1)
    const findings = times(3, { judgement: "rejected" as const, severity: "high" as const })
    expect(where([reviewOn("s", 1, findings), reviewOn("t", 2, findings)])).toEqual([])
  })

  it("hides no high finding that somebody accepted or contested", () => {
    expect(where(labels(60, 1, { severity: "high" }))).toEqual([])
    const contested = judged(["contested"], { severity: "high" }, "c")
    expect(where([...labels(60, 0, { severity: "high" }), ...contested])).toEqual([])
  })

  it("hides nothing of a higher severity than the findings that people rejected", () => {
    const build = [
      ...labels(4, 0, { severity: "low" }, "low"),
      ...labels(4, 0, { severity: "low", file: "src/b.py" }, "b")
    ]
    const [low] = suppressions(build)
    const isHidden = (severity: Severity) => hides(low!, { file: "src/new.py", rule: low!.rule, severity }, now)
    expect((["low", "medium", "high"] as const).map(isHidden)).toEqual([true, false, false])
    const [medium] = suppressions([...build, ...labels(1, 0, { severity: "medium" }, "medium")])
    expect(medium).toMatchObject({ severity: "medium" })
  })

  it("is never made for secrets and for claims of models", () => {
    expect(where(labels(60, 0, { rule: "secret/provider-token" }))).toEqual([])
    expect(where(labels(60, 0, { rule: "model/review" }))).toEqual([])
  })

  it("counts a finding once, however many reviews repeat it", () => {
    expect(where(labels(60, 0, { fingerprint: "dd1:same" }))).toEqual([])
    expect(where(labels(60, 0, { fingerprint: "" }))).toHaveLength(1)
  })

  it("counts the newest judgement of a finding, with the label that gave it first", () => {
    const changed = { fingerprint: "dd1:same" }
    const before = [...labels(4, 0), ...labels(1, 0, changed, "early")]
    expect(suppressions(before)[0]).toMatchObject({ rejected: 5, accepted: 0 })
    const after = [...before, reviewOn("later", 9, [{ ...changed, judgement: "accepted" }])]
    expect(where(after)).toEqual([])
    const again = [...before, reviewOn("later", 9, [{ ...changed, judgement: "rejected" }])]
    expect(suppressions(again)[0]?.evidence).toEqual(suppressions(before)[0]!.evidence)
  })

  it("takes the folder that separates rejected findings from accepted ones", () => {
    const accepted = labels(0, 9, { file: "src/core/b.py" }, "core")
    expect(where([...labels(6, 0, { file: "src/old/a.py" }), ...accepted])).toEqual(["py/loop-closure src/old/"])
    const direct = labels(0, 9, { file: "src/b.py" }, "direct")
    expect(where([...labels(6, 0, { file: "src/old/a.py" }), ...direct])).toEqual(["py/loop-closure src/old/"])
  })

  it("takes no folder of which one sub-folder, or the files between sub-folders, disagree", () => {
    const old = labels(40, 0, { file: "src/old/a.py" })
    const other = labels(40, 0, { file: "src/other/a.py" }, "o")
    const folders = ["py/loop-closure src/old/", "py/loop-closure src/other/"]
    expect(where([...old, ...other])).toEqual(["py/loop-closure src/"])
    expect(where([...old, ...other, ...labels(0, 2, { file: "src/core/b.py" }, "c")]).toSorted()).toEqual(folders)
    expect(where([...old, ...other, ...labels(0, 2, { file: "src/b.py" }, "d")]).toSorted()).toEqual(folders)
    expect(where([...old, ...other, ...labels(0, 1, { file: "src/core/b.py" }, "e")])).toEqual(["py/loop-closure src/"])
  })

  it("takes the folder above several in which findings are rejected", () => {
    const spread = ["src/a/", "src/b/", "src/c/"].flatMap((folder) => labels(2, 0, { file: `${folder}x.py` }, folder))
    expect(where(spread)).toEqual(["py/loop-closure src/"])
    expect(where([...labels(9, 0, { file: "src/a/x.py" }), ...labels(1, 0, { file: "test/x.py" }, "t")])).toEqual([
      "py/loop-closure src/a/"
    ])
  })

  it("takes the files of the root directory alone, and the repository only if two of its folders agree", () => {
    const root = labels(40, 0, { file: "a.py" }, "root")
    const [own] = suppressions(root)
    expect(own).toMatchObject({ folder: "./", rejected: 40 })
    const isHidden = (file: string) => hides(own!, { file, rule: own!.rule, severity: "medium" }, now)
    expect(["other.py", "deep/x/n.py", "src/n.py"].map(isHidden)).toEqual([true, false, false])

    const src = labels(20, 0, { file: "src/a.py" }, "src")
    const both = ["py/loop-closure ./", "py/loop-closure src/"]
    expect(where([...root, ...src]).toSorted()).toEqual(both)
    expect(where([...root, ...src, ...labels(1, 0, { file: "lib/a.py" }, "lib")]).toSorted()).toEqual(both)
    expect(where([...src, ...labels(2, 0, { file: "lib/a.py" }, "lib")])).toEqual(["py/loop-closure "])
  })

  it("of the repository becomes one of its root directory if only labels there carry it", () => {
    const root = labels(6, 0, { file: "a.py" }, "root")
    const [made] = suppressions(root)
    const whole = Generation.make({ ...empty, suppressions: [{ ...made!, id: "sup-whole", folder: "" }] })
    const narrow = proposed(root, { current: whole }).find(({ kind }) => kind === "narrow")
    expect(narrow).toMatchObject({ corrects: true, end: ["sup-whole"] })
    expect(learned(root, whole).suppressions.map(({ folder }) => folder)).toEqual(["./"])
  })

  it("names its evidence", () => {
    expect(suppressions(labels(4, 0))[0]).toEqual({
      id: `sup-${digest("py/loop-closure\nsrc/").slice(0, 16)}`,
      rule: "py/loop-closure",
      folder: "src/",
      rejected: 4,
      accepted: 0,
      evidence: [0, 1, 2, 3].map((number) => ({ session: `s${number}`, finding: 1 })),
      since: now,
      expires: onDay(3 + 90),
      severity: "medium"
    })
  })

  it("ends 90 days after the last rejection, and does not come back", () => {
    const build = labels(4, 0)
    const generation = learned(build)
    expect(proposed(build, { current: generation, at: onDay(92.9) })).toEqual([])
    expect(kinds(proposed(build, { current: generation, at: onDay(93) }))).toEqual(["expire"])
    const later = learned(build, generation, onDay(93))
    expect(later.suppressions).toEqual([])
    expect(proposed(build, { current: later, at: onDay(94) })).toEqual([])
  })

  it("does not hide where people accepted a high finding later, and ends if it does", () => {
    const high = { severity: "high" as const }
    const build = judged(
      Array.from({ length: 8 }, () => "rejected" as const),
      high
    )
    const before = learned(build)
    expect(before.suppressions).toHaveLength(1)
    const later = judged(["accepted"], high, "later")
    expect(proposed(build, { later }).filter(({ kind }) => kind === "suppress")).toEqual([])
    expect(proposed(build, { later, current: before }).map(({ kind }) => kind)).toContain("expire")
    const elsewhere = judged(["accepted"], { ...high, file: "lib/b.py" }, "later")
    expect(proposed(build, { later: elsewhere, current: before }).map(({ kind }) => kind)).not.toContain("expire")
  })

  it("ends if people accepted a finding that it hid, of any severity and however new; one that was shown decides nothing", () => {
    const build = labels(25, 0)
    const current = learned(build)
    const id = current.suppressions[0]!.id
    const ended = (given: Partial<LabelledFinding>, judgement: "accepted" | "rejected" = "accepted") =>
      kinds(proposed(build, { current, later: judged([judgement], { fingerprint: "new", ...given }, "later") }))
    expect(ended({ hiddenBy: id })).toEqual(["expire"])
    expect(ended({ hiddenBy: id }, "rejected")).toEqual([])
    expect(ended({ hiddenBy: id, file: "lib/b.py" })).toEqual([])
    expect(ended({})).toEqual([])
  })

  it("does not age by the time between the build set and the newest review", () => {
    const newest = onDay(203)
    const [proposal] = proposalsOf(
      { build: labels(4, 0), later: [], newest, now: newest, digest, isProtected, mustShow: [] },
      empty,
      []
    ).filter(({ kind }) => kind === "suppress")
    expect(proposal?.put.suppressions?.[0]?.expires).toBe(onDay(203 + 90))
  })

  it("that is learned late ends 90 days after the newest review, less the days it was not rejected before", () => {
    const newest = onDay(203)
    const build = [...labels(4, 0), ...labels(0, 40, { file: "lib/b.py" }, "later")]
    const [proposal] = proposalsOf(
      { build, later: [], newest, now: newest, digest, isProtected, mustShow: [] },
      empty,
      []
    ).filter(({ kind }) => kind === "suppress")
    expect(proposal?.put.suppressions?.[0]?.expires).toBe(onDay(203 + 90 - (39 - 3)))
  })

  it("gets more time from new rejections", () => {
    const generation = learned(labels(4, 0))
    const more = [...labels(4, 0), reviewOn("more", 60, [{ judgement: "rejected" }])]
    const [renewal] = proposed(more, { current: generation, at: onDay(60) }).filter(({ kind }) => kind === "renew")
    expect(renewal).toMatchObject({ kind: "renew", expected: 1 })
    expect(renewal?.put.suppressions?.[0]).toMatchObject({ since: now, expires: onDay(150), rejected: 5 })
  })

  it("is widened, narrowed, or ends, as labels are added", () => {
    const old = labels(6, 0, { file: "src/old/a.py" })
    const generation = learned(old)
    const wider = [...old, ...labels(6, 0, { file: "src/new/a.py" }, "w")]
    const [widening] = proposed(wider, { current: generation }).filter(({ kind }) => kind !== "calibrate")
    expect(widening).toMatchObject({ kind: "widen", end: [generation.suppressions[0]!.id] })
    const wide = learned(wider, generation)
    expect(wide.suppressions.map(({ folder }) => folder)).toEqual(["src/"])

    const mixed = [...wider, ...labels(0, 9, { file: "src/new/b.py" }, "m")]
    const [narrowing] = proposed(mixed, { current: wide })
    expect(narrowing).toMatchObject({ kind: "narrow", corrects: true, end: [wide.suppressions[0]!.id] })
    const narrow = learned(mixed, wide)
    expect(narrow.suppressions.map(({ folder }) => folder)).toEqual(["src/old/"])

    const against = [...mixed, ...labels(0, 9, { file: "src/old/b.py" }, "x")]
    expect(kinds(proposed(against, { current: narrow }))).toContain("expire")
    expect(learned(against, narrow).suppressions).toEqual([])
  })

  it("ends when its labels are gone", () => {
    const generation = learned(labels(4, 0))
    const unlabelled = labels(4, 0).map((review) => ({
      ...review,
      findings: review.findings.map((finding) => ({ ...finding, judgement: null }))
    }))
    const [first] = proposed(unlabelled, { current: generation })
    expect(first).toMatchObject({ kind: "expire", corrects: true, evidence: [] })
  })

  it("that was rolled back stays away until labels after the rollback carry it", () => {
    const build = labels(6, 0)
    const first = learned(build)
    const without = Generation.make({ ...empty, number: 2, rolledBack: rolledBackBetween(empty, first, now) })
    expect(rolledBackNotes(without)).toEqual([
      "A rollback on 2026-02-04 took back the suppression of py/loop-closure in src/, the calibration of py/loop-closure: labels given before it do not count for that."
    ])
    expect(proposed(build, { current: without })).toEqual([])
    const older = [...build, ...labels(6, 0, {}, "older")]
    expect(proposed(older, { current: without })).toEqual([])
    const wider = [...build, ...labels(6, 0, { file: "src/b/x.py" }, "wider")]
    expect(learned(wider, without).suppressions).toEqual([])
    const later = (count: number) => [
      ...build,
      ...Array.from({ length: count }, (_, at) => reviewOn(`later${at}`, 31 + at, [{ judgement: "rejected" }]))
    ]
    expect(kinds(proposed(later(3), { current: without, at: onDay(40) }))).toEqual(["calibrate"])
    const again = learned(later(4), without, onDay(40))
    expect(again.suppressions.map(({ folder, rejected }) => [folder, rejected])).toEqual([["src/", 4]])
    expect(again.rolledBack).toEqual(without.rolledBack)
    expect(rolledBackNotes(again)).toEqual([])
    expect(proposed(later(4), { current: again, at: onDay(40) })).toEqual([])
  })

  it("of any kind that a rollback changed stays as it is until a label after the rollback", () => {
    const fixed = { file: "lib/x.py", rule: "ts/fixed", fixed: "passed" as const }
    const some = (count: number, name: string) => [
      ...labels(count, 0, {}, `no${name}`),
      ...labels(0, count, { file: "lib/x.py", rule: "ts/good" }, `yes${name}`),
      ...labels(0, count, fixed, `fix${name}`)
    ]
    const early = some(6, "a")
    const first = learned(early)
    const last = learned([...early, ...some(6, "b")], first)
    expect(
      [first.suppressions, first.conventions, first.playbooks, first.calibration].map((all) => all.length)
    ).toEqual([1, 2, 1, 3])
    const back = (to: Generation, from: Generation) =>
      Generation.make({ ...to, number: from.number + 1, rolledBack: rolledBackBetween(to, from, now) })
    const all = [...early, ...some(6, "b")]
    const content = ({ calibration, conventions, playbooks, suppressions }: Generation) => [
      ...[calibration, conventions, playbooks, suppressions]
    ]
    expect(content(last)).not.toEqual(content(first))
    // Also without what was there in between, and back again.
    for (const held of [
      back(first, last),
      back(first, empty),
      back(first, back(first, last)),
      back(first, back(empty, last))
    ]) {
      expect(proposed(all, { current: held })).toEqual([])
      expect(content(held)).toEqual(content(first))
      expect(rolledBackNotes(held)).toEqual([])
    }
    const held = back(first, last)
    const later = [...all, reviewOn("later", 32, [{ judgement: "rejected" }])]
    expect(kinds(proposed(later, { current: held, at: onDay(40) }))).toEqual(["calibrate", "renew"])
    expect(learned(later, held, onDay(40)).suppressions).toMatchObject([{ rejected: 13 }])
    expect(learned(later, held, onDay(40)).conventions).toEqual(first.conventions)
    // What is held yields to a label that must be shown, and to a label that is gone.
    const wanted = reviewOn("wanted", 31, [{ judgement: "accepted", severity: "high" }])
    expect(kinds(proposed(all, { current: held, later: [wanted] }))).toEqual(["expire"])
    expect(kinds(proposed(all.slice(1), { current: held }))).toEqual(["renew"])
  })

  it("that was refused is proposed again only with other labels", () => {
    const [first] = proposed(labels(4, 0)).filter(({ kind }) => kind === "suppress")
    const refused = [{ id: first!.id, basis: first!.basis }]
    expect(kinds(proposed(labels(4, 0), { refused }))).toEqual(["calibrate"])
    expect(kinds(proposed(labels(5, 0), { refused }))).toContain("suppress")
  })

  it("is not proposed for parts of a folder for which it was refused", () => {
    const build = ["src/a/", "src/b/"].flatMap((folder) => labels(6, 0, { file: `${folder}x.py` }, folder))
    const [wide] = proposed(build).filter(({ kind }) => kind === "suppress")
    const refused = [{ id: wide!.id, basis: wide!.basis }]
    expect(kinds(proposed(build, { refused }))).toEqual(["calibrate"])
    // What the corpus has of it stays.
    const current = learned(labels(6, 0, { file: "src/a/x.py" }, "src/a/"))
    expect(kinds(proposed(build, { current, refused }))).toEqual(["calibrate"])
  })

  it("stays as it is if its change was refused", () => {
    const generation = learned(labels(4, 0))
    const [renewal] = proposed(labels(5, 0), { current: generation }).filter(({ kind }) => kind === "renew")
    const refused = [{ id: renewal!.id, basis: renewal!.basis }]
    expect(kinds(proposed(labels(5, 0), { current: generation, refused }))).toEqual(["calibrate"])
  })
})

describe("a convention", () => {
  const conventions = (build: Reviews) => learned(build).conventions

  it("needs three accepted findings of two reviews", () => {
    expect(conventions(labels(0, 2))).toEqual([])
    expect(conventions(labels(0, 3))).toMatchObject([
      { folder: "src/", accepted: 3, rejected: 0, maturity: "candidate" }
    ])
    expect(conventions([reviewOn("s", 1, times(9, { judgement: "accepted" as const }))])).toEqual([])
  })

  it("matures with its evidence, and is contested when both sides have evidence", () => {
    expect(conventions(labels(0, 6))[0]?.maturity).toBe("provisional")
    expect(conventions(labels(0, 16))[0]?.maturity).toBe("established")
    expect(conventions(labels(1, 16))[0]?.maturity).toBe("provisional")
    expect(conventions(labels(4, 6))[0]).toMatchObject({ maturity: "contested", accepted: 6, rejected: 4 })
  })

  it("is one sentence that names the rule and what it reports, as sure as the labels are", () => {
    const text = (rejected: number, accepted: number) => conventions(labels(rejected, accepted))[0]?.text
    const what = "what py/loop-closure reports (Closure in a loop)"
    expect(text(0, 3)).toBe(`In src/, consider avoiding ${what}: people tend to accept its findings here`)
    expect(text(0, 6)).toBe(`In src/, avoid ${what}: people mostly accept its findings here`)
    expect(text(0, 16)).toBe(`In src/, avoid ${what}: people accept its findings here`)
    expect(text(4, 6)).toBe(`In src/, people disagree on ${what}: it is no rule here`)
  })

  it("is not made, and ends, if half of the newest eight labels of all sets do not accept", () => {
    const build = labels(0, 36)
    const later = (count: number) =>
      judged(times(count, "rejected"), {}, "later").map((each) => ({ ...each, at: onDay(40) }))
    const made = (count: number, current = empty) =>
      kinds(proposed(build, { current, later: later(count) })).filter((kind) => kind !== "calibrate")
    expect(made(3)).toEqual(["convention"])
    expect(made(4)).toEqual([])
    expect(made(4, learned(build))).toEqual(["retire"])
  })

  it("is demoted by rejections, and ends when they are the rule", () => {
    const generation = learned(labels(0, 6))
    expect(kinds(proposed(labels(3, 6), { current: generation }))).toContain("demote")
    expect(kinds(proposed(labels(30, 6), { current: generation }))).toContain("retire")
  })
})

describe("a playbook", () => {
  const fixes = (passed: number, failed: number) =>
    [...times(passed, "passed" as const), ...times(failed, "failed" as const)].map((fixed, index) =>
      reviewOn(`s${index}`, index, [{ fixed }], index === 0 ? "make check" : "bun test")
    )

  it("is what checked fixes of a rule have in common", () => {
    expect(learned(fixes(2, 0)).playbooks).toEqual([])
    expect(learned(fixes(3, 1)).playbooks).toMatchObject([
      {
        rule: "py/loop-closure",
        text: "Fix what py/loop-closure reports (Closure in a loop), then run bun test",
        check: "bun test",
        passed: 3,
        failed: 1
      }
    ])
    expect(learned(fixes(3, 3)).playbooks).toEqual([])
  })

  it("ends when most fixes fail", () => {
    const generation = learned(fixes(3, 0))
    expect(kinds(proposed(fixes(3, 3), { current: generation }))).toEqual(["retire"])
  })
})

describe("the calibration", () => {
  it("is the share of each rule and reporter, with the base rate as four labels", () => {
    const build = [...labels(6, 0), ...labels(0, 4, { rule: "model/review", by: "m" }, "m")]
    expect(learned(build).calibration).toMatchObject([
      { rule: "model/review", by: "m", accepted: 4, rejected: 0, probability: (4 + 4 * 0.4) / 8 },
      { rule: "py/loop-closure", by: "static", accepted: 0, rejected: 6, probability: (4 * 0.4) / 10 }
    ])
  })

  it("has an id that stays, and the labels that it counts as evidence", () => {
    const [first] = learned(labels(2, 0)).calibration
    const [later] = learned(labels(2, 2)).calibration
    expect(first?.id).toMatch(/^cal-[0-9a-f]{16}$/)
    expect(later?.id).toBe(first!.id!)
    const sessions = ["s0", "s1", "s2", "s3"]
    expect(later?.evidence).toEqual(sessions.map((session) => ({ session, finding: 1 })))
  })

  it("is empty without labels, and becomes empty when they are gone", () => {
    expect(proposed([reviewOn("s", 1, [{}])])).toEqual([])
    const current = Generation.make({ ...learned(labels(2, 2)), suppressions: [], conventions: [] })
    expect(learned([], current).calibration).toEqual([])
  })
})

describe("proposals", () => {
  it("correct first, then come by value and risk", () => {
    const current = learned(labels(9, 0, { rule: "ts/negated-left" }))
    const build = [
      ...labels(9, 9, { rule: "ts/negated-left" }),
      ...labels(4, 0, {}, "few"),
      ...labels(40, 0, { rule: "go/defer-in-loop" }, "many")
    ]
    const proposals = proposed(build, { current })
    expect(proposals.map(({ kind, put }) => `${kind} ${put.suppressions?.[0]?.rule ?? ""}`)).toEqual([
      "expire ",
      "calibrate ",
      "suppress go/defer-in-loop",
      "convention ",
      "suppress py/loop-closure"
    ])
  })

  const Shuffled = Schema.Struct({ reviews: SomeReviews, turn: SomeTurn })

  it.prop("do not depend on the order of the reviews", Shuffled, ({ reviews, turn }) => {
    const given = someReviews(reviews)
    const turned = [...given.slice(turn), ...given.slice(0, turn)].reverse()
    expect(proposed(turned)).toEqual(proposed(given))
  })

  it.prop("are none on a second night with the same labels", SomeReviews, (reviews) => {
    const given = someReviews(reviews)
    expect(proposed(given, { current: learned(given) })).toEqual([])
  })

  const Before = Schema.Struct({ reviews: SomeReviews, before: SomeTurn })

  it.prop("lead to the same corpus from any earlier one", Before, ({ before, reviews }) => {
    const given = someReviews(reviews)
    const { conventions, playbooks, suppressions } = learned(given, learned(given.slice(0, before)))
    const fresh = learned(given)
    const plain = (some: ReadonlyArray<LearnedSuppression>) => some.map(({ expires: _, since: __, ...each }) => each)
    expect(plain(suppressions)).toEqual(plain(fresh.suppressions))
    expect({ conventions, playbooks }).toEqual({ conventions: fresh.conventions, playbooks: fresh.playbooks })
  })

  const More = Schema.Struct({ reviews: SomeReviews, place: SomePlace })

  it.prop("never hide less because of one more rejection", More, ({ place, reviews }) => {
    const given = someReviews(reviews)
    const { file, rule, severity } = places[place]!
    const one = reviewOn("one", 0, [{ file, rule, severity, judgement: "rejected" }])
    const hidden = (build: Reviews) => {
      const all = suppressions(build)
      return places.filter((each) => all.some((suppression) => hides(suppression, each, now)))
    }
    expect(hidden([...given, one])).toEqual(expect.arrayContaining(hidden(given)))
  })

  it("of archives with known truth have evidence in the build set only, and none on a second night", () => {
    for (const seed of [1, 2, 3]) {
      const { now: morning, reviews } = syntheticArchive({ seed, reviews: 400 })
      const first = learning(reviews, morning)
      const build = new Set(reviews.slice(0, 260).map(({ session }) => session))
      expect(first.proposals.length).toBeGreaterThan(20)
      expect(first.proposals.flatMap(({ evidence }) => evidence).filter(({ session }) => !build.has(session))).toEqual(
        []
      )
      expect(learning(reviews, morning + 1, first).proposals).toEqual([])
    }
  })
})
