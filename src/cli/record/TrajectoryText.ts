/**
 * A trajectory as text: prompts, answers, tool calls, tokens and cost; siblings are indented below the step that started
 * them. Without control characters.
 */
import { answersIn } from "../../domain/record/answersIn.ts"
import { contentText } from "../../domain/record/chatMessages.ts"
import {
  descriptorOf,
  type FinalMetrics,
  type StepMetrics,
  siblingPathsIn,
  type Trajectory,
  type TrajectoryStep
} from "../../domain/record/Trajectory.ts"
import { oneLine, printable } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { dollars } from "../text/amounts.ts"
import type { Ink } from "../text/Ink.ts"
import { cut, wrap } from "../text/Page.ts"

export interface TrajectoryPage {
  readonly width: number
  readonly ink: Ink
  /** Every line of every text, instead of the first few. */
  readonly full: boolean
}

interface Run {
  readonly root: Trajectory
  readonly siblings: ReadonlyMap<string, Trajectory>
}

const shownLines = 6

export const trajectoryText = (run: Run, page: TrajectoryPage): string =>
  `${[...headLines(run, page), "", ...stepLines(run.root, run.siblings, startOf(run.root), page, "")].join("\n")}\n`

const headLines = ({ root, siblings }: Run, { ink, width }: TrajectoryPage): ReadonlyArray<string> => {
  const { agent, extra, final_metrics, session_id, steps } = root
  const backends = [...new Set(answersIn(root, siblings.values()).map(({ backend }) => backend))]
  const answered = backends.length === 0 ? "no backend answered" : backends.join(" and ")
  const about = [extra?.flow, answered, agent.model_name].filter((word) => typeof word === "string")
  const end = extra?.partial === true ? "partial: the run has not come to its end" : extra?.status
  const size = [
    plural(steps.length, "step"),
    ...(siblings.size === 0 ? [] : [plural(siblings.size, "subagent")]),
    seconds(lengthOf(root, siblings)),
    ...(final_metrics ? tokenWords(totalsOf(final_metrics)) : [])
  ]
  const description = extra?.description
  return [
    ink.bold(cut(oneLine(`${agent.name} ${agent.version}  session ${session_id}`), width)),
    cut(oneLine([...(typeof description === "string" ? [description] : []), ...about].join(", ")), width),
    cut([...size, ...(typeof end === "string" ? [oneLine(end)] : [])].join(", "), width)
  ].filter((line) => line !== "")
}

const stepLines = (
  trajectory: Trajectory,
  siblings: ReadonlyMap<string, Trajectory>,
  start: number,
  page: TrajectoryPage,
  margin: string
): ReadonlyArray<string> =>
  trajectory.steps.flatMap((step) => [
    ...oneStep(step, start, page, margin),
    ...siblingPathsIn(step).flatMap((path) => {
      const sibling = siblings.get(path)
      const inner = `${margin}    `
      if (sibling === undefined) return [`${inner}${page.ink.dim(`(${oneLine(path)} is missing)`)}`]
      return [
        `${inner}${page.ink.bold(oneLine(descriptorOf(sibling) ?? path))}`,
        // References of siblings are not followed, because they may be circular.
        ...stepLines(sibling, new Map(), start, page, inner)
      ]
    })
  ])

