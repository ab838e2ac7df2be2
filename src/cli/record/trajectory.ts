/** `dd trajectory`: the record of one run. */
import { Console, Effect, Layer, Option, Result, Runtime, Schema, Stdio, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { conversationsOf, promptTexts } from "../../domain/record/chatMessages.ts"
import { descriptorOf, type Trajectory } from "../../domain/record/Trajectory.ts"
import { placesOfJournal } from "../../domain/run/TrajectoryPlaces.ts"
import { ByteText, bytesOf } from "../../domain/text/ByteText.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import * as PagerProgram from "../../layers/system/pager/Program.ts"
import * as Proc from "../../layers/system/process/Proc.ts"
import { Git } from "../../services/change/Git.ts"
import { Trajectories, type Validated } from "../../services/record/Trajectories.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { presentable } from "../system/failure.ts"
import { Outcome } from "../system/outcome.ts"
import { showText } from "../system/showText.ts"
import { writeOut, writePieces } from "../system/writeOut.ts"
import { jsonFlag, outputFlag, switchFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { allReposFlag, directories, findRun } from "./findRun.ts"
import { oneStep, trajectoryText } from "./TrajectoryText.ts"
import { terminalPage } from "./terminalPage.ts"

const services = Layer.merge(
  Trajectories.layer.pipe(Layer.provide(Proc.layer), Layer.provideMerge(Git.layer)),
  PagerProgram.layer
)

const run = Argument.String("run").pipe(
  Argument.withDescription(
    "The start of a session id, latest (the newest run of this repository, the default), a file, or a run's directory"
  ),
  Argument.optional
)

const show = Command.make("show", {
  run,
  allRepos: allReposFlag,
  full: switchFlag("full", "Show every line of every text, not only the first few"),
  follow: switchFlag("follow", "Show each step of a running review as it ends")
}).pipe(
  Command.withDescription("Show a run step by step, also while it is running"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allRepos, follow, full, run }) {
      const trajectories = yield* Trajectories
      const path = yield* findRun(run, { allRepos })
      const page = { ...(yield* terminalPage), full }
      const whole = Effect.flatMap(trajectories.read(path), (read) => showText(trajectoryText(read, page)))
      if (!follow || placesOfJournal(path) === null) return yield* whole
      let start: number | null = null
      let last: string | null = null
      const following = trajectories.follow(path, ({ step, trajectory }) => {
        start ??= Date.parse(step.timestamp ?? "")
        const title = trajectory === last ? [] : [page.ink.bold(trajectory ?? "(the run itself)")]
        last = trajectory
        const margin = trajectory === null ? "" : "    "
        return Console.log([...title, ...oneStep(step, start, page, margin)].join("\n"))
      })
      // The run may have ended since its journal was found.
      yield* Effect.catchTag(following, "TrajectoryUnreadable", (error) =>
        start === null ? whole : Effect.fail(error)
      )
    })
  ),
  Command.withExamples([
    { command: "dd trajectory show", description: "The last run of this repository" },
    { command: "dd trajectory show 3f2c --full", description: "A run by the start of its session id" },
    { command: "dd trajectory show --follow", description: "Watch a running review" }
  ])
)

const validate = Command.make("validate", {
  files: Argument.String("file").pipe(Argument.withDescription("Trajectories"), Argument.atLeast(1)),
  json: jsonFlag
}).pipe(
  Command.withDescription("Check that files are valid ATIF v1.6 trajectories, and print every violation"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ files, json }) {
      const trajectories = yield* Trajectories
      const { words: redact } = yield* Redactor
      // A file that cannot be read does not stop the others.
      const results = yield* Effect.forEach(files, (file) =>
        Effect.result(
          Effect.map(trajectories.validate(file), ({ siblings, steps, violations }) => ({
            file,
            steps,
            siblings,
            violations
          }))
        )
      )
      const checked = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
      yield* json
        ? writeOut(`${plainJson({ schema_version: 1, files: checked })}\n`)
        : Effect.forEach(checked, (each) => Console.log(verdictText(each, redact)))
      for (const result of results) if (Result.isFailure(result)) return yield* result.failure
      if (checked.some(({ violations }) => violations.length > 0)) return yield* new Outcome({ code: 1 })
    })
  ),
  Command.withExamples([{ command: "dd trajectory validate .daydream/runs/*/trajectory.json" }])
)

/** One line for each violation; one line if there is none. */
const verdictText = (
  { file, siblings, steps, violations }: Validated & { readonly file: string },
  redact: Redactor["Service"]["text"]
): string =>
  violations.length === 0
    ? `${presentable(file, redact)}: valid, ${steps} ${steps === 1 ? "step" : "steps"}${siblings === 0 ? "" : `, ${siblings} ${siblings === 1 ? "sibling" : "siblings"}`}`
    : violations
        .map(
          ({ path, problem }) =>
            `${presentable(file, redact)}: ${path === "$" ? "the document" : oneLine(path)} ${oneLine(problem)}`
        )
        .join("\n")

const exportKinds = ["steps", "chat"] as const

