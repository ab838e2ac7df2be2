import { describe, expect } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Sqlite from "../../../../src/layers/change/facts/Sqlite.ts"
import { BlobFacts, type FactKey } from "../../../../src/services/change/BlobFacts.ts"
import { it } from "../../../support/effect.ts"
import { fileDirectory } from "../../../support/fileDirectory.ts"

const directory = fileDirectory()
const place = () => join(mkdtempSync(join(directory, "place-")), "cache", "symbols.db")
const key = (blob: string): FactKey => ({ grammar: "python", blob })

/** One run: the cache is opened, asked, and closed. */
const run = <A, E>(
  options: Partial<Sqlite.Options> & { readonly path: string },
  ask: (cache: BlobFacts["Service"]) => Effect.Effect<A, E>
) =>
  BlobFacts.use(ask).pipe(Effect.provide(Sqlite.layer({ version: "1", scope: "/a/.git", ...options }), { local: true }))

const keep = (path: string, ...blobs: ReadonlyArray<string>) =>
  run({ path }, (cache) => Effect.forEach(blobs, (blob) => cache.put("imports", key(blob), { of: blob })))

const known = (path: string, ...blobs: ReadonlyArray<string>) =>
  run({ path }, (cache) => cache.get("imports", blobs.map(key)))

describe("the symbol cache in SQLite", () => {
  it.effect("answers in a later run what was put in an earlier one, and null for the rest", () =>
    Effect.gen(function* () {
      const path = place()
      expect(yield* known(path, "a")).toEqual([null])
      yield* keep(path, "a", "b")
      expect(yield* known(path, "b", "c", "a")).toEqual([{ of: "b" }, null, { of: "a" }])
      expect(yield* known(path)).toEqual([])
    })
  )

  it.effect("keeps readings, grammars, versions and repositories apart", () =>
    Effect.gen(function* () {
      const path = place()
      yield* keep(path, "a")
      expect(yield* run({ path }, (cache) => cache.get("symbols", [key("a")]))).toEqual([null])
      expect(yield* run({ path }, (cache) => cache.get("imports", [{ grammar: "go", blob: "a" }]))).toEqual([null])
      expect(yield* run({ path, version: "2" }, (cache) => cache.get("imports", [key("a")]))).toEqual([null])
      expect(yield* run({ path, scope: "/b/.git" }, (cache) => cache.get("imports", [key("a")]))).toEqual([null])
    })
  )

  it.effect("is for its user's eyes only", () =>
    Effect.gen(function* () {
      const path = place()
      yield* keep(path, "a")
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700)
    })
  )

  for (const [what, bytes] of [
    ["is no database", Buffer.from("not a database, and long enough to be read as the header of one".repeat(50))],
    ["was cut off", null]
  ] as const) {
    it.effect(`throws a file away that ${what}, answers nothing, and works again in the next run`, () =>
      Effect.gen(function* () {
        const path = place()
        yield* keep(path, ...Array.from({ length: 500 }, (_, i) => `blob${i}`))
        writeFileSync(path, bytes ?? readFileSync(path).subarray(0, 5_000))
        expect(yield* known(path, "blob1")).toEqual([null])
        yield* keep(path, "a")
        expect(yield* known(path, "a")).toEqual([{ of: "a" }])
      })
    )
  }

  for (const [what, change] of [
    ["is cut off", "value = substr(value, 1, 8)"],
    ["is another one of the same form", "value = replace(value, 'a', 'b')"],
    ["belongs to another blob", "key = replace(key, ':a', ':c')"]
  ] as const) {
    it.effect(`takes a value that ${what} for none`, () =>
      Effect.gen(function* () {
        const path = place()
        yield* keep(path, "a")
        const { Database } = yield* Effect.promise(() => import("bun:sqlite"))
        const database = new Database(path)
        database.exec(`UPDATE facts SET ${change}`)
        database.close()
        expect(yield* known(path, "a", "c")).toEqual([null, null])
        yield* keep(path, "a")
        expect(yield* known(path, "a")).toEqual([{ of: "a" }])
      })
    )
  }

  it.effect("returns nothing, without an error, where it may not write", () =>
    Effect.gen(function* () {
      const path = place()
      mkdirSync(join(path, ".."), { recursive: true })
      mkdirSync(path)
      expect(yield* known(path, "a")).toEqual([null])
      yield* keep(path, "a")
      expect(existsSync(join(path, "..", "symbols.db-wal"))).toBe(false)
    })
  )

  it.effect("stays below its size by dropping what was not used for longest", () =>
    Effect.gen(function* () {
      const path = place()
      const large = "x".repeat(1_000)
      const fill = (names: ReadonlyArray<string>) =>
        run({ path, maxBytes: 400_000 }, (cache) =>
          Effect.forEach(names, (name) => cache.put("imports", key(name), large))
        )
      yield* fill(Array.from({ length: 200 }, (_, i) => `old${i}`))
      yield* TestClock.adjust("2 days")
      // Asked for today: worth keeping.
      yield* run({ path, maxBytes: 400_000 }, (cache) => cache.get("imports", [key("old7")]))
      yield* fill(Array.from({ length: 200 }, (_, i) => `new${i}`))
      const rest = yield* known(path, "old7", "old8", "new7")
      expect(rest.map((value) => value !== null)).toEqual([true, false, true])
      expect(statSync(path).size).toBeLessThan(400_000)
    })
  )

  it.live("loses nothing when several processes write at once", () =>
    Effect.gen(function* () {
      const path = place()
      yield* keep(path, "a")
      const layers = join(import.meta.dir, "../../../../src/layers/change/facts/Sqlite.ts")
      const script = `
        import { Effect } from "effect"
        import { layer } from ${JSON.stringify(layers)}
        import { BlobFacts } from ${JSON.stringify(join(import.meta.dir, "../../../../src/services/change/BlobFacts.ts"))}
        const name = process.argv[1]
        await Effect.runPromise(BlobFacts.use((cache) =>
          Effect.forEach(Array.from({ length: 50 }, (_, i) => i), (i) =>
            cache.put("imports", { grammar: "python", blob: name + i }, { of: name + i }))
        ).pipe(Effect.provide(layer({ path: ${JSON.stringify(path)}, version: "1", scope: "/a/.git", busyMs: 30_000 }))))`
      const names = ["p", "q", "r", "s"]
      const children = names.map((name) =>
        Bun.spawn([process.execPath, "-e", script, name], { cwd: import.meta.dir, stderr: "inherit" })
      )
      expect(yield* Effect.promise(() => Promise.all(children.map(({ exited }) => exited)))).toEqual([0, 0, 0, 0])
      const all = names.flatMap((name) => Array.from({ length: 50 }, (_, i) => `${name}${i}`))
      expect(yield* known(path, ...all)).toEqual(all.map((name) => ({ of: name })))
    })
  )
})
