/** The prompt for a question about a context pack: instructions, then two messages of the user. */
import instructions from "./ask.md" with { type: "text" }
import { fenceOf } from "./Fence.ts"

export const askPrompt = (pack: string, question: string, nonce: string) => ({
  system: [instructions.trim()],
  user: [
    `The word in the fences of this run is \`${nonce}\`.\n\n${fenceOf(nonce).around("context pack", pack)}`,
    question
  ]
})
