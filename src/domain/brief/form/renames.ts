/**
 * Decides which changes of names are renames: the declaration and its uses get the same new name, which nothing else has.
 *
 * A name that is not declared in the change is another thing with another meaning, not a new name.
 */
import type { Occurrence } from "../../code/Symbol.ts"
import type { NamePair } from "./sameCode.ts"

/** A place where the change replaces one name by another. */
export interface NameChange {
  readonly file: string
  readonly pair: NamePair
  readonly kind: Occurrence["kind"] | null
  /** Does it declare a definition of its file? */
  readonly isDefinition: boolean
  /** Of a name that holds in a part of the file: its places on both sides. */
  readonly local: { readonly base: ReadonlyArray<number>; readonly head: ReadonlyArray<number> } | null
}

/** What else has the names of a file. */
export interface NamePlaces {
  /** Is the name used or defined in the file after the change? */
  readonly isLeft: (file: string, name: string) => boolean
  /** Does the base side of any changed file have this word? */
  readonly isKnownWord: (name: string) => boolean
  /** May code of the file look up the name at run time, from a string? */
  readonly isLookedUp: (file: string, name: string) => boolean
}

/** The changes of names that are part of a rename. */
export const renames = (changes: ReadonlyArray<NameChange>, places: NamePlaces): ReadonlySet<NameChange> => {
  const found = new Set<NameChange>()
  const before = ({ pair }: NameChange): string => pair.before.text
  const after = ({ pair }: NameChange): string => pair.after.text
  const isPlain = (each: NameChange): boolean =>
    kindOfName(before(each)) === kindOfName(after(each)) &&
    ![before(each), after(each)].some((name) => places.isLookedUp(each.file, name))
  for (const declared of changes.filter(({ isDefinition, local }) => isDefinition && local === null)) {
    const [old, now] = [before(declared), after(declared)]
    const same = changes.filter((each) => before(each) === old && after(each) === now)
    // A framework may call a definition by its name; uses in the change show that the name is the program's own.
    const hasUses = same.some(({ isDefinition, local }) => !isDefinition && local === null)
    const isUnique = changes.every((each) => (after(each) === now) === (before(each) === old))
    const isTaken = places.isLeft(declared.file, old) || places.isKnownWord(now)
    if (!hasUses || !isUnique || isTaken || !isPlain(declared)) continue
    for (const each of same) if (each.kind !== null && each.local === null) found.add(each)
  }
  for (const [, own] of Map.groupBy(changes, ({ file }) => file)) {
    const byPlace = new Map(own.map((each) => [each.pair.before.at, each]))
    for (const each of own) {
      const { base = [], head = [] } = each.local ?? {}
      // A name without a use, or with a use that is edited in another way, may have another meaning.
      const isReplaced = base.every((at) => {
        const other = byPlace.get(at)
        return other !== undefined && after(other) === after(each) && head.includes(other.pair.after.at)
      })
      if (base.length > 1 && base.length === head.length && isReplaced && isPlain(each)) found.add(each)
    }
  }
  return found
}

/** In some languages the first letter decides what a name is: `<item>` is an element, `<Item>` a component. */
const kindOfName = (name: string): string =>
  /^\p{Lu}/u.test(name) ? "upper" : /^[\p{L}]/u.test(name) ? "lower" : (/^[_$@]*/.exec(name)?.[0] ?? "")
