/** The prompt for a question about a pack, redacted, with a new word for its fences. */
import { Effect } from "effect"
import { askPrompt } from "../../prompts/askPrompt.ts"
import { Redactor } from "../secret/Redactor.ts"
import { fenceNonce } from "./fenceNonce.ts"

export const askPromptFor = Effect.fnUntraced(function* (pack: string, question: string) {
  const { text } = yield* Redactor
  return askPrompt(text(pack), text(question), yield* fenceNonce)
})
