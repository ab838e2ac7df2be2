/** Wakes the worker as an effect, and starts one if none lives. */
import { Effect } from "effect"
import { wakeWorker } from "./startWorker.ts"

export const askForPass = (home: string): Effect.Effect<void> => Effect.promise(() => wakeWorker(home, process.env))
