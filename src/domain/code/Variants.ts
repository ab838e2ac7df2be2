/**
 * Types whose values are a closed list, and the places that go through such a list: what a new or a lost member means
 * to them. Pure; nothing here is resolved to files.
 */

export interface Member {
  readonly name: string
  /** From 1. */
  readonly line: number
}

/** An enumeration, a union of literals or of tagged objects, or a group of typed constants. */
export interface VariantType {
  readonly name: string
  readonly members: ReadonlyArray<Member>
  /** How cases name a member: `Color.RED`, `RED`, or `"red"`. */
  readonly named: "qualified" | "bare" | "literal"
  /** The property that tells tagged objects apart. */
  readonly property: string | null
}

export interface CaseName {
  /** The path before the member's name as it is written; null for a bare name or a literal. */
  readonly type: string | null
  readonly member: string
}

/** A `switch` or `match` on a value, or a table with members as keys. */
export interface CaseTable {
  readonly form: "switch" | "table"
  /** From 1. */
  readonly line: number
  readonly endLine: number
  readonly cases: ReadonlyArray<CaseName>
  /**
   * What becomes of any other value: it is let through, refused while the program runs, refused by the compiler, or
   * handled.
   */
  readonly rest: "passed" | "refused" | "checked" | "handled"
  /** The type's name as the subject's or the table's own annotation has it. */
  readonly annotated: string | null
  /** `kind` of `switch (shape.kind)`. */
  readonly property: string | null
}

/** One type on both sides of a change. */
export interface VariantChange {
  readonly type: VariantType
  /** All members of the base side. */
  readonly before: ReadonlyArray<string>
  readonly added: ReadonlyArray<Member>
  readonly removed: ReadonlyArray<string>
}

/** Fewer members than this make no list worth going through. */
const smallest = 2

/** What became of each type of the base side that is still there. */
export const variantChanges = (
  base: ReadonlyArray<VariantType>,
  head: ReadonlyArray<VariantType>
): ReadonlyArray<VariantChange> =>
  head.flatMap((type) => {
    const same = base.filter(({ name }) => name === type.name)
    const [before] = same
    if (before === undefined || same.length !== 1 || before.members.length < smallest) return []
    if (head.filter(({ name }) => name === type.name).length !== 1) return []
    const were = new Set(before.members.map(({ name }) => name))
    const are = new Set(type.members.map(({ name }) => name))
    const added = type.members.filter(({ name }) => !were.has(name))
    const removed = [...were].filter((name) => !are.has(name))
    return added.length + removed.length === 0 ? [] : [{ type, before: [...were], added, removed }]
  })

/** What a table that covered every member now lacks, or names in vain. */
export interface TableFault {
  readonly missing: ReadonlyArray<string>
  readonly stale: ReadonlyArray<string>
}

/** `names`: the members of the type that the table names. Null where the table never covered the type. */
export const tableFault = (
  { added, before, removed }: VariantChange,
  names: ReadonlySet<string>,
  { rest }: CaseTable
): TableFault | null => {
  if (!before.every((name) => names.has(name))) return null
  const missing = rest === "handled" ? [] : added.map(({ name }) => name).filter((name) => !names.has(name))
  // A member in place of another is a rename: uses of the old name are reported already.
  if (removed.length > 0) return { missing: [], stale: removed }
  return missing.length === 0 ? null : { missing, stale: [] }
}
