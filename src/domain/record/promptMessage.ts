/**
 * Converts a prompt to the message of a step, and back. A text that was sent before in the run is left out:
 * `extra.daydream_prompt` has the digest of each text.
 */
import { Predicate } from "effect"
import type { PromptBlock } from "../run/AgentEvent.ts"
import type { Extra } from "./StepDraft.ts"
import { ContentPart, type TrajectoryStep } from "./Trajectory.ts"

/** A single text is a string, several texts are parts. */
export const promptMessage = (blocks: ReadonlyArray<PromptBlock>): TrajectoryStep["message"] => {
  const texts = blocks.map(({ sha256, text }) => text ?? `[the same text as before, sha256 ${sha256 ?? "unknown"}]`)
  const [only = "", ...more] = texts
  return more.length === 0 ? only : texts.map((text) => ContentPart.make({ type: "text", text }))
}

export const promptDigests = (blocks: ReadonlyArray<PromptBlock>): Extra =>
  blocks.some(({ sha256 }) => sha256 !== undefined)
    ? {
        daydream_prompt: blocks.map(({ sha256 = "", text }) =>
          text === undefined ? { sha256, repeated: true } : { sha256 }
        )
      }
    : {}

interface PromptText {
  readonly text: string
  readonly sha256: string
  readonly isRepeated: boolean
}

/** The texts of a prompt; empty for a step without their digests. */
export const promptTextsIn = ({ extra, message }: TrajectoryStep): ReadonlyArray<PromptText> => {
  const digests: ReadonlyArray<unknown> = Array.isArray(extra?.daydream_prompt) ? extra.daydream_prompt : []
  const texts = typeof message === "string" ? [message] : message.map(({ text }) => text ?? "")
  const found = digests.flatMap((digest, at): ReadonlyArray<PromptText> => {
    if (!Predicate.isObject(digest) || !("sha256" in digest) || typeof digest.sha256 !== "string") return []
    return [{ text: texts[at] ?? "", sha256: digest.sha256, isRepeated: "repeated" in digest }]
  })
  return found.length === texts.length ? found : []
}
