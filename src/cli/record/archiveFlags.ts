/** The flags and arguments that commands of `dd archive` share. */
import { DateTime, Effect, Option, Path, type Result, Runtime, Schema } from "effect"
import { Argument, type Command } from "effect/cli"
import { outcomes } from "../../domain/record/LabelObservation.ts"
import { everyRun, parseCost, parseMoment, type RunFilter } from "../../domain/record/RunFilter.ts"
import { findRun, RunNotArchived } from "../../programs/archive.ts"
import { ArchiveIndex } from "../../services/record/ArchiveIndex.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { choiceFlag, textFlag } from "../text/flags.ts"
import { newestKept, rootsOf } from "./findRun.ts"

/** A wrong call of `dd archive`, or of one of its commands. */
export class ArchiveUsage extends Schema.TaggedError<ArchiveUsage>()("ArchiveUsage", {
  reason: Schema.String,
  command: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `${this.reason}; see dd archive ${this.command === undefined ? "" : `${this.command} `}--help`
  }
}

export const filterFlags = {
  repo: textFlag("repo", "REPO", "Only runs in this repository: owner/name, a name, or a directory"),
  since: textFlag("since", "TIME", "Only runs archived since then: an age (12h, 7d, 2w) or a date"),
  backend: textFlag("backend", "NAME", "Only runs of this backend; none for runs without a backend"),
  label: choiceFlag("label", "OUTCOME", outcomes, "Only runs with this outcome"),
  cost: textFlag("cost", "BOUND", 'Only runs of this cost in dollars: ">0.5", "<=2", "unknown"'),
  branch: textFlag("branch", "BRANCH", "Only runs on this branch")
}

export const runArgument = Argument.String("run").pipe(
  Argument.withDescription("The start of a session id, or latest: the newest run of this repository")
)

export const archivedRun = Effect.fnUntraced(function* (run: string, allRepos: boolean) {
  if (allRepos || run !== "latest") return yield* findRun(run, null)
  const roots = yield* rootsOf()
  if (roots.length === 0) {
    return yield* new RunNotArchived({
      run,
      reason: "there is no working tree here; --all-repos takes the newest of all repositories"
    })
  }
  const found = yield* findRun(run, roots.map((yield* Redactor).text))
  const kept = Option.getOrNull(yield* newestKept(roots))
  if (kept !== null && kept.session !== found.session_id && kept.at > Date.parse(found.archived_at)) {
    const isArchived = (yield* (yield* ArchiveIndex).findByPrefix(kept.session, 1)).length > 0
    if (!isArchived) {
      yield* Effect.logWarning(
        `run ${kept.session.slice(0, 8)} is newer but not archived; latest is the archived run ${found.session_id.slice(0, 8)}`
      )
    }
  }
  return found
})

type FlagValues = Command.Command.Config.Infer<typeof filterFlags>

export const filterOf = Effect.fnUntraced(function* (values: FlagValues, limit: number | null, command: string) {
  const paths = yield* Path.Path
  const { text: redact } = yield* Redactor
  return {
    ...everyRun,
    // The index has redacted directories.
    repo: Option.getOrNull(
      Option.map(values.repo, (repo) => (/^[./~]/.test(repo) ? redact(paths.resolve(repo)) : repo))
    ),
    since: Option.isNone(values.since) ? null : yield* momentOf("--since", values.since.value, command),
    backend: Option.getOrNull(values.backend),
    label: Option.getOrNull(values.label),
    cost: Option.isNone(values.cost) ? null : yield* parsed("--cost", parseCost(values.cost.value), command),
    branch: Option.getOrNull(values.branch),
    limit: limit === null || limit <= 0 ? null : limit
  } satisfies RunFilter
})

/** The moment in a flag, in UTC. */
export const momentOf = Effect.fnUntraced(function* (flag: string, text: string, command?: string) {
  return yield* parsed(flag, parseMoment(text, yield* DateTime.now), command)
})

const parsed = <A>(flag: string, result: Result.Result<A, string>, command?: string) =>
  Effect.mapError(
    Effect.fromResult(result),
    (problem) => new ArchiveUsage({ reason: `${flag} ${problem}`, ...(command === undefined ? {} : { command }) })
  )
