/**
 * Which session of a project keeps an event that several of them have, so that it is evidence once: a session that was forked,
 * or resumed into a new file, begins with a copy of the history.
 *
 * A session in which an event is recorded keeps it. A new one is kept by the session that began first; of those that began at the
 * same time, by the one that went silent first, which is the one that was left. The order of the sessions does not matter.
 */
import { compareText } from "../../text/compareText.ts"

export interface SessionHistory {
  readonly session: string
  /** In their order, and for each whether it is recorded. */
  readonly events: ReadonlyArray<{ readonly id: string; readonly at: number; readonly isRecorded: boolean }>
}

/** The session for each event, by its id. */
export const eventKeepers = (histories: ReadonlyArray<SessionHistory>): ReadonlyMap<string, string> => {
  const keepers = new Map<string, string>()
  const inOrder = histories.toSorted(
    (a, b) =>
      (a.events[0]?.at ?? 0) - (b.events[0]?.at ?? 0) ||
      (a.events.at(-1)?.at ?? 0) - (b.events.at(-1)?.at ?? 0) ||
      compareText(a.session, b.session)
  )
  for (const isOfRecorded of [true, false])
    for (const { events, session } of inOrder)
      for (const { id, isRecorded } of events)
        if (isRecorded === isOfRecorded && !keepers.has(id)) keepers.set(id, session)
  return keepers
}
