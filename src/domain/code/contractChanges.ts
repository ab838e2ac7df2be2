/**
 * What a change breaks for the users of a file: removed names, and calls that no longer match.
 *
 * Compares the two sides of one file. Other modules find its users.
 */
import { type DefinitionTable, definitionTable } from "./DefinitionTable.ts"
import type { Definition, FileSymbols, Signature, Visibility } from "./Symbol.ts"

export type ContractChange =
  | {
      /** A type, or the properties of a component, with required members that were optional or absent. */
      readonly _tag: "Required"
      readonly name: string
      readonly container: null
      readonly before: Definition
      readonly after: Definition
      readonly added: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Gone"
      readonly name: string
      readonly container: string | null
      /** Null for a re-exported name. */
      readonly definition: Definition | null
      /** Still defined here, but no longer exported. */
      readonly kept: boolean
      /** The definition that replaced it, if that is clear. */
      readonly became: Definition | null
      /** The definition on the head side, if it is less visible than before. */
      readonly hidden?: Definition
      /** The changed file that defines it now, if that is clear. */
      readonly movedTo?: string
    }
  | {
      readonly _tag: "Signature"
      readonly name: string
      readonly container: string | null
      readonly before: Definition
      readonly after: Definition
      /** All overloads of this name, in languages with overloads. */
      readonly overloads?: { readonly before: ReadonlyArray<Signature>; readonly after: ReadonlyArray<Signature> }
    }

/** In the order of the base side, then of the head side's definitions. */
export const contractChanges = (
  base: FileSymbols,
  head: FileSymbols,
  /** Imported names are exported as well, as in Python's `__init__.py`. */
  passesOn: boolean
): ReadonlyArray<ContractChange> => {
  const sides = sidesOf(withFields(base), withFields(head))
  const successorOf = successorsIn(sides)
  return [
    ...goneNames(sides, passesOn, successorOf),
    ...goneMembers(sides, successorOf),
    ...hiddenDefinitions(sides),
    ...newRequirements(sides),
    ...(head.overloads === true ? changedOverloads(sides) : changedSignatures(sides))
  ]
}

const sidesOf = (base: FileSymbols, head: FileSymbols): Sides => ({
  base,
  head,
  baseTable: definitionTable(base),
  headTable: definitionTable(head)
})

interface Sides {
  readonly base: FileSymbols
  readonly head: FileSymbols
  /** The definitions of both sides. */
  readonly baseTable: DefinitionTable
  readonly headTable: DefinitionTable
}

/** Top-level names that other files may import. */
export const offered = (symbols: FileSymbols): ReadonlySet<string> =>
  symbols.exports === null ? known(symbols) : new Set(symbols.exports.map(({ name }) => name))

/** Top-level names that are bound in the file. */
export const known = (symbols: FileSymbols): ReadonlySet<string> =>
  new Set([
    ...symbols.definitions.flatMap(({ name, container }) => (container === null ? [name] : [])),
    ...symbols.imports.map(({ local }) => local),
    ...symbols.bound
  ])

const goneNames = (
  { base, head }: Sides,
  passesOn: boolean,
  successorOf: SuccessorOf
): ReadonlyArray<ContractChange> => {
  if (head.open) return []
  const [offeredBefore, offeredAfter] = [offered(base), offered(head)]
  const inside = known(head)
  const unlisted = new Set(namesUnlisted(base, head))
  const names = new Set([...offeredBefore, ...known(base)])
  const defined = firstByName(base.definitions.filter(({ container }) => container === null))
  const exports = firstByName(base.exports ?? [])
  return [...names].flatMap((name): ReadonlyArray<ContractChange> => {
    const definition = defined.get(name) ?? null
    const exported = exports.get(name)
    const isLost =
      offeredBefore.has(name) && !offeredAfter.has(name) && (definition !== null || exported !== undefined || passesOn)
    const isUnknown = definition !== null && !inside.has(name)
    if (name === "" || (!isLost && !isUnknown && !unlisted.has(name))) return []
    const kept = inside.has(exported?.local ?? name)
    const became = definition === null || kept ? null : successorOf(definition)
    return [{ _tag: "Gone", name, container: null, definition, kept, became }]
  })
}

/** The first of each name. */
const firstByName = <A extends { readonly name: string }>(all: ReadonlyArray<A>): ReadonlyMap<string, A> =>
  new Map(all.toReversed().map((each) => [each.name, each]))

/** Names removed from Python's `__all__`: star imports no longer include them. */
const namesUnlisted = (base: FileSymbols, head: FileSymbols): ReadonlyArray<string> => {
  if (base.listed == null || head.listed == null) return []
  const listed = new Set(head.listed)
  return base.listed.filter((name) => !listed.has(name))
}

