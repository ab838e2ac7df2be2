/**
 * Facts about blobs in one SQLite file, shared by all processes of the user.
 *
 * Bounded: over `maxBytes` the least recently used half is deleted. A damaged file is deleted and created again, and a
 * damaged value is computed again. After any other failure the run continues without the cache.
 */
import { Database } from "bun:sqlite"
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { CryptoHasher, hash } from "bun"
import { Clock, Effect, Layer, Result, Schema } from "effect"
import { BlobFacts, type FactKey, type Reading } from "../../../services/change/BlobFacts.ts"

export interface Options {
  readonly path: string
  /** Facts of other versions are not read. */
  readonly version: string
  /** The repository: false data about its blobs affects only itself. */
  readonly scope: string
  readonly maxBytes?: number
  /** How long to wait for other processes that write; facts that would wait longer are not stored. */
  readonly busyMs?: number
}

const defaultMaxBytes = 256 << 20
const dayMs = 86_400_000

/** Enough for other processes that write, and too short to be noticed. */
const defaultBusyMs = 200

// Without syncing to disk: facts damaged by a power loss are deleted and computed again.
const schema = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL, used INTEGER NOT NULL);
`

interface Row {
  readonly key: string
  readonly value: string
  readonly used: number
}

export const layer = (options: Options) =>
  Layer.effect(
    BlobFacts,
    Effect.gen(function* () {
      const { path, busyMs = defaultBusyMs, maxBytes = defaultMaxBytes } = options
      const prefix = new CryptoHasher("sha256")
        .update(`${options.version}\n${options.scope}`)
        .digest("hex")
        .slice(0, 16)
      const keyOf = (reading: Reading, { blob, grammar }: FactKey) => `${prefix}:${reading}:${grammar}:${blob}`
      const today = Math.floor((yield* Clock.currentTimeMillis) / dayMs)
      const fresh = new Map<string, string>()
      const stale = new Set<string>()
      let database: Database | "unopened" | "unusable" = "unopened"

      /** Null after the first failure. */
      const attempt = <A>(use: (opened: Database) => A): A | null => {
        if (database === "unusable") return null
        try {
          database = database === "unopened" ? open(path, busyMs) : database
          return use(database)
        } catch (error) {
          if (database instanceof Database) database.close()
          database = "unusable"
          if (isDamaged(error)) forget(path)
          return null
        }
      }

      const find = (keys: ReadonlyArray<string>): ReadonlyMap<string, string> => {
        const rows = attempt((opened) =>
          opened
            .query<Row, [string]>("SELECT key, value, used FROM facts WHERE key IN (SELECT value FROM json_each(?))")
            .all(JSON.stringify(keys))
        )
        for (const { key, used } of rows ?? []) if (used < today) stale.add(key)
        return new Map((rows ?? []).flatMap(({ key, value }) => (isSound(key, value) ? [[key, value]] : [])))
      }

      const save = () => {
        if (fresh.size === 0 && stale.size === 0) return
        attempt((opened) => {
          const insert = opened.query("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)")
          const touch = opened.query("UPDATE facts SET used = ? WHERE key IN (SELECT value FROM json_each(?))")
          opened.transaction(() => {
            for (const [key, value] of fresh) insert.run(key, value, today)
            if (stale.size > 0) touch.run(today, JSON.stringify([...stale]))
          })()
          if (sizeOf(opened) > maxBytes) shrink(opened)
        })
      }

      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          save()
          if (database instanceof Database) database.close()
        })
      )

      return BlobFacts.of({
        get: (reading, keys) =>
          Effect.sync(() => {
            const names = keys.map((key) => keyOf(reading, key))
            const known = keys.length === 0 ? new Map<string, string>() : find(names)
            return names.map((name) => parsed(known.get(name)))
          }),
        put: (reading, key, value) =>
          Effect.sync(() => {
            const name = keyOf(reading, key)
            fresh.set(name, sealed(name, encode(value)))
          })
      })
    })
  )

const open = (path: string, busyMs: number): Database => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const database = new Database(path, { create: true, readwrite: true })
  chmodSync(path, 0o600)
  database.exec(`PRAGMA busy_timeout = ${busyMs}`)
  database.exec(schema)
  return database
}

const isDamaged = (error: unknown): boolean =>
  error instanceof Error &&
  /malformed|not a database|no such (?:table|column)|has no column|disk image/i.test(error.message)

const forget = (path: string): void => {
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true })
}

const encode = Schema.encodeUnknownSync(Schema.fromJsonString(Schema.Unknown))

/** The value after a checksum of it and its key: a damaged file can still be a valid database. */
const sealed = (key: string, value: string): string => `${hash.xxHash32(key + value).toString(36)}:${value}`

const contentOf = (text: string): string => text.slice(text.indexOf(":") + 1)

const isSound = (key: string, text: string): boolean => text === sealed(key, contentOf(text))

/** Null for a value that is missing or cut off. */
const parsed = (text: string | undefined): unknown =>
  text === undefined ? null : Result.getOrNull(Result.try((): unknown => JSON.parse(contentOf(text))))

const sizeOf = (database: Database): number =>
  database
    .query<{ bytes: number }, []>(
      "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes"
    )
    .get()?.bytes ?? 0

const shrink = (database: Database): void => {
  database.exec(
    "DELETE FROM facts WHERE key IN (SELECT key FROM facts ORDER BY used, key LIMIT (SELECT (COUNT(*) + 1) / 2 FROM facts))"
  )
  // Returns one row for each freed page: all of them must be read.
  database.query("PRAGMA incremental_vacuum").all()
}
