/** What a night reads: the archived reviews of a real repository, with their labels. */
import { describe, expect } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ArchivedRun } from "../../../src/domain/record/ArchivedRun.ts"
import { FindingLabel } from "../../../src/domain/record/FindingLabel.ts"
import { type Outcome, withMicroseconds } from "../../../src/domain/record/LabelObservation.ts"
import * as ArchiveLive from "../../../src/layers/ArchiveLive.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { LabelledReviews } from "../../../src/services/night/LabelledReviews.ts"
import { ArchiveIndex } from "../../../src/services/record/ArchiveIndex.ts"
import { Bundles } from "../../../src/services/record/Bundles.ts"
import { makePlace, row, session } from "../../support/archive.ts"
import { it } from "../../support/effect.ts"
import { finding } from "../../support/finding.ts"
import { makeRepository } from "../../support/repository.ts"

const now = Date.UTC(2026, 2, 1)

type Found = Parameters<typeof finding>[0]

const label = (n: number, number: number, verdict: Outcome, second: number, source = "human") =>
  FindingLabel.make({
    ...{ session_id: session(n), finding: number, verdict, source, note: null },
    ...{ observed_at: withMicroseconds(`2026-02-01T00:00:${String(second).padStart(2, "0")}.000Z`), valid_at: "" },
    ...{ fingerprint: "", text_hash: "", rule: "py/eval", file: "a.py", line: 2, end_line: 2 }
  })

/** A repository of `acme/shop` and an archive. */
const world = Effect.gen(function* () {
  const repository = yield* makeRepository
  repository.git("remote", "add", "origin", "git@github.com:acme/shop.git")
  repository.commit("First", { "a.py": "one\ntwo\nthree\n" })
  const place = yield* makePlace
  mkdirSync(place)
  const live = ArchiveLive.layer(place).pipe(Layer.provideMerge(Platform.layer))
  const archive = <A, E>(use: (index: ArchiveIndex["Service"]) => Effect.Effect<A, E>) =>
    ArchiveIndex.use((index) => Effect.andThen(index.open, use(index))).pipe(Effect.provide(live))
  const put = (n: number, name: string, text: string) => {
    mkdirSync(join(place, "runs", session(n)), { recursive: true })
    writeFileSync(join(place, "runs", session(n), name), text)
  }
  return {
    repository,
    put,
    addRow: (n: number) => archive(({ add }) => add([row(n)])),
    /** Archives a review with these findings. */
    add: (n: number, findings: ReadonlyArray<Found>, over: Partial<ArchivedRun> = {}, more: object = {}) =>
      Effect.andThen(
        archive(({ add }) => add([row(n, { head_sha: null, changed_files: '["a.py"]', ...over })])),
        Effect.sync(() => {
          const reported = findings.map((each, index) => {
            const { endLine, ...fields } = finding({ id: index + 1, ...each })
            return { ...fields, end_line: endLine }
          })
          put(
            n,
            "findings.json",
            JSON.stringify({
              ...{ schema_version: 1, session_id: session(n), status: "complete", findings: reported },
              ...{ dropped: [], suppressed: [], degraded: [], not_reviewed: [], notes: [] },
              ...more
            })
          )
        })
      ),
    label: (...findings: ReadonlyArray<FindingLabel>) =>
      Bundles.use(({ addLabels }) => addLabels({ observations: [], findings })).pipe(Effect.provide(live)),
    /** Other labels, in the index only. */
    poison: (...findings: ReadonlyArray<FindingLabel>) =>
      archive(({ addLabels }) => addLabels({ observations: [], findings }, () => Effect.void)),
    removed: (n: number) => rmSync(join(place, "runs", session(n)), { recursive: true }),
    read: (roots: ReadonlyArray<string> = [repository.root]) =>
      Effect.gen(function* () {
        const opened = yield* (yield* Git).open(repository.root)
        const both = LabelledReviews.use((all) => Effect.all({ read: all.read, counted: all.counted }))
        return yield* Effect.andThen(TestClock.setTime(now), both).pipe(
          Effect.provide(TestClock.layer()),
          Effect.map(({ counted, read }) => ({ ...read, counted })),
          Effect.provide(
            LabelledReviews.layer(opened, roots).pipe(
              Layer.provide([ArchiveLive.layer(place), Git.layer]),
              Layer.provide(Platform.layer)
            )
          )
        )
      }).pipe(Effect.provide(Git.layer.pipe(Layer.provideMerge(Platform.layer))))
  }
})

