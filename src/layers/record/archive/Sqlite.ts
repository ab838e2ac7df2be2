/** The index in one SQLite file, opened by the first call. */
import { Effect, type FileSystem, Layer, Path, Schema, Semaphore } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { ArchivedRun, labelColumns, runColumns } from "../../../domain/record/ArchivedRun.ts"
import { FindingLabel, findingLabelColumns, isRepeatedLabel } from "../../../domain/record/FindingLabel.ts"
import {
  isRepeated,
  isSameObservation,
  LabelObservation,
  nextMicrosecond,
  observationColumns,
  winning,
  withMicroseconds
} from "../../../domain/record/LabelObservation.ts"
import { SessionId } from "../../../domain/run/SessionId.ts"
import { ArchiveIndex, ArchiveUnusable, type Labels } from "../../../services/record/ArchiveIndex.ts"
import { conditionsOf, indexed } from "./conditions.ts"
import { type Connection, open, putAside } from "./connection.ts"
import { tally } from "./tally.ts"

/** `directory`: the archive. */
export const layer = (directory: string) =>
  Layer.effect(
    ArchiveIndex,
    Effect.gen(function* () {
      const paths = yield* Path.Path
      const surroundings = yield* Effect.context<FileSystem.FileSystem | Path.Path | SecureRandom>()
      const path = paths.join(directory, "index.db")
      const one = yield* Semaphore.make(1)
      let current: Effect.Success<ReturnType<typeof open>> | null = null

      const opened = one.withPermits(1)(
        Effect.suspend(() =>
          current === null
            ? open(path).pipe(
                Effect.tap((fresh) => Effect.sync(() => (current = fresh))),
                Effect.provideContext(surroundings)
              )
            : Effect.succeed(current)
        )
      )
      const closed = Effect.suspend(() => {
        const close = current?.connection.close ?? Effect.void
        current = null
        return close
      })
      yield* Effect.addFinalizer(() => closed)
      const connection = Effect.map(opened, (found) => found.connection)

      const runsWhere = (rest: string, parameters: ReadonlyArray<unknown>) =>
        connection.pipe(
          Effect.flatMap(({ query }) => query(`SELECT ${runColumns.join(", ")} FROM runs ${rest}`, parameters)),
          Effect.flatMap((rows) => decoded(path, decodeRuns, rows))
        )

      const labels = Effect.fnUntraced(function* (sessions: ReadonlyArray<string>, asOf: string | null) {
        const { query } = yield* connection
        return yield* labelsIn(path, query, sessions, asOf)
      })

      const removeIn = (table: string, sessions: ReadonlyArray<string>) =>
        Effect.flatMap(connection, ({ query }) =>
          query(`DELETE FROM ${table} WHERE session_id IN (SELECT value FROM json_each(?))`, [listOf(sessions)])
        )

      return ArchiveIndex.of({
        path,
        open: Effect.gen(function* () {
          const { connection, movedAside } = yield* opened
          const state = yield* connection.query("SELECT 1 FROM archive_state WHERE name = 'rebuild'")
          return { movedAside, incomplete: state.length > 0 }
        }),
        add: Effect.fnUntraced(function* (runs) {
          const { query, transaction } = yield* connection
          yield* transaction(Effect.forEach(runs, (run) => query(upsert, valuesOf(runColumns, run)), { discard: true }))
        }),
        list: Effect.fnUntraced(function* (filter) {
          const { query } = yield* connection
          const common = new Set<"repo" | "label">()
          for (const [name, { parameters, where }] of filter.limit === null ? [] : indexed(filter)) {
            const found = yield* query<{ n: number }>(`SELECT COUNT(*) n FROM (SELECT 1 FROM runs ${where} LIMIT ?)`, [
              ...parameters,
              manyRuns
            ])
            if (found[0]?.n === manyRuns) common.add(name)
          }
          const { parameters, where } = conditionsOf(filter, common)
          const limit = filter.limit === null ? "" : `LIMIT ${filter.limit}`
          return yield* runsWhere(`${where} ORDER BY archived_at DESC, rowid DESC ${limit}`, parameters)
        }),
        findByPrefix: (prefix, limit) =>
          runsWhere("WHERE session_id >= ? AND session_id < ? ORDER BY session_id LIMIT ?", [
            prefix,
            `${prefix}\uffff`,
            limit
          ]),
        labels,
        addLabels: Effect.fnUntraced(function* <E, R>(
          added: Labels,
          keep: (stored: Labels) => Effect.Effect<void, E, R>
        ) {
          const { query, transaction } = yield* connection
          return yield* transaction(
            Effect.gen(function* () {
              const sessions = [...added.observations, ...added.findings].map(({ session_id }) => session_id)
              const known = yield* labelsIn(path, query, [...new Set(sessions)], null)
              const stored = newIn(added, known)
              yield* keep(stored)
              for (const each of stored.observations)
                yield* query(insertObservation, valuesOf(observationColumns, each))
              for (const each of stored.findings) yield* query(insertFindingLabel, valuesOf(findingLabelColumns, each))
              const all = [...known.observations, ...stored.observations]
              for (const session of new Set(stored.observations.map(({ session_id }) => session_id))) {
                yield* project(
                  query,
                  all.filter(({ session_id }) => session_id === session)
                )
              }
              return stored
            })
          )
        }),
        unmeasured: Effect.fnUntraced(function* (limit) {
          const { query } = yield* connection
          const rows = yield* query(
            "SELECT session_id FROM runs WHERE session_id NOT IN (SELECT session_id FROM run_sizes) LIMIT ?",
            [limit]
          )
          return (yield* decoded(path, decodeSessions, rows)).map(({ session_id }) => session_id)
        }),
        addSizes: Effect.fnUntraced(function* (sizes) {
          const { query, transaction } = yield* connection
          const insert = "INSERT OR REPLACE INTO run_sizes VALUES (?, ?)"
          yield* transaction(
            Effect.forEach(sizes, ({ bytes, session_id }) => query(insert, [session_id, bytes]), { discard: true })
          )
        }),
        beyond: Effect.fnUntraced(function* ({ before, maxBytes }) {
          const { query } = yield* connection
          const rows = yield* decoded(path, decodeStored, yield* query(selectBeyond, [before, maxBytes]))
          return rows.map(({ unlabelled, ...run }) => ({ ...run, isLabelled: unlabelled === 0 }))
        }),
        remove: Effect.fnUntraced(function* (sessions, which) {
          const { query, transaction } = yield* connection
          return yield* transaction(
            Effect.gen(function* () {
              const condition = which === "all" ? "" : ` AND ${isUnlabelled}`
              const removed = yield* query(
                `DELETE FROM runs WHERE session_id IN (SELECT value FROM json_each(?))${condition} RETURNING session_id`,
                [listOf(sessions)]
              )
              const names = (yield* decoded(path, decodeSessions, removed)).map(({ session_id }) => session_id)
              for (const table of ["run_sizes", "label_observations", "finding_labels"]) yield* removeIn(table, names)
              return names
            })
          )
        }),
        lastPruned: Effect.flatMap(connection, ({ query }) =>
          query<{ value: string }>("SELECT value FROM archive_state WHERE name = 'pruned'")
        ).pipe(Effect.map(([state]) => state?.value ?? null)),
        markPruned: (at) =>
          Effect.flatMap(connection, ({ query }) =>
            Effect.asVoid(query("INSERT OR REPLACE INTO archive_state VALUES ('pruned', ?)", [at]))
          ),
        removeRows: Effect.fnUntraced(function* (sessions) {
          const { transaction } = yield* connection
          yield* transaction(Effect.forEach(["runs", "run_sizes"], (table) => removeIn(table, sessions)))
        }),
        removeInvalid: Effect.flatMap(connection, ({ query }) =>
          query("DELETE FROM runs WHERE typeof(session_id) <> 'text' OR session_id NOT GLOB ? RETURNING 1", [
            sessionGlob
          ])
        ).pipe(Effect.map((rows) => rows.length)),
        page: (filter, after, limit) => {
          const { parameters, where } = conditionsOf(filter)
          const behind = `${where === "" ? "WHERE" : `${where} AND`} session_id > ?`
          return runsWhere(`${behind} ORDER BY session_id LIMIT ?`, [...parameters, after, limit])
        },
        tally: (filter) => Effect.flatMap(connection, ({ query }) => tally(query, filter)),
        moveAsideIfDamaged: closed.pipe(Effect.andThen(putAside(path)), Effect.provideContext(surroundings)),
        markComplete: Effect.flatMap(connection, ({ query }) =>
          Effect.asVoid(query("DELETE FROM archive_state WHERE name = 'rebuild'"))
        )
      })
    })
  )

