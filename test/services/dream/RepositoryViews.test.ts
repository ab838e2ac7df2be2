import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { RepositoryViews } from "../../../src/services/dream/RepositoryViews.ts"
import { it } from "../../support/effect.ts"
import { initRepository, makeDirectory, makeRepository } from "../../support/repository.ts"

const live = RepositoryViews.layer.pipe(Layer.provide(Git.layer), Layer.provide(Platform.layer))

const viewOf = (root: string, touched: ReadonlyArray<string> = []) =>
  Effect.provide(
    RepositoryViews.use((views) => views.of(root, touched)),
    live
  )

const manifest = JSON.stringify({ scripts: { test: "vitest", "build:web": "vite build", "$(rm)": "x" } })

describe("RepositoryViews", () => {
  it.live("reads files, subjects, commits and commands of the commit that is checked out", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("first", { "src/b.ts": "b", "src/a.ts": "a" })
      const head = repository.commit("second", { "package.json": manifest, Makefile: "lint: x\n\tx\nA := b\n" })
      const { notes, view } = yield* viewOf(repository.root)
      expect(notes).toEqual([])
      expect(view).toMatchObject({
        root: repository.root,
        branch: "main",
        head,
        files: ["Makefile", "package.json", "src/a.ts", "src/b.ts"],
        subjects: ["second", "first"],
        commits: [
          ["Makefile", "package.json"],
          ["src/a.ts", "src/b.ts"]
        ]
      })
      expect([...view.commands].sort()).toEqual(
        ["bun run build:web", "bun run test", "make lint", "npm run build:web", "npm run test", "npm test"].concat(
          ["pnpm build:web", "pnpm run build:web", "pnpm run test", "pnpm test"],
          ["yarn build:web", "yarn run build:web", "yarn run test", "yarn test"]
        )
      )
    })
  )

  it.live("leaves out commits of more than 25 files and keeps their subjects", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("move", Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`f${at}.ts`, "x"])))
      const { view } = yield* viewOf(repository.root)
      expect([view.subjects, view.commits]).toEqual([["move"], []])
    })
  )

  it.live("has the texts of touched files, tracked or not, but of no link, no binary and nothing outside", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const repository = initRepository(`${directory}/repo`)
      repository.commit("first", { "notes.md": "old", "big.md": "x".repeat(70_000), "null.md": "a\0b" })
      repository.write("notes.md", "edited").write("new.ts", "fresh").write("../secret.txt", "secret")
      repository.link("link.ts", "../secret.txt")
      const touched = ["notes.md", "new.ts", "link.ts", "../secret.txt", "big.md", "null.md", ".git/config", "gone.ts"]
      const { view } = yield* viewOf(repository.root, touched)
      expect(touched.map(view.text)).toEqual(["old", "fresh", null, null, null, null, null, null])
    })
  )

  it.live("reads a commit once, whatever the sessions touched", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("first", { "a.ts": "a" })
      yield* Effect.gen(function* () {
        const views = yield* RepositoryViews
        const [first, second] = [yield* views.of(repository.root, []), yield* views.of(repository.root, ["a.ts"])]
        expect(second.view.files).toBe(first.view.files)
        repository.commit("second", { "b.ts": "b" })
        expect((yield* views.of(repository.root, [])).view.files).toEqual(["a.ts", "b.ts"])
      }).pipe(Effect.provide(live))
    })
  )

  it.live("runs nothing that the repository configures", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("first", { "a.ts": "a", ".gitattributes": "*.ts filter=evil diff=evil" })
      const mark = repository.path("ran")
      for (const key of ["filter.evil.smudge", "diff.evil.textconv", "core.fsmonitor", "core.sshCommand"])
        repository.git("config", key, `touch ${mark}`)
      const { notes, view } = yield* viewOf(repository.root, ["a.ts"])
      expect([notes, view.text("a.ts"), yield* Effect.promise(() => Bun.file(mark).exists())]).toEqual([[], "a", false])
    })
  )

  it.live("gives an empty view and a note for a place without a repository, and for one without a commit", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const repository = yield* makeRepository
      for (const root of [directory, `${directory}/missing`, repository.root]) {
        const { notes, view } = yield* viewOf(root, ["a.ts"])
        expect([view.files, view.commits, view.head, notes.length]).toEqual([[], [], null, 1])
      }
    })
  )

  it.live("reads a bare repository without a working tree", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const repository = yield* makeRepository
      repository.commit("first", { "a.ts": "a" })
      repository.git("clone", "--quiet", "--bare", repository.root, `${directory}/bare.git`)
      const { notes, view } = yield* viewOf(`${directory}/bare.git`, ["b.ts"])
      expect([notes, view.files, view.text("b.ts")]).toEqual([[], ["a.ts"], null])
    })
  )

  it.live("keeps the files of a repository whose history is damaged, and notes it", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("first", { "a.ts": "a" })
      repository.commit("second", { "b.ts": "b" })
      repository.remove(`.git/objects/${first.slice(0, 2)}/${first.slice(2)}`)
      const { notes, view } = yield* viewOf(repository.root)
      expect([view.files, view.subjects, notes.length]).toEqual([["a.ts", "b.ts"], [], 1])
    })
  )
})
