/** `dd archive`: past runs. */
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import type { ArchivedRun } from "../../domain/record/ArchivedRun.ts"
import { runColumns } from "../../domain/record/ArchivedRun.ts"
import { outcomeOf, outcomes } from "../../domain/record/LabelObservation.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import * as ArchiveLive from "../../layers/ArchiveLive.ts"
import { labelRun, listRuns, openArchive, tally } from "../../programs/archive.ts"
import { Git } from "../../services/change/Git.ts"
import type { Tally } from "../../services/record/ArchiveIndex.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { tableText } from "../system/tableText.ts"
import { writeOut } from "../system/writeOut.ts"
import { dollars, duration, moment } from "../text/amounts.ts"
import { choiceFlag, countFlag, formatFlag, jsonFlag, numberFlag, switchFlag, textFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { csv, jsonLines, type RowFormat, rowFormats } from "../text/Rows.ts"
import { ArchiveUsage, archivedRun, filterFlags, filterOf, momentOf, runArgument } from "./archiveFlags.ts"
import { archiveQuery } from "./archiveQuery.ts"
import { archiveShow } from "./archiveShow.ts"
import { exportCommand, pruneCommand, rebuildIndexCommand } from "./archiveStore.ts"
import { allReposFlag } from "./findRun.ts"

const services = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* archiveDirectory
    if (directory !== null) return ArchiveLive.layer(directory)
    return yield* new ArchiveUsage({ reason: "there is no home directory: set HOME, DD_HOME or DAYDREAM_ARCHIVE_DIR" })
  })
)

