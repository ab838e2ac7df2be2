import { describe, expect } from "bun:test"
import { Effect, FileSystem, Layer, type Path, type Scope } from "effect"
import type { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import * as Proc from "../../../src/layers/system/process/Proc.ts"
import { Trajectories } from "../../../src/services/record/Trajectories.ts"
import { it } from "../../support/effect.ts"
import {
  answered,
  asked,
  begun,
  ended,
  journalOf,
  session,
  started,
  stepEnded,
  text,
  turnEnd
} from "../../support/journal.ts"

const run = [started(), asked(1), text(1, "x"), turnEnd(1), answered(1)]
const fork = [asked(2, "per-stack-reviews", "deep-go"), text(2, "g"), answered(2), stepEnded("per-stack-reviews")]

const journal = (...events: ReadonlyArray<RunEvent>) =>
  journalOf(events)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")

const inTemp = <A, E>(
  body: (
    all: Trajectories["Service"],
    dir: string,
    fs: FileSystem.FileSystem
  ) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Scope.Scope>
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const dir = yield* fs.makeTempDirectoryScoped()
    return yield* body(yield* Trajectories, dir, fs)
  }).pipe(
    Effect.scoped,
    Effect.provide(Trajectories.layer.pipe(Layer.provide(Proc.layer), Layer.provideMerge(Platform.layer)))
  )

/** A run's directory with these files in it. */
const runAt = Effect.fnUntraced(function* (directory: string, files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(directory, { recursive: true })
  for (const [name, content] of Object.entries(files)) yield* fs.writeFileString(`${directory}/${name}`, content)
})

const names = (fs: FileSystem.FileSystem, dir: string) =>
  Effect.map(fs.readDirectory(dir, { recursive: true }), (all) => all.filter((name) => name.includes(".")).sort())

