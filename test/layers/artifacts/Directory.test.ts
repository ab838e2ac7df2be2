import { describe, expect } from "bun:test"
import { Effect, FileSystem, Layer, Option } from "effect"
import * as Directory from "../../../src/layers/artifacts/Directory.ts"
import * as Platform from "../../../src/layers/Platform.ts"
import { Artifacts } from "../../../src/services/Artifacts.ts"
import { it } from "../../support/effect.ts"

const inRoot = <A, E>(body: (root: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(Platform.layer))

const using = <A, E>(root: string, session: string, body: (artifacts: Artifacts["Service"]) => Effect.Effect<A, E>) =>
  Artifacts.use(body).pipe(Effect.provide(Directory.layer(root, session).pipe(Layer.provide(Platform.layer))))

const modeOf = (fs: FileSystem.FileSystem, path: string) =>
  Effect.map(fs.stat(path), (info) => (info.mode & 0o777).toString(8))

describe("artifacts in a directory", () => {
  it.live("are written whole, for the user alone, in a directory that ignores itself", () =>
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

  it.live("of a second run at the same time stay apart from the first, and say so", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        // Process 1 always lives and is never this test.
        yield* fs.makeDirectory(`${root}/.daydream`)
        yield* fs.writeFileString(`${root}/.daydream/lock`, JSON.stringify({ pid: 1, session: "other" }))
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
        for (const stale of [JSON.stringify({ pid: 2 ** 22 + 7, session: "dead" }), "", "{"]) {
          yield* fs.writeFileString(`${root}/.daydream/lock`, stale)
          expect(yield* using(root, "s3", (artifacts) => Effect.succeed(artifacts.notice))).toBeNull()
          expect(yield* fs.exists(`${root}/.daydream/lock`)).toBe(false)
        }
      })
    )
  )
})
