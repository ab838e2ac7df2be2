import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import * as Directory from "../../../../src/layers/run/extensions/Directory.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { outlineRegistry } from "../../../../src/programs/flows.ts"
import { type ExtensionBroken, Extensions, extendAll, outlineOf } from "../../../../src/services/run/Extensions.ts"
import { it } from "../../../support/effect.ts"
import { scratch } from "../../../support/process.ts"

const valid = "export const DAYDREAM_EXT_API = 1\nexport const register = () => {}\n"

let root = ""
const home = () => join(root, "home")
const extensions = () => join(home(), "extensions")

/** Modes are set outright: the umask of whoever runs the tests must not decide them. */
const write = (path: string, text: string, mode = 0o600) => {
  const folders: Array<string> = []
  for (let at = dirname(path); at.startsWith(root) && at !== root; at = dirname(at)) folders.unshift(at)
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o700)
  }
  writeFileSync(path, text)
  chmodSync(path, mode)
}

let place: ReturnType<typeof scratch>

beforeEach(() => {
  place = scratch()
  root = place.path
})
afterEach(() => place[Symbol.dispose]())

const found = (options: Partial<Directory.Options> = {}) =>
  Extensions.use(({ files }) => files).pipe(
    Effect.provide(Directory.layer({ home: home(), reviewed: null, ...options }).pipe(Layer.provide(Platform.layer))),
    Effect.exit
  )
const files = (options?: Partial<Directory.Options>) =>
  Effect.map(found(options), (exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    throw new Error(Cause.pretty(exit.cause))
  })
const refusal = (options?: Partial<Directory.Options>) =>
  Effect.map(found(options), (exit) => {
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
    expect(error).toMatchObject({ _tag: "ExtensionBroken" })
    return error as ExtensionBroken
  })
const reasons = (options?: Partial<Directory.Options>) =>
  Effect.map(files(options), (all) =>
    all.map(({ exports }) => Result.match(exports, { onFailure: ({ reason }) => reason, onSuccess: () => "loaded" }))
  )

