/** Appends events to the spool as an effect. */
import { Effect, Schema } from "effect"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { append } from "./spoolFile.ts"

export class EventsNotWritten extends Schema.TaggedError<EventsNotWritten>()("EventsNotWritten", {
  home: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the session could not be written below ${this.home}: ${systemErrorText(this.cause)}`
  }
}

export const appendEvents = (home: string, events: ReadonlyArray<SessionEvent>) =>
  Effect.try({
    try: () => {
      for (const event of events) append(home, event)
    },
    catch: (cause) => new EventsNotWritten({ home, cause })
  })
