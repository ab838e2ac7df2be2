/** Reads a model's text as `Agent` does, without an agent around it. */
import { Result, Schema } from "effect"
import { faultsIn, normalizedReply } from "../../src/domain/agent/ModelReply.ts"
import { replies, type TaskTag } from "../../src/domain/agent/Task.ts"
import { salvage } from "../../src/domain/text/json/modelJson.ts"

export interface ReadReply {
  readonly outcome: "read" | "cut off" | "nothing" | "unfit"
  /** How many items were read; null where the reply has no list. */
  readonly items: number | null
}

export const readReply = (task: TaskTag, text: string): ReadReply => {
  const found = salvage(text)
  if (found._tag === "CutOff") return { outcome: "cut off", items: null }
  if (found._tag === "Nothing") return { outcome: "nothing", items: null }
  const schema: Schema.Codec<unknown, unknown> = replies[task]
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(normalizedReply(task, found.value, found.whole))
  if (Result.isFailure(decoded)) {
    if (faultsIn(decoded.failure) === "") throw new Error("a refusal without words")
    return { outcome: "unfit", items: null }
  }
  const lists = Object.entries(decoded.success as object).filter(([key]) =>
    /^(?:issues|findings|notes|verdicts|outcomes)$/.test(key)
  )
  const [list] = lists.map(([, value]: [string, unknown]) => value)
  return { outcome: "read", items: Array.isArray(list) ? list.length : null }
}
