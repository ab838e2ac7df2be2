/**
 * The conventions to read before a change, from its files alone: those of the deepest folder first, then the most mature, then those
 * with the most evidence. The same files and conventions give the same list. Contested conventions are in none.
 */
import { compareText } from "../text/compareText.ts"
import { foldersOfFile } from "../text/foldersAbove.ts"
import type { LearnedConvention, Maturity } from "./Generation.ts"

const rankOf: Record<Maturity, number> = { established: 0, provisional: 1, candidate: 2, contested: 3 }

const depthOf = ({ folder }: LearnedConvention): number => folder.split("/").length

/** How many a reviewer is given. */
export const conventionsRead = 5

/** For many changes: the conventions are sorted once. */
export const conventionIndex = (
  conventions: ReadonlyArray<LearnedConvention>
): ((files: ReadonlyArray<string>, most: number) => ReadonlyArray<LearnedConvention>) => {
  const sorted = conventions
    .filter(({ maturity }) => maturity !== "contested")
    .sort(
      (a, b) =>
        depthOf(b) - depthOf(a) ||
        rankOf[a.maturity] - rankOf[b.maturity] ||
        b.accepted - b.rejected - (a.accepted - a.rejected) ||
        compareText(a.id, b.id)
    )
  const places = Map.groupBy(sorted.keys(), (place) => sorted[place]?.folder ?? "")
  return (files, most) => {
    const folders = new Set(files.flatMap(foldersOfFile))
    const found = [...folders].flatMap((folder) => places.get(folder) ?? []).sort((a, b) => a - b)
    return found.slice(0, most).flatMap((place) => sorted[place] ?? [])
  }
}

export const conventionsFor = (
  files: ReadonlyArray<string>,
  conventions: ReadonlyArray<LearnedConvention>,
  most = conventionsRead
): ReadonlyArray<LearnedConvention> => conventionIndex(conventions)(files, most)
