/** The examples of the rules that dd ships. Large, and not needed by a review: import it only to show them. */

import type { RuleExample } from "../domain/finding/RuleExample.ts"
import type { WrittenText } from "./page/Page.ts"
import { readAllExamples } from "./page/pages.ts" with { type: "macro" }

const written = readAllExamples()

const textOf = (text: WrittenText): string | null =>
  text === null || typeof text === "string" ? text : text.text.repeat(text.times)

/** The examples on the page of this rule; none for a rule that dd does not ship. */
export const examplesOf = (id: string): ReadonlyArray<RuleExample> =>
  (written[id] ?? []).map(({ files, isReported, name }) => ({
    isReported,
    name,
    files: files.map(({ after, before, ...file }) => ({ ...file, before: textOf(before), after: textOf(after) }))
  }))
