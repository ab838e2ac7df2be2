/** The prompt for summaries of artifacts: instructions, then the artifacts, one a line, in a fence. */
import { fenceOf } from "./Fence.ts"
import instructions from "./synthesis.md" with { type: "text" }

export const synthesisPrompt = (artifacts: ReadonlyArray<unknown>, nonce: string) => ({
  system: [instructions.trim()],
  user: [fenceOf(nonce).around("artifacts", artifacts.map((artifact) => JSON.stringify(artifact)).join("\n"))]
})
