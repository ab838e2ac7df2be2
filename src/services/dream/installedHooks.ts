/**
 * The settings files of assistants, to which dd adds its hooks. A file is replaced by rename, through a link to its target and
 * with its mode; one that cannot be understood is left as it is. What a file was before is kept in dd's own directory, so that
 * removing the hooks also removes the objects and lists that dd added for them, and no others.
 */
import { Effect, FileSystem, Option, Path, Result, Schema } from "effect"
import { type Assistant, hookedEvents, withHooks, withoutHooks } from "../../domain/dream/hookSettings.ts"
import { systemErrorText } from "../system/systemErrorText.ts"

export class HooksNotChanged extends Schema.TaggedError<HooksNotChanged>()("HooksNotChanged", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} was not changed: ${this.reason}`
  }
}

const Kept = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Struct({ before: Schema.NullOr(Schema.String) }))
)
type Kept = typeof Kept.Type

/** Where the settings of an assistant are. */
export interface HookPlace {
  /** The home directory, the root of a repository, or the folder that a variable names. */
  readonly directory: string
  /** In the directory. */
  readonly file: string
}

const attempt = <A, E, R>(path: string, self: Effect.Effect<A, E, R>) =>
  Effect.mapError(self, (error) => new HooksNotChanged({ path, reason: systemErrorText(error) }))

const fileOf = Effect.fnUntraced(function* ({ directory, file }: HookPlace) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.join(directory, file)
  /** A link to a file that is not there yet leads to where it will be. */
  const real = (place: string) =>
    fs.realPath(place).pipe(
      Effect.catch(() => Effect.map(fs.readLink(place), (link) => paths.resolve(paths.dirname(place), link))),
      Effect.option,
      Effect.map(Option.getOrElse(() => place))
    )
  const root = yield* real(directory)
  const own = paths.join(root, file)
  const target = yield* real(paths.join(yield* real(paths.dirname(own)), paths.basename(own)))
  const isRepository = Option.isSome(yield* Effect.option(fs.stat(paths.join(root, ".git"))))
  // A repository may be by somebody else; in the home directory, a link is the user's own.
  if (isRepository && !target.startsWith(`${root}/`)) {
    return yield* new HooksNotChanged({ path, reason: `it leads outside of the repository, to ${target}` })
  }
  return { path, target }
})

const read = Effect.fnUntraced(function* (path: string, target: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* attempt(path, fs.exists(target)))) return null
  const bytes = yield* attempt(path, fs.readFile(target))
  // Bytes that are no text would not be written back as they were.
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => new HooksNotChanged({ path, reason: "it is not UTF-8" })
  })
})

const write = Effect.fnUntraced(function* (path: string, target: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const mode = Option.getOrElse(
    yield* Effect.option(Effect.map(fs.stat(target), (info) => info.mode & 0o777)),
    () => 0o600
  )
  const draft = `${target}.dd-draft`
  yield* attempt(path, fs.makeDirectory(paths.dirname(target), { recursive: true }))
  yield* attempt(
    path,
    Effect.andThen(fs.writeFileString(draft, text, { mode }), fs.rename(draft, target)).pipe(
      Effect.onError(() => Effect.option(fs.remove(draft)))
    )
  )
})

const keptIn = Effect.fnUntraced(function* (own: string) {
  const fs = yield* FileSystem.FileSystem
  const memory = (yield* Path.Path).join(own, "hooks.json")
  return yield* fs.readFileString(memory).pipe(
    Effect.flatMap(Schema.decodeEffect(Kept)),
    Effect.catch(() => Effect.succeed<Kept>({}))
  )
})

const keep = Effect.fnUntraced(function* (own: string, kept: Kept) {
  const fs = yield* FileSystem.FileSystem
  const memory = (yield* Path.Path).join(own, "hooks.json")
  yield* attempt(
    memory,
    Effect.andThen(
      fs.makeDirectory(own, { recursive: true, mode: 0o700 }),
      Effect.flatMap(Schema.encodeEffect(Kept)(kept), (text) => fs.writeFileString(memory, text, { mode: 0o600 }))
    )
  )
})

const settled = <A>(path: string, result: Result.Result<A, string>) =>
  Result.isSuccess(result)
    ? Effect.succeed(result.success)
    : Effect.fail(new HooksNotChanged({ path, reason: result.failure }))

/** Returns the path, and whether the file changed. `own`: dd's own directory. */
export const install = Effect.fn("HookFiles.install")(function* (
  own: string,
  place: HookPlace,
  assistant: Assistant,
  command: string
) {
  const { path, target } = yield* fileOf(place)
  const before = yield* read(path, target)
  const after = yield* settled(path, withHooks(before, assistant, command))
  if (after === before) return { path, changed: false }
  // A second installation does not make the first one what was before.
  const isFirst = before === null || (yield* settled(path, hookedEvents(before, assistant))).length === 0
  if (isFirst) yield* keep(own, { ...(yield* keptIn(own)), [target]: { before } })
  yield* write(path, target, after)
  return { path, changed: true }
})

export const uninstall = Effect.fn("HookFiles.uninstall")(function* (
  own: string,
  place: HookPlace,
  assistant: Assistant
) {
  const fs = yield* FileSystem.FileSystem
  const { path, target } = yield* fileOf(place)
  const before = yield* read(path, target)
  if (before === null || (yield* settled(path, hookedEvents(before, assistant))).length === 0) {
    return { path, changed: false }
  }
  const { [target]: known, ...rest } = yield* keptIn(own)
  const left = yield* settled(path, withoutHooks(before, assistant, known?.before))
  if (left === null) yield* attempt(path, fs.remove(target))
  else yield* write(path, target, left)
  yield* keep(own, rest)
  return { path, changed: true }
})

/** The events with a hook of dd; null if there is no file. */
export const installed = Effect.fn("HookFiles.installed")(function* (place: HookPlace, assistant: Assistant) {
  const { path, target } = yield* fileOf(place)
  const text = yield* read(path, target)
  return { path, events: text === null ? null : yield* settled(path, hookedEvents(text, assistant)) }
})
