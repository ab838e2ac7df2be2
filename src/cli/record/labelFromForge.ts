/** `dd archive label --from-forge`: labels of archived runs from their pull requests. Loaded only then, with the token. */
import { Console, Effect, Option } from "effect"
import { plural } from "../../domain/text/plural.ts"
import { labelFromForge, unlabelledPullRequests } from "../../programs/labelPullRequest.ts"
import { gitHubRepository } from "../forge/forgeTarget.ts"
import { labelsText } from "../forge/takeLabels.ts"
import { ArchiveUsage } from "./archiveFlags.ts"

/** In one call; each takes some requests. */
const mostPullRequests = 100

export const labelRunsFromForge = Effect.fnUntraced(function* (
  repo: Option.Option<string>,
  pullRequest: Option.Option<number>
) {
  const { forge, name } = yield* gitHubRepository(repo).pipe(
    Effect.catchTag("UsageWrong", ({ reason }) => new ArchiveUsage({ reason }))
  )
  const found = Option.isSome(pullRequest) ? [pullRequest.value] : yield* unlabelledPullRequests(name)
  const listed = found.slice(0, mostPullRequests)
  let runs = 0
  let visited = 0
  for (const number of listed) {
    const taken = labelFromForge(name).pipe(Effect.provide(forge(number)))
    // One of many that was deleted does not stop the others.
    const labels = yield* Option.isSome(pullRequest)
      ? taken
      : Effect.catchTag(taken, "ForgeNotFound", ({ message }) => Effect.as(Effect.logWarning(message), null))
    if (labels === null) continue
    visited++
    runs += labels.added.observations.length
    const [text = labels.runs === 0 ? "no archived run" : "nothing to label"] = labelsText(labels)
    yield* Console.log(`#${number} ${labels.pullRequest.state}: ${text}`)
  }
  yield* Console.log(`${plural(visited, "pull request")} of ${name} visited, ${plural(runs, "run")} labelled`)
  const left = found.length - listed.length
  if (left > 0) yield* Console.log(`${plural(left, "older pull request")} not visited; --pr N visits one`)
})
