/** Which uses of a definition a contract change breaks. Pure; every doubt is for silence. */

import { type ContractChange, swapped } from "./contractChanges.ts"
import { type CallShape, fits, type Occurrence, type Parameter, type Signature } from "./Symbol.ts"

/** What can go wrong between a definition and its users, as the contract reviewer tells them apart. */
export const breakages = ["removed", "unexported", "file-gone", "call", "await", "order", "results"] as const
export type Breakage = (typeof breakages)[number]

export interface BrokenUse {
  readonly line: number
  readonly breakage: Breakage
}

/** What the using file allows to be concluded. */
export interface Reader {
  /** Was this line added by the change? */
  readonly isAdded: (line: number) => boolean
  /** Does its language report a coroutine that is never awaited? */
  readonly dropsMatter: boolean
  /** Are its calls checked against the definition at all? */
  readonly strict: boolean
}

/** Uses of a definition whose signature changed, given as places that are known to mean it. */
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
  return places.flatMap((place): ReadonlyArray<BrokenUse> => {
    const call = place.call === null ? null : withoutObject(place.call, place, before)
    if (call === null) return []
    const say = (breakage: Breakage) => [{ line: place.line, breakage }]
    const fitted = were.some((each) => fits(each, call))
    if (reader.strict && fitted && !are.some((each) => fits(each, call))) return say("call")
    if (becameAsync && isLost(place, reader)) return say("await")
    if (isPlain && !becameAsync && losesResults(before, after, place)) return say("results")
    const isTouched = lines(place).some(reader.isAdded)
    return fitted && !call.spread && !isTouched && moved.some((at) => at < call.positional) ? say("order") : []
  })
}

/** `T::m(x, a)` hands the object over as the first argument. */
const withoutObject = (call: CallShape, { path }: Occurrence, { receiver }: Signature): CallShape | null =>
  path === undefined || receiver !== true
    ? call
    : call.positional === 0
      ? null
      : { ...call, positional: call.positional - 1 }

const lines = ({ call, line }: Occurrence): ReadonlyArray<number> =>
  Array.from({ length: Math.min((call?.lastLine ?? line) - line + 1, 50) }, (_, at) => line + at)

/** The place takes another number of values than the call gives now, and took what it gave before. */
const losesResults = (before: Signature, after: Signature, { taken }: Occurrence): boolean =>
  before.results !== undefined &&
  after.results !== undefined &&
  taken !== undefined &&
  before.results === taken &&
  after.results !== taken

/** The value is looked into at once, or thrown away, as one that had to be waited for cannot be. */
const isLost = ({ value, line }: Occurrence, { isAdded, dropsMatter }: Reader): boolean =>
  value === "read" || (value === "dropped" && dropsMatter) || (value === "stored" && !isAdded(line))

/** The places where the bare word can only mean what the file's top level or an import says it does. */
export const bareUses = (occurrences: ReadonlyArray<Occurrence>): ReadonlyArray<Occurrence> =>
  occurrences.some(({ kind, receiver }) => kind === "binding" && receiver === null)
    ? []
    : occurrences.filter(({ kind }) => kind === "use")

/** Does the name get another meaning somewhere in the file? */
export const isRebound = (occurrences: ReadonlyMap<string, ReadonlyArray<Occurrence>>, name: string): boolean =>
  (occurrences.get(name) ?? []).some(({ kind, receiver }) => kind === "binding" && receiver === null)

/** Can occurrences of the name be looked for? Go's `.` and `_` are no names, and dotted modules are several. */
export const isSimpleName = (name: string): boolean => /^(?!_$)[\p{L}_$][\w$]*$/u.test(name)

/** Members of the object itself, inside the methods of its own class. */
export const selfUses = (occurrences: ReadonlyArray<Occurrence>, container: string): ReadonlyArray<Occurrence> =>
  occurrences.some(({ kind, receiver }) => kind === "binding" && receiver !== null)
    ? []
    : occurrences.filter(({ kind, self }) => kind === "member" && self === container)

/** Members of a module that the file calls `local`. */
export const memberUses = (occurrences: ReadonlyArray<Occurrence>, local: string): ReadonlyArray<Occurrence> =>
  occurrences.some(({ kind, receiver }) => kind === "binding" && receiver === local)
    ? []
    : occurrences.filter(({ kind, receiver }) => kind === "member" && receiver === local)

/** The parameters as a reader would write them. */
export const signatureText = (name: string, { parameters }: Signature): string =>
  `${name}(${parameters.map(parameterText).join(", ")})`

const parameterText = ({ kind, name, required }: Parameter): string => {
  if (kind === "rest") return name.startsWith("...") ? name : `*${name}`
  if (kind === "keywords") return `**${name}`
  const shown = name === "" ? "_" : name.length > 40 ? "{...}" : name.replace(/\s+/g, " ")
  return `${kind === "keyword" ? "*, " : ""}${shown}${required ? "" : "?"}`
}
