/** Finds the hook of a repository, and changes it as planned. Reads and writes; runs nothing. */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { type HookSite, type HookStep, isHookOf, isInstalled, type Present } from "../../domain/hook/hookPlan.ts"
import { asideDirectory, asidesOf, type HookName } from "../../domain/hook/hookScript.ts"
import { type ManagerSettings, type SettingsCall, settingsCall } from "../../domain/hook/managerSettings.ts"
import { Git } from "../change/Git.ts"
import type { Repository } from "../change/openRepository.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { writeWhole } from "../system/writeWhole.ts"

/** A hook, or the settings of a manager of hooks, could not be read or written. */
export class GitHookInaccessible extends Schema.TaggedError<GitHookInaccessible>()("GitHookInaccessible", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

export const hookSite = Effect.fn("hookSite")(function* (repository: Repository, hook: HookName) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { own, path, scope } = yield* Git.use((git) => git.hooksDirectory(repository))
  const { root } = repository
  /** A path whose last parts do not exist yet is where they would be created. */
  const real = (place: string): Effect.Effect<string> =>
    Effect.catch(fs.realPath(place), () =>
      paths.dirname(place) === place
        ? Effect.succeed(place)
        : Effect.map(real(paths.dirname(place)), (parent) => paths.join(parent, paths.basename(place)))
    )
  const isHusky = root !== null && scope !== null && isInside(paths, root, path) && /\/\.husky(?:\/_)?$/.test(path)
  // What git runs in `_` is generated, and runs the file above.
  const directory = isHusky && paths.basename(path) === "_" ? paths.dirname(path) : path
  const isOwn = scope === null || isInside(paths, yield* real(own), yield* real(directory))
  const isShared = !isOwn && root !== null && isInside(paths, yield* real(root), yield* real(directory))
  const entry = paths.join(path, hook)
  const present = yield* presentAt(entry)
  const settings = root === null || isHusky ? null : yield* settingsOfManager(root)
  const called = settings === null ? "None" : settingsCall(settings, hook)
  const manager = isHusky ? "husky" : settings !== null && isInUse(settings, called, present) ? settings.manager : null
  // pre-commit runs this file before its own hooks, and gives it all refs; its own hooks get one.
  const file = manager === "pre-commit" ? `${entry}.legacy` : paths.join(directory, hook)
  const site: HookSite = {
    hook,
    path: file,
    manager,
    settings: called,
    entry: { path: entry, present },
    isEverywhere: !isOwn && !isShared,
    isShared,
    present: yield* presentAt(file),
    aside: yield* asideOf(file)
  }
  return site
})

const asideOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  for (const path of asidesOf(file)) {
    if (Option.isNone(yield* Effect.option(fs.lstat(path)))) continue
    const info = yield* Effect.option(fs.stat(path))
    return { path, isExecutable: Option.isSome(info) && (info.value.mode & 0o111) !== 0 }
  }
  return null
})

/** A repository may have the settings of a manager that nobody has installed in this clone: git runs its hooks itself. */
const isInUse = ({ manager }: ManagerSettings, called: SettingsCall, entry: Present): boolean =>
  isHookOf(manager, entry) || (called !== "None" && !isInstalled({ present: entry }))

const isInside = (paths: Path.Path, directory: string, path: string): boolean => {
  const inside = paths.relative(directory, path)
  return inside === "" || !(inside.startsWith("..") || paths.isAbsolute(inside))
}

const managerFiles: ReadonlyArray<readonly [ManagerSettings["manager"], RegExp]> = [
  ["lefthook", /^\.?lefthook\.(?:ya?ml|toml|jsonc?)$/],
  ["pre-commit", /^\.pre-commit-config\.ya?ml$/]
]

/** In bytes; of a settings file or a hook that is read as text. */
const longest = 1_000_000

const settingsOfManager = Effect.fnUntraced(function* (
  root: string
): Effect.fn.Return<ManagerSettings | null, GitHookInaccessible, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const names = yield* fs
    .readDirectory(root)
    .pipe(Effect.mapError((error) => new GitHookInaccessible({ path: root, reason: systemErrorText(error) })))
  for (const [manager, form] of managerFiles) {
    const name = names.find((each) => form.test(each))
    if (name === undefined) continue
    const found = yield* presentAt(paths.join(root, name))
    return { manager, name, text: found._tag === "File" ? (found.text ?? "") : "" }
  }
  return null
})

const presentAt = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (error: unknown) => new GitHookInaccessible({ path, reason: systemErrorText(error) })
  const info = yield* fs.lstat(path).pipe(
    Effect.map(Option.some),
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeedNone
    ),
    Effect.mapError(unreadable)
  )
  const present = Effect.fnUntraced(function* (): Effect.fn.Return<Present, GitHookInaccessible> {
    if (Option.isNone(info)) return { _tag: "Absent" }
    const { mode, size, type } = info.value
    if (type === "SymbolicLink") return { _tag: "Link" }
    if (type !== "File") return { _tag: "Other" }
    const isExecutable = (mode & 0o111) !== 0
    if (size > longest) return { _tag: "File", text: null, isExecutable }
    return { _tag: "File", text: textOf(yield* Effect.mapError(fs.readFile(path), unreadable)), isExecutable }
  })
  return yield* present()
})

/** Null if the bytes would not be written back as they were. */
const textOf = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Into the directory of replaced hooks, or out of it; the directory exists only as long as it has one. */
const move = Effect.fnUntraced(function* (from: string, to: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const [source, target] = [paths.dirname(from), paths.dirname(to)]
  yield* fs.makeDirectory(target, { recursive: true })
  const link = yield* Effect.option(fs.readLink(from))
  if (Option.isNone(link)) yield* fs.rename(from, to)
  else {
    const back = paths.relative(target, source)
    yield* fs.symlink(paths.isAbsolute(link.value) ? link.value : repointed(link.value, back), to)
    yield* fs.remove(from)
  }
  if (paths.basename(source) !== asideDirectory || (yield* fs.readDirectory(source)).length > 0) return
  yield* fs.remove(source, { recursive: true })
})

/** The words of a relative link after it was moved. `back`: the way to where it was. Moving it there again restores them. */
const repointed = (link: string, back: string): string => {
  if (back === "") return link
  return back === asideDirectory && link.startsWith("../") ? link.slice("../".length) : `${back}/${link}`
}

/** If a step fails, the ones before it are undone. */
export const applySteps = Effect.fn("applySteps")(function* (steps: ReadonlyArray<HookStep>) {
  const fs = yield* FileSystem.FileSystem
  const apply = (step: HookStep): Effect.Effect<void, PlatformError, FileSystem.FileSystem | Path.Path> => {
    switch (step._tag) {
      case "Move":
        return move(step.from, step.to)
      case "Remove":
        return fs.remove(step.path)
      case "Write":
        return Effect.gen(function* () {
          const isNew = Option.isNone(yield* Effect.option(fs.lstat(step.path)))
          yield* writeWhole(step.path, step.text)
          if (isNew) yield* fs.chmod(step.path, 0o755)
        })
    }
  }
  const undone: Array<HookStep> = []
  for (const step of steps) {
    yield* apply(step).pipe(
      Effect.mapError(
        (error) =>
          new GitHookInaccessible({
            path: step._tag === "Move" ? step.from : step.path,
            reason: systemErrorText(error)
          })
      ),
      Effect.tapError(() => Effect.forEach(undone, (back) => Effect.option(apply(back))))
    )
    if (step._tag === "Move") undone.unshift({ ...step, from: step.to, to: step.from })
  }
})
