/**
 * Finds repetitions in a session: twelve detectors, each a condition on the latest steps. A loop opens at the step at which
 * its detector fires and closes at the first step at which it no longer does.
 *
 * Sequences are compared by what they are about, not by the kind of tool alone: editing one file and running its tests
 * successfully is work, editing it and failing the same tests twice is a loop.
 */
import { covers } from "./failingChecks.ts"
import type { LoopKind, SessionLoop, SessionStep, SessionView } from "./SessionView.ts"

export const sessionLoops = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<SessionLoop> => {
  const loops: Array<SessionLoop> = []
  let open = new Map<string, number>()
  const calls = new Map<string, number>()
  const outputs = new Map<string, string>()
  const transitions = new Map<string, number>()
  const starts = new Map<string, number>()
  const known = { calls, outputs, transitions, starts, words: new Map<string, ReadonlySet<string>>() }
  const failed = new Set<string>()
  const all = steps.map((step) => {
    if (hasFailed(step) && step.family !== null) failed.add(step.family)
    return seen(step, failed)
  })
  all.forEach((step, at) => {
    const recent = all.slice(Math.max(0, at - loopWindow + 1), at + 1)
    count(step, all[at - 1], known)
    const firing = new Map<string, number>()
    for (const { find, kind } of detectors) {
      const found = find(recent, known)
      if (found === null) continue
      const id = `${kind}\n${found.key}`
      const index = open.get(id) ?? loops.length
      if (index === loops.length) {
        const first = recent[Math.max(0, recent.length - found.steps)]!.step
        loops.push({ kind, key: found.key, firstStep: first, openedAt: step.step, closedAt: null })
      }
      firing.set(id, index)
    }
    for (const [id, index] of open) {
      if (!firing.has(id)) loops[index] = { ...loops[index]!, closedAt: step.step }
    }
    open = firing
    if (step.output !== null && step.command !== null) outputs.set(step.command, step.output)
  })
  return loops
}

/** Latest steps that detectors compare. */
export const loopWindow = 12

/**
 * Is a loop resolved? What failed in it succeeds afterwards and does not fail again within ten steps, or for good later. One in
 * which no command failed is resolved when the session goes on to something else, or ends as it was meant to.
 */
export const loopVerdicts = ({
  outcome,
  steps
}: Pick<SessionView, "outcome" | "steps">): ((loop: SessionLoop) => boolean) => {
  const runs = Map.groupBy(steps, ({ family }) => family)
  return (loop) => {
    const failed = failedIn(loop, steps)
    if (failed === undefined) return loop.closedAt !== null || outcome === "clean"
    let success: SessionStep | null = null
    for (const run of runs.get(failed.family) ?? []) {
      if (run.step <= loop.openedAt) continue
      if (run.result === "ok" && covers(run, failed)) success ??= run
      else if (run.result === "failed" && success !== null && run.step <= success.step + recurrenceWindow)
        success = null
    }
    return success !== null
  }
}

/** What fails again within so many steps was not repaired. */
export const recurrenceWindow = 10

/** The last command that failed in a loop. */
export const failedIn = (
  { firstStep, openedAt }: SessionLoop,
  steps: ReadonlyArray<SessionStep>
): SessionStep | undefined =>
  steps.slice(firstStep - 1, openedAt).findLast(({ family, result }) => family !== null && result === "failed")

interface Counts {
  /** Equal calls since a loop of them was last reported. */
  readonly calls: Map<string, number>
  /** The output of the previous run of each command. */
  readonly outputs: ReadonlyMap<string, string>
  readonly transitions: Map<string, number>
  /** Transitions by the kind from which they start. */
  readonly starts: Map<string, number>
  /** The words of each command. */
  readonly words: Map<string, ReadonlySet<string>>
}

/** A step, with what several detectors compare. */
interface Seen extends SessionStep {
  readonly target: string
  /** An edit and its file, a run and the error with which it failed: what a cycle is made of. */
  readonly token: string
  /** The kind of step for frequencies. */
  readonly kind: string
  /** A success of a check, or of what had failed. */
  readonly isProgress: boolean
}

interface Found {
  readonly key: string
  /** The number of latest steps that are the repetition. */
  readonly steps: number
}

interface Detector {
  readonly kind: LoopKind
  readonly find: (recent: ReadonlyArray<Seen>, counts: Counts) => Found | null
}

const isRead = ({ action }: SessionStep): boolean => action === "read" || action === "search"
const hasFailed = ({ result }: SessionStep): boolean => result === "failed"

const seen = (step: SessionStep, failed: ReadonlySet<string>): Seen => {
  const { action, command, family, files, purpose, result, tool } = step
  const target = family ?? files[0] ?? command ?? tool
  const token = `${action} ${target}${hasFailed(step) ? ` (failed)${step.error?.masked ?? ""}` : ""}`
  const kind = isRead(step) ? "read" : action !== "edit" && hasFailed(step) ? "failure" : action
  const isCheck = purpose !== null && purpose !== "other"
  const isProgress = result === "ok" && (isCheck || (family !== null && failed.has(family)))
  return { ...step, target, token, kind, isProgress }
}

const isProgress = (step: Seen): boolean => step.isProgress

