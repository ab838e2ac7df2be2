/**
 * What the Dream engine keeps for a project, in `.daydream/cross-session/` of its main working tree: the profiles of the latest
 * sessions, the artifacts, the resume packets.
 *
 * The files are sealed with a key of the user: what a repository brings in this directory is not used. A killed or failed
 * write leaves a valid store, and no session is counted twice.
 *
 * A port: `layers/dream/store/Directory.ts` keeps the files.
 */
import { Context, type Effect, Schema } from "effect"
import type { Artifact } from "../../domain/dream/Artifact.ts"
import type { ArtifactBase, ArtifactMark } from "../../domain/dream/artifacts/ArtifactBase.ts"
import type { SynthesisAnswer } from "../../domain/dream/artifacts/synthesis.ts"
import type { ResumePacket } from "../../domain/dream/packet/ResumePacket.ts"
import type { SessionProfile } from "../../domain/dream/SessionProfile.ts"

export interface DreamProject {
  /** `projectKeyOf` the repository. */
  readonly key: string
  /** The root of the main working tree. */
  readonly root: string
}

export interface KeptArtifacts {
  /** By confidence, best first. */
  readonly artifacts: ReadonlyArray<Artifact>
  /** Files that could not be read or are not sealed by the user, each with the reason. */
  readonly refused: ReadonlyArray<string>
}

export interface ProjectMemory extends KeptArtifacts {
  /** Newest session first; at most `mostProfiles`. */
  readonly profiles: ReadonlyArray<SessionProfile>
  /** The evidence of older sessions, and the user's marks. */
  readonly base: ArtifactBase
  /** Of the five newest sessions, newest first. */
  readonly packets: ReadonlyArray<ResumePacket>
  /** False: a file is not used, or one that is computed from the evidence is missing. */
  readonly isWhole: boolean
}

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
    /** Reads only the artifacts. */
    readonly artifacts: (project: DreamProject) => Effect.Effect<KeptArtifacts>
    /**
     * Replaces the profile of its session, computes the artifacts anew within their budgets, and writes what changed, each
     * file at once. Under the lock of the project.
     */
    readonly put: (project: DreamProject, profile: SessionProfile) => Effect.Effect<ProjectMemory, DreamNotStored>
    /** Moves aside what is not used, and writes what is computed from the evidence. */
    readonly restore: (project: DreamProject) => Effect.Effect<ProjectMemory, DreamNotStored>
    readonly mark: (
      project: DreamProject,
      artifact: string,
      /** `plain`: without the summary of a model. */
      mark: ArtifactMark | "plain"
    ) => Effect.Effect<ProjectMemory, DreamNotStored>
    /** Keeps the summaries of a model, and what it was asked about. */
    readonly summarise: (project: DreamProject, answer: SynthesisAnswer) => Effect.Effect<ProjectMemory, DreamNotStored>
  }
>()("dd/services/dream/DreamStore") {}
