/**
 * Divides a change that does not fit into one prompt into shards: parts that each fit and that keep together what belongs
 * together, a definition with its uses, a test with its subject.
 *
 * Every hunk is in exactly one shard, and no two shards fit into one. The order of the files has no effect.
 */
import type { Tie } from "../brief/sizeOf.ts"
import type { DiffFile } from "../change/Diff.ts"
import type { Stack, StackName } from "../code/Stack.ts"
import { compareText } from "../text/compareText.ts"
import { foldersAbove } from "../text/foldersAbove.ts"

export interface ShardFile {
  readonly file: DiffFile
  /** The tokens of each hunk in a prompt; empty if only the name of the file is shown. */
  readonly tokens: ReadonlyArray<number>
  readonly stack: StackName
}

interface Part {
  readonly file: DiffFile
  readonly tokens: number
  readonly stack: StackName
}

/** `room`: the tokens of one shard. A hunk that is larger is a shard of its own. */
export const shardsOf = (
  files: ReadonlyArray<ShardFile>,
  ties: ReadonlyArray<Tie>,
  room: number
): ReadonlyArray<Stack> => {
  const parts = files.toSorted((a, b) => compareText(a.file.path, b.file.path)).flatMap((file) => partsOf(file, room))
  const groups = grouped(parts, ties, room)
  const byName = Map.groupBy(groups, mainStack)
  return groups
    .map((group): Stack => {
      const name = mainStack(group)
      const same = byName.get(name) ?? []
      return {
        name: same.length === 1 ? name : `${name}-${same.indexOf(group) + 1}`,
        files: [...new Set(group.map(({ file }) => file.path))],
        shard: { parts: group.map(({ file }) => file), profiles: stacksOf(group).slice(0, mostProfiles) }
      }
    })
    .toSorted((a, b) => Number(isGeneric(a)) - Number(isGeneric(b)))
}

const mostProfiles = 3
/** Of more parts, only neighbours are compared: the number of pairs grows with the square. */
const mostCompared = 600

/** The whole file if it fits, else its hunks in order, as many as fit. */
const partsOf = ({ file, stack, tokens }: ShardFile, room: number): ReadonlyArray<Part> => {
  const whole = tokens.reduce((sum, each) => sum + each, 0)
  if (whole <= room || tokens.length < 2) return [{ file, stack, tokens: whole }]
  const parts: Array<Part & { readonly hunks: Array<DiffFile["hunks"][number]> }> = []
  for (const [at, hunk] of file.hunks.entries()) {
    const size = tokens[at] ?? 0
    const last = parts.at(-1)
    if (last === undefined || last.tokens + size > room) {
      const hunks = [hunk]
      parts.push({ file: { ...file, hunks }, hunks, stack, tokens: size })
    } else {
      last.hunks.push(hunk)
      parts[parts.length - 1] = { ...last, tokens: last.tokens + size }
    }
  }
  return parts
}

/** Joins the closest parts first, as long as they fit. */
const grouped = (
  parts: ReadonlyArray<Part>,
  ties: ReadonlyArray<Tie>,
  room: number
): ReadonlyArray<ReadonlyArray<Part>> => {
  const weights = new Map<string, number>()
  for (const { files, weight } of ties) {
    const key = pairKey(...files)
    weights.set(key, Math.max(weight, weights.get(key) ?? 0))
  }
  const groups = parts.map((part) => ({ members: [part], tokens: part.tokens }))
  const groupOf = new Map(parts.map((part, at) => [part, groups[at]!]))
  const reach = parts.length <= mostCompared ? parts.length : 1
  const pairs = parts.flatMap((one, at) =>
    parts.slice(at + 1, at + 1 + reach).map((other) => ({ one, other, closeness: closeness(one, other, weights) }))
  )
  // The sort is stable and the parts are in order, so equal pairs keep the order of their paths.
  for (const { one, other } of pairs.sort((a, b) => b.closeness - a.closeness)) {
    const into = groupOf.get(one)!
    const from = groupOf.get(other)!
    if (into === from || into.tokens + from.tokens > room) continue
    for (const member of from.members) groupOf.set(member, into)
    into.members.push(...from.members)
    into.tokens += from.tokens
    from.members.length = 0
  }
  const order = new Map(parts.map((part, at) => [part, at]))
  return groups
    .filter(({ members }) => members.length > 0)
    .map(({ members }) => members.toSorted((a, b) => order.get(a)! - order.get(b)!))
    .toSorted((a, b) => order.get(a[0]!)! - order.get(b[0]!)!)
}

/** A tie outweighs the stack, the stack outweighs the folder. */
const closeness = (one: Part, other: Part, weights: ReadonlyMap<string, number>): number => {
  const tie = weights.get(pairKey(one.file.path, other.file.path)) ?? 0
  const above = new Set(foldersAbove(one.file.path))
  const shared = foldersAbove(other.file.path).filter((folder) => above.has(folder)).length
  const isSame = one.file.path === other.file.path ? 5 : one.stack === other.stack ? 1 : 0
  return tie + isSame + shared / (1 + Math.max(above.size, foldersAbove(other.file.path).length))
}

const pairKey = (one: string, other: string): string => (one < other ? `${one}\n${other}` : `${other}\n${one}`)

const stacksOf = (group: ReadonlyArray<Part>): ReadonlyArray<StackName> => {
  const sizes = new Map<StackName, number>()
  for (const { stack, tokens } of group) sizes.set(stack, (sizes.get(stack) ?? 0) + tokens)
  const stacks = [...sizes].sort(([a, one], [b, other]) => other - one || compareText(a, b)).map(([name]) => name)
  const languages = stacks.filter((name) => name !== "generic")
  return languages.length > 0 ? languages : stacks
}

const mainStack = (group: ReadonlyArray<Part>): StackName => stacksOf(group)[0] ?? "generic"

const isGeneric = ({ shard }: Stack): boolean => shard?.profiles[0] === "generic"
