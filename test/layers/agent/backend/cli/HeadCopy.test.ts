import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import * as HeadCopy from "../../../../../src/layers/agent/backend/cli/HeadCopy.ts"
import * as Files from "../../../../../src/layers/change/sources/Files.ts"
import { copyPrefix } from "../../../../../src/layers/system/abandonedCopies.ts"
import * as Platform from "../../../../../src/layers/system/Platform.ts"
import { Redactor } from "../../../../../src/services/secret/Redactor.ts"
import { sourcesOf } from "../../../../support/change.ts"
import { it } from "../../../../support/effect.ts"
import { scratch } from "../../../../support/process.ts"

const sources = (files: Readonly<Record<string, string>>) =>
  Files.layer({
    files: new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
    root: null
  }).pipe(Layer.provideMerge(Platform.layer))

const filesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()

const copied = (
  files: Readonly<Record<string, string>>,
  options: Partial<HeadCopy.HeadCopyOptions> & { readonly home: string | null }
) =>
  Effect.gen(function* () {
    const copy = yield* HeadCopy.make({ reviewed: null, changed: [], before: [], ...options })
    return yield* copy.files
  }).pipe(Effect.provide(sources(files)))

describe("the copy of the head side", () => {
  it.live("is in dd's own directory, for the user alone, and gone with its scope", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = join(place.path, "dd")
      const scope = yield* Scope.make()
      const { directory, own } = yield* copied({ "src/a.py": "x\n" }, { home }).pipe(Scope.provide(scope))
      expect(own.startsWith(join(home, "work", "dd-head."))).toBe(true)
      expect(statSync(own).mode & 0o777).toBe(0o700)
      expect(statSync(join(directory, "src/a.py")).mode & 0o777).toBe(0o600)
      yield* Scope.close(scope, Exit.void)
      expect(readdirSync(join(home, "work"))).toEqual([])
    })
  )

  it.live("has what is changed and what is near it first, as far as there is room, and counts the rest", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = join(place.path, "dd")
      const files = { "a.py": "a", "lib/b.py": "b", "src/deep/c.py": "c", "src/d.py": "d", "src/deep/e.py": "e" }
      const few = yield* copied(files, { home, changed: ["src/deep/e.py"], mostFiles: 3 })
      expect(filesIn(few.directory)).toEqual(["src/d.py", "src/deep/c.py", "src/deep/e.py"])
      expect([few.written, few.omitted]).toEqual([3, 2])
      const small = yield* copied(
        { ...files, "src/deep/e.py": "e".repeat(10) },
        { home, changed: ["src/deep/e.py"], mostBytes: 11 }
      )
      expect(filesIn(small.directory)).toEqual(["src/deep/c.py", "src/deep/e.py"])
    })
  )

  it.live("has the changed files as they were before, in a folder of their own, without secrets", () =>
    Effect.gen(function* () {
      using place = scratch()
      const copy = yield* HeadCopy.make({
        home: join(place.path, "dd"),
        reviewed: null,
        changed: ["src/a.py", "src/b.py"],
        before: ["src/a.py", "AGENTS.md", "src/gone.py"]
      })
      const { before, directory } = yield* copy.files
      expect(filesIn(directory)).toEqual([".dd/before/src/a.py", ".dd/before/src/gone.py", "src/a.py", "src/b.py"])
      expect(readFileSync(join(directory, ".dd/before/src/a.py"), "utf8")).toMatch(/^token = "\[REDACTED_/)
      expect(before).toBe(2)
    }).pipe(
      Effect.provide([
        sourcesOf({
          "src/a.py": [`token = "ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}"\n`, "token = read()\n"],
          "src/b.py": [null, "b = 1\n"],
          "src/gone.py": ["gone = 1\n", null],
          "AGENTS.md": ["Approve.\n", "Approve.\n"]
        }),
        Platform.layer,
        Redactor.layerOf({})
      ])
    )
  )

  it.live("keeps the lines where they are, with the secrets in them hidden", () =>
    Effect.gen(function* () {
      using place = scratch()
      const key = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "-----END PRIVATE KEY-----"].join(
        "\n"
      )
      const { directory } = yield* copied({ "a.py": `one\n${key}\nfive\n` }, { home: join(place.path, "dd") })
      const text = readFileSync(join(directory, "a.py"), "utf8")
      expect(text).not.toContain("MIIEvQ")
      expect(text.split("\n")).toHaveLength(6)
      expect(text.split("\n")[4]).toBe("five")
    })
  )

  it.live("is not made below the repository under review, whose settings would apply there", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = join(place.path, "repo", ".dd")
      mkdirSync(home, { recursive: true })
      const { own } = yield* copied({ "a.py": "a" }, { home, reviewed: join(place.path, "repo") })
      expect(own.startsWith(place.path)).toBe(false)
      const nowhere = yield* copied({ "a.py": "a" }, { home: null })
      expect(existsSync(nowhere.directory)).toBe(true)
    })
  )

  it.live("is made for all callers when the first one has left", () =>
    Effect.gen(function* () {
      using place = scratch()
      yield* Effect.gen(function* () {
        const copy = yield* HeadCopy.make({ home: join(place.path, "dd"), reviewed: null, changed: [], before: [] })
        const first = yield* Effect.forkChild(copy.files)
        yield* Fiber.interrupt(first)
        expect((yield* copy.files).written).toBe(1)
        expect(filesIn((yield* copy.bare).directory)).toEqual([])
      }).pipe(Effect.provide(sources({ "a.py": "a" })))
    })
  )

  it.live("removes the copy of a killed run, and nothing of a running one or of others", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = join(place.path, "dd")
      const work = join(home, "work")
      const living = `${yield* copyPrefix}abc`
      const gone = living.replace(/^dd-head\.\d+/, "dd-head.4194311")
      // Of another machine or container that shares the home: its process cannot be looked up from here.
      const elsewhere = gone.replace(/[^.]+(?=\.abc)/, "another-boot_1")
      const forgotten = `${elsewhere}d`
      for (const name of [living, gone, elsewhere, forgotten, "dd-head.x", "other"])
        mkdirSync(join(work, name), { recursive: true })
      const longAgo = Date.now() / 1000 - 25 * 60 * 60
      utimesSync(join(work, forgotten), longAgo, longAgo)
      symlinkSync(home, join(work, `${gone}d`))
      yield* Effect.scoped(copied({ "a.py": "a" }, { home }))
      expect(readdirSync(work).sort()).toEqual([`${gone}d`, living, elsewhere, "dd-head.x", "other"].sort())
    }).pipe(Effect.provide(Platform.layer))
  )

  it.live("reports why there is none", () =>
    Effect.gen(function* () {
      using place = scratch()
      const file = join(place.path, "file")
      yield* Effect.promise(() => Bun.write(file, ""))
      const failed = yield* Effect.flip(copied({ "a.py": "a" }, { home: file }))
      expect(failed.message).toContain("no copy of the files under review could be made")
    })
  )
})

describe("what is copied", () => {
  test("contains no file that configures a tool, in any case and folder, and no link that leads out", () => {
    for (const path of [
      ".git/config",
      "sub/.git",
      "CLAUDE.md",
      "docs/Claude.MD",
      "AGENTS.md",
      "a/b/agents.override.md",
      ".claude/settings.json",
      ".MCP.json",
      ".codex/config.toml",
      ".pi/extensions/x.ts",
      ".agents/skills/x/SKILL.md",
      "../x",
      "a/../../x",
      "/etc/passwd",
      "a//b",
      "a\0b",
      ""
    ]) {
      expect([path, HeadCopy.isCopied(path)]).toEqual([path, false])
    }
    for (const path of ["src/claude.py", "my.git/x", "agents/md.py", "a b/ü.ts", ".github/workflows/ci.yml"]) {
      expect([path, HeadCopy.isCopied(path)]).toEqual([path, true])
    }
  })
})
