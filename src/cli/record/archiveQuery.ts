/** `dd archive query`: SQL on the index, which it cannot change. */

import { Console, Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import * as Query from "../../layers/record/archive/Query.ts"
import * as SecondProcessLive from "../../layers/system/process/SecondProcess.ts"
import { openArchive } from "../../programs/archive.ts"
import { ArchiveIndex } from "../../services/record/ArchiveIndex.ts"
import { type Answer, ArchiveQuery, QueryStopped } from "../../services/record/ArchiveQuery.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { SecondProcess } from "../../services/system/SecondProcess.ts"
import { Outcome } from "../system/outcome.ts"
import { tableText } from "../system/tableText.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag, numberFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { cellText, csv, jsonLines, type Row, type RowFormat, rowFormats } from "../text/Rows.ts"

export const archiveQuery = Command.make("query", {
  sql: Argument.String("sql").pipe(
    Argument.withDescription("One statement that only reads: SELECT, WITH, VALUES or EXPLAIN")
  ),
  format: formatFlag(rowFormats),
  limit: numberFlag("limit", "N", "Print at most so many rows; 1000 when absent, 0 for all", 0, 1000),
  timeout: numberFlag("timeout", "SECONDS", "Stop the query after so long; 10 when absent", 1, 10)
}).pipe(
  Command.withDescription("Query the index in SQL; its tables are runs, label_observations and finding_labels"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ format, limit, sql, timeout }) {
      const second = yield* SecondProcess
      if (second.isSecond) {
        const query = yield* ArchiveQuery
        return yield* Effect.scoped(Effect.flatMap(query.run(sql), (answer) => print(answer, format, limit)))
      }
      yield* openArchive()
      const code = yield* second.run(timeout)
      if (code === null) return yield* new QueryStopped({ seconds: timeout })
      if (code !== 0) return yield* new Outcome({ code })
    })
  ),
  Command.provide(
    Layer.merge(SecondProcessLive.layer, Layer.unwrap(Effect.map(ArchiveIndex, ({ path }) => Query.layer(path))))
  ),
  Command.withExamples([
    {
      command: 'dd archive query "select rule, verdict, count(*) from finding_labels group by 1, 2"',
      description: "Labels by rule"
    }
  ])
)

const pageSize = 500

const print = Effect.fnUntraced(function* (answer: Answer, format: RowFormat, limit: number) {
  const { value: redact } = yield* Redactor
  const { columns } = answer
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit
  const all: Array<Row> = []
  let printed = 0
  const streams = format === "jsonl" || format === "csv"
  if (format === "csv") yield* writeOut(csv(columns, []))
  for (;;) {
    const page = yield* answer.next(Math.min(pageSize, most - printed))
    if (page.length === 0) break
    printed += page.length
    const rows = page.map((row): Row => Object.fromEntries(columns.map((column) => [column, redact(row[column])])))
    if (!streams) all.push(...rows)
    else yield* writeOut(format === "jsonl" ? jsonLines(rows) : csv(columns, rows).slice(csv(columns, []).length))
  }
  if (format === "json") yield* writeOut(`${plainJson({ schema_version: 1, columns, rows: all }, 2)}\n`)
  if (format === "table") {
    const cells = all.map((row) => columns.map((column) => cellText(row[column])))
    yield* Console.log(yield* tableText(columns, cells))
  }
  const more = printed === most && (yield* answer.next(1)).length > 0
  if (more) yield* Effect.logWarning(`only the first ${printed} rows are shown; see --limit`)
})
