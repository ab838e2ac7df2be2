/** Members that a change adds to a type with a closed list of values, or removes from it. Pure. */
import { type VariantType, variantChanges } from "../../code/Variants.ts"
import type { ValueChange } from "../Definitions.ts"

export const memberChanges = (
  path: string,
  base: ReadonlyArray<VariantType>,
  head: ReadonlyArray<VariantType>
): ReadonlyArray<ValueChange> =>
  variantChanges(base, head).flatMap(({ added, removed, type }) => {
    const of = (change: "added" | "removed", name: string, line: number): ValueChange => ({
      change,
      kind: "member",
      name: `${type.name}.${name}`,
      file: path,
      line,
      before: null,
      after: null
    })
    const line = type.members[0]?.line ?? 0
    return [
      ...added.map((each) => of("added", each.name, each.line)),
      ...removed.map((name) => of("removed", name, line))
    ]
  })
