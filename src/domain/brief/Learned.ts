/** What sessions of coding assistants have shown of a project, where it concerns the changed files. */
import { Schema } from "effect"
import type { Habit } from "../code/habits/Habit.ts"
import { count } from "./Place.ts"

/** A convention or a repair that dd learned in earlier sessions. */
export interface LearnedArtifact {
  readonly id: string
  readonly kind: "convention" | "repair"
  /** One line. */
  readonly title: string
  /** Of a convention: what can be checked. */
  readonly habit: Habit | null
  /** Of a repair: the files in which it was needed. */
  readonly files: ReadonlyArray<string>
  readonly confidence: number
  readonly sessions: number
  /** The day of the first of these sessions: `2026-09-01`. */
  readonly since: string
}

export const LearnedFact = Schema.Struct({
  artifact: Schema.String.annotate({ description: "Its id in `dd dream artifacts`." }),
  kind: Schema.Literals(["convention", "repair"]),
  title: Schema.String,
  files: Schema.Array(Schema.String).annotate({ description: "The changed files that it applies to." }),
  broken: Schema.Array(Schema.String).annotate({ description: "Those of them in which the change breaks it." }),
  sessions: count.annotate({ description: "Sessions that showed it." }),
  since: Schema.String.annotate({ description: "The day of the first one." })
}).annotate({ identifier: "LearnedFact" })
export type LearnedFact = typeof LearnedFact.Type
