/** Who knows the changed files. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Person } from "../../domain/brief/History.ts"
import { peopleAmong } from "../../domain/brief/peopleAmong.ts"
import type { Change } from "../../domain/change/Change.ts"
import { pathsBefore } from "../../domain/change/filesOfDiff.ts"
import { Sources } from "../change/Sources.ts"

/** In the order in which forges look for it. */
const ownerFiles = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"]

export const peopleOf = Effect.fn("brief.peopleOf")(function* (change: Change) {
  const sources = yield* Sources
  const { commits, omitted } = yield* sources.history.commits
  const changed = pathsBefore(change.diff)
  if (commits.length === 0 || changed.length === 0) {
    const nobody: Found<ReadonlyArray<Person>> = { found: [], omitted }
    return nobody
  }
  // From the base side, so that a change does not choose its own reviewers.
  const texts = yield* Effect.forEach(ownerFiles, sources.base)
  const owners = texts.find(({ _tag }) => _tag === "Text")
  const found: Found<ReadonlyArray<Person>> = {
    found: peopleAmong(commits, changed, owners?._tag === "Text" ? owners.text : null),
    omitted
  }
  return found
})
