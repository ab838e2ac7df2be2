/** `dd dream start`: a night over the labels of this repository. */

import { Clock, Console, Effect, FileSystem, Layer, Option, Path } from "effect"
import { Command, Flag } from "effect/cli"
import { layerWebCrypto as layerSecureRandom } from "effect/crypto/SecureRandom"
import { likelyTests } from "../../domain/brief/tests/likelyTests.ts"
import { parseGoDuration } from "../../domain/night/goDuration.ts"
import { isProtectedRule } from "../../domain/night/protectedRule.ts"
import { ConsensusPolicy, requestedRunners } from "../../domain/night/report/council.ts"
import { summaryMarkdown } from "../../domain/night/report/summaryMarkdown.ts"
import { encodeSummary, isRunId, runIdOf, type SummaryFields, summaryOf } from "../../domain/night/Summary.ts"
import { oneLine, visiblePath } from "../../domain/text/Printable.ts"
import { digest } from "../../layers/dream/spoolPlace.ts"
import * as NightLive from "../../layers/NightLive.ts"
import { thisProcess } from "../../layers/night/thisProcess.ts"
import { openArchive } from "../../programs/archive.ts"
import type { NightRequest } from "../../programs/NightRequest.ts"
import { dryNight, night } from "../../programs/night.ts"
import { Git } from "../../services/change/Git.ts"
import { shippedRules } from "../../services/finding/RuleSet.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { agentsText, filesOf, foldersIn } from "../../services/night/morningFacts.ts"
import { nightPlaces } from "../../services/night/NightFiles.ts"
import { summaryAt } from "../../services/night/NightReport.ts"
import { switchedOffRules } from "../../services/night/switchedOffRules.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { dreamHome } from "../dream/dreamHome.ts"
import { rootsOf } from "../record/findRun.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { Settled, settled } from "../system/outcome.ts"
import { writeOut } from "../system/writeOut.ts"
import { directoryFlag, jsonFlag, numberFlag, repeatedFlag, switchFlag, textFlag } from "../text/flags.ts"
import * as Runners from "./runners.ts"
import { runnerNames } from "./runners.ts"

const durationFlag = (name: string, description: string, otherwise: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(description),
    Flag.filter(
      (given) => parseGoDuration(given) !== null,
      (given) => `a time such as 8h, 90m or 1h30m, not ${given}`
    ),
    Flag.withDefault(otherwise)
  )

const policies = ConsensusPolicy.literals

const flags = {
  goal: textFlag("goal", "TEXT", "Report what is known about a path, a rule or a theme"),
  runTimeout: durationFlag("run-timeout", "End after so long; default: 8h", "8h"),
  maxIterations: numberFlag("max-iterations", "N", "Try at most so many batches of changes; 0: all", 0, 0),
  plateauEpsilon: Flag.Finite("plateau-epsilon").pipe(
    Flag.withMetavar("X"),
    Flag.withDescription("A smaller change of the fitness brings nothing; default: 0.01"),
    Flag.filter(
      (given) => given > 0 && given < 1,
      (given) => `a number between 0 and 1, not ${given}`
    ),
    Flag.withDefault(0.01)
  ),
  plateauWindow: numberFlag("plateau-window", "N", "Stop after so many batches that bring nothing; default: 2", 2, 2),
  warnOnly: switchFlag(
    "warn-only",
    "Keep a change that makes reviews worse, with a warning, up to three times; default below 50 labels to decide by"
  ),
  strict: switchFlag(
    "strict",
    "Keep no change that makes reviews worse, and stop at the first; default from 50 labels on"
  ),
  checkpointMaxMb: numberFlag("checkpoint-max-mb", "N", "Stop if what was learned is larger; default: 512", 1, 512),
  longHaul: switchFlag("long-haul", "Work longer on the packets of the morning if they are weak"),
  longHaulBudget: durationFlag("long-haul-budget", "The most that takes; default: 1h", "1h"),
  runner: repeatedFlag(
    "runner",
    "NAME",
    `Ask for a second opinion on what people disagree about: ${runnerNames.join(", ")}; repeatable. They get no tools`
  ),
  consensus: Flag.Literals("consensus", policies).pipe(
    Flag.withMetavar("POLICY"),
    Flag.withDescription("When runners agree; default: majority"),
    Flag.withDefault("majority" as const)
  ),
  maxCost: Flag.Finite("max-cost").pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription("The most that all runners cost together, an equal part each; default: 1"),
    Flag.filter(
      (given) => given > 0,
      (given) => `a number above 0, not ${given}`
    ),
    Flag.optional
  ),
  keepAwake: switchFlag("keep-awake", "Keep the machine from sleeping meanwhile (default)"),
  noKeepAwake: switchFlag("no-keep-awake", "Let the machine sleep"),
  dryRun: switchFlag("dry-run", "Print what would run, and write nothing"),
  outputDir: directoryFlag("output-dir", "Write the report there; default: in dd's own directory"),
  json: jsonFlag
}

