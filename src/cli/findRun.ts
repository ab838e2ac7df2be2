/** Which recorded run somebody means: the beginning of a session id, `latest`, a file or a directory. */
import { Effect, Option, Path } from "effect"
import { Git } from "../services/Git.ts"
import { archiveDirectory } from "../services/Settings.ts"
import { Trajectories } from "../services/Trajectories.ts"

/** Where runs are kept: in the repository around `target`, then in the user's archive. */
export const directories = Effect.fnUntraced(function* (target = ".") {
  const git = yield* Git
  const paths = yield* Path.Path
  const root = yield* git.open(target).pipe(
    Effect.map((repository) => repository.root),
    Effect.orElseSucceed(() => null)
  )
  const archive = yield* archiveDirectory
  return [
    ...(root === null ? [] : [paths.join(root, ".daydream", "runs")]),
    ...(archive === null ? [] : [paths.join(archive, "runs")])
  ]
})

/** What ran here comes first: the archive has the same runs, and those of everywhere. `counts`: may `latest` mean it? */
export const findRun = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  target = ".",
  counts?: (path: string) => Effect.Effect<boolean>
) {
  const trajectories = yield* Trajectories
  const run = Option.getOrNull(given)
  const wanted = run === "latest" ? null : run
  const [first = [], ...rest] = (yield* directories(target)).map((directory) => [directory])
  return yield* rest.reduce(
    (earlier, directory) => earlier.pipe(Effect.catch(() => trajectories.find(wanted, directory, counts))),
    trajectories.find(wanted, first, counts)
  )
})
