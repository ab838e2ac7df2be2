/** The change that a target and a selection name, and the repository around it. */
import { Effect, Option } from "effect"
import type { Change, Selection } from "../../domain/change/Change.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import { DiffMalformed } from "../../domain/change/readHunks.ts"
import { filesAddress } from "../../domain/change/remote/filesAddress.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { originText } from "../../domain/run/Setting.ts"
import { pathGlob } from "../../domain/text/PathGlob.ts"
import { Changes } from "../../services/change/Changes.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { UsageWrong } from "./reviewFlags.ts"
import { openAround, targetOf, within } from "./reviewTarget.ts"

export type ChosenChange = Effect.Success<ReturnType<typeof chosenChange>>

/**
 * `whole` is the part of the change inside the target, `resolved` all of it: the base side is read through it. `as`: how an
 * earlier run has named the change.
 */
export const chosenChange = Effect.fnUntraced(function* (
  typed: Option.Option<string>,
  selection: Selection,
  as: Partial<Pick<Change, "description" | "baseBranch">> = {}
) {
  const changes = yield* Changes
  const target = yield* targetOf(Option.getOrElse(typed, () => "."))
  const opened = openAround(target)
  // A patch can be reviewed outside any repository.
  const repository = yield* selection._tag === "Patch"
    ? opened.pipe(Effect.catchTag("NotARepository", () => Effect.succeed(null)))
    : opened
  const resolved = {
    ...(yield* Effect.mapError(changes.resolve(repository, selection), namingPatch(selection))),
    ...as
  }
  const whole = Option.isNone(typed) ? resolved : yield* within(resolved, repository, target)
  return { repository, resolved, whole }
})

/** Where the forge of the repository shows the head side; null if that is no commit, or the forge is unknown. */
export const filesOf = (repository: Repository | null, { head }: Change): string | null =>
  head._tag === "Commit" && repository !== null && repository.remoteUrl !== null
    ? filesAddress(repository.remoteUrl, head.sha)
    : null

/** A fault of a patch, with where the patch comes from and how to write one. */
const namingPatch =
  (selection: Selection) =>
  <E extends { readonly _tag: string }>(error: E | DiffMalformed) =>
    error instanceof DiffMalformed && selection._tag === "Patch"
      ? new UsageWrong({ reason: `--diff-file, ${selection.origin}: ${error.message}; git diff > FILE writes a patch` })
      : error

/** Ignored files stay in the coverage as skipped, with the reason. */
export const withoutIgnored = (whole: Change, settings: ReviewSettings) => {
  const globs = settings.ignorePaths.map(({ value, origin }) => ({ matches: pathGlob(value), value, origin }))
  const ignored: Array<FileCoverage> = []
  const files = whole.diff.files.filter(({ path }) => {
    const by = globs.find((glob) => glob.matches(path))
    if (by !== undefined)
      ignored.push({ path, status: "skipped", reason: `ignored by ${by.value} (${originText(by.origin)})` })
    return by === undefined
  })
  return { change: ignored.length === 0 ? whole : { ...whole, diff: { files } }, ignored }
}
