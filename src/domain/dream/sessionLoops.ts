/**
 * Finds repetitions in a session: twelve detectors, each a condition on the latest steps. A loop opens at the step at which
 * its detector fires and closes at the first step at which it no longer does. Source: reference warden §1.6.
 *
 * Sequences are compared by what they are about, not by the kind of tool alone: editing one file and running its tests
 * successfully is work, editing it and failing the same tests twice is a loop.
 */
import type { LoopKind, SessionLoop, SessionStep } from "./SessionView.ts"

export const sessionLoops = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<SessionLoop> => {
  const loops: Array<SessionLoop> = []
  let open = new Map<string, number>()
  const calls = new Map<string, number>()
  const outputs = new Map<string, string>()
  const transitions = new Map<string, number>()
  steps.forEach((step, at) => {
    const recent = steps.slice(Math.max(0, at - window + 1), at + 1)
    const known = { calls, outputs, transitions }
    count(step, steps[at - 1], known)
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

const window = 12

interface Counts {
  /** Equal calls since a loop of them was last reported. */
  readonly calls: Map<string, number>
  /** The output of the previous run of each command. */
  readonly outputs: ReadonlyMap<string, string>
  readonly transitions: Map<string, number>
}

interface Found {
  readonly key: string
  /** The number of latest steps that are the repetition. */
  readonly steps: number
}

interface Detector {
  readonly kind: LoopKind
  readonly find: (recent: ReadonlyArray<SessionStep>, counts: Counts) => Found | null
}

const isRead = ({ action }: SessionStep): boolean => action === "read" || action === "search"
const hasFailed = ({ result }: SessionStep): boolean => result === "failed"
const targetOf = ({ command, family, files, tool }: SessionStep): string => family ?? files[0] ?? command ?? tool

/** An edit and its file, a run and whether it failed: what a cycle is made of. */
const tokenOf = (step: SessionStep): string => `${step.action} ${targetOf(step)}${hasFailed(step) ? " (failed)" : ""}`

/** The kind of step for frequencies. */
const kindOf = (step: SessionStep): string =>
  isRead(step) ? "read" : step.action === "edit" ? "edit" : hasFailed(step) ? "failure" : step.action

const isProgress = (step: SessionStep): boolean =>
  step.result === "ok" && step.purpose !== null && step.purpose !== "other"

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
      return last.length >= 8 && entropy(last) < 1 && reads >= 7 && !last.some(({ action }) => action === "edit")
        ? { key: "read", steps: last.length }
        : null
    }
  },
  {
    kind: "stuck",
    find: (recent) => {
      const last = recent.slice(-10)
      return last.length >= 8 && entropy(last) < 0.8 && last.filter(hasFailed).length >= 5
        ? { key: "failure", steps: last.length }
        : null
    }
  },
  {
    kind: "low novelty",
    find: (recent) => {
      const last = recent.slice(-10)
      return last.length === 10 && new Set(last.map(tokenOf)).size / last.length < 0.3 && !last.some(isProgress)
        ? { key: tokenOf(last.at(-1)!), steps: last.length }
        : null
    }
  },
  {
    kind: "retry",
    find: (recent) => {
      const last = recent.slice(-6)
      const key = targetOf(last.at(-1)!)
      const failures = last.length - 1 - last.findLastIndex((step) => !hasFailed(step) || targetOf(step) !== key)
      return failures >= 3 ? { key, steps: failures } : null
    }
  },
  {
    kind: "similar commands",
    find: (recent) => {
      const last = recent.filter(({ command }) => command !== null).slice(-4)
      if (last.length < 4 || last.at(-1) !== recent.at(-1) || last.some(isProgress)) return null
      const words = last.map(({ command }) => new Set(command!.split(/\s+/)))
      const pairs = words.flatMap((one, i) => words.slice(i + 1).filter((other) => isSimilar(one, other)))
      return pairs.length >= 2 ? { key: targetOf(last.at(-1)!), steps: 4 } : null
    }
  },
  {
    kind: "same call",
    find: (recent, { calls }) => {
      const step = recent.at(-1)!
      const key = `${step.tool} ${step.args}`
      if (step.args === null || isProgress(step) || (calls.get(key) ?? 0) < 3) return null
      calls.set(key, 0)
      return { key: `${step.tool} ${targetOf(step)}`, steps: 1 }
    }
  },
  {
    kind: "same command fails",
    find: (recent) => {
      const step = recent.at(-1)!
      if (!hasFailed(step) || step.family === null) return null
      const failures = recent.filter((each) => each.family === step.family && hasFailed(each)).length
      return failures >= 3 ? { key: step.family, steps: recent.length } : null
    }
  },
  {
    kind: "likely failure",
    find: (recent, { transitions }) => {
      const from = kindOf(recent.at(-1)!)
      const total = [...transitions.values()].reduce((sum, count) => sum + count, 0)
      if (total < 15) return null
      const to = from === "read" ? "read" : from === "edit" || from === "failure" ? "failure" : null
      if (to === null) return null
      const starts = [...transitions].reduce((sum, [key, count]) => sum + (key.startsWith(`${from}→`) ? count : 0), 0)
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
      return outputs.get(step.command) === step.output ? { key: targetOf(step), steps: 1 } : null
    }
  }
]

/** The latest steps are one sequence of `length` steps, twice, and not twice the same step or a check that succeeds. */
const cycle = (recent: ReadonlyArray<SessionStep>, length: number): Found | null => {
  const last = recent.slice(-2 * length)
  if (last.length < 2 * length || last.some(isProgress)) return null
  const tokens = last.map(tokenOf)
  const first = tokens.slice(0, length)
  if (new Set(first).size === 1 || first.some((token, at) => token !== tokens[at + length])) return null
  return { key: first.toSorted().join(", "), steps: last.length }
}

const entropy = (steps: ReadonlyArray<SessionStep>): number => {
  const kinds = Map.groupBy(steps, kindOf)
  return -[...kinds.values()].reduce((sum, { length }) => {
    const share = length / steps.length
    return sum + share * Math.log2(share)
  }, 0)
}

const isSimilar = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  const shared = one.intersection(other).size
  const all = one.union(other).size
  return shared < all && shared / all > 0.5
}

const count = (step: SessionStep, before: SessionStep | undefined, { calls, transitions }: Counts): void => {
  const key = `${step.tool} ${step.args}`
  calls.set(key, (calls.get(key) ?? 0) + 1)
  if (before === undefined) return
  const transition = `${kindOf(before)}→${kindOf(step)}`
  transitions.set(transition, (transitions.get(transition) ?? 0) + 1)
}
