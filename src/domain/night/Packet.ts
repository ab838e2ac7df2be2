/**
 * A morning packet: one piece of work for a person, with the condition that makes it worth doing.
 *
 * The id follows from the condition and its subject, not from the night, so it is the same as long as the condition holds.
 */
import { Schema } from "effect"

export const ConditionKind = Schema.Literals([
  "contested-rule",
  "suppression-contradicted",
  "suppression-expiring",
  "playbook-failing",
  "convention-mature",
  "calibration-drift",
  "anchors-broken",
  "label-request"
])
export type ConditionKind = typeof ConditionKind.Type

const texts = Schema.Array(Schema.String)

export const MorningPacket = Schema.Struct({
  id: Schema.String,
  /** From 1. */
  rank: Schema.Int.check(Schema.isGreaterThan(0)),
  title: Schema.String,
  type: Schema.String,
  severity: Schema.String,
  confidence: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String),
  source_epic: Schema.optionalKey(Schema.String),
  target_repo: Schema.optionalKey(Schema.String),
  /** The numbers that make it worth doing. */
  why_now: Schema.String,
  evidence: Schema.optionalKey(texts),
  target_files: Schema.optionalKey(texts),
  likely_tests: Schema.optionalKey(texts),
  morning_command: Schema.String,
  queue_backed: Schema.optionalKey(Schema.Boolean),
  bead_id: Schema.optionalKey(Schema.String),
  artifact_path: Schema.optionalKey(Schema.String),
  dd: Schema.optionalKey(
    Schema.Struct({
      condition: ConditionKind,
      /** What it is about: a rule, a folder, or the id of an item of the corpus. */
      subject: Schema.String,
      /** The nights on which it said the same, this one included. */
      nights: Schema.Int
    })
  )
})
export type MorningPacket = typeof MorningPacket.Type

/** People disagree: a second opinion may help to decide. */
export const isContested = ({ dd }: MorningPacket): boolean =>
  dd?.condition === "contested-rule" || dd?.condition === "suppression-contradicted"

/** `digest`: SHA-256 in hex. */
export const packetId = (parts: ReadonlyArray<string>, digest: (text: string) => string): string => {
  const text = parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => `${part}\0`)
    .join("")
  return `dream-${digest(text).slice(0, 16)}`
}

/** `repeatable`: a check that gives the same result each time supports it. */
export const confidenceOf = (labels: number, repeatable: boolean): "high" | "medium" | "low" =>
  repeatable || labels >= 5 ? "high" : labels >= 2 ? "medium" : "low"

/** The only command of a packet: an id is safe in every shell, a title is not. */
export const commandOf = (id: string): string => `dd dream do ${id}`

/** `01-decide-whether-rule-9f86d081.json`: the name of its file in `morning-packets/`. */
export const packetFileName = ({ id, rank, title }: Pick<MorningPacket, "id" | "rank" | "title">): string => {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 36)
    .replace(/-$/, "")
  return `${String(rank).padStart(2, "0")}-${slug === "" ? "packet" : slug}-${id.slice("dream-".length, "dream-".length + 8)}.json`
}