/** With its fields as definitions, except those that are defined already. */
const withFields = (symbols: FileSymbols): FileSymbols => {
  const defined = new Set(symbols.definitions.map(pathOf))
  const fields = symbols.types.flatMap(({ fields, name: container }) =>
    [...fields].flatMap(([name, line]): ReadonlyArray<Definition> => {
      if (line === 0 || defined.has(`${container}.${name}`)) return []
      return [{ name, kind: "constant", container, signature: null, line, endLine: line, shape: name }]
    })
  )
  return fields.length === 0 ? symbols : { ...symbols, definitions: [...symbols.definitions, ...fields] }
}

const goneMembers = ({ base, head }: Sides, successorOf: SuccessorOf): ReadonlyArray<ContractChange> => {
  if (head.open && head.hasAllMembers !== true) return []
  const classes = new Set([
    ...head.definitions.flatMap(({ kind, name, container }) =>
      container === null ? [name] : kind === "class" || kind === "type" ? [`${container}.${name}`] : []
    ),
    ...head.types.map(({ name }) => name)
  ])
  const left = new Set(head.definitions.map(pathOf))
  const baseNames = new Set([...base.types, ...base.definitions].map(pathOf))
  return base.definitions.flatMap((definition): ReadonlyArray<ContractChange> => {
    const { name, container } = definition
    if (container === null || definition.inherited === true) return []
    if (left.has(pathOf(definition))) return []
    // If the class is removed too, only the class is reported. Methods may be in another file than their type.
    if (!classes.has(container) && baseNames.has(container)) return []
    return [{ _tag: "Gone", name, container, definition, kept: false, became: successorOf(definition) }]
  })
}

const pathOf = (each: { readonly name: string; readonly container?: string | null }): string =>
  each.container == null ? each.name : `${each.container}.${each.name}`

/** Finds the new name of a renamed definition. */
type SuccessorOf = (removed: Definition) => Definition | null

const successorsIn = ({ base, head, baseTable, headTable }: Sides): SuccessorOf => {
  const alike = ({ kind, container }: Definition) => (container === null ? kind : `${kind}\0${container}`)
  let groups: ReadonlyMap<string, AddedGroup> | null = null
  const grouped = () => {
    const added = Map.groupBy(
      head.definitions.filter(({ name, container }) => baseTable.all(name, container).length === 0),
      alike
    )
    const lost = Map.groupBy(
      base.definitions.filter(({ name, container }) => headTable.all(name, container).length === 0),
      alike
    )
    return new Map(
      [...added].map(([key, all]) => {
        const group: AddedGroup = {
          added: all,
          byShape: Map.groupBy(all, ({ shape }) => shape),
          lost: lost.get(key)?.length ?? 0
        }
        return [key, group]
      })
    )
  }
  return (removed) => {
    groups ??= grouped()
    const { added = [], byShape, lost = 0 } = groups.get(alike(removed)) ?? {}
    const same = byShape?.get(removed.shape) ?? []
    if (same.length === 1) return same[0] ?? null
    const [only] = added
    if (added.length !== 1 || lost !== 1 || only === undefined) return null
    return sharedEnds(only.name, removed.name) >= Math.min(only.name.length, removed.name.length) / 2 ? only : null
  }
}

/** The new definitions of one kind in one container. */
interface AddedGroup {
  readonly added: ReadonlyArray<Definition>
  readonly byShape: ReadonlyMap<Definition["shape"], ReadonlyArray<Definition>>
  /** The number of removed definitions. */
  readonly lost: number
}

/** The number of letters that two names share at their beginnings and ends, ignoring case. */
const sharedEnds = (a: string, b: string): number => {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  const shorter = Math.min(x.length, y.length)
  let before = 0
  while (before < shorter && x[before] === y[before]) before++
  let behind = 0
  while (behind < shorter - before && x.at(-1 - behind) === y.at(-1 - behind)) behind++
  return before + behind
}

const widths: Readonly<Record<Visibility, number>> = { public: 4, protected: 3, internal: 2, parent: 1, private: 0 }

/** Definitions that are less visible than before. */
const hiddenDefinitions = ({ head, baseTable, headTable }: Sides): ReadonlyArray<ContractChange> =>
  head.definitions.flatMap((after): ReadonlyArray<ContractChange> => {
    if (after.visibility === undefined || after.inherited === true) return []
    const before = baseTable.only(after.name, after.container)
    if (before?.visibility === undefined || headTable.only(after.name, after.container) !== after) return []
    if (widths[after.visibility] >= widths[before.visibility]) return []
    const { container, name } = after
    return [{ _tag: "Gone", name, container, definition: before, kept: true, became: null, hidden: after }]
  })

