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
  /** The same, with as much around the place as it takes to recognise it somewhere else. */
  readonly context: string
  /** Does the change add lines of it? */
  readonly isTouched: boolean
}

/**
 * The touched sites of the head side without a counterpart: the same code anywhere or in a renamed function, or other code
 * in the same function.
 */
export const introduced = <A extends Site>(head: ReadonlyArray<A>, base: ReadonlyArray<Site>): ReadonlyArray<A> => {
  // Code that the change leaves alone is its own counterpart.
  const [touched, untouched] = [head.filter(({ isTouched }) => isTouched), head.filter(({ isTouched }) => !isTouched)]
  let open = { head: [...untouched, ...touched], base }
  for (const keyOf of counterparts) open = unpaired(open.head, open.base, keyOf)
  return open.head.filter(({ isTouched }) => isTouched)
}

type KeyOf = (site: Site) => string | null

/** From the surest counterpart to the least sure one. */
const counterparts: ReadonlyArray<KeyOf> = [
  ({ code, path, scope }) => JSON.stringify([path, scope, code]),
  ({ code, unnamed }) => (unnamed === null ? null : JSON.stringify([unnamed, code])),
  ({ context }) => context,
  ({ path, scope }) => (scope === null ? null : JSON.stringify([path, scope]))
]

const unpaired = <A extends Site>(head: ReadonlyArray<A>, base: ReadonlyArray<Site>, keyOf: KeyOf) => {
  const left = Map.groupBy(base, keyOf)
  const paired = new Set<Site>()
  const without = head.filter((site) => {
    const key = keyOf(site)
    const counterpart = key === null ? undefined : left.get(key)?.pop()
    if (counterpart !== undefined) paired.add(counterpart)
    return counterpart === undefined
  })
  return { head: without, base: base.filter((site) => !paired.has(site)) }
}

/** Code as it is compared: a formatter may change white space and the last comma of a list. */
export const comparableCode = (text: string): string => text.replace(/\s+/g, "").replace(/,(?=[)\]}])/g, "")

/** Shorter code, such as `catch {}`, is the same in many places. */
export const recognisable = 20
