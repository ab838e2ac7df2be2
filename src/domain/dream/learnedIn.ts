/** What of a project's memory a review can use: conventions of files, and repairs with the files that needed them. */
import { DateTime } from "effect"
import type { LearnedArtifact } from "../brief/Learned.ts"
import { domainOf, habitOf } from "../code/habits/Habit.ts"
import type { Artifact } from "./Artifact.ts"
import { emitThreshold } from "./confidence.ts"
import type { SessionProfile } from "./SessionProfile.ts"

/** Domains whose habits a file can show. */
const ofFiles: ReadonlySet<string> = new Set(["naming", "testing", "structure", "imports"])

export const learnedIn = (
  artifacts: ReadonlyArray<Artifact>,
  profiles: ReadonlyArray<Pick<SessionProfile, "clusters">>
): ReadonlyArray<LearnedArtifact> =>
  artifacts.flatMap((artifact): ReadonlyArray<LearnedArtifact> => {
    const { confidence, created_at, id, stats } = artifact
    if (confidence < emitThreshold) return []
    const since = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(created_at * 1000))
    const known = { id, confidence, rule: null, from: { sessions: stats.sessions, since } }
    if (artifact.type === "ProjectConvention") {
      const habit = habitOf(artifact.key)
      return habit === null || !ofFiles.has(domainOf(habit.slot))
        ? []
        : [{ ...known, kind: "convention", title: artifact.pattern, habit, files: [] }]
    }
    if (artifact.type !== "RepairPattern") return []
    const files = filesWith(artifact.error_signature, profiles)
    const title = `after the error "${artifact.error_signature}", this helped: ${artifact.fix_action}`
    return files.length === 0 ? [] : [{ ...known, kind: "repair", title, habit: null, files }]
  })

/** The files in which an error occurred. */
const filesWith = (signature: string, profiles: ReadonlyArray<Pick<SessionProfile, "clusters">>) => [
  ...new Set(
    profiles.flatMap(({ clusters }) =>
      clusters.flatMap((cluster) => (cluster.signature === signature ? cluster.files : []))
    )
  )
]
