/**
 * Computes the view of a session from its events. Total: any order and any gap gives a view; a result without a beginning is a
 * step of its own, a beginning without a result stays in flight. Linear in the number of events.
 */

import { isMilestone, type ReadCommand, readCommand } from "./commandFamily.ts"
import { errorSignature, filesNamedIn } from "./errorSignature.ts"
import { placedSteps } from "./repository/workingTree.ts"
import type { SessionEvent } from "./SessionEvent.ts"
import type {
  ActivityPhase,
  CallResult,
  Denial,
  HealthPhase,
  Injection,
  Milestone,
  PhaseChange,
  SessionOutcome,
  SessionSample,
  SessionStep,
  SessionView
} from "./SessionView.ts"
import { SessionFigures } from "./sessionFigures.ts"
import { sessionLoops } from "./sessionLoops.ts"
import { Hysteresis, judgedActivity, judgedHealth, type Period, stepsOfPeriod } from "./sessionPhases.ts"

/** A session that ends without saying so is ended after this silence, in milliseconds. */
export const silenceThatEnds = 30 * 60_000
/** A call without a declared timeout is in flight for at most this long, in milliseconds. */
const longestCall = 10 * 60_000

/** Null without events. All events are of one session, in the order of the spool. */
export const viewOfSession = (events: ReadonlyArray<SessionEvent>): SessionView | null => {
  const first = events[0]
  if (first === undefined) return null
  const last = <Key extends "branch" | "head" | "main" | "root">(key: Key) =>
    events.findLast((event) => event[key] !== undefined)?.[key]
  const ends = events.findLastIndex(({ kind }) => kind === "session_end")
  // A session that was resumed after its end goes on.
  const isOver = ends >= 0 && !events.slice(ends + 1).some(({ kind }) => kind !== "stop" && kind !== "subagent_stop")
  const { injections, steps, turns } = stepsOf(events)
  const figures = figuresOf(steps)
  const main = last("main")
  return {
    session: first.session,
    host: first.host,
    project: first.project,
    root: last("root") ?? first.root,
    ...(main === undefined ? {} : { main }),
    branch: last("branch") ?? null,
    head: last("head") ?? null,
    startedAt: first.at,
    lastAt: events.reduce((latest, { at }) => Math.max(latest, at), first.at),
    endedAt: isOver ? events[ends]!.at : null,
    outcome: isOver ? outcomeOf(events, events[ends]!, steps) : "open",
    turns,
    events: events.length,
    steps,
    ...figures,
    denials: steps.flatMap(
      ({ family, result, step, tool, turn }): ReadonlyArray<Denial> =>
        result === "denied" ? [{ step, turn, tool, family }] : []
    ),
    loops: sessionLoops(steps),
    injections,
    goal:
      events.find(({ kind, text }) => kind === "prompt" && text !== undefined && text.start.trim().length >= 10)?.text
        ?.start ?? "",
    commits: steps.flatMap(({ command, purpose, result }) => {
      const subject = result === "ok" && purpose === "commit" ? subjectOf(command ?? "") : null
      return subject === null ? [] : [subject]
    })
  }
}

/**
 * Until when calls of tools are in flight if nothing else happens: until their timeouts; 0 for none, infinity while the
 * assistant has background tasks.
 */
export const busyUntil = (events: ReadonlyArray<SessionEvent>): number => {
  const open = new Map<string, number>()
  let background = 0
  for (const event of events) {
    if (event.kind === "tool_pre" && event.call !== undefined)
      open.set(event.call, event.at + (event.timeout ?? longestCall))
    else if (event.call !== undefined) open.delete(event.call)
    if (event.kind === "stop") background = event.background ?? 0
    // A session that goes on after its end has lost the calls of before.
    if (event.kind === "session_end") {
      open.clear()
      background = 0
    }
  }
  return background > 0 ? Number.POSITIVE_INFINITY : Math.max(0, ...open.values())
}

/** A last event in the future counts as silence, too: the clock that wrote it was wrong. */
export const isSilent = (lastAt: number, duration: number, now: number): boolean => Math.abs(now - lastAt) >= duration

