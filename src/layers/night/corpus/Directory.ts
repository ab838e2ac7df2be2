/**
 * The corpus of a repository as files, readable only by the user (`corpusFiles.ts` has their names).
 *
 * A generation is written under a draft's name, synced and renamed, and then the pointer in the same way: until the pointer is
 * renamed the old generation counts, and from then on the new one. The lock is a transaction of SQLite on `run.lock`, which the
 * system ends with the process; `run.json` names its holder for people and for the next run.
 */
import { Effect, FileSystem, Layer, Option, Path, type PlatformError, Schema } from "effect"
import { Generation } from "../../../domain/night/Generation.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import {
  Corpus,
  CorpusBusy,
  CorpusMoved,
  corporaName,
  type Holder,
  keptGenerations
} from "../../../services/night/Corpus.ts"
import { NightFileUnusable } from "../../../services/night/NightFileUnusable.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import { digest } from "../../dream/spoolPlace.ts"
import { faultOf } from "../../record/archive/sqliteFault.ts"
import { corpusFolder, corpusOf, generationName, generationsName, Pointer, pointerName } from "./corpusFiles.ts"

const lockName = "run.lock"
const holderName = "run.json"
const notesName = "notes"
const draftEnding = ".draft"

/** `home`: dd's own directory. */
export const layer = (home: string, repository: Pick<Repository, "remoteUrl"> & { readonly root: string }) =>
  layerOf(home, corpusOf(repository))

