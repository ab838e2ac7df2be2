/** What `dd doctor` looked at, and how it is. */
import { Schema } from "effect"
import { backends } from "../run/BackendChoice.ts"

export const areas = ["name", "git", "home", "settings", "backends", "archive", "extensions"] as const

/** `note`: worth knowing and no fault. `problem`: something a user asked for does not work, or is not safe. */
export const checkStates = ["ok", "note", "problem"] as const

export const Check = Schema.Struct({
  area: Schema.Literals(areas),
  /** `dd`, `git`, `claude`. */
  subject: Schema.String,
  state: Schema.Literals(checkStates),
  words: Schema.String
})
export type Check = typeof Check.Type

/** Who could answer a review, and why not. */
export const BackendCheck = Schema.Struct({
  name: Schema.Literals([...backends, "replay"]),
  usable: Schema.Boolean,
  /** Does a setting name it? One that is named and not usable is a problem. */
  chosen: Schema.Boolean,
  words: Schema.String,
  /** The variable its key is looked for in, and whether something is there; never the key. */
  variable: Schema.NullOr(Schema.Struct({ name: Schema.String, set: Schema.Boolean })),
  /** Of a CLI. */
  program: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  /** Of a service, where the user has set one. */
  base_url: Schema.NullOr(Schema.String),
  /** Null: it was not tried. */
  reachable: Schema.NullOr(Schema.Boolean)
})
export type BackendCheck = typeof BackendCheck.Type

export const checkOfBackend = ({ chosen, name, usable, words }: BackendCheck): Check => ({
  area: "backends",
  subject: name,
  state: usable ? "ok" : chosen ? "problem" : "note",
  words
})
