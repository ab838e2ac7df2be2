/**
 * The similarity of two short sentences by their letters, without a model or a dictionary. Stop words and punctuation do not count.
 */

const stopWords = new Set(["the", "a", "an", "is", "on", "in", "of", "to", "for", "and", "or", "with", "by"])

/** Two sentences with at least this similarity have the same subject. */
export const threshold = 0.5

/** Lower case, only a-z, 0-9 and single spaces, no stop words. */
export const normaliseTitle = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9\s]+/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "" && !stopWords.has(word))
    .join(" ")

/** The pairs of adjacent letters in a normalised title; a single letter counts as a pair. */
export const bigrams = (title: string): ReadonlySet<string> => {
  const text = normaliseTitle(title)
  if (text.length < 2) return new Set(text === "" ? [] : [text])
  const pairs = new Set<string>()
  for (let i = 0; i + 1 < text.length; i++) pairs.add(text.slice(i, i + 2))
  return pairs
}

/** Shared pairs divided by all pairs, 0 to 1; 0 for two empty sets. */
export const jaccard = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0
  for (const pair of a) if (b.has(pair)) shared++
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

export const similarity = (a: string, b: string): number => jaccard(bigrams(a), bigrams(b))
