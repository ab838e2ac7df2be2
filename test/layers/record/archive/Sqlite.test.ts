import { Database } from "bun:sqlite"
import { describe, expect } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Logger } from "effect"
import { everyRun } from "../../../../src/domain/record/RunFilter.ts"
import { tables } from "../../../../src/layers/record/archive/migrations.ts"
import { ArchiveIndex } from "../../../../src/services/record/ArchiveIndex.ts"
import { makePlace, observation, row, session, using } from "../../../support/archive.ts"
import { it } from "../../../support/effect.ts"

const index = <A, E>(place: string, ask: (index: ArchiveIndex["Service"]) => Effect.Effect<A, E>) =>
  using(place, Effect.flatMap(ArchiveIndex, ask))

const add = (place: string, ...runs: ReadonlyArray<ReturnType<typeof row>>) => index(place, ({ add }) => add(runs))
const say = (place: string, ...observations: ReadonlyArray<ReturnType<typeof observation>>) =>
  index(place, ({ addLabels }) => addLabels({ observations, findings: [] }, () => Effect.void))
const only = (place: string) =>
  Effect.map(
    index(place, ({ list }) => list(everyRun)),
    ([found]) => found
  )

/** What SQLite itself says of a file. */
const asked = (place: string, sql: string): ReadonlyArray<Record<string, unknown>> => {
  const database = new Database(join(place, "index.db"))
  try {
    return database.query<Record<string, unknown>, []>(sql).all()
  } finally {
    database.close()
  }
}

describe("the index in SQLite", () => {
  it.live("has the seed's two tables, column by column, and its five indexes", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* index(place, ({ open }) => open)
      const columns = (table: string) =>
        asked(place, `PRAGMA table_info(${table})`).map(({ name, notnull, type, dflt_value: otherwise }) =>
          [name, type, ...(notnull === 1 ? ["NN"] : []), ...(otherwise === null ? [] : [otherwise])].join(" ")
        )
      expect(columns("runs")).toMatchSnapshot()
      expect(columns("runs").length).toBe(39)
      expect(columns("label_observations")).toMatchSnapshot()
      expect(columns("label_observations").length).toBe(14)
      const names = asked(
        place,
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
      )
      expect(names.map(({ name }) => name)).toEqual([
        "idx_finding_labels_fingerprint",
        "idx_label_obs_observed_at",
        "idx_label_obs_session",
        "idx_runs_archived_at",
        "idx_runs_outcome",
        "idx_runs_repo_slug"
      ])
      expect(asked(place, "PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }])
    })
  )

  it.live("is for its user's eyes only", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* add(place, row(1))
      expect(statSync(place).mode & 0o777).toBe(0o700)
      for (const name of readdirSync(place)) expect(statSync(join(place, name)).mode & 0o077).toBe(0)
    })
  )

  it.live("keeps every label when a run is archived again", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* add(place, row(1))
      yield* say(place, observation(1, "accepted", "2026-02-01T00:00:00Z", { rubric_json: '{"note":"good"}' }))
      yield* add(place, row(1, { total_findings: 7, composite_reward: 0.1 }))
      const found = yield* only(place)
      expect(found).toMatchObject({
        total_findings: 7,
        outcome_labels: '["accepted"]',
        labeled_at: "2026-02-01T00:00:00.000000Z",
        rubric_json: '{"note":"good"}',
        composite_reward: 0.5
      })
    })
  )

  it.live("ranks a person's label above a program's, then the newest first", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* add(place, row(1))
      yield* say(place, observation(1, "contested", "2026-02-01T00:00:00Z"))
      yield* say(place, observation(1, "rejected", "2026-03-01T00:00:00Z", { source: "auto" }))
      expect((yield* only(place))?.outcome_labels).toBe('["contested"]')
      yield* say(place, observation(1, "accepted", "2026-02-02T00:00:00Z"))
      expect((yield* only(place))?.outcome_labels).toBe('["accepted"]')
      yield* say(place, observation(1, "unknown", "2026-04-02T00:00:00Z"))
      expect((yield* only(place))?.outcome_labels).toBe("[]")
      const { observations } = yield* index(place, ({ labels }) => labels([session(1)], null))
      expect(observations.length).toBe(4)
    })
  )

  it.live("stores a repeated label of a program once, and every label of a person", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* add(place, row(1))
      for (const day of [1, 2, 3]) {
        yield* say(place, observation(1, "accepted", `2026-02-0${day}T00:00:00Z`, { source: "auto" }))
        yield* say(place, observation(1, "accepted", "2026-01-05T00:00:00Z", { labeler_version: `v${day}` }))
      }
      const { observations } = yield* index(place, ({ labels }) => labels([session(1)], null))
      expect(observations.map(({ observed_at, source }) => [source, observed_at])).toEqual([
        ["human", "2026-01-05T00:00:00.000000Z"],
        ["human", "2026-01-05T00:00:00.000001Z"],
        ["human", "2026-01-05T00:00:00.000002Z"],
        ["auto", "2026-02-01T00:00:00.000000Z"]
      ])
    })
  )

  it.live("stores nothing that could not be kept beside the bundle first", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* add(place, row(1))
      const said = { observations: [observation(1, "accepted", "2026-02-01T00:00:00Z")], findings: [] }
      const refused = yield* Effect.flip(
        index(place, ({ addLabels }) => addLabels(said, () => Effect.fail("no disk" as const)))
      )
      expect(refused).toBe("no disk")
      expect((yield* only(place))?.labeled_at).toBe(null)
    })
  )

  it.live("finds runs by repository, time, backend, label, cost and branch, the newest first", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* add(
        place,
        row(1),
        row(2, { repo_slug: "acme/till", branch: "x" }),
        row(3, { backend: "claude", total_cost_usd: 1.5 }),
        row(4, { total_cost_usd: null, repo_slug: null, source_path: "/home/[REDACTED_USER]/till" })
      )
      yield* say(place, observation(2, "rejected", "2026-02-01T00:00:00Z"))
      const found = (filter: Partial<typeof everyRun>) =>
        Effect.map(
          index(place, ({ list }) => list({ ...everyRun, ...filter })),
          (runs) => runs.map(({ session_id }) => Number(session_id.slice(-2)))
        )
      expect(yield* found({})).toEqual([4, 3, 2, 1])
      expect(yield* found({ limit: 2 })).toEqual([4, 3])
      expect(yield* found({ repo: "acme/shop" })).toEqual([3, 1])
      expect(yield* found({ repo: "till" })).toEqual([4, 2])
      expect(yield* found({ repo: "t%ll" })).toEqual([])
      expect(yield* found({ repo: "/src/shop", limit: 5 })).toEqual([3, 2, 1])
      expect(yield* found({ since: "2026-01-01T00:00:03.000Z" })).toEqual([4, 3])
      expect(yield* found({ backend: "claude" })).toEqual([3])
      expect(yield* found({ label: "rejected", limit: 9 })).toEqual([2])
      expect(yield* found({ label: "unknown" })).toEqual([4, 3, 1])
      expect(yield* found({ cost: { operator: ">", usd: 1 } })).toEqual([3])
      expect(yield* found({ cost: { operator: "=", usd: 0 } })).toEqual([2, 1])
      expect(yield* found({ cost: "unknown" })).toEqual([4])
      expect(yield* found({ branch: "x" })).toEqual([2])
      expect(yield* found({ repo: "' OR 1=1 --" })).toEqual([])
    })
  )
})