/** For `json_each`: any number of values in one parameter. */
const listOf = (values: ReadonlyArray<string>): string => JSON.stringify(values)

/** The form of a `SessionId`. */
const sessionGlob = "00000000-0000-0000-0000-000000000000".replaceAll("0", "[0-9a-f]")

/** Fetching and sorting this many rows takes longer than a scan of a busy year. */
const manyRuns = 2000

/** Of a row of `runs`. Older indexes have labels without a time. */
const isUnlabelled = `(labeled_at IS NULL AND outcome_labels = '[]'
  AND session_id NOT IN (SELECT session_id FROM label_observations)
  AND session_id NOT IN (SELECT session_id FROM finding_labels))`

const selectBeyond = `WITH stored AS (
    SELECT runs.session_id session_id, archived_at, COALESCE(bytes, 0) bytes, runs.rowid row,
      SUM(COALESCE(bytes, 0)) OVER (ORDER BY archived_at DESC, runs.rowid DESC ROWS UNBOUNDED PRECEDING) total,
      labeled_at, outcome_labels
    FROM runs LEFT JOIN run_sizes ON run_sizes.session_id = runs.session_id
  )
  SELECT session_id, archived_at, bytes, ${isUnlabelled} unlabelled FROM stored
  WHERE archived_at < ? OR total > ? ORDER BY archived_at DESC, row DESC`

