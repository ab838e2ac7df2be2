/**
 * Types with a closed list of values, code that handles each of the values, and the effect of an added or removed value
 * on this code. Nothing is resolved to files.
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
  /** How cases refer to a member: `Color.RED`, `RED`, or `"red"`. */
  readonly named: "qualified" | "bare" | "literal"
  /** The property that distinguishes tagged objects. */
  readonly property: string | null
}

export interface CaseName {
  /** The path before the member's name as written; null for a bare name or a literal. */
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
   * The effect of any other value: ignored, rejected when the program runs, rejected by the compiler, or handled.
   */
  readonly rest: "passed" | "refused" | "checked" | "handled"
  /** The type in the annotation of the subject or of the table. */
  readonly annotated: string | null
  /** `kind` in `switch (shape.kind)`. */
  readonly property: string | null
}

/** One type on both sides of a change. */
export interface VariantChange {
  readonly type: VariantType
  /** All members on the base side. */
  readonly before: ReadonlyArray<string>
  readonly added: ReadonlyArray<Member>
  readonly removed: ReadonlyArray<string>
}

/** Types with fewer members are not checked. */
const smallest = 2

/** The changes of the types that are on both sides. */
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

/** The members that a table, which covered every member, lacks or still names. */
export interface TableFault {
  readonly missing: ReadonlyArray<string>
  readonly stale: ReadonlyArray<string>
}

/** `names`: the members of the type in the table. Null if the table did not cover the type before the change. */
export const tableFault = (
  { added, before, removed }: VariantChange,
  names: ReadonlySet<string>,
  { rest }: CaseTable
): TableFault | null => {
  if (!before.every((name) => names.has(name))) return null
  const missing = rest === "handled" ? [] : added.map(({ name }) => name).filter((name) => !names.has(name))
  // An added and a removed member are a rename: uses of the old name are reported already.
  if (removed.length > 0) return { missing: [], stale: removed }
  return missing.length === 0 ? null : { missing, stale: [] }
}
