import { describe, expect } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { everyRun } from "../../../src/domain/record/RunFilter.ts"
import { ArchiveIndex } from "../../../src/services/record/ArchiveIndex.ts"
import { BundleNotWritten, Bundles } from "../../../src/services/record/Bundles.ts"
import { pruneDaily, pruneRuns, type Retention } from "../../../src/services/record/pruneRuns.ts"
import { makePlace, observation, row, session, using } from "../../support/archive.ts"
import { it } from "../../support/effect.ts"

const today = "2026-06-30T12:00:00.000Z"
const weeks: Retention = { age: Duration.weeks(2), bytes: null }
const at = (time: string) => TestClock.setTime(Date.parse(time))

/** Archived runs: the time of each, and its size. */
const archived = Effect.fnUntraced(function* (runs: ReadonlyArray<readonly [string, number]>) {
  const place = yield* makePlace
  yield* at(today)
  for (const [n, [, size]] of runs.entries()) {
    const bundle = join(place, "runs", session(n))
    mkdirSync(join(bundle, "deep"), { recursive: true })
    writeFileSync(join(bundle, "deep", "all.json"), "x".repeat(size))
  }
  yield* using(
    place,
    ArchiveIndex.use(({ add }) => add(runs.map(([time], n) => row(n, { archived_at: time }))))
  )
  return place
})

const label = (place: string, n: number) =>
  using(
    place,
    Effect.gen(function* () {
      const { addLabels } = yield* ArchiveIndex
      const bundles = yield* Bundles
      yield* addLabels({ observations: [observation(n, "accepted", today)], findings: [] }, bundles.addLabels)
    })
  )

const kept = (place: string) =>
  using(
    place,
    Effect.gen(function* () {
      const rows = yield* ArchiveIndex.use(({ page }) => page(everyRun, "", 1000))
      const bundles = readdirSync(join(place, "runs")).toSorted()
      expect(rows.map(({ session_id }) => session_id)).toEqual(bundles as (typeof rows)[number]["session_id"][])
      return bundles.map((name) => Number(name.slice(-12)))
    })
  )

const daily = (place: string, retention: Retention) => using(place, pruneDaily(retention))

const old = "2026-01-01T00:00:00.000Z"
const recent = "2026-06-28T00:00:00.000Z"
const justNow = "2026-06-30T11:59:00.000Z"

describe("old runs are removed without being asked", () => {
  it.effect("by age, and never one that has a label, or whose finding has one", () =>
    Effect.gen(function* () {
      const place = yield* archived([
        [old, 1],
        [old, 1],
        [recent, 1],
        [old, 1]
      ])
      yield* label(place, 1)
      // Of an index that was lost: the label is only in its file.
      writeFileSync(join(place, "labels", `${session(3)}.jsonl`), "\n")
      yield* daily(place, weeks)
      expect(yield* kept(place)).toEqual([1, 2, 3])
    })
  )

  it.effect("by size, the oldest first; what was archived since yesterday stays", () =>
    Effect.gen(function* () {
      const place = yield* archived([
        ["2026-06-01T00:00:00Z", 10],
        ["2026-06-03T00:00:00Z", 400],
        ["2026-06-02T00:00:00Z", 400],
        [justNow, 900]
      ])
      yield* daily(place, { age: null, bytes: 1400 })
      expect(yield* kept(place)).toEqual([1, 3])
      yield* at("2026-07-01T12:01:00Z")
      yield* daily(place, { age: null, bytes: 800 })
      expect(yield* kept(place)).toEqual([])
    })
  )

  it.effect("at most once a day, unless there is more than one pass does", () =>
    Effect.gen(function* () {
      const place = yield* archived([
        [old, 1],
        [recent, 1]
      ])
      yield* daily(place, weeks)
      expect(yield* kept(place)).toEqual([1])
      const hours: Retention = { age: Duration.hours(30), bytes: null }
      yield* daily(place, hours)
      expect(yield* kept(place)).toEqual([1])
      yield* at("2026-07-01T12:00:01Z")
      yield* daily(place, hours)
      expect(yield* kept(place)).toEqual([])

      const many = yield* archived(
        Array.from({ length: 50 }, (_, n) => [`2025-01-01T00:00:00.${100 + n}Z`, 1] as const)
      )
      const sizes = { age: null, bytes: 0 }
      const left: Array<number> = []
      for (let pass = 0; pass < 3; pass++) {
        yield* daily(many, sizes)
        left.push((yield* kept(many)).length)
      }
      expect(left).toEqual([30, 10, 0])
    })
  )

  it.effect("never if the limits are switched off; a clock that was wrong does not stop it", () =>
    Effect.gen(function* () {
      const place = yield* archived([[old, 1]])
      yield* daily(place, { age: null, bytes: null })
      expect(yield* kept(place)).toEqual([0])
      yield* using(
        place,
        ArchiveIndex.use(({ markPruned }) => markPruned("2099-01-01T00:00:00.000Z"))
      )
      yield* daily(place, weeks)
      expect(yield* kept(place)).toEqual([])
    })
  )

  it.effect("but not a run that was labelled after it was found", () =>
    Effect.gen(function* () {
      const place = yield* archived([
        [old, 1],
        [old, 1]
      ])
      const removed = yield* using(
        place,
        Effect.gen(function* () {
          const index = yield* ArchiveIndex
          const found = yield* index.beyond({ before: recent, maxBytes: null })
          yield* label(place, 0)
          return yield* index.remove(
            found.map(({ session_id }) => session_id),
            "unlabelled"
          )
        })
      )
      expect(removed).toEqual([session(1)])
    })
  )

  it.effect("and a bundle that cannot be removed is tried once a day", () =>
    Effect.gen(function* () {
      const place = yield* archived([[old, 1]])
      const refused = Layer.effect(
        Bundles,
        Bundles.use((bundles) =>
          Effect.succeed({
            ...bundles,
            remove: (path: string) => Effect.fail(new BundleNotWritten({ path, reason: "EROFS" }))
          })
        )
      )
      const failing = using(place, Effect.provide(Effect.flip(pruneDaily(weeks)), refused))
      expect((yield* failing).message).toContain("EROFS")
      yield* daily(place, weeks)
    })
  )
})

describe("runs are removed on request", () => {
  it.effect("with the sizes of all, also of those that no pass has measured", () =>
    Effect.gen(function* () {
      const place = yield* archived(Array.from({ length: 510 }, () => [old, 3] as const))
      const request = { before: null, maxBytes: 30, labelled: false, dryRun: true }
      const pruned = yield* using(place, pruneRuns(request))
      expect([pruned.runs.length, pruned.bytes, pruned.kept]).toEqual([500, 1500, 0])
      expect((yield* kept(place)).length).toBe(510)
    })
  )
})
