/**
 * The file that names the run that owns a directory: at most one living process owns it.
 *
 * A reviewed repository is hostile and may contain a lock: only a small regular file is read, a link is never followed,
 * and a lock names its process by pid, boot and start time, which no repository can guess. Anything but the lock of a
 * living process is stale and is replaced.
 */
import { Effect, FileSystem, Option, type PlatformError, Schema } from "effect"
import { ProcessIdentity } from "../../../domain/system/ProcessIdentity.ts"
import * as Proc from "../../system/process/Proc.ts"

const Holder = Schema.Struct({ ...ProcessIdentity.fields, session: Schema.String })
type Holder = typeof Holder.Type

const decodeHolder = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

const longestLock = 1024

/** Locks `path` for `session` until the scope closes. False: another living run has the lock. */
export const acquire = (path: string, session: string) =>
  Effect.acquireRelease(take(path, session), (taken) => (taken ? release(path, session) : Effect.void))

/** Fails if no file as large as a lock can be written beside `path`. It is removed again, and the lock itself is not touched. */
export const ensurePossible = Effect.fnUntraced(function* (path: string, session: string) {
  const fs = yield* FileSystem.FileSystem
  const draft = `${path}.${session}.draft`
  yield* fs
    .writeFileString(draft, "-".repeat(longestLock), { flag: "wx", mode: 0o600 })
    .pipe(Effect.ensuring(Effect.option(fs.remove(draft, { force: true }))))
})

const take = Effect.fnUntraced(function* (path: string, session: string) {
  const fs = yield* FileSystem.FileSystem
  const self: Holder = { ...(yield* Proc.self), session }
  const first = yield* Effect.option(claim(path, self))
  if (Option.isNone(first) || first.value) return Option.isSome(first)

  const seen = yield* look(path)
  if (seen !== null) {
    if (seen.holder !== null && (yield* Proc.isRunning(seen.holder))) return false
    const aside = `${path}.${session}.stale`
    const moved = yield* Effect.option(fs.rename(path, aside))
    if (Option.isSome(moved)) {
      const got = yield* look(aside)
      // Another run replaced the lock between the check and the rename: this is its lock.
      if (got !== null && !isSame(got, seen)) {
        yield* Effect.option(putBack(aside, path))
        return false
      }
      yield* Effect.option(fs.remove(aside, { recursive: true, force: true }))
    }
  }
  return yield* Effect.map(Effect.option(claim(path, self)), (taken) => Option.isSome(taken) && taken.value)
})

const release = Effect.fnUntraced(function* (path: string, session: string) {
  const fs = yield* FileSystem.FileSystem
  const left = yield* look(path)
  if (left?.holder?.session === session) yield* Effect.option(fs.remove(path, { force: true }))
})

/** True if there was none. Created atomically: a half-written lock would look stale. */
const claim = Effect.fnUntraced(function* (path: string, self: Holder) {
  const fs = yield* FileSystem.FileSystem
  const draft = `${path}.${self.session}.draft`
  const create = (at: string) => fs.writeFileString(at, JSON.stringify(self), { flag: "wx", mode: 0o600 })
  return yield* create(draft).pipe(
    Effect.andThen(
      fs.link(draft, path).pipe(
        // Some file systems have no links between files.
        Effect.catchIf(
          (error) => !isAlreadyThere(error),
          () => create(path)
        )
      )
    ),
    Effect.as(true),
    Effect.catchIf(isAlreadyThere, () => Effect.succeed(false)),
    Effect.ensuring(Effect.option(fs.remove(draft, { force: true })))
  )
})

/** Never replaces a lock created in the meantime. */
const putBack = Effect.fnUntraced(function* (aside: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.link(aside, path).pipe(
    Effect.catchIf(
      (error) => !isAlreadyThere(error),
      () => Effect.flatMap(look(path), (there) => (there === null ? fs.rename(aside, path) : Effect.void))
    ),
    Effect.ensuring(Effect.option(fs.remove(aside, { force: true })))
  )
})

interface Seen {
  readonly type: FileSystem.File.Type
  readonly ino: bigint | null
  readonly text: string | null
  readonly holder: Holder | null
}

/** The entry of this name, without following links; null if there is none or it cannot be read. */
const look = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = Option.getOrNull(yield* Effect.option(fs.lstat(path)))
  if (info === null) return null
  const seen: Seen = { type: info.type, ino: Option.getOrNull(info.ino), text: null, holder: null }
  // Opening a FIFO waits for a writer, and reading a device never ends.
  if (info.type !== "File" || info.size > longestLock) return seen
  const text = Option.getOrNull(yield* Effect.option(fs.readFileString(path)))
  return text === null ? seen : { ...seen, text, holder: Option.getOrNull(decodeHolder(text)) }
})

const isSame = (a: Seen, b: Seen): boolean => a.type === b.type && a.ino === b.ino && a.text === b.text

const isAlreadyThere = (error: PlatformError.PlatformError): boolean => error.reason._tag === "AlreadyExists"
