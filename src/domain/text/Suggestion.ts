/** "Did you mean": the known name that is most similar to a mistyped one. */

/** Number of insertions, deletions, substitutions and exchanges of neighbours between two words. */
export const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  let earlier: ReadonlyArray<number> = []
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchange ? earlier[j - 2]! + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), exchanged))
    }
    earlier = row
    row = next
  }
  return row[b.length]!
}

/** The known names within a third of the word's length (at least 2 edits, and 1 for up to 3 letters), the closest first. */
export const allNear = (word: string, known: Iterable<string>): ReadonlyArray<string> => {
  const limit = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))
  const found: Array<{ readonly name: string; readonly distance: number }> = []
  for (const name of known) {
    if (Math.abs(name.length - word.length) > limit) continue
    const distance = editDistance(word.toLowerCase(), name.toLowerCase())
    if (distance <= limit) found.push({ name, distance })
  }
  return found.sort((a, b) => a.distance - b.distance).map(({ name }) => name)
}

/** The first of the closest known names, within the same distance; else null. */
export const nearest = (word: string, known: Iterable<string>): string | null => allNear(word, known)[0] ?? null

/** ` (did you mean "x"?)` with one suggestion or several, or "". */
export const didYouMean = (suggestion: string | null | ReadonlyArray<string>): string => {
  const names = suggestion === null ? [] : typeof suggestion === "string" ? [suggestion] : suggestion
  return names.length === 0 ? "" : ` (did you mean ${names.map((name) => `"${name}"`).join(", ")}?)`
}

/** The maximum number of suggestions. */
const mostOffered = 3

/**
 * The known ids, `area/name`, that are most similar to a mistyped one, best first: similar as a whole, with a similar name,
 * or with most of its words.
 */
export const nearestFew = (word: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const typed = word.toLowerCase().slice(0, 100)
  const bare = nameOf(typed)
  const parts = bare.split("-").filter((part) => part.length > 2)
  const scored = known.flatMap((id) => {
    const name = nameOf(id)
    const distance = Math.min(editDistance(typed, id), editDistance(bare, name) + 0.5)
    const shared = parts.filter((part) => name.split("-").includes(part)).length
    const isNear = distance <= Math.max(2, Math.floor(typed.length / 3))
    return isNear || shared * 2 > parts.length ? [{ id, distance: isNear ? distance : 100 - shared }] : []
  })
  return scored
    .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, mostOffered)
    .map(({ id }) => id)
}

const nameOf = (id: string): string => id.slice(id.indexOf("/") + 1)
