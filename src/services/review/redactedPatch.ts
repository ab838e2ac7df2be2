import { Effect } from "effect"
import type { RedactionStream } from "../../domain/secret/RedactionStream.ts"
import { redactionFailed } from "../secret/Redactor.ts"

/** Unchanged if there is no secret; otherwise UTF-8 text without it. */
export const redactedPatch = Effect.fnUntraced(function* (bytes: Uint8Array, redaction: RedactionStream) {
  const lines = new TextDecoder().decode(bytes).split("\n")
  // Redacted without the sign column, because `+PASSWORD=x` is also an assignment.
  const sign = (line: string) => (/^[-+ ]/.test(line) ? line.slice(0, 1) : "")
  const bare = lines.map((line) => line.slice(sign(line).length))
  const settled: Array<string> = []
  for (let at = 0; at < bare.length; at += linesAtOnce) {
    const isLast = at + linesAtOnce >= bare.length
    const piece = bare.slice(at, at + linesAtOnce).join("\n")
    settled.push(yield* Effect.sync(() => redaction.push(isLast ? piece : `${piece}\n`)))
  }
  const redacted = [...settled, redaction.end()].join("").split("\n")
  const safe = redacted.length === bare.length ? redacted : bare.map(() => redactionFailed)
  if (safe.every((line, i) => line === bare[i])) return bytes
  return new TextEncoder().encode(safe.map((line, i) => sign(lines[i] ?? "") + line).join("\n"))
})

/** Lines of a patch that are redacted in one step. */
const linesAtOnce = 1000
