/**
 * Repairs of a session: an error, the changes after it, and a run of the same check that succeeds.
 *
 * A repair counts only if the error does not come back within ten steps; when the session ends sooner, a second successful
 * run or a commit must confirm it. Changes after which the error was still there are no part of it. An error that goes away
 * without any change is of a flaky check and teaches nothing.
 */
import type { Artifact, ArtifactBody, Contribution } from "../Artifact.ts"
import { detailed } from "../artifacts/details.ts"
import { covers } from "../failingChecks.ts"
import type { ErrorSignature, SessionStep, SessionView } from "../SessionView.ts"
import { recurrenceWindow } from "../sessionLoops.ts"
import { type Change, changesOf, fileDetail, lineDetail, readWords, runWords } from "./stepWords.ts"

/** One error from its first occurrence until its check succeeds, or until the error is given up. */
export interface Episode {
  readonly error: ErrorSignature
  readonly family: string
  readonly named: ReadonlyArray<string>
  /** Indices of steps: each run that failed with this error, in order. */
  readonly failures: ReadonlyArray<number>
  /** The first later run that covers the failed check and does not show the error; null if there is none. */
  readonly gone: number | null
  /** The first such run that succeeds. */
  readonly success: number | null
}

/** A repair is looked for in so many steps after the last failure. */
const longestRepair = 30

/** In the order of their ends. Linear in steps, times the errors of a family that are open at once. */
export const episodesOf = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<Episode> => {
  const episodes: Array<Episode> = []
  const open = new Map<string, Map<string, Opened>>()
  const close = ({ scope: _, ...episode }: Opened) => episodes.push(episode)
  steps.forEach((step, index) => {
    const { error, family, result, scope } = step
    if (step.action !== "run" || family === null) return
    if (result !== "ok" && (result !== "failed" || error === null)) return
    const check = `${step.folder}\n${family}`
    const ofFamily = open.get(check)
    if (result === "ok" && ofFamily === undefined) return
    for (const [signature, episode] of ofFamily ?? []) {
      const isSame = signature === error?.masked
      if (isSame || !covers(step, episode)) continue
      const gone = episode.gone ?? index
      if (result === "failed") ofFamily!.set(signature, { ...episode, gone })
      else {
        close({ ...episode, gone, success: index })
        ofFamily!.delete(signature)
      }
    }
    if (result === "failed" && error !== null) {
      const errors = ofFamily ?? new Map<string, Opened>()
      open.set(check, errors)
      const before = errors.get(error.masked)
      const named = [...new Set([...step.named, ...(before?.named ?? [])])].slice(0, 5)
      const failures = [...(before?.failures ?? []).slice(-mostFailures), index]
      errors.set(error.masked, { error, family, named, failures, gone: null, success: null, scope })
      if (errors.size > mostOpen) {
        const [oldest, episode] = [...errors][0]!
        errors.delete(oldest)
        close(episode)
      }
    }
  })
  for (const errors of open.values()) for (const episode of errors.values()) close(episode)
  return episodes
}

interface Opened extends Episode {
  /** Of the latest run that failed. */
  readonly scope: ReadonlyArray<string>
}

const mostFailures = 9
/** Errors of one family that are open at once; the oldest is given up. */
const mostOpen = 20

/** What a repair of an error is called, and what would make it the same repair in another session. */
export interface Repair {
  readonly key: string
  readonly body: ArtifactBody
}

/** What one episode shows: the repair that worked, and those that did not. */
export interface Observed {
  readonly error: ErrorSignature
  readonly worked: Repair | null
  readonly failed: ReadonlyArray<Repair>
  /** The error went away although nothing was changed. */
  readonly isFlaky: boolean
}

export const observedIn = (
  episode: Episode,
  { milestones, steps }: Pick<SessionView, "milestones" | "steps">
): Observed => {
  const { error, failures, gone, success } = episode
  const attempts = failures.slice(1).map((next, at) => ({ from: failures[at]!, to: next }))
  const failed = attempts.flatMap(({ from, to }) => repairOf(episode, steps, from, to) ?? [])
  const last = failures.at(-1)!
  if (success === null || gone === null || success - last > longestRepair) {
    return { error, worked: null, failed, isFlaky: false }
  }
  const isFlaky = changesBetween(steps, last, gone, episode).length === 0
  const repair = isFlaky ? null : repairOf(episode, steps, last, gone)
  const after = steps.slice(success + 1, success + 1 + recurrenceWindow)
  const recurs = after.some((step) => step.error?.masked === error.masked)
  if (recurs) return { error, worked: null, failed: repair === null ? failed : [...failed, repair], isFlaky }
  const isConfirmed =
    after.length === recurrenceWindow ||
    after.some(({ family, result }) => family === episode.family && result === "ok") ||
    milestones.some(({ step, what }) => what === "commit" && step > steps[success]!.step)
  return { error, worked: isConfirmed ? repair : null, failed, isFlaky }
}

