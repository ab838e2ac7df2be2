import { describe, expect } from "bun:test"
import { Effect, FileSystem, Layer, Option } from "effect"
import * as Directory from "../../../../src/layers/review/artifacts/Directory.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { hasEnded, startTicks } from "../../../../src/layers/system/process/Proc.ts"
import { Artifacts } from "../../../../src/services/review/Artifacts.ts"
import { it } from "../../../support/effect.ts"

const inRoot = <A, E>(body: (root: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(Platform.layer))

const using = <A, E>(
  root: string,
  session: string,
  body: (artifacts: Artifacts["Service"]) => Effect.Effect<A, E>,
  fs?: FileSystem.FileSystem
) =>
  Artifacts.use(body).pipe(
    Effect.provide(
      Directory.layer(root, session).pipe(
        Layer.provide(fs === undefined ? Layer.empty : Layer.succeed(FileSystem.FileSystem, fs)),
        Layer.provide(Platform.layer)
      )
    )
  )

/** A lock of process 1, which always lives and is never this test. */
const livingLock = Effect.fnUntraced(function* (session: string) {
  const fs = yield* FileSystem.FileSystem
  const boot = Option.getOrNull(yield* Effect.option(fs.readFileString("/proc/sys/kernel/random/boot_id")))
  const stat = Option.getOrNull(yield* Effect.option(fs.readFileString("/proc/1/stat")))
  const started = boot === null || stat === null ? null : { boot: boot.trim(), ticks: startTicks(stat) }
  return JSON.stringify({ pid: 1, session, started })
})

const modeOf = (fs: FileSystem.FileSystem, path: string) =>
  Effect.map(fs.stat(path), (info) => (info.mode & 0o777).toString(8))

describe("artifacts in a directory", () => {
  it.live("are written completely, for the user alone, in a directory that ignores itself", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* using(root, "s1", (artifacts) => artifacts.write("deep/intent.md", "Open a file.\n"))
        expect(yield* fs.readFileString(`${root}/.daydream/deep/intent.md`)).toBe("Open a file.\n")
        expect(yield* fs.readFileString(`${root}/.daydream/.gitignore`)).toBe("*\n")
        expect(yield* modeOf(fs, `${root}/.daydream/deep/intent.md`)).toBe("600")
        expect(yield* modeOf(fs, `${root}/.daydream`)).toBe("700")
        expect(yield* fs.readDirectory(`${root}/.daydream/deep`)).toEqual(["intent.md"])
        expect(yield* fs.exists(`${root}/.daydream/lock`)).toBe(false)
      })
    )
  )

  it.live("leave a .gitignore that is already there alone", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.writeFileString(`${root}/.daydream/.gitignore`, "runs/\n")
        yield* using(root, "s1", () => Effect.void)
        expect(yield* fs.readFileString(`${root}/.daydream/.gitignore`)).toBe("runs/\n")
      })
    )
  )

  it.live("are ignored by git also after all of them were deleted during the run", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* using(root, "s1", (artifacts) =>
          Effect.gen(function* () {
            yield* artifacts.write("deep/a.json", "[]")
            yield* fs.remove(`${root}/.daydream`, { recursive: true })
            yield* artifacts.write("deep/b.json", "[]")
          })
        )
        expect(yield* fs.readFileString(`${root}/.daydream/.gitignore`)).toBe("*\n")
        expect(yield* fs.readDirectory(`${root}/.daydream/deep`)).toEqual(["b.json"])
      })
    )
  )

  it.live("read what was written, and nothing where nothing was", () =>
    inRoot((root) =>
      using(root, "s1", (artifacts) =>
        Effect.gen(function* () {
          yield* artifacts.write("deep/a.json", "[]")
          expect(Option.getOrNull(yield* artifacts.read("deep/a.json"))).toBe("[]")
          expect(Option.isNone(yield* artifacts.read("deep/b.json"))).toBe(true)
          expect(yield* artifacts.list("deep")).toEqual(["a.json"])
          yield* artifacts.remove("deep")
          expect(yield* artifacts.list("deep")).toEqual([])
        })
      )
    )
  )

  it.live("do not follow a link that the repository planted for .daydream", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${root}/victim`)
        yield* fs.symlink("victim", `${root}/.daydream`)
        const seen = yield* using(root, "s1", (artifacts) =>
          Effect.as(artifacts.write("deep/intent.md", "x"), { refused: artifacts.refused, notice: artifacts.notice })
        )
        expect(yield* fs.readDirectory(`${root}/victim`)).toEqual([])
        expect(seen.refused).toBe(true)
        expect(seen.notice).toContain("not a directory of this repository")
      })
    )
  )

  it.live("do not follow a link planted for a directory inside, and name it", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${root}/victim`)
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.symlink("../victim", `${root}/.daydream/deep`)
        const failed = yield* using(root, "s1", (artifacts) => Effect.flip(artifacts.write("deep/intent.md", "x")))
        expect(failed.message).toContain(".daydream/deep is not a directory")
        expect(yield* fs.readDirectory(`${root}/victim`)).toEqual([])
      })
    )
  )

  it.live("replace a link planted for a file, and leave what it points to alone", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${root}/victim`, "precious")
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.symlink("../victim", `${root}/.daydream/diff.patch`)
        yield* using(root, "s1", (artifacts) => artifacts.write("diff.patch", "new"))
        expect(yield* fs.readFileString(`${root}/victim`)).toBe("precious")
        expect(yield* fs.readFileString(`${root}/.daydream/diff.patch`)).toBe("new")
      })
    )
  )

  it.live("of a second run at the same time stay apart from the first, and report it", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.writeFileString(`${root}/.daydream/lock`, yield* livingLock("other"))
        const notice = yield* using(root, "s2", (artifacts) =>
          Effect.as(artifacts.write("deep/intent.md", "mine"), artifacts.notice)
        )
        expect(notice).toContain("another review is running")
        expect(yield* fs.exists(`${root}/.daydream/deep`)).toBe(false)
        expect(yield* fs.readFileString(`${root}/.daydream/runs/s2/deep/intent.md`)).toBe("mine")
        expect(yield* fs.exists(`${root}/.daydream/lock`)).toBe(true)
      })
    )
  )

  it.live("take over the lock of a run that died", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${root}/.daydream`)
        const { started } = JSON.parse(yield* livingLock("x"))
        for (const stale of [JSON.stringify({ pid: 2 ** 22 + 7, session: "dead", started }), "", "{"]) {
          yield* fs.writeFileString(`${root}/.daydream/lock`, stale)
          expect(yield* using(root, "s3", (artifacts) => Effect.succeed(artifacts.notice))).toBeNull()
          expect((yield* fs.readDirectory(`${root}/.daydream`)).sort()).toEqual([".gitignore", "runs"])
        }
      })
    )
  )

  it.live("take over the lock of a killed run whose parent has not collected it yet", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const { started } = JSON.parse(yield* livingLock("x"))
        if (started === null) return
        // The child ends once its parent is a `sleep`, which never asks for a child's end.
        const script = '(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done) & echo $!; exec sleep 60'
        const parent = yield* Effect.acquireRelease(
          Effect.sync(() => Bun.spawn(["sh", "-c", script], { stdout: "pipe" })),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        const { value } = yield* Effect.promise(() => parent.stdout.getReader().read())
        const pid = Number(new TextDecoder().decode(value))
        const stat = fs.readFileString(`/proc/${pid}/stat`)
        while (!hasEnded(yield* stat)) yield* Effect.yieldNow
        const lock = { pid, session: "dead", started: { ...started, ticks: startTicks(yield* stat) } }
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.writeFileString(`${root}/.daydream/lock`, JSON.stringify(lock))
        expect(yield* using(root, "s3", (artifacts) => Effect.succeed(artifacts.notice))).toBeNull()
      }).pipe(Effect.scoped)
    )
  )

  it.live(
    "are not kept away by a lock that the repository brought, nor by a process that got a dead one's number",
    () =>
      inRoot((root, fs) =>
        Effect.gen(function* () {
          const { started } = JSON.parse(yield* livingLock("x"))
          // Without /proc nothing but the number is known.
          if (started === null) return
          yield* fs.makeDirectory(`${root}/.daydream`)
          const planted = [
            { pid: 1, session: "x" },
            { pid: 1, session: "x", started: null },
            { pid: 1, session: "x", started: { ...started, boot: "another" } },
            { pid: 1, session: "x", started: { ...started, ticks: `${Number(started.ticks) + 1}` } },
            { pid: process.pid, session: "x", started: { ...started, ticks: "1" } },
            { pid: 1, session: "x".repeat(2000), started }
          ]
          for (const lock of planted) {
            yield* fs.writeFileString(`${root}/.daydream/lock`, JSON.stringify(lock))
            expect(yield* using(root, "s4", (artifacts) => Effect.succeed(artifacts.notice))).toBeNull()
          }
        })
      )
  )

  it.live("do not wait for a pipe, an endless device, a directory or a link under the lock's name", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const lock = `${root}/.daydream/lock`
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.writeFileString(`${root}/victim`, yield* livingLock("other"))
        const planted = [
          Effect.sync(() => Bun.spawnSync(["mkfifo", lock])),
          fs.symlink("/dev/zero", lock),
          fs.makeDirectory(`${lock}/inside`, { recursive: true }),
          fs.symlink("../victim", lock)
        ]
        for (const plant of planted) {
          yield* plant
          expect(yield* using(root, "s5", (artifacts) => Effect.succeed(artifacts.notice))).toBeNull()
          expect(yield* fs.exists(lock)).toBe(false)
        }
        expect(yield* fs.readFileString(`${root}/victim`)).toBe(yield* livingLock("other"))
      })
    )
  )

  it.live("are left to the one that was faster when two runs find the same dead lock", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const lock = `${root}/.daydream/lock`
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.writeFileString(lock, "{")
        const faster = yield* livingLock("faster")
        // The other run takes the lock over between this one's look and its rename.
        const overtaken: FileSystem.FileSystem = {
          ...fs,
          rename: (from, to) =>
            (from === lock ? Effect.andThen(fs.remove(lock), fs.writeFileString(lock, faster)) : Effect.void).pipe(
              Effect.andThen(fs.rename(from, to))
            )
        }
        const notice = yield* using(root, "s6", (artifacts) => Effect.succeed(artifacts.notice), overtaken)
        expect(notice).toContain("another review is running")
        expect(yield* fs.readFileString(lock)).toBe(faster)
        expect((yield* fs.readDirectory(`${root}/.daydream`)).sort()).toEqual([".gitignore", "lock", "runs"])
      })
    )
  )

  it.live("do not take another run's lock away at their end", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const other = yield* livingLock("other")
        yield* using(root, "s7", () => fs.writeFileString(`${root}/.daydream/lock`, other))
        expect(yield* fs.readFileString(`${root}/.daydream/lock`)).toBe(other)
      })
    )
  )

  it.live("leave no draft behind when a file cannot be replaced, and report why", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${root}/.daydream/deep/a.md/inside`, { recursive: true })
        const failed = yield* using(root, "s8", (artifacts) => Effect.flip(artifacts.write("deep/a.md", "x")))
        expect(failed.message).toBe("deep/a.md was not written: it is a directory")
        expect(yield* fs.readDirectory(`${root}/.daydream/deep`)).toEqual(["a.md"])
      })
    )
  )

  it.live("of a running or killed run are kept until its journal is made into a trajectory", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const runs = `${root}/.daydream/runs`
        const session = (n: number) => `00000000-0000-4000-8000-${`${n}`.padStart(12, "0")}`
        for (let n = 1; n <= 25; n++) {
          yield* fs.makeDirectory(`${runs}/${session(n)}`, { recursive: true })
          if (n <= 3) yield* fs.writeFileString(`${runs}/${session(n)}/trajectory.jsonl.partial`, "{")
          else yield* fs.writeFileString(`${runs}/${session(n)}/trajectory.json`, "{}")
          yield* fs.utimes(`${runs}/${session(n)}`, n, n)
        }
        yield* using(root, session(98), () => Effect.void)
        expect((yield* fs.readDirectory(runs)).sort().slice(0, 5)).toEqual([1, 2, 3, 7, 8].map(session))
        yield* fs.rename(
          `${runs}/${session(2)}/trajectory.jsonl.partial`,
          `${runs}/${session(2)}/trajectory.json.partial`
        )
        yield* fs.utimes(`${runs}/${session(2)}`, 2, 2)
        yield* using(root, session(99), () => Effect.void)
        expect((yield* fs.readDirectory(runs)).sort().slice(0, 4)).toEqual([1, 3, 7, 8].map(session))
      })
    )
  )

  it.live("of the newest 20 runs are kept; what is no run's directory is left alone", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const runs = `${root}/.daydream/runs`
        const session = (n: number) => `00000000-0000-4000-8000-${`${n}`.padStart(12, "0")}`
        yield* fs.makeDirectory(`${root}/victim`)
        yield* fs.writeFileString(`${root}/victim/precious`, "")
        for (let n = 1; n <= 25; n++) {
          yield* fs.makeDirectory(`${runs}/${session(n)}/deep`, { recursive: true })
          yield* fs.symlink("../../../victim", `${runs}/${session(n)}/out`)
          yield* fs.utimes(`${runs}/${session(n)}`, n, n)
        }
        yield* fs.symlink("../../victim", `${runs}/${session(0)}`)
        yield* fs.makeDirectory(`${runs}/notes`)
        yield* using(root, session(99), () => fs.writeFileString(`${runs}/${session(99)}/trajectory.json`, "{}"))
        const kept = Array.from({ length: 19 }, (_, i) => session(i + 7))
        expect((yield* fs.readDirectory(runs)).sort()).toEqual([session(0), ...kept, session(99), "notes"])
        expect(yield* fs.readDirectory(`${root}/victim`)).toEqual(["precious"])
      })
    )
  )
})

describe("a run that leaves nothing of its own", () => {
  it.live("leaves no directory either", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const session = "00000000-0000-4000-8000-000000000001"
        yield* using(root, session, () => Effect.void)
        expect(yield* fs.readDirectory(`${root}/.daydream/runs`)).toEqual([])
      })
    )
  )
})

describe("startTicks", () => {
  it("are read behind a process name that contains brackets and blanks", () => {
    const fields = ["S", ...Array.from({ length: 18 }, (_, i) => `${i}`), "4711", "0"]
    expect(startTicks(`7 (a) (b) c) ${fields.join(" ")}`)).toBe("4711")
    expect(startTicks("")).toBeNull()
  })
})
