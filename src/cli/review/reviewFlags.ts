/** The flags of `dd review`, and the checks of their combinations. */
import { Effect, Option, Record, Runtime, Schema } from "effect"
import { Argument, type CliError, type Command, Flag, type Param } from "effect/cli"
import { backends } from "../../domain/run/BackendChoice.ts"
import { startPoints } from "../../domain/run/ReviewPlan.ts"
import { briefChoices, formats as settingFormats } from "../../domain/run/ReviewSettings.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import { choiceFlag, countFlag, numberFlag, repeatedFlag, switchFlag, textFlag } from "../text/flags.ts"
import { type Format, formats } from "./render/Format.ts"

export class UsageWrong extends Schema.TaggedError<UsageWrong>()("UsageWrong", {
  reason: Schema.String,
  /** Whose help explains it; absent: `review`. */
  command: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `${this.reason}; see dd ${this.command ?? "review"} --help`
  }
}

const what = {
  base: textFlag("base", "REF", "Compare with this branch or commit, including uncommitted edits"),
  branch: textFlag("branch", "BRANCH", "Review this branch instead of the current one"),
  staged: switchFlag("staged", "Review staged changes"),
  commit: textFlag("commit", "SHA", "Review one commit"),
  diffFile: textFlag("diff-file", "FILE", "Review a patch; - reads standard input"),
  ci: switchFlag("ci", "Review what this job of continuous integration is for, in the formats of its service"),
  deepen: switchFlag("deepen", "With --ci, fetch the history that a shallow clone lacks"),
  ignorePath: repeatedFlag("ignore-path", "GLOB", "Skip matching files; repeatable")
}

const how = {
  shallow: switchFlag("shallow", "Use one reviewer for the whole change"),
  review: switchFlag("review", "Only report findings; skip the second opinion of the deep flow"),
  flow: textFlag("flow", "NAME", "Run this flow; see dd flow list"),
  skill: textFlag("skill", "NAME", "Review every stack with this skill instead of its own").pipe(Flag.withAlias("s")),
  instructions: textFlag("instructions", "TEXT|@FILE", "Tell the model what to look for in this review"),
  failOn: choiceFlag(
    "fail-on",
    "SEVERITY",
    ["none", "low", "medium", "high"],
    "Exit with 1 if a new finding has at least this severity"
  ),
  onInconclusive: choiceFlag(
    "on-inconclusive",
    "RESULT",
    ["pass", "fail"],
    "Exit code of an inconclusive review; default: pass on a terminal, else fail"
  ),
  baseline: textFlag("baseline", "FILE", "Read known findings from this file; --fail-on ignores them"),
  writeBaseline: switchFlag("write-baseline", "Write the findings to the baseline"),
  noLearned: switchFlag("no-learned", "Ignore what dd learned from sessions of coding assistants and from labels"),
  preview: switchFlag("preview", "Show what would be reviewed and by whom, without reviewing")
}

const fixes = {
  fix: switchFlag("fix", "Fix findings in a copy, run the project's tests there, and offer the result as a patch"),
  loop: Flag.Int("loop").pipe(
    Flag.withOptionalValue("5"),
    Flag.withMetavar("N"),
    Flag.withDescription(
      "With --shallow, review, fix and commit until no findings are left, at most N times; default: 5"
    ),
    Flag.filter(
      (given) => given > 0,
      (given) => `a number from 1 on, not ${given}`
    ),
    Flag.optional
  ),
  yes: switchFlag("yes", "With --fix, ask nothing, and apply the fixes if the tests are not worse").pipe(
    Flag.withAlias("y")
  ),
  nonInteractive: switchFlag("non-interactive", "Ask nothing"),
  commitFixes: switchFlag("commit-fixes", "With --fix, also commit the applied fixes"),
  testCommand: textFlag("test-command", "COMMAND", "With --fix, run the tests with this command")
}

const running = {
  run: switchFlag("run", "Run the project's tests on small changes of the added lines, in a copy"),
  runBudget: countFlag("run-budget", "Seconds that --run may take; default: 60 on a terminal, else 600")
}

