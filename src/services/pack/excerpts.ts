/** Slices and outlines of head-side files. */
import { Effect } from "effect"
import { enclosingRanges, excerpt, outlineRanges, partsAround } from "../../domain/pack/excerpt.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** The definitions around these lines, with numbers. `lines` are those of the redacted text. */
export const sliceOf = Effect.fnUntraced(function* (
  path: string,
  lines: ReadonlyArray<string>,
  places: ReadonlyArray<number>
) {
  return excerpt(lines, yield* enclosing(path, places))
})

/** The lines of the definitions around these lines. */
export const enclosing = Effect.fnUntraced(function* (path: string, places: ReadonlyArray<number>) {
  const index = yield* SymbolIndex
  return enclosingRanges(places, (yield* index.symbols(path))?.definitions ?? [])
})

/** What to show around these lines of a diff. */
export const around = Effect.fnUntraced(function* (path: string, places: ReadonlyArray<number>) {
  const index = yield* SymbolIndex
  return partsAround(places, (yield* index.symbols(path))?.definitions ?? [])
})

/** The headers of all definitions, with numbers; empty for a file without any. */
export const outlineOf = Effect.fnUntraced(function* (path: string, lines: ReadonlyArray<string>) {
  const index = yield* SymbolIndex
  const definitions = (yield* index.symbols(path))?.definitions ?? []
  return definitions.length === 0 ? "" : excerpt(lines, outlineRanges(lines, definitions))
})
