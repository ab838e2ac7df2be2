/**
 * Makes trajectories of a journal: the run's own, and one for each agent that worked beside others.
 *
 * Lines go in, steps come out as soon as nothing can change them, so a run of any length takes the memory of what is
 * open. Total: any lines in any order make valid trajectories. In none of them do two calls overlap: a call that begins
 * while another is open is told in a sibling. Every step's cost is counted once, and the run's totals are the sums over
 * its own steps and those of its siblings. Source: reference §5.3-5.5.
 */
import type { Schema } from "effect"
import type { RunEvent } from "./RunEvent.ts"
import {
  atifVersion,
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
import { addUsage, nothingKnown, type Usage } from "./Usage.ts"

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

  /** Says which model answered as soon as a step of the trajectory has. */
  head(trajectory: string | null): Head {
    const { name = "daydream", version = "unknown" } = this.#begun?.agent ?? {}
    const model = this.#model ?? this.#thread(trajectory).model
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
        final_metrics: totals(thread.steps, thread.usage, null),
        extra: { ...this.#about, descriptor: thread.descriptor ?? trajectory, ...partial }
      }
    }
    const all = [...this.#siblings.values()].reduce((sum, { usage }) => addUsage(sum, usage), thread.usage)
    return {
      final_metrics: totals(thread.steps, all, wholeRun),
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
            ...(run.head === undefined ? {} : { head: run.head })
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
      case "Agent":
        this.#callOf(event.call).told.take(this.#at, event.event)
        return
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
      const { extra, ...fields } = draft.fields(this.#model)
      thread.learn(draft.model, draft.usage)
      return this.#tell(thread, { ...fields, extra: { ...about, ...extra } })
    }
    const startedAt = this.#at
    const first = this.#tell(thread, { timestamp: startedAt, source: "user", message: event.prompt, extra: about })
    const call: OpenCall = {
      number: event.call,
      phase: event.phase,
      startedAt,
      thread,
      first,
      told: new TrajectoryCall(leave)
    }
    thread.open++
    this.#calls.set(event.call, call)
    if (thread !== this.#root) this.#fanOut.push(call)
    return call
  }

  #endCall(call: OpenCall, end: CallEnd): void {
    call.told.end(this.#at, end)
    this.#calls.delete(call.number)
    call.thread.open--
    const { first, phase, startedAt, thread } = call
    const times = {
      phase: phaseLabel(phase),
      started_at: startedAt,
      ended_at: this.#at,
      outcome: end.outcome,
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
  /** The number of its user step. */
  readonly first: number
  readonly told: TrajectoryCall
}

/** How far a trajectory has come. */
class Thread {
  readonly name: string | null
  readonly descriptor: string | null
  steps = 0
  /** Calls that are open in it: one at most. */
  open = 0
  at = ""
  usage: Usage = nothingKnown
  model: string | null = null

  constructor(name: string | null, descriptor: string | null) {
    this.name = name
    this.descriptor = descriptor
  }

  learn(model: string | null, usage: Usage): void {
    this.model ??= model
    this.usage = addUsage(this.usage, usage)
  }
}

const totals = (steps: number, usage: Usage, scope: typeof wholeRun | null): FinalMetrics => {
  const { cachedTokens, completionTokens, costUsd, promptTokens, reasoningTokens } = usage
  return FinalMetrics.make({
    ...(promptTokens === null ? {} : { total_prompt_tokens: promptTokens }),
    ...(completionTokens === null ? {} : { total_completion_tokens: completionTokens }),
    ...(cachedTokens === null ? {} : { total_cached_tokens: cachedTokens }),
    ...(costUsd === null ? {} : { total_cost_usd: costUsd }),
    total_steps: steps,
    ...(scope === null && reasoningTokens === null
      ? {}
      : {
          extra: {
            ...(scope === null ? {} : { daydream_metric_scope: scope }),
            ...(reasoningTokens === null ? {} : { total_reasoning_tokens: reasoningTokens })
          }
        })
  })
}

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
