/** Finds changed files that break a convention that dd learned from sessions (`brief/learned.ts`). */
import { Effect } from "effect"
import { provenance } from "../../domain/brief/briefLines.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { breaks, type Habit } from "../../domain/code/habits/Habit.ts"
import { textHabits } from "../../domain/code/habits/textHabits.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { LearnedArtifacts } from "../brief/LearnedArtifacts.ts"
import { learnedOf } from "../brief/learned.ts"
import { RuleSet } from "./RuleSet.ts"

const id = "history/learned-convention"

export const conventionCheck = Effect.fn("conventionCheck")(function* (change: Change) {
  const rule = (yield* RuleSet).rules.find((each) => each.id === id)
  if (rule === undefined) return nothingReviewed
  const facts = (yield* learnedOf(change)).filter(({ broken }) => broken.length > 0)
  if (facts.length === 0) return { ...nothingReviewed, rulesApplied: [id] }
  const artifacts = yield* (yield* LearnedArtifacts)(facts.flatMap(({ broken }) => broken))
  const records = facts.flatMap((fact) =>
    fact.broken.map((path) => {
      const { title } = fact
      const file = change.diff.files.find((each) => each.path === path)
      const habit = artifacts.find((each) => each.id === fact.artifact)?.habit
      const at = file === undefined || habit == null ? undefined : breakingLine(file, habit)
      return ruleRecord(rule, {
        path,
        line: at?.line ?? 0,
        ...(at === undefined ? {} : columnsOf(at.text)),
        title: `A convention is broken: ${title}`,
        description: `A convention is broken: ${title} (${provenance(fact)}).`,
        quote: at?.text ?? ""
      })
    })
  )
  return { ...nothingReviewed, rulesApplied: [id], records }
})

/** The added line that breaks it alone, such as an import; none for a convention on the file's name or on all lines together. */
const breakingLine = (file: DiffFile, { slot, value }: Habit) =>
  addedLines(file).find(({ text }) =>
    textHabits(file.path, text).some((each) => each.slot === slot && breaks(value, each.value))
  )

const columnsOf = (text: string) => {
  const imported = /(["'])[^"']+\1/.exec(text)
  return imported === null ? {} : { column: imported.index + 1, endColumn: imported.index + imported[0].length + 1 }
}
