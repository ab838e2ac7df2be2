/** Reads several files of one side at once; a file without a text is empty. */
import { Effect } from "effect"
import type { Sources } from "./Sources.ts"

export const readTexts = Effect.fnUntraced(function* (
  sources: Sources["Service"],
  paths: ReadonlyArray<string>,
  which: "base" | "head" = "head"
) {
  if (which === "head") yield* sources.preload(paths)
  const texts = yield* Effect.forEach(paths, sources[which])
  return new Map(paths.map((path, at) => [path, texts[at]?._tag === "Text" ? texts[at].text : ""]))
})
