/**
 * Runs this very command once more, in a process that can be ended whatever it does.
 *
 * For work that blocks its process and may never end. A port: `layers/system/process/Again.ts` starts dd itself.
 */
import { Context, type Effect } from "effect"

export class Again extends Context.Service<
  Again,
  {
    /** True in the second process. */
    readonly isSecond: boolean
    /** The exit code of the second process, which has this one's terminal; null when it was ended after so many seconds. */
    readonly run: (seconds: number) => Effect.Effect<number | null>
  }
>()("dd/services/system/Again") {}
