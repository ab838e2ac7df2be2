/** What one signal says about files: a score for each file that it knows, the higher the closer to the change. */
export type Scores = ReadonlyMap<string, number>

/** From 1; files with the same score share the middle of their ranks (1, 3, 3, 3, 5): what many share says little. */
export const ranksOf = (scores: Scores): ReadonlyMap<string, number> => {
  const sorted = [...scores].filter(([, score]) => score > 0).sort(([, a], [, b]) => b - a)
  const ranks = new Map<string, number>()
  for (let first = 0; first < sorted.length; ) {
    let next = first + 1
    while (next < sorted.length && sorted[next]![1] === sorted[first]![1]) next++
    const rank = Math.floor((first + 1 + next) / 2)
    for (let at = first; at < next; at++) ranks.set(sorted[at]![0], rank)
    first = next
  }
  return ranks
}
