/** Counts the files whose symbols were read, for the person who waits. */
import { Effect } from "effect"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { FileCounts } from "../change/progress/FileCounts.ts"

export const countSymbols = (symbols: FileSymbols) =>
  Effect.map(FileCounts, (counts) => {
    counts.files++
    counts.functions += symbols.definitions.filter(({ kind }) => kind === "function" || kind === "method").length
  })
