/** `dd trajectory`: the record of one run: shown, checked, exported, and made of what a killed run left. */
import { Console, Effect, Layer, Option, Result, Runtime, Schema, Stdio } from "effect"
import { Argument, Command, Flag, TerminalCapabilities } from "effect/cli"
import { conversationsOf, promptTexts } from "../../domain/record/chatMessages.ts"
import { descriptorOf, type Trajectory } from "../../domain/record/Trajectory.ts"
import { placesOfJournal } from "../../domain/run/TrajectoryPlaces.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import * as PagerProgram from "../../layers/system/pager/Program.ts"
import * as Proc from "../../layers/system/process/Proc.ts"
import { Git } from "../../services/change/Git.ts"
import { Trajectories, type Validated } from "../../services/record/Trajectories.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { redactCommand } from "../secret/redact.ts"
import { presentable } from "../system/failure.ts"
import { Outcome } from "../system/outcome.ts"
import { showText } from "../system/showText.ts"
import { lineWidth } from "../system/terminal.ts"
import { inkFor } from "../text/Ink.ts"
import { allReposFlag, directories, findRun } from "./findRun.ts"
import { oneStep, trajectoryText } from "./TrajectoryText.ts"

const services = Layer.merge(
  Trajectories.layer.pipe(Layer.provide(Proc.layer), Layer.provideMerge(Git.layer)),
  PagerProgram.layer
)

const run = Argument.String("run").pipe(
  Argument.withDescription(
    "The beginning of a session id, latest (the newest run of this repository, also when absent), a file, or a run's directory"
  ),
  Argument.optional
)

const on = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

const pageFor = Effect.fnUntraced(function* (full: boolean) {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* stdio.stdoutIsTerminal
  const width = Math.max(40, yield* lineWidth(terminal))
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  return { width, full, ink: inkFor(terminal && canColor) }
})

const show = Command.make("show", {
  run,
  allRepos: allReposFlag,
  full: on("full", "Every line of every text, not only the first few"),
  follow: on("follow", "Of a run that is at work, show each step as it is done, to the end")
}).pipe(
  Command.withDescription("Show a run step by step, a running one as far as it is"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allRepos, follow, full, run }) {
      const trajectories = yield* Trajectories
      const path = yield* findRun(run, { allRepos })
      const page = yield* pageFor(full)
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
    { command: "dd trajectory show", description: "What the last run here did" },
    { command: "dd trajectory show 3f2c --full", description: "A run by the beginning of its session id" },
    { command: "dd trajectory show --follow", description: "Watch the review that is running here" }
  ])
)

const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

const validate = Command.make("validate", {
  files: Argument.String("file").pipe(Argument.withDescription("Trajectories"), Argument.atLeast(1)),
  json
}).pipe(
  Command.withDescription("Say of each file whether it is a valid ATIF v1.6 trajectory, and everything that is wrong"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ files, json }) {
      const trajectories = yield* Trajectories
      const { words: redact } = yield* Redactor
      // Whatever cannot be read, the others are judged; then dd says which.
      const results = yield* Effect.forEach(files, (file) =>
        Effect.result(Effect.map(trajectories.validate(file), (validated) => ({ file, ...validated })))
      )
      const checked = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
      yield* json
        ? Console.log(encodeChecked({ schema_version: 1, files: checked }))
        : Effect.forEach(checked, (each) => Console.log(verdictText(each, redact)))
      for (const result of results) if (Result.isFailure(result)) return yield* result.failure
      if (checked.some(({ violations }) => violations.length > 0)) return yield* new Outcome({ code: 1 })
    })
  ),
  Command.withExamples([{ command: "dd trajectory validate .daydream/runs/*/trajectory.json" }])
)

const Checked = Schema.Struct({
  schema_version: Schema.Literal(1),
  files: Schema.Array(
    Schema.Struct({
      file: Schema.String,
      steps: Schema.Int,
      siblings: Schema.Int,
      violations: Schema.Array(Schema.Struct({ path: Schema.String, problem: Schema.String }))
    })
  )
})
const encodeChecked = Schema.encodeSync(Schema.fromJsonString(Checked))

/** A line a violation, so that it can be searched; one line when there is none. */
const verdictText = (
  { file, siblings, steps, violations }: Validated & { readonly file: string },
  redact: Redactor["Service"]["text"]
): string =>
  violations.length === 0
    ? `${presentable(file, redact)}: valid, ${steps} ${steps === 1 ? "step" : "steps"}${siblings === 0 ? "" : `, ${siblings} ${siblings === 1 ? "sibling" : "siblings"}`}`
    : violations
        .map(({ path, problem }) => `${presentable(file, redact)}: ${oneLine(path)} ${oneLine(problem)}`)
        .join("\n")

const exportKinds = ["steps", "chat"] as const

const exportCommand = Command.make("export", {
  run,
  allRepos: allReposFlag,
  as: Flag.Literals("as", exportKinds).pipe(
    Flag.withMetavar("KIND"),
    Flag.withDescription(
      "steps: every step of every trajectory; chat: one conversation an agent call, as chat models take it"
    ),
    Flag.withDefault("steps" as const)
  ),
  output: Flag.String("output").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Write to this file instead of standard output (-)"),
    Flag.optional,
    Flag.map(Option.filter((path) => path !== "-"))
  )
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
      const text = lines.map(line).join("")
      yield* Option.match(output, {
        onNone: () => Console.log(text.trimEnd()),
        onSome: (path) => writeWhole(path, text)
      })
    })
  ),
  Command.withExamples([
    { command: "dd trajectory export | jq -r .step.message", description: "What was said in the last run" },
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

/** JSON in which nothing can act on a terminal: what could is escaped, and stays what it is. */
const line = (value: object): string =>
  `${JSON.stringify(value).replaceAll(/[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped)}\n`

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

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
      "Journals, session ids, or latest (the newest run of this repository); every run here that was killed when absent"
    ),
    Argument.atLeast(0)
  )
}).pipe(
  Command.withDescription("Make trajectories of the journals that killed runs have left"),
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
      if (wanted.length === 0) return yield* Console.log("nothing to recover: no run here was killed")
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
                  return `recovered ${done.document}${done.siblings === 0 ? "" : ` and ${done.siblings} beside it`}`
                case "Running":
                  return `left alone: the run that writes ${done.journal} is still at work`
                case "Empty":
                  return `nothing to do: nothing was recorded in ${done.journal}`
                case "Already":
                  return `nothing to do: ${done.document} is there`
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

export const trajectoryCommand = Command.make("trajectory").pipe(
  Command.withShortDescription("Show, check, export and recover the record of a run"),
  Command.withDescription(`The record of a run: what was asked, every answer, tool call and result, what it took.

  A review leaves .daydream/runs/SESSION/trajectory.json (ATIF v1.6), and one file in
  trajectories/ for each agent that worked beside others. A run that was interrupted leaves the
  same with .partial behind the names; one that was killed leaves a journal for \`recover\`.`),
  Command.withSubcommands([show, validate, exportCommand, recover, redactCommand]),
  Command.provide(services)
)
