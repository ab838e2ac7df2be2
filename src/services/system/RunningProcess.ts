/** Which process this is, and whether another one still runs. A port: only a platform knows. */
import { Context, type Effect } from "effect"
import type { ProcessIdentity } from "../../domain/system/ProcessIdentity.ts"

export class RunningProcess extends Context.Service<
  RunningProcess,
  {
    readonly self: ProcessIdentity
    /** False also for another process that was given the same number. */
    readonly isRunning: (identity: ProcessIdentity) => Effect.Effect<boolean>
  }
>()("dd/services/system/RunningProcess") {}
