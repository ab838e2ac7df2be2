/** Fixes that a killed run left half applied to the working tree: undone under `--fix`, otherwise only named. */
import { Effect, Option } from "effect"
import { plural } from "../../domain/text/plural.ts"
import { Git } from "../../services/change/Git.ts"
import { leftPlans } from "../../services/fix/applyJournal.ts"
import { type Restored, restore } from "../../services/fix/userTree.ts"
import { targetOf } from "../review/reviewTarget.ts"
import { listed } from "../text/Tally.ts"

/** Notes for the report. Called before the change is read, which depends on the files. */
export const interruptedFixes = Effect.fnUntraced(function* (target: Option.Option<string>, isFixing: boolean) {
  const left = yield* leftPlans
  if (left.length === 0) return []
  const { existing } = yield* targetOf(Option.getOrElse(target, () => "."))
  const repository = Option.getOrNull(yield* Effect.option(Git.use((git) => git.open(existing))))
  const root = repository?.root ?? null
  const own = left.filter(({ plan }) => plan.root === root)
  if (root === null || own.length === 0) return []
  const notes = isFixing
    ? (yield* restore(root)).map(noteOf).filter((note) => note !== "")
    : own.map(({ plan }) => `${halfApplied(plan.files.map(({ path }) => path))}; dd review --fix undoes that`)
  for (const note of notes) yield* Effect.logWarning(note)
  return notes
})

const halfApplied = (paths: ReadonlyArray<string>): string =>
  `a killed run may have left fixes half applied in ${named(paths)}`

const noteOf = ({ edited, failure, fixed, found }: Restored): string => {
  if (failure !== null) return `${halfApplied(fixed)}, which could not be undone: ${failure}`
  switch (found) {
    case "untouched":
      return ""
    case "complete":
      return `a run that was killed had applied its fixes to ${named(fixed)}; they are complete`
    case "partial":
      return `a run was killed while it applied fixes; undone in ${named(fixed)}`
    case "edited": {
      const rest = fixed.length === 0 ? "" : `; its fixes are in ${named(fixed)}`
      return `a run was killed while it applied fixes, and ${named(edited)} had edits since: nothing was undone${rest}`
    }
  }
}

const named = (paths: ReadonlyArray<string>): string =>
  `${plural(paths.length, "file")}: ${listed(paths.slice(0, mostNamed))}${paths.length > mostNamed ? ", …" : ""}`

const mostNamed = 5
