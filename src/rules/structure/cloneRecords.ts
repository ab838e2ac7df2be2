/** Builds records of functions that repeat others. */
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { RepositoryRule } from "../../domain/finding/Rule.ts"
import { ruleRecord, type TextAt } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import type { Found } from "./cloneCandidates.ts"
import type { FunctionShape } from "./functionShapes.ts"

/** A new function and its original. */
export interface Clone {
  readonly copy: Found
  readonly original: Found
}

/** Removes functions inside of a reported function. */
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

/** The maximum number of differences that are shown. */
const differencesShown = 4

/** One record for each pair of files. */
export const cloneRecords = (
  rule: RepositoryRule,
  clones: ReadonlyArray<Clone>,
  textAt: TextAt
): ReadonlyArray<ReviewRecord> =>
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
      return ruleRecord(
        rule,
        {
          title,
          description: `${title}. ${details.join(". ")}.`,
          path: copy.path,
          line: copy.line,
          endLine: copy.endLine,
          related: sorted.map((each) => ({
            path: each.original.path,
            line: each.original.line,
            words: [each.original.name],
            message: more === 0 ? "the same function" : `the same as \`${each.copy.name}\``
          }))
        },
        textAt
      )
    })
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line)

/** The differing names; literals are only counted, because one may be a secret. */
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