const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ session_id: SessionId })))
const decodeStored = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      session_id: SessionId,
      archived_at: Schema.String,
      bytes: Schema.Int,
      unlabelled: Schema.Literals([0, 1])
    })
  )
)
const decodeRuns = Schema.decodeUnknownEffect(Schema.Array(ArchivedRun))
const decodeObservations = Schema.decodeUnknownEffect(Schema.Array(LabelObservation))
const decodeFindingLabels = Schema.decodeUnknownEffect(Schema.Array(FindingLabel))

const decoded = <A>(
  path: string,
  decode: (rows: unknown) => Effect.Effect<A, Schema.SchemaError>,
  rows: ReadonlyArray<object>
) =>
  decode(rows).pipe(
    Effect.mapError(
      (error) =>
        new ArchiveUnusable({
          path,
          reason: `a row is not valid: ${error.message}; dd archive rebuild-index rebuilds the rows`,
          kind: "other"
        })
    )
  )

const labelsIn = Effect.fnUntraced(function* (
  path: string,
  query: Connection["query"],
  sessions: ReadonlyArray<string>,
  asOf: string | null
) {
  const until = asOf === null ? "\uffff" : withMicroseconds(asOf)
  const from = (table: string, columns: ReadonlyArray<string>) =>
    query(
      `SELECT ${columns.join(", ")} FROM ${table}
       WHERE session_id IN (SELECT value FROM json_each(?)) AND observed_at <= ? ORDER BY observed_at`,
      [listOf(sessions), until]
    )
  return {
    observations: yield* decoded(path, decodeObservations, yield* from("label_observations", observationColumns)),
    findings: yield* decoded(path, decodeFindingLabels, yield* from("finding_labels", findingLabelColumns))
  } satisfies Labels
})

/** The labels that are not known yet. No two of a run have the same time. */
const newIn = ({ findings, observations }: Labels, known: Labels): Labels => {
  const seen = [...known.observations]
  const stored: Array<LabelObservation> = []
  for (const each of observations) {
    const own = seen.filter(({ session_id }) => session_id === each.session_id)
    if (own.some((other) => isSameObservation(other, each)) || isRepeated(each, own)) continue
    let at = withMicroseconds(each.observed_at)
    while (own.some(({ observed_at }) => observed_at === at)) at = nextMicrosecond(at)
    const moved = LabelObservation.make({ ...each, observed_at: at, valid_at: each.valid_at ?? at })
    seen.push(moved)
    stored.push(moved)
  }
  const fresh = findings.filter((each) => {
    const own = known.findings.find(
      ({ finding, observed_at, session_id }) =>
        session_id === each.session_id && finding === each.finding && observed_at === each.observed_at
    )
    return own === undefined ? !isRepeatedLabel(each, known.findings) : JSON.stringify(own) !== JSON.stringify(each)
  })
  return { observations: stored, findings: fresh }
}

const project = (query: Connection["query"], observations: ReadonlyArray<LabelObservation>) => {
  const best = winning(observations)
  if (best === null) return Effect.void
  return query(
    `UPDATE runs SET outcome_labels = ?, labeled_at = ?, rubric_json = ?,
       composite_reward = COALESCE(?, composite_reward), has_posterior = ? WHERE session_id = ?`,
    [best.labels, best.observed_at, best.rubric_json, best.composite_reward, best.has_posterior, best.session_id]
  )
}

const valuesOf = (columns: ReadonlyArray<string>, row: object): ReadonlyArray<unknown> => {
  const values = new Map<string, unknown>(Object.entries(row))
  return columns.map((column) => values.get(column) ?? null)
}

const insertInto = (table: string, columns: ReadonlyArray<string>) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`

/** Labels are kept; an unlabelled run has its own reward. */
const upsert = `${insertInto("runs", runColumns)} ON CONFLICT(session_id) DO UPDATE SET
  ${runColumns
    .filter((column) => column !== "session_id" && !labelColumns.has(column))
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")},
  composite_reward = CASE WHEN labeled_at IS NULL THEN excluded.composite_reward ELSE composite_reward END`

const insertObservation = insertInto("label_observations", observationColumns)
/** A row that says something else than the file of the label is replaced. */
const insertFindingLabel = insertInto("finding_labels", findingLabelColumns).replace("INSERT", "INSERT OR REPLACE")
