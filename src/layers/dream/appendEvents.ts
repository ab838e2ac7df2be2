/** Writes events to the spool as effects. */
import { Effect, Schema } from "effect"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { append, replace } from "./spoolFile.ts"

export class EventsNotWritten extends Schema.TaggedError<EventsNotWritten>()("EventsNotWritten", {
  home: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the session could not be written below ${this.home}: ${systemErrorText(this.cause)}`
  }
}

export const appendEvents = (home: string, events: ReadonlyArray<SessionEvent>) =>
  written(home, () => {
    for (const event of events) append(home, event)
  })

/** Instead of what the file of the session has; all of one session. */
export const replaceEvents = (home: string, events: ReadonlyArray<SessionEvent>) =>
  written(home, () => replace(home, events))

const written = (home: string, write: () => void) =>
  Effect.try({ try: write, catch: (cause) => new EventsNotWritten({ home, cause }) })
