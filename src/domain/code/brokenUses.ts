/** The uses of a definition that a contract change breaks. In doubt, a use is not reported. */

import { type ContractChange, swapped } from "./contractChanges.ts"
import {
  type CallShape,
  type Columns,
  fits,
  type ImportedName,
  type Occurrence,
  type Parameter,
  type Signature
} from "./Symbol.ts"

/** The kinds of broken uses that the contract reviewer distinguishes. */
export const breakages = [
  "removed",
  "name-gone",
  "unexported",
  "file-gone",
  "call",
  "await",
  "awaited",
  "order",
  "results",
  "lacks"
] as const
export type Breakage = (typeof breakages)[number]

export interface BrokenUse {
  readonly line: number
  readonly columns?: Columns | undefined
  readonly breakage: Breakage
}

/** The properties of the using file that decide what is reported. */
export interface Reader {
  /** Did the change add this line? */
  readonly isAdded: (line: number) => boolean
  /** Does its language report a coroutine that is never awaited? */
  readonly dropsMatter: boolean
  /** Does awaiting a value that is not awaitable fail when it is executed? */
  readonly awaitsFail: boolean
  /** Are its calls checked against the definition? */
  readonly strict: boolean
}

/** The broken calls among occurrences that resolve to a definition with a changed signature. */
export const brokenCalls = (
  change: Extract<ContractChange, { _tag: "Signature" }>,
  places: ReadonlyArray<Occurrence>,
  reader: Reader
): ReadonlyArray<BrokenUse> => {
  const { before, after } = { before: change.before.signature, after: change.after.signature }
  if (before === null || after === null) return []
  const [were, are] = [change.overloads?.before ?? [before], change.overloads?.after ?? [after]]
  const isPlain = were.length === 1 && are.length === 1
  const moved = isPlain ? swapped(before, after) : []
  const becameAsync = isPlain && after.async && !before.async
  // Without plain results, the function may return an awaitable.
  const lostAsync = isPlain && before.async && !after.async && after.results !== undefined && reader.awaitsFail
  return places.flatMap((place): ReadonlyArray<BrokenUse> => {
    const call = place.call === null ? null : withoutObject(place.call, place, before)
    if (call === null) return []
    const say = (breakage: Breakage) => [{ line: place.line, columns: place.columns, breakage }]
    const fitted = were.some((each) => fits(each, call))
    if (reader.strict && fitted && !are.some((each) => fits(each, call))) return say("call")
    if (becameAsync && isLost(place, reader)) return say("await")
    if (lostAsync && place.value === "awaited") return say("awaited")
    if (isPlain && !becameAsync && losesResults(before, after, place)) return say("results")
    const isTouched = lines(place).some(reader.isAdded)
    return fitted && !call.spread && !isTouched && moved.some((at) => at < call.positional) ? say("order") : []
  })
}

/** Literals and elements without a member that the change requires. */
export const incompleteUses = (
  { added }: Extract<ContractChange, { _tag: "Required" }>,
  places: ReadonlyArray<Occurrence>,
  reader: Reader
): ReadonlyArray<BrokenUse> =>
  places.flatMap(({ columns, line, members }): ReadonlyArray<BrokenUse> => {
    const isIncomplete =
      members !== undefined && !members.spread && added.some((name) => !members.keywords.includes(name))
    return isIncomplete && reader.strict ? [{ line, columns, breakage: "lacks" }] : []
  })

/** `T::m(x, a)` passes the object as the first argument. */
const withoutObject = (call: CallShape, { path }: Occurrence, { receiver }: Signature): CallShape | null =>
  path === undefined || receiver !== true
    ? call
    : call.positional === 0
      ? null
      : { ...call, positional: call.positional - 1 }

const lines = ({ call, line }: Occurrence): ReadonlyArray<number> =>
  Array.from({ length: Math.min((call?.lastLine ?? line) - line + 1, 50) }, (_, at) => line + at)

/** The caller expects the number of results from before the change, and not the new one. */
const losesResults = (before: Signature, after: Signature, { taken }: Occurrence): boolean =>
  before.results !== undefined &&
  after.results !== undefined &&
  taken !== undefined &&
  before.results === taken &&
  after.results !== taken

/** The result is accessed at once or discarded, which is wrong for a result that must be awaited. */
const isLost = ({ value, line }: Occurrence, { isAdded, dropsMatter }: Reader): boolean =>
  value === "read" || (value === "dropped" && dropsMatter) || (value === "stored" && !isAdded(line))

/** The occurrences of a bare name that can only refer to the top level of the file, or to an import of a function. */
export const bareUses = (
  occurrences: ReadonlyArray<Occurrence>,
  imported: Pick<ImportedName, "inner" | "line"> | null = null
): ReadonlyArray<Occurrence> =>
  imported?.inner === undefined && occurrences.some(({ kind, receiver }) => kind === "binding" && receiver === null)
    ? []
    : occurrences.filter((each) => each.kind === "use" && isBoundBy(each, imported))

/** Does the word, or the object of a member, have the meaning that an import gives it; without one, that of the file? */
const isBoundBy = ({ inner }: Occurrence, imported: Pick<ImportedName, "inner" | "line"> | null): boolean =>
  inner === (imported?.inner === undefined ? undefined : imported.line)

/** Is the name bound again at the top of the file? */
export const isRebound = (occurrences: ReadonlyMap<string, ReadonlyArray<Occurrence>>, name: string): boolean =>
  (occurrences.get(name) ?? []).some(({ kind, receiver }) => kind === "binding" && receiver === null)

/** Can occurrences of the name be searched? Go's `.` and `_` are not names, and a dotted module is several names. */
export const isSimpleName = (name: string): boolean => /^(?!_$)[\p{L}_$][\w$]*$/u.test(name)

/** Members of the object itself, in methods of its own class. */
export const selfUses = (occurrences: ReadonlyArray<Occurrence>, container: string): ReadonlyArray<Occurrence> =>
  occurrences.some(({ kind, receiver }) => kind === "binding" && receiver !== null)
    ? []
    : occurrences.filter(({ kind, self }) => kind === "member" && self === container)

/** Members of a module that the file, or the function with this import, calls `local`. */
export const memberUses = (
  occurrences: ReadonlyArray<Occurrence>,
  local: string,
  imported: Pick<ImportedName, "inner" | "line"> | null = null
): ReadonlyArray<Occurrence> =>
  occurrences.some(({ kind, receiver }) => kind === "binding" && receiver === local)
    ? []
    : occurrences.filter((each) => each.kind === "member" && each.receiver === local && isBoundBy(each, imported))

/** The signature as text: `total(items, *, tax=...)`. */
export const signatureText = (name: string, { parameters }: Signature): string =>
  `${name}(${parameters.map(parameterText).join(", ")})`

const parameterText = ({ kind, name, required }: Parameter): string => {
  if (kind === "rest") return name.startsWith("...") ? name : `*${name}`
  if (kind === "keywords") return `**${name}`
  const shown = name === "" ? "_" : name.length > 40 ? "{...}" : name.replace(/\s+/g, " ")
  return `${kind === "keyword" ? "*, " : ""}${shown}${required ? "" : "?"}`
}
