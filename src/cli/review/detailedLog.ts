/** What `-v` tells beside the steps: the rules and the files of each reviewer, what was read of the change, and what was left out. Pure. */
import { Option, Schema } from "effect"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import { plural } from "../../domain/text/plural.ts"
import { foldedPaths } from "../text/foldedPaths.ts"
import { byReason } from "../text/Tally.ts"

/** A line of the log: what it is about, and what happened. */
export type LogLine = readonly [about: string, text: string]

/** The parts of a reviewer's answer that are counted. */
const Answer = Schema.Struct({
  issues: Schema.Array(Schema.Unknown),
  rules: Schema.optionalKey(Schema.Array(Schema.String)),
  coverage: Schema.optionalKey(Schema.Array(Schema.Struct({ status: Schema.String }))),
  omitted: Schema.optionalKey(Schema.Array(Schema.String))
})

const decodeAnswer = Schema.decodeUnknownOption(Answer)

/** Of an answer; none for one that neither read files nor applied rules. The first line tells what was done, the others what was not. */
export const answerLines = (task: string, output: unknown): ReadonlyArray<LogLine> =>
  Option.match(decodeAnswer(output), {
    onNone: () => [],
    onSome: ({ coverage = [], issues, omitted = [], rules = [] }) => {
      if (coverage.length === 0 && rules.length === 0) return []
      const read = coverage.filter(({ status }) => status === "reviewed").length
      const parts = [
        ...(rules.length === 0 ? [] : [plural(rules.length, "rule")]),
        ...(coverage.length === 0 ? [] : [`${read} of ${plural(coverage.length, "file")} read`]),
        plural(issues.length, "claim")
      ]
      return [[task, parts.join(", ")], ...omitted.map((reason): LogLine => ["not checked", reason])]
    }
  })

const statuses = [
  ["reviewed", "read"],
  ["skipped", "skipped"],
  ["unread", "not read"]
] as const

/**
 * What was read, then what was not, one line for each reason, then one for each part of the brief that was left out. Each file
 * of the change is named, or all of its folder are.
 */
export const coverageLines = ({
  brief,
  coverage
}: Pick<ReviewResult, "brief" | "coverage">): ReadonlyArray<LogLine> => {
  const all = coverage.files.map(({ path }) => path)
  const files = statuses.flatMap(([status, about]) =>
    byReason(coverage.files.filter((file) => file.status === status)).map(({ paths, reason }): LogLine => {
      const names = foldedPaths(paths, all, { partly: status === "reviewed" }).join(", ")
      return [about, reason === "" ? names : `${reason}: ${names}`]
    })
  )
  return [...files, ...(brief?.omitted ?? []).map(({ part, reason }): LogLine => ["not seen", `${part}: ${reason}`])]
}

/** As the log shows it; `end` is the time that it took. */
export const logText = ([about, text]: LogLine, end = ""): string => `  ${about.padEnd(20)}  ${text}${end}`
