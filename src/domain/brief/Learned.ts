/** What was learned of a project, from sessions of coding assistants or from labels, where it concerns the changed files. */
import { Schema } from "effect"
import type { Habit } from "../code/habits/Habit.ts"
import { count } from "./Place.ts"

const fromSessions = {
  sessions: count.annotate({ description: "Sessions that showed it." }),
  since: Schema.String.annotate({ description: "The day of the first one." })
}

const fromLabels = {
  agreeing: count.annotate({ description: "Accepted findings; of a repair, fixes that passed their check." }),
  judged: count.annotate({ description: "All findings with a label, or fixes, that it was learned from." })
}

/** What it was learned from. */
const LearnedFrom = Schema.Union([Schema.Struct(fromSessions), Schema.Struct(fromLabels)])

/** A convention or a repair. */
export interface LearnedArtifact {
  readonly id: string
  readonly kind: "convention" | "repair"
  /** One line. */
  readonly title: string
  /** Of a convention of sessions: what can be checked. */
  readonly habit: Habit | null
  /** Without a habit: the files that it applies to. */
  readonly files: ReadonlyArray<string>
  /** Of a repair: the rule whose findings it fixes. */
  readonly rule: string | null
  readonly confidence: number
  readonly from: typeof LearnedFrom.Type
}

const shared = {
  artifact: Schema.String.annotate({
    description: "Its id in `dd dream artifacts why`; if it was learned from labels, in `dd dream why`."
  }),
  kind: Schema.Literals(["convention", "repair"]),
  title: Schema.String,
  files: Schema.Array(Schema.String).annotate({ description: "The changed files that it applies to." }),
  broken: Schema.Array(Schema.String).annotate({ description: "Those of them in which the change breaks it." })
}

export const LearnedFact = Schema.Union([
  Schema.Struct({ ...shared, ...fromSessions }),
  Schema.Struct({ ...shared, ...fromLabels })
]).annotate({ identifier: "LearnedFact" })
export type LearnedFact = typeof LearnedFact.Type