const output = {
  format: choiceFlag("format", "FORMAT", settingFormats, "Print the report in this format"),
  output: repeatedFlag("output", "FORMAT=PATH", "Also write the report to a file; repeatable"),
  brief: choiceFlag(
    "brief",
    "EXTENT",
    briefChoices,
    "Describe the change itself to this extent; diff adds the diff in reading order"
  ),
  depth: numberFlag("depth", "N", "Levels of users of a changed definition in the brief", 1, 1),
  all: switchFlag("all", "Show all findings"),
  maxFindings: countFlag("max-findings", "Show at most N findings in the text report; 0 for all"),
  findingsOut: textFlag("findings-out", "PATH", "Write the findings for another command and stop"),
  comment: switchFlag("comment", "Then post the findings to the pull request of --pr-number; see dd post"),
  prNumber: Flag.Int("pr-number").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Number of the pull request, for --comment, --findings-out and the archive"),
    Flag.optional
  ),
  quiet: switchFlag("quiet", "Print no progress, and no report if there are no findings").pipe(Flag.withAlias("q")),
  verbose: switchFlag("verbose", "Print a detailed log: steps, rules, files").pipe(Flag.withAlias("v"))
}

const model = {
  backend: choiceFlag("backend", "NAME", backends, "Choose the reviewer: static rules, a model API or a coding CLI"),
  model: textFlag("model", "NAME", "Use this model of the backend"),
  maxCost: textFlag("max-cost", "USD", "Stop before the run costs more; the review is then inconclusive")
}

const advanced = {
  startAt: choiceFlag(
    "start-at",
    "STEP",
    startPoints,
    "Continue an earlier review of the same change at this step; fix reports its findings, or with --fix fixes them"
  ),
  resume: textFlag("resume", "RUN", "Continue an interrupted review: a session id or its prefix, latest, or a path"),
  replay: textFlag("replay", "RUN", "Use recorded answers: a session id or its prefix, latest, or a path"),
  allRepos: switchFlag("all-repos", "With --replay latest, use the newest run of any repository"),
  trajectory: textFlag("trajectory", "PATH", "Record the run in this file instead of .daydream/runs/"),
  noArchive: switchFlag("no-archive", "Do not archive this run"),
  noEval: switchFlag("no-eval", "Archive the run without an evaluation"),
  printSchema: switchFlag("print-schema", "Print the JSON schema of --format json")
}

export const reviewFlags = {
  target: Argument.String("target").pipe(
    Argument.withDescription("Repository, or path in it to review; default: the current repository"),
    Argument.optional
  ),
  ...what,
  ...how,
  ...fixes,
  ...running,
  ...output,
  ...model,
  ...advanced
}

/** The headings in the help, of `dd review` and of commands with the same flags. */
export const reviewGroups = {
  "WHAT TO REVIEW": what,
  "HOW TO REVIEW": how,
  FIXES: fixes,
  RUNNING: running,
  OUTPUT: output,
  MODEL: model,
  ADVANCED: advanced
}
export type ReviewFlags = Command.Command.Config.Infer<typeof reviewFlags>

/** The flags of `dd review` without arguments, for commands that review in another way. */
export const defaultReviewFlags = Effect.all(
  Record.map<
    keyof ReviewFlags,
    Param.AnyFlag | Param.AnyArgument,
    Effect.Effect<unknown, CliError.CliError, Command.Environment>
  >(reviewFlags, ({ parse }) => Effect.map(parse({ flags: {}, arguments: [] }), ([, value]) => value))
).pipe(
  Effect.orDie,
  Effect.map((values) => values as ReviewFlags)
)

export const flowOf = (flags: ReviewFlags): string =>
  flags.shallow ? "shallow" : flags.review ? "review" : Option.getOrElse(flags.flow, () => "deep")

/** A loop fixes and commits. */
export const withLoop = (flags: ReviewFlags): ReviewFlags =>
  Option.isNone(flags.loop) ? flags : { ...flags, fix: true, commitFixes: true }

type FlagKey = keyof ReviewFlags

/** As it is typed: `--findings-out`. */
const nameOf = (key: FlagKey): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const isGiven = (value: ReviewFlags[FlagKey]): boolean =>
  Option.isOption(value) ? Option.isSome<unknown>(value) : Array.isArray(value) ? value.length > 0 : value === true

/** Fails if a flag is given together with one of the others. */
const notWith = (flags: ReviewFlags, key: FlagKey, ...others: ReadonlyArray<FlagKey>) =>
  Effect.forEach(others, (other) =>
    exclusive({ [nameOf(key)]: isGiven(flags[key]), [nameOf(other)]: isGiven(flags[other]) })
  )

