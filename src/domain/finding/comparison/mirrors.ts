/** Recognises files that are generated from other files of the same change, such as `deno/a.ts` from `src/a.ts`. */
import { jaccard } from "../../text/Similarity.ts"
import type { ReviewRecord } from "../Finding.ts"

/** The minimum share of equal lines: a generator changes only imports. */
const alike = 0.7

/**
 * Without the records of a rule in a mirror, if the source has the same one. `linesOf`: lines of the head side.
 */
export const withoutMirrors = (
  records: ReadonlyArray<ReviewRecord>,
  linesOf: (path: string) => ReadonlyArray<string>
): ReadonlyArray<ReviewRecord> =>
  records.filter(
    (record) =>
      !records.some(
        (other) =>
          other.rule === record.rule &&
          other.quote === record.quote &&
          isMirror(record.file, other.file) &&
          jaccard(linesIn(linesOf(record.file)), linesIn(linesOf(other.file))) >= alike
      )
  )

const linesIn = (lines: ReadonlyArray<string>): ReadonlySet<string> => new Set(lines.map((line) => line.trim()))

/** Has `path` the same tail as `source` in another top folder? */
const isMirror = (path: string, source: string): boolean => {
  const [folders, sourceFolders] = [path.split("/"), source.split("/")]
  let same = 0
  while (same < folders.length && folders.at(-1 - same) === sourceFolders.at(-1 - same)) same++
  const [top, sourceTop] = [folders.slice(0, -same), sourceFolders.slice(0, -same)]
  if (same === 0 || top.length === 0 || sourceTop.length === 0 || top[0] === sourceTop[0]) return false
  return sourceTop.includes("src") && !top.includes("src")
}
