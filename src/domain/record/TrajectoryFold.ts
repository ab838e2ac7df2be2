/**
 * Makes trajectories of a journal: the run's own, and one for each agent that worked beside others.
 *
 * Lines go in, steps come out as soon as nothing can change them, so a run of any length takes the memory of what is
 * open. Total: any lines in any order make valid trajectories. In none of them do two calls overlap: a call that begins
 * while another is open is told in a sibling. Every step's cost is counted once, and the run's totals are the sums over
 * its own steps and those of its siblings. Source: reference §5.3-5.5.
 */
import type { Schema } from "effect"
import { roundedUsd } from "../agent/RunCost.ts"
import { addCost, addUsage, type CallCost, costOfCall, nothingKnown, nothingSpent, type Usage } from "../agent/Usage.ts"
import type { AgentEvent, PromptBlock } from "../run/AgentEvent.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import {
  atifVersion,
  ContentPart,
  FinalMetrics,
  Observation,
  ObservationResult,
  SubagentReference,
  Trajectory,
  TrajectoryAgent,
  TrajectoryStep,
  wholeRun
} from "./Trajectory.ts"
import { type CallEnd, TrajectoryCall } from "./TrajectoryCall.ts"
import type { Extra, TrajectoryDraft } from "./TrajectoryDraft.ts"
import { endsWell, type JournalBegun, type JournalLine } from "./TrajectoryJournal.ts"

/** A step that is final. `trajectory` is a sibling's name, or null for the run's own. */
export interface Told {
  readonly trajectory: string | null
  readonly step: TrajectoryStep
}

/** What stands before the steps of a trajectory, and what behind them. */
export type Head = Pick<Trajectory, "schema_version" | "session_id" | "agent">
export type Tail = Required<Pick<Trajectory, "final_metrics" | "extra">>

export interface FoldOptions {
  /** The record ends before the run did. */
  readonly partial: boolean
  /** Where a sibling will be, relative to the run's own trajectory. */
  readonly siblingPath: (name: string) => string
}

type Prompted = Extract<AgentEvent, { readonly _tag: "Prompted" }>
type Event<Tag extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: Tag }>

export class TrajectoryFold {
  readonly #options: FoldOptions
  #begun: JournalBegun | null = null
  #run: Event<"RunStarted"> | null = null
  #ended: Event<"RunEnded"> | null = null
  readonly #root = new Thread(null, null)
  readonly #siblings = new Map<string, Thread>()
  readonly #calls = new Map<number, OpenCall>()
  /** Siblings that began since the last fan-out was told, in order of their start. */
  #fanOut: Array<OpenCall> = []
  /** The last call of each task that has ended. */
  readonly #lastCalls = new Map<string, number>()
  readonly #phaseEvents: Array<Schema.Json> = []
  readonly #subtrajectories: Array<Schema.Json> = []
  readonly #degraded: Array<Schema.Json> = []
  #unreadable = 0
  #at = "1970-01-01T00:00:00.000Z"
  #told: Array<Told> = []

  constructor(options: FoldOptions) {
    this.#options = options
  }

