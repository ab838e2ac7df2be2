/**
 * Records a run as trajectories: events are written to a journal at once, and documents are made from it when the scope
 * closes.
 *
 * A kill loses at most the event being written and the text that `RedactedEvents` holds back. A completed run leaves
 * `<document>` and its siblings; any other end leaves them with `.partial` in their names. Nothing here fails a run: if
 * the journal cannot be written, there is one warning and an entry in `missing`, and recording stops.
 */

import { createHash } from "node:crypto"
import { closeSync, openSync, writeSync } from "node:fs"
import {
  Clock,
  Context,
  DateTime,
  Effect,
  Exit,
  FileSystem,
  Layer,
  Option,
  Path,
  Ref,
  Result,
  Schema,
  Semaphore,
  Stream
} from "effect"
import type { Degraded } from "../../../domain/change/Degraded.ts"
import type { Ending, JournalLine, JournalStart } from "../../../domain/record/TrajectoryJournal.ts"
import type { PromptBlock } from "../../../domain/run/AgentEvent.ts"
import { RunEvent } from "../../../domain/run/RunEvent.ts"
import { placesOf, type TrajectoryPlaces } from "../../../domain/run/TrajectoryPlaces.ts"
import { RedactedEvents } from "../../../services/agent/RedactedEvents.ts"
import { readJournal, writeTrajectories } from "../../../services/record/TrajectoryFiles.ts"
import { Recorder } from "../../../services/run/Recorder.ts"
import { Redactor, redactionFailed } from "../../../services/secret/Redactor.ts"
import { systemErrorCode, systemErrorText } from "../../../services/system/systemErrorText.ts"
import * as Proc from "../../system/process/Proc.ts"

export class TrajectoryNotBegun extends Schema.TaggedError<TrajectoryNotBegun>()("TrajectoryNotBegun", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `no trajectory can be written to ${this.path}: ${this.reason}`
  }
}

class JournalNotWritten extends Schema.TaggedError<JournalNotWritten>()("JournalNotWritten", {
  reason: Schema.String
}) {
  override get message() {
    return `the journal could not be written: ${this.reason}`
  }
}

export interface TrajectoryOptions {
  /** The path of the run's own trajectory. */
  readonly document: string
  readonly sessionId: string
  readonly version: string
  /** The repository under review. */
  readonly target: string | null
}

/** Clocks are corrected in small steps. */
const toleratedMillis = 1000

/** In bytes. A shorter journal is also kept in memory, and not read again. */
const mostHeld = 1024 * 1024

const utf8 = new TextEncoder()

/** Fails if the journal cannot be created. */
export const make = Effect.fnUntraced(function* (options: TrajectoryOptions) {
  const fs = yield* FileSystem.FileSystem
  const redactor = yield* Redactor
  const places = placesOf(options.document)
  const missing = yield* Ref.make<ReadonlyArray<Degraded>>([])
  const oneAtATime = Semaphore.makeUnsafe(1)
  const redacted = new RedactedEvents(redactor)
  const held = new HeldJournal()
  const blocks = new PromptBlocks()
  let working = true
  let hasStart = false
  let isOver = false
  let last = 0
  let clockSetBack = false

  const miss = (error: string, detail: string) =>
    Ref.update(missing, (all) => [...all, { step: "trajectory", error, detail }]).pipe(
      Effect.andThen(Effect.logWarning(detail))
    )

  const giveUp = ({ reason }: JournalNotWritten) => {
    working = false
    return miss("TrajectoryNotWritten", `the rest of this run is not recorded: ${reason}`)
  }

  /** The time of the next line, never earlier than the previous one. */
  const stamp = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (last - now > toleratedMillis && !clockSetBack) {
      clockSetBack = true
      const seconds = Math.round((last - now) / 1000)
      yield* miss(
        "ClockSetBack",
        `the clock was set back by ${seconds} s: the times in this run's record are in order, not exact`
      )
    }
    last = Math.max(last, now)
    return DateTime.formatIso(DateTime.makeUnsafe(last))
  })

  const append = (journal: JournalFile, lines: ReadonlyArray<JournalLine | null>) =>
    Effect.try({
      try: () => {
        const bytes = utf8.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
        journal.append(bytes)
        held.add(lines, bytes.length)
      },
      catch: (cause) => new JournalNotWritten({ reason: systemErrorText(cause) })
    })

  const start: Omit<JournalStart, "at"> = {
    journal: 1,
    sessionId: options.sessionId,
    agent: { name: "daydream", version: options.version },
    target: options.target,
    process: yield* Proc.self
  }

  const finish = (journal: JournalFile, exit: Exit.Exit<unknown, unknown>) =>
    Effect.gen(function* () {
      if (!hasStart) return yield* fs.remove(places.journal, { force: true })
      // A run that was interrupted before its report was written is partial.
      const ended: Ending = Exit.hasInterrupts(exit) ? "interrupted" : isOver ? "complete" : "failed"
      if (working) {
        const at = yield* stamp
        yield* append(journal, [...redacted.flush.map((event) => ({ at, event })), { at, ended }])
      }
      const lines = held.lines === null ? readJournal(places.journal) : Stream.fromArray(held.lines)
      yield* writeTrajectories(places, { lines, partial: !(ended === "complete" && working), redact: (part) => part })
    }).pipe(
      Effect.catch((error) => {
        const reason = error._tag === "PlatformError" ? systemErrorText(error) : error.reason
        return Effect.logWarning(`the trajectory is left as a journal in ${places.journal}: ${reason}`)
      }),
      Effect.ensuring(Effect.sync(() => Result.try(journal.close))),
      Effect.provideService(FileSystem.FileSystem, fs)
    )

  // One resource: an interruption in between would leave a journal without an end.
  const journal = yield* Effect.acquireRelease(
    Effect.tap(begin(places), (file) =>
      Effect.flatMap(stamp, (at) => append(file, [lineIn(redactor.value({ ...start, at }))])).pipe(
        Effect.tap(() => Effect.sync(() => (hasStart = true))),
        Effect.catch(giveUp)
      )
    ),
    finish
  )

  const record = (event: RunEvent) =>
    Effect.suspend(() => {
      if (!working) return Effect.void
      return Effect.flatMap(stamp, (at) =>
        append(
          journal,
          redacted.of(event).map((each) => eventLine(at, each === redactionFailed ? each : blocks.once(each)))
        )
      ).pipe(
        Effect.tap(() => Effect.sync(() => (isOver ||= event._tag === "RunEnded"))),
        Effect.catch(giveUp)
      )
    }).pipe(Effect.uninterruptible, oneAtATime.withPermits(1))

  return Recorder.of({ record, missing: Ref.get(missing) })
})