describe("an index of another program", () => {
  it.live("is left as it is when it is of a newer dd, with one error that reports it", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      mkdirSync(place)
      const database = new Database(join(place, "index.db"))
      database.run("CREATE TABLE future (x)")
      database.run("PRAGMA user_version = 99")
      database.close()
      const before = readFileSync(join(place, "index.db"))
      const error = yield* Effect.flip(add(place, row(1)))
      expect(error).toMatchObject({ _tag: "ArchiveTooNew", version: 99 })
      expect(readFileSync(join(place, "index.db")).equals(before)).toBe(true)
      expect(readdirSync(place)).toEqual(["index.db"])
    })
  )

  /** An index made with these columns, that has a run and what a person said of it. */
  const made = (
    place: string,
    version: number,
    leaves: (column: string) => boolean,
    more: ReadonlyArray<string> = []
  ) => {
    mkdirSync(place)
    const database = new Database(join(place, "index.db"))
    for (const { columns, key, name } of originalTables) {
      const primary = key === undefined ? [] : [`PRIMARY KEY (${key.join(", ")})`]
      const own = columns.filter((column) => leaves(`${name}.${column.split(" ")[0]}`))
      const extra = name === "runs" ? more : []
      if (own.length > 0) database.run(`CREATE TABLE ${name} (${[...own, ...extra, ...primary].join(", ")})`)
    }
    const fill = (table: string, values: object) => {
      const known = Object.entries(values).filter(([name]) => leaves(`${table}.${name}`))
      const names = known.map(([name]) => name)
      const marks = names.map(() => "?").join(", ")
      database
        .query(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`)
        .run(...known.map(([, value]) => value))
    }
    fill("runs", { ...row(1) })
    if (leaves("label_observations.session_id")) {
      fill("label_observations", { ...observation(1, "accepted", "2026-02-01T00:00:00Z") })
    }
    database.run(`PRAGMA user_version = ${version}`)
    database.close()
  }
  const originalTables = tables.filter(({ name }) => name === "runs" || name === "label_observations")
  const later = ["pipeline_status TEXT NOT NULL DEFAULT 'unknown'", "phase_states TEXT", "erosion REAL"]
  const needed = new Set(["runs.session_id", "label_observations.session_id", "label_observations.observed_at"])
  const bitemporal = ["valid_at", "has_posterior", "source"].map((name) => `label_observations.${name}`)
  const reward = ["rubric_json", "composite_reward", "has_posterior", "labeled_at", "base_sha", "changed_files"]
  const layouts: ReadonlyArray<readonly [string, number, (column: string) => boolean, ReadonlyArray<string>?]> = [
    ["the original program's, version 5", 5, () => true],
    ["the original program's, without a version", 0, () => true],
    ["the original program's with 38 columns", 4, (name) => name !== "runs.has_posterior"],
    ["the original program's with 33 columns", 3, (name) => !reward.some((each) => name === `runs.${each}`)],
    ["one with labels from before they had two times", 4, (name) => !bitemporal.includes(name)],
    ["one from before there were labels", 1, (name) => name.startsWith("runs.")],
    ["one with nothing but keys", 1, (name) => needed.has(name)],
    ["the original program's of the number of dd's", 6, () => true, later],
    ["the original program's of a later number", 7, (name) => name !== "runs.loop", later]
  ]
  for (const [what, version, leaves, more] of layouts) {
    it.live(`is brought up to date and keeps its runs and labels: ${what}`, () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        made(place, version, leaves, more)
        yield* add(place, row(2), row(1, { total_findings: 9 }))
        yield* say(place, observation(2, "rejected", "2026-02-02T00:00:00Z"))
        const runs = yield* index(place, ({ list }) => list(everyRun))
        expect(runs.map(({ session_id, total_findings }) => [session_id, total_findings])).toEqual([
          [session(2), 1],
          [session(1), 9]
        ])
        const { observations } = yield* index(place, ({ labels }) => labels([session(1), session(2)], null))
        expect(observations.length).toBe(leaves("label_observations.session_id") ? 2 : 1)
        expect(yield* index(place, ({ open }) => open)).toEqual({ movedAside: null, incomplete: false })
        expect(asked(place, "PRAGMA user_version")).toEqual([{ user_version: Math.max(6, version) }])
      })
    )
  }

  it.live("is refused, and not changed, when its runs have no session", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      mkdirSync(place)
      const database = new Database(join(place, "index.db"))
      database.run("CREATE TABLE runs (id TEXT PRIMARY KEY, archived_at TEXT, outcome_labels TEXT, repo_slug TEXT)")
      database.close()
      const error = yield* Effect.flip(add(place, row(1)))
      expect(error.message).toContain("it is not an index of dd: runs.session_id is missing")
      expect(asked(place, "SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([{ name: "runs" }])
    })
  )

  for (const [what, bytes] of [
    ["is no database", "not a database at all ".repeat(500)],
    ["is cut off", null]
  ] as const) {
    it.live(`is moved aside when it ${what}, and marked as incomplete`, () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        yield* add(place, ...Array.from({ length: 200 }, (_, n) => row(n)))
        mkdirSync(join(place, "runs", session(1)), { recursive: true })
        const path = join(place, "index.db")
        writeFileSync(path, bytes ?? readFileSync(path).subarray(0, 5000))
        const opened = yield* index(place, ({ open }) => open)
        expect(opened.movedAside).toContain("index.db.damaged-")
        expect(opened.incomplete).toBe(true)
        expect(statSync(opened.movedAside ?? "").size).toBeGreaterThan(4000)
        yield* add(place, row(1))
        yield* index(place, ({ markComplete }) => markComplete)
        expect(yield* index(place, ({ open }) => open)).toEqual({ movedAside: null, incomplete: false })
      }).pipe(Effect.provide(Logger.layer([])))
    )
  }

  it.live("is thrown aside by one process alone, however many find it damaged", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      mkdirSync(place)
      writeFileSync(join(place, "index.db"), "rubbish ".repeat(1000))
      yield* Effect.forEach(
        Array.from({ length: 6 }, (_, n) => n),
        (n) => add(place, row(n)),
        { concurrency: 6 }
      )
      expect((yield* index(place, ({ list }) => list(everyRun))).length).toBe(6)
      expect(readdirSync(place).filter((name) => /damaged-[^/]*Z$/.test(name)).length).toBe(1)
    })
  )
})
