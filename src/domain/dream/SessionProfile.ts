/**
 * What the tasks found in one session: kept for later sessions, replaced when the session is analysed again.
 *
 * Each task writes its own part and leaves the others alone, so a failed task loses only its part.
 */
import { Schema } from "effect"
import { Contribution } from "./Artifact.ts"
import { ResumePacket } from "./packet/ResumePacket.ts"

const Step = Schema.Int

/** Task 1. */
export const PhaseRun = Schema.Struct({
  phase: Schema.String,
  turns: Schema.Int,
  steps: Schema.Int,
  from: Schema.Int,
  to: Schema.Int
})

/** Task 2. */
export const ErrorCluster = Schema.Struct({
  /** The masked line: identity and words of the error. */
  signature: Schema.String,
  trigger: Schema.NullOr(Schema.String),
  count: Schema.Int,
  firstStep: Step,
  lastStep: Step,
  files: Schema.Array(Schema.String),
  commands: Schema.Array(Schema.String),
  resolved: Schema.Boolean
})
export type ErrorCluster = (typeof ErrorCluster)["Type"]

/** Task 5. */
export const LoopReview = Schema.Struct({
  kind: Schema.String,
  key: Schema.String,
  openedAt: Step,
  resolved: Schema.Boolean,
  /** The first step that left the loop; null if none did. */
  escape: Schema.NullOr(Schema.String)
})

/** Task 6. */
export const TrustPoint = Schema.Struct({
  step: Step,
  phase: Schema.String,
  trust: Schema.Finite,
  focus: Schema.Finite,
  debt: Schema.Finite
})
export const TrustTrajectory = Schema.Struct({
  /** At most 24: the start, each change of phase, the end. */
  points: Schema.Array(TrustPoint),
  min: Schema.Finite,
  mean: Schema.Finite,
  end: Schema.Finite,
  delta: Schema.Finite
})

/** Task 7: files edited near each other in this session. */
export const FilePair = Schema.Struct({ files: Schema.Tuple([Schema.String, Schema.String]), together: Schema.Int })

/** Task 8. */
export const CommandCount = Schema.Struct({
  family: Schema.String,
  /** The family is the name of a tool of the assistant. */
  tool: Schema.optionalKey(Schema.Literal(true)),
  runs: Schema.Int,
  failures: Schema.Int,
  denials: Schema.Int
})

/** Task 9: whether the session went better after an injection. A correlation, not a cause. */
export const InjectionValue = Schema.Struct({
  id: Schema.String,
  sources: Schema.Array(Schema.String),
  artifacts: Schema.Array(Schema.String),
  /** Null: the session is too short to compare, or too few others are known. */
  value: Schema.NullOr(Schema.Literals([-1, 0, 1]))
})

export const SessionProfile = Schema.Struct({
  v: Schema.Literal(1),
  session: Schema.NonEmptyString,
  host: Schema.Literals(["claude", "codex", "gemini", "dd"]),
  root: Schema.String,
  branch: Schema.NullOr(Schema.String),
  head: Schema.NullOr(Schema.String),
  outcome: Schema.Literals(["open", "clean", "interrupted", "failed"]),
  startedAt: Schema.Int,
  endedAt: Schema.Int,
  turns: Schema.Int,
  steps: Schema.Int,
  /** The events that were analysed, and the version of each task that analysed them. */
  events: Schema.Int,
  analysedAt: Schema.Int,
  versions: Schema.Record(Schema.String, Schema.Int),
  /** What each task found, in a few words. */
  summaries: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Tasks that failed: the version that did, how often on these events, and why. Their parts are those of before. */
  failed: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Struct({ version: Schema.Int, times: Schema.Int, reason: Schema.String }))
  ),
  arc: Schema.Array(PhaseRun),
  clusters: Schema.Array(ErrorCluster),
  /** Signatures of all errors, also of those that are in no cluster because they occurred once. */
  errors: Schema.Array(Schema.String),
  loops: Schema.Array(LoopReview),
  trust: Schema.NullOr(TrustTrajectory),
  pairs: Schema.Array(FilePair),
  /** How often each file of a pair was edited, in turns. */
  edits: Schema.Record(Schema.String, Schema.Int),
  commands: Schema.Array(CommandCount),
  injections: Schema.Array(InjectionValue),
  packet: Schema.NullOr(ResumePacket),
  contributions: Schema.Array(Contribution)
})
export type SessionProfile = (typeof SessionProfile)["Type"]

/** Profiles of the latest sessions that a project keeps. Of an older session, only its evidence is kept, in the base. */
export const mostProfiles = 200

/** The parts of a profile that tasks write. */
export type ProfilePart = Partial<
  Pick<
    SessionProfile,
    "arc" | "clusters" | "errors" | "loops" | "trust" | "pairs" | "edits" | "commands" | "injections" | "packet"
  >
>
