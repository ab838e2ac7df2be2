/** The question to one runner of the council: instructions, its name, and the report of the night in a fence. */
import instructions from "./council.md" with { type: "text" }
import { fenceOf } from "./Fence.ts"

export const councilPrompt = (runner: string, packet: unknown, nonce: string) => ({
  system: [instructions.trim()],
  user: [`Your runner name is ${runner}.`, fenceOf(nonce).around("report", JSON.stringify(packet, null, 1))]
})
