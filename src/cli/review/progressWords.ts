/** What progress shows, in words: the step, its counts, the agents it waits for. Pure. */
import { addRunCost, noCost, type RunCost } from "../../domain/agent/RunCost.ts"
import { type CallUsage, costOfCall, countUsage, noCallUsage, totalUsage } from "../../domain/agent/Usage.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import { plural } from "../../domain/text/plural.ts"
import type { FileCount, FileWork } from "../../services/change/progress/FileCounts.ts"
import { stepInWords, stepWords } from "../text/stepWords.ts"
import { someOf } from "../text/Tally.ts"

/** Steps in which models answer. */
const modelWords: Readonly<Record<string, string>> = {
  "per-stack-reviews": "asking reviewers",
  review: "asking reviewers",
  "review-alternatives": "asking reviewers",
  alternatives: "asking for alternatives",
  intent: "asking for the purpose of the change",
  "review-intent": "asking for the purpose of the change"
}

/** Steps of a review without a model in which only a model would answer. */
const staticWords: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...["intent", "review-intent", "alternatives", "review-alternatives"],
    ...["per-stack-parse", "parse", "arbiter", "cross-stack-merge", "single-stack-merge"]
  ].map((step) => [step, "checking rules"])
)

/** In the order in which a review does them: a display does not return to an earlier one. */
const workWords: Readonly<Record<FileWork, string>> = {
  history: "reading git history",
  symbols: "reading symbols",
  form: "comparing both sides",
  imports: "following imports",
  types: "comparing types",
  users: "finding users",
  rules: "checking rules",
  trials: "trying small changes"
}
const order = Object.keys(workWords)

/** A count that did not move for so long (ms) makes room for one that does. */
const still = 300

/** What is shown of the counts: the work that was reached, and how much is done. */
export interface ShownWork {
  readonly work: FileWork
  readonly done: number
  /** Null: not known, because more files were added. */
  readonly total: number | null
  readonly grammar: string | null
}

/** Chooses the work to show: the same one for as long as it moves, then a later one. A step begins anew. */
export const makeChoice = () => {
  let [step, reached, movedAt]: [string, FileCount | null, number] = ["", null, 0]
  let total: number | null = 0
  const doneBefore = new WeakMap<FileCount, number>()
  return (words: string, running: ReadonlyArray<FileCount>, done: number, now: number): ShownWork | null => {
    if (words !== step) [step, reached] = [words, null]
    const moved = running.filter((count) => count.done !== doneBefore.get(count))
    for (const count of running) doneBefore.set(count, count.done)
    if (reached !== null && moved.includes(reached)) movedAt = now
    const shown = reached
    const isMoving = shown !== null && running.includes(shown) && now - movedAt < still
    const isLater = ({ work }: FileCount) => shown === null || order.indexOf(work) > order.indexOf(shown.work)
    const later = isMoving ? [] : (moved.length > 0 || shown !== null ? moved : running).filter(isLater)
    const next = later.toSorted((a, b) => order.indexOf(a.work) - order.indexOf(b.work))[0]
    if (next !== undefined) [reached, movedAt, total] = [next, now, next.total]
    if (reached === null) return null
    if (total !== reached.total || (moved.length > 0 && !running.includes(reached))) total = null
    const { grammar } = moved.includes(reached) ? reached : (moved[0] ?? reached)
    return { work: reached.work, grammar, total, done: total === null ? done : reached.done }
  }
}

/** What the events so far tell of a run. */
export interface Work {
  readonly steps: ReadonlyArray<string>
  /** The step that ended last. */
  readonly before: string
  /** Between the first and the last event of a run, also while no step runs. */
  readonly isRun: boolean
  readonly hasModel: boolean
  readonly agentsPlanned: number
  readonly agentsDone: number
  /** The agents that work, by the number of their call. */
  readonly agents: ReadonlyMap<number, { readonly task: string; readonly usage: CallUsage }>
  /** Of the agents that are done. */
  readonly spent: RunCost
}

export const noWork: Work = {
  steps: [],
  before: "change",
  isRun: false,
  hasModel: false,
  agentsPlanned: 0,
  agentsDone: 0,
  agents: new Map(),
  spent: noCost
}