/** A title with time and tokens, then the text, the tool calls and their results. */
export const oneStep = (
  step: TrajectoryStep,
  start: number,
  { full, ink, width }: TrajectoryPage,
  margin: string
): ReadonlyArray<string> => {
  const phase = step.extra?.daydream_step ?? step.extra?.daydream_phase
  const since = timeOf(step)
  const title = [
    `${step.step_id}.`,
    since === null ? "" : `+${seconds(Math.max(0, since - start))}`,
    step.source,
    typeof phase === "string" ? oneLine(phase) : "",
    ...(step.metrics ? tokenWords(step.metrics) : [])
  ].filter((word) => word !== "")
  const inner = `${margin}   `
  const text = (words: string, prefix = ""): ReadonlyArray<string> => {
    const lines = wrap(printable(words).trimEnd(), Math.max(20, width - inner.length - prefix.length))
    const shown = full ? lines : lines.slice(0, shownLines)
    const more = lines.length - shown.length
    return [...shown, ...(more > 0 ? [ink.dim(`(${plural(more, "more line")})`)] : [])].map((line, at) =>
      `${inner}${at === 0 ? prefix : " ".repeat(prefix.length)}${line}`.trimEnd()
    )
  }
  const results = (step.observation?.results ?? []).filter(({ subagent_trajectory_ref: to }) => !to || to.length === 0)
  const message = contentText(step.message)
  return [
    `${margin}${ink.bold(cut(title.join("  "), Math.max(20, width - margin.length)))}`,
    ...(step.reasoning_content ? text(step.reasoning_content, "thinks: ").map(ink.dim) : []),
    ...(message === "" ? [] : text(message)),
    ...(step.tool_calls ?? []).flatMap((call) => [
      ...text(`${call.function_name} ${JSON.stringify(call.arguments)}`, "> "),
      ...results
        .filter(({ source_call_id }) => source_call_id === call.tool_call_id)
        .flatMap(({ content }) => text(contentText(content ?? ""), "< "))
    ]),
    ...remarksOn(step).map((remark) => `${inner}${ink.warning(cut(remark, Math.max(20, width - inner.length)))}`)
  ]
}

const remarksOn = ({ extra }: TrajectoryStep): ReadonlyArray<string> => {
  const error = extra?.error
  const subtype = extra?.error_subtype
  return [
    ...(extra?.partial_step === true ? ["(incomplete)"] : []),
    ...(typeof error === "string"
      ? [oneLine(`failed: ${typeof subtype === "string" ? `${subtype}: ` : ""}${error}`)]
      : []),
    ...(extra?.unmatched_tool_results === undefined ? [] : ["(with results of tool calls that are not in the record)"])
  ]
}

type Tokens = Pick<StepMetrics, "prompt_tokens" | "completion_tokens" | "cached_tokens" | "cost_usd" | "extra">

const totalsOf = (total: FinalMetrics): Tokens => ({
  prompt_tokens: total.total_prompt_tokens ?? null,
  completion_tokens: total.total_completion_tokens ?? null,
  cached_tokens: total.total_cached_tokens ?? null,
  cost_usd: total.total_cost_usd ?? null,
  extra: { reasoning_tokens: total.extra?.total_reasoning_tokens ?? null }
})

/** Only what is known. */
const tokenWords = ({
  cached_tokens,
  completion_tokens,
  cost_usd,
  extra,
  prompt_tokens
}: Tokens): ReadonlyArray<string> => {
  const reasoning = extra?.reasoning_tokens
  const part = (n: unknown, noun: string) => (typeof n === "number" && n > 0 ? ` (${n} ${noun})` : "")
  return [
    ...(typeof prompt_tokens === "number" ? [`${prompt_tokens} tokens in${part(cached_tokens, "cached")}`] : []),
    ...(typeof completion_tokens === "number" ? [`${completion_tokens} out${part(reasoning, "reasoning")}`] : []),
    ...(typeof cost_usd === "number" ? [dollars(cost_usd)] : [])
  ]
}

const timeOf = ({ timestamp }: TrajectoryStep): number | null => {
  const time = Date.parse(timestamp ?? "")
  return Number.isNaN(time) ? null : time
}

/** The time of the first step that has one, in milliseconds. */
export const startOf = ({ steps }: Trajectory): number => steps.map(timeOf).find((time) => time !== null) ?? 0

const lengthOf = (root: Trajectory, siblings: ReadonlyMap<string, Trajectory>): number => {
  let last = startOf(root)
  for (const { steps } of [root, ...siblings.values()]) {
    for (const step of steps) last = Math.max(last, timeOf(step) ?? last)
  }
  return last - startOf(root)
}

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`
