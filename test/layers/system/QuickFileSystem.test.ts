import { describe, expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, FileSystem, type PlatformError, Result } from "effect"
import * as QuickFileSystem from "../../../src/layers/system/QuickFileSystem.ts"
import { systemErrorText } from "../../../src/services/system/systemErrorText.ts"
import { it } from "../../support/effect.ts"
import { scratch } from "../../support/process.ts"

const made = () => {
  const place = scratch()
  const root = place.path
  mkdirSync(join(root, "full/inside"), { recursive: true })
  writeFileSync(join(root, "full/inside/a"), "a")
  writeFileSync(join(root, "text"), "größe\n")
  writeFileSync(join(root, "large"), new Uint8Array(2_000_000).fill(98))
  writeFileSync(join(root, "marked"), "\ufeffmarked")
  symlinkSync("text", join(root, "link"))
  symlinkSync("nowhere", join(root, "dangling"))
  symlinkSync("round", join(root, "round"))
  return place
}

type Act = (
  fs: FileSystem.FileSystem,
  at: (name: string) => string
) => Effect.Effect<unknown, PlatformError.PlatformError>

const acts: Readonly<Record<string, Act>> = {
  access: (fs, at) => fs.access(at("text"), { readable: true }),
  "access to nothing": (fs, at) => fs.access(at("none")),
  exists: (fs, at) => Effect.all(["text", "none", "dangling"].map((name) => Effect.result(fs.exists(at(name))))),
  stat: (fs, at) => Effect.map(fs.stat(at("link")), ({ mode, size, type }) => ({ mode, size, type })),
  "stat in a circle": (fs, at) => fs.stat(at("round")),
  lstat: (fs, at) => Effect.map(fs.lstat(at("link")), ({ type }) => type),
  "lstat of nothing": (fs, at) => fs.lstat(at("none")),
  makeDirectory: (fs, at) => fs.makeDirectory(at("new"), { mode: 0o700 }),
  "makeDirectory that is there": (fs, at) => fs.makeDirectory(at("full")),
  "makeDirectory with those above": (fs, at) => Effect.asVoid(fs.makeDirectory(at("x/y/z"), { recursive: true })),
  "makeDirectory without those above": (fs, at) => fs.makeDirectory(at("x/y/z")),
  rename: (fs, at) => fs.rename(at("text"), at("moved")),
  "rename over a directory": (fs, at) => fs.rename(at("text"), at("full")),
  "rename of nothing": (fs, at) => fs.rename(at("none"), at("moved")),
  remove: (fs, at) => fs.remove(at("text")),
  "remove nothing": (fs, at) => fs.remove(at("none")),
  "remove nothing by force": (fs, at) => fs.remove(at("none"), { force: true }),
  "remove a full directory": (fs, at) => fs.remove(at("full")),
  "remove a full directory with all in it": (fs, at) => fs.remove(at("full"), { recursive: true }),
  chmod: (fs, at) => fs.chmod(at("text"), 0o600),
  link: (fs, at) => fs.link(at("text"), at("twin")),
  "link over something": (fs, at) => fs.link(at("text"), at("large")),
  readFile: (fs, at) => fs.readFile(at("text")),
  "readFile, large": (fs, at) => Effect.map(fs.readFile(at("large")), (bytes) => bytes.length),
  "readFile of a directory": (fs, at) => fs.readFile(at("full")),
  "readFile of nothing": (fs, at) => fs.readFile(at("none")),
  "readFile in a circle of links": (fs, at) => fs.readFile(at("round")),
  "readFileString in a circle of links": (fs, at) => fs.readFileString(at("round")),
  "readFileString of a name that is too long": (fs, at) => fs.readFileString(at("x".repeat(300))),
  readFileString: (fs, at) => fs.readFileString(at("link")),
  "readFileString with a byte order mark": (fs, at) => fs.readFileString(at("marked")),
  "readFileString in another encoding": (fs, at) => fs.readFileString(at("text"), "latin1"),
  "writeFile anew": (fs, at) => fs.writeFile(at("new"), Uint8Array.of(1, 2), { flag: "wx", mode: 0o600 }),
  "writeFile anew over something": (fs, at) => fs.writeFile(at("text"), Uint8Array.of(1), { flag: "wx" }),
  "writeFile anew over a link": (fs, at) => fs.writeFile(at("dangling"), Uint8Array.of(1), { flag: "wx" }),
  "writeFile over something": (fs, at) => fs.writeFile(at("text"), Uint8Array.of(1)),
  "writeFileString anew": (fs, at) => fs.writeFileString(at("new"), "größe", { flag: "wx" }),
  "writeFileString below a file": (fs, at) => fs.writeFileString(at("text/new"), "a", { flag: "wx" }),
  "writeFileString added": (fs, at) => fs.writeFileString(at("text"), "more", { flag: "a" })
}

