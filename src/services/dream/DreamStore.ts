/**
 * What the Dream engine keeps for a project, in `.daydream/cross-session/` of its main working tree: the profiles of the latest
 * sessions, the artifacts, the resume packets. Source: seed 001, reference warden §3.
 *
 * The files are sealed with a key of the user: what a repository brings in this directory is not used.
 */
import { Context, type Effect, Schema } from "effect"
import type { Artifact } from "../../domain/dream/Artifact.ts"
import type { ResumePacket } from "../../domain/dream/ResumePacket.ts"
import type { SessionProfile } from "../../domain/dream/SessionProfile.ts"

export interface DreamProject {
  /** `projectKeyOf` the repository. */
  readonly key: string
  /** The root of the main working tree. */
  readonly root: string
}

export interface ProjectMemory {
  /** Newest session first. */
  readonly profiles: ReadonlyArray<SessionProfile>
  /** By confidence, best first. */
  readonly artifacts: ReadonlyArray<Artifact>
  /** Of the five newest sessions, newest first. */
  readonly packets: ReadonlyArray<ResumePacket>
  /** Files that could not be read or are not sealed by the user. */
  readonly refused: ReadonlyArray<string>
}

/** A user's decision about one artifact. */
export type ArtifactMark = "pin" | "unpin" | "forget"

export class DreamNotStored extends Schema.TaggedError<DreamNotStored>()("DreamNotStored", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} could not be written: ${this.reason}`
  }
}

export class DreamStore extends Context.Service<
  DreamStore,
  {
    readonly read: (project: DreamProject) => Effect.Effect<ProjectMemory>
    /**
     * Replaces the profile of its session, computes the artifacts anew within their budgets, and writes what changed, each
     * file at once. Under the lock of the project.
     */
    readonly put: (project: DreamProject, profile: SessionProfile) => Effect.Effect<ProjectMemory, DreamNotStored>
    readonly mark: (
      project: DreamProject,
      artifact: string,
      mark: ArtifactMark
    ) => Effect.Effect<ProjectMemory, DreamNotStored>
  }
>()("dd/services/dream/DreamStore") {}
