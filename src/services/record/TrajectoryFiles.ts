/**
 * Writes trajectories from a journal, line by line, so that a run of any length takes the same memory.
 *
 * Documents are synced and renamed, siblings before the one that refers to them; the journal is removed last. If this is
 * interrupted, the journal still exists and the same call writes the same files. Links are never followed, because a
 * reviewed repository may contain any.
 */
import { Effect, FileSystem, type PlatformError, Schema, Stream } from "effect"
import { type FinalStep, TrajectoryFold } from "../../domain/record/TrajectoryFold.ts"
import { endsWell, type JournalLine, parseJournalLine } from "../../domain/record/TrajectoryJournal.ts"
import { documentName, type TrajectoryPlaces } from "../../domain/run/TrajectoryPlaces.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { DocumentDraft } from "./DocumentDraft.ts"

export class TrajectoryNotWritten extends Schema.TaggedError<TrajectoryNotWritten>()("TrajectoryNotWritten", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the trajectory ${this.path} could not be written: ${this.reason}`
  }
}

/** The lines of a journal in order; null for a line that cannot be read. */
export const readJournal = (
  path: string
): Stream.Stream<JournalLine | null, PlatformError.PlatformError, FileSystem.FileSystem> =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path, { chunkSize: 256 * 1024 }))).pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.map(parseJournalLine)
  )

/** Whether the run was completed. Only the end of the journal is read. */
export const journalEndsWell = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const size = (yield* fs.stat(path)).size
  const end = yield* fs
    .stream(path, { offset: size > tailBytes ? size - tailBytes : 0n })
    .pipe(Stream.decodeText(), Stream.mkString)
  return end.split("\n").some((line) => {
    const parsed = parseJournalLine(line)
    return parsed !== null && endsWell(parsed)
  })
})

/** Enough for the last two lines of a run. */
const tailBytes = 64n * 1024n

export interface TrajectoriesWritten {
  readonly document: string
  readonly siblings: ReadonlyArray<string>
}

export interface JournalSource {
  readonly lines: Stream.Stream<JournalLine | null, PlatformError.PlatformError, FileSystem.FileSystem>
  /** The journal ends before the end of the run. */
  readonly partial: boolean
  /** Applied to each part of a document; the identity for lines that are already redacted. */
  readonly redact: <A>(value: A) => unknown
}

/** Writes the documents of a journal, and removes it. */
export const writeTrajectories = (places: TrajectoryPlaces, { lines, partial, redact }: JournalSource) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const siblingName = (name: string) => documentName(`${name}.json`, partial)
    const fold = new TrajectoryFold({ partial, siblingPath: (name) => `${places.siblingsName}/${siblingName(name)}` })
    const own = new DocumentDraft(documentName(places.document, partial), () => redact(fold.head(null)))
    const siblings = new Map<string, DocumentDraft>()

    const draftOf = (name: string | null): DocumentDraft => {
      if (name === null) return own
      const known = siblings.get(name)
      if (known !== undefined) return known
      const created = new DocumentDraft(`${places.siblings}/${siblingName(name)}`, () => redact(fold.head(name)))
      siblings.set(name, created)
      return created
    }
    const take = (steps: ReadonlyArray<FinalStep>) => {
      for (const { step, trajectory } of steps) {
        draftOf(trajectory).step(JSON.stringify(redact(step)))
      }
    }
    const ensureSiblings = yield* Effect.cached(ensureDirectory(places.siblings))
    const save = Effect.suspend(() => {
      const full = [...siblings.values(), own].filter((draft) => draft.isFull)
      if (full.length === 0) return Effect.void
      return Effect.andThen(
        siblings.size === 0 ? Effect.void : ensureSiblings,
        Effect.forEach(full, (draft) => draft.save, { discard: true })
      )
    })

    yield* Stream.runForEachArray(lines, (some) => {
      for (const line of some) take(fold.push(line))
      return save
    })
    take(fold.finish())
    for (const [name, draft] of siblings) draft.end(redact(fold.tail(name)))
    own.end(redact(fold.tail(null)))

    if (siblings.size > 0) yield* ensureSiblings
    // Siblings are published before the document that refers to them.
    yield* Effect.forEach([...siblings.values(), own], (draft) => draft.settle, { concurrency: 8, discard: true })
    yield* Effect.forEach(siblings.values(), (draft) => draft.publish, { concurrency: 8, discard: true })
    yield* own.publish
    yield* fs.remove(places.journal, { force: true })
    return {
      document: own.target,
      siblings: [...siblings.values()].map(({ target }) => target)
    } satisfies TrajectoriesWritten
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      (error) =>
        new TrajectoryNotWritten({
          path: places.document,
          reason: error._tag === "PlatformError" ? systemErrorText(error) : error.message
        })
    )
  )

class NotADirectory extends Schema.TaggedError<NotADirectory>()("NotADirectory", { path: Schema.String }) {
  override get message() {
    return `${this.path} is not a directory (a link, or a file)`
  }
}

const ensureDirectory = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(path, { mode: 0o700 }).pipe(
    Effect.catchIf(
      (error) => error.reason._tag === "AlreadyExists",
      () => Effect.void
    )
  )
  if ((yield* fs.lstat(path)).type !== "Directory") return yield* new NotADirectory({ path })
})
