/**
 * Finds, reads and validates trajectories, and builds one from the journal of a killed run.
 *
 * Files in a repository may be planted: only regular files are read, and a directory of runs must not be a link.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, type PlatformError, Result, Schema, Stream } from "effect"
import { Trajectory } from "../../domain/record/Trajectory.ts"
import { type FinalStep, TrajectoryFold } from "../../domain/record/TrajectoryFold.ts"
import { type JournalStart, parseJournalLine } from "../../domain/record/TrajectoryJournal.ts"
import { trajectoriesOf } from "../../domain/record/trajectoriesOf.ts"
import {
  type Opened,
  referencesOf,
  trajectoryViolations,
  type Violation
} from "../../domain/record/trajectoryViolations.ts"
import { placesOf, placesOfJournal } from "../../domain/run/TrajectoryPlaces.ts"
import type { ProcessIdentity } from "../../domain/system/ProcessIdentity.ts"
import { repeatedKeys } from "../../domain/text/json/repeatedKeys.ts"
import { Redactor } from "../secret/Redactor.ts"
import { RunningProcess } from "../system/RunningProcess.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { withServices } from "../system/withServices.ts"
import { findRun, firstFile, journalsIn, type TrajectoryNotFound, typeOf } from "./runFinder.ts"
import { journalEndsWell, readJournal, type TrajectoryNotWritten, writeTrajectories } from "./TrajectoryFiles.ts"

export class TrajectoryUnreadable extends Schema.TaggedError<TrajectoryUnreadable>()("TrajectoryUnreadable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} could not be read: ${this.reason}`
  }
}

/** A run's own trajectory, and its siblings by the path in its references. */
export interface RunTrajectories {
  readonly root: Trajectory
  readonly siblings: ReadonlyMap<string, Trajectory>
}

export interface Validated {
  readonly violations: ReadonlyArray<Violation>
  readonly steps: number
  /** How many trajectories it refers to. */
  readonly siblings: number
}

export type Recovery =
  | { readonly _tag: "Recovered"; readonly document: string; readonly siblings: number }
  /** The run that writes it is still working. */
  | { readonly _tag: "Running"; readonly journal: string }
  /** Its run was killed before it wrote a line. */
  | { readonly _tag: "Empty"; readonly journal: string }
  /** The document exists, and no journal. */
  | { readonly _tag: "Already"; readonly document: string }

export class Trajectories extends Context.Service<
  Trajectories,
  {
    /**
     * The file of a run: `run` is a path, the start of a session id in `directories`, or null for the newest of them that
     * `counts`. A document if there is one, else the journal.
     */
    readonly find: (
      run: string | null,
      directories: ReadonlyArray<string>,
      counts?: (path: string) => Effect.Effect<boolean>
    ) => Effect.Effect<string, TrajectoryNotFound>
    /** Journals of killed and of running runs. */
    readonly journals: (directories: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /** A document with its siblings, or what a journal contains so far. If the journal is gone, its document. */
    readonly read: (path: string) => Effect.Effect<RunTrajectories, TrajectoryUnreadable>
    /** Calls `onStep` with each step when it is final, until the run ends or is gone. */
    readonly follow: <E, R>(
      journal: string,
      onStep: (step: FinalStep) => Effect.Effect<void, E, R>
    ) => Effect.Effect<void, TrajectoryUnreadable | E, R>
    readonly validate: (path: string) => Effect.Effect<Validated, TrajectoryUnreadable>
    /** The process whose run still writes this journal; null if there is none. */
    readonly writerOf: (path: string) => Effect.Effect<ProcessIdentity | null, TrajectoryUnreadable>
    /** Builds documents from a journal whose run is gone. `path` may name the document. */
    readonly recover: (path: string) => Effect.Effect<Recovery, TrajectoryUnreadable | TrajectoryNotWritten>
  }
>()("dd/services/record/Trajectories") {
  static readonly layer = Layer.effect(
    Trajectories,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const processes = yield* RunningProcess

      /** The file stays open, so its last lines can be read after it was replaced by a document. */
      const follow = <E, R>(journal: string, onStep: (step: FinalStep) => Effect.Effect<void, E, R>) =>
        Effect.gen(function* () {
          const readable = Effect.mapError((error: PlatformError.PlatformError) =>
            unreadable(journal)(systemErrorText(error))
          )
          const file = yield* readable(fs.open(journal, { flag: "r" }))
          const fold = new TrajectoryFold({ partial: true, siblingPath })
          const decoder = new TextDecoder()
          let writer: ProcessIdentity | null = null
          let isOver = false
          let isGone = false
          let rest = ""
          while (!isOver) {
            const chunk = yield* readable(file.readAlloc(64 * 1024))
            if (Option.isNone(chunk)) {
              // Once more, for lines written between the last read and the end of the process.
              if (isGone) break
              isGone = writer === null || !(yield* processes.isRunning(writer))
              if (!isGone) yield* Effect.sleep("200 millis")
              continue
            }
            const lines = (rest + decoder.decode(chunk.value, { stream: true })).split("\n")
            rest = lines.pop() ?? ""
            for (const line of lines.map(parseJournalLine)) {
              if (line !== null && "journal" in line) writer = line.process
              if (line !== null && "ended" in line) isOver = true
              for (const step of fold.push(line)) yield* onStep(step)
            }
          }
          for (const step of fold.finish()) yield* onStep(step)
        }).pipe(Effect.scoped)

      const methods = yield* withServices({ find: findRun, journals: journalsIn, read, validate, writerOf, recover })
      return Trajectories.of({ ...methods, follow })
    })
  )
}