export const afterEvent = (work: Work, event: RunEvent): Work => {
  switch (event._tag) {
    case "RunStarted":
      return { ...noWork, isRun: true, hasModel: event.source === "model", agentsPlanned: event.agentsPlanned }
    case "RunEnded":
      return noWork
    case "StepStarted":
      return { ...work, steps: [...work.steps, event.step] }
    case "StepEnded":
      return { ...work, steps: work.steps.filter((step) => step !== event.step), before: event.step }
    case "AgentStarted":
      return withAgent(work, event.call, { task: event.task, usage: noCallUsage })
    case "Agent": {
      const agent = work.agents.get(event.call)
      if (agent === undefined || (event.event._tag !== "Metrics" && event.event._tag !== "Cost")) return work
      return withAgent(work, event.call, { ...agent, usage: countUsage(agent.usage, event.event) })
    }
    case "AgentEnded": {
      const agent = work.agents.get(event.call)
      if (agent === undefined) return work
      const agents = new Map([...work.agents].filter(([call]) => call !== event.call))
      return { ...work, agents, agentsDone: work.agentsDone + 1, spent: withUsage(work.spent, agent.usage) }
    }
    default:
      return work
  }
}

const withAgent = (work: Work, call: number, agent: { readonly task: string; readonly usage: CallUsage }): Work => ({
  ...work,
  agents: new Map([...work.agents, [call, agent]])
})

const withUsage = (sum: RunCost, usage: CallUsage): RunCost => {
  const { cachedTokens, completionTokens, promptTokens } = totalUsage(usage)
  return addRunCost(sum, { ...costOfCall(usage), promptTokens, completionTokens, cachedTokens })
}

export interface Counts {
  /** Null: no files are read. */
  readonly shown: ShownWork | null
  readonly files: number
  readonly functions: number
}

/** The step that runs, or that ended last. */
export const stepOf = ({ before, hasModel, isRun, steps: [step = before] }: Work): string =>
  (isRun && !hasModel ? staticWords[step] : undefined) ?? stepInWords(step)

/** What is done now, and what is known of it; the second may be empty. */
export const wordsOf = (work: Work, counts: Counts): readonly [now: string, more: string] => {
  const [step = work.before] = work.steps
  const own = stepOf(work)
  if (work.hasModel && work.agents.size > 0) {
    const known = work.agentsDone + work.agents.size
    const total = Math.max(work.agentsPlanned, known)
    const now = `${modelWords[step] ?? own}, ${work.agentsDone} of ${plural(total, "agent")} done`
    return [now, [waitsFor(work), costWords(work)].filter((part) => part !== "").join("; ")]
  }
  const { files, functions, shown } = counts
  const read =
    files === 0
      ? ""
      : `${grouped(files)} ${files === 1 ? "file" : "files"} and ${grouped(functions)} ${functions === 1 ? "function" : "functions"} read`
  if (shown === null) return [own, read]
  const language = shown.grammar === null ? "" : `, ${shown.grammar}`
  // Without a total, what moves is the number of all parts of the work so far.
  const parts = shown.total === null && shown.done > 0 ? `${grouped(shown.done)} parts of the work done` : ""
  return [
    `${nameOf(own, workWords[shown.work])}${countWords(shown)}${language}`,
    [read, parts].filter((each) => each !== "").join(", ")
  ]
}

/** Work that several steps do has another name in each, because its count begins anew. */
const nameOf = (step: string, work: string): string =>
  step === stepWords.change ? work : step === work ? step : `${step}: ${work}`

/** Only with a total that holds. */
const countWords = ({ done, total, work }: ShownWork): string => {
  if (total === null || (done === 0 && total === 0)) return ""
  return work === "history" ? `, ${plural(done, "commit")}` : ` ${grouped(done)}/${grouped(total)}`
}

/** `review:python` is shown as `python`. */
const waitsFor = ({ agents }: Work): string => {
  const names = [...agents.values()].map(({ task }) => task.slice(task.indexOf(":") + 1))
  return `waiting for ${someOf([...new Set(names)], 3)}`
}

const costWords = ({ agents, spent }: Work): string => {
  const sum = [...agents.values()].reduce((so, { usage }) => withUsage(so, usage), spent)
  const tokens = (sum.promptTokens ?? 0) + (sum.completionTokens ?? 0)
  if (tokens === 0) return ""
  return `${grouped(tokens)} tokens${sum.usd === null || sum.usd === 0 ? "" : `, $${sum.usd.toFixed(2)}`}`
}

const grouped = (count: number): string => count.toLocaleString("en-US")

/** `0.4 s`, `12.3 s`, `2 min 5 s`. */
export const elapsedWords = (millis: number): string => {
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  const seconds = Math.floor(millis / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
