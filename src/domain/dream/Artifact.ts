/**
 * What the Dream engine learned in a project: four types, in an envelope that says how sure it is,
 * when it was seen and used, and from which sessions it comes.
 */
import { Schema } from "effect"

const Confidence = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Decayed successes and failures, and the number of sessions they come from. */
const Stats = Schema.Struct({ s: Schema.Finite, f: Schema.Finite, sessions: Schema.Int })

/** What a model wrote about an artifact. It is no evidence: no confidence depends on it, and no assistant gets it. */
const ModelSummary = Schema.Struct({
  text: Schema.NonEmptyString,
  /** Ids of other artifacts that mean the same, as the model judged. */
  same: Schema.Array(Schema.String),
  model: Schema.String,
  /** Seconds since 1970. */
  at: Schema.Int,
  /** Of the request, which may have been about other artifacts too, in US dollars; null: not known. */
  cost_usd: Schema.NullOr(Schema.Finite),
  /** The digest of what the model was given of the artifact. */
  input: Schema.String
})
export type ModelSummary = (typeof ModelSummary)["Type"]

const envelope = {
  v: Schema.Literal(2),
  /** `pb_`, `rp_`, `cv_` or `sq_`, and 12 hexadecimal digits of the SHA-256 of type and key. */
  id: Schema.NonEmptyString,
  /** What makes two observations the same artifact. */
  key: Schema.NonEmptyString,
  confidence: Confidence,
  stats: Stats,
  /** Seconds since 1970. */
  created_at: Schema.Int,
  last_seen_at: Schema.Int,
  /** When it was last given to an assistant; null: never. */
  last_used_at: Schema.NullOr(Schema.Int),
  uses: Schema.Int,
  /** Of the uses that could be measured: those after which the session went better, and worse. */
  helped: Schema.Int,
  hurt: Schema.Int,
  /** At most five sessions, newest first. */
  sources: Schema.Array(Schema.String),
  origin: Schema.Literals(["hook", "transcript", "dd-run"]),
  /** Kept whatever the budget says, until the user forgets it. */
  pinned: Schema.optionalKey(Schema.Literal(true)),
  /** What those that the user merged into it were about. */
  merged: Schema.optionalKey(Schema.Array(Schema.String)),
  summary: Schema.optionalKey(ModelSummary)
}

export const DreamPlaybook = Schema.Struct({
  type: Schema.Literal("DreamPlaybook"),
  trigger: Schema.NonEmptyString,
  sequence: Schema.Array(Schema.NonEmptyString),
  source_sessions: Schema.Int,
  ...envelope
})
export type DreamPlaybook = (typeof DreamPlaybook)["Type"]

export const RepairPattern = Schema.Struct({
  type: Schema.Literal("RepairPattern"),
  error_signature: Schema.NonEmptyString,
  fix_action: Schema.NonEmptyString,
  occurrences: Schema.Int,
  ...envelope
})
export type RepairPattern = (typeof RepairPattern)["Type"]

export const ProjectConvention = Schema.Struct({
  type: Schema.Literal("ProjectConvention"),
  domain: Schema.NonEmptyString,
  pattern: Schema.NonEmptyString,
  evidence_count: Schema.Int,
  ...envelope
})
export type ProjectConvention = (typeof ProjectConvention)["Type"]

export const SuccessfulSequence = Schema.Struct({
  type: Schema.Literal("SuccessfulSequence"),
  label: Schema.NonEmptyString,
  steps: Schema.Array(Schema.NonEmptyString),
  avg_trust_delta: Schema.Finite,
  occurrences: Schema.Int,
  ...envelope
})
export type SuccessfulSequence = (typeof SuccessfulSequence)["Type"]

export const Artifact = Schema.Union([DreamPlaybook, RepairPattern, ProjectConvention, SuccessfulSequence])
export type Artifact = (typeof Artifact)["Type"]
export type ArtifactType = Artifact["type"]

/** The fields of each type that a session can tell; counts and confidence are computed. */
export const ArtifactBody = Schema.Union([
  DreamPlaybook.mapFields(({ type, trigger, sequence }) => ({ type, trigger, sequence })),
  RepairPattern.mapFields(({ type, error_signature, fix_action }) => ({ type, error_signature, fix_action })),
  ProjectConvention.mapFields(({ type, domain, pattern }) => ({ type, domain, pattern })),
  SuccessfulSequence.mapFields(({ type, label, steps }) => ({ type, label, steps }))
])
export type ArtifactBody = (typeof ArtifactBody)["Type"]

/** What it is about, without what to do: the error of a repair, the subject of a convention. */
export const subjectOf = (artifact: ArtifactBody): string => {
  switch (artifact.type) {
    case "DreamPlaybook":
      return artifact.trigger
    case "RepairPattern":
      return artifact.error_signature
    case "ProjectConvention":
      return artifact.pattern
    case "SuccessfulSequence":
      return artifact.label
  }
}

/**
 * What one session adds to one artifact. Contributions are kept by session: analysing a session again replaces its
 * contributions, so nothing is counted twice.
 */
export const Contribution = Schema.Struct({
  key: Schema.NonEmptyString,
  body: ArtifactBody,
  /** Successes and failures that this session observed. */
  s: Schema.Finite,
  f: Schema.Finite,
  /** The task that found it; the pass writes it. */
  task: Schema.optionalKey(Schema.String),
  /**
   * What the repository itself shows of a convention, in addition to `s` and `f`. It is the same for all sessions, so it is
   * not summed: only that of the latest session counts.
   */
  repository: Schema.optionalKey(Schema.Struct({ s: Schema.Finite, f: Schema.Finite })),
  /** Of a sequence: the gain of trust. */
  trustDelta: Schema.optionalKey(Schema.Finite)
})
export type Contribution = (typeof Contribution)["Type"]
