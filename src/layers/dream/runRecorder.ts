/**
 * Records a run of dd as a session of the host `dd`, in the same spool as those of assistants. Never fails a run: what cannot
 * be written is counted where `dd doctor` finds it.
 */
import { Clock, Effect } from "effect"
import { hookEvent } from "../../domain/dream/hookPayload.ts"
import { runPayloads } from "../../domain/dream/runPayloads.ts"
import { Recorder } from "../../services/run/Recorder.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { appendEvents } from "./appendEvents.ts"
import { countFault, placeOf } from "./spoolFile.ts"
import { digest } from "./spoolPlace.ts"

/** `home`: dd's own directory. `root`: of the repository under review. */
export const make = (home: string, root: string, session: string) =>
  Effect.gen(function* () {
    const redactor = yield* Redactor
    const place = placeOf(root)
    const payloads = runPayloads(session, root)
    let count = 0
    return Recorder.watching((event) =>
      Effect.gen(function* () {
        const found = payloads(event)
        if (found.length === 0) return
        const at = yield* Clock.currentTimeMillis
        const events = found.flatMap((payload) => {
          const id = digest(`${session} ${count++}`).slice(0, 24)
          const made = hookEvent("dd", payload, { ...place, id, at, redact: redactor.text, digest })
          return made === null ? [] : [made]
        })
        yield* appendEvents(home, events).pipe(
          Effect.catch(({ cause }) => Effect.sync(() => countFault(home, at, cause)))
        )
      })
    )
  })
