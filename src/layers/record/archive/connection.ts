/**
 * Opens and migrates the file of the index, and moves a damaged one aside.
 *
 * WAL, a busy timeout of 5 s; a file of a newer version is not changed. SQLite and its client are loaded here, because
 * most commands do not need the archive.
 */
import { Context, DateTime, Effect, Exit, FileSystem, Layer, Option, Path, Schedule, Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { SqlClient } from "effect/sql/SqlClient"
import { ArchiveTooNew, ArchiveUnusable } from "../../../services/record/ArchiveIndex.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import * as Lock from "../../review/artifacts/Lock.ts"
import { currentVersion, isOfOriginal, type Layout, migrationsOf, missingKeys } from "./migrations.ts"
import { faultOf } from "./sqliteFault.ts"

const busyMillis = 5000

export interface Connection {
  readonly query: <Row extends object>(
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, ArchiveUnusable>
  /** Takes the write lock first: SQLite refuses a lock that is requested later instead of waiting for it. */
  readonly transaction: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ArchiveUnusable, R>
  readonly close: Effect.Effect<void>
}

const load = () => Promise.all([import("@effect/sql-sqlite-bun/SqliteClient"), import("effect/sql/SqlClient")])

/** Loads the client early. `connect` reports a failure. */
export const begin: Effect.Effect<void> = Effect.sync(() => {
  load().catch(() => undefined)
})

const connect = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const faulty = (error: unknown) => new ArchiveUnusable({ path, ...faultOf(error) })
  // Created with its mode before SQLite opens it; the WAL files get the same mode.
  yield* fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(Effect.scoped(fs.open(path, { flag: "a", mode: 0o600 }))),
    Effect.mapError((error) => new ArchiveUnusable({ path, reason: systemErrorText(error), kind: "other" }))
  )
  const [{ SqliteClient, layer }, { BeginTransaction }] = yield* Effect.promise(load)
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  const sql: SqlClient = yield* Layer.buildWithScope(layer({ filename: path, disableWAL: true }), scope).pipe(
    Effect.map((context) => Context.get(context, SqliteClient)),
    Effect.catchDefect((defect) => Effect.fail(faulty(defect))),
    Effect.onError(() => close)
  )
  const connection: Connection = {
    query: <Row extends object>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
      sql.unsafe<Row>(statement, parameters).pipe(Effect.mapError(faulty)),
    transaction: (change) =>
      sql.withTransaction(Effect.mapError(change, (error) => new Own(error))).pipe(
        Effect.provideService(BeginTransaction, "BEGIN IMMEDIATE"),
        Effect.mapError((error) => (error instanceof Own ? error.error : faulty(error)))
      ),
    close
  }
  return connection
})

/** A failure inside a transaction, as opposed to one of the transaction. */
class Own<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

const versionOf = ({ query }: Connection) =>
  Effect.map(query<{ user_version: number }>("PRAGMA user_version"), ([row]) => row?.user_version ?? 0)

const layoutOf = ({ query }: Connection) =>
  Effect.map(
    query<{ tableName: string; name: string }>(
      `SELECT t.name tableName, c.name name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`
    ),
    (rows): Layout => {
      const layout = new Map<string, Set<string>>()
      for (const { name, tableName } of rows) layout.set(tableName, (layout.get(tableName) ?? new Set()).add(name))
      return layout
    }
  )

/** The statements that migrate an index. One of a newer version or of another format is refused. */
const missingIn = Effect.fnUntraced(function* (path: string, connection: Connection) {
  const version = yield* versionOf(connection)
  const layout = yield* layoutOf(connection)
  if (version > currentVersion && !isOfOriginal(layout)) {
    return yield* new ArchiveTooNew({ path, version, known: currentVersion })
  }
  const keys = missingKeys(layout)
  if (keys.length > 0) {
    const reason = `it is not an index of dd: ${keys.join(", ")} is missing; move it away, or set DAYDREAM_ARCHIVE_DIR`
    return yield* new ArchiveUnusable({ path, reason, kind: "other" })
  }
  return { version, statements: migrationsOf(layout), isNew: layout.size === 0 }
})

const migrate = Effect.fnUntraced(function* (path: string, connection: Connection) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { query, transaction } = connection
  yield* query(`PRAGMA busy_timeout = ${busyMillis}`)
  const before = yield* missingIn(path, connection)
  yield* query("PRAGMA synchronous = NORMAL")
  // A filter that matches few rows reads the whole table.
  yield* query("PRAGMA mmap_size = 1073741824")
  const [mode] = yield* query<{ journal_mode: string }>("PRAGMA journal_mode")
  if (mode?.journal_mode !== "wal") yield* query("PRAGMA journal_mode = WAL")
  if (before.version >= currentVersion && before.statements.length === 0) return
  yield* transaction(
    Effect.gen(function* () {
      // Compared again inside the transaction, because another process may have migrated it.
      const { isNew, statements, version } = yield* missingIn(path, connection)
      for (const statement of statements) yield* query(statement)
      const bundles = yield* Effect.option(fs.readDirectory(paths.join(paths.dirname(path), "runs")))
      if (isNew && Option.getOrElse(bundles, () => []).length > 0) yield* query(needRebuild)
      if (version < currentVersion) yield* query(`PRAGMA user_version = ${currentVersion}`)
    })
  )
})

const needRebuild = "INSERT OR REPLACE INTO archive_state VALUES ('rebuild', 'needed')"

/** Retried, because switching to WAL fails immediately while another process does the same. */
const ready = (path: string) =>
  connect(path).pipe(
    Effect.tap((connection) => migrate(path, connection).pipe(Effect.onError(() => connection.close))),
    Effect.retry({
      while: (error) => error._tag === "ArchiveUnusable" && error.kind === "busy",
      schedule: Schedule.upTo(Schedule.spaced("50 millis"), { duration: "5 seconds" })
    })
  )

const isDamaged = (path: string) =>
  connect(path).pipe(
    Effect.flatMap(({ query, close }) =>
      query<{ quick_check: string }>("PRAGMA quick_check(1)").pipe(
        Effect.map(([row]) => row?.quick_check !== "ok"),
        Effect.ensuring(close)
      )
    ),
    Effect.catchIf(
      (error) => error.kind === "damaged",
      () => Effect.succeed(true)
    )
  )

/** Returns where the damaged file was moved; null if it is not damaged, perhaps because another process replaced it. */
export const putAside = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const id = yield* SecureRandom.use((random) => random.uuidV4())
  const busy = new ArchiveUnusable({ path, reason: "it is damaged, and another dd is replacing it", kind: "busy" })
  yield* Lock.acquire(paths.join(paths.dirname(path), "index.lock"), id).pipe(
    Effect.flatMap((taken) => (taken ? Effect.void : Effect.fail(busy))),
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 })
  )
  if (!(yield* isDamaged(path))) return null
  const aside = `${path}.damaged-${DateTime.formatIso(yield* DateTime.now).replaceAll(/[:.]/g, "-")}`
  for (const ending of ["-shm", "-wal", ""]) yield* Effect.option(fs.rename(path + ending, aside + ending))
  return aside
}, Effect.scoped)

/** `movedAside`: where a damaged file was moved. */
export const open = Effect.fnUntraced(function* (path: string) {
  const first = yield* ready(path).pipe(
    Effect.catchIf(
      (error): error is ArchiveUnusable => error._tag === "ArchiveUnusable" && error.kind === "damaged",
      () => Effect.succeed(null)
    )
  )
  if (first !== null) return { connection: first, movedAside: null }
  const movedAside = yield* putAside(path)
  return { connection: yield* ready(path), movedAside }
})