export const layerOf = (home: string, project: string) =>
  Layer.effect(
    Corpus,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const folder = yield* corpusFolder(home, project)
      const at = (...names: ReadonlyArray<string>) => paths.join(folder.path, ...names)
      const attempt = <A, E extends PlatformError.PlatformError>(path: string, self: Effect.Effect<A, E>) =>
        Effect.mapError(self, NightFileUnusable.of(path))
      let isOwned = false

      const makeFolders = Effect.gen(function* () {
        yield* attempt(home, fs.makeDirectory(home, { recursive: true, mode: 0o700 }))
        const below = [paths.join(home, corporaName), folder.path, at(generationsName), at(notesName)]
        yield* Effect.forEach(below, makeFolder, { discard: true })
      })

      const makeFolder = Effect.fnUntraced(function* (path: string) {
        yield* attempt(
          path,
          Effect.catchIf(fs.makeDirectory(path, { mode: 0o700 }), isThere, () => Effect.void)
        )
        const { type } = yield* attempt(path, fs.lstat(path))
        if (type !== "Directory")
          return yield* new NightFileUnusable({ path, reason: "it is a link or a file, not a directory" })
      })

      const sync = (path: string) => Effect.scoped(Effect.flatMap(fs.open(path), (file) => file.sync))

      /** Readers see the old or the new text, also after a power loss. */
      const replace = Effect.fnUntraced(
        function* (name: string, text: string) {
          const draft = at(`${name}${draftEnding}`)
          yield* fs.remove(draft, { force: true })
          yield* Effect.scoped(
            Effect.flatMap(fs.open(draft, { flag: "wx", mode: 0o600 }), (file) =>
              Effect.andThen(file.writeAll(new TextEncoder().encode(text)), file.sync)
            )
          )
          yield* fs.rename(draft, at(name))
          yield* sync(paths.dirname(at(name)))
        },
        (self, name) => attempt(at(name), self)
      )

      /** Until the scope closes. */
      const lock = Effect.gen(function* () {
        const path = at(lockName)
        // Created with its mode before SQLite opens it. An existing one is not opened here: closing it would release a lock.
        const created = Effect.scoped(fs.open(path, { flag: "wx", mode: 0o600 }))
        yield* attempt(
          path,
          Effect.catchIf(created, isThere, () => Effect.void)
        )
        const { type } = yield* attempt(path, fs.lstat(path))
        if (type !== "File")
          return yield* new NightFileUnusable({ path, reason: "it is not a regular file; remove it" })
        const { Database } = yield* Effect.promise(() => import("bun:sqlite"))
        yield* Effect.acquireRelease(
          Effect.try({
            try: () => {
              const database = new Database(path, { readwrite: true })
              try {
                database.run("BEGIN EXCLUSIVE")
              } catch (error) {
                database.close()
                throw error
              }
              return database
            },
            catch: faultOf
          }),
          (database) => Effect.sync(() => database.close())
        ).pipe(
          Effect.catch(({ kind, reason }) =>
            kind === "busy"
              ? Effect.flatMap(holder, (by) => new CorpusBusy({ path, holder: by === null ? "" : holderWords(by) }))
              : new NightFileUnusable({ path, reason: kind === "damaged" ? "it is damaged; remove it" : reason })
          )
        )
      })

      const holder = Effect.map(folder.text(holderName), (text) =>
        text === null ? null : Option.getOrNull(decodeHolder(text))
      )

      /** Removes what a killed run wrote and never made current. */
      const recover = Effect.gen(function* () {
        const { generation } = yield* folder.pointer
        const never = (yield* folder.numbers).filter((number) => number > generation).map(generationName)
        const drafts = yield* Effect.forEach([".", generationsName, notesName], (name) =>
          Effect.map(attempt(at(name), fs.readDirectory(at(name))), (names) =>
            names.filter((each) => each.endsWith(draftEnding)).map((each) => `${name}/${each}`)
          )
        )
        yield* Effect.forEach([...never, ...drafts.flat()], (name) =>
          attempt(at(name), fs.remove(at(name), { force: true }))
        )
        if (generation === 0) yield* point(0, "")
      })

      const point = (generation: number, digest: string) =>
        replace(pointerName, `${encodePointer({ v: 1, generation, digest })}\n`)

      const own = Effect.fn("Corpus.own")(function* (next: Holder) {
        yield* makeFolders
        yield* lock
        const before = yield* holder
        const dead = before?.outputDir === "" ? (before.unfinished ?? null) : before
        yield* recover
        // A run without a report leaves the report of a dead one to the next run.
        const left = next.outputDir === "" ? dead : null
        yield* replace(holderName, `${encodeHolder({ ...next, unfinished: left })}\n`)
        isOwned = true
        yield* Effect.addFinalizer(() => {
          isOwned = false
          return left === null ? Effect.option(fs.remove(at(holderName), { force: true })) : Effect.void
        })
        if (dead === null) return null
        const { host, outputDir, pid, run } = dead
        return { host, outputDir, pid, run }
      })

      const whenOwned = Effect.suspend(() =>
        isOwned
          ? Effect.void
          : Effect.fail(new NightFileUnusable({ path: at(lockName), reason: "this run does not hold it" }))
      )

      const commit = Effect.fn("Corpus.commit")(function* (next: Generation) {
        yield* whenOwned
        const { generation } = yield* folder.pointer
        if (next.base !== generation) return yield* new CorpusMoved({ base: next.base, current: generation })
        const number = generation + 1
        if (next.number !== number || next.project !== project) {
          const reason = `the next generation of ${project} is ${number}, not ${next.number} of ${next.project}`
          return yield* new NightFileUnusable({ path: folder.path, reason })
        }
        const text = `${encodeGeneration(next)}\n`
        yield* replace(generationName(number), text)
        yield* point(number, digest(text))
        const old = (yield* folder.numbers).filter((each) => each <= number - keptGenerations)
        yield* Effect.forEach(old.map(generationName), (name) => fs.remove(at(name), { force: true })).pipe(
          Effect.catch((error) =>
            Effect.logWarning(`old generations in ${at(generationsName)} were not removed: ${systemErrorText(error)}`)
          )
        )
      })

      const generations = Effect.gen(function* () {
        const { generation } = yield* folder.pointer
        const counted = (yield* folder.numbers).filter((number) => number <= generation)
        const read = yield* Effect.forEach(counted, (number) =>
          // The one that counts must be what was committed.
          (number === generation ? folder.current : Effect.map(folder.generation(number), ({ value }) => value)).pipe(
            Effect.map((value) => [value]),
            Effect.catch((error) => Effect.as(Effect.logWarning(error.message), []))
          )
        )
        return read.flat()
      })

      return Corpus.of({
        project,
        lockPath: at(lockName),
        current: folder.current,
        currentNumber: Effect.map(folder.pointer, ({ generation }) => generation),
        generations,
        own,
        commit,
        note: (name) => folder.text(`${notesName}/${name}`),
        setNote: (name, text) => Effect.andThen(whenOwned, replace(`${notesName}/${name}`, text))
      })
    })
  )

const isThere = (error: PlatformError.PlatformError): boolean => error.reason._tag === "AlreadyExists"

const holderWords = ({ host, pid, run }: Holder): string => `run ${run}, process ${pid} on ${host}`

const HolderFields = { run: Schema.String, pid: Schema.Int, host: Schema.String, outputDir: Schema.String }
const HolderText = Schema.fromJsonString(
  Schema.Struct({
    ...HolderFields,
    /** A dead run whose report is not finished yet. */
    unfinished: Schema.NullOr(Schema.Struct(HolderFields))
  })
)
const decodeHolder = Schema.decodeUnknownOption(HolderText)
const encodeHolder = Schema.encodeSync(HolderText)
const encodePointer = Schema.encodeSync(Pointer)
const encodeGeneration = Schema.encodeSync(Schema.fromJsonString(Generation))
