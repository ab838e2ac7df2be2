/** The diff of a file without secrets: also without the lines of a key that begins above a hunk. */
import { Effect } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { redactedFile, type SideLines } from "../change/redactedFile.ts"
import { Sources, splitLines } from "../change/Sources.ts"
import { Redactor } from "../secret/Redactor.ts"
import { redactedTexts } from "./redactedTexts.ts"

export const redactedDiff = Effect.fn("pack.redactedDiff")(function* (file: DiffFile) {
  const { lines } = yield* Redactor
  return redactedFile(file, lines, yield* wholeSides(file))
})

/** Both sides of a file, redacted as wholes. */
const wholeSides = Effect.fnUntraced(function* ({ newPath, oldPath }: DiffFile) {
  const sources = yield* Sources
  const before = oldPath === null ? null : yield* sources.base(oldPath)
  const after = newPath === null ? null : yield* sources.head(newPath)
  const [old, now] = [before, after].map((source) => (source?._tag === "Text" ? source : null))
  const texts = yield* redactedTexts([old?.text ?? "", now?.text ?? ""])
  const sideOf = (source: typeof old, text: string): SideLines | null =>
    source == null ? null : { raw: source.lines, redacted: splitLines(text) }
  return { before: sideOf(old, texts[0]!), after: sideOf(now, texts[1]!) }
})
