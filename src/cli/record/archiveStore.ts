/** `dd archive export`, `prune` and `rebuild-index`: commands on many runs. */
import { Console, DateTime, Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { ExportedRun } from "../../domain/record/ExportedRun.ts"
import { parseAge, parseSize } from "../../domain/system/amounts.ts"
import { plural } from "../../domain/text/plural.ts"
import { exportRuns, openArchive, rebuildIndex } from "../../programs/archive.ts"
import { pruneRuns } from "../../services/record/pruneRuns.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { writeOut } from "../system/writeOut.ts"
import { bytes, moment } from "../text/amounts.ts"
import { outputFlag, switchFlag, textFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { ArchiveUsage, filterFlags, filterOf, momentOf } from "./archiveFlags.ts"

export const exportCommand = Command.make("export", {
  ...filterFlags,
  asOf: textFlag("as-of", "TIME", "The archive at this time, without later runs and labels"),
  output: outputFlag
}).pipe(
  Command.withDescription("Print runs with their findings and labels, one JSON object per line"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ asOf, output, ...typed }) {
      const filter = yield* filterOf(typed, null, "export")
      const until = Option.isNone(asOf) ? null : yield* momentOf("--as-of", asOf.value, "export")
      yield* openArchive()
      if (Option.isNone(output)) return yield* exportRuns(filter, until, (run) => writeOut(lineOf(run)))
      const lines: Array<string> = []
      const runs = yield* exportRuns(filter, until, (run) => Effect.sync(() => void lines.push(lineOf(run))))
      yield* writeWhole(output.value, lines.join(""))
      return yield* Console.error(`${plural(runs, "run")} written`)
    })
  ),
  Command.withExamples([
    { command: "dd archive export --label accepted --output runs.jsonl", description: "Runs for training a model" },
    { command: "dd archive export --as-of 2026-01-31 | jq .run.session_id", description: "The archive on a day" }
  ])
)

const lineOf = ({ findings, observations, run, suppressed }: ExportedRun): string =>
  `${plainJson({ schema_version: 1, run, label_observations: observations, findings, suppressed })}\n`

const pruneUsage = (reason: string) => new ArchiveUsage({ reason, command: "prune" })

export const pruneCommand = Command.make("prune", {
  olderThan: textFlag("older-than", "AGE", "Delete runs, and reports of nights, older than this: 90d, 8w"),
  maxSize: textFlag("max-size", "SIZE", "Delete the oldest runs until the archive is at most this large: 500M, 2G"),
  labelled: switchFlag("labelled", "Delete labelled runs, too"),
  dryRun: switchFlag("dry-run", "Only print what would be deleted")
}).pipe(
  Command.withShortDescription("Delete old runs, by age or by size, and old reports of nights"),
  Command.withDescription(`Delete old runs, by age or by size, and old reports of nights, by age.

  dd also does this by itself: after a review, once a day, it deletes runs that have no label and are older than 90 days,
  and the oldest ones while the archive is larger than 1 GiB. The settings prune_after and prune_above change the limits,
  or with "never" switch them off. Reports of nights have a limit of their own.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ dryRun, labelled, maxSize, olderThan }) {
      if (Option.isNone(olderThan) && Option.isNone(maxSize)) {
        return yield* pruneUsage(
          "nothing is deleted without --older-than AGE, such as 90d, or --max-size SIZE, such as 2G; --dry-run lists the runs first"
        )
      }
      const age = Option.isNone(olderThan) ? null : parseAge(olderThan.value)
      if (Option.isSome(olderThan) && age === null) {
        return yield* pruneUsage(`--older-than must be an age like 90d or 8w, not "${olderThan.value}"`)
      }
      const maxBytes = Option.isNone(maxSize) ? null : parseSize(maxSize.value)
      if (Option.isSome(maxSize) && maxBytes === null) {
        return yield* pruneUsage(`--max-size must be a size like 500M or 2G, not "${maxSize.value}"`)
      }
      yield* openArchive()
      const now = yield* DateTime.now
      const before = age === null ? null : DateTime.formatIso(DateTime.subtractDuration(now, age))
      const pruned = yield* pruneRuns({ before, maxBytes, labelled, dryRun })
      if (dryRun) {
        for (const { archived_at, bytes: size, session_id } of pruned.runs.slice(0, mostShown)) {
          yield* Console.log(`${session_id.slice(0, 8)}  ${moment(archived_at)}  ${bytes(size).padStart(10)}`)
        }
        if (pruned.runs.length > mostShown) yield* Console.log(`and ${pruned.runs.length - mostShown} more`)
      }
      const verb = dryRun ? "to delete" : "deleted"
      yield* Console.log(`${plural(pruned.runs.length, "run")} ${verb}, ${bytes(pruned.bytes)}`)
      if (before !== null) {
        const { pruneAllNights } = yield* Effect.promise(() => import("../night/pruneAllNights.ts"))
        const nights = yield* pruneAllNights(Date.parse(before), dryRun)
        if (nights > 0) yield* Console.log(`${plural(nights, "report")} of nights ${verb}`)
      }
      if (pruned.kept > 0) {
        yield* Console.log(`${plural(pruned.kept, "labelled run")} kept; --labelled deletes them, too`)
      }
    })
  ),
  Command.withExamples([
    { command: "dd archive prune --older-than 90d --dry-run", description: "List runs older than 90 days" },
    { command: "dd archive prune --max-size 2G", description: "Limit the archive to 2 GiB" }
  ])
)

const mostShown = 50

export const rebuildIndexCommand = Command.make("rebuild-index").pipe(
  Command.withDescription("Rebuild the index from the archived runs; a damaged index is moved aside"),
  Command.withHandler(
    Effect.fnUntraced(function* () {
      const rebuilt = yield* rebuildIndex
      if (rebuilt.movedAside !== null) yield* Console.log(`the damaged index was moved to ${rebuilt.movedAside}`)
      yield* Console.log(`${plural(rebuilt.runs, "run")} indexed, ${plural(rebuilt.labels, "label")} restored`)
      if (rebuilt.unfiled > 0) {
        yield* Console.log(
          `${plural(rebuilt.unfiled, "label")} had no file, only a row in the index: now written to files`
        )
      }
      if (rebuilt.removed > 0) yield* Console.log(`${plural(rebuilt.removed, "row")} without files removed`)
      for (const session of rebuilt.unreadable) {
        yield* Effect.logWarning(`runs/${session} has no readable manifest and is left as it is`)
      }
    })
  )
)
