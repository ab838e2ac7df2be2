/** Finds a check that an earlier fix brought in and that the change deletes without saying so. */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { isTestPath } from "../../domain/change/PathKind.ts"
import { deletesGuard, saysSo, undoneFixes } from "../../domain/finding/comparison/undoneFixes.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { fixedFiles } from "../brief/history.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { RuleSet } from "./RuleSet.ts"
import { isOwnFile } from "./structureCheck.ts"

const id = "history/fix-undone"

export const fixUndoneCheck = Effect.fn("fixUndoneCheck")(function* (change: Change) {
  const rule = (yield* RuleSet).rules.find((each) => each.id === id)
  if (rule === undefined) return nothingReviewed
  const done = { ...nothingReviewed, rulesApplied: [id] }
  const own = change.diff.files.filter((file) => isOwnFile(file) && !isTestPath(file.path) && deletesGuard(file))
  if (own.length === 0) return done
  const index = yield* SymbolIndex
  const { files, omitted } = yield* fixedFiles(change, own)
  const added = change.diff.files.flatMap(({ hunks }) =>
    hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === "added" ? [text] : [])))
  )
  const records: Array<ReviewRecord> = []
  for (const fixed of files) {
    const [base, head] = [yield* index.symbolsBefore(fixed.file), yield* index.symbols(fixed.file.path)]
    if (base === null || head === null) continue
    const undone = undoneFixes(fixed, added, { base: base.definitions, head: head.definitions })
    for (const { condition, definition, deleted, fix, line, words } of undone) {
      const { date, sha, subject } = fix.commit
      if (saysSo(change.commits, fix.commit, words)) continue
      const path = fixed.file.path
      const title = `\`${definition.name}\` loses a check that a fix added: \`${condition}\``
      const text = fixed.head[line - 1] ?? ""
      // Where the check was, as compilers mark a missing character: the line itself is not wrong.
      const column = text.length - text.trimStart().length + 1
      const range = deleted.start === deleted.end ? `line ${deleted.start}` : `lines ${deleted.start}-${deleted.end}`
      records.push(
        ruleRecord(rule, {
          path,
          line,
          ...(text.trim() === "" ? {} : { column, endColumn: column + 1 }),
          title,
          description: `${title}. Commit ${sha.slice(0, 10)} of ${date}, "${subject}", added it (${range} before the change).`,
          related: [{ path, line: deleted.start, deleted: condition, message: "the check that is gone" }],
          quote: text
        })
      )
    }
  }
  return { ...done, records, omitted }
})