const exportCommand = Command.make("export", {
  run,
  allRepos: allReposFlag,
  as: Flag.Literals("as", exportKinds).pipe(
    Flag.withMetavar("KIND"),
    Flag.withDescription(
      "steps: every step of every trajectory; chat: one conversation per agent call, in the format of chat models"
    ),
    Flag.withDefault("steps" as const)
  ),
  output: outputFlag
}).pipe(
  Command.withDescription("Print a run as JSON lines: its steps, or the conversations of its agents"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allRepos, as, output, run }) {
      const trajectories = yield* Trajectories
      const { root, siblings } = yield* trajectories.read(yield* findRun(run, { allRepos }))
      const all = [
        ["root", root] as const,
        ...[...siblings].map(([path, each]) => [descriptorOf(each) ?? path, each] as const)
      ]
      const texts = promptTexts(all.map(([, each]) => each))
      const lines = all.flatMap(([name, each]) =>
        as === "steps" ? stepObjects(name, each) : chatObjects(name, each, texts)
      )
      const text = lines.map((line) => `${plainJson(line)}\n`).join("")
      yield* Option.match(output, {
        onNone: () => writeOut(text),
        onSome: (path) => writeWhole(path, text)
      })
    })
  ),
  Command.withExamples([
    { command: "dd trajectory export | jq -r .step.message", description: "The messages of the last run" },
    { command: "dd trajectory export 3f2c --as chat --output run.jsonl", description: "A run as training data" }
  ])
)

const stepObjects = (trajectory: string, { session_id, steps }: Trajectory): ReadonlyArray<object> =>
  steps.map((step) => ({ session_id, trajectory, step }))

const chatObjects = (
  trajectory: string,
  whole: Trajectory,
  texts: ReadonlyMap<string, string>
): ReadonlyArray<object> =>
  conversationsOf(whole, texts).map((conversation) => ({ session_id: whole.session_id, trajectory, ...conversation }))

export class NotRecovered extends Schema.TaggedError<NotRecovered>()("NotRecovered", {
  reasons: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return this.reasons.join("\n")
  }
}

const recover = Command.make("recover", {
  runs: Argument.String("run").pipe(
    Argument.withDescription(
      "Journals, session ids, or latest (the newest run of this repository); every killed run of this repository when absent"
    ),
    Argument.atLeast(0)
  )
}).pipe(
  Command.withDescription("Build trajectories from the journals of killed runs"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ runs }) {
      const trajectories = yield* Trajectories
      const places = yield* directories
      const wanted =
        runs.length === 0
          ? yield* trajectories.journals(places)
          : yield* Effect.forEach(runs, (each) =>
              each === "latest" ? findRun(Option.none()) : trajectories.find(each, places)
            )
      if (wanted.length === 0) return yield* Console.log("nothing to recover: no run of this repository was killed")
      const reasons: Array<string> = []
      for (const path of wanted) {
        const words = yield* trajectories.recover(path).pipe(
          Effect.match({
            onFailure: (error) => {
              reasons.push(error.message)
              return null
            },
            onSuccess: (done) => {
              switch (done._tag) {
                case "Recovered":
                  return `recovered ${done.document}${done.siblings === 0 ? "" : ` and ${done.siblings} siblings`}`
                case "Running":
                  return `skipped: the run that writes ${done.journal} is still working`
                case "Empty":
                  return `nothing to do: ${done.journal} is empty`
                case "Already":
                  return `nothing to do: ${done.document} exists`
              }
            }
          })
        )
        if (words !== null) yield* Console.log(presentable(words, (yield* Redactor).words))
      }
      if (reasons.length > 0) return yield* new NotRecovered({ reasons })
    })
  ),
  Command.withExamples([{ command: "dd trajectory recover", description: "After a crash or a power loss" }])
)

/** `dd trajectory redact < text > text`: the redactor as a filter. */
const redactInput = Effect.fnUntraced(function* () {
  const { stdin } = yield* Stdio.Stdio
  const { stream } = yield* Redactor
  const bytes = new ByteText()
  const pieces = stdin.pipe(
    Stream.map((chunk) => bytes.push(chunk)),
    Stream.concat(Stream.sync(() => bytes.end()))
  )
  yield* writePieces(stream(pieces).pipe(Stream.map(bytesOf)))
})

const redactCommand = Command.make("redact").pipe(
  Command.withShortDescription("Hide secrets in a text"),
  Command.withDescription(`Hide secrets in a text, from standard input to standard output.

  dd passes everything it records, archives, prints or sends through this redactor. It hides API
  keys and tokens, private keys, passwords, headers and cookies, values of secret environment
  variables (also partial or encoded), and user names in paths of home directories. It keeps the
  number of lines, bytes that are not UTF-8, and the encoding UTF-16.`),
  Command.withExamples([
    { command: "dd trajectory redact < session.log > shareable.log", description: "Redact a log before sharing it" }
  ]),
  Command.withHandler(redactInput)
)

export const trajectoryCommand = Command.make("trajectory").pipe(
  Command.withShortDescription("Show, check, export and recover the record of a run"),
  Command.withDescription(`The record of a run: prompts, answers, tool calls and their results, tokens and cost.

  A review writes .daydream/runs/SESSION/trajectory.json (ATIF v1.6), and one file in
  trajectories/ for each agent that worked in parallel. An interrupted run writes the same files
  with names that end in .partial; a killed run leaves a journal for \`recover\`.`),
  Command.withSubcommands([show, validate, exportCommand, recover, redactCommand]),
  Command.provide(services)
)
