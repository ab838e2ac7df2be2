/**
 * What a change takes away from those who use a file: names that are gone, calls that no longer fit.
 *
 * Pure: two sides of one file in, what became of its contract out. Who uses it is for others to find.
 */
import { type Definition, type FileSymbols, onlyDefinition } from "./Symbol.ts"

export type ContractChange =
  | {
      readonly _tag: "Gone"
      readonly name: string
      readonly container: string | null
      /** Null for a name that the file only passed on. */
      readonly definition: Definition | null
      /** Still defined here, and no longer offered to other files. */
      readonly kept: boolean
      /** The definition that took its place, when that is evident. */
      readonly became: Definition | null
    }
  | {
      readonly _tag: "Signature"
      readonly name: string
      readonly container: string | null
      readonly before: Definition
      readonly after: Definition
    }

/** In the order of the base side, then of the head side's definitions. */
export const contractChanges = (
  base: FileSymbols,
  head: FileSymbols,
  /** Names that the file only takes in are meant for others as well: Python's `__init__.py`. */
  passesOn: boolean
): ReadonlyArray<ContractChange> => [
  ...goneNames(base, head, passesOn),
  ...goneMembers(base, head),
  ...changedSignatures(base, head)
]

/** Names at the top of the file that it offers to others. */
export const offered = (symbols: FileSymbols): ReadonlySet<string> => {
  if (symbols.exports !== null) return new Set(symbols.exports.map(({ name }) => name))
  return new Set([
    ...symbols.definitions.flatMap(({ name, container }) => (container === null ? [name] : [])),
    ...symbols.imports.map(({ local }) => local),
    ...symbols.bound
  ])
}

/** Names that mean something inside the file itself. */
export const known = (symbols: FileSymbols): ReadonlySet<string> =>
  new Set([
    ...symbols.definitions.flatMap(({ name, container }) => (container === null ? [name] : [])),
    ...symbols.imports.map(({ local }) => local),
    ...symbols.bound
  ])

const goneNames = (base: FileSymbols, head: FileSymbols, passesOn: boolean): ReadonlyArray<ContractChange> => {
  if (head.open) return []
  const [were, are] = [offered(base), offered(head)]
  const inside = known(head)
  const names = new Set([...were, ...known(base)])
  return [...names].flatMap((name): ReadonlyArray<ContractChange> => {
    const definition = base.definitions.find((each) => each.name === name && each.container === null) ?? null
    const exported = base.exports?.find((each) => each.name === name)
    const isLost = were.has(name) && !are.has(name) && (definition !== null || exported !== undefined || passesOn)
    const isUnknown = definition !== null && !inside.has(name)
    if (name === "" || (!isLost && !isUnknown)) return []
    const kept = inside.has(exported?.local ?? name)
    const became = definition === null || kept ? null : successorOf(definition, base, head)
    return [{ _tag: "Gone", name, container: null, definition, kept, became }]
  })
}

const goneMembers = (base: FileSymbols, head: FileSymbols): ReadonlyArray<ContractChange> => {
  if (head.open) return []
  const classes = new Set(head.definitions.flatMap(({ name, container }) => (container === null ? [name] : [])))
  return base.definitions.flatMap((definition): ReadonlyArray<ContractChange> => {
    const { name, container } = definition
    if (container === null || head.definitions.some((each) => each.name === name && each.container === container)) {
      return []
    }
    // Without its class, the class is what is gone. A Go type may be declared in another file.
    if (!classes.has(container) && head.package === "") return []
    return [{ _tag: "Gone", name, container, definition, kept: false, became: successorOf(definition, base, head) }]
  })
}

/** A new definition that is the old one under another name. */
const successorOf = (gone: Definition, base: FileSymbols, head: FileSymbols): Definition | null => {
  const isNew = ({ name, container, kind }: Definition) =>
    kind === gone.kind &&
    container === gone.container &&
    !base.definitions.some((each) => each.name === name && each.container === container)
  const added = head.definitions.filter(isNew)
  const same = added.filter(({ shape }) => shape === gone.shape)
  if (same.length === 1) return same[0] ?? null
  const lost = base.definitions.filter(
    (each) =>
      each.kind === gone.kind &&
      each.container === gone.container &&
      !head.definitions.some(({ name, container }) => name === each.name && container === each.container)
  )
  const [only] = added
  if (added.length !== 1 || lost.length !== 1 || only === undefined) return null
  return sharedEnds(only.name, gone.name) >= Math.min(only.name.length, gone.name.length) / 2 ? only : null
}

/** Letters two names share at their beginnings and ends, capitals aside. */
const sharedEnds = (a: string, b: string): number => {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  const shorter = Math.min(x.length, y.length)
  let before = 0
  while (before < shorter && x[before] === y[before]) before++
  let behind = 0
  while (behind < shorter - before && x.at(-1 - behind) === y.at(-1 - behind)) behind++
  return before + behind
}

const changedSignatures = (base: FileSymbols, head: FileSymbols): ReadonlyArray<ContractChange> =>
  head.definitions.flatMap((after): ReadonlyArray<ContractChange> => {
    const { name, container } = after
    const before = onlyDefinition(base, name, container)
    if (before === undefined || onlyDefinition(head, name, container) !== after) return []
    if (before.signature === null || after.signature === null || before.kind !== after.kind) return []
    if (JSON.stringify(before.signature) === JSON.stringify(after.signature)) return []
    return [{ _tag: "Signature", name, container, before, after }]
  })
