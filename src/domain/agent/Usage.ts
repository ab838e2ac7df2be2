/**
 * Tokens and dollars of an agent call. Unknown values are null, never zero.
 *
 * A call reports the same tokens twice: per turn (`Metrics`) and as a closing total (`Cost`). `totalUsage` takes the larger
 * of the two. `Metrics` with the same message id are updates of one message. `costOfCall` decides what a call cost, for the
 * result, the trajectory and the budget.
 */
import type { AgentEvent } from "../run/AgentEvent.ts"

export interface Usage {
  /** Including cached tokens. */
  readonly promptTokens: number | null
  /** Including reasoning. */
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
  /** A part of the prompt, besides the cached tokens. */
  readonly cacheWrittenTokens: number | null
  readonly reasoningTokens: number | null
  readonly costUsd: number | null
}

export const unknownUsage: Usage = {
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  cacheWrittenTokens: null,
  reasoningTokens: null,
  costUsd: null
}

type Metrics = Extract<AgentEvent, { readonly _tag: "Metrics" }>
type Measured = Metrics | Extract<AgentEvent, { readonly _tag: "Cost" }>

const measured = (event: Measured): Usage => ({
  promptTokens: event.promptTokens,
  completionTokens: event.completionTokens,
  cachedTokens: event.cachedTokens,
  cacheWrittenTokens: (event._tag === "Metrics" ? event.cacheWrittenTokens : undefined) ?? null,
  reasoningTokens: event.reasoningTokens,
  costUsd: event.costUsd
})

const zip = (f: (a: number | null, b: number | null) => number | null, a: Usage, b: Usage): Usage => ({
  promptTokens: f(a.promptTokens, b.promptTokens),
  completionTokens: f(a.completionTokens, b.completionTokens),
  cachedTokens: f(a.cachedTokens, b.cachedTokens),
  cacheWrittenTokens: f(a.cacheWrittenTokens, b.cacheWrittenTokens),
  reasoningTokens: f(a.reasoningTokens, b.reasoningTokens),
  costUsd: f(a.costUsd, b.costUsd)
})

export const addUsage = (a: Usage, b: Usage): Usage => zip(addKnown, a, b)

/** The part of `total` that is not in `counted`; null if there is none. */
export const usageMissing = (total: Usage, counted: Usage): Usage =>
  zip((of, x) => (of === null || (x !== null && of <= x) ? null : of - (x ?? 0)), total, counted)

/** The usage of one call so far. `earlier`: attempts that failed. */
export interface CallUsage {
  /** Without provisional costs. */
  readonly turns: Usage
  readonly closing: Usage
  /** The last message, which may be updated. */
  readonly message: Message | null
  /** A cost that a closing total replaces. */
  readonly provisionalUsd: number | null
  /** Messages whose cost is not known. */
  readonly unpriced: number
  readonly isComputed: boolean
  readonly earlier: CallCost & { readonly usage: Usage }
}

interface Message {
  readonly id: string
  readonly usage: Usage
  readonly isPriced: boolean
}

const costSources = ["none", "reported", "computed", "unknown"] as const
/** `none`: no model was called. `computed`: from tokens and prices, at least a part of it. */
export type CostSource = (typeof costSources)[number]
export const isCostSource = (value: unknown): value is CostSource => costSources.some((each) => each === value)

export interface CallCost {
  /** US dollars; null: unknown. */
  readonly usd: number | null
  readonly source: CostSource
}

export const noCallCost: CallCost = { usd: 0, source: "none" }

/** A sum with an unknown part is unknown. */
export const addCost = (a: CallCost, b: CallCost): CallCost => ({
  usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
  source: costSources[Math.max(costSources.indexOf(a.source), costSources.indexOf(b.source))] ?? "unknown"
})

export const noCallUsage: CallUsage = {
  turns: unknownUsage,
  closing: unknownUsage,
  message: null,
  provisionalUsd: null,
  unpriced: 0,
  isComputed: false,
  earlier: { ...noCallCost, usage: unknownUsage }
}

/** What `event` adds to the turns: all of it, or the growth of its message since the last update. */
export const addedUsage = (so: CallUsage, event: Metrics): Usage => {
  const added = grownBy(so, event)
  return event.costSource === "provisional" ? { ...added, costUsd: null } : added
}

