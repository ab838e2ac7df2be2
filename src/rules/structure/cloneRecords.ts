/** From functions that repeat others to records, in the words of the rule. Pure. */
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { RepositoryRule } from "../../domain/finding/Rule.ts"
import { compareText } from "../../domain/text/compareText.ts"
import type { Found } from "./cloneCandidates.ts"
import type { FunctionShape } from "./functionShapes.ts"

/** A new function with what it repeats. */
export interface Clone {
  readonly copy: Found
  readonly original: Found
}

/** A function inside one that is reported needs no word of its own. */
export const outermost = (clones: ReadonlyArray<Clone>): ReadonlyArray<Clone> =>
  clones.filter(
    ({ copy }) =>
      !clones.some(
        (other) =>
          other.copy !== copy &&
          other.copy.path === copy.path &&
          other.copy.line <= copy.line &&
          other.copy.endLine >= copy.endLine
      )
  )

/** Differences that are named. */
const differencesShown = 4

/** One record for a file and the file it repeats. */
export const cloneRecords = (rule: RepositoryRule, clones: ReadonlyArray<Clone>): ReadonlyArray<ReviewRecord> =>
  [...Map.groupBy(clones, ({ copy, original }) => `${copy.path}\n${original.path}`).values()]
    .map((group) => {
      const sorted = group.toSorted((a, b) => a.copy.line - b.copy.line)
      const { copy, original } = sorted[0]!
      const more = sorted.length - 1
      const title =
        more === 0
          ? `\`${copy.name}\` repeats \`${original.name}\` of ${original.path}:${original.line}`
          : `\`${copy.name}\` and ${more} more new ${more === 1 ? "function" : "functions"} repeat functions of ${original.path}`
      const pairs = sorted
        .slice(1)
        .map(
          (each) => `\`${each.copy.name}\` (line ${each.copy.line}) repeats ${each.original.path}:${each.original.line}`
        )
      const details = [
        `Its ${copy.shape.statements} statements are the same${differences(copy.shape, original.shape)}`,
        ...pairs
      ]
      return ReviewRecord.make({
        id: 0,
        rule: rule.id,
        title,
        description: `${title}. ${details.join(". ")}.`,
        rationale: `${rule.why} ${rule.fix}`,
        file: copy.path,
        line: copy.line,
        endLine: copy.endLine,
        severity: rule.severity,
        confidence: rule.confidence,
        evidence: [
          `${copy.path}:${copy.line}`,
          ...sorted.map((each) => `${each.original.path}:${each.original.line}`)
        ].join("; ")
      })
    })
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line)
    .map((record, at) => ReviewRecord.make({ ...record, id: at + 1 }))

/** Names of what is used; literals are counted, for one may be a secret. */
const differences = (copy: FunctionShape, original: FunctionShape): string => {
  const differing = copy.names.flatMap(({ shared, text }, at) => {
    const other = original.names[at]?.text ?? ""
    return shared && other !== text ? [{ text, other }] : []
  })
  if (differing.length === 0) return ""
  const isName = ({ other, text }: { readonly text: string; readonly other: string }) =>
    /^[\w.?!:]{1,60}$/.test(text + other)
  const named = differing.filter(isName).map(({ other, text }) => `\`${other}\` is \`${text}\``)
  const shown = named.slice(0, differencesShown)
  const rest = differing.length - shown.length
  return `, but for ${[...shown, ...(rest > 0 ? [`${rest} more ${rest === 1 ? "name or text" : "names or texts"}`] : [])].join(", ")}`
}
