/**
 * What OpenAI's models accept.
 *
 * Sources: the reference of `reasoning.effort` ("Create a model response"); the errors that the API answers with, in
 * anomalyco/opencode#26268 (values by model, asked of the API), openai/codex#6647, pydantic/pydantic-ai#7081 and
 * BerriAI/litellm#34569 (tools in Chat Completions).
 */
import { gptVersion } from "./modelVersion.ts"

const isCodex = (model: string): boolean => model.includes("codex")
const isChat = (model: string): boolean => model.includes("-chat")

/** A model of the vendor that thinks; false for others, and for what a local server has. */
export const isReasoning = (model: string): boolean =>
  !isChat(model) && ((gptVersion(model) ?? 0) >= 500 || /^o\d/.test(model))

/** The vendor's, and none of a local server. */
export const isOpenAi = (model: string): boolean => gptVersion(model) !== null || /^(?:o\d|chatgpt)/.test(model)

/** Null: the model is not known. */
export const effortsOf = (model: string): ReadonlyArray<string> | null => {
  const version = gptVersion(model) ?? 0
  if (!isReasoning(model)) return isOpenAi(model) ? [] : null
  if (/-pro\b/.test(model))
    return version < 502 ? ["high"] : ["medium", "high", "xhigh", ...(version >= 506 ? ["max"] : [])]
  const above = [
    ...(version >= 502 || model.includes("codex-max") ? ["xhigh"] : []),
    ...(version >= 506 ? ["max"] : [])
  ]
  const usual = ["low", "medium", "high", ...above]
  if (version === 0 || isCodex(model)) return usual
  return [version >= 501 ? "none" : "minimal", ...usual]
}

/** Chat Completions refuses tools unless such a model does not think. */
export const thinksWithoutTools = (model: string): boolean => isReasoning(model) && (gptVersion(model) ?? 0) >= 504

export const effortFault = (model: string, effort: unknown, name: string): ReadonlyArray<string> => {
  const efforts = effortsOf(model)
  if (effort === undefined || efforts === null || efforts.includes(String(effort))) return []
  if (efforts.length === 0) return [`Unsupported parameter: '${name}' is not supported with this model.`]
  const values = efforts.map((each) => `'${each}'`).join(", ")
  return [`Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${values}.`]
}
