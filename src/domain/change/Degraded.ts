import { Schema } from "effect"
import { isBinaryPath, isVendoredPath } from "./PathKind.ts"

/** A step that failed or was skipped, and what was not checked because of it. */
export const Degraded = Schema.Struct({
  step: Schema.String,
  error: Schema.String,
  detail: Schema.String,
  /** What was not checked because of it, as a noun phrase for the headline; absent if every check was made. */
  unchecked: Schema.optionalKey(Schema.String)
})
export type Degraded = typeof Degraded.Type

/** Why a text is not there. */
export type Lack =
  /** Of this machine or this clone: out of time, not in a partial clone, no permission. Another run may have the text. */
  | "here"
  /** A limit that is the same on every machine. */
  | "limit"

/**
 * The one rule for what a text that is not there means for what dd says about a change.
 *
 * `nothing`: no search covers the file. `note`: what was found is right, and there may be more. `unchecked`: the review is
 * partial.
 */
export const meaningOf = (lack: Lack, path: string, isChanged: boolean): "nothing" | "note" | "unchecked" => {
  if (isVendoredPath(path) || isBinaryPath(path)) return "nothing"
  return lack === "here" || isChanged ? "unchecked" : "note"
}

/** The end of the detail of a backend that another one replaced; a replay finds the entry by it. */
const fallbackEnd = " is used instead"

/** `next`: the name of the backend that is called next. */
export const fallbackOf = (
  step: string,
  { _tag, message }: { readonly _tag: string; readonly message: string },
  next: string
): Degraded => ({ step, error: _tag, detail: `${message}; ${next}${fallbackEnd}` })

export const isFallback = ({ detail }: Degraded): boolean => detail.endsWith(fallbackEnd)

/** Entries with the same message, shown as one. */
export interface SameDegraded {
  /** Unique, in the order of their first entries. */
  readonly steps: ReadonlyArray<string>
  readonly words: string
  readonly count: number
}

/** In the order of the first entries. */
export const sameDegraded = (entries: ReadonlyArray<Degraded>): ReadonlyArray<SameDegraded> => {
  const groups = new Map<string, { readonly steps: Set<string>; count: number }>()
  for (const { detail, error, step } of entries) {
    const words = detail === "" ? error : detail
    const group = groups.get(words) ?? { steps: new Set(), count: 0 }
    group.steps.add(step)
    group.count++
    groups.set(words, group)
  }
  return [...groups].map(([words, { count, steps }]) => ({ steps: [...steps], words, count }))
}

/** The entries that are not among the known ones. */
export const withoutKnown = (
  entries: ReadonlyArray<Degraded>,
  known: ReadonlyArray<Degraded>
): ReadonlyArray<Degraded> =>
  entries.filter(
    ({ detail, error, step }) =>
      !known.some((other) => other.detail === detail && other.error === error && other.step === step)
  )

/** ` (3 times)`; empty for a count of one. */
export const timesWords = (count: number): string => (count === 1 ? "" : ` (${count} times)`)
