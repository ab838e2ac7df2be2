/**
 * The files whose texts a view of a repository has, besides those of the session: enough to count habits, however large the
 * repository is. The same for the same files: each one at an even distance in the order of names.
 */

import { isTestPath } from "../../change/PathKind.ts"
import { hasTextHabits } from "../../code/habits/textHabits.ts"

/** Cheap to tell, unlike whether a file is generated. */
const textEnding = /\.(?:[cm]?[jt]sx?|py)$/
const mostJudged = 5_000
const most = { tests: 150, others: 250 }

export const sampledFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const some = evenly(
    files.filter((path) => textEnding.test(path)),
    mostJudged
  )
  const { others = [], tests = [] } = Object.groupBy(some.filter(hasTextHabits), (path) =>
    isTestPath(path) ? "tests" : "others"
  )
  return [...evenly(tests, most.tests), ...evenly(others, most.others)]
}

/** Of the files, `count` or all. */
export const evenly = (files: ReadonlyArray<string>, count: number): ReadonlyArray<string> => {
  const step = Math.max(1, files.length / count)
  return Array.from({ length: Math.min(count, files.length) }, (_, at) => files[Math.floor(at * step)]!)
}
