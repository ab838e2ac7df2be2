/** "Did you mean" for paths: the known paths most similar to a missing one, best first. */
import { compareText } from "../text/compareText.ts"
import { editDistance } from "../text/Suggestion.ts"

const mostOffered = 3

/** Files with the same name in other folders; if there are none, those with a similar name. */
export const nearestPaths = (target: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = target.toLowerCase().split("/")
  const name = wanted.at(-1) ?? ""
  const length = stem(name).length
  const limit = length < 3 ? 0 : Math.max(1, Math.floor(length / 4))
  const scored = known.flatMap((path) => {
    const parts = path.toLowerCase().split("/")
    const own = parts.at(-1) ?? ""
    const distance = own === name ? 0 : nearly(own, name, limit)
    if (distance === null) return []
    const shared = new Set(wanted.slice(0, -1))
    const folders = parts.slice(0, -1)
    const unexpected = folders.filter((part) => !shared.has(part)).length
    const missing = [...shared].filter((part) => !folders.includes(part)).length
    return [{ path, distance, apart: unexpected + missing }]
  })
  const isSame = scored.some(({ distance }) => distance === 0)
  return scored
    .filter(({ distance }) => !isSame || distance === 0)
    .toSorted((a, b) => a.distance - b.distance || a.apart - b.apart || compareText(a.path, b.path))
    .slice(0, mostOffered)
    .map(({ path }) => path)
}

const longestName = 100

/** The edit distance, 0.5 if only the extensions differ; null if it is over the limit. */
const nearly = (a: string, b: string, limit: number): number | null => {
  if (stem(a) === stem(b)) return 0.5
  if (Math.abs(a.length - b.length) > limit || a.length > longestName) return null
  const distance = editDistance(a, b)
  return distance <= limit ? distance : null
}

const stem = (name: string): string => name.replace(/(?<=.)\.[^.]*$/, "")
