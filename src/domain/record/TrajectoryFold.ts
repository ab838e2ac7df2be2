/**
 * Builds trajectories from a journal: the run's own, and a sibling for each agent that worked in parallel.
 *
 * Lines go in, and steps come out as soon as nothing can change them, so memory depends on the open calls and not on the
 * length of the run. Total: any lines in any order make valid trajectories. Calls never overlap in a trajectory: a call
 * that starts while another is open goes to a sibling. Each step's cost is counted once, and the run's totals include
 * its siblings.
 */
import type { Schema } from "effect"
import { addCost, costOfCall } from "../agent/Usage.ts"
import type { AgentEvent } from "../run/AgentEvent.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { promptDigests, promptMessage } from "./promptMessage.ts"
import type { Extra, StepDraft } from "./StepDraft.ts"
import {
  atifVersion,
  Observation,
  ObservationResult,
  SubagentReference,
  type Trajectory,
  TrajectoryAgent,
  TrajectoryStep
} from "./Trajectory.ts"
import { type CallEnd, TrajectoryCall } from "./TrajectoryCall.ts"
import type { JournalLine, JournalStart } from "./TrajectoryJournal.ts"
import { TrajectoryThread } from "./TrajectoryThread.ts"
import { flowLabel, genericModels, phaseLabel, slugOf, testsField } from "./trajectoryNames.ts"

/** A step that nothing can change any more. `trajectory` is a sibling's name, or null for the run's own. */
export interface FinalStep {
  readonly trajectory: string | null
  readonly step: TrajectoryStep
}

export interface FoldOptions {
  /** The journal ends before the run did. */
  readonly partial: boolean
  /** Where a sibling will be, relative to the run's own trajectory. */
  readonly siblingPath: (name: string) => string
}

type Prompted = Extract<AgentEvent, { readonly _tag: "Prompted" }>
type Event<Tag extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: Tag }>

interface OpenCall {
  readonly number: number
  readonly phase: string
  readonly startedAt: string
  readonly thread: TrajectoryThread
  readonly task: string
  readonly extra: Extra
  /** dd's description of the task, until a step has it or the prompt that was sent. */
  description: string | null
  /** The number of its first step. */
  readonly firstStep: number
  /** The backend that answered last. */
  backend: string | null
  readonly steps: TrajectoryCall
}

export class TrajectoryFold {
  readonly #options: FoldOptions
  #start: JournalStart | null = null
  #run: Event<"RunStarted"> | null = null
  #end: Event<"RunEnded"> | null = null
  readonly #root = new TrajectoryThread(null, "")
  readonly #siblings = new Map<string, TrajectoryThread>()
  readonly #calls = new Map<number, OpenCall>()
  /** Calls that started a sibling since the last fan-out of their step, in order. Steps run beside each other. */
  readonly #fanOut = new Map<string, Array<OpenCall>>()
  /** The last call of each task that has ended. */
  readonly #lastCalls = new Map<string, number>()
  readonly #phaseEvents: Array<Schema.Json> = []
  readonly #subtrajectories: Array<Schema.Json> = []
  readonly #degraded: Array<Schema.Json> = []
  #unreadable = 0
  #at = "1970-01-01T00:00:00.000Z"
  #final: Array<FinalStep> = []

  constructor(options: FoldOptions) {
    this.#options = options
  }

