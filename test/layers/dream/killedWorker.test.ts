/**
 * A worker that dies at each of its operations on files, one after the other: the operation is not made, or a write is made by
 * half, and nothing is made after it, no cleaning up either. `test/binary/dreamWorker.test.ts` kills real processes.
 */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Deferred, Effect, FileSystem, Layer } from "effect"
import { TestClock } from "effect/testing"
import { projectAt } from "../../../src/layers/dream/spoolFile.ts"
import { workerPlaces } from "../../../src/layers/dream/startWorker.ts"
import * as Directory from "../../../src/layers/dream/store/Directory.ts"
import * as WorkerFiles from "../../../src/layers/dream/WorkerFiles.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { DreamPass } from "../../../src/services/dream/DreamPass.ts"
import { DreamTasks } from "../../../src/services/dream/DreamTasks.ts"
import { passOnce } from "../../../src/services/dream/dreamWorker.ts"
import { WorkerProcess } from "../../../src/services/dream/WorkerProcess.ts"
import { MemorySpool, memoryProjects } from "../../support/dreamMemory.ts"
import { inside, scratch } from "../../support/process.ts"
import { initRepository } from "../../support/repository.ts"
import { edit, eventsOf, prompt } from "../../support/sessionEvents.ts"
import { repair, seen } from "../../support/sessionProfiles.ts"

/** The file system of a process that dies at the operation with this number. */
const dying = (at: number, died: Deferred.Deferred<void>) => {
  let made = 0
  const file = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      const step = <A, E, R>(operation: Effect.Effect<A, E, R>, half: Effect.Effect<unknown, E, R> = Effect.void) =>
        Effect.suspend(() => {
          const number = made++
          if (number < at) return operation
          const last = number === at ? Effect.andThen(half, Deferred.succeed(died, undefined)) : Effect.void
          return Effect.andThen(last, Effect.never)
        })
      return FileSystem.FileSystem.of({
        ...fs,
        open: (path, options) =>
          Effect.map(options?.flag === undefined ? fs.open(path, options) : step(fs.open(path, options)), (open) => ({
            ...open,
            [FileSystem.FileTypeId]: FileSystem.FileTypeId,
            writeAll: (bytes: Uint8Array) =>
              step(open.writeAll(bytes), open.writeAll(bytes.subarray(0, bytes.length / 2))),
            sync: step(open.sync)
          })),
        remove: (path, options) => step(fs.remove(path, options)),
        rename: (from, to) => step(fs.rename(from, to)),
        link: (from, to) => step(fs.link(from, to)),
        utimes: (path, accessed, changed) => step(fs.utimes(path, accessed, changed)),
        writeFileString: (path, text, options) =>
          step(
            fs.writeFileString(path, text, options),
            fs.writeFileString(path, text.slice(0, text.length / 2), options)
          )
      })
    })
  ).pipe(Layer.provide(Platform.layer))
  return { layer: Layer.merge(Platform.layer, file), made: () => made }
}

/** The time at which all sessions have ended. */
const later = 2_000_000

const tasks = Layer.succeed(DreamTasks, [
  {
    place: 1,
    name: "repairs",
    version: 1,
    about: "",
    always: true,
    budget: 1_000,
    run: ({ session }) => {
      const contributions = [seen("same", repair("ENOENT", "mkdir -p")), seen(session.session, repair("E1", "fix"))]
      return Effect.succeed({ part: {}, contributions, summary: session.session })
    }
  }
])

const names = ["shop", "bank"]

/** Two repositories with two sessions each, and a home of dd. */
const world = (place: string) => {
  const home = inside(place, "home")
  const roots = names.map((name) => initRepository(join(place, name)).root)
  const spool = new MemorySpool()
  for (const root of roots)
    for (const [number, session] of ["s1", "s2"].entries()) {
      const events = eventsOf([prompt(), ...edit("a.ts"), { kind: "session_end", reason: "clear" }])
      const own = { session, root, project: projectAt(root)!.key }
      spool.append(events.map((event) => ({ ...event, ...own, at: event.at + number * 10_000 })))
    }
  // The tests that follow in this process keep their priority.
  const system = Layer.effect(
    WorkerProcess,
    Effect.map(WorkerProcess, (files) => WorkerProcess.of({ ...files, stepBack: Effect.void }))
  ).pipe(Layer.provide(WorkerFiles.layer(home)))
  const once = (files: ReturnType<typeof dying>["layer"]) =>
    passOnce.pipe(
      Effect.provide(
        DreamPass.layer.pipe(
          Layer.provide([spool.layer, memoryProjects(), tasks, Directory.layer(home, 1)]),
          Layer.provideMerge(system),
          Layer.provide(files)
        )
      )
    )
  const stores = roots.map((root) => join(root, ".daydream", "cross-session"))
  const locks = [workerPlaces(home).lock, ...stores.map((store) => join(store, "lock"))]
  return {
    once,
    /** The locks of the dead worker name a process that is not there. */
    bury: () => {
      for (const lock of locks.filter((path) => existsSync(path)))
        writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, "utf8")), pid: 2 ** 22 + 1 }))
    },
    forget: () => {
      for (const folder of [...roots.map((root) => join(root, ".daydream")), workerPlaces(home).folder])
        rmSync(folder, { recursive: true, force: true })
    },
    /** The contents of all files of the stores by their names. Throws if one is not whole. */
    stored: () => new Map(stores.flatMap((store) => jsonFilesIn(store).map((name) => contentOf(join(store, name))))),
    leftovers: () =>
      [...stores, workerPlaces(home).folder].flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /draft|stale/.test(name))
      )
  }
}

const contentOf = (path: string) => [path, JSON.parse(readFileSync(path, "utf8")).content] as const

/** Sessions whose evidence is in the store. */
const analysedIn = (stored: ReturnType<ReturnType<typeof world>["stored"]>): number =>
  new Set(
    [...stored].flatMap(([path, content]) => {
      const sessions = path.includes("profiles") ? [content.session] : Object.keys(content.folded ?? {})
      return sessions.map((session) => `${path.split("/.daydream/")[0]} ${session}`)
    })
  ).size

const jsonFilesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))
    : []

const runAt = <A, E>(body: Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(later), body).pipe(Effect.provide(TestClock.layer()), Effect.scoped)
  )

describe("a worker that is killed", () => {
  test("at any of its operations leaves whole files; the next one repeats nothing and comes to the same end", async () => {
    using place = scratch()
    const { bury, forget, leftovers, once, stored } = world(place.path)
    const endless = dying(Number.POSITIVE_INFINITY, Deferred.makeUnsafe())
    expect((await runAt(once(endless.layer)))!.analysed).toHaveLength(4)
    const expected = stored()
    const operations = endless.made()
    const seen = new Set<number>()
    for (let at = 0; at < operations; at++) {
      forget()
      const died = Deferred.makeUnsafe<void>()
      await runAt(Effect.andThen(Effect.forkDetach(once(dying(at, died).layer)), Deferred.await(died)))
      const before = analysedIn(stored())
      bury()
      const next = (await runAt(once(endless.layer)))!
      expect({ at, analysed: next.analysed.length, faults: next.faults }).toEqual({
        at,
        analysed: 4 - before,
        faults: []
      })
      seen.add(before)
      // A profile whose evidence is counted elsewhere may be left until the next write.
      for (const [path, content] of expected) expect([at, stored().get(path)]).toEqual([at, content])
      expect(leftovers()).toEqual([])
    }
    expect(operations).toBeGreaterThan(100)
    expect([...seen]).toEqual([0, 1, 2, 3, 4])
  })
})
