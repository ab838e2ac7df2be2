/** Writes events to the spool as effects. */
import { Effect, Schema } from "effect"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { append, appendAll, replaceAll } from "./spoolFile.ts"

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

/** `isNew`: behind what the file of the session has, else instead of it. Gives the number of events that had room there. */
export const importEvents = (home: string, events: ReadonlyArray<SessionEvent>, isNew: boolean) =>
  written(home, () => (isNew ? appendAll(home, events) : replaceAll(home, events)))

const written = <A>(home: string, write: () => A) =>
  Effect.try({ try: write, catch: (cause) => new EventsNotWritten({ home, cause }) })
