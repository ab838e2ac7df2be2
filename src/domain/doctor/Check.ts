/** The result of one check of `dd doctor`. */
import { Schema } from "effect"
import { backends } from "../run/BackendChoice.ts"

export const areas = ["name", "git", "home", "settings", "backends", "archive", "sessions", "extensions"] as const

/** `note`: useful to know, not a fault. `problem`: something that the user configured does not work, or is not safe. */
export const checkStates = ["ok", "note", "problem"] as const

export const Check = Schema.Struct({
  area: Schema.Literals(areas),
  /** `dd`, `git`, `claude`. */
  subject: Schema.String,
  state: Schema.Literals(checkStates),
  words: Schema.String
})
export type Check = typeof Check.Type

/** A backend, and whether it can be used. */
export const BackendCheck = Schema.Struct({
  name: Schema.Literals([...backends, "replay"]),
  usable: Schema.Boolean,
  /** Does a setting name it? Then it is a problem if it cannot be used. */
  chosen: Schema.Boolean,
  words: Schema.String,
  /** The variable for its key, and whether it is set; never the key. */
  variable: Schema.NullOr(Schema.Struct({ name: Schema.String, set: Schema.Boolean })),
  /** The program of a coding CLI. */
  program: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  /** The address of a service, if the user has set one. */
  base_url: Schema.NullOr(Schema.String),
  /** Null: not tried. */
  reachable: Schema.NullOr(Schema.Boolean)
})
export type BackendCheck = typeof BackendCheck.Type

export const checkOfBackend = ({ chosen, name, usable, words }: BackendCheck): Check => ({
  area: "backends",
  subject: name,
  state: usable ? "ok" : chosen ? "problem" : "note",
  words
})