const list = Command.make("list", {
  ...filterFlags,
  limit: numberFlag("limit", "N", "List at most so many, the newest; 20 when absent, 0 for all", 0, 20),
  format: formatFlag(rowFormats)
}).pipe(
  Command.withShortDescription("List past runs, newest first"),
  Command.withDescription(`List past runs, newest first.

  A narrow terminal shows shorter names and fewer columns; --format json has all.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ format, limit, ...typed }) {
      const filter = yield* filterOf(typed, limit, "list")
      yield* openArchive()
      const runs = yield* listRuns(filter)
      yield* show(runs, format)
    })
  ),
  Command.withExamples([
    { command: "dd archive list --since 7d", description: "The runs of the last week" },
    {
      command: "dd archive list --repo acme/shop --label rejected --format json",
      description: "Runs labelled as rejected"
    }
  ])
)

const show = Effect.fnUntraced(function* (runs: ReadonlyArray<ArchivedRun>, format: RowFormat) {
  const rows = runs.map((run) => ({ ...run }))
  switch (format) {
    case "json":
      return yield* writeOut(`${plainJson({ schema_version: 1, runs: rows }, 2)}\n`)
    case "jsonl":
      return yield* writeOut(jsonLines(rows))
    case "csv":
      return yield* writeOut(csv(runColumns, rows))
    case "table":
      return yield* Console.log(rows.length === 0 ? "No archived runs." : yield* runTable(runs))
  }
})

/** Without the columns in which no run has a value. */
const runTable = (runs: ReadonlyArray<ArchivedRun>) => {
  const rows = runs.map(shownRow)
  const filled = heads.flatMap((_, at) => (rows.some((row) => row[at] !== "") ? [at] : []))
  const filledOf = (row: ReadonlyArray<string>) => filled.map((at) => row[at] ?? "")
  return tableText(filledOf(heads), rows.map(filledOf), rightHeads, flexible)
}

const heads = ["RUN", "ARCHIVED (UTC)", "REPOSITORY", "BRANCH", "FLOW", "STATUS", "FOUND", "TIME", "COST", "LABEL"]
const rightHeads = new Set(["FOUND", "TIME", "COST"])

/** COST and LABEL have a value in every row, and are shown at every width. */
const flexible = [
  { name: "BRANCH", least: 8 },
  { name: "REPOSITORY", least: 10 },
  { name: "FLOW", least: 0 },
  { name: "TIME", least: 0 },
  { name: "BRANCH", least: 0 },
  { name: "ARCHIVED (UTC)", least: 0 },
  { name: "REPOSITORY", least: 0 }
]

const shownRow = (run: ArchivedRun): ReadonlyArray<string> => [
  run.session_id.slice(0, 8),
  moment(run.archived_at),
  run.repo_slug ?? run.source_path?.split("/").at(-1) ?? "",
  run.branch ?? "",
  run.run_flow,
  run.status,
  run.total_findings === null ? "" : String(run.total_findings),
  duration(run.wall_clock_seconds),
  dollars(run.total_cost_usd),
  run.labeled_at === null && outcomeOf(run.outcome_labels) === "unknown" ? "none" : outcomeOf(run.outcome_labels)
]

const labelUsage = (reason: string) => new ArchiveUsage({ reason, command: "label" })

const label = Command.make("label", {
  run: Argument.optional(runArgument),
  next: countFlag("next", "Label the findings whose labels teach most, one key each; default: 10 of them").pipe(
    Flag.withOptionalValue("10")
  ),
  json: switchFlag("json", "With --next, print the findings as JSON"),
  allRepos: allReposFlag,
  outcome: choiceFlag("outcome", "OUTCOME", outcomes, "The label"),
  finding: countFlag("finding", "Label only this finding, by its number in the review"),
  note: textFlag("note", "TEXT", "The reason"),
  validAt: textFlag("valid-at", "TIME", "Time from which the label is true, if not now: an age or a date"),
  fromForge: switchFlag("from-forge", "Label the runs of merged and closed pull requests on GitHub instead"),
  pr: countFlag("pr", "With --from-forge, only this pull request"),
  repo: textFlag("repo", "OWNER/NAME", "With --from-forge, the repository; default: that of dd post")
}).pipe(
  Command.withShortDescription("Label a run or one of its findings; earlier labels are kept"),
  Command.withDescription(`Label a run or one of its findings; earlier labels are kept.

  With --next, go through the ten unlabelled findings of this repository whose labels would teach
  dd most, and with --next N through so many; in a pipe, list them with the commands that label them.

  With --from-forge, label archived runs by what became of their pull requests on GitHub, merged
  or closed: the runs of dd review --pr-number N, and with --pr N also runs of the commits that
  dd reviewed there. A person's label outranks these. Takes the token of dd post, and only reads.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allRepos, finding, fromForge, json, next, note, outcome, pr, repo, run, validAt }) {
      const byPerson = [run, outcome, finding, note, validAt].some((given) => Option.isSome<unknown>(given)) || allRepos
      if (Option.isSome(next)) {
        if (byPerson || fromForge || Option.isSome(pr) || Option.isSome(repo)) {
          return yield* labelUsage("--next takes only a number and --json")
        }
        if (next.value < 1) return yield* labelUsage("--next takes a number from 1 on")
        const { labelNext } = yield* Effect.promise(() => import("./labelNext.ts"))
        yield* openArchive()
        return yield* labelNext(next.value, json)
      }
      if (json) return yield* labelUsage("--json requires --next")
      if (fromForge && byPerson) {
        return yield* labelUsage("--from-forge takes only --pr and --repo")
      }
      if (fromForge) {
        const { labelRunsFromForge } = yield* Effect.promise(() => import("./labelFromForge.ts"))
        yield* openArchive()
        return yield* labelRunsFromForge(repo, pr)
      }
      if (Option.isSome(pr) || Option.isSome(repo)) {
        return yield* labelUsage("--pr and --repo require --from-forge")
      }
      if (Option.isNone(run) || Option.isNone(outcome)) {
        return yield* labelUsage("label needs a RUN and --outcome, or --next, or --from-forge")
      }
      const valid = Option.isNone(validAt) ? null : yield* momentOf("--valid-at", validAt.value, "label")
      yield* openArchive()
      const found = yield* archivedRun(run.value, allRepos)
      yield* labelRun(found, {
        outcome: outcome.value,
        finding: Option.getOrNull(finding),
        note: Option.getOrNull(note),
        validAt: valid,
        by: `dd/${version}`
      })
      const what = Option.match(finding, { onNone: () => "run", onSome: (n) => `finding ${n} of run` })
      const where = oneLine(found.repo_slug ?? found.source_path ?? "no repository")
      const commit = found.head_sha === null ? "no commit" : `commit ${oneLine(found.head_sha.slice(0, 12))}`
      yield* Console.log(`${what} ${found.session_id.slice(0, 8)} (${where}, ${commit}): ${outcome.value}`)
    })
  ),
  Command.withExamples([
    { command: "dd archive label latest --outcome accepted", description: "The last review was right" },
    {
      command: 'dd archive label 3f2c --finding 2 --outcome rejected --note "set in CI"',
      description: "One finding was not"
    },
    { command: "dd archive label --next", description: "The ten findings whose labels would teach most" },
    { command: "dd archive label --next 25", description: "The first 25 of them" },
    { command: "dd archive label --from-forge", description: "Runs whose pull requests were merged or closed" }
  ])
)

