import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect, FileSystem, Layer, Logger, PlatformError, type Scope } from "effect"
import type { Generation } from "../../../src/domain/night/Generation.ts"
import { corpusOf } from "../../../src/layers/night/corpus/corpusFiles.ts"
import * as Directory from "../../../src/layers/night/corpus/Directory.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Corpus } from "../../../src/services/night/Corpus.ts"
import { corpusContract, holder } from "../../support/corpusContract.ts"
import { generationAfter, suppression } from "../../support/generations.ts"
import { run, scratch } from "../../support/process.ts"
import { initRepository } from "../../support/repository.ts"

const project = "shop-0123456789abcdef"
const childFile = join(import.meta.dir, "../../support/corpusProcess.ts")

const layerIn = (home: string) => Directory.layerOf(home, project).pipe(Layer.provide(Platform.layer))

/** dd's own directory; each call is a process of its own. */
const world = () => {
  const place = scratch()
  const home = join(place.path, "home")
  const folder = join(home, "learned", project)
  const warnings: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
  const use = <A, E>(work: (corpus: Corpus["Service"]) => Effect.Effect<A, E, Scope.Scope>, layer = layerIn(home)) =>
    Effect.runPromise(Corpus.use(work).pipe(Effect.provide([layer, logger]), Effect.scoped))
  const commit = (fields: Partial<Generation> = {}) =>
    use((corpus) =>
      Effect.gen(function* () {
        yield* corpus.own(holder("night"))
        const next = generationAfter(yield* corpus.current, fields)
        yield* corpus.commit(next)
        return next
      })
    )
  return {
    home,
    folder,
    warnings,
    use,
    commit,
    current: () => use((corpus) => corpus.current),
    failure: () => use((corpus) => Effect.flip(corpus.current)),
    files: () => readdirSync(join(folder, "generations")).toSorted(),
    child: (task: string, before = 0) =>
      run([process.execPath, childFile, task, home, project, String(before)], {
        env: { PATH: process.env.PATH ?? "" }
      }),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

corpusContract(
  "in a directory",
  Effect.map(
    Effect.acquireRelease(Effect.sync(scratch), (place) => Effect.sync(() => place[Symbol.dispose]())),
    ({ path }) => layerIn(join(path, "home"))
  )
)

describe("a killed run", () => {
  test("leaves the old generation or the new one, whole, whichever file operation it was killed before", async () => {
    using before = world()
    const old = await before.commit({ suppressions: [suppression()] })
    // Its second commit has to remove an old generation, too.
    for (let n = 0; n < 9; n++) await before.commit()
    const last = await before.current()
    expect([old.number, last.number]).toEqual([1, 10])

    let changedAt = Number.POSITIVE_INFINITY
    let ended = false
    for (let operation = 1; !ended; operation++) {
      using at = world()
      cpSync(before.folder, at.folder, { recursive: true })
      const child = await at.child("commit", operation)
      ended = child.signal !== "SIGKILL"
      if (ended) expect([child.stderr, child.status, child.stdout]).toEqual(["", 0, `${operation - 1} operations\n`])

      const after = await at.current()
      if (after.number === 11) {
        changedAt = Math.min(changedAt, operation)
        expect(after.run).toBe("killed")
      } else {
        expect(after).toEqual(last)
        // From one operation on, it is the new one.
        expect(operation).toBeLessThan(changedAt)
      }

      // The lock is free, what it left is gone, and a second commit works.
      const [dead, files] = await at.use((corpus) =>
        Effect.gen(function* () {
          const dead = yield* corpus.own(holder("next"))
          return [dead, at.files()] as const
        })
      )
      if (dead !== null) expect(dead).toMatchObject({ run: "killed", outputDir: "/reports/killed" })
      const numbers = files.map((name) => Number.parseInt(name, 10))
      expect([Math.max(...numbers), files.filter((name) => !/^\d{6}\.json$/.test(name))]).toEqual([after.number, []])
      const next = await at.commit()
      expect([next.base, await at.current()]).toEqual([after.number, next])
    }
    expect(changedAt).toBeLessThan(100)
  })

  test("is named to the next run, which finishes its report; a rollback in between does not forget it", async () => {
    using at = world()
    const { promise, resolve } = Promise.withResolvers<void>()
    const child = Bun.spawn([process.execPath, childFile, "hold", at.home, project], {
      stdout: "pipe",
      stderr: "inherit"
    })
    const reader = child.stdout.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("held\n")

    const busy = await at.use((corpus) => Effect.flip(corpus.own(holder("second"))))
    expect(busy).toMatchObject({ _tag: "CorpusBusy", holder: `run killed, process ${child.pid} on here` })
    expect(busy.message).toContain("another night run of this repository is under way (run killed")

    child.kill("SIGKILL")
    void child.exited.then(() => resolve())
    await promise
    const dead = { run: "killed", pid: child.pid, host: "here", outputDir: "/reports/killed" }
    const own = (outputDir: string) => at.use((corpus) => corpus.own({ ...holder("next"), outputDir }))
    expect(await own("")).toEqual(dead)
    expect(await own("/reports/next")).toEqual(dead)
    expect(await own("/reports/next")).toBe(null)
  })
})

describe("a full disk", () => {
  test("leaves the old generation, and the next commit works", async () => {
    using at = world()
    const old = await at.commit()
    for (const refused of ["open", "rename"] as const) {
      for (const name of ["000002.json.draft", "current.json.draft"]) {
        const error = await at.use(
          (corpus) => Effect.andThen(corpus.own(holder("night")), Effect.flip(corpus.commit(generationAfter(old)))),
          Directory.layerOf(at.home, project).pipe(
            Layer.provide(refusing(refused, name)),
            Layer.provide(Platform.layer)
          )
        )
        expect(error).toMatchObject({ _tag: "NightFileUnusable", reason: "no space left on the device" })
        expect(await at.current()).toEqual(old)
      }
    }
    expect((await at.commit()).number).toBe(2)
  })
})

describe("a damaged corpus is never taken for an empty one", () => {
  const wayOut =
    /remove current\.json and generations in .*learned.*: the next night learns again from the labels in the archive/

  const broken = async (how: (folder: string) => void) => {
    using at = world()
    await at.commit({ suppressions: [suppression()] })
    await at.commit({ suppressions: [suppression()] })
    how(at.folder)
    const error = await at.failure()
    expect(error._tag).toBe("NightFileUnusable")
    expect(error.message).toMatch(wayOut)
    rmSync(join(at.folder, "current.json"), { force: true })
    rmSync(join(at.folder, "generations"), { recursive: true })
    expect([(await at.current()).number, (await at.commit()).number]).toEqual([0, 1])
    return error.message
  }

  test("when the pointer is cut off, is of another version, or is missing", async () => {
    await broken((folder) => writeFileSync(join(folder, "current.json"), '{"v":1,"gener'))
    await broken((folder) => writeFileSync(join(folder, "current.json"), '{"v":2,"generation":2,"digest":""}'))
    expect(await broken((folder) => rmSync(join(folder, "current.json")))).toContain("it is missing")
  })

  test("when the generation is cut off, was edited, or is missing", async () => {
    const name = "generations/000002.json"
    await broken((folder) => writeFileSync(join(folder, name), "{"))
    const edited = await broken((folder) => {
      const text = readFileSync(join(folder, name), "utf8")
      writeFileSync(join(folder, name), text.replace("src/generated/", ""))
    })
    expect(edited).toContain("it is not what was committed; dd dream rollback lists what can take its place")
    await broken((folder) => rmSync(join(folder, name)))
  })

  test("and links in it are not followed", async () => {
    for (const name of ["current.json", "generations/000002.json"]) {
      const message = await broken((folder) => {
        const path = join(folder, name)
        cpSync(path, `${path}.elsewhere`)
        rmSync(path)
        symlinkSync(`${path}.elsewhere`, path)
      })
      expect(message).toContain("it is not a regular file")
    }
    using at = world()
    mkdirSync(join(at.home, "elsewhere"), { recursive: true })
    symlinkSync(join(at.home, "elsewhere"), join(at.home, "learned"))
    const error = await at.use((corpus) => Effect.flip(corpus.own(holder("night"))))
    expect(error).toMatchObject({ _tag: "NightFileUnusable", reason: "it is a link or a file, not a directory" })
    expect(readdirSync(join(at.home, "elsewhere"))).toEqual([])
  })

  test("and a current generation that was edited cannot be gone back to", async () => {
    using at = world()
    await at.commit()
    await at.commit()
    const file = join(at.folder, "generations/000002.json")
    writeFileSync(file, `${readFileSync(file, "utf8").trim()} \n`)
    const kept = await at.use((corpus) => corpus.generations)
    expect(kept.map(({ number }) => number)).toEqual([1])
    expect(at.warnings.join()).toContain("it is not what was committed")
  })

  test("and an older damaged generation is left out with a warning", async () => {
    using at = world()
    await at.commit()
    await at.commit()
    writeFileSync(join(at.folder, "generations/000001.json"), "{")
    const kept = await at.use((corpus) => corpus.generations)
    expect(kept.map(({ number }) => number)).toEqual([2])
    expect(at.warnings.join()).toContain("000001.json could not be used")
  })
})

test("what another writer committed during a night is not lost", async () => {
  using at = world()
  const old = await at.commit()
  const error = await at.use((corpus) =>
    Effect.gen(function* () {
      yield* corpus.own(holder("night"))
      const staged = generationAfter(yield* corpus.current, { run: "staged" })
      // A writer on another machine, where locks of a shared disk do not work.
      rmSync(join(at.folder, "run.lock"))
      yield* Effect.promise(() => at.commit({ run: "other" }))
      return yield* Effect.flip(corpus.commit(staged))
    })
  )
  expect(error).toMatchObject({ _tag: "CorpusMoved", base: 1, current: 2 })
  expect([old.number, (await at.current()).run]).toEqual([1, "other"])
})

test("only the user can read a corpus", async () => {
  using at = world()
  await at.commit()
  await at.use((corpus) => Effect.andThen(corpus.own(holder("night")), corpus.setNote("refused.json", "[]")))
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  const entries = readdirSync(join(at.home, "learned"), { recursive: true, withFileTypes: true })
  for (const entry of entries)
    expect(modeOf(join(entry.parentPath, entry.name))).toBe(entry.isDirectory() ? "700" : "600")
  expect(entries.map(({ name }) => name)).toContain("run.lock")
  chmodSync(join(at.folder, "generations"), 0o000)
  const error = process.getuid?.() === 0 ? null : await at.failure()
  if (error !== null) expect(error.message).toContain("permission denied")
  chmodSync(join(at.folder, "generations"), 0o700)
})

test("a repository has one corpus: by its remote, whoever spells it, else by its place", async () => {
  using place = scratch()
  const one = initRepository(join(place.path, "one")).root
  const of = (remoteUrl: string | null, root = one) => corpusOf({ remoteUrl, root })
  expect(of("git@github.com:Acme/Shop.git")).toMatch(/^shop-[0-9a-f]{16}$/)
  expect(of("https://github.com/acme/shop", join(place.path, "elsewhere"))).toBe(of("git@github.com:Acme/Shop.git"))
  expect(of("https://github.com/other/shop")).not.toBe(of("https://github.com/acme/shop"))
  expect(of("https://x/../../..%2f/a b")).toMatch(/^[A-Za-z0-9._-]+$/)
  expect(of(null)).toMatch(/^one-[0-9a-f]{16}$/)
  expect(of(join(place.path, "bare.git"))).toBe(of(null))
  expect(existsSync(join(place.path, "elsewhere"))).toBe(false)
})

/** Refuses one operation on files of one name, as a full disk does. */
const refusing = (operation: "open" | "rename", name: string) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      const error = PlatformError.systemError({
        module: "FileSystem",
        method: operation,
        _tag: "Unknown",
        cause: Object.assign(new Error(), { code: "ENOSPC" })
      })
      const refused =
        <Rest extends ReadonlyArray<unknown>, A, E, R>(
          method: (path: string, ...rest: Rest) => Effect.Effect<A, E, R>
        ) =>
        (path: string, ...rest: Rest): Effect.Effect<A, E | PlatformError.PlatformError, R> =>
          path.endsWith(name) ? Effect.fail(error) : method(path, ...rest)
      return FileSystem.FileSystem.of({
        ...fs,
        open: operation === "open" ? refused(fs.open) : fs.open,
        rename: operation === "rename" ? refused(fs.rename) : fs.rename
      })
    })
  )