/** What became of a session, also if it ended without saying so. */
export const outcomeAt = (view: SessionView, events: ReadonlyArray<SessionEvent>, now: number): SessionOutcome => {
  if (view.outcome !== "open" || !isSilent(view.lastAt, silenceThatEnds, now)) return view.outcome
  const kind = events.at(-1)?.kind
  // Codex never reports the end of a session.
  if (kind === "stop_fail") return "failed"
  return view.host === "codex" && kind === "stop" ? "clean" : "interrupted"
}

interface Steps {
  readonly steps: ReadonlyArray<SessionStep>
  readonly turns: number
  readonly injections: ReadonlyArray<Injection>
}

const stepsOf = (events: ReadonlyArray<SessionEvent>): Steps => {
  const steps: Array<SessionStep> = []
  const began: Array<SessionEvent> = []
  const injections: Array<Injection> = []
  const open = new Map<string, number>()
  // A session repeats its commands.
  const commands = new Map<string, ReadCommand | null>()
  /** The steps that started commands in the background, by their tasks. */
  const tasks = new Map<string, number>()
  let turns = 0
  for (const event of events) {
    if (event.kind === "prompt") turns++
    if (event.injection !== undefined)
      injections.push({ ...event.injection, step: steps.length, turn: turns, at: event.at })
    const started = event.task === undefined || event.action === "run" ? undefined : tasks.get(event.task)
    if (started !== undefined && event.verdict !== undefined) {
      const step = steps[started]!
      const isHidden = commands.get(step.command ?? "")?.hidesExit === true
      const end = isHidden ? "unknown" : event.verdict === "passed" ? "ok" : event.verdict
      // It is told twice if the assistant asks after the notice: the first one that has the error counts.
      if (step.result === "unknown" || (step.error === null && event.error !== undefined))
        steps[started] = withResult(step, event, end)
    }
    const begun = event.call === undefined ? undefined : open.get(event.call)
    const command = event.command ?? steps[begun ?? -1]?.command ?? null
    if (command !== null && !commands.has(command)) commands.set(command, readCommand(command))
    const read = commands.get(command ?? "") ?? null
    const result = resultOf(event, read)
    if (result === null) continue
    if (begun === undefined) {
      if (event.call !== undefined && event.kind === "tool_pre") open.set(event.call, steps.length)
      began.push(event)
      steps.push(stepFrom(event, read, result, turns, steps.length + 1))
    } else if (event.kind !== "tool_pre") {
      steps[begun] = withResult(steps[begun]!, event, result)
      open.delete(event.call!)
    }
    if (event.task !== undefined && event.action === "run") tasks.set(event.task, begun ?? steps.length - 1)
  }
  return { steps: placedSteps(steps, began), turns, injections }
}

const resultOf = (
  { action, exit, interrupted, kind, verdict }: SessionEvent,
  read: ReadCommand | null
): CallResult | null => {
  switch (kind) {
    case "tool_pre":
      return "in flight"
    case "tool_ok":
      // The verdict of another call is that of the background command it asks for.
      return verdict === undefined || verdict === "passed" || action !== "run" ? "ok" : verdict
    case "tool_fail":
      if (interrupted) return "interrupted"
      // 123 is what `xargs` makes of it.
      if (read?.answers === true && (exit === 1 || exit === 123)) return "ok"
      return verdict === "passed" ? "ok" : (verdict ?? "failed")
    case "denied":
      return "denied"
    default:
      return null
  }
}

const stepFrom = (
  event: SessionEvent,
  read: ReadCommand | null,
  result: CallResult,
  turn: number,
  step: number
): SessionStep => {
  const begun: SessionStep = {
    step,
    turn,
    at: event.at,
    endedAt: null,
    tool: event.tool ?? "",
    action: event.action ?? "other",
    result: "in flight",
    family: read?.family ?? null,
    command: event.command ?? null,
    folder: "",
    scope: read?.scope ?? [],
    purpose: read?.purpose ?? null,
    files: event.files ?? [],
    args: event.args ?? null,
    output: null,
    error: null,
    named: [],
    agent: event.agent ?? null
  }
  return result === "in flight" ? begun : withResult(begun, event, result)
}

