/**
 * Whether a pushed branch got a finding as a whole from the default branch of the remote, by a merge or a rebase: every line
 * of it is of a commit that this branch has, and one of them is new to the pushed branch. A line that is deleted, or not
 * known, is of the pushed branch.
 */
import { Effect } from "effect"
import type { Finding } from "../../domain/finding/Finding.ts"
import { Git } from "../change/Git.ts"
import type { Repository } from "../change/openRepository.ts"
import type { PushedRange } from "./pushedRange.ts"

export const isOfMain = Effect.fn("isOfMain")(function* (
  repository: Repository,
  { base, head, main }: PushedRange,
  finding: Finding
) {
  const places = [finding, ...finding.related]
  if (main === null || base === null || places.some((place) => place.line < 1 || "deleted" in place)) return false
  const git = yield* Git
  const isIn = (sha: string, tip: string) => Effect.map(git.mergeBase(repository, sha, tip), (found) => found === sha)
  const commits = new Set<string | null>()
  for (const place of places) {
    const [first, last] = [place.line, "endLine" in place ? place.endLine : place.line]
    const lines = yield* git.blame(repository, { path: place.file, first, last, from: head })
    for (const { sha } of lines) commits.add(sha)
  }
  let isNew = false
  for (const sha of commits) {
    if (sha === null || !(yield* isIn(sha, main.sha))) return false
    if (!(yield* isIn(sha, base))) isNew = true
  }
  return isNew
})
