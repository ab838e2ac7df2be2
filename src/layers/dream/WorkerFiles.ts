/**
 * The worker's lock, status and wake file in `dream/` of dd's own directory.
 *
 * The lock names the process by pid, boot and start time, so that of a dead process is recognized and replaced. Files are
 * replaced by rename, and a killed worker leaves valid ones.
 */
import { setPriority } from "node:os"
import { Clock, Effect, FileSystem, Layer, Option, Schema } from "effect"
import { WorkerStatus } from "../../domain/dream/WorkerStatus.ts"
import { ProcessIdentity } from "../../domain/system/ProcessIdentity.ts"
import { WorkerNotStarted, WorkerProcess } from "../../services/dream/WorkerProcess.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import * as Lock from "../review/artifacts/Lock.ts"
import * as Proc from "../system/process/Proc.ts"
import { workerPlaces } from "./startWorker.ts"

const niceness = 10
/** The lock is touched this often, in milliseconds. */
const beatEvery = 15_000

/** `home`: dd's own directory. */
export const layer = (home: string) =>
  Layer.effect(
    WorkerProcess,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const withFiles = Effect.provideService(FileSystem.FileSystem, fs)
      const places = workerPlaces(home)
      const session = crypto.randomUUID()

      const changedAt = (path: string) =>
        Effect.map(Effect.option(fs.stat(path)), (info) =>
          Option.match(
            Option.flatMap(info, ({ mtime }) => mtime),
            { onNone: () => null, onSome: (at) => at.getTime() }
          )
        )
      const textOf = (path: string) => Effect.option(fs.readFileString(path))

      const state = Effect.gen(function* () {
        const holder = Option.getOrNull(Option.flatMap(yield* textOf(places.lock), decodeHolder))
        return {
          running: holder !== null && (yield* withFiles(Proc.isRunning(holder))) ? holder : null,
          beatAt: yield* changedAt(places.lock),
          status: Option.getOrNull(Option.flatMap(yield* textOf(places.status), decodeStatus))
        }
      })

      const own = Effect.gen(function* () {
        yield* Effect.option(fs.makeDirectory(places.folder, { recursive: true, mode: 0o700 }))
        if (!(yield* withFiles(Lock.acquire(places.lock, session)))) {
          if ((yield* state).running !== null) return false
          yield* Effect.mapError(
            withFiles(Lock.ensurePossible(places.lock, session)),
            (cause) => new WorkerNotStarted({ path: places.folder, reason: systemErrorText(cause) })
          )
          return false
        }
        const names = Option.getOrElse(yield* Effect.option(fs.readDirectory(places.folder)), () => [])
        for (const name of names.filter(isOfKilledWorker)) {
          yield* Effect.option(fs.remove(`${places.folder}/${name}`, { force: true }))
        }
        return true
      })

      const beat = Effect.gen(function* () {
        if (!Option.exists(yield* textOf(places.lock), (text) => text.includes(session))) return false
        const now = yield* Clock.currentTimeMillis
        if (now - ((yield* changedAt(places.lock)) ?? 0) < beatEvery) return true
        return Option.isSome(yield* Effect.option(fs.utimes(places.lock, now / 1_000, now / 1_000)))
      })

      const report = (status: WorkerStatus) => {
        const draft = `${places.status}.${session}.draft`
        return fs.writeFileString(draft, `${encodeStatus(status)}\n`, { mode: 0o600 }).pipe(
          Effect.andThen(fs.rename(draft, places.status)),
          Effect.catch((error) => Effect.logWarning(`${places.status} was not written: ${systemErrorText(error)}`))
        )
      }

      return WorkerProcess.of({
        own,
        beat,
        wake: Effect.map(changedAt(places.wake), (at) => at ?? 0),
        // A system that refuses a lower priority changes nothing else.
        stepBack: Effect.asVoid(
          Effect.option(Effect.try({ try: () => setPriority(niceness), catch: systemErrorText }))
        ),
        state,
        report
      })
    })
  )

const isOfKilledWorker = (name: string): boolean => /^worker\.(?:lock|json)\..*(?:draft|stale)$/.test(name)

const decodeHolder = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessIdentity))
const Stored = Schema.fromJsonString(WorkerStatus)
const decodeStatus = Schema.decodeUnknownOption(Stored)
const encodeStatus = Schema.encodeSync(Stored)
