/**
 * Artifacts in `<root>/.daydream`, which ignores itself.
 *
 * A reviewed repository is hostile: no directory on the way may be a link, and a file is replaced by rename,
 * so a link planted under its name is replaced and never followed. One run at a time owns the directory; a
 * second one at the same time keeps all of its files under `runs/<session>` instead, and says so. Of the run
 * directories the newest 20 stay (docs/decisions/0009).
 */
import { Effect, FileSystem, Layer, Option, Path, type PlatformError, Schema } from "effect"
import { compareText } from "../../domain/Finding.ts"
import { ArtifactNotWritten, Artifacts, ArtifactUnreadable } from "../../services/Artifacts.ts"
import { troubleOf } from "../../services/trouble.ts"
import * as Lock from "./Lock.ts"
import { nowhere } from "./None.ts"

/** How many runs' own directories a repository keeps. */
const keptRuns = 20
const sessionName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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
          Effect.onError(() => Effect.option(fs.remove(draft, { force: true })))
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

      const runDirectory = paths.join(own, "runs", session)
      yield* Effect.addFinalizer(() => Effect.option(removeIfEmpty(runDirectory)))
      yield* Effect.option(pruneRuns(paths.join(own, "runs")))

      const owned = yield* Lock.acquire(paths.join(own, "lock"), session)
      const base = owned ? "" : `runs/${session}`
      const directory = paths.join(own, base)

      return Artifacts.of({
        directory,
        runDirectory,
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

/** A run that was stopped before it began, or keeps its record elsewhere, leaves nothing. */
const removeIfEmpty = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  if ((yield* fs.readDirectory(directory)).length === 0) yield* fs.remove(directory, { recursive: true })
})

/** Removes all but the newest run directories, and nothing that is not one: never a link, never another name. */
const pruneRuns = Effect.fnUntraced(function* (runs: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const names = (yield* fs.readDirectory(runs)).filter((name) => sessionName.test(name))
  if (names.length <= keptRuns) return
  const seen = yield* Effect.forEach(names, (name) =>
    Effect.map(Effect.option(fs.lstat(paths.join(runs, name))), (info) => ({ name, info: Option.getOrNull(info) }))
  )
  const directories = seen.flatMap(({ name, info }) =>
    info?.type === "Directory" ? [{ name, at: Option.getOrUndefined(info.mtime)?.getTime() ?? 0 }] : []
  )
  const old = directories.sort((a, b) => b.at - a.at || compareText(a.name, b.name)).slice(keptRuns)
  yield* Effect.forEach(old, ({ name }) =>
    Effect.option(fs.remove(paths.join(runs, name), { recursive: true, force: true }))
  )
})

const reasonOf = (error: PlatformError.PlatformError | NotADirectory): string =>
  error._tag === "NotADirectory" ? error.message : troubleOf(error)

const isAlreadyThere = (error: PlatformError.PlatformError): boolean => error.reason._tag === "AlreadyExists"
const isAbsent = (error: PlatformError.PlatformError): boolean => error.reason._tag === "NotFound"
