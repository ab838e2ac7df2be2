/** An analysis of a session by the Dream engine. */
import { Context, type Effect } from "effect"
import type { Artifact, Contribution } from "../../domain/dream/Artifact.ts"
import type { RepositoryView } from "../../domain/dream/RepositoryView.ts"
import type { ProfilePart, SessionProfile } from "../../domain/dream/SessionProfile.ts"
import type { SessionView } from "../../domain/dream/SessionView.ts"

export interface TaskInput {
  readonly session: SessionView
  /** Profiles of other sessions of the project, newest first; never of this session. */
  readonly profiles: ReadonlyArray<SessionProfile>
  readonly artifacts: ReadonlyArray<Artifact>
  readonly repository: RepositoryView
  /** What the tasks before this one found in the session. */
  readonly found: ProfilePart
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface TaskOutput {
  /** The fields of the task, also when they are empty: a field that no task wrote keeps its value when a task failed. */
  readonly part: ProfilePart
  readonly contributions: ReadonlyArray<Contribution>
  /** What was found, in a few words, for `dd dream status`; "" for nothing. */
  readonly summary: string
}

export interface DreamTask {
  /** 1 to 10: its place in the order. */
  readonly place: number
  readonly name: string
  /** A change of the algorithm increments it; sessions are then analysed again. */
  readonly version: number
  /** What it looks for, for `dd dream tasks`. */
  readonly about: string
  /** Does it always find something (tasks 1, 6 and 10)? */
  readonly always: boolean
  /** Milliseconds that it may take in a pass. */
  readonly budget: number
  readonly run: (input: TaskInput) => Effect.Effect<TaskOutput>
}

/** In the order in which they run: those of `everyTask.ts`, or fewer. */
export class DreamTasks extends Context.Service<DreamTasks, ReadonlyArray<DreamTask>>()(
  "dd/services/dream/DreamTasks"
) {}