const here = Effect.gen(function* () {
  const repository = yield* (yield* Git).open(".")
  const { root } = repository
  if (root === null) return yield* new CallRefused({ reason: "a bare repository has no reviews to learn from" })
  return { ...repository, root }
})

/** A night that begins in the same second as another one has the id of a later second. */
const freshRunId = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const isTaken = (run: string) => Effect.map(Effect.option(fs.exists(`${directory}/${run}`)), Option.contains(true))
  let at = yield* Clock.currentTimeMillis
  while (yield* isTaken(runIdOf(at))) at += 1_000
  return runIdOf(at)
})

const runnersOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const names = requestedRunners(given)
  const unknown = names.find((name) => !runnerNames.some((known) => known === name))
  if (unknown !== undefined) {
    return yield* new CallRefused({ reason: `--runner takes ${runnerNames.join(", ")}, not ${oneLine(unknown)}` })
  }
  return runnerNames.filter((name) => names.includes(name))
})

/** As everywhere, the default limit does not stop a runner whose price is unknown, and that of the user does. */
const limitOf = (usd: Option.Option<number>) => ({ usd: Option.getOrElse(usd, () => 1), isDefault: Option.isNone(usd) })

const references = new Map(shippedRules.map((rule) => [rule.id, "reference" in rule ? rule.reference : ""]))

const { checkpointMaxMb, consensus, longHaul, longHaulBudget, maxCost, maxIterations, runner, runTimeout } = flags
const { dryRun, json, outputDir, plateauEpsilon, plateauWindow, strict, warnOnly } = flags

