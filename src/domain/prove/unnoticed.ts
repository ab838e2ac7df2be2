/** The unnoticed changes that are worth a reader's time, and their words. */
import { longestLabel, ReviewRecord } from "../finding/Finding.ts"
import { plural } from "../text/plural.ts"
import type { Operator } from "./Mutant.ts"
import type { Tried } from "./Proof.ts"

export const unnoticedRule = "run/unnoticed-change"

/** How often the change of such an operator is a missing case rather than a matter of taste: the lower the better. */
const weights: Readonly<Record<Operator, number>> = {
  "pattern-weakened": 0,
  "operand-dropped": 1,
  "boundary-moved": 1,
  "exception-swallowed": 1,
  "case-dropped": 1,
  "wrapping-removed": 2,
  "condition-negated": 2,
  "comparison-swapped": 2,
  "optional-removed": 2,
  "await-removed": 3,
  "default-flipped": 3,
  "call-deleted": 3,
  "argument-dropped": 4,
  "assignment-deleted": 4,
  "off-by-one": 4,
  "result-replaced": 5
}

/** The best first: by the operator, then by how many tests execute the code. */
export const byWorth = (a: Tried, b: Tried): number =>
  weights[a.operator] - weights[b.operator] || b.tests.length - a.tests.length || a.id - b.id

const mostOfScope = 2

/** Best first; at most one of an expression, two of a function and `most` in all. */
export const worthTelling = (tried: ReadonlyArray<Tried>, most: number): ReadonlyArray<Tried> => {
  const unnoticed = tried.filter(({ fate }) => fate === "survived").toSorted(byWorth)
  const chosen: Array<Tried> = []
  for (const each of unnoticed) {
    if (chosen.length === most) break
    const sameFile = chosen.filter(({ path }) => path === each.path)
    const overlaps = sameFile.some(({ end, start }) => start < each.end && each.start < end)
    const ofScope = sameFile.filter(({ scope }) => scope === each.scope).length
    if (!overlaps && ofScope < mostOfScope) chosen.push(each)
  }
  return chosen
}

const longestCode = 40

/** Code in a sentence, on one line. */
const code = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return `\`${line.length > longestCode ? `${line.slice(0, longestCode - 1)}…` : line}\``
}

const what = ({ before, instead, operator }: Tried): string => {
  if (operator === "condition-negated") return `the condition ${code(before)} is negated`
  if (operator === "exception-swallowed") return `${code(before)} is left out`
  if (instead === "") return `${code(before)} is removed`
  return `${code(before)} becomes ${code(instead)}`
}

/** What a test would have to show, by the kind of the change. */
const helps: Readonly<Record<Operator, string>> = {
  "pattern-weakened": "Test a text that the expression must refuse only because of this part.",
  "operand-dropped": "Test a case in which only this operand decides.",
  "boundary-moved": "Test the case in which both sides are equal.",
  "exception-swallowed": "Test that the error is raised.",
  "case-dropped": "Test a value of this case.",
  "wrapping-removed": "Test a value that this call changes.",
  "condition-negated": "Test both outcomes of the condition.",
  "comparison-swapped": "Test both outcomes of the comparison.",
  "optional-removed": "Test the case in which the object is absent.",
  "await-removed": "Test what must not happen before this has ended.",
  "default-flipped": "Test a call that uses the default.",
  "call-deleted": "Test the effect of this call.",
  "argument-dropped": "Test a call in which this argument matters.",
  "assignment-deleted": "Test what depends on this assignment.",
  "off-by-one": "Test a case in which this number matters.",
  "result-replaced": "Test the result."
}

export const recordOf = (tried: Tried, id: number): ReviewRecord => {
  const { column, endColumn, endLine, line, operator, path, tests } = tried
  const title = `No test notices if ${what(tried)}`
  const isOne = tests.length === 1
  const passing = isOne
    ? "the test file that executes it passes"
    : `all ${tests.length} test files that execute it pass`
  return ReviewRecord.make({
    id,
    title,
    label: passing.slice(0, longestLabel),
    description: `${title}. ${helps[operator]} Executed by ${listed(tests)}.`,
    file: path,
    line,
    endLine,
    column,
    endColumn,
    confidence: "HIGH",
    severity: "low",
    rationale: helps[operator],
    evidence: `${path}:${line}`,
    rule: unnoticedRule
  })
}

const mostListed = 3

const listed = (tests: ReadonlyArray<string>): string => {
  const more = tests.length - mostListed
  return [...tests.slice(0, mostListed), ...(more > 0 ? [`${plural(more, "more file")}`] : [])].join(", ")
}