const tree = (root: string): string => {
  const { stdout } = spawnSync("sh", ["-c", "find . -printf '%p %y %m %s %n\\n' | grep -v '^\\. ' | sort"], {
    cwd: root
  })
  return stdout.toString()
}

/** What became of it, and what is there afterwards. */
const outcome = (layer: typeof QuickFileSystem.layer, act: Act) =>
  Effect.gen(function* () {
    using place = made()
    const root = place.path
    const said = yield* Effect.result(FileSystem.FileSystem.use((fs) => act(fs, (name) => join(root, name))))
    const failure = Result.isFailure(said)
      ? { tag: said.failure.reason._tag, message: said.failure.message.replaceAll(root, "") }
      : null
    const told = { answer: Result.isSuccess(said) ? (said.success ?? null) : failure, tree: tree(root) }
    return JSON.stringify(told, plain).replaceAll(root, "")
  }).pipe(Effect.provide(layer))

describe("the quick file system", () => {
  for (const [name, act] of Object.entries(acts)) {
    it.live(`does as the platform's: ${name}`, () =>
      Effect.gen(function* () {
        const [quick, platform] = [
          yield* outcome(QuickFileSystem.layer, act),
          yield* outcome(NodeFileSystem.layer, act)
        ]
        expect(quick).toBe(platform)
      })
    )
  }

  it.live("reports NotFound below a file, and BadResource for a file in place of a directory", () =>
    Effect.gen(function* () {
      using place = made()
      const fs = yield* FileSystem.FileSystem
      const below = join(place.path, "text/x")
      const looks = [
        fs.access(below),
        fs.stat(below),
        fs.lstat(below),
        fs.readFile(below),
        fs.readFileString(below),
        fs.readDirectory(below),
        fs.readLink(below),
        fs.realPath(below)
      ]
      for (const look of looks) expect((yield* Effect.flip(look)).reason._tag).toBe("NotFound")
      expect(yield* fs.exists(below)).toBe(false)
      expect((yield* Effect.flip(fs.readDirectory(join(place.path, "text")))).reason._tag).toBe("BadResource")
      expect((yield* Effect.flip(fs.makeDirectory(below))).reason._tag).toBe("BadResource")
    }).pipe(Effect.provide(QuickFileSystem.layer))
  )

  it.live("reads no pipe or device by its path: it would wait for a writer, or never end", () =>
    Effect.gen(function* () {
      using place = scratch()
      const pipe = join(place.path, "pipe")
      spawnSync("mkfifo", [pipe])
      symlinkSync(pipe, join(place.path, "link"))
      const fs = yield* FileSystem.FileSystem
      for (const path of [pipe, join(place.path, "link"), "/dev/zero"]) {
        for (const read of [Effect.asVoid(fs.readFile(path)), Effect.asVoid(fs.readFileString(path))]) {
          expect(systemErrorText(yield* Effect.flip(read))).toBe("it is not a regular file")
        }
      }
    }).pipe(Effect.provide(QuickFileSystem.layer))
  )

  it.live("reads what the process has open already, and nothing from /dev/null", () =>
    Effect.gen(function* () {
      using place = made()
      const fs = yield* FileSystem.FileSystem
      const descriptor = openSync(join(place.path, "text"), "r")
      expect(yield* fs.readFileString(`/dev/fd/${descriptor}`)).toBe("größe\n")
      closeSync(descriptor)
      expect(yield* fs.readFileString("/dev/null")).toBe("")
    }).pipe(Effect.provide(QuickFileSystem.layer))
  )
})

const plain = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? `${value}n` : value instanceof Uint8Array ? [...value] : value