const detectors: ReadonlyArray<Detector> = [
  {
    kind: "read spiral",
    find: (recent) => {
      const last = recent.slice(-8)
      const reads = last.filter(isRead).length
      return last.length >= 6 && reads >= 5 && isRead(last.at(-1)!) && !last.some(({ action }) => action === "edit")
        ? { key: "read", steps: last.length }
        : null
    }
  },
  { kind: "alternation", find: (recent) => cycle(recent, 2) },
  { kind: "cycle", find: (recent) => cycle(recent, 3) },
  {
    kind: "low entropy",
    find: (recent) => {
      const last = recent.slice(-10)
      const reads = last.filter(isRead).length
      return last.length >= 8 && reads >= 7 && !last.some(({ action }) => action === "edit") && entropy(last) < 1
        ? { key: "read", steps: last.length }
        : null
    }
  },
  {
    kind: "stuck",
    find: (recent) => {
      const last = recent.slice(-10)
      return last.length >= 8 && last.filter(hasFailed).length >= 5 && entropy(last) < 0.8
        ? { key: "failure", steps: last.length }
        : null
    }
  },
  {
    kind: "low novelty",
    find: (recent) => {
      const last = recent.slice(-10)
      return last.length === 10 && !last.some(isProgress) && new Set(last.map(tokenOf)).size / last.length < 0.3
        ? { key: last.at(-1)!.token.replace(/( \(failed\)).*/, "$1"), steps: last.length }
        : null
    }
  },
  {
    kind: "retry",
    find: (recent) => {
      const last = recent.slice(-6)
      const key = last.at(-1)!.target
      const failures = last.length - 1 - last.findLastIndex((step) => !hasFailed(step) || step.target !== key)
      return failures >= 3 ? { key, steps: failures } : null
    }
  },
  {
    kind: "similar commands",
    find: (recent, { words: known }) => {
      if (recent.at(-1)!.command === null) return null
      const last = recent.filter(({ command }) => command !== null).slice(-4)
      if (last.length < 4 || last.some(isProgress)) return null
      const words = last.map(({ command }) => wordsOf(command!, known))
      const pairs = words.flatMap((one, i) => words.slice(i + 1).filter((other) => isSimilar(one, other)))
      return pairs.length >= 2 ? { key: last.at(-1)!.target, steps: 4 } : null
    }
  },
  {
    kind: "same call",
    find: (recent, { calls }) => {
      const step = recent.at(-1)!
      const key = `${step.tool} ${step.args}`
      if (step.args === null || isProgress(step) || (calls.get(key) ?? 0) < 3) return null
      calls.set(key, 0)
      return { key: `${step.tool} ${step.target}`, steps: 1 }
    }
  },
  {
    kind: "same command fails",
    find: (recent) => {
      const step = recent.at(-1)!
      if (!hasFailed(step) || step.family === null) return null
      const runs = recent.filter(({ family }) => family === step.family)
      const failures = runs.slice(runs.findLastIndex(({ result }) => result === "ok") + 1).filter(hasFailed).length
      return failures >= 3 ? { key: step.family, steps: recent.length } : null
    }
  },
  {
    kind: "likely failure",
    find: (recent, { starts: known, transitions }) => {
      const from = recent.at(-1)!.kind
      if (known.values().reduce((sum, count) => sum + count, 0) < 15) return null
      const to = from === "read" ? "read" : from === "edit" || from === "failure" ? "failure" : null
      if (to === null) return null
      const starts = known.get(from) ?? 0
      const share = starts < 3 ? 0 : (transitions.get(`${from}→${to}`) ?? 0) / starts
      const isLikely = from === "read" ? share > 0.7 && recent.slice(-3).every(isRead) : share > 0.5
      return isLikely ? { key: `${from} to ${to}`, steps: 3 } : null
    }
  },
  {
    kind: "same output",
    find: (recent, { outputs }) => {
      const step = recent.at(-1)!
      if (step.command === null || step.output === null || isProgress(step)) return null
      return outputs.get(step.command) === step.output ? { key: step.target, steps: 1 } : null
    }
  }
]

/** The latest steps are one sequence of `length` steps, twice, and not twice the same step or a check that succeeds. */
const cycle = (recent: ReadonlyArray<Seen>, length: number): Found | null => {
  const last = recent.slice(-2 * length)
  if (last.length < 2 * length || last.some(isProgress)) return null
  const tokens = last.map(tokenOf)
  const first = tokens.slice(0, length)
  if (new Set(first).size === 1 || first.some((token, at) => token !== tokens[at + length])) return null
  return {
    key: first
      .map((each) => each.replace(/( \(failed\)).*/, "$1"))
      .toSorted()
      .join(", "),
    steps: last.length
  }
}

const tokenOf = ({ token }: Seen): string => token

const entropy = (steps: ReadonlyArray<Seen>): number => {
  const kinds = Map.groupBy(steps, ({ kind }) => kind)
  return -[...kinds.values()].reduce((sum, { length }) => {
    const share = length / steps.length
    return sum + share * Math.log2(share)
  }, 0)
}

const wordsOf = (command: string, known: Map<string, ReadonlySet<string>>): ReadonlySet<string> => {
  const words = known.get(command) ?? new Set(command.split(/\s+/))
  known.set(command, words)
  return words
}

const isSimilar = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  const shared = one.intersection(other).size
  const all = one.size + other.size - shared
  return shared < all && shared / all > 0.5
}

const count = (step: Seen, before: Seen | undefined, { calls, starts, transitions }: Counts): void => {
  const key = `${step.tool} ${step.args}`
  calls.set(key, (calls.get(key) ?? 0) + 1)
  if (before === undefined) return
  const transition = `${before.kind}→${step.kind}`
  transitions.set(transition, (transitions.get(transition) ?? 0) + 1)
  starts.set(before.kind, (starts.get(before.kind) ?? 0) + 1)
}
