/** `dd dream report`: the report of a night, as it was written. */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { summaryMarkdown } from "../../domain/night/report/summaryMarkdown.ts"
import { encodeSummary, toV1 } from "../../domain/night/Summary.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag } from "../text/flags.ts"
import { fromFlag, reportFrom } from "./latestReport.ts"

const reportSchema = Flag.Literals("report-schema", ["1", "2"]).pipe(
  Flag.withMetavar("VERSION"),
  Flag.withDescription("Print it in this version of the contract; 1 leaves out what 2 added"),
  Flag.withDefault("2")
)

export const reportCommand = Command.make("report", {
  from: fromFlag,
  format: formatFlag(["md", "json"]),
  reportSchema
}).pipe(
  Command.withDescription("Print the report of the newest night of this repository"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ format, from, reportSchema }) {
      const whole = yield* reportFrom(from)
      const summary = reportSchema === "1" ? toV1(whole) : whole
      if (format === "json") return yield* writeOut(encodeSummary(summary))
      yield* Console.log((yield* Redactor).words(summaryMarkdown(summary)).trimEnd())
    })
  ),
  Command.withExamples([
    { command: "dd dream report", description: "What happened last night" },
    { command: "dd dream report --format json --report-schema 1", description: "For a reader of version 1" }
  ])
)
