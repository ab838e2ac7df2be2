/**
 * Decides which changes of names are renames: the declaration and its uses get the same new name, which nothing else has.
 *
 * A name that is not declared in the change is another thing with another meaning, not a new name.
 */
import type { Occurrence } from "../../code/Symbol.ts"
import type { Run } from "./changedRuns.ts"

/** A place where the change replaces one name by another. */
export interface NameChange {
  readonly file: string
  readonly runs: ReadonlyArray<Run>
  readonly before: string
  readonly after: string
  readonly kind: Occurrence["kind"] | null
  /** Lines of the innermost function around it, on both sides; null at the top of a file. */
  readonly scope: NameScope | null
  readonly role: "local" | "parameter" | "definition" | "use" | "none"
}

export interface NameScope {
  readonly base: Lines
  readonly head: Lines
}

interface Lines {
  readonly first: number
  readonly last: number
}

/** The places of a name in the code of a file. */
export interface NamePlaces {
  readonly base: (file: string, name: string) => ReadonlyArray<Pick<Occurrence, "line" | "kind">>
  readonly head: (file: string, name: string) => ReadonlyArray<Pick<Occurrence, "line" | "kind">>
  /** Does the base side of any changed file have this word? */
  readonly isKnownWord: (name: string) => boolean
  /** May code of the file look up the name at run time, from a string? */
  readonly isLookedUp: (file: string, name: string) => boolean
}

/** The changes of names that are part of a rename. */
export const renames = (changes: ReadonlyArray<NameChange>, places: NamePlaces): ReadonlySet<NameChange> => {
  const found = new Set<NameChange>()
  const isPlain = ({ after, before, file }: NameChange): boolean =>
    kindOfName(before) === kindOfName(after) && !places.isLookedUp(file, before) && !places.isLookedUp(file, after)
  const definitions = changes.filter(({ role }) => role === "definition")
  for (const declared of definitions) {
    const { after, before } = declared
    const same = changes.filter((each) => each.before === before && each.after === after)
    // A framework may call a definition by its name; uses in the change show that the name is the program's own.
    const hasUses = same.some(({ role }) => role === "use" || role === "none")
    const isUnique = changes.every((each) => (each.after === after) === (each.before === before))
    const isLeft = places.head(declared.file, before).some(({ kind }) => kind !== "member" && kind !== "binding")
    if (!hasUses || !isUnique || isLeft || places.isKnownWord(after) || !isPlain(declared)) continue
    for (const each of same)
      if (each.kind !== null && each.role !== "parameter" && each.role !== "local") found.add(each)
  }
  for (const declared of changes.filter(({ role }) => role === "local" || role === "parameter")) {
    const { after, before, file, scope } = declared
    const inScope = changes.filter((each) => each.file === file && isWithin(each.scope, scope))
    const isUnique = inScope.every((each) => (each.after === after) === (each.before === before))
    const isTaken = places.base(file, after).some((each) => isInLines(each, scope?.base))
    const isLeft = places.head(file, before).some((each) => each.kind !== "member" && isInLines(each, scope?.head))
    // A name without a use, or with a use that is edited in another way, may have another meaning.
    const uses = places.base(file, before).filter((each) => isInLines(each, scope?.base) && each.kind !== "member")
    const replaced = inScope.filter((each) => each.before === before && each.kind !== null && each.kind !== "member")
    if (!isPlain(declared) || !isUnique || isTaken || isLeft || uses.length !== replaced.length || replaced.length < 2)
      continue
    for (const each of inScope) {
      const isSame = each.before === before && each.role !== "definition" && each.kind !== null
      if (isSame && each.kind !== "member" && each.kind !== "import") found.add(each)
    }
  }
  return found
}

/** In some languages the first letter decides what a name is: `<item>` is an element, `<Item>` a component. */
const kindOfName = (name: string): string =>
  /^\p{Lu}/u.test(name) ? "upper" : /^[\p{L}]/u.test(name) ? "lower" : (/^[_$@]*/.exec(name)?.[0] ?? "")

const isInLines = ({ line }: { readonly line: number }, lines: Lines | undefined): boolean =>
  lines === undefined || (lines.first <= line && line <= lines.last)

const isWithin = (inner: NameScope | null, outer: NameScope | null): boolean =>
  outer === null || (inner !== null && outer.head.first <= inner.head.first && inner.head.last <= outer.head.last)