describe("the extensions directory", () => {
  it.live("may be missing or empty, and so may the home", () =>
    Effect.gen(function* () {
      expect(yield* files()).toEqual([])
      mkdirSync(extensions(), { recursive: true, mode: 0o700 })
      expect(yield* files()).toEqual([])
      expect(yield* files({ home: null })).toEqual([])
    })
  )

  it.live("returns its TypeScript and JavaScript files in the order of their names, and nothing else", () =>
    Effect.gen(function* () {
      for (const name of ["b.ts", "a.mjs", "C.js", "d.mts", "e.d.ts", ".f.ts", "g.json", "README.md"]) {
        write(join(extensions(), name), name.endsWith("s") ? valid : "{}")
      }
      write(join(extensions(), "lib", "h.ts"), "throw new Error('nobody asked for me')")
      const names = (yield* files()).map(({ file }) => file.slice(extensions().length + 1))
      expect(names).toEqual(["C.js", "a.mjs", "b.ts", "d.mts"])
    })
  )

  it.live("lets an extension import its own helpers, in a directory with any name", () =>
    Effect.gen(function* () {
      const odd = join(root, "ho me#1%20ü")
      write(join(odd, "extensions", "lib", "name.ts"), 'export const name: string = "scan"')
      write(
        join(odd, "extensions", "a.ts"),
        `import { name } from "./lib/name.ts"
         export const DAYDREAM_EXT_API = 1
         export const register = (r: any): void => r.insertBefore("deep", "arbiter", { name, run: () => undefined })`
      )
      const registry = Result.getOrThrow(extendAll(outlineRegistry, yield* files({ home: odd }), outlineOf))
      expect(registry.flows.get("deep")?.entries).toContain("scan")
    })
  )

  it.live("reports a file that cannot be loaded in its place, with the line, and the others as they are", () =>
    Effect.gen(function* () {
      write(join(extensions(), "a.ts"), "\nexport const register = ( => 1")
      write(join(extensions(), "b.ts"), 'throw new Error("not today")')
      write(join(extensions(), "c.ts"), 'import { x } from "no-such-package"\nexport const y = x')
      write(join(extensions(), "d.ts"), valid)
      mkdirSync(join(extensions(), "e.ts"), { mode: 0o700 })
      const [syntax, thrown, missing, fine, folder] = yield* reasons()
      expect(syntax).toContain("line 2")
      expect(thrown).toContain("not today")
      expect(missing).toContain("no-such-package")
      expect(fine).toBe("loaded")
      expect(folder).toContain("not a file")
    })
  )

  it.live("is refused in the repository under review, wherever in it the review begins", () =>
    Effect.gen(function* () {
      const evil = join(extensions(), "a.ts")
      write(evil, 'throw new Error("it ran")')
      mkdirSync(join(root, ".git"))
      mkdirSync(join(root, "src", "deep"), { recursive: true })
      for (const reviewed of [root, join(root, "src", "deep"), home()]) {
        const { reason } = yield* refusal({ reviewed })
        expect(reason).toContain("inside the repository under review")
      }
    })
  )

  it.live("is refused there also through a link, in either direction", () =>
    Effect.gen(function* () {
      const repository = join(root, "repository")
      write(join(repository, "theirs", "a.ts"), 'throw new Error("it ran")')
      mkdirSync(join(repository, ".git"))
      mkdirSync(home(), { mode: 0o700 })
      symlinkSync(join(repository, "theirs"), extensions())
      expect((yield* refusal({ reviewed: repository })).reason).toContain("inside the repository under review")

      write(join(root, "mine", "extensions", "a.ts"), valid)
      symlinkSync(join(root, "mine"), join(repository, "home"))
      const { reason } = yield* refusal({ home: join(repository, "home"), reviewed: repository })
      expect(reason).toContain("inside the repository under review")
    })
  )

  it.live("is refused in the main worktree when a linked one is reviewed", () =>
    Effect.gen(function* () {
      const main = join(root, "main")
      const linked = join(root, "linked")
      write(join(main, "home", "extensions", "a.ts"), valid)
      write(join(linked, ".git"), `gitdir: ${main}/.git/worktrees/linked\n`)
      const { reason } = yield* refusal({ home: join(main, "home"), reviewed: linked })
      expect(reason).toContain(main)
    })
  )

  it.live("is fine beside the repository, and in a home that is none", () =>
    Effect.gen(function* () {
      write(join(extensions(), "a.ts"), valid)
      mkdirSync(join(root, "repository", ".git"), { recursive: true })
      expect(yield* reasons({ reviewed: join(root, "repository") })).toEqual(["loaded"])
      expect(yield* reasons({ reviewed: root })).toEqual(["loaded"])
      expect(yield* reasons({ reviewed: join(root, "not there") })).toEqual(["loaded"])
    })
  )

  for (const [what, path] of [
    ["home", () => home()],
    ["directory", () => extensions()],
    ["helper", () => join(extensions(), "lib", "h.ts")],
    ["helper's folder", () => join(extensions(), "lib")]
  ] as const) {
    it.live(`is refused when others may write to its ${what}, with chmod as the remedy`, () =>
      Effect.gen(function* () {
        write(join(extensions(), "lib", "h.ts"), "export const h = 1")
        write(join(extensions(), "a.ts"), 'throw new Error("it ran")')
        chmodSync(path(), 0o777)
        expect(yield* refusal()).toMatchObject({
          file: path(),
          reason: "it can be changed by everybody",
          fix: `chmod go-w '${path()}'`
        })
      })
    )
  }

  it.live("does not run an extension that its group may write to", () =>
    Effect.gen(function* () {
      write(join(extensions(), "a.ts"), 'throw new Error("it ran")', 0o660)
      write(join(extensions(), "b.ts"), valid)
      expect(yield* reasons()).toEqual(["it can be changed by its group", "loaded"])
    })
  )

  it.live("does not follow a link that leads out, neither to an extension nor to a helper", () =>
    Effect.gen(function* () {
      write(join(root, "elsewhere.ts"), 'throw new Error("it ran")')
      write(join(extensions(), "b.ts"), valid)
      symlinkSync(join(root, "elsewhere.ts"), join(extensions(), "a.ts"))
      symlinkSync("b.ts", join(extensions(), "c.ts"))
      const [out, plain, within] = yield* reasons()
      expect(out).toContain("link out of the extensions directory")
      expect([plain, within]).toEqual(["loaded", "loaded"])
      symlinkSync(root, join(extensions(), "lib"))
      expect((yield* refusal()).reason).toContain("link out of the extensions directory")
    })
  )

  it.live("reports a link to nowhere, and is not caught in a circle of links", () =>
    Effect.gen(function* () {
      write(join(extensions(), "lib", "h.ts"), "export const h = 1")
      symlinkSync(join(extensions(), "lib"), join(extensions(), "lib", "again"))
      symlinkSync(join(extensions(), "nowhere.ts"), join(extensions(), "a.ts"))
      const [reason] = yield* reasons()
      expect(reason).toContain("cannot be read")
    })
  )
})

describe("whose file it is", () => {
  test("the user's and root's are trusted, another's is not", () => {
    expect(Directory.ownershipProblem(0o100644, 1000, 1000)).toBe(null)
    expect(Directory.ownershipProblem(0o100644, 0, 1000)).toBe(null)
    expect(Directory.ownershipProblem(0o100644, 1001, 1000)?.command).toBe("sudo chown 1000")
    expect(Directory.ownershipProblem(0o100644, 1000, 0)?.reason).toContain("another user")
    expect(Directory.ownershipProblem(0o100666, undefined, undefined)).toBe(null)
  })

  test("every mode that allows other users to write is refused", () => {
    for (let mode = 0; mode <= 0o777; mode++) {
      expect(Directory.ownershipProblem(mode, 1, 1) === null).toBe((mode & 0o022) === 0)
    }
  })
})