const unreadable = (path: string) => (reason: string) => new TrajectoryUnreadable({ path, reason })

const readBytes = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const type = yield* typeOf(path)
  // Opening a pipe waits for a writer, and a device may never end.
  if (type !== null && type !== "File") return yield* unreadable(path)("it is not a file")
  return yield* fs.readFile(path).pipe(Effect.mapError((error) => unreadable(path)(systemErrorText(error))))
})

const readDocument = Effect.fnUntraced(function* (path: string) {
  const text = new TextDecoder().decode(yield* readBytes(path))
  return yield* Effect.fromResult(parseJson(text)).pipe(Effect.mapError(() => unreadable(path)("it is not JSON")))
})

/** The files that a document refers to, by the path in the document. */
const filesAround = Effect.fnUntraced(function* (path: string, document: unknown) {
  const files = new Map<string, Opened>()
  for (const { file, kind } of referencesOf(document)) {
    if (files.has(file)) continue
    files.set(file, yield* open(file, kind, path))
  }
  return files
})

/** Paths are relative to the document, or, by the original program, to `.daydream`. */
const open = Effect.fnUntraced(function* (file: string, kind: "trajectory" | "image", from: string) {
  const paths = yield* Path.Path
  const directory = paths.dirname(paths.resolve(from))
  const own = directory.lastIndexOf(`${paths.sep}.daydream${paths.sep}`)
  const bases = [directory, ...(own < 0 ? [] : [directory.slice(0, own + `${paths.sep}.daydream`.length)])]
  const missing: Opened = { _tag: "Missing" }
  for (const base of bases) {
    const path = paths.resolve(base, file)
    if ((yield* typeOf(path)) !== "File") continue
    const found: Opened = { _tag: "File" }
    if (kind === "image") return found
    return yield* readDocument(path).pipe(
      Effect.match({ onFailure: () => found, onSuccess: (document): Opened => ({ _tag: "Document", document }) })
    )
  }
  return missing
})

const readLines = (journal: string) =>
  Stream.runCollect(readJournal(journal)).pipe(Effect.mapError((error) => unreadable(journal)(systemErrorText(error))))

const readJournalAt = Effect.fnUntraced(function* (path: string) {
  const lines = yield* readLines(path)
  if (!lines.some((line) => line !== null)) return yield* unreadable(path)("it is empty")
  const { root, siblings } = trajectoriesOf(lines, siblingPath)
  const byPath = [...siblings].map(([name, sibling]) => [siblingPath(name), sibling] as const)
  return { root, siblings: new Map(byPath) }
})

const read = Effect.fnUntraced(function* (path: string) {
  const places = placesOfJournal(path)
  if (places === null) return yield* readDocumentAt(path)
  return yield* readJournalAt(path).pipe(
    Effect.catch((error) =>
      // The run may have ended since the journal was found.
      Effect.flatMap(firstFile([path, places.document, `${places.document}.partial`]), (found) =>
        found === null || found === path ? Effect.fail(error) : readDocumentAt(found)
      )
    )
  )
})

const readDocumentAt = Effect.fnUntraced(function* (path: string) {
  const document = yield* readDocument(path)
  const root = yield* trajectoryIn(path, document)
  const siblings = new Map<string, Trajectory>()
  for (const [file, opened] of yield* filesAround(path, document)) {
    if (opened._tag === "Document") siblings.set(file, yield* trajectoryIn(file, opened.document))
  }
  return { root, siblings }
})

