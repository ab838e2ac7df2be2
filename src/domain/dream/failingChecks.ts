/**
 * Which calls of a session fail until its end: one rule for the notes to the next session, for errors and for loops.
 *
 * A success resolves the failures that it covers: those of the same command, in the same folder or below it, if it ran at least
 * what had failed. A call without a command is resolved by a success of the same tool on the same file.
 */
import type { SessionStep } from "./SessionView.ts"

/** What has failed in one folder, and no success has resolved. */
export interface FailingCheck {
  readonly folder: string
  /** In order; at least one. */
  readonly failures: ReadonlyArray<SessionStep>
  /** Did it run since the first of them with another result: of a part, or without a known end? */
  readonly hasOtherRuns: boolean
}

/** Those of a command or of a tool, the one that failed last at the end. */
export const failingChecks = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<FailingCheck> => {
  const open = new Map<string, ReadonlyArray<FailingCheck>>()
  for (const step of steps) {
    const { result } = step
    if (result === "denied" || result === "in flight") continue
    const subject = step.family ?? `${step.tool}\n${step.command ?? step.files[0] ?? ""}`
    const before = open.get(subject) ?? []
    if (result === "failed") {
      const same = before.find(({ folder }) => folder === step.folder)
      const failures = [...(same?.failures.slice(-mostFailures) ?? []), step]
      const failing = { folder: step.folder, failures, hasOtherRuns: same?.hasOtherRuns ?? false }
      open.set(subject, [...before.filter((each) => each !== same), failing])
    } else if (before.length > 0) {
      const left = before.flatMap((each) => {
        if (!isInFolder(each.folder, step.folder)) return [each]
        const failures = result === "ok" ? each.failures.filter((failure) => !covers(step, failure)) : each.failures
        return failures.length === 0 ? [] : [{ ...each, failures, hasOtherRuns: true }]
      })
      if (left.length === 0) open.delete(subject)
      else open.set(subject, left)
    }
  }
  const last = ({ failures }: FailingCheck) => failures.at(-1)!.step
  return [...open.values()].flat().toSorted((a, b) => last(a) - last(b))
}

const mostFailures = 99

const isInFolder = (folder: string, above: string): boolean => above === "" || `${folder}/`.startsWith(`${above}/`)

type Run = Pick<SessionStep, "named" | "scope">

/** Does a run show whether what failed in another run of the same command still fails? */
export const covers = ({ scope }: Pick<Run, "scope">, { named, scope: failed }: Run): boolean =>
  scope.length === 0 ||
  (failed.length > 0 && failed.every((word) => scope.some((other) => isWithin(word, other)))) ||
  scope.some((word) => named.some((file) => isWithin(file, word) || file.endsWith(`/${word}`)))

/** `tests/a.py::one` is in `tests/a.py`, which is in `tests`, which is in `./...`. */
const isWithin = (word: string, other: string): boolean => {
  const [inner, outer] = [word, other].map((each) => each.replace(/^\.(?:\/|$)/, "").replace(/\/?(?:\.\.\.)?$/, ""))
  return outer === "" || inner === outer || inner!.startsWith(`${outer}/`) || inner!.startsWith(`${outer}::`)
}
