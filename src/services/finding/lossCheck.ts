/**
 * Finds what an edited function no longer does although nothing else changed: a parameter that it no longer reads, or
 * a call that it no longer awaits.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { isTestPath } from "../../domain/change/PathKind.ts"
import { type EditedFunction, unawaitedCalls, unreadParameters } from "../../domain/code/EditedFunction.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { Sources } from "../change/Sources.ts"
import { editsOf } from "./editsOf.ts"
import { RuleSet } from "./RuleSet.ts"
import { firstOf, isOwnFile, lineTexts } from "./structureCheck.ts"

const filesCompared = 100

export const lossCheck = Effect.fn("lossCheck")(function* (change: Change) {
  const { rules } = yield* RuleSet
  const sources = yield* Sources
  const applied = rules.flatMap((rule) => (losses[rule.id] === undefined ? [] : [rule]))
  if (applied.length === 0) return nothingReviewed
  // A test gets fixtures by the names of its parameters, and tries what happens without an argument.
  const own = change.diff.files.filter((file) => isOwnFile(file) && file.oldPath !== null && !isTestPath(file.path))
  const { kept, omitted } = firstOf(own, filesCompared, "functions of", "changed files")
  const edited = yield* editsOf(kept)
  const records: Array<ReviewRecord> = []
  for (const each of edited) {
    for (const rule of applied) {
      const textAt = yield* lineTexts(sources, [each])
      for (const { description, title, ...claim } of losses[rule.id]!(each)) {
        const quote = textAt(each.path, claim.line) ?? ""
        const words = { title, description: `${title}. ${description}`, quote }
        records.push(ruleRecord(rule, { ...claim, ...words, path: each.path }, textAt))
      }
    }
  }
  return { records, omitted, rulesApplied: applied.map(({ id }) => id) }
})

interface Words {
  readonly line: number
  readonly words: ReadonlyArray<string>
  readonly title: string
  readonly description: string
}

const losses: Readonly<Record<Rule["id"], (edited: EditedFunction) => ReadonlyArray<Words>>> = {
  "lost/parameter-use": (edited) =>
    unreadParameters(edited).map((loss) => ({
      line: loss.line,
      words: [loss.name],
      title: `\`${nameOf(edited)}\` no longer reads its parameter \`${loss.name}\``,
      description: `Line ${loss.before} read it before the change. What a caller passes has no effect.`
    })),
  "lost/await": (edited) =>
    unawaitedCalls(edited).map((loss) => ({
      line: loss.line,
      words: [loss.name],
      title: `\`${loss.name}()\` is no longer awaited in \`${nameOf(edited)}\``,
      description: `Line ${loss.before} awaited it before the change.`
    }))
}

const nameOf = ({ head }: EditedFunction): string =>
  [head.definition.container, head.definition.name].filter((part) => part !== null).join(".")
