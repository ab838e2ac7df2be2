/**
 * Thinking of Claude models that accept it only after the prefix it was produced for: system, tools, earlier messages.
 *
 * dd changes a prefix when turns are dropped for room, and when the words that require an answer are not sent again. The
 * provider then refuses the request, so a turn keeps a hash of its prefix, and its thinking is left out when the prefix
 * differs. Source: the vendor's page "Prefix checks on thinking blocks".
 */
import type Anthropic from "@anthropic-ai/sdk"
import { CryptoHasher } from "bun"
import { claudeTraits } from "./claudeModel.ts"

export interface Message {
  readonly role: "user" | "assistant"
  readonly content: Array<Anthropic.ContentBlockParam>
}

/** The messages to send, and the hash of everything that precedes the answer; null if the model accepts any prefix. */
export interface Bound {
  readonly messages: ReadonlyArray<Message>
  readonly prefix: string | null
}

/** `hashOf`: of the prefix that a message was produced for; undefined if it is unknown. */
export const boundMessages = (
  { model, ...before }: { readonly model: string; readonly system: unknown; readonly tools: unknown },
  messages: ReadonlyArray<Message>,
  hashOf: (message: Message) => string | undefined
): Bound => {
  if (!claudeTraits(model).bindsThinking) return { messages, prefix: null }
  let prefix = digest(before)
  const kept = messages.flatMap((message) => {
    const isValid = message.role === "user" || hashOf(message) === prefix
    const content = isValid ? message.content : message.content.filter((block) => !isThinking(block))
    if (content.length === 0) return []
    prefix = digest([prefix, content])
    return [{ ...message, content }]
  })
  return { messages: kept, prefix }
}

export const isThinking = ({ type }: { readonly type: string }): boolean =>
  type === "thinking" || type === "redacted_thinking"

const digest = (value: unknown): string => new CryptoHasher("sha256").update(JSON.stringify(value)).digest("hex")