const sessionsOf = ({ reviews }: { readonly reviews: ReadonlyArray<{ readonly session: string }> }) =>
  reviews.map((each) => each.session)

describe("labelled reviews", () => {
  it.live("are those of clones with the same owner and name and of linked working trees, the oldest first", () =>
    Effect.gen(function* () {
      const at = yield* world
      const linked = `${at.repository.root}-linked`
      yield* at.add(3, [{}], { source_path: "/elsewhere/shop" })
      yield* at.add(2, [{}], { repo_slug: null, source_path: at.repository.root })
      yield* at.add(1, [{}], { repo_slug: null, source_path: linked })
      yield* at.add(4, [{}], { repo_slug: "acme/other", source_path: "/elsewhere/other" })
      yield* at.add(5, [{}], { repo_slug: null, source_path: "/elsewhere/without-remote" })
      const found = yield* at.read([at.repository.root, linked])
      expect(sessionsOf(found)).toEqual([session(1), session(2), session(3)])
      expect(found.reviews[0]).toMatchObject({ at: Date.parse("2026-01-01T00:00:01Z"), changedFiles: ["a.py"] })
    })
  )

  it.live("with findings that cannot be read are named and left out; a run that was stopped has none", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.add(1, [{}])
      yield* at.add(2, [{}])
      at.put(2, "findings.json", "{")
      yield* at.add(3, [{}], {}, { schema_version: 9 })
      yield* at.addRow(4)
      const found = yield* at.read()
      expect(sessionsOf(found)).toEqual([session(1)])
      expect(found.unreadable).toEqual([session(2), session(3)])
    })
  )

  it.live("have the labels of their files, whatever the index says", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.add(1, [{ rule: "py/eval" }])
      yield* at.label(label(1, 1, "accepted", 1))
      yield* at.poison(label(1, 1, "rejected", 2))
      const { counted, labels, reviews } = yield* at.read()
      expect(reviews[0]?.findings[0]?.judgement).toBe("accepted")
      expect([...labels, ...counted].map(({ verdict }) => verdict)).toEqual(["accepted", "accepted"])
    })
  )

  it.live(
    "without the findings that people labelled cannot be read, and have no labels; a removed one is neither",
    () =>
      Effect.gen(function* () {
        const at = yield* world
        for (const n of [1, 2, 3]) {
          yield* at.add(n, [{ rule: n === 1 ? "py/other" : "py/eval" }])
          yield* at.label(label(n, 1, "accepted", n))
        }
        at.put(2, "findings.json", "{")
        at.removed(3)
        const { labels, reviews, unreadable } = yield* at.read()
        expect(unreadable).toEqual([session(1), session(2)])
        expect([reviews, labels]).toEqual([[], []])
      })
  )

  it.live(
    "have the newest label of a person, which outranks every automatic one; labels that disagree are counted",
    () =>
      Effect.gen(function* () {
        const at = yield* world
        yield* at.add(1, [{}, {}, {}, {}])
        yield* at.label(
          ...[label(1, 1, "accepted", 1), label(1, 1, "rejected", 2), label(1, 1, "accepted", 3, "auto")],
          ...[label(1, 2, "accepted", 1, "auto"), label(1, 3, "unknown", 1)]
        )
        const { conflicting, labels, reviews } = yield* at.read()
        expect(reviews[0]?.findings.map(({ judgement, weak }) => [judgement, weak])).toEqual([
          ["rejected", "accepted"],
          [null, "accepted"],
          [null, null],
          [null, null]
        ])
        expect(reviews[0]?.findings[0]?.judgedAt).toBe(Date.parse("2026-02-01T00:00:02Z"))
        expect(reviews[0]?.findings[2]?.judgedAt).toBe(null)
        expect([conflicting, labels.length]).toEqual([1, 5])
      })
  )

  it.live("have no label that is dated later than now; they are counted, and earlier ones count instead", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.add(1, [{}, {}, {}])
      const ahead = withMicroseconds("2026-03-01T00:00:01.000Z")
      yield* at.label(
        ...[label(1, 1, "rejected", 1), FindingLabel.make({ ...label(1, 1, "accepted", 2), valid_at: ahead })],
        ...[FindingLabel.make({ ...label(1, 2, "accepted", 2), observed_at: ahead }), label(1, 3, "accepted", 3)]
      )
      const found = yield* at.read()
      expect(found.reviews[0]?.findings.map(({ judgement }) => judgement)).toEqual(["rejected", null, "accepted"])
      expect([found.ahead, found.labels.length]).toEqual([2, 4])
      expect(found.counted.map(({ finding, verdict }) => [finding, verdict])).toEqual([
        [1, "rejected"],
        [3, "accepted"]
      ])
    })
  )

  it.live(
    "have a weak label where a later commit removed the line, and none where the commit is gone; what is no longer there is known",
    () =>
      Effect.gen(function* () {
        const at = yield* world
        at.repository.commit("Adds a file", { "gone.py": "x\n" })
        const reviewed = at.repository.git("rev-parse", "HEAD")
        at.repository.git("rm", "--quiet", "gone.py")
        at.repository.commit("Moves one line and removes another", { "a.py": "new\none\nthree\n" })
        yield* at.add(1, [{ line: 1 }, { line: 2 }, { line: 3 }, { file: "gone.py", line: 1 }], { head_sha: reviewed })
        yield* at.add(2, [{ line: 2 }], { head_sha: "0".repeat(40) })
        yield* at.add(3, [{ line: 2 }], { head_sha: at.repository.git("rev-parse", "HEAD") })
        const { reviews } = yield* at.read()
        expect(reviews.map(({ findings }) => findings.map(({ weak }) => weak))).toEqual([
          [null, "accepted", null, null],
          [null],
          [null]
        ])
        expect(reviews.map(({ findings }) => findings.map(({ isGone }) => isGone))).toEqual([
          [false, true, false, true],
          [false],
          [false]
        ])
      })
  )

  it.live("name the learned suppressions that hid a finding", () =>
    Effect.gen(function* () {
      const at = yield* world
      const place = {
        rule: "py/eval",
        title: "t",
        stack: "python",
        severity: "high",
        file: "a.py",
        line: 1,
        end_line: 1
      }
      const suppressed = [
        { ...place, learned: "sup-0123456789abcdef", reason: "people rejected 7 of 7" },
        { ...place, reason: "learned sup-0123456789abcdef/a.py:1: a path" }
      ]
      yield* at.add(1, [], {}, { suppressed })
      expect((yield* at.read()).reviews[0]?.hiddenBy).toEqual(["sup-0123456789abcdef"])
    })
  )

  it.live("have the suppressed findings that people labelled, and no others", () =>
    Effect.gen(function* () {
      const at = yield* world
      const hidden = (id: number, by: object) => {
        const { endLine, ...fields } = finding({ id })
        return { ...fields, end_line: endLine, reason: "learned sup-0123456789abcdef/a.py:1", ...by }
      }
      const learned = { learned: "sup-0123456789abcdef" }
      const suppressed = [hidden(2, learned), hidden(3, learned), hidden(4, {})]
      yield* at.add(1, [{}], {}, { suppressed })
      yield* at.label(label(1, 2, "unknown", 1), label(1, 3, "accepted", 1), label(1, 4, "rejected", 1))
      const { reviews } = yield* at.read()
      expect(reviews[0]?.findings.map((each) => [each.finding, each.judgement, each.hiddenBy])).toEqual([
        [1, null, null],
        [3, "accepted", "sup-0123456789abcdef"],
        [4, "rejected", null]
      ])
      expect(reviews[0]?.hiddenBy).toEqual(["sup-0123456789abcdef", "sup-0123456789abcdef"])
    })
  )

  it.live("are none in an archive without runs, and in a repository without a commit", () =>
    Effect.gen(function* () {
      const at = yield* world
      at.repository.git("update-ref", "-d", "HEAD")
      expect(yield* at.read()).toEqual({
        reviews: [],
        unreadable: [],
        labels: [],
        conflicting: 0,
        ahead: 0,
        counted: []
      })
      yield* at.add(1, [{}], { head_sha: "0".repeat(40) })
      expect(sessionsOf(yield* at.read())).toEqual([session(1)])
    })
  )
})
