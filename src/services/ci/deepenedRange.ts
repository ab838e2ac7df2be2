/** The commits of a job, after what the clone lacks of them is fetched from `origin` with the user's credentials. */
import { Effect } from "effect"
import type { CiJob } from "../../domain/ci/CiJob.ts"
import { Git } from "../change/Git.ts"
import { makeGitRemote, reasonIn } from "../change/gitRemote.ts"
import type { Repository } from "../change/openRepository.ts"
import { type CiRange, ciRange } from "./ciRange.ts"

/** How much of the history of a shallow clone is fetched: more commits, then all. */
const depths = ["--deepen=200", "--unshallow"]

export const deepenedRange = Effect.fn("deepenedRange")(function* (
  opened: Repository,
  job: CiJob,
  asked: string | null
) {
  const git = yield* Git
  let repository = opened
  let found = yield* ciRange(repository, job, asked)
  for (const depth of depths) {
    if (found.missing?.unchecked === undefined) break
    const failure = yield* fetched(repository, job, repository.shallow ? [depth] : [])
    if (failure !== null) return withFailure(found, failure)
    const { shallow } = repository
    repository = yield* git.open(opened.root ?? opened.gitDir)
    found = yield* ciRange(repository, job, asked)
    if (!shallow) break
  }
  return found
})

const withFailure = ({ missing, range }: CiRange, failure: string): CiRange => ({
  range,
  missing: missing === null ? null : { ...missing, detail: `${missing.detail}; ${failure}` }
})

/** Null, or why nothing was fetched. */
const fetched = Effect.fnUntraced(function* (
  repository: Repository,
  { defaultBranch, target }: CiJob,
  depth: ReadonlyArray<string>
) {
  const remote = yield* makeGitRemote
  const program = yield* remote.programIn(repository)
  if (program !== null) {
    return `nothing was fetched: the configuration of this repository sets ${program}, which names a program or an address`
  }
  const { sha } = repository.head
  const branch = target ?? defaultBranch
  const wanted = [
    ...(sha === null ? [] : [sha]),
    branch === null ? "+HEAD:refs/remotes/origin/HEAD" : `+refs/heads/${branch}:refs/remotes/origin/${branch}`
  ]
  const { exitCode, lines } = yield* remote.call(
    repository,
    [],
    [...fetchArguments, ...depth, "--", "origin", ...wanted]
  )
  return exitCode === 0 ? null : `git fetch failed: ${reasonIn(lines)}`
})

const fetchArguments: ReadonlyArray<string> = [
  "fetch",
  "--quiet",
  "--no-tags",
  "--no-recurse-submodules",
  "--no-auto-maintenance",
  "--no-write-fetch-head"
]
