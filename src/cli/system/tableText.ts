/** A table as wide as the terminal; the names of its columns are bold where there are colours. */
import { Effect } from "effect"
import { inkFor } from "../text/Ink.ts"
import { type Flexible, table } from "../text/Rows.ts"
import { canShowColour } from "./colour.ts"
import { tableWidth } from "./terminal.ts"

export const tableText = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  right?: ReadonlySet<string>,
  flexible?: ReadonlyArray<Flexible>
) {
  const { bold } = inkFor(yield* canShowColour(1))
  return table(names, rows, yield* tableWidth, right, flexible, bold).join("\n")
})
