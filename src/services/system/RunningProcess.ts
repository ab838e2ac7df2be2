/** The identity of this process, and whether another one still runs. A port, because it depends on the platform. */
import { Context, type Effect } from "effect"
import type { ProcessIdentity } from "../../domain/system/ProcessIdentity.ts"

export class RunningProcess extends Context.Service<
  RunningProcess,
  {
    readonly self: ProcessIdentity
    /** False also if another process now has the same number. */
    readonly isRunning: (identity: ProcessIdentity) => Effect.Effect<boolean>
  }
>()("dd/services/system/RunningProcess") {}
