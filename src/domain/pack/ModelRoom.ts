/** How the tokens of a model are divided between requests and answers. */

export interface ModelRoom {
  /** Of a request and its answer together. */
  readonly contextTokens: number
  /** The longest answer that the model accepts a request for. Thinking is a part of it, with every provider. */
  readonly outputTokens: number
}

/** Tokens of answers that no review needs more of. */
const longAnswer = 64_000
/** A context of this size or more has room for whole prompts; a smaller one gets shorter prompts. */
export const ampleContext = 100_000

/** How long the first try of an answer may be: 64,000 tokens where the model has them, beside the request. */
export const answerTokens = ({ contextTokens, outputTokens }: ModelRoom): number =>
  Math.min(longAnswer, outputTokens, Math.max(Math.floor(contextTokens / 4), contextTokens - ampleContext))

/** For an answer that was cut off: twice as much, or what the model has; never less. */
export const longerAnswer = (room: ModelRoom, tokens: number): number =>
  Math.max(tokens, Math.min(2 * tokens, room.outputTokens, Math.floor(room.contextTokens / 2)))

/** Longer requests cost more per token with some providers, and no agent needs them. */
const longRequest = 200_000

/** The most tokens of a request that is answered with up to `answer` tokens. */
export const requestTokens = ({ contextTokens }: ModelRoom, answer: number): number =>
  Math.min(contextTokens - answer, longRequest)
