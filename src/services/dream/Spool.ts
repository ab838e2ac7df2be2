/**
 * Reads the spool: the recorded sessions of coding assistants. Never writes. A file that cannot be read, and lines that
 * were cut off, are counted and do not hide the others.
 */
import { Context, Effect, FileSystem, Layer, Option, Path } from "effect"
import { type SessionEvent, sessionKey } from "../../domain/dream/SessionEvent.ts"
import type { SessionView } from "../../domain/dream/SessionView.ts"
import { sessionEvents } from "../../domain/dream/sessionEvents.ts"
import { viewOfSession } from "../../domain/dream/viewOfSession.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { spoolFaults } from "./spoolFaults.ts"

/** In bytes: the longest line of a spool file, between line breaks. */
const longestOpening = 16 * 1024 + 2

export interface SpooledSession {
  readonly view: SessionView
  readonly events: ReadonlyArray<SessionEvent>
  readonly unreadable: number
}

export interface SpooledSessions {
  /** The latest first. */
  readonly sessions: ReadonlyArray<SpooledSession>
  /** Files that could not be read, or that have no event that this version of dd can read. */
  readonly unreadable: number
  /** Events that hooks could not record. */
  readonly faults: number
}

/** The file of one session, as the directory lists it. */
export interface SpoolFile {
  readonly project: string
  readonly path: string
  readonly size: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

/** The first event of a file, read without the others. */
export interface SpoolOpening {
  /** `sessionKey` of the session. */
  readonly key: string
  /** The working tree, and the main one. */
  readonly roots: ReadonlyArray<string>
  readonly at: number
}

/** Where the repository of a session may be: its working tree, then the main one, which stays when the other is removed. */
export const rootsOf = ({ main, root }: Pick<SessionEvent, "main" | "root">): ReadonlyArray<string> =>
  main === undefined ? [root] : [root, main]

export class Spool extends Context.Service<
  Spool,
  {
    /** `project`: null for all projects. */
    readonly sessions: (project: string | null) => Effect.Effect<SpooledSessions>
    /** Of all projects; the latest change first. */
    readonly files: Effect.Effect<ReadonlyArray<SpoolFile>>
    /** Null if the file cannot be read or its first line is none. */
    readonly opening: (file: SpoolFile) => Effect.Effect<SpoolOpening | null>
    /** Null if the file cannot be read or has no events. */
    readonly read: (file: SpoolFile) => Effect.Effect<SpooledSession | null>
    /** Of these files, the time of the latest change; 0 if none is there. */
    readonly lastChange: (files: ReadonlyArray<SpoolFile>) => Effect.Effect<number>
  }
>()("dd/services/dream/Spool") {
  /** `directory`: of the spool; it may not exist. */
  static readonly layer = (directory: string) =>
    Layer.effect(
      Spool,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        const namesIn = (folder: string) => fs.readDirectory(folder).pipe(Effect.catch(() => Effect.succeed([])))

        /** Null for what is no file, as reading a FIFO does not end, and for one that a full disk kept empty. */
        const spoolFile = Effect.fnUntraced(function* (project: string, path: string) {
          const { mtime, size, type } = yield* fs.stat(path)
          const changedAt = Option.match(mtime, { onNone: () => 0, onSome: (at) => at.getTime() })
          return type === "File" && size > 0 ? { project, path, size: Number(size), changedAt } : null
        })

        const filesOf = Effect.fnUntraced(function* (project: string) {
          const folder = paths.join(directory, project)
          const names = (yield* namesIn(folder)).filter((name) => name.endsWith(".jsonl"))
          const found = yield* Effect.forEach(names, (name) =>
            // A file may have been removed meanwhile.
            Effect.option(spoolFile(project, paths.join(folder, name)))
          )
          return found.flatMap((file) => Option.getOrNull(file) ?? [])
        })

        const sessionIn = Effect.fnUntraced(function* (file: string) {
          const { events, unreadable } = sessionEvents(yield* fs.readFileString(file))
          const view = viewOfSession(events)
          return view === null ? null : { view, events, unreadable }
        })

        const faultsIn = fs.readFileString(paths.join(directory, "faults")).pipe(
          Effect.map((text) => spoolFaults(text).length),
          Effect.catch(() => Effect.succeed(0))
        )

        const sessions = Effect.fn("Spool.sessions")(function* (project: string | null) {
          const projects = project === null ? yield* namesIn(directory) : [project]
          const files = (yield* Effect.forEach(projects, filesOf)).flat()
          const read = yield* Effect.forEach(files, ({ path }) => Effect.option(sessionIn(path)))
          const found = read.flatMap((each) => (each._tag === "Some" && each.value !== null ? [each.value] : []))
          return {
            sessions: found.toSorted((a, b) => b.view.lastAt - a.view.lastAt),
            unreadable: read.length - found.length,
            faults: yield* faultsIn
          }
        })

        const files = Effect.gen(function* () {
          const found = yield* Effect.forEach(yield* namesIn(directory), filesOf)
          return found.flat().toSorted((a, b) => b.changedAt - a.changedAt || compareText(a.path, b.path))
        }).pipe(Effect.withSpan("Spool.files"))

        const opening = Effect.fn("Spool.opening")(function* ({ path }: SpoolFile) {
          const bytes = yield* Effect.flatMap(fs.open(path), (file) => file.readAlloc(longestOpening)).pipe(
            Effect.scoped,
            Effect.map(Option.getOrElse(() => new Uint8Array())),
            Effect.catch(() => Effect.succeed(new Uint8Array()))
          )
          const [event] = sessionEvents(new TextDecoder().decode(bytes).trimStart().split("\n")[0] ?? "").events
          return event === undefined ? null : { key: sessionKey(event), roots: rootsOf(event), at: event.at }
        })

        const read = Effect.fn("Spool.read")(function* ({ path }: SpoolFile) {
          return Option.getOrNull(yield* Effect.option(sessionIn(path)))
        })

        const lastChange = Effect.fn("Spool.lastChange")(function* (given: ReadonlyArray<SpoolFile>) {
          const found = yield* Effect.forEach(given, ({ path, project }) => Effect.option(spoolFile(project, path)))
          return Math.max(0, ...found.map((file) => Option.getOrNull(file)?.changedAt ?? 0))
        })

        return Spool.of({ sessions, files, opening, read, lastChange })
      })
    )
}
