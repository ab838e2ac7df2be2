/** The code of a file as the parser reads it. */
import type { Grammar } from "../change/Grammar.ts"

export interface CodeOfFile {
  readonly grammar: Grammar
  /** As many lines as the file has, blank where it has other text. Null if only a patch is known. */
  readonly lines: ReadonlyArray<string> | null
  /** What of the file is not in these lines; "" for nothing. */
  readonly note: string
  /** A place that people find, for a file that is not edited as text; absent for other files. */
  readonly placeOf?: (line: number) => string | null
}
