/**
 * Notes on a session for the next one in the same project: what task 10 writes and `dd hook event` renders at the start of a
 * session, within 2,000 bytes (500 tokens).
 *
 * An item names what it depends on, so that it is left out when that no longer holds. No item has the output of a tool:
 * errors are signatures, and paths are plain.
 */
import { Schema } from "effect"

/** In the order in which they are rendered. */
export const ItemKind = Schema.Literals([
  "unresolved",
  "active",
  "goal",
  "verified",
  "playbook",
  "repair",
  "convention",
  "arc"
])
export type ItemKind = (typeof ItemKind)["Type"]

const PacketItem = Schema.Struct({
  kind: ItemKind,
  /** One line, without control characters, at most 300 bytes. */
  text: Schema.NonEmptyString,
  /** Files that must still exist, relative to the root. */
  files: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The item is about the state of `files`: it is dropped if one of them was changed after the session. */
  unchanged: Schema.optionalKey(Schema.Literal(true)),
  /** Added to the text as long as none of `files` was changed after the session. */
  asLeft: Schema.optionalKey(Schema.NonEmptyString),
  /** The commands that it names: the project must still define each one. */
  commands: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The artifact that is given with it. */
  artifact: Schema.optionalKey(Schema.String)
})
export type PacketItem = (typeof PacketItem)["Type"]

export const ResumePacket = Schema.Struct({
  session: Schema.NonEmptyString,
  host: Schema.Literals(["claude", "codex", "gemini", "dd"]),
  root: Schema.String,
  branch: Schema.NullOr(Schema.String),
  head: Schema.NullOr(Schema.String),
  /** Milliseconds since 1970; absent in packets of older versions. */
  startedAt: Schema.optionalKey(Schema.Int),
  endedAt: Schema.Int,
  outcome: Schema.Literals(["open", "clean", "interrupted", "failed"]),
  /** The packets before it did not help: only the first items are given. */
  isShort: Schema.optionalKey(Schema.Literal(true)),
  /** The session edited, committed or passed a check: what older packets say of its working tree is out of date. */
  isNewState: Schema.optionalKey(Schema.Literal(true)),
  /** By priority; those that do not fit are left out whole. */
  items: Schema.Array(PacketItem)
})
export type ResumePacket = (typeof ResumePacket)["Type"]
