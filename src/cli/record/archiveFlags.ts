/** Which archived runs are meant, as it is typed behind every command of `dd archive`. */
import { DateTime, Effect, Option, Path, type Result } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import { outcomes } from "../../domain/record/LabelObservation.ts"
import { parseCost, parseMoment, type RunFilter } from "../../domain/record/RunFilter.ts"
import { findRun, RunNotArchived } from "../../programs/archive.ts"
import { ArchiveIndex } from "../../services/record/ArchiveIndex.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { rowFormats } from "../text/Rows.ts"
import { ArchiveUsage } from "./archiveUsage.ts"
import { newestKept, rootsOf } from "./findRun.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const filterFlags = {
  repo: text("repo", "REPO", "Only runs in this repository: owner/name, a name, or a directory"),
  since: text("since", "TIME", "Only runs archived since: an age (12h, 7d, 2w) or a date"),
  backend: text("backend", "NAME", "Only runs that this backend answered; none for those that no backend did"),
  label: Flag.Literals("label", outcomes).pipe(
    Flag.withMetavar("OUTCOME"),
    Flag.withDescription("Only runs with this outcome"),
    Flag.optional
  ),
  cost: text("cost", "BOUND", 'Only runs of this cost in dollars: ">0.5", "<=2", "unknown"'),
  branch: text("branch", "BRANCH", "Only runs on this branch")
}

/** How many, where 0 means all. */
export const isCount = (count: number): boolean => count >= 0
export const notACount = (count: number): string => `a number from 0 on, not ${count}`

export const limitFlag = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("At most so many, the newest; 20 when absent, 0 for all"),
  Flag.filter(isCount, notACount),
  Flag.withDefault(20)
)

export const formatFlag = Flag.Literals("format", rowFormats).pipe(
  Flag.withMetavar("FORMAT"),
  Flag.withDescription("How it is printed"),
  Flag.withDefault("table" as const)
)

export const runArgument = Argument.String("run").pipe(
  Argument.withDescription("The beginning of a session id, or latest: the newest run of this repository")
)

/** The archived run that is meant. */
export const archivedRun = Effect.fnUntraced(function* (run: string, allRepos: boolean) {
  if (allRepos || run !== "latest") return yield* findRun(run, null)
  const roots = yield* rootsOf()
  if (roots.length === 0) {
    return yield* new RunNotArchived({
      run,
      reason: "there is no working tree here; --all-repos takes the newest of all"
    })
  }
  const found = yield* findRun(run, roots.map((yield* Redactor).text))
  const kept = Option.getOrNull(yield* newestKept(roots))
  if (kept !== null && kept.session !== found.session_id && kept.at > Date.parse(found.archived_at)) {
    const isArchived = (yield* (yield* ArchiveIndex).beginning(kept.session, 1)).length > 0
    if (!isArchived) {
      yield* Effect.logWarning(
        `run ${kept.session.slice(0, 8)} is newer but not archived; latest is the archived run ${found.session_id.slice(0, 8)}`
      )
    }
  }
  return found
})

type Typed = Command.Command.Config.Infer<typeof filterFlags>

export const filterOf = Effect.fnUntraced(function* (typed: Typed, limit: number | null) {
  const paths = yield* Path.Path
  const { text: redact } = yield* Redactor
  const filter: RunFilter = {
    // Directories are in the index as the redactor lets them through.
    repo: Option.getOrNull(
      Option.map(typed.repo, (repo) => (/^[./~]/.test(repo) ? redact(paths.resolve(repo)) : repo))
    ),
    since: Option.isNone(typed.since) ? null : yield* momentOf("--since", typed.since.value),
    backend: Option.getOrNull(typed.backend),
    label: Option.getOrNull(typed.label),
    cost: Option.isNone(typed.cost) ? null : yield* parsed("--cost", parseCost(typed.cost.value)),
    branch: Option.getOrNull(typed.branch),
    status: null,
    limit: limit === null || limit <= 0 ? null : limit
  }
  return filter
})

/** A moment somebody typed, as UTC. */
export const momentOf = Effect.fnUntraced(function* (flag: string, typed: string) {
  return yield* parsed(flag, parseMoment(typed, yield* DateTime.now))
})

const parsed = <A>(flag: string, result: Result.Result<A, string>) =>
  Effect.mapError(Effect.fromResult(result), (problem) => new ArchiveUsage({ reason: `${flag} ${problem}` }))