/** Types with new required members, and the components that take an object of such a type. */
const newRequirements = ({ base, head, baseTable, headTable }: Sides): ReadonlyArray<ContractChange> => {
  const added = new Map(
    head.types.flatMap(({ name, required = [] }) => {
      const [was, ...others] = base.types.filter((type) => type.name === name)
      if (was?.required === undefined || others.length > 0) return []
      const names = required.filter((each) => was.required?.includes(each) === false)
      return names.length === 0 ? [] : [[name, names] as const]
    })
  )
  if (added.size === 0) return []
  return head.definitions.flatMap((after): ReadonlyArray<ContractChange> => {
    const names = added.get(after.kind === "type" ? after.name : propertiesOf(after))
    const before = baseTable.only(after.name, null)
    if (names === undefined || before === undefined || headTable.only(after.name, null) !== after) return []
    if (after.kind !== "type" && propertiesOf(before) !== propertiesOf(after)) return []
    return [{ _tag: "Required", name: after.name, container: null, before, after, added: names }]
  })
}

/** The type of the properties of a component: a function whose name begins with a capital letter. */
const propertiesOf = ({ container, kind, name, signature }: Definition): string => {
  const [only, ...others] = signature?.parameters ?? []
  const isComponent = container === null && kind === "function" && /^[A-Z]/.test(name) && others.length === 0
  return isComponent ? (only?.type?.replace(/^:/, "") ?? "") : ""
}

const changedSignatures = ({ head, baseTable, headTable }: Sides): ReadonlyArray<ContractChange> =>
  head.definitions.flatMap((after): ReadonlyArray<ContractChange> => {
    const { name, container } = after
    const before = baseTable.only(name, container)
    if (before === undefined || headTable.only(name, container) !== after) return []
    if (before.signature === null || after.signature === null || before.kind !== after.kind) return []
    if (before.inherited === true || after.inherited === true) return []
    if (isSameForCallers(before.signature, after.signature)) return []
    return [{ _tag: "Signature", name, container, before, after }]
  })

/** Each name once, with all its signatures: a call is valid if any of them accepts it. */
const changedOverloads = (sides: Sides): ReadonlyArray<ContractChange> => {
  const seen = new Set<string>()
  return sides.head.definitions.flatMap((after): ReadonlyArray<ContractChange> => {
    const { container, name } = after
    if (seen.has(`${container}.${name}`)) return []
    seen.add(`${container}.${name}`)
    const ofKind = (table: DefinitionTable) => table.all(name, container).filter(({ kind }) => kind === after.kind)
    const [old, current] = [ofKind(sides.baseTable), ofKind(sides.headTable)]
    const [before, overloads] = [old[0], { before: signaturesOf(old), after: signaturesOf(current) }]
    if (before === undefined || [...old, ...current].some((each) => each.inherited === true)) return []
    if (overloads.before.length !== old.length || overloads.after.length !== current.length) return []
    const isKept = (signature: Signature) => overloads.after.some((each) => isSameForCallers(signature, each))
    if (overloads.before.every(isKept)) return []
    const lost = old.find(({ signature }) => signature !== null && !isKept(signature)) ?? before
    const isNew = ({ signature }: Definition) =>
      signature !== null && !overloads.before.some((each) => isSameForCallers(each, signature))
    return [{ _tag: "Signature", name, container, before: lost, after: current.find(isNew) ?? after, overloads }]
  })
}

const signaturesOf = (definitions: ReadonlyArray<Definition>): ReadonlyArray<Signature> =>
  definitions.flatMap(({ signature }) => signature ?? [])

/** The compiler compares types; the names and the order of parameters count here. */
const isSameForCallers = (before: Signature, after: Signature): boolean =>
  before.async === after.async &&
  before.strict === after.strict &&
  before.receiver === after.receiver &&
  (before.results === undefined || after.results === undefined || before.results === after.results) &&
  before.parameters.length === after.parameters.length &&
  before.parameters.every((parameter, at) => {
    const other = after.parameters[at]
    return other?.name === parameter.name && other.kind === parameter.kind && other.required === parameter.required
  })

/** Positions of swapped parameters of the same type, or without types; empty for any other change. */
export const swapped = (before: Signature, after: Signature): ReadonlyArray<number> => {
  const [oldParameters, newParameters] = [before.parameters, after.parameters]
  if (oldParameters.length !== newParameters.length) return []
  const moved = oldParameters.flatMap(({ name }, at) => (newParameters[at]?.name === name ? [] : [at]))
  const [first] = moved
  if (first === undefined) return []
  const isPermuted = moved.every((at) => {
    const to = newParameters.findIndex(({ name }) => name === oldParameters[at]?.name)
    return to >= 0 && newParameters[to]?.kind === oldParameters[at]?.kind && isNamed(oldParameters[at]?.name ?? "")
  })
  const types = new Set(moved.map((at) => oldParameters[at]?.type ?? ""))
  const isOneType =
    types.size === 1 && moved.every((at) => (newParameters[at]?.type ?? "") === (oldParameters[first]?.type ?? ""))
  return isPermuted && isOneType && moved.every((at) => /^positional/.test(oldParameters[at]?.kind ?? "")) ? moved : []
}

const isNamed = (name: string): boolean => /^[A-Za-z]\w*$/.test(name)
