/** Records each redacted text sent to a model once; if it is sent again, only its digest. */
import { createHash } from "node:crypto"
import type { PromptBlock } from "../../../domain/run/AgentEvent.ts"
import { RunEvent } from "../../../domain/run/RunEvent.ts"

export class PromptBlocks {
  readonly #known = new Set<string>()

  once(event: RunEvent): RunEvent {
    if (event._tag !== "Agent" || event.event._tag !== "Prompted") return event
    const [system, user] = [event.event.system.map(this.#block), event.event.user.map(this.#block)]
    return RunEvent.make({ ...event, event: { ...event.event, system, user } })
  }

  readonly #block = ({ text = "" }: PromptBlock): PromptBlock => {
    const sha256 = createHash("sha256").update(text).digest("hex")
    if (this.#known.has(sha256)) return { sha256 }
    this.#known.add(sha256)
    return { text, sha256 }
  }
}