describe("recovering a journal", () => {
  it.live("that was not redacted makes a trajectory without secrets", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
        const said = [started(), asked(1), text(1, `It is ${token}.`), turnEnd(1), answered(1)]
        yield* runAt(dir, { "trajectory.jsonl.partial": journal(...said) })
        yield* all.recover(`${dir}/trajectory.jsonl.partial`)
        const document = yield* fs.readFileString(`${dir}/trajectory.json.partial`)
        expect(document).toContain("It is [REDACTED_API_KEY].")
        expect(document).not.toContain(token.slice(4))
      })
    )
  )

  it.live("of a killed run makes a partial trajectory and its siblings; a second time finds that it was done", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        yield* runAt(dir, { "trajectory.jsonl.partial": journal(...run, ...fork) })
        const path = `${dir}/trajectory.jsonl.partial`
        expect(yield* all.recover(path)).toEqual({
          _tag: "Recovered",
          document: `${dir}/trajectory.json.partial`,
          siblings: 1
        })
        const found = ["trajectories/deep-go.json.partial", "trajectory.json.partial"]
        expect(yield* names(fs, dir)).toEqual(found)
        for (const name of found) expect((yield* all.validate(`${dir}/${name}`)).violations).toEqual([])
        const before = yield* fs.readFileString(`${dir}/trajectory.json.partial`)
        for (const again of [path, `${dir}/trajectory.json`, `${dir}/trajectory.json.partial`]) {
          expect(yield* all.recover(again)).toEqual({ _tag: "Already", document: `${dir}/trajectory.json.partial` })
        }
        expect(yield* fs.readFileString(`${dir}/trajectory.json.partial`)).toBe(before)
      })
    )
  )

  it.live("makes the same bytes of the same journal", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        const made = Effect.fnUntraced(function* (name: string) {
          yield* runAt(`${dir}/${name}`, { "trajectory.jsonl.partial": journal(...run, ...fork) })
          yield* all.recover(`${dir}/${name}/trajectory.jsonl.partial`)
          return yield* fs.readFileString(`${dir}/${name}/trajectory.json.partial`)
        })
        expect(yield* made("a")).toBe(yield* made("b"))
      })
    )
  )

  it.live("makes the complete trajectory of a run that ended without its document", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        yield* runAt(dir, { "trajectory.jsonl.partial": journal(...run, ended), "trajectory.json.7.draft": "{" })
        yield* all.recover(`${dir}/trajectory.jsonl.partial`)
        expect(yield* fs.readFileString(`${dir}/trajectory.json`)).not.toContain('"partial"')
        expect(yield* fs.exists(`${dir}/trajectory.jsonl.partial`)).toBe(false)
      })
    )
  )

  it.live("loses at most the line that a kill cut", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        const complete = journal(...run, ...fork)
        for (let cut = complete.length - 1; cut > JSON.stringify(begun).length; cut -= 37) {
          yield* runAt(`${dir}/${cut}`, { "trajectory.jsonl.partial": complete.slice(0, cut) })
          yield* all.recover(`${dir}/${cut}/trajectory.jsonl.partial`)
          const { violations } = yield* all.validate(`${dir}/${cut}/trajectory.json.partial`)
          expect(violations).toEqual([])
          const { extra } = JSON.parse(yield* fs.readFileString(`${dir}/${cut}/trajectory.json.partial`))
          expect([undefined, 1]).toContain(extra.unreadable_lines)
        }
      })
    )
  )

  it.live("leaves that of a living process alone", () =>
    inTemp((all, dir) =>
      Effect.gen(function* () {
        const mine = JSON.stringify({ ...begun, process: yield* Proc.self })
        yield* runAt(dir, { "trajectory.jsonl.partial": `${mine}\n` })
        const alone = yield* all.recover(`${dir}/trajectory.jsonl.partial`)
        expect(alone._tag).toBe("Running")
      })
    )
  )

  it.live("refuses what is no journal, and reports it", () =>
    inTemp((all, dir) =>
      Effect.gen(function* () {
        yield* runAt(dir, { "a.jsonl.partial": "hello\n", "b.jsonl.partial": JSON.stringify(begun) })
        const refusal = (name: string) =>
          Effect.map(Effect.flip(all.recover(`${dir}/${name}`)), (error) => error.message)
        expect(yield* refusal("a.jsonl.partial")).toContain("does not start like a journal")
        expect((yield* all.recover(`${dir}/b.jsonl.partial`))._tag).toBe("Empty")
        expect(yield* refusal("c.jsonl.partial")).toContain("there is no such journal")
      })
    )
  )

  it.live("writes through no link in the place of the siblings", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        yield* runAt(`${dir}/elsewhere`, {})
        yield* runAt(`${dir}/run`, { "trajectory.jsonl.partial": journal(...run, ...fork) })
        yield* fs.symlink(`${dir}/elsewhere`, `${dir}/run/trajectories`)
        const error = yield* Effect.flip(all.recover(`${dir}/run/trajectory.jsonl.partial`))
        expect(error.message).toContain("is not a directory")
        expect(yield* fs.readDirectory(`${dir}/elsewhere`)).toEqual([])
        expect(yield* fs.exists(`${dir}/run/trajectory.jsonl.partial`)).toBe(true)
      })
    )
  )
})

