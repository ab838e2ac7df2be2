/**
 * Runs the command of this process in a second process, which can be ended at any time.
 *
 * For work that blocks its process and may never end. A port: `layers/system/process/SecondProcess.ts` starts dd itself.
 */
import { Context, type Effect } from "effect"

export class SecondProcess extends Context.Service<
  SecondProcess,
  {
    /** Whether this is the second process. */
    readonly isSecond: boolean
    /** The exit code of the second process, which has this one's terminal; null if it did not end in time. */
    readonly run: (seconds: number) => Effect.Effect<number | null>
  }
>()("dd/services/system/SecondProcess") {}
