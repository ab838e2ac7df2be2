/**
 * What the worker needs of the system: to be the only one, to show that it lives, to be woken, and to step back behind other
 * processes. A port, because it depends on the platform.
 */
import { Context, type Effect, Runtime, Schema, type Scope } from "effect"
import type { WorkerStatus } from "../../domain/dream/WorkerStatus.ts"
import type { ProcessIdentity } from "../../domain/system/ProcessIdentity.ts"

export interface WorkerState {
  /** The worker that runs; null: none. */
  readonly running: ProcessIdentity | null
  /** When the worker last showed that it lives; null if there is none. */
  readonly beatAt: number | null
  /** Null if no worker has written one. */
  readonly status: WorkerStatus | null
}

export class WorkerNotStarted extends Schema.TaggedError<WorkerNotStarted>()("WorkerNotStarted", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `no worker can start: ${this.path} cannot be written (${this.reason}). Make it writable, or set DD_HOME to another directory`
  }
}

export class WorkerProcess extends Context.Service<
  WorkerProcess,
  {
    /** True: this process is the worker until the scope closes. False: another one is. The lock of a dead process is replaced. */
    readonly own: Effect.Effect<boolean, WorkerNotStarted, Scope.Scope>
    /** Shows that the worker lives. False: its place is gone, or another worker has it. */
    readonly beat: Effect.Effect<boolean>
    /** Changes when somebody asks for a pass. */
    readonly wake: Effect.Effect<number>
    /** Gives other processes precedence. */
    readonly stepBack: Effect.Effect<void>
    readonly state: Effect.Effect<WorkerState>
    /** Replaces the status; a failure is logged. */
    readonly report: (status: WorkerStatus) => Effect.Effect<void>
  }
>()("dd/services/dream/WorkerProcess") {}
