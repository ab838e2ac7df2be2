/**
 * What a project does in one respect: a slot, such as the suffix of test files, and its value, such as `.spec`.
 *
 * A habit is data that can be checked: a file that has another value in the same slot breaks it. The same readers
 * (`pathHabits`, `textHabits`, `subjectHabits`) count what a repository does and judge a new file.
 */

export interface Habit {
  /** The domain first: `testing:suffix:ts`, `naming:tsx:src/components`. */
  readonly slot: string
  readonly value: string
}

export const habitKey = ({ slot, value }: Habit): string => `${slot}=${value}`

/** Null for a text that is no key of a habit. */
export const habitOf = (key: string): Habit | null => {
  const at = key.indexOf("=")
  return at <= 0 || !key.slice(0, at).includes(":") || at === key.length - 1
    ? null
    : { slot: key.slice(0, at), value: key.slice(at + 1) }
}

export const domainOf = (slot: string): string => slot.slice(0, slot.indexOf(":"))

/** A name of one lower-case word: it fits every case but PascalCase, and is evidence for none. */
export const oneWord = "one word"
/** An item that does both; it is evidence against every habit. */
export const mixed = "mixed"

const isEvidenceOnly = (value: string): boolean => value === oneWord || value === mixed || value === "longer"

/** How often each value occurs in a slot. */
export type ValueCounts = ReadonlyMap<string, number>

/** Does an item with this value break a habit? */
export const breaks = (habit: string, value: string): boolean =>
  value !== habit && !(value === oneWord && habit !== "PascalCase")

/** The items that have the value, and those that break it. */
export const evidenceOf = (counts: ValueCounts, value: string): { readonly s: number; readonly f: number } => {
  let f = 0
  for (const [other, count] of counts) if (breaks(value, other)) f += count
  return { s: counts.get(value) ?? 0, f }
}

/** The most frequent value that can be a habit; null on a tie or without one. */
export const leadingValue = (counts: ValueCounts): string | null => {
  const ordered = [...counts].filter(([value]) => !isEvidenceOnly(value)).sort(([, a], [, b]) => b - a)
  const [first, second] = ordered
  return first === undefined || first[1] === second?.[1] ? null : first[0]
}

/** Counts habits by slot and value. */
export class HabitCounts {
  private readonly slots = new Map<string, Map<string, number>>()

  add({ slot, value }: Habit, times = 1): void {
    const counts = this.slots.get(slot)
    if (counts === undefined) this.slots.set(slot, new Map([[value, times]]))
    else counts.set(value, (counts.get(value) ?? 0) + times)
  }

  of(slot: string): ValueCounts {
    return this.slots.get(slot) ?? none
  }
}

const none: ValueCounts = new Map()