/** The changes after a failure until a later run of the check, including those that this run makes before it checks. */
const changesBetween = (steps: ReadonlyArray<SessionStep>, from: number, to: number, { family, named }: Episode) =>
  steps
    .slice(Math.max(from, to - longestRepair) + 1, to + 1)
    .flatMap((step) => changesOf(step, named))
    .filter(({ words }) => words !== runWords(family))

/** Null if no change is related with the error. Details of the steps are no part of the key. */
const repairOf = (episode: Episode, steps: ReadonlyArray<SessionStep>, from: number, to: number): Repair | null => {
  const { error, failures, family, named } = episode
  const changes = changesBetween(steps, from, to, episode).filter(({ words }) => words !== null)
  const wanted = [...new Set(changes.flatMap(({ words }) => words ?? []))]
  const check = runWords(family)
  if (wanted.length === 0 || check === null) return null
  const withDetails = (words: string, known: ReadonlyArray<Pick<Change, "detail" | "words">>): string => {
    const details = new Set(known.flatMap((each) => (each.words === words ? [each.detail] : [])))
    return detailed(words, details.size === 1 ? [...details][0]! : null)
  }
  if (!changes.some(({ isEdit }) => isEdit)) {
    const fix_action = wanted.map((words) => withDetails(words, changes)).join(", then ")
    return {
      key: `${error.masked}\n${wanted.join(", then ")}`,
      body: { type: "RepairPattern", error_signature: error.masked, fix_action }
    }
  }
  const reads = steps.slice(Math.max(failures[0]!, to - longestRepair) + 1, to).flatMap((step) => {
    const words = readWords(step, named)
    return words === null ? [] : [{ words, detail: fileDetail(step.files[0]!, named) }]
  })
  const edits = wanted.slice(0, longestSequence - 1)
  const before = [...new Set(reads.map(({ words }) => words))].slice(0, longestSequence - 1 - edits.length)
  const sequence = [
    ...before.map((words) => withDetails(words, reads)),
    ...edits.map((words) => withDetails(words, changes)),
    detailed(check, lineDetail(steps[to]!))
  ]
  const trigger = error.trigger ?? error.masked
  const key = `${trigger}\n${[...before, ...edits, check].join("\n")}`
  return { key, body: { type: "DreamPlaybook", trigger, sequence } }
}

const longestSequence = 6

/**
 * What the session adds to each repair. A failure counts against a repair that something supports: an artifact, an earlier
 * session or this one. `known`: keys of these artifacts and sessions.
 */
export const repairContributions = (
  observed: ReadonlyArray<Observed>,
  known: ReadonlySet<string>
): ReadonlyArray<Contribution> => {
  const flaky = new Set(observed.filter(({ isFlaky }) => isFlaky).map(({ error }) => error.masked))
  const found = new Map<string, Contribution>()
  const add = ({ body, key }: Repair, s: number, f: number) => {
    const before = found.get(key) ?? { key, body, s: 0, f: 0 }
    // A playbook counts sessions, a pattern occurrences.
    const times = body.type === "DreamPlaybook" ? Math.min(1, before.s + s) : before.s + s
    found.set(key, { ...before, s: times, f: Math.min(1, before.f + f) })
  }
  const counted = observed.filter(({ error }) => !flaky.has(error.masked))
  for (const { worked } of counted) if (worked !== null) add(worked, 1, 0)
  for (const { failed, worked } of counted) {
    for (const repair of failed) {
      if (repair.key !== worked?.key && (known.has(repair.key) || found.has(repair.key))) add(repair, 0, 1)
    }
  }
  return [...found.values()]
}

/** Repairs that were given to the assistant, and whose error came back within ten steps although something was changed. */
export const injectedInVain = (
  { injections, steps }: Pick<SessionView, "injections" | "steps">,
  artifacts: ReadonlyArray<Artifact>
): ReadonlyArray<Repair> => {
  const given = new Map<string, number>()
  for (const { artifacts: ids, step } of injections) for (const id of ids) given.set(id, given.get(id) ?? step)
  return artifacts.flatMap((artifact): ReadonlyArray<Repair> => {
    const at = given.get(artifact.id)
    if (at === undefined || (artifact.type !== "DreamPlaybook" && artifact.type !== "RepairPattern")) return []
    const subject = artifact.type === "DreamPlaybook" ? artifact.trigger : artifact.error_signature
    const occurs = ({ error }: SessionStep) => error !== null && (error.trigger === subject || error.masked === subject)
    const hasOccurred = steps.slice(0, at).some(occurs)
    const first = hasOccurred ? at - 1 : steps.findIndex((step, index) => index >= at && occurs(step))
    if (first < 0) return []
    const after = steps.slice(first + 1, first + 1 + recurrenceWindow)
    const change = after.findIndex((step) => changesOf(step, []).length > 0)
    if (change < 0 || !after.slice(change).some(occurs)) return []
    const body: ArtifactBody =
      artifact.type === "DreamPlaybook"
        ? { type: artifact.type, trigger: artifact.trigger, sequence: artifact.sequence }
        : { type: artifact.type, error_signature: artifact.error_signature, fix_action: artifact.fix_action }
    return [{ key: artifact.key, body }]
  })
}