const withResult = (step: SessionStep, event: SessionEvent, result: CallResult): SessionStep => {
  const error = event.error ?? (result === "failed" ? event.text?.start : undefined)
  return {
    ...step,
    result,
    endedAt: event.at,
    files: step.files.length > 0 ? step.files : (event.files ?? []),
    output: event.text?.hash ?? null,
    error: result === "failed" && error !== undefined ? errorSignature(error, step.family) : null,
    named: result === "failed" && error !== undefined ? filesNamedIn(error, event.root) : []
  }
}

const figuresOf = (
  steps: ReadonlyArray<SessionStep>
): Pick<SessionView, "activity" | "health" | "milestones" | "samples"> => {
  const figures = new SessionFigures()
  const health = new Hysteresis<HealthPhase>("Warmup", new Set(["Late"]))
  const activity = new Hysteresis<ActivityPhase>("Orientation")
  const start = { turn: steps[0]?.turn ?? 0, step: 0, at: steps[0]?.at ?? 0, reason: "start" }
  const changes = {
    health: [{ phase: health.current, ...start }] as Array<PhaseChange<HealthPhase>>,
    activity: [{ phase: activity.current, ...start }] as Array<PhaseChange<ActivityPhase>>
  }
  const milestones: Array<Milestone> = []
  const samples: Array<SessionSample> = []
  const periods: Array<Period> = []
  let period: Period & { readonly steps: number } = emptyPeriod
  let hasEdited = false
  const sample = (at: Pick<SessionSample, "at" | "step" | "turn">) => {
    const { debt, errors, focus, trust } = figures
    const { step, turn } = at
    samples.push({
      turn,
      step,
      at: at.at,
      trust,
      focus,
      debt,
      errors,
      health: health.current,
      activity: activity.current
    })
  }
  sample(start)
  steps.forEach((step, index) => {
    const { at, turn } = step
    if (period.steps === stepsOfPeriod || (index > 0 && turn !== steps[index - 1]!.turn)) {
      const { steps: _, ...finished } = { ...period, errors: figures.errors }
      periods.push(finished)
      figures.endPeriod()
      period = emptyPeriod
      const { phase, reason } = judgedHealth(periods, periods.length + 1)
      if (health.judge(phase)) changes.health.push({ phase, turn, step: step.step, at, reason })
    }
    figures.add(step)
    const what = milestoneOf(step)
    if (what !== null) {
      milestones.push({ step: step.step, turn, what })
      figures.reach(what !== "commit" && what !== "deploy")
    }
    period = {
      ...period,
      steps: period.steps + 1,
      edits: period.edits + Number(step.action === "edit" && step.result === "ok"),
      explored: period.explored + Number(step.action === "read" || step.action === "search"),
      milestones: period.milestones + Number(what !== null)
    }
    hasEdited ||= step.action === "edit"
    const { phase, reason } = judgedActivity(steps.slice(Math.max(0, index - 11), index + 1), {
      debt: figures.debt,
      hasEdited
    })
    if (activity.judge(phase)) changes.activity.push({ phase, turn, step: step.step, at, reason })
    sample(step)
  })
  return { ...changes, milestones, samples }
}

const emptyPeriod = { errors: 0, edits: 0, explored: 0, milestones: 0, steps: 0 }

const milestoneOf = ({ purpose, result }: SessionStep): Milestone["what"] | null =>
  result === "ok" && isMilestone(purpose) ? purpose : null

const outcomeOf = (
  events: ReadonlyArray<SessionEvent>,
  { reason }: SessionEvent,
  steps: ReadonlyArray<SessionStep>
): SessionOutcome => {
  const before = events.findLast(({ kind }) => kind !== "session_end" && kind !== "subagent_stop")
  if (before?.kind === "stop_fail") return "failed"
  const last = steps.at(-1)
  if (last?.result === "in flight" || last?.result === "interrupted") return "interrupted"
  const isMeant = reason !== undefined && reason !== "other"
  return isMeant || events.some(({ kind }) => kind === "stop") ? "clean" : "interrupted"
}

const subjectOf = (command: string): string | null => {
  const found = /\s(?:-m|--message)[= ]?\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(command)
  const subject = (found?.[1] ?? found?.[2] ?? "").split("\n")[0]?.trim() ?? ""
  return subject === "" || subject.startsWith("$(") ? null : subject
}