  /** The steps that are final now. Null stands for a line that cannot be read. */
  push(line: JournalLine | null): ReadonlyArray<Told> {
    if (line === null) {
      this.#unreadable++
      return []
    }
    // A clock that was set back does not turn the record round.
    if (line.at > this.#at) this.#at = line.at
    if ("journal" in line) this.#begun ??= line
    if ("event" in line) this.#happened(line.event)
    return this.#told.splice(0)
  }

  /** Everything that is still open, as it stands. */
  finish(): ReadonlyArray<Told> {
    for (const call of [...this.#calls.values()]) this.#endCall(call, { outcome: "open" })
    this.#tellFanOut()
    // A trajectory has at least one step, and a run that asked nobody was a run.
    if (this.#root.steps === 0)
      this.#tell(this.#root, { timestamp: this.#at, source: "system", message: this.#silence() })
    return this.#told.splice(0)
  }

  /** Names of the siblings, in order of their start. */
  get siblings(): ReadonlyArray<string> {
    return [...this.#siblings.keys()]
  }

  /** Names the model that has answered so far, in the run or in the sibling: the run's own, or else the first. */
  head(trajectory: string | null): Head {
    const { name = "daydream", version = "unknown" } = this.#begun?.agent ?? {}
    const threads = trajectory === null ? [this.#root, ...this.#siblings.values()] : [this.#thread(trajectory)]
    const answered = threads.flatMap(({ models }) => [...models])
    const asked = this.#model
    // Services answer with the name of a version behind the name that was asked for.
    const isAsked = asked !== null && answered.some((each) => each.startsWith(asked))
    const model = isAsked ? asked : (answered[0] ?? null)
    return {
      schema_version: atifVersion,
      session_id: this.#session,
      agent: TrajectoryAgent.make({ name, version, ...(model === null ? {} : { model_name: model }) })
    }
  }

  /** Of `finish`ed trajectories. */
  tail(trajectory: string | null): Tail {
    const thread = this.#thread(trajectory)
    const partial: Extra = this.#options.partial ? { partial: true } : {}
    if (trajectory !== null) {
      return {
        final_metrics: totals(thread.steps, thread.usage, thread.cost, null),
        extra: { ...this.#about, descriptor: thread.descriptor ?? trajectory, ...partial }
      }
    }
    const siblings = [...this.#siblings.values()]
    const usage = siblings.reduce((sum, each) => addUsage(sum, each.usage), thread.usage)
    const cost = siblings.reduce((sum, each) => addCost(sum, each.cost), thread.cost)
    return {
      final_metrics: totals(thread.steps, usage, cost, wholeRun),
      extra: {
        ...this.#about,
        phase_events: this.#phaseEvents,
        subtrajectories: this.#subtrajectories,
        ...(this.#degraded.length === 0 ? {} : { degraded: this.#degraded }),
        ...(this.#ended === null ? {} : { status: this.#ended.status, findings: this.#ended.findings }),
        ...(this.#unreadable === 0 ? {} : { unreadable_lines: this.#unreadable }),
        ...partial
      }
    }
  }

  get #session(): string {
    return this.#begun?.sessionId ?? this.#run?.sessionId ?? "unknown"
  }

  /** The run's model, unless it is only another word for the backend. */
  get #model(): string | null {
    const { backend = "", model = "" } = this.#run ?? {}
    return model === "" || model === backend || generic.has(model) ? null : model
  }

  get #about(): Extra {
    const run = this.#run
    return {
      target_dir: this.#begun?.target ?? null,
      ...(run === null
        ? {}
        : {
            daydream_run_flow: flowLabel(run.flow),
            flow: run.flow,
            backend: run.backend,
            description: run.description,
            ...(run.source === undefined ? {} : { source: run.source }),
            ...(run.base === undefined ? {} : { base: run.base }),
            ...(run.head === undefined ? {} : { head: run.head }),
            ...(run.headSha === undefined ? {} : { head_sha: run.headSha }),
            ...(run.dirty === undefined ? {} : { dirty: run.dirty })
          })
    }
  }

  #thread(trajectory: string | null): Thread {
    return (trajectory === null ? this.#root : this.#siblings.get(trajectory)) ?? this.#root
  }

  #happened(event: RunEvent): void {
    switch (event._tag) {
      case "RunStarted":
        this.#run ??= event
        return
      case "StepStarted":
        this.#phaseEvents.push({ phase: event.step, event: "phase_start", timestamp: this.#at })
        return
      case "StepEnded":
        this.#tellFanOut()
        this.#phaseEvents.push({ phase: event.step, event: "phase_end", timestamp: this.#at, ...metadataOf(event) })
        return
      case "StepSkipped":
        this.#phaseEvents.push({
          phase: event.step,
          event: "phase_skipped",
          timestamp: this.#at,
          metadata: { reason: event.reason }
        })
        return
      case "AgentStarted":
        this.#startCall(event)
        return
      case "Agent": {
        const call = this.#callOf(event.call)
        if (event.event._tag === "Prompted") this.#prompt(call, event.event)
        else {
          // The lines that a prompt shows may come before the prompt itself.
          if (event.event._tag !== "Shown") this.#prompt(call, null)
          call.told.take(this.#at, event.event)
        }
        return
      }
      case "AgentEnded":
        this.#endCall(this.#callOf(event.call), event)
        return
      case "Degraded":
        this.#degraded.push({ step: event.step, error: event.error, detail: event.detail, timestamp: this.#at })
        return
      case "RunEnded":
        this.#tellFanOut()
        this.#ended ??= event
        return
    }
  }

  /** A call whose beginning was lost is told all the same. */
  #callOf(number: number): OpenCall {
    const prompt = "(The beginning of this call is not in the record.)"
    return (
      this.#calls.get(number) ??
      this.#startCall({ call: number, task: "unknown", phase: "unknown", fork: null, prompt })
    )
  }

  #startCall(event: Omit<Event<"AgentStarted">, "_tag">): OpenCall {
    const before = this.#calls.get(event.call)
    if (before !== undefined) this.#endCall(before, { outcome: "open" })
    const thread =
      event.fork === null && this.#root.open === 0 ? this.#root : this.#siblingFor(event.fork ?? event.task)
    if (thread === this.#root) this.#tellFanOut()
    const about: Extra = {
      daydream_phase: phaseLabel(event.phase),
      daydream_run_flow: flowLabel(this.#run?.flow ?? ""),
      daydream_step: event.phase,
      daydream_task: event.task,
      daydream_call: event.call
    }
    const leave = (draft: TrajectoryDraft): number => {
      const isOfRun = call.backend === null || call.backend === this.#run?.backend
      const { extra, ...fields } = draft.fields(isOfRun ? this.#model : null)
      thread.learn(fields.model_name ?? null, draft.usage)
      return this.#tell(thread, { ...fields, extra: { ...about, ...extra } })
    }
    const call: OpenCall = {
      number: event.call,
      task: event.task,
      phase: event.phase,
      startedAt: this.#at,
      thread,
      about,
      unsent: event.prompt,
      first: thread.steps + 1,
      backend: null,
      told: new TrajectoryCall(leave)
    }
    thread.open++
    this.#calls.set(event.call, call)
    if (thread !== this.#root) this.#fanOut.push(call)
    return call
  }

  /** Tells the prompt that was sent; null: dd's words for the task, unless a prompt was told before. */
  #prompt(call: OpenCall, prompt: Prompted | null): void {
    const { about, startedAt, task, thread, unsent } = call
    call.unsent = null
    if (prompt === null) {
      if (unsent !== null) this.#tell(thread, { timestamp: startedAt, source: "user", message: unsent, extra: about })
      return
    }
    call.told.flush()
    call.backend = prompt.backend
    const before = this.#lastCalls.get(task)
    const continues = prompt.continues && before !== undefined ? { daydream_continues: before } : {}
    const timestamp = unsent === null ? this.#at : startedAt
    for (const source of ["system", "user"] as const) {
      const blocks = prompt[source]
      if (blocks.length === 0) continue
      const extra = { ...about, daydream_backend: prompt.backend, ...continues, ...digestsOf(blocks) }
      this.#tell(thread, { timestamp, source, message: messageOf(blocks), extra })
    }
  }

  #endCall(call: OpenCall, end: CallEnd): void {
    this.#prompt(call, null)
    call.told.end(this.#at, end)
    this.#lastCalls.set(call.task, call.number)
    this.#calls.delete(call.number)
    call.thread.open--
    const { first, phase, startedAt, thread } = call
    thread.cost = addCost(thread.cost, costOfCall(call.told.usage))
    const times = {
      phase: phaseLabel(phase),
      started_at: startedAt,
      ended_at: this.#at,
      outcome: end.outcome,
      ...(call.backend === null ? {} : { backend: call.backend }),
      daydream_step: phase,
      daydream_call: call.number
    }
    this.#subtrajectories.push(
      thread.name === null
        ? { ...times, step_ids: Array.from({ length: thread.steps - first + 1 }, (_, i) => first + i) }
        : {
            ...times,
            descriptor: thread.descriptor ?? thread.name,
            sibling_trajectory_ref: this.#referenceTo(thread.name)
          }
    )
  }

  /** The descriptor's own sibling, or another one while that is busy. */
  #siblingFor(descriptor: string): Thread {
    const slug = slugOf(descriptor)
    for (let n = 1; ; n++) {
      const name = n === 1 ? slug : `${slug}-${n}`
      const thread = this.#siblings.get(name)
      if (thread === undefined) {
        const made = new Thread(name, descriptor)
        this.#siblings.set(name, made)
        return made
      }
      if (thread.descriptor === descriptor && thread.open === 0) return thread
    }
  }

  /** One step of the run's own trajectory for all that was done beside it. */
  #tellFanOut(): void {
    const [first] = this.#fanOut
    if (first === undefined) return
    const threads = [...new Set(this.#fanOut.map(({ thread }) => thread))]
    this.#fanOut = []
    const results = threads.map(({ descriptor, name }) =>
      ObservationResult.make({
        content: `Dispatched to ${descriptor ?? name}`,
        subagent_trajectory_ref: [SubagentReference.make(this.#referenceTo(name ?? ""))]
      })
    )
    const phase = phaseLabel(first.phase)
    this.#tell(this.#root, {
      timestamp: first.startedAt,
      source: "agent",
      message: `Dispatching ${threads.length} parallel ${phase} ${threads.length === 1 ? "task" : "tasks"}`,
      observation: Observation.make({ results }),
      extra: {
        daydream_phase: phase,
        daydream_run_flow: flowLabel(this.#run?.flow ?? ""),
        daydream_step: first.phase
      }
    })
  }

  #referenceTo(name: string) {
    return { session_id: this.#session, trajectory_path: this.#options.siblingPath(name) }
  }

  #tell(thread: Thread, fields: Omit<TrajectoryStep, "step_id"> & { readonly timestamp?: string | null }) {
    thread.steps++
    const timestamp = fields.timestamp ?? this.#at
    if (timestamp > thread.at) thread.at = timestamp
    const step = TrajectoryStep.make({ step_id: thread.steps, ...fields, timestamp: thread.at })
    this.#told.push({ trajectory: thread.name, step })
    return thread.steps
  }

  #silence(): string {
    const what = this.#run === null ? "The run" : `The ${this.#run.flow} review of ${this.#run.description}`
    return this.#ended === null ? `${what} ended before an agent was asked.` : `${what} asked no agent.`
  }
}

/** All trajectories of a journal at once; what `TrajectoryFold` tells, collected. */
export const trajectoriesOf = (
  lines: Iterable<JournalLine | null>,
  siblingPath: FoldOptions["siblingPath"] = (name) => `trajectories/${name}.json`
): { readonly root: Trajectory; readonly siblings: ReadonlyMap<string, Trajectory> } => {
  const all = [...lines]
  const partial = !all.some((line) => line !== null && endsWell(line))
  const fold = new TrajectoryFold({ partial, siblingPath })
  const steps = new Map<string | null, Array<TrajectoryStep>>()
  const keep = ({ step, trajectory }: Told) => {
    const before = steps.get(trajectory)
    if (before === undefined) steps.set(trajectory, [step])
    else before.push(step)
  }
  for (const line of all) fold.push(line).forEach(keep)
  fold.finish().forEach(keep)
  const whole = (name: string | null): Trajectory => {
    const [first, ...rest] = steps.get(name) ?? []
    if (first === undefined) throw new Error("a trajectory without a step was told")
    return Trajectory.make({ ...fold.head(name), steps: [first, ...rest], ...fold.tail(name) })
  }
  return { root: whole(null), siblings: new Map(fold.siblings.map((name) => [name, whole(name)])) }
}

interface OpenCall {
  readonly number: number
  readonly phase: string
  readonly startedAt: string
  readonly thread: Thread
  readonly task: string
  readonly about: Extra
  /** dd's words for the task, until they or the prompt that was sent are told. */
  unsent: string | null
  /** The number of its first step. */
  readonly first: number
  /** The backend that answered last. */
  backend: string | null
  readonly told: TrajectoryCall
}

/** One text is a string; several are parts. A text that was sent before is only a digest. */
const messageOf = (blocks: ReadonlyArray<PromptBlock>): TrajectoryStep["message"] => {
  const texts = blocks.map(({ sha256, text }) => text ?? `[the same text as before, sha256 ${sha256 ?? "unknown"}]`)
  const [only = "", ...more] = texts
  return more.length === 0 ? only : texts.map((text) => ContentPart.make({ type: "text", text }))
}

const digestsOf = (blocks: ReadonlyArray<PromptBlock>): Extra =>
  blocks.some(({ sha256 }) => sha256 !== undefined)
    ? {
        daydream_prompt: blocks.map(({ sha256 = "", text }) =>
          text === undefined ? { sha256, repeated: true } : { sha256 }
        )
      }
    : {}

/** How far a trajectory has come. */
class Thread {
  readonly name: string | null
  readonly descriptor: string | null
  steps = 0
  /** Calls that are open in it: one at most. */
  open = 0
  at = ""
  usage: Usage = nothingKnown
  cost: CallCost = nothingSpent
  /** Those that have answered. */
  readonly models = new Set<string>()

  constructor(name: string | null, descriptor: string | null) {
    this.name = name
    this.descriptor = descriptor
  }

  learn(model: string | null, usage: Usage): void {
    if (model !== null) this.models.add(model)
    this.usage = addUsage(this.usage, usage)
  }
}

const totals = (
  steps: number,
  { cachedTokens, completionTokens, promptTokens, reasoningTokens }: Usage,
  { source, usd }: CallCost,
  scope: typeof wholeRun | null
): FinalMetrics =>
  FinalMetrics.make({
    ...(promptTokens === null ? {} : { total_prompt_tokens: promptTokens }),
    ...(completionTokens === null ? {} : { total_completion_tokens: completionTokens }),
    ...(cachedTokens === null ? {} : { total_cached_tokens: cachedTokens }),
    ...(usd === null ? {} : { total_cost_usd: roundedUsd(usd) }),
    total_steps: steps,
    extra: {
      cost_source: source,
      ...(scope === null ? {} : { daydream_metric_scope: scope }),
      ...(reasoningTokens === null ? {} : { total_reasoning_tokens: reasoningTokens })
    }
  })

const metadataOf = ({ outcome, summary }: Event<"StepEnded">): Extra =>
  summary === "" && outcome === undefined
    ? {}
    : { metadata: { ...(summary === "" ? {} : { summary }), ...(outcome === undefined ? {} : { outcome }) } }

/** Lower case, `a-z 0-9 -`, no two hyphens in a row, none at either end; "agent" when nothing is left. */
export const slugOf = (descriptor: string): string =>
  descriptor
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 100)
    .replaceAll(/^-+|-+$/g, "") || "agent"

/** Labels of a model that name none. */
const generic: ReadonlySet<string> = new Set(["claude", "codex", "pi", "static"])

/** The record's words for flows and phases are those of the seed's program, so that its readers know them. */
const flowLabels = new Map([
  ["shallow", "normal"],
  ["review", "ttt"],
  ["pr-feedback", "pr"]
])
const flowLabel = (flow: string): string => flowLabels.get(flow) ?? "deep"

const phaseLabels = new Map([
  ["per-stack-reviews", "deep"],
  ["per-stack-parse", "parse"],
  ["arbiter", "deep"],
  ["merge", "deep"]
])
const phaseLabel = (phase: string): string => phaseLabels.get(phase) ?? phase
