import { describe, expect } from "bun:test"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect, FileSystem, Layer, PlatformError, Result } from "effect"
import { decodeIteration, decodeSummary } from "../../../src/domain/night/Summary.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { NightFiles } from "../../../src/services/night/NightFiles.ts"
import { it } from "../../support/effect.ts"
import { fileDirectory } from "../../support/fileDirectory.ts"
import { goodNight } from "../../support/night/nights.ts"
import { iteration, night } from "../../support/night/summaries.ts"

const directory = fileDirectory()
let places = 0
const fresh = () => join(directory, `night-${places++}`)

const withFiles = <A, E, R>(self: Effect.Effect<A, E, R | NightFiles>, top: string, pointer: string | null = null) =>
  Effect.provide(self, NightFiles.layer(top, pointer).pipe(Layer.provideMerge(Platform.layer)))

const modeOf = (path: string) => lstatSync(path).mode & 0o777

describe("the files of a night", () => {
  it.live("are the report in both forms, for this user alone", () =>
    Effect.gen(function* () {
      const top = fresh()
      yield* withFiles(
        NightFiles.use((files) => files.report(goodNight)),
        top,
        join(directory, "latest")
      )
      expect(readdirSync(top).sort()).toEqual(["contract.md", "summary.json", "summary.md"])
      expect(decodeSummary(readFileSync(join(top, "summary.json"), "utf8"))).toMatchObject({ _tag: "Success" })
      expect(readFileSync(join(top, "summary.md"), "utf8")).toStartWith("# Dream Morning Report\n")
      expect([modeOf(top), modeOf(join(top, "summary.json"))]).toEqual([0o700, 0o600])
      expect(readFileSync(join(directory, "latest"), "utf8")).toBe(`${top}\n`)
      expect(lstatSync(join(directory, "latest")).isFile()).toBe(true)
    })
  )

  it.live("are not named as the newest before there is a report", () =>
    Effect.gen(function* () {
      const pointer = join(directory, "latest-later")
      const named = Effect.sync(() => existsSync(pointer))
      yield* withFiles(
        Effect.gen(function* () {
          const files = yield* NightFiles
          yield* files.log("begins")
          expect(yield* named).toBe(false)
          yield* files.report(goodNight)
          expect(yield* named).toBe(true)
        }),
        fresh(),
        pointer
      )
    })
  )

  it.live("are replaced whole: a write that fails leaves the old report and no draft", () =>
    Effect.gen(function* () {
      const top = fresh()
      const failing = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (fs) =>
          FileSystem.FileSystem.of({
            ...fs,
            rename: (from, to) =>
              to.endsWith("summary.json") && readdirSync(top).includes("summary.json")
                ? Effect.fail(
                    PlatformError.systemError({
                      _tag: "Unknown",
                      module: "test",
                      method: "rename",
                      cause: Object.assign(new Error(), { code: "ENOSPC" })
                    })
                  )
                : fs.rename(from, to)
          })
        )
      ).pipe(Layer.provideMerge(Platform.layer))
      const error = yield* Effect.gen(function* () {
        const files = yield* NightFiles
        yield* files.report(night({ status: "planned" }))
        return yield* Effect.flip(files.report(goodNight))
      }).pipe(Effect.provide(NightFiles.layer(top, null).pipe(Layer.provideMerge(failing))))
      expect(error.message).toBe(`${join(top, "summary.json")} could not be used: no space left on the device`)
      expect(JSON.parse(readFileSync(join(top, "summary.json"), "utf8")).status).toBe("planned")
      expect(readdirSync(top).sort()).toEqual(["contract.md", "summary.json", "summary.md"])
    })
  )

  it.live("have their drafts in one place, where the next use removes those of a killed night, and nothing else", () =>
    Effect.gen(function* () {
      const top = fresh()
      const drafts: Array<string> = []
      const watched = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (fs) =>
          FileSystem.FileSystem.of({
            ...fs,
            rename: (from, to) =>
              Effect.andThen(
                Effect.sync(() => drafts.push(from)),
                fs.rename(from, to)
              )
          })
        )
      ).pipe(Layer.provideMerge(Platform.layer))
      yield* NightFiles.use((files) =>
        Effect.all([
          files.report(goodNight),
          files.iteration("run", iteration(1)),
          files.packets(goodNight.morning_packets!),
          files.document("council/packet.json", "{}")
        ])
      ).pipe(Effect.provide(NightFiles.layer(top, null).pipe(Layer.provideMerge(watched))))
      const others = ["mine.1.draft", "summary.json", "dd-night.x.draft"]
      for (const path of [...drafts, ...others.map((name) => join(top, name))]) writeFileSync(path, "{")
      yield* withFiles(NightFiles, top)
      const left = readdirSync(top, { recursive: true }).map(String)
      expect(left.filter((name) => name.endsWith(".draft")).sort()).toEqual(["dd-night.x.draft", "mine.1.draft"])
      expect(left).toContain("summary.json")
    })
  )

  it.live("hide credentials and names of users in texts, and keep the paths whole", () =>
    Effect.gen(function* () {
      const top = fresh()
      const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`
      const summary = night({ goal: `use ${token}`, degraded: [`/home/ada/x: ${token}`], failure_reason: token })
      yield* withFiles(
        NightFiles.use((files) =>
          Effect.all([
            files.report(summary),
            files.iteration("run", iteration(1, { error: token, degraded: [token] })),
            files.packets([{ ...goodNight.morning_packets![0]!, title: "Decide", why_now: token }]),
            files.log(token)
          ])
        ),
        top
      )
      const files = readdirSync(top, { recursive: true }).map((name) => join(top, String(name)))
      expect(files.some((path) => path.endsWith("index.md"))).toBe(true)
      for (const path of files.filter((each) => lstatSync(each).isFile())) {
        expect(readFileSync(path, "utf8")).not.toContain(token)
      }
      const written = JSON.parse(readFileSync(join(top, "summary.json"), "utf8"))
      expect(written).toMatchObject({ repo_root: summary.repo_root, artifacts: summary.artifacts })
      expect(written.degraded[0]).not.toContain("ada")
    })
  )

  it.live("have each iteration, and a marker beside one that counts and was flagged", () =>
    Effect.gen(function* () {
      const top = fresh()
      const read = yield* withFiles(
        Effect.gen(function* () {
          const files = yield* NightFiles
          expect(yield* files.iterations("run")).toEqual([])
          yield* files.iteration("run", iteration(2, { status: "halted-on-regression-post-commit" }))
          yield* files.iteration("run", iteration(1))
          writeFileSync(join(top, "run/iterations/iter-3.json"), "{")
          writeFileSync(join(top, "run/iterations/iter-04.json"), "{}")
          return yield* files.iterations("run")
        }),
        top
      )
      expect(readdirSync(join(top, "run/iterations")).sort()).toEqual([
        "committed-but-flagged.iter-2.marker",
        "iter-04.json",
        "iter-1.json",
        "iter-2.json",
        "iter-3.json"
      ])
      expect(lstatSync(join(top, "run/iterations/committed-but-flagged.iter-2.marker")).size).toBe(0)
      expect(read.map(({ name }) => name)).toEqual(["iter-1.json", "iter-2.json", "iter-3.json"])
      expect(read.map(({ text }) => text !== null && Result.isSuccess(decodeIteration(text)))).toEqual([
        true,
        true,
        false
      ])
    })
  )

  it.live("have the packets of this night and none of an earlier one", () =>
    Effect.gen(function* () {
      const top = fresh()
      const placed = yield* withFiles(
        Effect.gen(function* () {
          const files = yield* NightFiles
          yield* files.packets(goodNight.morning_packets!)
          return yield* files.packets(goodNight.morning_packets!.slice(0, 1))
        }),
        top
      )
      expect(readdirSync(join(top, "morning-packets")).sort()).toEqual([
        "01-decide-whether-py-mutable-default-is-0d9fa4d5.json",
        "index.json",
        "index.md"
      ])
      expect(JSON.parse(readFileSync(placed[0]!.artifact_path!, "utf8"))).toEqual(placed[0])
    })
  )

  it.live("have a log to which each line is added", () =>
    Effect.gen(function* () {
      const top = fresh()
      yield* withFiles(
        NightFiles.use((files) => Effect.andThen(files.log("one\ntwo"), files.log("three"))),
        top
      )
      expect(readFileSync(join(top, "overnight.log"), "utf8")).toBe("one two\nthree\n")
    })
  )

  for (const [name, make, reason] of [
    ["a link", (top: string) => symlinkSync(directory, top), "it is a link"],
    [
      "a directory with other files",
      (top: string) => {
        mkdirSync(top)
        writeFileSync(join(top, "thesis.txt"), "")
        chmodSync(top, 0o755)
      },
      "it has files that no night wrote"
    ],
    ["a file", (top: string) => writeFileSync(top, ""), ""]
  ] as const) {
    it.live(`are not written to ${name}`, () =>
      Effect.gen(function* () {
        const top = fresh()
        make(top)
        const before = lstatSync(top).mode
        const error = yield* Effect.flip(withFiles(NightFiles, top))
        expect(error).toMatchObject({ _tag: "OutputRefused" })
        expect(error.message).toContain(reason)
        expect(lstatSync(top).mode).toBe(before)
      })
    )
  }

  it.live("are not written through a link by a relative path", () =>
    Effect.gen(function* () {
      const target = fresh()
      mkdirSync(target)
      const link = `test-link-${process.pid}`
      symlinkSync(target, link)
      yield* Effect.addFinalizer(() =>
        Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(link)).pipe(
          Effect.provide(Platform.layer),
          Effect.orDie
        )
      )
      expect(yield* Effect.flip(withFiles(NightFiles, `${link}/run`))).toMatchObject({
        message: `no report can be written to ${link}/run: it leads through a link to ${target}/run`
      })
    })
  )

  it.live("do not follow a link in the directory", () =>
    Effect.gen(function* () {
      const [top, elsewhere] = [fresh(), fresh()]
      mkdirSync(elsewhere)
      const error = yield* withFiles(
        Effect.gen(function* () {
          const files = yield* NightFiles
          symlinkSync(elsewhere, join(top, "council"))
          return yield* Effect.flip(files.document("council/packet.json", "{}"))
        }),
        top
      )
      expect(error).toMatchObject({ _tag: "NightFileUnusable", path: join(top, "council"), reason: "it is a link" })
      expect(readdirSync(elsewhere)).toEqual([])
    })
  )
})
