/**
 * A flow: a named, ordered list of steps and loop groups, and the edits that extensions can make.
 *
 * A name occurs at most once in a flow. Every edit is total: it returns the edited flow, or a refusal with the flow, the
 * anchor and the most similar name. Steps in a loop group cannot be edited, only the group as a whole.
 */
import { Result, Schema } from "effect"
import { didYouMean, nearest } from "../text/Suggestion.ts"

export interface LoopGroup {
  readonly name: string
  readonly steps: ReadonlyArray<string>
  /** The maximum number of passes; `"loop"`: N of `--loop N`, by default 1. */
  readonly maxIterations: number | "loop"
}

export type FlowEntry = string | LoopGroup

export interface Flow {
  readonly name: string
  /** One sentence for `dd flow list`. */
  readonly description: string
  readonly entries: ReadonlyArray<FlowEntry>
}

/** The name of a step, a group or a flow: lower-case words joined by hyphens. */
export const FlowName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, {
    message: "a name is lower-case words joined by hyphens, like security-scan"
  })
)

const isFlowName = Schema.is(FlowName)

export class FlowEditRefused extends Schema.TaggedError<FlowEditRefused>()("FlowEditRefused", {
  flow: Schema.String,
  /** The requested edit: `insert "lint" before "arbitre"`. */
  edit: Schema.String,
  name: Schema.String,
  reason: Schema.Literals(["not in the flow", "inside a loop group", "already in the flow", "not a name"]),
  group: Schema.NullOr(Schema.String),
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const why =
      this.reason === "inside a loop group"
        ? `"${this.name}" is inside the loop group "${this.group}", whose steps cannot be addressed; replace the group`
        : `"${this.name}" is ${this.reason}${didYouMean(this.suggestion)}`
    return `flow "${this.flow}": cannot ${this.edit}: ${why}`
  }
}

export class FlowInvalid extends Schema.TaggedError<FlowInvalid>()("FlowInvalid", {
  flow: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `flow "${this.flow}" cannot be defined: ${this.reason}`
  }
}

export const entryName = (entry: FlowEntry): string => (typeof entry === "string" ? entry : entry.name)

/** The steps of a flow in order, including those of loop groups. */
export const stepNames = (flow: Flow): ReadonlyArray<string> =>
  flow.entries.flatMap((entry) => (typeof entry === "string" ? [entry] : entry.steps))

/** Checks a flow: valid and unique names, no empty group, at least one entry. */
export const define = (flow: Flow): Result.Result<Flow, FlowInvalid> => {
  const refuse = (reason: string) => Result.fail(new FlowInvalid({ flow: flow.name, reason }))
  if (!isFlowName(flow.name)) return refuse("its name is not lower-case words joined by hyphens")
  if (flow.entries.length === 0) return refuse("it has no steps")
  const seen = new Set<string>()
  for (const entry of flow.entries) {
    const problem = entryProblem(entry)
    if (problem !== null) return refuse(problem)
    for (const name of namesOf(entry)) {
      if (seen.has(name)) return refuse(`"${name}" is in it twice`)
      seen.add(name)
    }
  }
  return Result.succeed(flow)
}

export const insertBefore = (flow: Flow, anchor: string, entry: FlowEntry): Result.Result<Flow, FlowEditRefused> =>
  insertAt(flow, anchor, entry, "before")

export const insertAfter = (flow: Flow, anchor: string, entry: FlowEntry): Result.Result<Flow, FlowEditRefused> =>
  insertAt(flow, anchor, entry, "after")

export const remove = (flow: Flow, name: string): Result.Result<Flow, FlowEditRefused> =>
  Result.map(find(flow, name, `remove "${name}"`), (index) => splice(flow, index, 1, []))

/** Replaces `name` with `entry`. */
export const replace = (flow: Flow, name: string, entry: FlowEntry): Result.Result<Flow, FlowEditRefused> => {
  const edit = `replace "${name}" with "${entryName(entry)}"`
  return Result.gen(function* () {
    const index = yield* find(flow, name, edit)
    yield* checkNewEntry(splice(flow, index, 1, []), entry, edit)
    return splice(flow, index, 1, [entry])
  })
}

/** Moves `name` next to `anchor`. To move an entry next to itself changes nothing. */
export const move = (
  flow: Flow,
  name: string,
  side: "before" | "after",
  anchor: string
): Result.Result<Flow, FlowEditRefused> => {
  const edit = `move "${name}" ${side} "${anchor}"`
  return Result.gen(function* () {
    const from = yield* find(flow, name, edit)
    yield* find(flow, anchor, edit)
    if (name === anchor) return flow
    const without = splice(flow, from, 1, [])
    const to = yield* find(without, anchor, edit)
    return splice(without, side === "before" ? to : to + 1, 0, [flow.entries[from]!])
  })
}

const insertAt = (flow: Flow, anchor: string, entry: FlowEntry, side: "before" | "after") => {
  const edit = `insert "${entryName(entry)}" ${side} "${anchor}"`
  return Result.gen(function* () {
    const index = yield* find(flow, anchor, edit)
    yield* checkNewEntry(flow, entry, edit)
    return splice(flow, side === "before" ? index : index + 1, 0, [entry])
  })
}

const splice = (flow: Flow, start: number, deleteCount: number, entries: ReadonlyArray<FlowEntry>): Flow => ({
  ...flow,
  entries: flow.entries.toSpliced(start, deleteCount, ...entries)
})

const namesOf = (entry: FlowEntry): ReadonlyArray<string> =>
  typeof entry === "string" ? [entry] : [entry.name, ...entry.steps]

const entryProblem = (entry: FlowEntry): string | null => {
  const invalid = namesOf(entry).find((name) => !isFlowName(name))
  if (invalid !== undefined) return `"${invalid}" is not lower-case words joined by hyphens`
  if (typeof entry === "string") return null
  if (entry.steps.length === 0) return `the loop group "${entry.name}" has no steps`
  const { maxIterations } = entry
  if (maxIterations !== "loop" && !(Number.isSafeInteger(maxIterations) && maxIterations > 0)) {
    return `the loop group "${entry.name}" needs a whole number of iterations, 1 or more, or "loop"`
  }
  return null
}

const find = (flow: Flow, name: string, edit: string): Result.Result<number, FlowEditRefused> => {
  const index = flow.entries.findIndex((entry) => entryName(entry) === name)
  if (index >= 0) return Result.succeed(index)
  const group = flow.entries.find((entry) => typeof entry !== "string" && entry.steps.includes(name))
  return Result.fail(
    new FlowEditRefused({
      flow: flow.name,
      edit,
      name,
      reason: group === undefined ? "not in the flow" : "inside a loop group",
      group: group === undefined ? null : entryName(group),
      suggestion: group === undefined ? nearest(name, flow.entries.map(entryName)) : null
    })
  )
}

const checkNewEntry = (flow: Flow, entry: FlowEntry, edit: string): Result.Result<void, FlowEditRefused> => {
  const refuse = (name: string, reason: "already in the flow" | "not a name") =>
    Result.fail(new FlowEditRefused({ flow: flow.name, edit, name, reason, group: null, suggestion: null }))
  if (entryProblem(entry) !== null) return refuse(entryName(entry), "not a name")
  const present = new Set(flow.entries.flatMap(namesOf))
  const seen = new Set<string>()
  for (const name of namesOf(entry)) {
    if (present.has(name) || seen.has(name)) return refuse(name, "already in the flow")
    seen.add(name)
  }
  return Result.void
}
