/** Redacts texts once for each content. */
import { Effect } from "effect"
import { BlobFacts } from "../change/BlobFacts.ts"
import { Redactor } from "../secret/Redactor.ts"
import { TokenCounts } from "./TokenCounts.ts"

export const redactedTexts = Effect.fn("pack.redactedTexts")(function* (texts: ReadonlyArray<string>) {
  const { scope, text: redact } = yield* Redactor
  const { digestOf } = yield* TokenCounts
  const facts = yield* BlobFacts
  const keys = yield* Effect.forEach(texts, (text) =>
    Effect.map(digestOf(`${scope}\0${text}`), (blob) => ({ grammar: null, blob }))
  )
  const known = yield* facts.get("redacted", keys)
  return yield* Effect.forEach(texts, (text, at) => {
    const stored = known[at]
    if (stored === true) return Effect.succeed(text)
    if (typeof stored === "string") return Effect.succeed(stored)
    const redacted = redact(text)
    const isShort = redacted.length <= longestStored
    const fact = redacted === text ? true : isShort ? redacted : null
    return fact === null ? Effect.succeed(redacted) : Effect.as(facts.put("redacted", keys[at]!, fact), redacted)
  })
})

/** In characters. */
const longestStored = 100_000
