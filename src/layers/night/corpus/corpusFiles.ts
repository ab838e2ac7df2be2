/**
 * Where the corpus of a repository is, and how its files are read: `learned/PROJECT/` of dd's own directory has
 * `generations/NNNNNN.json` and `current.json`, the pointer to the one that counts with the digest of its file.
 *
 * A file that is missing, damaged or no regular file is an error that says what to do, never an empty corpus. No link is followed.
 */
import { Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"
import { repoSlug } from "../../../domain/change/remote/repoSlug.ts"
import { emptyGeneration, Generation } from "../../../domain/night/Generation.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import { corporaName } from "../../../services/night/Corpus.ts"
import { NightFileUnusable } from "../../../services/night/NightFileUnusable.ts"
import { placeOf } from "../../dream/spoolFile.ts"
import { digest, projectKeyOf } from "../../dream/spoolPlace.ts"

export const generationsName = "generations"
export const pointerName = "current.json"

/** The corpus of a repository: by `owner/name` of its remote, as labels are; without one, by its place. */
export const corpusOf = ({ remoteUrl, root }: Pick<Repository, "remoteUrl"> & { readonly root: string }): string => {
  const slug = remoteUrl === null ? null : repoSlug(remoteUrl)
  return slug === null ? placeOf(root).project : projectKeyOf(slug.toLowerCase())
}

export const generationName = (number: number): string => `${generationsName}/${String(number).padStart(6, "0")}.json`

/** The number in the name of a file in `generations`; null: it is no generation. */
export const numberIn = (name: string): number | null => {
  const digits = /^(\d{6,})\.json$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

export const Pointer = Schema.fromJsonString(
  Schema.Struct({ v: Schema.Literal(1), generation: Schema.Int, digest: Schema.String })
)

export interface CorpusFolder {
  readonly path: string
  /** Null: there is no such file. */
  readonly text: (name: string) => Effect.Effect<string | null, NightFileUnusable>
  /** The numbers of the generations with a file, also of those that never counted; newest first. */
  readonly numbers: Effect.Effect<ReadonlyArray<number>, NightFileUnusable>
  /** The number of the generation that counts, and the digest of its file. */
  readonly pointer: Effect.Effect<(typeof Pointer)["Type"], NightFileUnusable>
  readonly generation: (
    number: number
  ) => Effect.Effect<{ readonly value: Generation; readonly text: string }, NightFileUnusable>
  /** The generation that counts, whole. */
  readonly current: Effect.Effect<Generation, NightFileUnusable>
}

/** `home`: dd's own directory. */
export const corpusFolder = Effect.fnUntraced(function* (home: string, project: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.join(home, corporaName, project)
  const at = (name: string) => paths.join(path, name)
  const again = `remove ${pointerName} and ${generationsName} in ${path}: the next night learns again from the labels in the archive`
  const unusable = (name: string, reason: string) =>
    new NightFileUnusable({ path: at(name), reason, remedy: `${again.slice(0, 1).toUpperCase()}${again.slice(1)}.` })

  const text = Effect.fnUntraced(function* (name: string) {
    const info = yield* fs.lstat(at(name)).pipe(
      Effect.map(Option.some),
      Effect.catch((error) => (isAbsent(error) ? Effect.succeed(Option.none()) : Effect.fail(error)))
    )
    if (Option.isNone(info)) return null
    if (info.value.type !== "File") return yield* unusable(name, `it is not a regular file; ${again}`)
    return yield* fs.readFileString(at(name))
  }, readable)

  const numbers = fs.readDirectory(at(generationsName)).pipe(
    Effect.map((names) => names.flatMap((name) => numberIn(name) ?? []).sort((a, b) => b - a)),
    Effect.catch((error) => (isAbsent(error) ? Effect.succeed([]) : Effect.fail(error))),
    (self) => readable(self, generationsName)
  )

  const pointer = Effect.gen(function* () {
    const found = yield* text(pointerName)
    if (found === null) {
      // A killed run leaves a pointer before its first generation.
      if ((yield* numbers).length === 0) return nothingLearned
      return yield* unusable(pointerName, `it is missing, and there are generations; ${again}`)
    }
    const decoded = decodePointer(found)
    if (Option.isSome(decoded)) return decoded.value
    return yield* unusable(pointerName, `it is damaged, or was written by another version of dd; ${again}`)
  })

  const generation = Effect.fnUntraced(function* (number: number) {
    const name = generationName(number)
    const found = yield* text(name)
    const value = found === null ? Option.none() : decodeGeneration(found)
    if (found !== null && Option.isSome(value) && value.value.number === number && value.value.project === project) {
      return { value: value.value, text: found }
    }
    const what = found === null ? "it is missing" : "it is damaged, or was written by another version of dd"
    return yield* unusable(name, `${what}; dd dream rollback lists what can take its place, or ${again}`)
  })

  const current = Effect.gen(function* () {
    const counts = yield* pointer
    if (counts.generation === 0) return emptyGeneration(project)
    const found = yield* generation(counts.generation)
    if (digest(found.text) === counts.digest) return found.value
    const reason = `it is not what was committed; dd dream rollback lists what can take its place, or ${again}`
    return yield* unusable(generationName(counts.generation), reason)
  })

  function readable<A, E>(self: Effect.Effect<A, E>, name: string): Effect.Effect<A, NightFileUnusable> {
    return Effect.mapError(self, NightFileUnusable.of(at(name)))
  }

  const folder: CorpusFolder = { path, text, numbers, pointer, generation, current }
  return folder
})

const isAbsent = (error: PlatformError.PlatformError): boolean => error.reason._tag === "NotFound"

const nothingLearned = { v: 1, generation: 0, digest: "" } as const

const decodePointer = Schema.decodeUnknownOption(Pointer)
const decodeGeneration = Schema.decodeUnknownOption(Schema.fromJsonString(Generation))