const validate = Effect.fnUntraced(function* (path: string) {
  const text = utf8In(yield* readBytes(path))
  const parsed = parseJson(text)
  const isReadable = text !== null && Result.isSuccess(parsed)
  if (!isReadable) {
    const problem =
      text === null
        ? "is not UTF-8"
        : placesOfJournal(path) !== null
          ? "is a journal; dd trajectory recover builds a trajectory from it"
          : text.startsWith("\ufeff")
            ? "starts with a byte order mark, which JSON does not have"
            : "is not JSON"
    return { violations: [{ path: "$", problem }], steps: 0, siblings: 0 }
  }
  const files = yield* filesAround(path, parsed.success)
  const siblings = [...files.values()].filter(({ _tag }) => _tag === "Document").length
  const violations = trajectoryViolations(parsed.success, files, repeatedKeys(text))
  return { violations, steps: stepCount(parsed.success), siblings }
})

/** `start`: null if the journal does not start like one. */
const startOf = Effect.fnUntraced(function* (text: string) {
  const line = parseJournalLine(text)
  const start: JournalStart | null = line !== null && "journal" in line ? line : null
  const isRunning = start !== null && (yield* (yield* RunningProcess).isRunning(start.process))
  return { start, writer: isRunning ? start.process : null }
})

const writerOf = Effect.fnUntraced(function* (path: string) {
  const text = placesOfJournal(path) === null ? null : yield* firstLine(path)
  return text === null ? null : (yield* startOf(text)).writer
})

const recover = Effect.fnUntraced(function* (path: string) {
  const redactor = yield* Redactor
  const places = placesOfJournal(path) ?? placesOf(path.replace(/\.partial$/, ""))
  const { document, journal } = places
  if ((yield* typeOf(journal)) !== "File") {
    const done = yield* firstFile([document, `${document}.partial`])
    if (done !== null) return { _tag: "Already", document: done } as const
    return yield* unreadable(journal)("there is no such journal")
  }
  const text = yield* firstLine(journal)
  if (text === null) return { _tag: "Empty", journal } as const
  const { start, writer } = yield* startOf(text)
  if (start === null) return yield* unreadable(journal)("it does not start like a journal")
  if (writer !== null) return { _tag: "Running", journal } as const
  const endsWell = yield* journalEndsWell(journal).pipe(
    Effect.mapError((error) => unreadable(journal)(systemErrorText(error)))
  )
  // Redacted again, because anybody may have written the journal.
  const source = { lines: readJournal(journal), partial: !endsWell, redact: redactor.value }
  const written = yield* writeTrajectories(places, source)
  return { _tag: "Recovered", document: written.document, siblings: written.siblings.length } as const
})

const firstLine = Effect.fnUntraced(function* (journal: string) {
  const fs = yield* FileSystem.FileSystem
  const head = yield* fs.stream(journal, { bytesToRead: longestFirstLine }).pipe(
    Stream.decodeText(),
    Stream.mkString,
    Effect.mapError((error) => unreadable(journal)(systemErrorText(error)))
  )
  const end = head.indexOf("\n")
  return end >= 0 ? head.slice(0, end) : head.length < longestFirstLine ? null : head
})

const longestFirstLine = 64 * 1024

/** The siblings of a journal have no files yet. */
const siblingPath = (name: string): string => `trajectories/${name}.json`

const parseJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))
const decodeTrajectory = Schema.decodeUnknownResult(Schema.toCodecJson(Trajectory))

/** The trajectory in a document, or the first violation. */
const trajectoryIn = (path: string, document: unknown): Effect.Effect<Trajectory, TrajectoryUnreadable> => {
  const decoded = decodeTrajectory(document)
  if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
  const [first] = trajectoryViolations(document)
  const where = first === undefined ? "" : ` (${first.path} ${first.problem})`
  return Effect.fail(new TrajectoryUnreadable({ path, reason: `it is not a trajectory${where}` }))
}

/** Null if the bytes are not UTF-8. A byte order mark is kept. */
const utf8In = (bytes: Uint8Array): string | null =>
  Option.getOrNull(
    Option.liftThrowable((given: Uint8Array) =>
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(given)
    )(bytes)
  )

const stepCount = (document: unknown): number => {
  const decoded = Schema.decodeUnknownOption(Schema.Struct({ steps: Schema.Array(Schema.Unknown) }))(document)
  return Option.match(decoded, { onNone: () => 0, onSome: ({ steps }) => steps.length })
}
