/** Pairs the definitions of both sides: by name, renamed, moved. Pure. */
import type { Diff } from "../../change/Diff.ts"
import { qualifiedName } from "../../code/CodeQuery.ts"
import { changedUses, likeness, successorIn } from "../../code/successors.ts"
import { type ComparedFile, type FileVersion, type Item, itemsOf, type Pair } from "./definitionItems.ts"

/** A definition with this share of equal words may be the same one with another name. */
const renamedLikeness = 0.5
/** A definition with this share of equal words is the same one in another file. */
const movedLikeness = 0.6
/** Definitions of one name that are compared. */
const mostCompared = 20
/** A shorter definition may equal another one by chance. */
const leastShape = 40

export interface Paired {
  readonly pairs: ReadonlyArray<Pair>
  readonly removed: ReadonlyArray<Item>
  readonly added: ReadonlyArray<Item>
}

/** Pairs the definitions of a file by name, then those that were renamed, then the members of renamed types. */
export const pairsIn = (of: ComparedFile, diff: Diff): Paired => {
  const [bases, heads] = [itemsOf(of, of.base), itemsOf(of, of.head)]
  if (of.base === null || of.head === null) return { pairs: [], removed: bases, added: heads }
  const named = pairedBy(bases, heads, ({ definition }) => qualifiedName(definition))
  const renamed = renamedIn(of, of.base, of.head, named, diff)
  const rest = without(named, renamed)
  const owners = new Map(
    renamed.map(({ base, head }) => [qualifiedName(base.definition), qualifiedName(head.definition)])
  )
  const inside = pairedBy(rest.removed, rest.added, ({ definition: { container, name }, version }) => {
    const owner = version === of.base ? (owners.get(container ?? "") ?? container) : container
    return owner === null ? null : `${owner}.${name}`
  })
  return { ...inside, pairs: [...named.pairs, ...renamed, ...inside.pairs] }
}

export const without = ({ added, removed }: Paired, pairs: ReadonlyArray<Pair>): Omit<Paired, "pairs"> => {
  const paired = new Set(pairs.flatMap(({ base, head }) => [base, head]))
  return {
    removed: removed.filter((item) => !paired.has(item)),
    added: added.filter((item) => !paired.has(item))
  }
}

/** Of several definitions of one key, the equal ones are paired first, then the others in their order. */
export const pairedBy = (
  bases: ReadonlyArray<Item>,
  heads: ReadonlyArray<Item>,
  keyOf: (item: Item) => string | null
): Paired => {
  const grouped = Map.groupBy(heads, keyOf)
  const pairs: Array<Pair> = []
  const removed: Array<Item> = []
  const taken = new Set<Item>()
  for (const [key, olds] of Map.groupBy(bases, keyOf)) {
    const news = key === null ? [] : (grouped.get(key) ?? [])
    const left: Array<Item> = []
    for (const base of olds) {
      const same = news.find((head) => !taken.has(head) && isSameText(base, head))
      if (same === undefined) left.push(base)
      else {
        taken.add(same)
        pairs.push({ base, head: same })
      }
    }
    const free = news.filter((head) => !taken.has(head))
    for (const [at, base] of left.entries()) {
      const head = free[at]
      if (head === undefined) removed.push(base)
      else {
        taken.add(head)
        pairs.push({ base, head })
      }
    }
  }
  return { pairs, removed, added: heads.filter((head) => !taken.has(head)) }
}

const isSameText = (a: Item, b: Item): boolean =>
  a.definition.shape !== "" && a.definition.shape === b.definition.shape && a.definition.name === b.definition.name

