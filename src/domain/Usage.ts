/**
 * What an agent call used: tokens and dollars, each known or not. What is not known is null, never zero.
 *
 * A call tells its usage in two ways that describe the same tokens: per turn (`Metrics`) and as a closing total
 * (`Cost`). `totalUsage` counts them once: the larger of the two, never their sum. `Metrics` that name the same message
 * twice in a row are one message still growing.
 */
import type { AgentEvent } from "./AgentEvent.ts"

export interface Usage {
  /** Cached ones included. */
  readonly promptTokens: number | null
  /** Reasoning included. */
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
  /** A part of the prompt, besides the cached ones. */
  readonly cacheWrittenTokens: number | null
  readonly reasoningTokens: number | null
  readonly costUsd: number | null
}

export const nothingKnown: Usage = {
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  cacheWrittenTokens: null,
  reasoningTokens: null,
  costUsd: null
}

type Measured = Extract<AgentEvent, { readonly _tag: "Metrics" | "Cost" }>

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

/** Unknown and known is known. */
export const addUsage = (a: Usage, b: Usage): Usage => zip((x, y) => (x === null ? y : y === null ? x : x + y), a, b)

/** What must be added to `counted` so that it is no less than `total`; null where nothing must. */
export const usageMissing = (total: Usage, counted: Usage): Usage =>
  zip((of, x) => (of === null || (x !== null && of <= x) ? null : of - (x ?? 0)), total, counted)

/** What one call has told so far. */
export interface CallUsage {
  /** The turns' own. */
  readonly turns: Usage
  /** The closing totals. */
  readonly closing: Usage
  /** The message measured last, which may be measured again. */
  readonly message: { readonly id: string; readonly usage: Usage } | null
}

export const nothingUsed: CallUsage = { turns: nothingKnown, closing: nothingKnown, message: null }

/** What `event` adds to the turns: all it says, or what its message has grown by since it was measured last. */
export const newlyUsed = ({ message }: CallUsage, event: Measured): Usage => {
  if (event._tag === "Cost") return nothingKnown
  const usage = measured(event)
  return isSameMessage(message, event) ? usageMissing(usage, message.usage) : usage
}

export const countUsage = (so: CallUsage, event: AgentEvent): CallUsage => {
  if (event._tag === "Cost") return { ...so, closing: addUsage(so.closing, measured(event)) }
  if (event._tag !== "Metrics") return so
  const added = newlyUsed(so, event)
  const grown = isSameMessage(so.message, event) ? addUsage(so.message.usage, added) : added
  return { ...so, turns: addUsage(so.turns, added), message: { id: event.messageId, usage: grown } }
}

/** Turns and closing total counted once. */
export const totalUsage = ({ turns, closing }: CallUsage): Usage => addUsage(turns, usageMissing(closing, turns))

const isSameMessage = (
  message: CallUsage["message"],
  event: Extract<AgentEvent, { readonly _tag: "Metrics" }>
): message is NonNullable<CallUsage["message"]> => event.messageId !== "" && message?.id === event.messageId
