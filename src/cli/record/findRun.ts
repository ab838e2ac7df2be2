/**
 * Finds a recorded run by the start of its session id, `latest`, a file or a directory.
 *
 * `latest` is the newest run of this repository for every command; `--all-repos` takes the newest of all repositories.
 */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import { Git } from "../../services/change/Git.ts"
import { Trajectories } from "../../services/record/Trajectories.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { switchFlag } from "../text/flags.ts"

export const allReposFlag = switchFlag("all-repos", "With latest, use the newest run of any repository")

/** The working trees of the repository around `target`, the nearest first. */
export const rootsOf = Effect.fnUntraced(function* (target = ".") {
  const git = yield* Git
  return yield* git.open(target).pipe(
    Effect.flatMap((repository) =>
      Effect.map(git.worktrees(repository), (all) =>
        repository.root === null ? [] : [...new Set([repository.root, ...all])]
      )
    ),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
})

/** The directories with runs: of the working trees, and of the user's archive. */
const placesOf = Effect.fnUntraced(function* (roots: ReadonlyArray<string>) {
  const paths = yield* Path.Path
  const archive = yield* archiveDirectory
  return {
    own: roots.map((root) => paths.join(root, ".daydream", "runs")),
    archived: archive === null ? [] : [paths.join(archive, "runs")]
  }
})

/** All directories with runs, for the current directory. */
export const directories = Effect.map(Effect.flatMap(rootsOf(), placesOf), ({ archived, own }) => [...own, ...archived])

interface Wanted {
  readonly target?: string
  readonly allRepos?: boolean
  /** Whether `latest` may be the run of this trajectory. */
  readonly counts?: (path: string) => Effect.Effect<boolean>
}

/** Runs in the repository come first; the archive has the same runs and those of other repositories. */
export const findRun = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  { allRepos = false, counts = () => Effect.succeed(true), target = "." }: Wanted = {}
) {
  const trajectories = yield* Trajectories
  const run = Option.getOrNull(given)
  const wanted = run === "latest" ? null : run
  const roots = yield* rootsOf(target)
  const { archived, own } = yield* placesOf(roots)
  if (allRepos) return yield* trajectories.find(wanted, [...own, ...archived], counts)
  const isOfRoot = yield* isArchivedOf(roots)
  return yield* trajectories
    .find(wanted, own, counts)
    .pipe(
      Effect.catch(() =>
        trajectories.find(wanted, archived, (path) =>
          Effect.flatMap(isOfRoot(path), (isOwn) => (isOwn ? counts(path) : Effect.succeed(false)))
        )
      )
    )
})

/** The session id and time of the newest run in these working trees. */
export const newestKept = Effect.fnUntraced(function* (roots: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const trajectories = yield* Trajectories
  const { own } = yield* placesOf(roots)
  return yield* Effect.option(
    Effect.gen(function* () {
      const path = yield* trajectories.find(null, own)
      const { mtime } = yield* fs.stat(path)
      return { session: paths.basename(paths.dirname(path)), at: Option.getOrUndefined(mtime)?.getTime() ?? 0 }
    })
  )
})

/** Whether an archived record is from one of these working trees, by the path in its manifest. */
const isArchivedOf = Effect.fnUntraced(function* (roots: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { text: redact } = yield* Redactor
  const sources = roots.map(redact)
  return (record: string) =>
    fs.readFileString(paths.join(paths.dirname(record), "manifest.json")).pipe(
      Effect.flatMap(decodeSource),
      Effect.map(({ git }) => git.source_path !== null && sources.includes(git.source_path)),
      Effect.orElseSucceed(() => false)
    )
})

const decodeSource = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ git: Schema.Struct({ source_path: Schema.NullOr(Schema.String) }) }))
)
