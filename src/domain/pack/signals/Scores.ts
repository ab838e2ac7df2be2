/** What one signal says about files: a score for each file that it knows, the higher the closer to the change. */
export type Scores = ReadonlyMap<string, number>

/** From 1; files with the same score have the same rank, and the next rank counts them all (1, 2, 2, 4). */
export const ranksOf = (scores: Scores): ReadonlyMap<string, number> => {
  const sorted = [...scores].filter(([, score]) => score > 0).sort(([, a], [, b]) => b - a)
  const ranks = new Map<string, number>()
  let rank = 0
  let previous = Number.NaN
  for (const [index, [path, score]] of sorted.entries()) {
    if (score !== previous) rank = index + 1
    previous = score
    ranks.set(path, rank)
  }
  return ranks
}