/** Records nothing, with a warning, if the journal cannot be created. */
export const makeIfPossible = (options: TrajectoryOptions) =>
  make(options).pipe(
    Effect.catchTag("TrajectoryNotBegun", (error) =>
      Effect.as(
        Effect.logWarning(`this run is not recorded: ${error.message}`),
        Recorder.of({
          record: () => Effect.void,
          missing: Effect.succeed([{ step: "trajectory", error: error._tag, detail: error.message }])
        })
      )
    )
  )

const begin = Effect.fnUntraced(function* ({ document, journal }: TrajectoryPlaces) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const open = yield* OpenJournal
  const refuse = (reason: string) => new TrajectoryNotBegun({ path: document, reason })
  const existing = Option.getOrNull(yield* Effect.option(fs.stat(document)))
  if (existing !== null && existing.type !== "File") return yield* refuse("it is not a file")
  const refused = (cause: unknown) =>
    refuse(
      systemErrorCode(cause) === "EEXIST"
        ? `another run writes this file, or a killed run left ${journal} (see dd trajectory recover)`
        : systemErrorText(cause)
    )
  yield* Effect.mapError(fs.makeDirectory(paths.dirname(journal), { recursive: true, mode: 0o700 }), refused)
  return yield* Effect.try({ try: () => open(journal), catch: refused })
})

/** A line that could not be redacted is only counted. */
const lineIn = <A>(redacted: A | typeof redactionFailed): A | null => (redacted === redactionFailed ? null : redacted)

const eventLine = (at: string, event: RunEvent | typeof redactionFailed): JournalLine | null =>
  event === redactionFailed ? null : { at, event }

class HeldJournal {
  #bytes = 0
  #lines: Array<JournalLine | null> | null = []

  add(lines: ReadonlyArray<JournalLine | null>, bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > mostHeld) this.#lines = null
    this.#lines?.push(...lines)
  }

  /** Null if there were too many. */
  get lines(): ReadonlyArray<JournalLine | null> | null {
    return this.#lines
  }
}

export const layer = (options: TrajectoryOptions) => Layer.effect(Recorder, make(options))

/** Records each redacted text sent to a model once; if it is sent again, only its digest. */
class PromptBlocks {
  readonly #known = new Set<string>()

  once(event: RunEvent): RunEvent {
    if (event._tag !== "Agent" || event.event._tag !== "Prompted") return event
    const [system, user] = [event.event.system.map(this.#block), event.event.user.map(this.#block)]
    return RunEvent.make({ ...event, event: { ...event.event, system, user } })
  }

  readonly #block = ({ text = "" }: PromptBlock): PromptBlock => {
    const sha256 = createHash("sha256").update(text).digest("hex")
    if (this.#known.has(sha256)) return { sha256 }
    this.#known.add(sha256)
    return { text, sha256 }
  }
}

/**
 * The file of a journal: new, with mode 0600, never through a link. Throws errors of the system.
 *
 * Synchronous: an event has a few hundred bytes, and waiting for the thread pool takes ten times as long as writing them.
 */
interface JournalFile {
  /** Writes all of them, or throws. */
  readonly append: (bytes: Uint8Array) => void
  readonly close: () => void
}

/** Tests replace it to simulate a full disk. */
export const OpenJournal = Context.Reference<(path: string) => JournalFile>(
  "dd/layers/recorder/JournalFile/OpenJournal",
  {
    defaultValue: () => openJournal
  }
)

export const openJournal = (path: string): JournalFile => {
  const descriptor = openSync(path, "wx", 0o600)
  return {
    append: (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    },
    close: () => closeSync(descriptor)
  }
}
