/** The answer to a question about a pack, and the files that keep it. */
import type { BudgetPlan } from "../pack/packBudget.ts"
import { roundedUsd } from "./RunCost.ts"
import type { CostSource } from "./Usage.ts"

export interface Answer {
  /** `partial`: the text is cut off. `failed`: there is no text. */
  readonly status: "complete" | "partial" | "failed"
  /** Why it is not complete; null if it is. */
  readonly error: string | null
  readonly text: string
  readonly thinking: string
  readonly backend: string
  /** "" if it is not known. */
  readonly model: string
  /** Null: unknown. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
  /** US dollars; null: unknown. */
  readonly usd: number | null
  readonly costSource: CostSource
  readonly durationMs: number
}

/** Before it begins. */
export const noAnswer = ({ backend, model }: Pick<Answer, "backend" | "model">): Answer => ({
  status: "failed",
  error: "the answer has not ended",
  text: "",
  thinking: "",
  backend,
  model,
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  usd: null,
  costSource: "unknown",
  durationMs: 0
})

/** What an answer is about. */
export interface Asked {
  /** ISO 8601. */
  readonly createdAt: string
  readonly query: string
  readonly pack: {
    readonly path: string
    /** Of the file. */
    readonly sha256: string
    readonly tokens: number
    readonly encoding: string
  }
  /** Null for a pack that was made before. */
  readonly budget: BudgetPlan | null
}

/** The files of an answer by name. */
export const answerFiles = (answer: Answer, asked: Asked): ReadonlyMap<string, string> =>
  new Map([
    ["answer.txt", withNewline(answer.text)],
    ["thinking.txt", withNewline(answer.thinking)],
    ["report.md", reportText(answer, asked)],
    ["metadata.json", `${JSON.stringify(metadataOf(answer, asked), null, 4)}\n`]
  ])

export const withNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

const metadataOf = (answer: Answer, { budget, createdAt, pack, query }: Asked) => {
  const { cachedTokens: cached, completionTokens: output, promptTokens: input } = answer
  return {
    createdAt,
    query,
    status: answer.status,
    error: answer.error,
    backend: answer.backend,
    model: answer.model === "" ? null : answer.model,
    pack,
    budget,
    durationMs: answer.durationMs,
    usage: { input, output, cached, total: input === null || output === null ? null : input + output },
    costUsd: answer.usd === null ? null : roundedUsd(answer.usd),
    costSource: answer.costSource
  }
}

const reportText = (answer: Answer, { pack, query }: Asked): string => {
  const question = query.trim().replaceAll(/^/gm, "> ")
  const end = answer.error === null ? [] : [`**Error:** ${answer.error}`]
  const text = answer.text.trim()
  const facts = [
    `${answerFacts(answer)}.`,
    `Context pack: ${pack.path}, ${numbers.format(pack.tokens)} tokens (${pack.encoding}), sha256 ${pack.sha256}.`
  ]
  return `${[question, ...(text === "" ? [] : [text]), ...end, "---", ...facts].join("\n\n")}\n`
}

const numbers = new Intl.NumberFormat("en-US")

/** `openai (gpt-5.6-sol), 14.2 s, 12,345 tokens in (10,000 cached), 678 out, $0.0123`. */
export const answerFacts = (answer: Answer): string => {
  const { backend, cachedTokens, completionTokens, durationMs, model, promptTokens, usd } = answer
  const cached = cachedTokens === null || cachedTokens === 0 ? "" : ` (${numbers.format(cachedTokens)} cached)`
  return [
    model === "" ? backend : `${backend} (${model})`,
    `${(durationMs / 1000).toFixed(1)} s`,
    ...(promptTokens === null ? [] : [`${numbers.format(promptTokens)} tokens in${cached}`]),
    ...(completionTokens === null ? [] : [`${numbers.format(completionTokens)} out`]),
    usd === null ? "cost unknown" : `$${usd.toFixed(4)}`
  ].join(", ")
}