const renamedIn = (
  { file }: ComparedFile,
  base: FileVersion,
  head: FileVersion,
  { added, removed }: Paired,
  diff: Diff
): ReadonlyArray<Pair> => {
  if (removed.length === 0 || added.length === 0) return []
  const isKind = (item: Item) => item.kind !== "field"
  const [lost, fresh] = [removed.filter(isKind), added.filter(isKind)]
  const groupOf = ({ definition: { container, kind } }: Item) => `${kind} ${container ?? ""}`
  const candidates = Map.groupBy(fresh, groupOf)
  const taken = new Set<Item>()
  const pairs: Array<Pair> = []
  const add = (item: Item, found: Item | undefined) => {
    if (found === undefined || taken.has(found) || taken.has(item)) return
    taken.add(found).add(item)
    pairs.push({ base: item, head: found })
  }
  for (const item of lost) {
    const same = (candidates.get(groupOf(item)) ?? []).filter((each) => hasSameShape(item, each))
    if (same.length === 1) add(item, same[0])
  }
  const names = new Set([...lost, ...fresh].map(({ definition }) => definition.name))
  const successor = successorIn(file, base, head, changedUses(diff, names))
  for (const item of lost.slice(0, mostCompared * 5)) {
    // A constant has too few words to be compared.
    const found = taken.has(item) || item.kind === "constant" ? null : successor(item.definition)
    if (found === null || likeness(item.definition, base.lines, found, head.lines) < renamedLikeness) continue
    add(
      item,
      fresh.find(({ definition }) => definition === found)
    )
  }
  return pairs
}

export const hasSameShape = (a: Item, b: Item): boolean =>
  a.definition.shape !== "" && a.definition.shape === b.definition.shape

/** Definitions that another file has now: with the same name and much of the text, or with the same text. */
export const movesBetween = (removed: ReadonlyArray<Item>, added: ReadonlyArray<Item>): Paired => {
  const isOuter = ({ definition: { container }, version }: Item): boolean =>
    container === null || !version.symbols.definitions.some((each) => qualifiedName(each) === container)
  const [lost, fresh] = [removed.filter(isOuter), added.filter(isOuter)]
  const keyOf = ({ definition, kind, of }: Item) => `${of.syntax.family} ${kind} ${qualifiedName(definition)}`
  const byName = Map.groupBy(fresh, keyOf)
  const byShape = Map.groupBy(fresh, ({ definition, kind }) => `${kind} ${definition.shape}`)
  const outer: Array<Pair> = []
  const taken = new Set<Item>()
  for (const base of lost) {
    const named = (byName.get(keyOf(base)) ?? []).filter((each) => !taken.has(each)).slice(0, mostCompared)
    const alike = named
      .map((head) => ({ head, rating: hasSameShape(base, head) ? 2 : ratingOf(base, head) }))
      .toSorted((a, b) => b.rating - a.rating)
    const [best] = alike
    const shape = base.definition.shape
    const same = Number.parseInt(shape, 10) >= leastShape ? (byShape.get(`${base.kind} ${shape}`) ?? []) : []
    const head =
      best !== undefined && best.rating >= movedLikeness ? best.head : same.length === 1 ? same[0] : undefined
    if (head === undefined || taken.has(head)) continue
    taken.add(head).add(base)
    outer.push({ base, head })
  }
  const rest = without({ pairs: [], removed, added }, outer)
  const owners = new Map(
    outer.map(({ base, head }) => [
      `${base.version.path} ${qualifiedName(base.definition)}`,
      `${head.version.path} ${qualifiedName(head.definition)}`
    ])
  )
  const bases = new Set(removed)
  const inside = pairedBy(rest.removed, rest.added, (item) => {
    const { definition, version } = item
    const own = `${version.path} ${definition.container ?? ""}`
    const owner = bases.has(item) ? owners.get(own) : own
    return definition.container === null || owner === undefined ? null : `${owner}.${definition.name}`
  })
  const folded = (items: ReadonlyArray<Item>, all: ReadonlyArray<Item>) => {
    const gone = new Set(all.map(({ definition, version }) => `${version.path} ${qualifiedName(definition)}`))
    return items.filter(({ definition, version }) => !gone.has(`${version.path} ${definition.container ?? "\n"}`))
  }
  return {
    pairs: [...outer, ...inside.pairs],
    removed: folded(inside.removed, rest.removed),
    added: folded(inside.added, rest.added)
  }
}

const ratingOf = (base: Item, head: Item): number =>
  likeness(base.definition, base.version.lines, head.definition, head.version.lines)
