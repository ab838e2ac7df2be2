/**
 * Which places of a rule a change introduces, and which were there before it: moved, indented, renamed or edited.
 *
 * Pure. A place of the base side is the counterpart of at most one place of the head side.
 */

/** A place that a rule reports, on one side of a change. */
export interface Site {
  /** Of the head side, also for a place on the base side. */
  readonly path: string
  /** The function around it, or what else is the same on both sides of an edit; null where nothing is. */
  readonly scope: string | null
  /** The function around it without its name; null outside of functions. */
  readonly unnamed: string | null
  /** `comparableCode` of the place. */
  readonly code: string
  /** The same, with as much around the place as it takes to recognise it in a function that is only on this side. */
  readonly context: string
  /** The same, with as much as it takes to recognise it anywhere. */
  readonly longContext: string
  /** Is the function around it on both sides? */
  readonly isInBoth: boolean
  /** Does the change add lines of it? */
  readonly isTouched: boolean
}

/**
 * The sites of the head side without a counterpart: the same code anywhere or in a renamed function, or other code
 * in the same function. Short code that goes in one function and comes in another that was there before is new.
 */
export const introduced = <A extends Site>(head: ReadonlyArray<A>, base: ReadonlyArray<Site>): ReadonlyArray<A> => {
  // Code that the change leaves alone has the first choice.
  const [touched, untouched] = [head.filter(({ isTouched }) => isTouched), head.filter(({ isTouched }) => !isTouched)]
  let open = { head: [...untouched, ...touched], base }
  for (const keys of counterparts) open = unpaired(open.head, open.base, keys)
  return open.head
}

type KeyOf = (site: Site) => string | null

interface Keys {
  readonly head: KeyOf
  readonly base: KeyOf
}

const onBoth = (keyOf: KeyOf): Keys => ({ head: keyOf, base: keyOf })

const contextAlone: KeyOf = ({ context, isInBoth }) => (isInBoth ? null : context)

/** From the surest counterpart to the least sure one. */
const counterparts: ReadonlyArray<Keys> = [
  onBoth(({ code, path, scope }) => JSON.stringify([path, scope, code])),
  onBoth(({ code, unnamed }) => (unnamed === null ? null : JSON.stringify([unnamed, code]))),
  onBoth(({ longContext }) => longContext),
  { head: contextAlone, base: ({ context }) => context },
  { head: ({ context }) => context, base: contextAlone },
  onBoth(({ path, scope }) => (scope === null ? null : JSON.stringify([path, scope])))
]

const unpaired = <A extends Site>(head: ReadonlyArray<A>, base: ReadonlyArray<Site>, keys: Keys) => {
  const left = Map.groupBy(base, keys.base)
  const paired = new Set<Site>()
  const without = head.filter((site) => {
    const key = keys.head(site)
    const counterpart = key === null ? undefined : left.get(key)?.pop()
    if (counterpart !== undefined) paired.add(counterpart)
    return counterpart === undefined
  })
  return { head: without, base: base.filter((site) => !paired.has(site)) }
}

/** Code as it is compared: a formatter may change white space and the last comma of a list. */
export const comparableCode = (text: string): string => text.replace(/\s+/g, "").replace(/,(?=[)\]}])/g, "")

/** In characters: shorter code, such as `catch {}`, is the same in many places. */
export const recognisable = { inNewFunction: 20, anywhere: 80 }