const stats = Command.make("stats", {
  ...filterFlags,
  json: jsonFlag
}).pipe(
  Command.withDescription("Count runs, findings, cost and outcomes"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ json, ...typed }) {
      const filter = yield* filterOf(typed, null, "stats")
      yield* openArchive()
      const counted = yield* tally(filter)
      yield* json ? writeOut(`${plainJson({ schema_version: 1, ...counted }, 2)}\n`) : Console.log(tallyText(counted))
    })
  )
)

const tallyText = (tally: Tally): string => {
  const { first, last, mean } = tally
  if (tally.runs === 0) return "No archived runs."
  const cost = `${dollars(tally.cost_usd)}${tally.unknown_cost === 0 ? "" : ` and ${plural(tally.unknown_cost, "run")} of unknown cost`}`
  const share = (value: number | null) => (value === null ? "unknown" : `${(value * 100).toFixed(0)} %`)
  const most = (pairs: ReadonlyArray<readonly [string, number]>) =>
    [
      ...pairs.slice(0, 8).map(([name, n]) => `${oneLine(name) || "(none)"} ${n}`),
      ...(pairs.length > 8 ? [`and ${pairs.length - 8} more`] : [])
    ].join(", ")
  const lines = [
    ["runs", `${tally.runs}, ${moment(first ?? "")} to ${moment(last ?? "")} UTC`],
    ["findings", `${tally.findings}, ${tally.labelled_findings} labelled`],
    ["cost", cost],
    ["time", `${duration(mean.wall_clock_seconds)} on average`],
    ["coverage", share(mean.coverage_ratio)],
    ["grounding", share(mean.grounding_rate)],
    ["outcomes", most(tally.by.outcome)],
    ["status", most(tally.by.status)],
    ["flows", most(tally.by.flow)],
    ["backends", most(tally.by.backend)],
    ["repositories", most(tally.by.repo)]
  ]
  return lines.map(([name = "", value]) => `${name.padEnd(13)}  ${value}`).join("\n")
}

export const archiveCommand = Command.make("archive").pipe(
  Command.withShortDescription("List, show, label, query, export and delete past runs"),
  Command.withDescription(`Past runs. Every review is archived on this machine: its files, and a row in an index.

  They are in ~/.daydream/archive (DAYDREAM_ARCHIVE_DIR): runs/SESSION/ with manifest, trajectory,
  findings, evaluation and patches, labels/ with the labels, and index.db. A RUN is a prefix of
  its session id, or latest: the newest run of this repository (--all-repos: of all repositories).
  \`dd review --no-archive\` archives nothing.`),
  Command.withSubcommands([
    list,
    archiveShow,
    label,
    archiveQuery,
    exportCommand,
    pruneCommand,
    stats,
    rebuildIndexCommand
  ]),
  Command.provide(Layer.merge(services, Git.layer))
)
