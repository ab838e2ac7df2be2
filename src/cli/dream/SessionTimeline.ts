/** A session as text: what it was, and what happened in it, turn by turn. Pure. */
import type { SessionLoop, SessionOutcome, SessionStep, SessionView } from "../../domain/dream/SessionView.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { duration, isoTime, moment } from "../text/amounts.ts"
import { cut } from "../text/Page.ts"

export const sessionTimeline = (view: SessionView, outcome: SessionOutcome, width: number): ReadonlyArray<string> => {
  const last = view.samples.at(-1)
  const failures = view.steps.filter(({ result }) => result === "failed").length
  const head = [
    `Session ${oneLine(view.session)} of ${view.host} in ${oneLine(view.root)}${view.branch === null ? "" : `, branch ${oneLine(view.branch)}`}`,
    `${moment(isoTime(view.startedAt))} UTC, ${duration((view.lastAt - view.startedAt) / 1_000)}, ${outcomeWords[outcome]}`,
    `${plural(view.turns, "turn")}, ${plural(view.steps.length, "step")}, ${plural(failures, "failure")}, ${plural(view.milestones.length, "milestone")}, ${plural(view.loops.length, "loop")}, ${plural(view.denials.length, "denied call")}`,
    ...(last === undefined
      ? []
      : [
          `At the end: trust ${last.trust}, focus ${last.focus}, ${plural(last.debt, "unchecked edit")}, ${last.health}, ${last.activity}`
        ]),
    ...(view.goal === "" ? [] : [`Asked first: ${oneLine(view.goal)}`])
  ]
  const lines: Array<string> = []
  let turn = -1
  for (const step of view.steps) {
    if (step.turn !== turn) {
      turn = step.turn
      lines.push("", turn === 0 ? "Before the first prompt" : `Turn ${turn}`)
    }
    lines.push(stepLine(view, step), ...notesOn(view, step.step).map((note) => `      ${note}`))
  }
  return [...head, ...lines].map((line) => cut(line, width))
}

const outcomeWords: Readonly<Record<SessionOutcome, string>> = {
  open: "not ended",
  clean: "ended",
  interrupted: "interrupted",
  failed: "ended by an error of the provider"
}

const stepLine = ({ samples }: SessionView, step: SessionStep): string => {
  const { action, command, files, result, tool } = step
  const sample = samples[step.step]
  const what = oneLine(command ?? (files.length > 0 ? files.join(", ") : tool))
  const state = result === "ok" ? "" : `  ${result}${step.error === null ? "" : `: ${oneLine(step.error.masked)}`}`
  const figures = sample === undefined ? "" : `${String(sample.trust).padStart(3)} ${String(sample.focus).padStart(3)}`
  return `${String(step.step).padStart(4)}  ${figures}  ${action.padEnd(6)}  ${what}${state}`
}

const notesOn = (view: SessionView, step: number): ReadonlyArray<string> => [
  ...view.health.flatMap((change) =>
    change.step === step && step > 0 ? [`health: ${change.phase} (${change.reason})`] : []
  ),
  ...view.activity.flatMap((change) =>
    change.step === step && step > 0 ? [`activity: ${change.phase} (${change.reason})`] : []
  ),
  ...view.milestones.flatMap((milestone) => (milestone.step === step ? [`milestone: ${milestone.what}`] : [])),
  ...view.loops.flatMap((loop) => (loop.openedAt === step ? [`loop: ${loopWords(loop)}`] : [])),
  ...view.loops.flatMap((loop) => (loop.closedAt === step ? [`end of the loop: ${loop.kind}`] : []))
]

const loopWords = ({ firstStep, key, kind }: SessionLoop): string => `${kind} since step ${firstStep}: ${oneLine(key)}`