const grownBy = ({ message }: CallUsage, event: Metrics): Usage => {
  if (isUnsent(message, event)) return unknownUsage
  const usage = measured(event)
  return isSameMessage(message, event) ? usageMissing(usage, message.usage) : usage
}

export const countUsage = (so: CallUsage, event: AgentEvent): CallUsage => {
  switch (event._tag) {
    case "Cost": {
      const closing = addUsage(so.closing, measured(event))
      const isReplaced = so.message !== null && isPending(so.message) && hasTokens(closing)
      return {
        ...so,
        closing,
        ...(isReplaced ? { message: null, unpriced: so.unpriced - 1 } : {}),
        isComputed: so.isComputed || event.costSource === "computed"
      }
    }
    case "Metrics":
      return countMessage(so, event)
    case "TurnEnd":
      // A failed turn gets no closing total.
      return event.stopReason === "failed"
        ? { ...noCallUsage, earlier: { ...costOfCall(so), usage: totalUsage(so) } }
        : so
    default:
      return so
  }
}

const countMessage = (so: CallUsage, event: Metrics): CallUsage => {
  const { message } = so
  const isRepeat = isSameMessage(message, event)
  const isReplaced = isRepeat || (message !== null && isPending(message) && !isPending(event))
  const isPriced = event.costUsd !== null
  const grown = grownBy(so, event)
  const isProvisional = event.costSource === "provisional"
  return {
    ...so,
    turns: addUsage(so.turns, addedUsage(so, event)),
    message: { id: event.messageId, usage: isRepeat ? addUsage(message.usage, grown) : grown, isPriced },
    provisionalUsd: isProvisional ? addKnown(so.provisionalUsd, grown.costUsd) : so.provisionalUsd,
    unpriced: so.unpriced - Number(isReplaced && message?.isPriced === false) + Number(!isPriced),
    isComputed: so.isComputed || (isPriced && event.costSource === "computed")
  }
}

export const totalUsage = ({ closing, earlier, turns }: CallUsage): Usage =>
  addUsage(earlier.usage, addUsage(turns, usageMissing(closing, turns)))

export const costOfCall = (so: CallUsage): CallCost => addCost(so.earlier, costOfPart(so))

/** The same without `earlier`. */
export const costOfPart = ({ closing, isComputed, provisionalUsd, turns, unpriced }: CallUsage): CallCost => {
  if (closing.costUsd !== null) {
    return { usd: Math.max(closing.costUsd, turns.costUsd ?? 0), source: isComputed ? "computed" : "reported" }
  }
  if (unpriced > 0 || hasTokens(usageMissing(closing, turns))) return { usd: null, source: "unknown" }
  const usd = addKnown(turns.costUsd, provisionalUsd)
  if (usd === null) return noCallCost
  return { usd, source: isComputed || provisionalUsd !== null ? "computed" : "reported" }
}

export const hasTokens = ({ completionTokens, promptTokens }: Usage): boolean =>
  (promptTokens ?? 0) + (completionTokens ?? 0) > 0

/** The usage that is in no turn, without `earlier`. */
export const unplacedUsage = (so: CallUsage): Usage => {
  const { usd } = costOfPart(so)
  const rest = usd === null ? null : usd - (so.turns.costUsd ?? 0)
  return { ...usageMissing(so.closing, so.turns), costUsd: rest !== null && rest > 0 ? rest : null }
}

const isSameMessage = (message: Message | null, event: Metrics): message is Message =>
  event.messageId !== "" && message?.id === event.messageId

/** Was the pending turn refused or never sent? */
const isUnsent = (message: Message | null, event: Metrics): boolean =>
  message !== null &&
  isPending(message) &&
  event.messageId === "" &&
  event.promptTokens === 0 &&
  event.completionTokens === 0 &&
  event.costUsd === 0

/** Has the turn begun without a known usage? */
export const isPending = (it: Message | Metrics): boolean =>
  "usage" in it
    ? it.id === "" && it.usage.promptTokens === null && it.usage.completionTokens === null
    : it.messageId === "" && it.promptTokens === null && it.completionTokens === null

/** A known value plus an unknown one is the known value. */
export const addKnown = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)
