/** Files that usually change with the changed ones. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Companion } from "../../domain/brief/Companion.ts"
import { type Candidate, candidatesOf, companionsOf as companionsAmong } from "../../domain/brief/companionsOf.ts"
import type { Change } from "../../domain/change/Change.ts"
import { pathsBefore } from "../../domain/change/filesOfDiff.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { Sources } from "../change/Sources.ts"

/** A change of more files is a move or a reformatting, to which no earlier commit is similar. */
const filesCompared = 100

export const companionsOf = Effect.fn("brief.companionsOf")(function* (change: Change) {
  const sources = yield* Sources
  const changed = pathsBefore(change.diff)
  if (changed.length > filesCompared) {
    const tooMany: Found<ReadonlyArray<Companion>> = {
      found: [],
      omitted: [`files that usually change together: more than ${filesCompared} files changed`]
    }
    return tooMany
  }
  const { commits, omitted } = yield* sources.history.commits
  const isNew = new Set(change.diff.files.map(({ path }) => path))
  const isThere = yield* headPlaces
  const found: Found<ReadonlyArray<Companion>> = {
    found: companionsAmong(commits, changed, (path) => !isNew.has(path) && isThere(path)),
    omitted
  }
  return found
})

/** The files that most commits to this file touched, the largest share first, whatever the change is. */
export const changesWith = Effect.fn("brief.changesWith")(function* (path: string) {
  const sources = yield* Sources
  const { commits, omitted } = yield* sources.history.commits
  const found: Found<ReadonlyArray<Candidate>> = { found: candidatesOf(commits, [path], yield* headPlaces), omitted }
  return found
})

/** Is the file, or the folder with its slash, on the head side? */
const headPlaces = Effect.gen(function* () {
  const sources = yield* Sources
  const paths = yield* sources.headPaths
  const places = new Set(paths)
  for (const path of paths) for (const folder of foldersAbove(path)) places.add(folder)
  return (path: string) => places.has(path)
})
