/** Labels of the archived runs of a pull request, taken while dd has its token. */
import { Effect, FileSystem, Path } from "effect"
import { plural } from "../../domain/text/plural.ts"
import * as ArchiveLive from "../../layers/ArchiveLive.ts"
import { openArchive } from "../../programs/archive.ts"
import { type LabelRequest, labelPullRequest, type PullRequestLabels } from "../../programs/labelPullRequest.ts"

/** Why there are none, or the labels. */
export type TakenLabels = { readonly reason: string } | PullRequestLabels

/**
 * `archive`: its directory; null if there is none. An archive that cannot be used, and a forge that does not answer, are a
 * warning: what was posted stays posted. No archive is created.
 */
export const takeLabels = Effect.fnUntraced(function* (archive: string | null, request: LabelRequest) {
  if (archive === null) return { reason: "the archive is off" }
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const take = Effect.gen(function* () {
    if (!(yield* fs.exists(paths.join(archive, "index.db")))) return { reason: "no run is archived" }
    const open = Effect.andThen(openArchive(), labelPullRequest(request))
    return yield* open.pipe(Effect.scoped, Effect.provide(ArchiveLive.layer(archive)))
  })
  return yield* take.pipe(
    Effect.catch(({ message }) =>
      Effect.as(Effect.logWarning(`the archived runs are not labelled: ${message}`), { reason: message })
    ),
    Effect.map((taken): TakenLabels => taken)
  )
})

/** What was added; nothing if nothing was. */
export const labelsText = (taken: TakenLabels): ReadonlyArray<string> => {
  if (!("added" in taken) || taken.added.observations.length === 0) return []
  const runs = plural(taken.added.observations.length, "archived run")
  if (taken.outcome !== "unknown") return [`Labelled ${runs}: ${taken.outcome}`]
  return taken.pullRequest.state === "open"
    ? [`Labelled ${runs}: unknown, because the pull request is open again`]
    : [`Labelled ${runs}: unknown, because dd has no thread on the pull request`]
}

export const labelsJson = (taken: TakenLabels) => {
  if (!("added" in taken)) return { outcome: null, runs: 0, added: [], findings: 0, reason: taken.reason }
  const { added, outcome, pullRequest, runs } = taken
  const reason =
    runs === 0
      ? "no archived run is of this pull request"
      : outcome === null
        ? `the pull request is ${pullRequest.state}`
        : null
  return {
    outcome,
    runs,
    added: added.observations.map(({ session_id }) => session_id),
    findings: added.findings.length,
    reason
  }
}