  /** The steps that are final now. Null is a line that cannot be read. */
  push(line: JournalLine | null): ReadonlyArray<FinalStep> {
    if (line === null) {
      this.#unreadable++
      return []
    }
    // Times never go back, even if the clock was set back.
    if (line.at > this.#at) this.#at = line.at
    if ("journal" in line) this.#start ??= line
    if ("event" in line) this.#take(line.event)
    return this.#final.splice(0)
  }

  /** Ends what is still open. */
  finish(): ReadonlyArray<FinalStep> {
    for (const call of [...this.#calls.values()]) this.#endCall(call, { outcome: "open" })
    this.#addFanOuts()
    // A trajectory has at least one step, also that of a run without agents.
    if (this.#root.steps === 0) this.#add(this.#root, { source: "system", message: this.#withoutAgents() })
    return this.#final.splice(0)
  }

  get siblings(): ReadonlyArray<string> {
    return [...this.#siblings.keys()]
  }

  /** What precedes the steps. The model is the run's own if it has answered, else the first that has. */
  head(trajectory: string | null): Pick<Trajectory, "schema_version" | "session_id" | "agent"> {
    const { name = "daydream", version = "unknown" } = this.#start?.agent ?? {}
    const threads = trajectory === null ? [this.#root, ...this.#siblings.values()] : [this.#thread(trajectory)]
    const answered = threads.flatMap(({ models }) => [...models])
    const asked = this.#model
    // Services answer with the name of a version of the requested model.
    const isAsked = asked !== null && answered.some((each) => each.startsWith(asked))
    const model = isAsked ? asked : (answered[0] ?? null)
    return {
      schema_version: atifVersion,
      session_id: this.#session,
      agent: TrajectoryAgent.make({ name, version, ...(model === null ? {} : { model_name: model }) })
    }
  }

  /** What follows the steps, after `finish`. */
  tail(trajectory: string | null): Required<Pick<Trajectory, "final_metrics" | "extra">> {
    const thread = this.#thread(trajectory)
    const partial: Extra = this.#options.partial ? { partial: true } : {}
    if (trajectory !== null) {
      return {
        final_metrics: thread.totals(null),
        extra: { ...this.#runExtra, descriptor: thread.descriptor, ...partial }
      }
    }
    return {
      final_metrics: thread.totals([...this.#siblings.values()]),
      extra: {
        ...this.#runExtra,
        phase_events: this.#phaseEvents,
        subtrajectories: this.#subtrajectories,
        ...(this.#degraded.length === 0 ? {} : { degraded: this.#degraded }),
        ...(this.#end === null ? {} : { status: this.#end.status, findings: this.#end.findings }),
        ...(this.#unreadable === 0 ? {} : { unreadable_lines: this.#unreadable }),
        ...partial
      }
    }
  }

  get #session(): string {
    return this.#start?.sessionId ?? this.#run?.sessionId ?? "unknown"
  }

  /** The run's model, unless it is only another name of the backend. */
  get #model(): string | null {
    const { backend = "", model = "" } = this.#run ?? {}
    return model === "" || model === backend || genericModels.has(model) ? null : model
  }

  get #runExtra(): Extra {
    const run = this.#run
    const target = { target_dir: this.#start?.target ?? null }
    if (run === null) return target
    return {
      ...target,
      daydream_run_flow: flowLabel(run.flow),
      flow: run.flow,
      backend: run.backend,
      description: run.description,
      ...(run.source === undefined ? {} : { source: run.source }),
      ...(run.base === undefined ? {} : { base: run.base }),
      ...(run.head === undefined ? {} : { head: run.head }),
      ...(run.headSha === undefined ? {} : { head_sha: run.headSha }),
      ...(run.dirty === undefined ? {} : { dirty: run.dirty }),
      ...(run.resumes === undefined ? {} : { resumes: run.resumes })
    }
  }

  #thread(trajectory: string | null): TrajectoryThread {
    return (trajectory === null ? this.#root : this.#siblings.get(trajectory)) ?? this.#root
  }

  #take(event: RunEvent): void {
    switch (event._tag) {
      case "RunStarted":
        this.#run ??= event
        return
      case "StepStarted":
        this.#addPhaseEvent(event.step, "phase_start")
        return
      case "StepEnded":
        this.#addFanOut(event.step)
        this.#addPhaseEvent(event.step, "phase_end", metadataOf(event))
        return
      case "StepSkipped":
        this.#addPhaseEvent(event.step, "phase_skipped", { metadata: { reason: event.reason } })
        return
      case "AgentStarted":
        this.#startCall(event)
        return
      case "Agent":
        this.#takeAgentEvent(this.#callOf(event.call), event.event)
        return
      case "AgentEnded":
        this.#endCall(this.#callOf(event.call), event)
        return
      case "TestsEnded":
        this.#addFanOuts()
        this.#add(this.#root, this.#testStep(event))
        return
      case "Degraded":
        this.#degraded.push({ step: event.step, error: event.error, detail: event.detail, timestamp: this.#at })
        return
      case "RunEnded":
        this.#addFanOuts()
        this.#end ??= event
        return
    }
  }

  #addPhaseEvent(phase: string, event: string, more: Extra = {}): void {
    this.#phaseEvents.push({ phase, event, timestamp: this.#at, ...more })
  }

  #takeAgentEvent(call: OpenCall, event: AgentEvent): void {
    if (event._tag === "Prompted") this.#addPrompt(call, event)
    else {
      // The lines that a prompt shows may precede the prompt itself.
      if (event._tag !== "Shown") this.#addDescription(call)
      call.steps.take(this.#at, event)
    }
  }

  /** A call whose start is not in the journal is recorded, too. */
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
    const thread = event.fork === null && !this.#root.isBusy ? this.#root : this.#siblingFor(event.fork ?? event.task)
    if (thread === this.#root) this.#addFanOut(event.phase)
    const extra: Extra = {
      ...this.#phaseExtra(event.phase),
      daydream_task: event.task,
      daydream_call: event.call
    }
    const emit = (draft: StepDraft): number => {
      const isOfRun = call.backend === null || call.backend === this.#run?.backend
      const { extra: own, ...fields } = draft.fields(isOfRun ? this.#model : null)
      thread.addUsage(fields.model_name ?? null, draft.usage)
      return this.#add(thread, { ...fields, extra: { ...extra, ...own } })
    }
    const call: OpenCall = {
      number: event.call,
      task: event.task,
      phase: event.phase,
      startedAt: this.#at,
      thread,
      extra,
      description: event.prompt,
      firstStep: thread.steps + 1,
      backend: null,
      steps: new TrajectoryCall(emit)
    }
    thread.isBusy = true
    this.#calls.set(event.call, call)
    if (thread !== this.#root) this.#fanOut.set(call.phase, [...(this.#fanOut.get(call.phase) ?? []), call])
    return call
  }

  #phaseExtra(step: string): Extra {
    return {
      daydream_phase: phaseLabel(step),
      daydream_run_flow: flowLabel(this.#run?.flow ?? ""),
      daydream_step: step
    }
  }

  #testStep(event: Event<"TestsEnded">): Omit<TrajectoryStep, "step_id"> {
    const { command, durationMs, exitCode, outcome, output, reason, step, when } = event
    const results = output === "" ? [] : [ObservationResult.make({ content: output })]
    return {
      source: "system",
      message: `Tests ${when}: ${outcome}`,
      ...(results.length === 0 ? {} : { observation: Observation.make({ results }) }),
      extra: {
        ...this.#phaseExtra(step),
        daydream_phase: "test",
        [testsField]: { command, outcome, exit_code: exitCode, duration_ms: durationMs, reason }
      }
    }
  }

  /** Describes the task of a call whose prompt was not recorded. */
  #addDescription(call: OpenCall): void {
    const { description, extra, startedAt, thread } = call
    call.description = null
    if (description !== null) this.#add(thread, { timestamp: startedAt, source: "user", message: description, extra })
  }

  #addPrompt(call: OpenCall, prompt: Prompted): void {
    const { description, extra, startedAt, task, thread } = call
    call.description = null
    call.steps.flush()
    call.backend = prompt.backend
    const before = this.#lastCalls.get(task)
    const continues = prompt.continues && before !== undefined ? { daydream_continues: before } : {}
    const timestamp = description === null ? this.#at : startedAt
    for (const source of ["system", "user"] as const) {
      const blocks = prompt[source]
      if (blocks.length === 0) continue
      const promptExtra = { daydream_backend: prompt.backend, ...continues, ...promptDigests(blocks) }
      this.#add(thread, { timestamp, source, message: promptMessage(blocks), extra: { ...extra, ...promptExtra } })
    }
  }

  #endCall(call: OpenCall, end: CallEnd): void {
    this.#addDescription(call)
    call.steps.end(this.#at, end)
    this.#lastCalls.set(call.task, call.number)
    this.#calls.delete(call.number)
    const { firstStep, phase, startedAt, thread } = call
    thread.isBusy = false
    thread.cost = addCost(thread.cost, costOfCall(call.steps.usage))
    this.#subtrajectories.push({
      phase: phaseLabel(phase),
      started_at: startedAt,
      ended_at: this.#at,
      outcome: end.outcome,
      ...(call.backend === null ? {} : { backend: call.backend }),
      daydream_step: phase,
      daydream_call: call.number,
      ...(thread.name === null
        ? { step_ids: Array.from({ length: thread.steps - firstStep + 1 }, (_, i) => firstStep + i) }
        : { descriptor: thread.descriptor, sibling_trajectory_ref: this.#referenceTo(thread.name) })
    })
  }

  /** The descriptor's own sibling, or another one while that is busy. */
  #siblingFor(descriptor: string): TrajectoryThread {
    const slug = slugOf(descriptor)
    for (let n = 1; ; n++) {
      const name = n === 1 ? slug : `${slug}-${n}`
      const thread = this.#siblings.get(name)
      if (thread === undefined) {
        const created = new TrajectoryThread(name, descriptor)
        this.#siblings.set(name, created)
        return created
      }
      if (thread.descriptor === descriptor && !thread.isBusy) return thread
    }
  }

  #addFanOuts(): void {
    for (const phase of [...this.#fanOut.keys()]) this.#addFanOut(phase)
  }

  /** One step of the run's own trajectory refers to all siblings that worked in parallel. */
  #addFanOut(phase: string): void {
    const calls = this.#fanOut.get(phase) ?? []
    const [first] = calls
    if (first === undefined) return
    this.#fanOut.delete(phase)
    const threads = [...new Set(calls.map(({ thread }) => thread))]
    const results = threads.map(({ descriptor, name }) =>
      ObservationResult.make({
        content: `Dispatched to ${descriptor}`,
        subagent_trajectory_ref: [SubagentReference.make(this.#referenceTo(name ?? ""))]
      })
    )
    const tasks = `${phaseLabel(first.phase)} ${threads.length === 1 ? "task" : "tasks"}`
    this.#add(this.#root, {
      timestamp: first.startedAt,
      source: "agent",
      message: `Dispatching ${threads.length} parallel ${tasks}`,
      observation: Observation.make({ results }),
      extra: this.#phaseExtra(first.phase)
    })
  }

  #referenceTo(name: string) {
    return { session_id: this.#session, trajectory_path: this.#options.siblingPath(name) }
  }

  /** Returns the number of the step. */
  #add(thread: TrajectoryThread, fields: Omit<TrajectoryStep, "step_id">): number {
    thread.steps++
    const timestamp = fields.timestamp ?? this.#at
    if (timestamp > thread.at) thread.at = timestamp
    const step = TrajectoryStep.make({ step_id: thread.steps, ...fields, timestamp: thread.at })
    this.#final.push({ trajectory: thread.name, step })
    return thread.steps
  }

  #withoutAgents(): string {
    const run = this.#run === null ? "The run" : `The ${this.#run.flow} review of ${this.#run.description}`
    return this.#end === null ? `${run} ended before an agent was called.` : `${run} called no agent.`
  }
}

const metadataOf = ({ outcome, summary }: Event<"StepEnded">): Extra =>
  summary === "" && outcome === undefined
    ? {}
    : { metadata: { ...(summary === "" ? {} : { summary }), ...(outcome === undefined ? {} : { outcome }) } }
