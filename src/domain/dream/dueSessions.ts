/**
 * Decides when a recorded session is analysed: when it ended, or when nothing happened for a minute and no call of a tool is in
 * flight. A session that was analysed is due again only when something happened since, when it ended since, or when a task has a
 * new version. Pure.
 */
import { type ArtifactBase, dayOf, isKept } from "./artifacts/ArtifactBase.ts"
import { type SessionEvent, sessionKey } from "./SessionEvent.ts"
import type { SessionProfile } from "./SessionProfile.ts"
import type { SessionOutcome, SessionView } from "./SessionView.ts"
import { busyUntil, isSilent, outcomeAt, silenceThatEnds } from "./viewOfSession.ts"

/** Silence after which a session is idle, in milliseconds. */
export const idleAfter = 60_000
/** A task that failed, or a session that could not be stored, is tried this often on the same events. */
export const mostTries = 3

/** What decides whether a session is due: kept in memory, so that an unchanged spool file is read once. */
export interface SessionPulse {
  /** `sessionKey` of the session. */
  readonly key: string
  readonly events: number
  readonly lastAt: number
  readonly endedAt: number
  /** Until when calls are in flight if nothing else happens. */
  readonly busyUntil: number
  readonly outcome: SessionOutcome
  /** The outcome after a silence that ends the session. */
  readonly outcomeBySilence: SessionOutcome
}

/** When a session ended, or did something last. */
export const endOf = ({ endedAt, lastAt }: Pick<SessionView, "endedAt" | "lastAt">): number => endedAt ?? lastAt

export const pulseOf = (view: SessionView, events: ReadonlyArray<SessionEvent>): SessionPulse => ({
  key: sessionKey(view),
  events: view.events,
  lastAt: view.lastAt,
  endedAt: endOf(view),
  busyUntil: busyUntil(events),
  outcome: view.outcome,
  outcomeBySilence: outcomeAt(view, events, Number.POSITIVE_INFINITY)
})

/** The outcome at a time: a session that has been silent for half an hour has ended, whatever is in flight. */
export const pulseOutcome = ({ lastAt, outcome, outcomeBySilence }: SessionPulse, now: number): SessionOutcome =>
  outcome === "open" && isSilent(lastAt, silenceThatEnds, now) ? outcomeBySilence : outcome

/** The part of a profile that tells what was analysed. */
export type Analysed = Pick<SessionProfile, "endedAt" | "events" | "failed" | "outcome" | "versions">

export interface TaskVersion {
  readonly name: string
  readonly version: number
}

/** `analysed`: null if the session has no profile. */
export const isDue = (
  pulse: SessionPulse,
  analysed: Analysed | null,
  tasks: ReadonlyArray<TaskVersion>,
  now: number
): boolean => {
  const outcome = pulseOutcome(pulse, now)
  const isIdle = isSilent(pulse.lastAt, idleAfter, now) && (now >= pulse.busyUntil || pulse.lastAt > now)
  if (outcome === "open" && !isIdle) return false
  if (analysed === null || analysed.events !== pulse.events || analysed.endedAt !== pulse.endedAt) return true
  return (analysed.outcome === "open" && outcome !== "open") || !tasks.every((task) => isSettled(analysed, task))
}

/** Is a session without a profile not analysed? The base has counted it, or it is too old to count. */
export const isPast = (
  { endedAt, key }: Pick<SessionPulse, "endedAt" | "key">,
  { folded }: Pick<ArtifactBase, "folded">,
  now: number
): boolean => folded[key] !== undefined || !isKept(dayOf(endedAt), now)

/** Has this version of the task analysed the session, or failed often enough? */
const isSettled = ({ failed, versions }: Analysed, { name, version }: TaskVersion): boolean => {
  const failure = failed?.[name]
  return failure === undefined ? versions[name] === version : failure.version === version && failure.times >= mostTries
}

/** Takes one item of each list in turn, so that a long list does not delay the others. */
export const interleaved = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1))
  ).flat()
