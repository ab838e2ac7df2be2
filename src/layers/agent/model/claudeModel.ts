/**
 * What a Claude model supports, by its name.
 *
 * A name without a version belongs to a gateway or a later model, which gets nothing that only some models support.
 * Source: the vendor's pages on extended thinking, adaptive thinking, effort, structured outputs, forced tool use and preserved thinking.
 */

import type { Effort } from "../../../domain/run/BackendChoice.ts"

export interface ClaudeTraits {
  /** `adaptive`: effort decides the amount of thinking. `budget`: a number of tokens does. `none`: unknown. */
  readonly thinking: "adaptive" | "budget" | "none"
  /** Whether it can enforce a JSON Schema on an answer. */
  readonly schema: boolean
  /** Whether a request can require a call of a tool; models with adaptive thinking refuse such a request. */
  readonly forcible: boolean
  /** Whether it accepts thinking only after the prefix that it was produced for. */
  readonly bindsThinking: boolean
  /** The efforts above `high` that it takes. */
  readonly efforts: ReadonlyArray<Effort>
}

export const claudeTraits = (model: string): ClaudeTraits => {
  const version = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model.toLowerCase())
  if (version === null) {
    return {
      thinking: /claude-mythos-preview/i.test(model) ? "adaptive" : "none",
      schema: false,
      forcible: false,
      bindsThinking: false,
      efforts: []
    }
  }
  const number = Number(version[1]) * 100 + Number(version[2] ?? 0)
  return {
    thinking: number >= 406 ? "adaptive" : number >= 400 || number === 307 ? "budget" : "none",
    schema: number >= 405,
    forcible: number < 406,
    bindsThinking: number >= 501,
    efforts: number >= 407 ? ["xhigh", "max"] : []
  }
}
