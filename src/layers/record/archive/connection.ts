/**
 * Opens the index's file: brings it up to date, and puts a damaged one aside so that a new one can begin.
 *
 * WAL, a busy timeout of 5 s; a file of a newer version is not touched. SQLite and its client are loaded here and not
 * before, for most of what dd does never asks the archive.
 */
import { Context, DateTime, Effect, Exit, FileSystem, Layer, Option, Path, Schedule, Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { SqlClient } from "effect/sql/SqlClient"
import { ArchiveTooNew, ArchiveUnusable } from "../../../services/record/ArchiveIndex.ts"
import { troubleOf } from "../../../services/system/trouble.ts"
import * as Lock from "../../review/artifacts/Lock.ts"
import { currentVersion, isOfOriginal, type Layout, migrationsOf, missingKeys } from "./migrations.ts"
import { faultOf } from "./sqliteFault.ts"

const busyMillis = 5000

export interface Connection {
  readonly ask: <Row extends object>(
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, ArchiveUnusable>
  /** Wholly or not at all, with the lock taken first: one that is only asked for halfway is refused, not waited for. */
  readonly atOnce: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ArchiveUnusable, R>
  readonly close: Effect.Effect<void>
}

const load = () => Promise.all([import("@effect/sql-sqlite-bun/SqliteClient"), import("effect/sql/SqlClient")])

/** Begins to load the client, while others wait. Who connects is told of its failure. */
export const begin: Effect.Effect<void> = Effect.sync(() => {
  load().catch(() => undefined)
})

const connect = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const faulty = (error: unknown) => new ArchiveUnusable({ path, ...faultOf(error) })
  // Nobody else may read the file, from before SQLite sees it; its companions get the mode it has.
  yield* fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(Effect.scoped(fs.open(path, { flag: "a", mode: 0o600 }))),
    Effect.mapError((error) => new ArchiveUnusable({ path, reason: troubleOf(error), kind: "other" }))
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
    ask: <Row extends object>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
      sql.unsafe<Row>(statement, parameters).pipe(Effect.mapError(faulty)),
    atOnce: (change) =>
      sql.withTransaction(Effect.mapError(change, (error) => new Own(error))).pipe(
        Effect.provideService(BeginTransaction, "BEGIN IMMEDIATE"),
        Effect.mapError((error) => (error instanceof Own ? error.error : faulty(error)))
      ),
    close
  }
  return connection
})

/** A failure of what is done in a transaction, told apart from the transaction's own. */
class Own<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

const versionOf = ({ ask }: Connection) =>
  Effect.map(ask<{ user_version: number }>("PRAGMA user_version"), ([row]) => row?.user_version ?? 0)

const layoutOf = ({ ask }: Connection) =>
  Effect.map(
    ask<{ tableName: string; name: string }>(
      `SELECT t.name tableName, c.name name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`
    ),
    (rows): Layout => {
      const layout = new Map<string, Set<string>>()
      for (const { name, tableName } of rows) layout.set(tableName, (layout.get(tableName) ?? new Set()).add(name))
      return layout
    }
  )

/** What an index lacks, as statements. An index of a newer version, or of another format, is refused. */
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
  const { ask, atOnce } = connection
  yield* ask(`PRAGMA busy_timeout = ${busyMillis}`)
  const before = yield* missingIn(path, connection)
  yield* ask("PRAGMA synchronous = NORMAL")
  // A filter that finds little reads the whole table: once, from where the system has it.
  yield* ask("PRAGMA mmap_size = 1073741824")
  const [mode] = yield* ask<{ journal_mode: string }>("PRAGMA journal_mode")
  if (mode?.journal_mode !== "wal") yield* ask("PRAGMA journal_mode = WAL")
  if (before.version >= currentVersion && before.statements.length === 0) return
  yield* atOnce(
    Effect.gen(function* () {
      // Compared again inside the transaction, because another process may have migrated it.
      const { isNew, statements, version } = yield* missingIn(path, connection)
      for (const statement of statements) yield* ask(statement)
      const bundles = yield* Effect.option(fs.readDirectory(paths.join(paths.dirname(path), "runs")))
      if (isNew && Option.getOrElse(bundles, () => []).length > 0) yield* ask(needRebuild)
      if (version < currentVersion) yield* ask(`PRAGMA user_version = ${currentVersion}`)
    })
  )
})

const needRebuild = "INSERT OR REPLACE INTO archive_state VALUES ('rebuild', 'needed')"

/** Turning to WAL, and the first steps, are refused at once while another process does the same. */
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
    Effect.flatMap(({ ask, close }) =>
      ask<{ quick_check: string }>("PRAGMA quick_check(1)").pipe(
        Effect.map(([row]) => row?.quick_check !== "ok"),
        Effect.ensuring(close)
      )
    ),
    Effect.catchIf(
      (error) => error.kind === "damaged",
      () => Effect.succeed(true)
    )
  )

/**
 * Where the damaged file was moved; null when it is sound. One process at a time, and each looks for itself: by now the
 * file may be a new one.
 */
export const putAside = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const id = yield* SecureRandom.use((random) => random.uuidV4())
  const busy = new ArchiveUnusable({ path, reason: "it is damaged, and another dd is at it", kind: "busy" })
  yield* Lock.acquire(paths.join(paths.dirname(path), "index.lock"), id).pipe(
    Effect.flatMap((taken) => (taken ? Effect.void : Effect.fail(busy))),
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 })
  )
  if (!(yield* isDamaged(path))) return null
  const aside = `${path}.damaged-${DateTime.formatIso(yield* DateTime.now).replaceAll(/[:.]/g, "-")}`
  for (const ending of ["-shm", "-wal", ""]) yield* Effect.option(fs.rename(path + ending, aside + ending))
  return aside
}, Effect.scoped)

/** A sound connection, and where a damaged file was moved to make room for it. */
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
