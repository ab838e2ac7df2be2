/** Finds changed files that break a convention that dd learned from sessions (`brief/learned.ts`). */
import { Effect } from "effect"
import { provenance } from "../../domain/brief/briefLines.ts"
import type { Change } from "../../domain/change/Change.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { learnedOf } from "../brief/learned.ts"
import { RuleSet } from "./RuleSet.ts"

const id = "history/learned-convention"

export const conventionCheck = Effect.fn("conventionCheck")(function* (change: Change) {
  const rule = (yield* RuleSet).rules.find((each) => each.id === id)
  if (rule === undefined) return nothingReviewed
  const facts = yield* learnedOf(change)
  const records = facts.flatMap((fact) =>
    fact.broken.map((path) => {
      const { title } = fact
      const file = change.diff.files.find((each) => each.path === path)
      const added = file === undefined ? [] : addedLines(file)
      const at = added.find(({ text }) => isImport.test(text) && title.includes("import")) ?? added[0]
      return ruleRecord(rule, {
        path,
        line: at?.line ?? 0,
        title: `A convention is broken: ${title}`,
        description: `A convention is broken: ${title} (${provenance(fact)}).`,
        quote: at?.text ?? ""
      })
    })
  )
  return { ...nothingReviewed, rulesApplied: [id], records }
})

const isImport = /^\s*(?:import|export|from|const|let|var)\b/
