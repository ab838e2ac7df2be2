/** `dd flow`: the flows and their steps, with the user's extensions. Runs no step. */

import { Console, Effect, Layer, Result, Runtime, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import type { Flow, LoopGroup } from "../../domain/run/Flow.ts"
import { stepNames } from "../../domain/run/Flow.ts"
import type { Outline } from "../../domain/run/Step.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import * as Directory from "../../layers/run/extensions/Directory.ts"
import { outlineRegistry } from "../../programs/flows.ts"
import { Extensions, extendAll, outlineOf } from "../../services/run/Extensions.ts"
import type { Registry } from "../../services/run/Registry.ts"
import { daydreamHome } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"

export class FlowUnknown extends Schema.TaggedError<FlowUnknown>()("FlowUnknown", {
  flow: Schema.String,
  known: Schema.Array(Schema.String),
  suggestion: Schema.NullOr(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `unknown flow "${oneLine(this.flow)}"${didYouMean(this.suggestion)}; known: ${this.known.join(", ")}`
  }
}

/** The user's extensions, as seen from the directory dd was called in. */
export const userExtensions = Layer.unwrap(Effect.map(daydreamHome, (home) => Directory.layer({ home, reviewed: "." })))

const known = Effect.gen(function* () {
  const extensions = yield* Extensions
  return yield* Effect.fromResult(extendAll(outlineRegistry, yield* extensions.files, outlineOf))
})

export const knownFlows = Effect.map(known, ({ flows }) => [...flows.keys()])

const list = Command.make("list", { json: jsonFlag }).pipe(
  Command.withDescription("List the flows"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ json }) {
      const registry = yield* known
      const { words } = yield* Redactor
      if (json) return yield* writeOut(`${words(plainJson(listed(registry)))}\n`)
      yield* Console.log(words(listText(listed(registry))))
    })
  ),
  Command.provide(userExtensions)
)

const show = Command.make("show", {
  name: Argument.String("name").pipe(Argument.withDescription("Name of a flow; see dd flow list")),
  json: jsonFlag
}).pipe(
  Command.withDescription("Show the steps of a flow and when they run"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ name, json }) {
      const registry = yield* known
      const shown = yield* Effect.fromResult(findFlow(registry, name))
      const { words } = yield* Redactor
      if (json) return yield* writeOut(`${words(plainJson(shown))}\n`)
      yield* Console.log(words(shownText(shown)))
    })
  ),
  Command.provide(userExtensions),
  Command.withExamples([{ command: "dd flow show deep", description: "Show what a review does by default" }])
)

export const flowCommand = Command.make("flow").pipe(
  Command.withDescription("List and show flows"),
  Command.withSubcommands([list, show])
)

const listed = (registry: Registry<Outline>) => ({
  schema_version: 1,
  flows: [...registry.flows.values()].map((flow) => {
    const steps = stepNames(flow)
    const unavailable = steps.filter((name) => registry.steps.get(name)?._tag === "Unavailable").length
    return { name: flow.name, description: flow.description, steps: steps.length, unavailable }
  })
})

export const findFlow = (registry: Registry<Outline>, name: string): Result.Result<Shown, FlowUnknown> => {
  const flow = registry.flows.get(name)
  if (flow !== undefined) return Result.succeed(shown(registry, flow))
  const names = [...registry.flows.keys()]
  return Result.fail(new FlowUnknown({ flow: name, known: names, suggestion: nearest(name, names) }))
}

type Shown = ReturnType<typeof shown>

const shown = (registry: Registry<Outline>, flow: Flow) => {
  /** `when` follows the word "runs", null: always; `reason`: why the step is not in this build. */
  const shownStep = (name: string) => {
    const { phase, when, origin, ...step } = registry.steps.get(name)!
    const reason = step._tag === "Unavailable" ? step.reason : null
    return { name, phase, when: when === "" ? null : when, origin, available: reason === null, reason }
  }
  const shownGroup = ({ name, steps, maxIterations }: LoopGroup) => ({
    name,
    max_iterations: maxIterations,
    steps: steps.map(shownStep)
  })
  return {
    schema_version: 1,
    name: flow.name,
    description: flow.description,
    entries: flow.entries.map((entry) => (typeof entry === "string" ? shownStep(entry) : shownGroup(entry)))
  }
}

const listText = ({ flows }: ReturnType<typeof listed>): string => {
  const width = Math.max(...flows.map(({ name }) => name.length))
  return flows
    .map(({ name, description, steps, unavailable }) => {
      const missing = unavailable === 0 ? "" : `, ${unavailable} not in this build`
      return `${name.padEnd(width)}  ${oneLine(description)} (${plural(steps, "step")}${missing})`
    })
    .join("\n")
}

/** Numbered in the order in which they run; the steps of a loop group are indented below it. */
export const shownText = ({ name, description, entries }: Shown): string => {
  const rows = entries.flatMap((entry, index): ReadonlyArray<readonly [string, string]> => {
    const number = String(index + 1).padStart(3)
    if (!("steps" in entry)) return [[`${number}. ${entry.name}`, remark(entry)]]
    const inner = entry.steps.map((step, i) => [`${number}.${i + 1} ${step.name}`, remark(step)] as const)
    return [
      [`${number}. ${entry.name}`, times(entry.max_iterations)],
      ...inner.map(([label, note]) => [`  ${label}`, note] as const)
    ]
  })
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, note]) => `${label.padEnd(width)}  ${note}`.trimEnd())
  return [`${name}: ${oneLine(description)}`, "", ...lines].join("\n")
}

const times = (iterations: number | "loop"): string =>
  iterations === "loop" ? "loop group: N times with --loop N, else once" : `loop group: at most ${iterations} times`

const remark = ({ when, origin, reason }: Exclude<Shown["entries"][number], { readonly steps: unknown }>): string =>
  [
    when === null ? "" : `runs ${oneLine(when)}`,
    reason === null ? "" : `(not in this build: ${oneLine(reason)})`,
    origin === "dd" ? "" : `[${oneLine(origin)}]`
  ]
    .filter((part) => part !== "")
    .join(" ")