export const startCommand = Command.make("start", flags).pipe(
  Command.annotate(FlagGroups, {
    "WHAT IS KEPT": { warnOnly, strict },
    "WHEN IT ENDS": { runTimeout, maxIterations, plateauEpsilon, plateauWindow, checkpointMaxMb },
    "MORE WORK": { longHaul, longHaulBudget },
    "SECOND OPINIONS": { runner, consensus, maxCost },
    OUTPUT: { dryRun, outputDir, json }
  }),
  Command.withShortDescription("Learn from the labels of past reviews, and report"),
  Command.withDescription(`Learn from the labels of this repository's past reviews, and write a report for the morning.

  A night proposes what labels support: findings that people reject more than four times in five are hidden, rules get the confidence that people
  give them, habits and fixes are remembered. Each batch is measured on newer reviews that it was not made from, and is kept only if
  reviews get no worse. dd review applies what was learned; --no-learned switches it off, dd dream why explains it, and
  dd dream rollback takes it back. No model and no network are used.

  Exit codes: 0 the night is over; 3 it failed, or another one is under way.`),
  Command.withHandler(
    Effect.fnUntraced(function* (given) {
      if (given.warnOnly && given.strict)
        return yield* new CallRefused({ reason: "--warn-only and --strict exclude each other" })
      const home = yield* dreamHome
      const archive = yield* archiveDirectory
      if (archive === null) return yield* new CallRefused({ reason: "there is no archive to learn from: set HOME" })
      const repository = yield* here
      const roots = yield* rootsOf()
      const runners = yield* runnersOf(given.runner)
      const timeout = parseGoDuration(given.runTimeout) ?? 0
      const print = (fields: SummaryFields) =>
        given.json ? writeOut(encodeSummary(fields)) : Console.log(summaryMarkdown(summaryOf(fields)).trimEnd())
      const body = Effect.gen(function* () {
        const { lockPath } = yield* Corpus
        const paths = yield* Path.Path
        const places = nightPlaces(lockPath)
        const fs = yield* FileSystem.FileSystem
        const latest = Option.getOrElse(yield* Effect.option(fs.readFileString(places.latest)), () => "").trim()
        const wanted = Option.map(given.outputDir, (path) => paths.resolve(path))
        const unfinished = Option.isSome(wanted) ? yield* summaryAt(wanted.value) : null
        const run =
          unfinished?.status === "planned" && isRunId(unfinished.run_id)
            ? unfinished.run_id
            : yield* freshRunId(Option.getOrElse(wanted, () => places.runs))
        const files = yield* filesOf(repository)
        const request: NightRequest = {
          run,
          ...thisProcess(),
          repoRoot: repository.root,
          outputDir: Option.getOrElse(wanted, () => paths.join(places.runs, run)),
          goal: Option.getOrElse(given.goal, () => "").trim(),
          requestedTimeout: given.runTimeout,
          timeout,
          keepAwake: !given.noKeepAwake,
          runners,
          runnerSeconds: 180,
          policy: given.consensus,
          longHaul: { enabled: given.longHaul, budget: parseGoDuration(given.longHaulBudget) ?? 0 },
          loop: {
            maxIterations: given.maxIterations,
            epsilon: given.plateauEpsilon,
            window: given.plateauWindow,
            warnOnly: given.strict ? false : given.warnOnly ? true : null,
            largest: given.checkpointMaxMb * 1024 * 1024
          },
          isProtected: (rule) => isProtectedRule(rule, references.get(rule)),
          folders: foldersIn(files),
          likelyTests: likelyTests(files ?? []),
          agents: yield* agentsText(repository.root),
          isSwitchedOff: yield* switchedOffRules(repository.root),
          digest,
          previous: latest === "" ? null : yield* summaryAt(latest)
        }
        if (given.dryRun) return yield* print(yield* dryNight(request))
        yield* openArchive()
        // Once its report is written, a signal changes neither it nor the exit code.
        const running = night(request, (path, isOwn) =>
          // As the user wrote it: a relative one must not lead through a link of the repository.
          isOwn
            ? NightLive.directory(
                Option.getOrElse(given.outputDir, () => path),
                places.latest
              )
            : NightLive.directory(path, null)
        )
        yield* Effect.onInterrupt(
          settled(() => Effect.as(Effect.flatMap(running, print), null)),
          () =>
            Effect.gen(function* () {
              const end = yield* Settled
              const report = yield* summaryAt(request.outputDir)
              if (report?.run_id !== run) return
              end.left = `; its report is in ${visiblePath(request.outputDir)}. ${oneLine(report.next_action)}`
            })
        )
      })
      const opinions = runners.length === 0 ? Layer.empty : Runners.layer(runners, limitOf(given.maxCost))
      const services = Layer.mergeAll(NightLive.layer(home, archive, repository, roots), layerSecureRandom)
      yield* Effect.scoped(Effect.provide(body, [services, opinions]))
    })
  ),
  Command.withExamples([
    { command: "dd dream start", description: "Learn now, and print the report" },
    { command: "dd dream start --strict --run-timeout 30m", description: "Keep no change that makes reviews worse" }
  ])
)
