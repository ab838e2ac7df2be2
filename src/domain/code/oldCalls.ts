/** Finds calls that only the old signature accepts. In doubt, a call is valid. */
import type { ContractChange } from "./contractChanges.ts"
import { type CallShape, fits, type Signature } from "./Symbol.ts"

/**
 * Was the call valid before the change, and is it invalid now, or does it pass its arguments to other parameters?
 * `isStrict`: does the calling language reject a missing argument?
 */
export const isOldCall = (
  { after, before }: Extract<ContractChange, { _tag: "Signature" }>,
  call: CallShape,
  isStrict: boolean
): boolean => {
  if (before.signature === null || after.signature === null || call.spread) return false
  if (!fits(before.signature, call)) return false
  return (isStrict && !fits(after.signature, call)) || changesPlaces(before.signature, after.signature, call.positional)
}

/** False if no call can be old: the parameters are equal, or only optional ones were added at the end. */
export const mayHaveOldCalls = ({ after, before }: Extract<ContractChange, { _tag: "Signature" }>): boolean => {
  if (before.signature === null || after.signature === null) return false
  const [were, are] = [before.signature, after.signature]
  if (were.strict !== are.strict || are.parameters.length < were.parameters.length) return true
  const isKept = were.parameters.every(({ kind, name, required }, at) => {
    const is = are.parameters[at]
    return is?.kind === kind && is.name === name && is.required === required
  })
  const more = are.parameters.slice(were.parameters.length)
  // A rest parameter may have accepted what is now an argument for a new parameter.
  const isOpen = were.parameters.some(({ kind }) => kind === "rest" || kind === "keywords")
  return !isKept || (more.length > 0 && (isOpen || more.some(({ required }) => required)))
}

/** Does one of the positional arguments now go to another parameter, which existed before? */
const changesPlaces = (before: Signature, after: Signature, positional: number): boolean => {
  const [were, are] = [placed(before), placed(after)]
  return were.slice(0, positional).some((name, at) => name !== "" && are.includes(name) && are[at] !== name)
}

const placed = ({ parameters }: Signature): ReadonlyArray<string> =>
  parameters.flatMap(({ kind, name }) => (kind === "positional" || kind === "positional-only" ? [name] : []))
