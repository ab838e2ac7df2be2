/**
 * The `github` format: workflow commands that a runner turns into annotations.
 *
 * GitHub shows the first ten errors, warnings and notices of a step, so the summary comes first and counts those that
 * are only in the log.
 */
import { briefSections } from "../../../domain/brief/briefLines.ts"
import { byImportance, type Finding, type Severity } from "../../../domain/finding/Finding.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { plural } from "../../../domain/text/plural.ts"
import { explanationOf, placeOf } from "./Explanation.ts"
import { isWhole, summaryOf } from "./Headline.ts"
import type { Presentable } from "./Presentable.ts"
import type { RenderContext } from "./RenderContext.ts"
import { suppressionLines } from "./SuppressionLines.ts"

/** Annotations of a kind that GitHub shows per step. */
const mostShown = 10

export const renderGitHub = ({ exact, result }: Presentable, context: RenderContext): string => {
  const findings = [...result.findings].sort(byImportance)
  // A command has an escape for few characters; the others reach the runner, and no terminal.
  const shown = context.isTerminal === true ? result : exact()
  const files = new Map(shown.findings.map(({ file, id }) => [id, file]))
  const annotations = findings.map((finding) => annotation(finding, files.get(finding.id) ?? finding.file, context))
  const commands = [summary(result, findings), ...annotations]
  return `${[...commands, ...brief(result, context), ...suppressed(result, context)].join("\n")}\n`
}

const suppressed = (result: ReviewResult, context: RenderContext): ReadonlyArray<string> =>
  folded(
    `Suppressed (${plural(result.suppressed.length, "finding")})`,
    suppressionLines(result, context).map(({ text }) => text)
  )

/** A folded group of the log. A line that begins with `::` would be a command, and so would `##[` anywhere in a line. */
const folded = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [`::group::${title}`, ...lines.map((line) => line.replaceAll("##[", "## [")), "::endgroup::"]

const brief = ({ brief: facts }: ReviewResult, context: RenderContext): ReadonlyArray<string> => {
  const sections = facts === null || context.brief === null ? [] : briefSections(facts, context.brief ?? "short")
  const lines = sections.flatMap(({ label, lines }) =>
    lines.map(({ place, text }) => `${label}: ${text}${place === null ? "" : `  ${placeOf(place)}`}`)
  )
  return folded("What the change does", lines)
}

type Command = "error" | "warning" | "notice"
const commands: Record<Severity, Command> = { high: "error", medium: "warning", low: "notice" }

const summary = (result: ReviewResult, findings: ReadonlyArray<Finding>): string => {
  const command: Command = isWhole(result) ? "notice" : "warning"
  const count: Record<Command, number> = { error: 0, warning: 0, notice: 0 }
  count[command] += 1
  for (const { severity } of findings) count[commands[severity]] += 1
  const notShown = Object.values(count).reduce((total, each) => total + Math.max(0, each - mostShown), 0)
  const rest =
    notShown === 0
      ? ""
      : ` GitHub shows the first ${mostShown} of a kind; ${plural(notShown, "more is", "more are")} only in this log.`
  return workflowCommand(command, { title: "dd review" }, `${summaryOf(result)}${rest}`)
}

const annotation = (finding: Finding, file: string, context: RenderContext): string => {
  const { column, endColumn, endLine, line } = finding
  const lines: Record<string, string> =
    line === 0 ? {} : { line: String(line), endLine: String(Math.max(line, endLine)) }
  // GitHub refuses columns of several lines.
  const columns: Record<string, string> =
    column === null || endColumn === null || endLine > line ? {} : { col: String(column), endColumn: String(endColumn) }
  return workflowCommand(
    commands[finding.severity],
    { file, ...lines, ...columns, title: finding.title },
    [...explanationOf(finding, context), `${finding.rule} at ${placeOf(finding)}`].join("\n")
  )
}

const workflowCommand = (command: Command, properties: Readonly<Record<string, string>>, message: string): string => {
  const escaped = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::${command} ${escaped.join(",")}::${escapeData(message)}`
}

/** A tab has no escape of its own. */
const escapeData = (text: string): string => escaped(text.replaceAll("\t", " "))

const escaped = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

const escapeProperty = (text: string): string => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
