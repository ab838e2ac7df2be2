import { compareText } from "../text/compareText.ts"
import { foldersAbove } from "../text/foldersAbove.ts"

/**
 * Sorts the candidates by their distance to the subjects: first by the depth of the folder that they share with one, then
 * by their depth below it. Linear in the paths, except for the sort.
 */
export const nearestFirst = (
  subjects: ReadonlyArray<string>,
  candidates: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const around = new Set(subjects.flatMap(foldersAbove))
  const depths = new Map<string, readonly [shared: number, below: number]>()
  const depthOf = (path: string): readonly [number, number] => {
    const folders = foldersAbove(path)
    const folder = folders[0]!
    const known = depths.get(folder)
    if (known !== undefined) return known
    const below = folders.findIndex((above) => around.has(above))
    const depth = [folders.length - below, below] as const
    depths.set(folder, depth)
    return depth
  }
  return candidates
    .map((path) => ({ path, depth: depthOf(path) }))
    .sort((a, b) => b.depth[0] - a.depth[0] || a.depth[1] - b.depth[1] || compareText(a.path, b.path))
    .map(({ path }) => path)
}
