/** The order in which to read the hunks that are not only form. */
import type { DiffFile } from "../change/Diff.ts"
import type { Form } from "./Form.ts"
import type { FormalRows } from "./formalRows.ts"

export const readingOrder = (_files: ReadonlyArray<DiffFile>, _rows: FormalRows): Form["order"] => []
