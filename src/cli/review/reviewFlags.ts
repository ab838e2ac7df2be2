/** What can be typed after `dd review`, and what it means before anything is looked at. */
import { Effect, Runtime, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { backends } from "../../domain/run/BackendChoice.ts"
import { formats as settingFormats } from "../../domain/run/ReviewSettings.ts"
import { startPoints } from "../../domain/run/RunState.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import { type Format, formats } from "./render/Format.ts"

export class UsageWrong extends Schema.TaggedError<UsageWrong>()("UsageWrong", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `${this.reason}; see \`dd review --help\``
  }
}

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const on = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

const choice = <const Choices extends ReadonlyArray<string>>(
  name: string,
  metavar: string,
  choices: Choices,
  description: string
) => Flag.Literals(name, choices).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const reviewFlags = {
  target: Argument.String("target").pipe(
    Argument.withDescription(
      "The repository, or a path in it to review alone; the repository around the current directory when absent"
    ),
    Argument.optional
  ),
  base: text("base", "REF", "Review the branch against this commit or branch, and uncommitted edits"),
  branch: text("branch", "BRANCH", "Review this branch instead of the checked-out one"),
  staged: on("staged", "Review what is staged"),
  commit: text("commit", "SHA", "Review one commit"),
  diffFile: text("diff-file", "FILE", "Review a patch; - reads it from standard input"),
  shallow: on("shallow", "One reviewer for the whole change"),
  review: on("review", "Find and report, without the arbiter of the deep flow"),
  flow: text("flow", "NAME", "Follow this flow; see dd flow list"),
  startAt: choice("start-at", "STEP", startPoints, "Take up an earlier review of the same change at this step"),
  ignorePath: Flag.String("ignore-path").pipe(
    Flag.withMetavar("GLOB"),
    Flag.withDescription("Leave these paths out; may be given several times"),
    Flag.atLeast(0)
  ),
  failOn: choice(
    "fail-on",
    "SEVERITY",
    ["none", "low", "medium", "high"],
    "Exit with 1 when a new finding is this severe"
  ),
  onInconclusive: choice(
    "on-inconclusive",
    "END",
    ["pass", "fail"],
    "How a review without a verdict ends; by default pass on a terminal, else fail"
  ),
  backend: choice(
    "backend",
    "NAME",
    backends,
    "Who answers: dd's own static checks, a model's service, or a coding CLI"
  ),
  model: text("model", "NAME", "Which model of the backend answers"),
  replay: text(
    "replay",
    "RUN",
    "Answer from a recorded run instead: the beginning of its session id, latest, a file or a directory"
  ),
  allRepos: Flag.Boolean("all-repos").pipe(
    Flag.withoutNegation,
    Flag.withDescription("With --replay latest, take the newest run of all repositories"),
    Flag.withDefault(false)
  ),
  maxCost: text("max-cost", "USD", "Stop before the run costs more; a review that stops so is inconclusive"),
  format: choice("format", "FORMAT", settingFormats, "What goes to stdout"),
  output: Flag.String("output").pipe(
    Flag.withMetavar("FORMAT=PATH"),
    Flag.withDescription(
      "Write the review in this format to a file too, making its directories; may be given several times"
    ),
    Flag.atLeast(0)
  ),
  findingsOut: text("findings-out", "PATH", "Write the findings for another command to act on, and stop"),
  trajectory: text("trajectory", "PATH", "Write the record of the run here instead of .daydream/runs/"),
  all: on("all", "Show every finding, not only the first ones"),
  maxFindings: Flag.Int("max-findings").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("How many findings the text report shows; 0 for all"),
    Flag.optional
  ),
  baseline: text("baseline", "FILE", "Findings in this file are not new and do not count for --fail-on"),
  writeBaseline: on("write-baseline", "Write the findings of this review as the baseline"),
  preview: on("preview", "Show who would review what; nothing is reviewed or written"),
  printSchema: on("print-schema", "Print the JSON schema of --format json"),
  noArchive: on("no-archive", "Keep no copy of this run in the archive; see dd archive"),
  noEval: on("no-eval", "Archive the run without judging it"),
  quiet: on("quiet", "No progress, and no report where there is nothing to say").pipe(Flag.withAlias("q")),
  verbose: on("verbose", "Say more while it works").pipe(Flag.withAlias("v")),
  noColor: on("no-color", "No colours")
}

export interface Output {
  readonly format: Format
  readonly path: string
}

/** `sarif=out/dd.sarif`: a format dd has, and a path. */
export const outputsOf = (typed: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Output>, UsageWrong> =>
  Effect.forEach(typed, (each) => {
    const equals = each.indexOf("=")
    const name = equals === -1 ? each : each.slice(0, equals)
    const path = equals === -1 ? "" : each.slice(equals + 1)
    const format = formats.find((known) => known === name)
    if (format === undefined) {
      const known = `known: ${formats.join(", ")}`
      return Effect.fail(
        new UsageWrong({
          reason: `--output: there is no format "${name}"${didYouMean(nearest(name, formats))}; ${known}`
        })
      )
    }
    if (path === "")
      return Effect.fail(new UsageWrong({ reason: `--output ${each}: a path is missing, as in ${name}=FILE` }))
    return Effect.succeed({ format, path })
  })

/** Several ways to say what to review do not add up. */
export const exclusive = (given: Readonly<Record<string, boolean>>): Effect.Effect<void, UsageWrong> => {
  const names = Object.entries(given).flatMap(([name, on]) => (on ? [name] : []))
  return names.length <= 1
    ? Effect.void
    : Effect.fail(new UsageWrong({ reason: `${names.join(" and ")} exclude each other` }))
}
