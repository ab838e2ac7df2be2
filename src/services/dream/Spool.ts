/**
 * Reads the spool: the recorded sessions of coding assistants. Never writes. A file that cannot be read, and lines that
 * were cut off, are counted and do not hide the others.
 */
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import type { SessionView } from "../../domain/dream/SessionView.ts"
import { sessionEvents } from "../../domain/dream/sessionEvents.ts"
import { viewOfSession } from "../../domain/dream/viewOfSession.ts"

export interface SpooledSession {
  readonly view: SessionView
  readonly events: ReadonlyArray<SessionEvent>
  readonly unreadable: number
}

export interface SpooledSessions {
  /** The latest first. */
  readonly sessions: ReadonlyArray<SpooledSession>
  /** Files that could not be read. */
  readonly unreadable: number
  /** Events that hooks could not record. */
  readonly faults: number
}

export class Spool extends Context.Service<
  Spool,
  {
    /** `project`: null for all projects. */
    readonly sessions: (project: string | null) => Effect.Effect<SpooledSessions>
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

        const filesOf = Effect.fnUntraced(function* (project: string) {
          const folder = paths.join(directory, project)
          const names = yield* namesIn(folder)
          return names.filter((name) => name.endsWith(".jsonl")).map((name) => paths.join(folder, name))
        })

        const sessionIn = Effect.fnUntraced(function* (file: string) {
          const { events, unreadable } = sessionEvents(yield* fs.readFileString(file))
          const view = viewOfSession(events)
          return view === null ? null : { view, events, unreadable }
        })

        const faultsIn = fs.readFileString(paths.join(directory, "faults")).pipe(
          Effect.map((text) => text.split("\n").filter((line) => line !== "").length),
          Effect.catch(() => Effect.succeed(0))
        )

        const sessions = Effect.fn("Spool.sessions")(function* (project: string | null) {
          const projects = project === null ? yield* namesIn(directory) : [project]
          const files = (yield* Effect.forEach(projects, filesOf)).flat()
          const read = yield* Effect.forEach(files, (file) => Effect.option(sessionIn(file)))
          const found = read.flatMap((each) => (each._tag === "Some" && each.value !== null ? [each.value] : []))
          return {
            sessions: found.toSorted((a, b) => b.view.lastAt - a.view.lastAt),
            unreadable: read.filter(({ _tag }) => _tag === "None").length,
            faults: yield* faultsIn
          }
        })

        return Spool.of({ sessions })
      })
    )
}
