/**
 * Artifacts in `<root>/.daydream`, which ignores itself.
 *
 * A reviewed repository is hostile: no directory on the way may be a link, and a file is replaced by rename,
 * so a link planted under its name is replaced and never followed. One run at a time owns the directory; a
 * second one at the same time keeps all of its files under `runs/<session>` instead, and says so.
 */
import { Effect, FileSystem, Layer, Option, Path, type PlatformError, Schema } from "effect"
import { ArtifactNotWritten, Artifacts, ArtifactUnreadable } from "../../services/Artifacts.ts"
import { troubleOf } from "../../services/trouble.ts"
import { nowhere } from "./None.ts"

const Lock = Schema.fromJsonString(Schema.Struct({ pid: Schema.Int, session: Schema.String }))
const decodeLock = Schema.decodeUnknownOption(Lock)

class NotADirectory extends Schema.TaggedError<NotADirectory>()("NotADirectory", { path: Schema.String }) {
  override get message() {
    return `${this.path} is not a directory of this repository (a link, or a file)`
  }
}

export const layer = (root: string, session: string) =>
  Layer.effect(
    Artifacts,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const own = paths.join(root, ".daydream")

      /** Makes `relative` below `.daydream` with all directories on the way; none of them may be a link. */
      const ensureDirectory = Effect.fnUntraced(function* (relative: string) {
        let at = own
        for (const part of ["", ...relative.split("/").filter((part) => part !== "" && part !== ".")]) {
          at = part === "" ? at : paths.join(at, part)
          yield* fs.makeDirectory(at, { mode: 0o700 }).pipe(Effect.catchIf(isAlreadyThere, () => Effect.void))
          const info = yield* fs.lstat(at)
          if (info.type !== "Directory") return yield* new NotADirectory({ path: paths.relative(root, at) })
        }
        return at
      })

      const replace = Effect.fnUntraced(function* (base: string, name: string, content: string | Uint8Array) {
        const slash = name.lastIndexOf("/")
        const directory = yield* ensureDirectory(paths.join(base, slash === -1 ? "" : name.slice(0, slash)))
        const target = paths.join(directory, name.slice(slash + 1))
        const draft = `${target}.${session}.draft`
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
        yield* fs.writeFile(draft, bytes, { mode: 0o600, flag: "wx" }).pipe(
          Effect.andThen(fs.rename(draft, target)),
          Effect.tapError(() => Effect.option(fs.remove(draft, { force: true })))
        )
      })

      const readRegular = Effect.fnUntraced(function* (name: string) {
        const at = paths.join(yield* ensureDirectory(paths.join(base, paths.dirname(name))), paths.basename(name))
        const info = yield* fs.lstat(at).pipe(
          Effect.asSome,
          Effect.catchIf(isAbsent, () => Effect.succeedNone)
        )
        if (Option.isNone(info)) return Option.none<string>()
        if (info.value.type !== "File") return yield* new NotADirectory({ path: name })
        return Option.some(yield* fs.readFileString(at))
      })

      const prepared = yield* ensureDirectory(`runs/${session}`).pipe(
        Effect.andThen(fs.lstat(paths.join(own, ".gitignore")).pipe(Effect.option)),
        Effect.flatMap((there) => (Option.isSome(there) ? Effect.void : replace("", ".gitignore", "*\n"))),
        Effect.result
      )
      if (prepared._tag === "Failure") {
        return nowhere(`nothing is written under ${own}: ${reasonOf(prepared.failure)}`)
      }

      const lockPath = paths.join(own, "lock")
      const owned = yield* Effect.acquireRelease(takeLock(lockPath, session), (taken) =>
        taken ? Effect.option(fs.remove(lockPath, { force: true })) : Effect.void
      )
      const base = owned ? "" : `runs/${session}`
      const directory = paths.join(own, base)

      return Artifacts.of({
        directory,
        runDirectory: paths.join(own, "runs", session),
        notice: owned
          ? null
          : `another review is running in this repository; this one keeps its files under .daydream/${base}`,
        refused: false,
        write: (name, content) =>
          replace(base, name, content).pipe(
            Effect.mapError((error) => new ArtifactNotWritten({ name, reason: reasonOf(error) }))
          ),
        read: (name) =>
          readRegular(name).pipe(Effect.mapError((error) => new ArtifactUnreadable({ name, reason: reasonOf(error) }))),
        remove: (name) =>
          ensureDirectory(paths.join(base, paths.dirname(name))).pipe(
            Effect.andThen(fs.remove(paths.join(directory, name), { recursive: true, force: true })),
            Effect.mapError((error) => new ArtifactNotWritten({ name, reason: reasonOf(error) }))
          ),
        list: (name) =>
          ensureDirectory(paths.join(base, name)).pipe(
            Effect.andThen((at) => fs.readDirectory(at)),
            Effect.map((names) => names.filter((each) => !each.endsWith(".draft")).sort()),
            Effect.mapError((error) => new ArtifactUnreadable({ name, reason: reasonOf(error) }))
          )
      })
    })
  )

/** False when a living process holds it. A lock whose process is gone is taken over. */
const takeLock = Effect.fnUntraced(function* (lockPath: string, session: string) {
  const fs = yield* FileSystem.FileSystem
  const claim = fs.writeFileString(lockPath, lockText(session), { flag: "wx", mode: 0o600 }).pipe(
    Effect.as(true),
    Effect.catchIf(isAlreadyThere, () => Effect.succeed(false))
  )
  const first = yield* Effect.option(claim)
  if (Option.isNone(first) || first.value) return Option.isSome(first)

  const seen = yield* Effect.option(fs.readFileString(lockPath))
  const holder = Option.flatMap(seen, decodeLock)
  if (Option.isSome(holder) && holder.value.pid !== process.pid && isAlive(holder.value.pid)) return false
  // Rename, so that of two runs that both see a dead holder only one takes over.
  const aside = `${lockPath}.${session}`
  const moved = yield* Effect.option(fs.rename(lockPath, aside))
  if (Option.isNone(moved)) return false
  yield* Effect.option(fs.remove(aside, { force: true }))
  return yield* Effect.map(Effect.option(claim), (taken) => Option.isSome(taken) && taken.value)
})

const lockText = (session: string): string => JSON.stringify({ pid: process.pid, session })

/** Signal 0 asks without sending; EPERM means it lives and is somebody else's. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const reasonOf = (error: PlatformError.PlatformError | NotADirectory): string =>
  error._tag === "NotADirectory" ? error.message : troubleOf(error)

const isAlreadyThere = (error: PlatformError.PlatformError): boolean => error.reason._tag === "AlreadyExists"
const isAbsent = (error: PlatformError.PlatformError): boolean => error.reason._tag === "NotFound"
