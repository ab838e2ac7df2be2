import { describe, expect, test } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { SqliteClient } from "@effect/sql-sqlite-bun"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { compile } from "../../scripts/compile.ts"
import { it } from "../support/effect.ts"
import { inside } from "../support/process.ts"

const root = join(import.meta.dir, "../..")

describe("the project", () => {
  it.live("opens a database through the patched SQLite package", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE runs (id INTEGER PRIMARY KEY, flow TEXT NOT NULL)`
      yield* sql`INSERT INTO runs ${sql.insert([{ flow: "deep" }, { flow: "review" }])}`
      expect(yield* sql`SELECT flow FROM runs ORDER BY id`).toEqual([{ flow: "deep" }, { flow: "review" }])
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )

  test("installs from any registry: the lock file names no host and no address", async () => {
    const lock = await Bun.file(join(root, "bun.lock")).text()
    expect(lock.match(/\w+:\/\/|registry\.|\b\d+\.\d+\.\d+\.\d+\b/g)).toBeNull()
  })

  test("pins every package exactly", async () => {
    const { dependencies, devDependencies } = await Bun.file(join(root, "package.json")).json()
    const versions = Object.entries<string>({ ...dependencies, ...devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  test("shows its tests nothing of who runs them: no home, no settings, keys or proxies", () => {
    expect(process.env.HOME).toBe("/dev/null")
    const told = /^(?:GIT|DD|DAYDREAM|ANTHROPIC|OPENAI|AWS|GOOGLE|XDG)_|_proxy$/i
    const names = Object.keys(process.env).filter((name) => told.test(name) && !name.startsWith("DD_TEST_"))
    expect(names).toEqual([])
  })

  test("compiles to the same bytes twice, into one file with two names", async () => {
    const hashes: Array<string> = []
    for (const name of ["dist/.first", "dist/.second"]) {
      // A run that was killed leaves its own.
      rmSync(join(root, name), { recursive: true, force: true })
      const directory = inside(root, name)
      const { path } = await compile(name)
      expect(readdirSync(directory).sort()).toEqual(["daydream", "dd"])
      hashes.push(new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex"))
      rmSync(directory, { recursive: true })
    }
    expect(hashes[0]).toBe(hashes[1]!)
  })
})