/** Fails if flags contradict each other. */
export const checkFlags = Effect.fnUntraced(function* (flags: ReviewFlags) {
  yield* exclusive({ "--shallow": flags.shallow, "--review": flags.review, "--flow": Option.isSome(flags.flow) })
  if (flowOf(flags) === "pr-feedback") {
    return yield* new UsageWrong({
      reason: "the flow pr-feedback needs a pull request; run dd feedback PR --bot NAME",
      command: "feedback"
    })
  }
  yield* notWith(flags, "preview", "output", "writeBaseline", "comment", "trajectory", "findingsOut")
  if (Option.isSome(flags.startAt) && ["shallow", "review"].includes(flowOf(flags))) {
    return yield* new UsageWrong({ reason: `--start-at works with the deep flow, not with ${flowOf(flags)}` })
  }
  for (const key of ["yes", "commitFixes", "testCommand"] as const) {
    if (isGiven(flags[key]) && !flags.fix) return yield* new UsageWrong({ reason: `${nameOf(key)} requires --fix` })
  }
  if (Option.isSome(flags.loop) && !flags.shallow) {
    return yield* new UsageWrong({ reason: "--loop requires --shallow" })
  }
  yield* notWith(flags, "loop", "branch", "staged", "commit", "diffFile", "comment", "trajectory")
  yield* notWith(flags, "yes", "nonInteractive")
  yield* notWith(flags, "fix", "diffFile", "replay", "findingsOut", "review")
  yield* notWith(flags, "replay", "backend", "preview", "skill", "instructions")
  yield* notWith(flags, "run", "replay", "preview")
  if (Option.isSome(flags.runBudget) && !flags.run) {
    return yield* new UsageWrong({ reason: "--run-budget requires --run" })
  }
  yield* notWith(flags, "resume", "replay", "preview", "loop", "startAt")
  if (flags.comment && Option.isNone(flags.prNumber)) {
    return yield* new UsageWrong({ reason: "--comment requires --pr-number N" })
  }
  if (Option.exists(flags.prNumber, (number) => number < 1)) {
    return yield* new UsageWrong({ reason: "the number of a pull request is positive; write --pr-number N" })
  }
  if (flags.allRepos && !Option.contains(flags.replay, "latest")) {
    return yield* new UsageWrong({ reason: "--all-repos requires --replay latest" })
  }
})

/** Flags that set a setting. */
export const settingFlags = (flags: ReviewFlags) => ({
  fail_on: Option.getOrUndefined(flags.failOn),
  on_inconclusive: Option.getOrUndefined(flags.onInconclusive),
  format: Option.getOrUndefined(flags.format),
  ignore_paths: flags.ignorePath.length === 0 ? undefined : flags.ignorePath,
  max_findings: Option.getOrUndefined(flags.maxFindings),
  brief: Option.getOrUndefined(flags.brief),
  backend: Option.getOrUndefined(flags.backend),
  model: Option.getOrUndefined(flags.model),
  max_cost: Option.getOrUndefined(flags.maxCost),
  "review.instructions": Option.getOrUndefined(flags.instructions),
  test_command: Option.getOrUndefined(flags.testCommand),
  archive: flags.noArchive ? "off" : undefined,
  evaluate: flags.noEval ? "off" : undefined,
  learned: flags.noLearned ? "off" : undefined
})

export interface Output {
  readonly format: Format
  readonly path: string
  /** Is it added to what the file has? */
  readonly isAppended?: boolean
}

/** Reads values such as `sarif=out/dd.sarif`. */
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
          reason: `--output: unknown format "${name}"${didYouMean(nearest(name, formats))}; ${known}`
        })
      )
    }
    if (path === "")
      return Effect.fail(new UsageWrong({ reason: `--output ${each}: the path is missing; write ${name}=FILE` }))
    return Effect.succeed({ format, path })
  })

/** Paths that are written besides standard output, each with its flag. */
export const writtenPaths = (
  flags: ReviewFlags,
  outputs: ReadonlyArray<Output>
): ReadonlyArray<readonly [string, string]> => [
  ...outputs.map(({ format, path }) => [`--output ${format}=`, path] as const),
  ...Option.toArray(flags.findingsOut).map((path) => ["--findings-out ", path] as const),
  ...Option.toArray(flags.trajectory).map((path) => ["--trajectory ", path] as const),
  ...(flags.writeBaseline ? Option.toArray(flags.baseline) : []).map((path) => ["--baseline ", path] as const)
]

/** Fails if more than one of the flags is given. */
export const exclusive = (
  given: Readonly<Record<string, boolean>>,
  command = "review"
): Effect.Effect<void, UsageWrong> => {
  const names = Object.entries(given).flatMap(([name, on]) => (on ? [name] : []))
  return names.length <= 1
    ? Effect.void
    : Effect.fail(new UsageWrong({ reason: `${names.join(" and ")} cannot be used together`, command }))
}
