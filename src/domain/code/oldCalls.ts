/** Which calls only an old signature allows. Pure; in doubt, a call is allowed. */
import type { ContractChange } from "./contractChanges.ts"
import { type CallShape, fits, type Signature } from "./Symbol.ts"

/**
 * Did the call fit, and does it not fit any more, or hand its arguments to other parameters? `isStrict`: does the
 * calling language complain of an argument that is missing?
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

/** False when no call can be old: the parameters are the same, or optional ones came behind them. */
export const mayHaveOldCalls = ({ after, before }: Extract<ContractChange, { _tag: "Signature" }>): boolean => {
  if (before.signature === null || after.signature === null) return false
  const [were, are] = [before.signature, after.signature]
  if (were.strict !== are.strict || are.parameters.length < were.parameters.length) return true
  const isKept = were.parameters.every(({ kind, name, required }, at) => {
    const is = are.parameters[at]
    return is?.kind === kind && is.name === name && is.required === required
  })
  const more = are.parameters.slice(were.parameters.length)
  // What took the rest may take what a new parameter asks for.
  const isOpen = were.parameters.some(({ kind }) => kind === "rest" || kind === "keywords")
  return !isKept || (more.length > 0 && (isOpen || more.some(({ required }) => required)))
}

/** Does one of the first arguments mean another parameter that was there before? */
const changesPlaces = (before: Signature, after: Signature, positional: number): boolean => {
  const [were, are] = [placed(before), placed(after)]
  return were.slice(0, positional).some((name, at) => name !== "" && are.includes(name) && are[at] !== name)
}

const placed = ({ parameters }: Signature): ReadonlyArray<string> =>
  parameters.flatMap(({ kind, name }) => (kind === "positional" || kind === "positional-only" ? [name] : []))