describe("finding a run", () => {
  const other = session.replace(/1$/, "2")

  it.live("recognises a file, a run's directory, the beginning of a session id, and the newest run", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        const runs = `${dir}/runs`
        yield* runAt(`${runs}/${session}`, { "trajectory.json": "{}" })
        yield* runAt(`${runs}/${other}`, { "trajectory.jsonl.partial": journal(...run) })
        yield* runAt(`${runs}/no-session`, { "trajectory.json": "{}" })
        yield* fs.utimes(`${runs}/${session}`, new Date(2026, 1, 1), new Date(2026, 1, 1))
        yield* fs.utimes(`${runs}/${other}`, new Date(2026, 1, 2), new Date(2026, 1, 2))
        const first = `${runs}/${session}/trajectory.json`
        expect(yield* all.find(first, [])).toBe(first)
        expect(yield* all.find(`${runs}/${session}`, [])).toBe(first)
        expect(yield* all.find(session.toUpperCase(), [runs])).toBe(first)
        expect(yield* all.find(null, [runs])).toBe(`${runs}/${other}/trajectory.jsonl.partial`)
        expect((yield* Effect.flip(all.find("0000", [runs]))).message).toContain("more than one session")
        expect((yield* Effect.flip(all.find("ffff", [runs]))).message).toContain("no trajectory of ffff")
        expect((yield* Effect.flip(all.find(null, [`${dir}/none`]))).message).toContain(
          "no run of this repository has a trajectory"
        )
        expect(yield* all.journals([runs])).toEqual([`${runs}/${other}/trajectory.jsonl.partial`])
      })
    )
  )

  it.live("finds one that ends in the middle of the search", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const dir = yield* fs.makeTempDirectoryScoped()
      const path = `${dir}/${session}/trajectory.jsonl.partial`
      yield* runAt(`${dir}/${session}`, { "trajectory.jsonl.partial": journal(...run, ended) })
      // As its run does: the document appears, the journal goes.
      const ends = Effect.andThen(fs.rename(path, path.replace("jsonl.partial", "json")), fs.stat(path))
      const ending = FileSystem.FileSystem.of({
        ...fs,
        stat: (asked) => (asked === path ? ends : fs.stat(asked))
      })
      const found = yield* Trajectories.use((all) => all.find(null, [dir])).pipe(
        Effect.provide(Trajectories.layer.pipe(Layer.provide(Proc.layer))),
        Effect.provideService(FileSystem.FileSystem, ending)
      )
      expect(found).toBe(`${dir}/${session}/trajectory.json`)
    }).pipe(Effect.scoped, Effect.provide(Platform.layer))
  )

  it.live("follows no link that a repository planted among the runs", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        yield* runAt(`${dir}/elsewhere`, { "trajectory.json": "{}", "trajectory.jsonl.partial": journal(...run) })
        yield* runAt(`${dir}/runs`, {})
        yield* fs.symlink(`${dir}/elsewhere`, `${dir}/runs/${session}`)
        expect(yield* all.journals([`${dir}/runs`])).toEqual([])
        expect((yield* Effect.flip(all.find(null, [`${dir}/runs`])))._tag).toBe("TrajectoryNotFound")
      })
    )
  )
})

describe("reading a run", () => {
  it.live("reads what a journal recorded so far, and the same from a document and its siblings", () =>
    inTemp((all, dir) =>
      Effect.gen(function* () {
        const path = `${dir}/trajectory.jsonl.partial`
        yield* runAt(dir, { "trajectory.jsonl.partial": journal(...run, ...fork) })
        const running = yield* all.read(path)
        expect([...running.siblings.keys()]).toEqual(["trajectories/deep-go.json"])
        yield* all.recover(path)
        const done = yield* all.read(`${dir}/trajectory.json.partial`)
        expect(done.root.steps.map(({ message }) => message)).toEqual(running.root.steps.map(({ message }) => message))
        expect([...done.siblings.values()].map(({ steps }) => steps.length)).toEqual([2])
      })
    )
  )

  it.live("reports the same when its journal has become a document since it was found", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        const path = `${dir}/trajectory.jsonl.partial`
        for (const events of [run, [...run, ended]]) {
          yield* runAt(dir, { "trajectory.jsonl.partial": journal(...events) })
          const before = yield* all.read(path)
          yield* all.recover(path)
          expect(yield* fs.exists(path)).toBe(false)
          expect((yield* all.read(path)).root.steps.map(({ message }) => message)).toEqual(
            before.root.steps.map(({ message }) => message)
          )
        }
      })
    )
  )

  it.live("reports the first problem of anything else", () =>
    inTemp((all, dir, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${dir}/a.json`, '{"steps":[]}')
        yield* fs.writeFileString(`${dir}/b.json`, "{")
        const trouble = (name: string) => Effect.map(Effect.flip(all.read(`${dir}/${name}`)), (error) => error.message)
        expect(yield* trouble("a.json")).toContain("it is not a trajectory ($.agent is missing)")
        expect(yield* trouble("b.json")).toContain("it is not JSON")
        expect(yield* trouble("c.json")).toContain("no such file")
        expect((yield* all.validate(`${dir}/b.json`)).violations).toEqual([{ path: "$", problem: "is not JSON" }])
      })
    )
  )
})
